"""Which operations read of an array only its shape and dtype."""

from __future__ import annotations

import operator

import numpy as np

from ir import facts
from ir.core import Block, Call, Const, Op, Operand, Value, exit_operands, operands_of, type_of
from ir.rewrite import blocks, walk
from zyg.array_type import same_shape
from zyg.compiler.overwriting.written_values import written_values
from zyg.cotangents import cotangent, cotangent_items

# The position of the operand that is read for its shape alone.
READERS = {
    id(cotangent.zeros_like): 0,
    id(cotangent.unbroadcast): 1,
    id(cotangent_items.one_hot): 1,
    id(cotangent.materialised): 1,
    id(cotangent_items.kept_real): 1,
    id(cotangent_items.stored_bar): 2,
    id(cotangent.prototype): 0,
}
ELEMENTWISE = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg,
)


def reads_only_metadata(block: Block, value: Value) -> bool:
    """Whether every reader of a value in a block looks at its shape and dtype alone."""
    for inner in blocks(block):
        if any(operand is value for operand in exit_operands(inner.exit)):
            return False
    return all(
        reads_metadata(op, value) for op in walk(block) if any(o is value for o in operands_of(op))
    )


def reads_metadata(op: Op, value: Value) -> bool:
    """Whether an operation looks at the shape and dtype alone of a value that it reads."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    if facts.is_metadata(op.callee.value):
        return True
    position = READERS.get(id(op.callee.value))
    read = [i for i, arg in enumerate(op.args) if arg is value]
    return position is not None and read == [position]


def shapes_from_operands(body: Block) -> None:
    """Takes the shape of an elementwise result from an operand that has the same, in place.

    An operand that is changed in place may have another version by then, under its name.
    """
    made = {value: op for op in walk(body) for value in op.results}
    written: set[Value] | None = None
    for op in walk(body):
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is np.shape:
            if written is None:  # few programs ask
                written = written_values(body)
            op.args = [_source(op.args[0], made, written)]


def _source(operand: Operand, made: dict[Value, Op], written: set[Value]) -> Operand:
    op = made.get(operand) if isinstance(operand, Value) else None
    if not isinstance(op, Call) or not isinstance(op.callee, Const) or op.kwargs:
        return operand
    callee = op.callee.value
    if callee not in (*ELEMENTWISE, np.where) and not is_ufunc_of_items(callee):
        return operand
    for arg in op.args:
        if arg not in written and same_shape(type_of(arg), type_of(operand)):
            return arg
    return operand


def is_ufunc_of_items(callee: object) -> bool:
    """Whether a ufunc treats each item by itself: `np.matmul` is one that doesn't."""
    return isinstance(callee, np.ufunc) and callee.signature is None
