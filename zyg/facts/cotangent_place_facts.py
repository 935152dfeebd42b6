"""What inference knows about cotangents of what stands deep in containers."""

from __future__ import annotations

import operator
from collections.abc import Sequence as Items

from ir import facts
from ir.core import Call, Const, Operand, type_of
from ir.library.fact_rules import call_type, declare, is_int
from ir.types import TOP, Mapping, Sequence, Tuple, Type, join
from zyg.cotangents import cotangent_items, cotangent_places
from zyg.facts.cotangent_facts import (
    NONE,
    is_place_of_number,
    is_row,
    is_sum_of_numbers,
    is_table,
    zeros_type,
)

facts.pure(
    cotangent_places.item_in, cotangent_places.add_in, cotangent_places.cleared_in,
    cotangent_places.one_hot_in, cotangent_places.owned_within, cotangent_places.found_in,
    cotangent_places.row_at, cotangent_places.cleared_to, cotangent_places.without_place_in,
    cotangent_places.with_place_in, cotangent_places.without_key, cotangent_places.with_key,
)
facts.fresh(cotangent_places.owned_within, cotangent_places.one_hot_in)


def is_nested_place(bar: Type, path: Items[Type]) -> bool:
    """Whether there is a number at the end of a path into the cotangent of a table."""
    if len(path) == 1:
        return is_place_of_number(bar, path[0])
    row = row_type(bar, path[:-1])
    return row is not None and is_place_of_number(row, path[-1])


def row_type(bar: Type, path: Items[Type]) -> Type | None:
    """What stands at the end of a path into the cotangent of a table, if that is a row."""
    for index in path:
        if not is_table(bar):
            return None
        assert isinstance(bar, Sequence | Mapping)
        if isinstance(bar, Sequence) and not is_int(index):
            return None
        bar = bar.item
    return bar


@declare(cotangent_places.item_in)
def item_in(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    type_, *path = args
    for index in path:
        type_ = call_type(operator.getitem, type_, index)
    return type_


@declare(cotangent_places.found_in)
def found_in(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return item_in(args, kwargs) if is_nested_place(args[0], args[1:]) else TOP


@facts.fold(cotangent_places.found_in)
def fold_found_in(call: Call) -> Call | None:
    """Where numbers stand at all places there are no structural zeros."""
    bar, *path = map(type_of, call.args)
    if not is_nested_place(bar, path):
        return None
    return Call(Const(cotangent_places.item_in), call.args, {}, call.results, call.loc)


@declare(cotangent_places.add_in)
def add_in(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    bar, value, *path = args
    if not is_nested_place(bar, path) or not is_sum_of_numbers(value):
        return TOP
    return _added(bar, value, len(path))


def _added(bar: Type, value: Type, depth: int) -> Type:
    """The type of a cotangent of which one number, so deep in it, is a sum."""
    if depth == 0:
        return join(bar, call_type(operator.add, bar, value))
    assert isinstance(bar, Sequence | Mapping)
    item = _added(bar.item, value, depth - 1)
    return Mapping(bar.cls, bar.key, item) if isinstance(bar, Mapping) else Sequence(list, item)


def sum_of_rows(row: Type, other: Type) -> Type:
    """The type of the sum of cotangents of a row; nothing is known where one isn't numbers."""
    match row, other:
        case Sequence(_, item), Sequence(cls, more) if cls is list:
            total = sum_of_rows(item, more)
            return TOP if total == TOP else Sequence(list, total)
        case Mapping(_, key, item), Mapping(cls, keys, more) if cls is dict:
            total = sum_of_rows(item, more)
            return TOP if total == TOP else Mapping(dict, join(key, keys), total)
        case Tuple(items), Tuple(others) if len(items) == len(others):
            totals = tuple(map(sum_of_rows, items, others))
            return TOP if TOP in totals else Tuple(totals)
        case _ if is_sum_of_numbers(row) and is_sum_of_numbers(other):
            return join(row, call_type(operator.add, row, other))
        case _:
            return TOP


@declare(cotangent_places.cleared_in)
def cleared_in(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0] if is_nested_place(args[0], args[1:]) else TOP


@declare(cotangent_places.row_at)
def row_at(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    items, index = args
    row = row_type(items, [index])
    if row is None:
        return NONE
    return join(row, NONE) if isinstance(items, Mapping) else row


@facts.fold(cotangent_places.row_at)
def fold_row_at(call: Call) -> Operand | Call | None:
    row = row_at((*map(type_of, call.args),), {})
    if row == NONE:
        return Const(None)
    if row == join(row, NONE):
        return None
    return Call(Const(operator.getitem), call.args, {}, call.results, call.loc)


@declare(cotangent_places.cleared_to)
def cleared_to(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Known where `row_at` knows a row, and None stands for a key that wasn't there."""
    bar, _, before = args
    if before == NONE:
        return bar if isinstance(bar, Mapping) and is_table(bar) else TOP
    return bar if is_table(bar) and is_table(Sequence(list, before)) else TOP


@facts.fold(cotangent_places.cleared_to)
def fold_cleared_to(call: Call) -> Call | None:
    """What isn't seen to be a row is cleared to a structural zero, or to the number 0."""
    if type_of(call.args[2]) != NONE:
        return None
    return Call(Const(cotangent_items.cleared), call.args[:2], {}, call.results, call.loc)


@declare(cotangent_places.without_key)
def without_key(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0] if isinstance(args[0], Mapping) and is_table(args[0]) else TOP


@facts.fold(cotangent_places.without_key)
def fold_without_key(call: Call) -> Call | None:
    """In a dict of numbers, zero may stay where the key wasn't yet."""
    if without_key((*map(type_of, call.args),), {}) != TOP:
        return None
    return Call(Const(cotangent_items.cleared), call.args, {}, call.results, call.loc)


@declare(cotangent_places.with_key)
def with_key(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0] if isinstance(args[0], Mapping) and is_table(args[0]) else TOP


@declare(cotangent_places.without_place_in)
def without_place_in(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    bar, *path = args
    return bar if is_list_of_places(bar, path) else TOP


@declare(cotangent_places.with_place_in)
def with_place_in(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    bar, zero, *path = args
    if not is_list_of_places(bar, path):
        return TOP
    row = row_type(bar, path[:-1])
    assert isinstance(row, Sequence)
    if isinstance(row.item, Tuple):
        return bar if zero == row.item else TOP
    return _added(bar, zero, len(path)) if is_sum_of_numbers(zero) else TOP


def is_list_of_places(bar: Type, path: Items[Type]) -> bool:
    """Whether a list of numbers, or of tuples of them, is what a path leads into."""
    row = row_type(bar, path[:-1])
    return isinstance(row, Sequence) and is_row(row) and is_int(path[-1])


@declare(cotangent_places.owned_within)
def owned_within(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


@declare(cotangent_places.one_hot_in)
def one_hot_in(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    value, like, *path = args
    zeros = zeros_type(like)
    if not is_nested_place(zeros, path) or not is_sum_of_numbers(value):
        return TOP
    return _added(zeros, value, len(path))
