"""What the metaclass of a class makes of its attributes.

    class Counted(type):                        class Box(metaclass=Counted): ...
        @property
        def double(cls):                        Box.double   ->   Counted.double.fget(Box)
            return 2 * cls.total
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from ir.core import Const, Location, Operand
from ir.derived import found_in
from ir.inference.special_calls import Folded, special

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

# What `type(name, bases, names)` calls: what a class is made of may be differentiated, what
# `type(x)` gives never is.
MAKE_CLASS: Any = type.__call__.__get__(type)


def asked_of_metaclass(cls: type, name: str) -> tuple[str, types.FunctionType] | None:
    """The function that answers for `cls.name` in the place of the class: a "getter" of the class,
    a "method" of it, or one for "any" name, which takes the name as well; None if it is neither.

    The standard library's metaclasses are known by what their classes do.
    """
    metaclass = type(cls)
    if metaclass is type:
        return None
    is_own = any(name in vars(base) for base in cls.__mro__)
    found = found_in(metaclass, name)
    if isinstance(found, property):
        return _of_users("getter", found.fget)
    if is_own or found is None:
        return None if is_own else _of_users("any", found_in(metaclass, "__getattr__"))
    return _of_users("method", found)


def _of_users(kind: str, function: object) -> tuple[str, types.FunctionType] | None:
    if not isinstance(function, types.FunctionType):
        return None
    module = str(function.__module__).partition(".")[0]
    return None if module in sys.stdlib_module_names else (kind, function)


@special(type)
def _type(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    if len(args) != 3:
        return None
    return self.typed_call(Const(MAKE_CLASS), args, kwargs, names, loc)
