"""Lists that are written where a function takes them, which keeps neither them nor their items.

    u += np.concatenate([u[1:], u[:1]])    ->    u += np.concatenate((u[1:], u[:1]))

In a list, arrays would have names that aren't known; a tuple has no memory of its own.
"""

from __future__ import annotations

from ir import facts
from ir.core import Block, Call, Const, Operand, Value
from ir.memory.contents import holds_memory
from ir.rewrite import Mapping, count_uses
from ir.types import class_of


def is_given_at_once(
    op: Call, args: list[Operand], block: Block | None, mapping: Mapping
) -> bool:
    """Whether a list that `op` makes holds arrays, and only a function that joins them reads it."""
    if block is None or not any(isinstance(arg, Value) and _is_array(arg) for arg in args):
        return False
    made = op.result
    readers = [other for other in block.ops if isinstance(other, Call) and made in other.args]
    if len(readers) != 1 or readers[0].args[0] is not made or count_uses(block)[made] != 1:
        return False
    callee = readers[0].callee
    if isinstance(callee, Value):
        callee = mapping.get(callee, callee)
    return isinstance(callee, Const) and facts.is_joining(callee.value)


def _is_array(value: Value) -> bool:
    return holds_memory(value.type) and class_of(value.type) not in (list, tuple, dict, None)
