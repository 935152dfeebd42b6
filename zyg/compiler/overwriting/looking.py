"""Which reads of memory need no copy: those that are over before it changes, and keep nothing.

    t = taken(a_bar, i)            t = a_bar[i]
    v_bar = t * 2            ->    v_bar = t * 2
    a_bar[j] += v_bar              a_bar[j] += v_bar
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ir import facts
from ir.core import Block, Call, Const, Op, Value, blocks_of, exit_operands, operands_of, type_of
from ir.memory.memory_facts import is_change
from ir.rewrite import blocks, free_of, walk
from ir.types import Scalar
from zyg.array_type import is_basic_index
from zyg.compiler.reverse.consuming import IN_PLACE
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.metadata import reads_metadata
from zyg.compiler.reverse.unset_variables import Unset
from zyg.cotangents import cotangent, cotangent_items
from zyg.held import keeping

# Sums of an array that is at hand and another one: in memory of their own.
_SUMS = (cotangent.add, cotangent.subtract)


def is_read_at_once(block: Block, copy: Call, changes: Callable[[Op], bool]) -> bool:
    """Whether all readers of a copy look at it before something changes, and keep nothing."""
    value = copy.result
    is_changed = False
    at = next(i for i, op in enumerate(block.ops) if op is copy)
    for op in block.ops[at + 1 :]:
        is_change_here = changes(op) or any(changes(o) for b in blocks_of(op) for o in walk(b))
        if value in free_of(op) and (is_changed or is_change_here or not _only_looks(op, value)):
            return False
        is_changed |= is_change_here
    return all(operand is not value for operand in exit_operands(block.exit))


def _only_looks(op: Op, value: Value) -> bool:
    """Whether an operation, and all in its blocks, keeps nothing of the memory that it reads."""
    for block in blocks_of(op):
        for inner in blocks(block):
            if any(operand is value for operand in exit_operands(inner.exit)):
                return False
            for o in inner.ops:
                is_read = any(operand is value for operand in operands_of(o))
                if is_read and not _keeps_nothing(o, value):
                    return False
    is_read = any(operand is value for operand in operands_of(op))
    return not is_read or _keeps_nothing(op, value)


def _keeps_nothing(op: Op, value: Value) -> bool:
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    callee = op.callee.value
    if facts.is_fresh(op) or facts.is_metadata(callee) or callee in _SUMS:
        return True
    if reads_metadata(op, value) or all(isinstance(result.type, Scalar) for result in op.results):
        return True
    return callee is cotangent_items.add_at and op.args[0] is not value


# Buffers of the adjoint


def read_buffers_in_place(body: Block, unset: Unset) -> None:
    """Lets a function, which writes in place by now, look at parts of cotangents uncopied."""
    for block in blocks(body):
        for op in block.ops:
            if isinstance(op, Call) and isinstance(op.callee, Const):
                _simplify_copy(block, op, op.callee.value, unset)


def _simplify_copy(block: Block, op: Call, callee: object, unset: Unset) -> None:
    if callee in (keeping.kept, cotangent.owned):
        is_same = is_array(type_of(op.args[0])) and op.result.type == type_of(op.args[0])
        if is_same and op.args[0] not in unset:
            op.callee = Const(np.ndarray.copy)
    elif callee is cotangent_items.taken and is_array(op.result.type):
        if is_array(type_of(op.args[0])) and is_basic_index(type_of(op.args[1])):
            is_look = is_read_at_once(block, op, _writes)
            op.callee = Const(operator.getitem if is_look else cotangent_items.copied)


def _writes(op: Op) -> bool:
    callee = op.callee.value if isinstance(op, Call) and isinstance(op.callee, Const) else None
    return id(callee) in IN_PLACE or is_change(op)
