"""Which numbers of a table may be changed in place: those in rows that are the table's alone.

    for j in reversed(range(m)):                  for j in reversed(range(m)):
        bar = add_in(bar, v, i, j)          ->        bar[i][j] += v

The cotangent of a list of lists has to own the lists that it holds as well as itself. So a row that
is read from it is another name of its memory, and a row that is put into it stays what it was.
"""

from __future__ import annotations

import operator
from typing import TypeGuard

from ir import facts
from ir.core import Block, Call, Const, Op, Operand, Value, type_of
from ir.rewrite import blocks, walk
from ir.types import Mapping, Scalar, Sequence, Tuple, Type, Union
from zyg.compiler.reverse.consuming import (
    add_in_into,
    drop_place_into,
    insert_place_into,
    set_in_into,
)
from zyg.compiler.reverse.cotangent_types import is_numeric
from zyg.compiler.reverse.ownership import Ownership, handed_by, zero_of
from zyg.cotangents import cotangent, cotangent_items, cotangent_places
from zyg.facts.cotangent_facts import holds_numbers, is_table

_IN_PLACE = {
    cotangent_places.add_in: add_in_into, cotangent_places.without_place_in: drop_place_into,
    cotangent_places.with_place_in: insert_place_into, cotangent_places.cleared_in: set_in_into,
}
_CHANGES = (*_IN_PLACE, *_IN_PLACE.values())
# Of these, what is left of the rows is in the result.
_OF_ROWS = (
    cotangent_items.cleared, cotangent_items.without_last, cotangent_places.cleared_to,
    cotangent_places.without_key, cotangent_items.cycled_back,
)
_OF_TABLES = frozenset(map(id, (*_CHANGES, *_OF_ROWS)))
_NEW = (cotangent.zeros_like, cotangent_places.owned_within, cotangent_places.one_hot_in)


def reuse_tables(body: Block, taken: set[Value], gives: tuple[int, ...]) -> None:
    """Lets changes of single numbers of tables write in place, where nobody can tell.

    `taken` and `gives` are as for `reuse_buffers`.
    """
    if not gives and not any(_concerns_tables(op) for op in walk(body)):
        return
    ownership = _TableOwnership(body, taken)
    ownership.convert(body)
    ownership.hand_over(body, gives)
    ownership.insert_copies(body)


def _concerns_tables(op: Op) -> bool:
    """Whether an operation changes a table, or hands one over."""
    return type(op) is Call and type(op.callee) is Const and (
        id(op.callee.value) in _OF_TABLES or bool(handed_by(op).takes)
    )


class _TableOwnership(Ownership):
    """Whose memory a cotangent is, with all that it holds."""

    copy = staticmethod(cotangent_places.owned_within)

    def __init__(self, body: Block, taken: set[Value]) -> None:
        super().__init__(body, taken)
        self._popped = self._last_rows(body)

    def looks_after(self, type_: Type) -> bool:
        return not super().looks_after(type_)

    def _last_rows(self, body: Block) -> set[Value]:
        """The last rows of tables that are read just to be dropped: each is its reader's own.

            value_bar = rows_bar[-1]
            rows_bar = without_last(rows_bar)
        """
        found = set()
        for block in blocks(body):
            last: dict[Operand, Value] = {}
            for op in block.ops:
                if _calls(op, operator.getitem) and _is_last(op.args[1]):
                    last[op.args[0]] = op.result
                elif _calls(op, cotangent_items.without_last):
                    (rows,) = op.args
                    if rows in last and isinstance(rows, Value) and self._uses[rows] == 2:
                        found.add(last[rows])
        return found

    def _convert_call(self, op: Call) -> None:
        callee = op.callee.value if isinstance(op.callee, Const) else None
        if callee not in _IN_PLACE:
            return
        buffer = op.args[0]
        if not self._is_linear(buffer) or not self._is_owned(buffer, frozenset()):
            return
        if type_of(op.result) != type_of(buffer):
            return
        if callee is not cotangent_places.cleared_in:
            op.callee = Const(_IN_PLACE[callee])
            return
        path = op.args[1:]
        from zyg.facts.cotangent_place_facts import is_nested_place  # few programs need it

        if is_nested_place(type_of(buffer), list(map(type_of, path))):
            zero = zero_of(_leaf(type_of(buffer), len(path)))
            op.callee, op.args = Const(set_in_into), [buffer, Const(zero), *path]

    def _is_made(self, call: Call, assumed: frozenset[Value]) -> bool:
        callee = call.callee.value if isinstance(call.callee, Const) else None
        if callee in _NEW:
            return True
        if not self._popped.isdisjoint(call.results):
            return self._is_own(call.args[0], assumed)
        if callee in _CHANGES or callee in _OF_ROWS:
            return self._is_own(call.args[0], assumed)
        if callee is cotangent_items.add_at:
            # To a row of numbers another one is added in a new list.
            is_sum = is_table(type_of(call.args[0])) and call.result.type == type_of(call.args[0])
            is_new = is_sum or self._fits(call.args[2], assumed)
            return self._is_own(call.args[0], assumed) and is_new
        if callee is cotangent_items.one_hot:
            return self._fits(call.args[0], assumed)
        if callee is cotangent_items.taken:  # a copy of the row
            return holds_numbers(type_of(call.args[0])) or holds_numbers(type_of(call.result))
        return False

    def _is_own(self, operand: Operand, assumed: frozenset[Value]) -> bool:
        return self._is_owned(operand, assumed) and self._is_linear(operand)

    def _fits(self, item: Operand, assumed: frozenset[Value]) -> bool:
        """Whether what is put into a table is nobody else's from there on."""
        return is_numeric(type_of(item)) or self._is_own(item, assumed)

    def only_looks(self, op: Op) -> bool:
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return False
        callee = op.callee.value
        if not self._popped.isdisjoint(op.results):
            return True
        if len(op.results) != 1:
            return False
        if callee is cotangent_items.taken and holds_numbers(op.result.type):
            return True
        is_read = callee in (cotangent_items.taken, cotangent_places.item_in, operator.getitem)
        return facts.is_metadata(callee) or (is_read and _is_number(op.result.type))


def _calls(op: Op, callee: object) -> TypeGuard[Call]:
    return isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee


def _is_last(index: Operand) -> bool:
    return isinstance(index, Const) and index.value == -1


def _is_number(type_: Type) -> bool:
    """Whether a value is a number, or a tuple of such: an array would be memory of what it was
    read from."""
    match type_:
        case Union(members):
            return all(map(_is_number, members))
        case Tuple(items):
            return all(map(_is_number, items))
        case _:
            return isinstance(type_, Scalar)


def _leaf(bars: Type, depth: int) -> Type:
    for _ in range(depth):
        assert isinstance(bars, Sequence | Mapping)
        bars = bars.item
    return bars
