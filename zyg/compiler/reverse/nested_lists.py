"""Cotangents of nested lists that were made an array: entries of the cotangent of the array.

    T = np.array([[c, -s], [s, c]])        c_bar = T_bar[0, 0] + T_bar[1, 1]

So no list of cotangents is made of it, which would be taken apart again.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ir.core import Call, Const, Operand, Value, type_of
from ir.types import Type
from zyg.array_type import Array, is_number, rank_of
from zyg.cotangents import cotangent
from zyg.cotangents.cotangent_items import OF_NESTED


class Entries:
    """The cotangents of the items of a list, by the cotangent of its array."""

    def __init__(self, builder: Any, array: Operand, of_nested: Const) -> None:
        self._builder = builder
        self._array = array
        self._of_nested = of_nested

    def at(self, i: int, item: Value) -> Operand:
        """That of one item: a number, an array, or a list in turn."""
        entry: Operand = self._builder.call(operator.getitem, *self._index(i))
        if not _is_entry(item.type):
            found = self._builder.typed_call(self._of_nested, [entry, item], {}, ["t"], None)[0]
        else:
            found = self._builder.call(cotangent.unbroadcast, entry, item)
        assert isinstance(found, Value | Const)
        return found

    def _index(self, i: int) -> tuple[Operand, Const]:
        """What to index, and how: of a row the array that it is one of."""
        made = _call_of(self._builder, self._array, operator.getitem)
        if made is not None and isinstance(made.args[1], Const):
            index = made.args[1].value
            outer = index if isinstance(index, tuple) else (index,)
            if all(type(k) is int for k in outer) and isinstance(type_of(made.args[0]), Array):
                return made.args[0], Const((*outer, i))
        return self._array, Const(i)


def entries_of(builder: Any, bar: Operand, items: list[Operand]) -> Entries | None:
    """How the cotangents of the items of a list are entries of that of an array; None if the list
    wasn't made one."""
    made = builder.definitions.get(bar) if isinstance(bar, Value) else None
    if not isinstance(made, Call) or not isinstance(made.callee, Const):
        return None
    if made.callee.value not in OF_NESTED:
        return None
    depth = _depth_of(builder, items)
    array = made.args[0]
    reshaped = _call_of(builder, array, np.reshape)
    if reshaped is not None:
        array = reshaped.args[0]  # of the same shape, if it has as many dimensions
    is_known = depth is not None and rank_of(type_of(array)) == depth
    return Entries(builder, array, made.callee) if is_known else None


def _call_of(builder: Any, operand: Operand, callee: object) -> Call | None:
    made = builder.definitions.get(operand) if isinstance(operand, Value) else None
    if isinstance(made, Call) and isinstance(made.callee, Const) and made.callee.value is callee:
        return made
    return None


def _depth_of(builder: Any, items: list[Operand]) -> int | None:
    """How many dimensions the array has that a list of these items is made."""
    depths = set()
    for item in items:
        type_ = type_of(item)
        parts = None if _is_entry(type_) else builder.parts(item)
        if parts is not None:
            depths.add(_depth_of(builder, parts))
        elif is_number(type_) or (isinstance(item, Const) and isinstance(item.value, int | float)):
            depths.add(0)
        else:
            depths.add(rank_of(type_))
    (depth, *others) = depths or {None}
    return None if depth is None or others else depth + 1


def _is_entry(type_: Type) -> bool:
    return is_number(type_) or isinstance(type_, Array)
