"""Which one of several known functions, or callable objects, a variable holds when it is called.

    t = f(x)          c = is_choice(f, Choice(square))
                      t = if c:
                          yield f(x)               `f` is known here: square
                      else:
                          unless_choice(f, Choice(<code of twice>))     raises for others
                          yield f(x)
"""

from __future__ import annotations

import types
from typing import Any

from ir import facts
from ir.core import Function
from ir.record import record
from ir.types import Closure, Instance, Known, Method, Scalar, Type, Union


@record
class Choice:
    """A known callable, the functions of one code, the objects of one class, or the methods that
    have one function and are bound to objects of one class."""

    of: Any
    kind: type[Type]
    owner: type | None = None

    def covers(self, type_: Type) -> bool:
        """Whether all values of a type are of this choice: others have none."""
        return _choice(type_) == self

    def holds_for(self, value: Any) -> bool:
        if self.kind is Known:
            return value is self.of
        if self.kind is Instance:
            return type(value) is self.of
        if self.kind is Method:
            is_method = type(value) is types.MethodType and value.__func__ is self.of
            return is_method and type(value.__self__) is self.owner
        return type(value) is types.FunctionType and value.__code__ is _code_of(self.of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self.of is other.of and (
            self.kind is other.kind and self.owner is other.owner
        )

    def __hash__(self) -> int:
        return hash((id(self.of), self.kind, self.owner))


def _code_of(code: Any) -> Any:
    """The code of function objects, by their code or their IR."""
    if not isinstance(code, Function):
        return code
    from ir.closures import maker_of  # few programs need it

    return maker_of(code).code


def _choice(type_: Type) -> Choice | None:
    match type_:
        case Known(value) if callable(value):
            return Choice(value, Known)
        case Closure(code):
            return Choice(code, Closure)
        case Instance(cls) if callable(cls):
            return Choice(cls, Instance)
        case Method(Known(types.FunctionType() as function), Instance(cls)):
            return Choice(function, Method, cls)
        case _:
            return None


def choices(type_: Union) -> list[Choice] | None:
    """The choices of a union, None aside; None where one is of another kind, or is there twice."""
    members = sorted(
        type_.members - {Known(None)}, key=lambda one: (type(one) is not Known, repr(one))
    )
    found = [_choice(member) for member in members]
    known = [choice for choice in found if choice is not None]
    return known if len(set(known)) == len(found) else None


def is_choice(value: Any, choice: Choice) -> bool:
    return choice.holds_for(value)


facts.pure(is_choice)


@facts.result(is_choice)
def _bool(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Scalar(bool)
