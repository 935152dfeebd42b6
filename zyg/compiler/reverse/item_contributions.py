"""What the items of containers contribute to the cotangents of these, and where it can go.

    table_bar = add_at(table_bar, i, one_hot(v, row, j))     table_bar[i][j] += v

    part_bar = taken(table_bar, i)                           t = table_bar[i][j]
    t = taken(part_bar, j)                             ->    table_bar[i][j] = 0.0
    rest = cleared(table_bar, i)
    table_bar = add_at(rest, i, cleared(part_bar, j))

A table is a list of lists, or a dict of lists, with a number at each place: nothing in it is a
structural zero.
"""

from __future__ import annotations

import operator
from typing import TypeAlias

from ir import primitives
from ir.core import Call, Const, If, Operand, Value, Yield, type_of
from ir.inference.typed_branches import is_same_operand
from ir.types import Dict, Known, Scalar, Sequence, Tuple, Type, class_of
from zyg.compiler.reverse.algebra import Algebra
from zyg.compiler.reverse.cotangent_types import NONE, is_none, is_numeric
from zyg.cotangents import cotangent, cotangent_items, cotangent_places
from zyg.cotangents.cotangent_places import add_in, cleared_in, with_place_in, without_place_in
from zyg.facts.cotangent_facts import is_sum_of_numbers
from zyg.facts.cotangent_place_facts import is_list_of_places, is_nested_place

_CHANGES = (
    cotangent_items.add_at, cotangent_items.cleared,
    cotangent_items.without_last, cotangent_items.with_place,
    cotangent_places.add_in, cotangent_places.cleared_in,
    cotangent_places.without_place_in, cotangent_places.with_place_in,
)
# What was done to a place of a number in a cotangent: its path; the function, and what was added.
_Change: TypeAlias = tuple[list[Operand], object, list[Operand]]


class ItemContributions(Algebra):
    """Builds sums of cotangents that are zero but for an item."""

    def _one_hot(self, operand: Operand) -> Call | None:
        raise AssertionError("given by Accumulation")

    def plus(self, a: Operand, b: Operand, like: Operand) -> Operand:
        raise AssertionError("given by Accumulation")

    def nested_sum(
        self, bars: Operand, contribution: Operand, hot: Call | None
    ) -> Operand | None:
        """The sum of the cotangent of a table and that of one of its rows, number by number."""
        added = self._numbers_in(contribution)
        if added is not None:
            return self._changed(bars, added)
        if hot is None:
            return None
        index = hot.args[2]
        row, in_row = self._changes(hot.args[0])
        taken = self._call_of(row, cotangent_items.taken)
        if taken is None or not is_same_operand(taken.args[1], index):
            return None
        rest, elsewhere = self._changes(bars, until_cleared=True)
        cleared = self._call_of(rest, cotangent_items.cleared)
        if cleared is None or not all(map(is_same_operand, cleared.args, taken.args)):
            return None
        # The row goes back to where it was, and has never left.
        return self._changed(taken.args[0], [*_below(index, in_row), *elsewhere])

    def _numbers_in(self, contribution: Operand) -> list[_Change] | None:
        """The numbers that a cotangent has, which is zero elsewhere."""
        base, found = self._changes(contribution)
        if any(function is not add_in for _, function, _ in found):
            return None
        deep = self._call_of(base, cotangent_places.one_hot_in)
        if deep is not None:
            return [(deep.args[2:], add_in, deep.args[:1]), *found]
        hot = self._one_hot(base)
        if hot is None:
            return None
        if is_sum_of_numbers(type_of(hot.args[0])):
            return [([hot.args[2]], add_in, hot.args[:1]), *found]
        inside = self._numbers_in(hot.args[0])
        return None if inside is None else [*_below(hot.args[2], inside), *found]

    def _changes(
        self, operand: Operand, until_cleared: bool = False
    ) -> tuple[Operand, list[_Change]]:
        """What a cotangent was, and what was done to single numbers of it since."""
        found: list[_Change] = []
        while (change := self._change_of(operand)) is not None:
            function, [before, *args] = change
            changes: list[_Change] | None
            match function, args:
                case cotangent_places.add_in | cotangent_places.with_place_in, [value, *path]:
                    changes = [(path, function, [value])]
                case cotangent_places.cleared_in | cotangent_places.without_place_in, path:
                    changes = [(path, function, [])]
                case cotangent_items.cleared, [index]:
                    changes = None if until_cleared else [([index], cleared_in, [])]
                case cotangent_items.without_last, []:
                    changes = [([Const(-1)], without_place_in, [])]
                case cotangent_items.with_place, [index, zero]:
                    changes = [([index], with_place_in, [zero])]
                case _:
                    index, value = args
                    changes = [([index], add_in, [value])]
                    if not is_sum_of_numbers(type_of(value)):
                        numbers = self._numbers_in(value)
                        changes = None if numbers is None else _below(index, numbers)
            if changes is None:
                break
            found = [*changes, *found]
            operand = before
        return operand, found

    def _change_of(self, operand: Operand) -> tuple[object, list[Operand]] | None:
        """The function that has changed a cotangent, and its operands."""
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return None
        return (op.callee.value, op.args) if op.callee.value in _CHANGES else None

    def _changed(self, bars: Operand, changes: list[_Change]) -> Operand | None:
        """The cotangent of a table with some of its numbers changed; None if they aren't known."""
        if not all(len(path) > 1 for path, _, _ in changes):
            return None
        for path, function, values in changes:
            moves = function in (with_place_in, without_place_in)
            is_place = is_list_of_places if moves else is_nested_place
            if not is_place(type_of(bars), list(map(type_of, path))):
                return None
            if not all(is_sum_of_numbers(type_of(value)) for value in values):
                return None
        for path, function, values in changes:
            bars = self.call(function, bars, *values, *path)
        return bars

    def read_within(self, bars: Operand, index: Operand) -> Operand | None:
        """The number at an index of a row that was taken from a table, without the row."""
        path = [index]
        while (taken := self._call_of(bars, cotangent_items.taken)) is not None:
            bars = taken.args[0]
            path.insert(0, taken.args[1])
        types = list(map(type_of, path))
        if len(path) == 1 or not (
            is_nested_place(type_of(bars), types) or is_list_of_places(type_of(bars), types)
        ):
            return None
        return self.call(cotangent_places.item_in, bars, *path)

    def is_item_of_list(self, hot: Call) -> bool:
        type_, index = type_of(hot.args[1]), type_of(hot.args[2])
        is_item = isinstance(index, Scalar | Known) and class_of(index) is int
        return is_item and isinstance(type_, Sequence) and type_.cls is list

    def _hot_unless_none(self, operand: Operand) -> Call | None:
        """The call in `one_hot(bar, like, index) if bar is not None else None`.

        Adding at an index adds nothing for a cotangent that is None.
        """
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if not isinstance(op, If):
            return None
        k = next(i for i, result in enumerate(op.results) if result is operand)
        yielded = [b.exit.values[k] for b in op.blocks if isinstance(b.exit, Yield)]
        if len(yielded) != 2:
            return None
        inner, other = yielded
        hot = next(
            (
                call for call in op.then.ops
                if isinstance(call, Call) and inner in call.results
                and isinstance(call.callee, Const) and call.callee.value is cotangent_items.one_hot
            ),
            None,
        )
        test = self._call_of(op.cond, operator.is_not)
        if hot is None or test is None or not is_none(other) or test.args[0] is not hot.args[0]:
            return None
        own = {value for each in op.then.ops for value in each.results}
        return None if own.intersection(a for a in hot.args if isinstance(a, Value)) else hot

    def _hot_item(self, operand: Operand) -> tuple[int, Operand] | None:
        """The index and cotangent of the only item that a tuple of cotangents has."""
        hot = self._one_hot(operand)
        if hot is None or not isinstance(hot.args[2], Const):
            return None
        type_, index = type_of(operand), hot.args[2].value
        if not isinstance(type_, Tuple) or type(index) is not int:
            return None
        return index % len(type_.items), hot.args[0]

    def items_of_sum(self, operand: Operand) -> list[Operand] | None:
        """The items of a tuple of cotangents that is built of them, or is a sum of single ones."""
        parts = self.parts(operand)
        if parts is not None:
            return parts
        hot, type_ = self._hot_item(operand), type_of(operand)
        if hot is not None and isinstance(type_, Tuple):
            return [hot[1] if i == hot[0] else NONE for i in range(len(type_.items))]
        both = self._call_of(operand, cotangent.accumulate)
        if both is None:
            return None
        first, second = map(self.items_of_sum, both.args)
        if first is None or second is None or len(first) != len(second):
            return None
        return [self.plus(a, b, NONE) for a, b in zip(first, second, strict=True)]

    def with_all_fields(self, operand: Operand, type_: Dict) -> Operand:
        """A dict of cotangents as it is, where it is the sum of single ones for all its keys."""
        fields = self._fields_of_sum(operand)
        if fields is None or any(key not in fields for key, _ in type_.items):
            return operand
        pairs: list[Operand] = []
        for key, _ in type_.items:
            pairs += [Const(key), fields[key]]
        return self.call(primitives.build_dict, *pairs)

    def _fields_of_sum(self, operand: Operand) -> dict[object, Operand] | None:
        hot = self._call_of(operand, cotangent_items.one_hot)
        if hot is not None:
            bar, like, key = hot.args
            is_field = isinstance(type_of(like), Dict)
            return {key.value: bar} if is_field and isinstance(key, Const) else None
        both = self._call_of(operand, cotangent.accumulate)
        if both is None:
            return None
        first, second = map(self._fields_of_sum, both.args)
        if first is None or second is None:
            return None
        return {
            key: self.plus(first.get(key, NONE), second.get(key, NONE), NONE)
            for key in {**first, **second}
        }

    def _tuple_items(self, operand: Operand) -> list[Operand] | None:
        """The items of a tuple of cotangents of numbers; structural zeros beside a single one."""
        type_ = type_of(operand)
        if not isinstance(type_, Tuple) or not all(map(_is_scalar, type_.items)):
            return None
        hot = self._hot_item(operand)
        if hot is not None:
            return [hot[1] if i == hot[0] else NONE for i in range(len(type_.items))]
        parts = self.parts(operand)
        if parts is not None:
            return list(parts)
        return [
            self.call(operator.getitem, operand, Const(i)) for i in range(len(type_.items))
        ]


def _below(index: Operand, changes: list[_Change]) -> list[_Change]:
    """Changes of a row as those of the table that holds it."""
    return [([index, *path], function, values) for path, function, values in changes]


def _is_scalar(type_: Type) -> bool:
    return isinstance(type_, Scalar | Known) and is_numeric(type_)
