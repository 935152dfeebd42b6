"""Calls of `zyg.dropgrad`, of what may be known by its identity.

    t = dropgrad(self.x)        t = dropped(self.x), which looks whether objects hold it
    t = dropgrad(x * 2)         as it is: nobody has another name for what is made for this call
    t = dropgrad(self)          t = dropped(self), which raises
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core import Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded
from ir.memory.memory_facts import is_array_like
from ir.memory.place_state import NEW
from ir.rewrite import count_uses
from zyg.compiler.inference.declared_constant import may_have_other_names
from zyg.compiler.inference.objects import holds_no_objects
from zyg.held.dropped_memory import dropped

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


def call_of_dropgrad(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """What `special` asks of a call of `zyg.dropgrad`."""
    operands = [*args, *kwargs.values()]
    if self.places is None or len(operands) != 1:
        return None  # this was decided when the code was typed first
    (operand,) = operands
    if holds_no_objects(type_of(operand)) and (
        not may_have_other_names(self, operand) or _is_made_for_this(self, operand)
    ):
        return None
    return self.typed_call(Const(dropped), operands, {}, names, loc)


def _is_made_for_this(self: TypedCalls, operand: Operand) -> bool:
    """Whether the operand of the call that is typed is a new array that has no other name."""
    assert self.places is not None and self.copied is not None and self._source is not None
    (call, mapping), block = self.copied, self._source
    (source,) = [*call.args, *call.kwargs.values()]
    if not isinstance(operand, Value) or not is_array_like(operand.type) or (
        not isinstance(source, Value) or self.places.storage(operand) is not operand
    ):
        return False
    return self.places.returned(operand, []) == NEW and count_uses(block)[source] == 1 and (
        [name for name, value in mapping.items() if value is operand] == [source]
    )
