"""The `__init__` of Python's exceptions, in code that follows what exceptions hold.

    super().__init__(x, y)    ->    self.args = (x, y)
"""

from __future__ import annotations

from typing import Any

from ir.core import Const, Location, Operand, type_of
from ir.heap import set_attribute
from ir.inference.special_calls import Folded, special
from ir.inference.surroundings import Constructor
from ir.inference.typed_calls import TypedCalls
from ir.primitives import build_tuple
from ir.types import class_of
from zyg.compiler.inference.objects import INIT_OF_ERRORS
from zyg.held.made_errors import new_error
from zyg.rules.registry import constant

constant(new_error)


def constructor_of_error(init: Any) -> Constructor:
    """How an exception is made: with what it is given under `args`, then by an `__init__`."""
    return Constructor(init, maker=new_error)


@special(*INIT_OF_ERRORS.values())
def _init_of_error(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """`super().__init__(*held)`, where exceptions are followed: they hold that under `args`."""
    cls = class_of(type_of(args[0])) if args else None
    if self.heap is None or kwargs or cls is None or not self.surroundings.constructor(cls, ()):
        return None
    held = self.typed_call(Const(build_tuple), args[1:], {}, ["args"], loc)[0]
    if issubclass(cls, StopIteration):
        value = args[1] if args[1:] else Const(None)
        self.typed_call(Const(set_attribute), [args[0], Const("value"), value], {}, ["_"], loc)
    return self.typed_call(Const(set_attribute), [args[0], Const("args"), held], {}, names, loc)
