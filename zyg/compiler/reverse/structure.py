"""Which reads of an adjoint ask for the structure of a list only, which stores leave as it is.

    for i in range(n):                     for i in reversed(range(n)):
        total += table[i][0]                   table_bar = one_hot(t_bar, table, i)
        table[i][0] = x                        ...

`one_hot` asks how many zeros there are. The adjoint reads that of the list as it is at the end, in
the place of a copy of each version.
"""

from __future__ import annotations

from typing import Any

from ir import primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Op,
    Operand,
    Try,
    Value,
    Yield,
    blocks_of,
    exit_operands,
    operands_of,
    type_of,
)
from ir.rewrite import blocks, walk
from ir.types import Dict, Known, Scalar, class_of
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.cotangents import cotangent, cotangent_items, cotangent_places

# The operand of which these ask the structure.
_LIKE: dict[Any, int] = {
    cotangent_items.one_hot: 1, cotangent.materialised: 1, cotangent.from_items: 1,
    cotangent.from_reversed_items: 1, cotangent.listed: 1, cotangent_items.accumulate_item: 3,
    cotangent_places.one_hot_in: 1, cotangent_places.cleared_to: 2,
    cotangent.completed_container: 1, cotangent_items.with_numbers: 1,
}
_KEEPING = (
    primitives.written, primitives.overwritten, primitives.added_at, primitives.subtracted_at,
    primitives.stored_back,
)


def keeps_structure(op: Op) -> bool:
    """Whether a change in place leaves the lengths and keys of all containers, and what kind of
    value stands where."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    if op.callee.value in _KEEPING:
        return True
    if op.callee.value is not primitives.stored:
        return False
    items, index, value = map(type_of, op.args)
    if is_array(items):
        return True
    is_number = isinstance(value, Scalar) or (
        isinstance(value, Known) and isinstance(value.value, int | float | complex)
    )
    if isinstance(items, Dict):
        is_there = isinstance(index, Known) and index.value in dict(items.items)
        return is_number and is_there
    return is_number and class_of(items) is list and class_of(index) is int


class Reads:
    """Which operations of an adjoint read each value, and where a forward hands it on."""

    def __init__(self, forward: Block, adjoint: Block) -> None:
        self._handed_out: dict[Value, list[Value]] = {}
        self._readers: dict[Value, list[Op]] = {}
        self._yielded: set[Operand] = set()
        for op in walk(forward):
            skipped = 0 if isinstance(op, If | Try) else 1
            for body in blocks_of(op):
                if isinstance(body.exit, Yield):
                    values = body.exit.values[skipped:]
                    for result, operand in zip(op.results, values, strict=False):
                        if isinstance(operand, Value):
                            self._handed_out.setdefault(operand, []).append(result)
        for op in walk(adjoint):
            for operand in operands_of(op):
                if isinstance(operand, Value):
                    self._readers.setdefault(operand, []).append(op)
        for block in blocks(adjoint):
            self._yielded.update(exit_operands(block.exit))

    def only_structure(self, value: Value) -> bool:
        """Whether all that the adjoint asks of a value, or of the records that hold it, is this."""
        pending, seen = [value], set()
        while pending:
            found = pending.pop()
            if found in seen:
                continue
            seen.add(found)
            if found in self._yielded:
                return False
            pending += self._handed_out.get(found, [])
            for op in self._readers.get(found, []):
                following = _following(op, found)
                if following is None:
                    return False
                pending += following
        return True


def _following(op: Op, value: Value) -> list[Value] | None:
    """The values by which an operation of the adjoint reads on; None if it reads contents."""
    match op:
        case Call(callee=Const(callee)):
            if callee is reversed:
                return list(op.results)
            position = _LIKE.get(callee) if callee.__hash__ else None
            others = [arg for i, arg in enumerate(op.args) if i != position]
            is_like = position is not None and value not in others and not op.kwargs
            return [] if is_like else None
        case For():
            if value in op.init:
                return None
            return [
                item for item, iterable in zip(op.items, op.iterables, strict=True)
                if iterable is value
            ]
        case _:
            return None
