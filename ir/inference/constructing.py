"""Calls of classes: how inference makes objects, and containers of the user's classes.

    Point(x, y)       ->    p = new_object(Point); Point.__init__(p, x, y)
    Params(w=1.0)     ->    derived(Params, dict(w=1.0))
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

from ir import primitives
from ir.core import Call, Const, Location, Operand, Value
from ir.errors import Unsupported
from ir.heap import new_object, set_attribute
from ir.suggestions import temporary_of_class
from ir.types import Instance

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


def constructed(
    self: TypedCalls,
    cls: Const,
    args: list[Operand],
    kwargs: dict[str, Operand],
    name: str,
    loc: Location | None,
) -> Operand | None:
    """Makes what `cls(*args, **kwargs)` does; None for a class of another kind."""
    if self.surroundings.has_rule_of_user(cls.value):
        if self.heap is None:
            return None
        raise Unsupported(
            f"a {cls.value.__name__} is made, which has a rule of its own, in code that follows "
            "what objects hold: what is added to its attributes would pass the rule by", loc,
            advice="make it outside, and pass it on; or give rules to its methods",
        )
    constructor = self.surroundings.constructor(cls.value, kwargs)
    if constructor is None:
        if isinstance(cls.value, type) and issubclass(cls.value, BaseException):
            self.classes_made.add(cls.value)
        return None
    if constructor.base is not None:
        from ir.inference.special_derived import made_of_items  # few programs need it

        return made_of_items(self, cls, constructor, args, kwargs, name, loc)
    if self.heap is None:
        self.classes_made.add(cls.value)
        return None
    made = Value(temporary_of_class(name, cls.value), Instance(cls.value))
    self._define(Call(Const(constructor.maker), [cls], {}, [made], loc))
    if constructor.maker is not new_object:  # an exception, which holds what it is made with
        held = self.typed_call(Const(primitives.build_tuple), args, {}, ["args"], loc)[0]
        self.typed_call(Const(set_attribute), [made, Const("args"), held], {}, ["_"], loc)
        if issubclass(cls.value, StopIteration) and isinstance(constructor.init, FunctionType):
            # Its `__init__` need not call that of Python's.
            given: list[Operand] = [made, Const("value"), Const(None)]
            self.typed_call(Const(set_attribute), given, {}, ["_"], loc)
    if constructor.init is not None:
        self.typed_call(Const(constructor.init), [made, *args], kwargs, ["_"], loc)
    elif constructor.maker is new_object and (args or kwargs):
        self._append(Const(object.__init__), [made, *args], kwargs, ["_"], loc)
    return made
