"""What inference knows about cotangents of containers of which items are read, stored or moved."""

from __future__ import annotations

import operator
from collections import OrderedDict
from typing import TYPE_CHECKING

from ir import facts
from ir.core import Call, Const, Operand, type_of
from ir.late import late
from ir.library.fact_rules import NONE, call_type, declare
from ir.types import TOP, Dict, Iterator, Known, Mapping, Sequence, Tuple, Type, Union, join, widen
from zyg.array_type import Array, is_basic_index, is_number
from zyg.cotangents import cotangent, cotangent_items, cotangent_places
from zyg.facts.cotangent_facts import (
    holds_numbers,
    is_numeric,
    is_place_of_number,
    is_table,
    zeros_type,
)
from zyg.facts.numpy_facts import is_real

if TYPE_CHECKING:
    from zyg.facts import cotangent_place_facts as place_facts
else:  # it is for tables: rows in lists and dicts
    place_facts = late("zyg.facts.cotangent_place_facts")

facts.late(
    "zyg.facts.cotangent_place_facts", cotangent_places.item_in, cotangent_places.found_in,
    cotangent_places.add_in, cotangent_places.cleared_in, cotangent_places.row_at,
    cotangent_places.cleared_to, cotangent_places.without_key, cotangent_places.with_key,
    cotangent_places.without_place_in, cotangent_places.with_place_in,
    cotangent_places.owned_within, cotangent_places.one_hot_in,
)

@declare(cotangent_items.add_at)
def add_at(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (Array() as bar, _, _):
            return bar
        case (Sequence(cls, item) as bar, index, value) if is_place_of_number(bar, index):
            return Sequence(cls, join(item, call_type(operator.add, item, value)))
        case (Mapping(cls, key, item) as bar, index, value) if holds_numbers(bar):
            return Mapping(cls, key, join(item, call_type(operator.add, item, value)))
        case (Sequence(item=item) as bar, index, value) if (
            place_facts.row_type(bar, [index]) is not None
        ):
            return Sequence(list, place_facts.sum_of_rows(item, value))
        case (Mapping(cls, key, item), _, value):
            return Mapping(cls, key, place_facts.sum_of_rows(item, value))
        case (Sequence(cls), _, _) if cls is list:
            return Sequence(list, TOP)
        case _:
            return TOP


@declare(cotangent_items.taken)
def taken(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return call_type(operator.getitem, *args) if _has_items(args[0]) else TOP


@facts.fold(cotangent_items.taken)
def fold_taken(call: Call) -> Call | None:
    """A number is nobody's memory: it is just read."""
    bar, index = map(type_of, call.args)
    is_number_there = is_number(taken((bar, index), {})) and is_basic_index(index)
    if (isinstance(bar, Array) and is_number_there) or is_place_of_number(bar, index):
        return Call(Const(operator.getitem), call.args, {}, call.results, call.loc)
    return None


@declare(cotangent_items.cleared)
def cleared(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (Array() as bar, _):
            return bar
        case (Sequence(cls), _) if cls is list:
            return args[0] if holds_numbers(args[0]) else Sequence(list, TOP)
        case (Mapping(cls, key) as bar, _):
            return bar if holds_numbers(bar) else Mapping(cls, key, TOP)
        case _:
            return TOP


@declare(cotangent_items.stored_bar)
def stored_bar(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) == 3 and isinstance(args[2], Array):
        if args[2].dtype.kind not in "fc":
            return NONE
        if is_numeric(args[1]):
            return call_type(cotangent.unbroadcast, args[0], args[1])
        return TOP
    is_plain = isinstance(args[2], Sequence | Dict | Mapping) if len(args) == 3 else False
    return args[0] if is_plain else TOP


def _are_real(type_: Type) -> bool:
    """Whether a value is a real number, if of more than one class."""
    if isinstance(type_, Union):
        return all(map(_are_real, type_.members))
    return is_number(type_) and is_real(widen(type_))


@facts.fold(cotangent_items.stored_bar)
def fold_stored_bar(call: Call) -> Operand | Call | None:
    bar, value, items = map(type_of, call.args)
    if isinstance(items, Sequence | Dict | Mapping):
        return call.args[0]
    if not isinstance(items, Array):
        return None
    if items.dtype.kind not in "fc":
        return Const(None)
    if is_number(bar) and is_real(bar) and _are_real(value):
        return call.args[0]
    if is_numeric(value) and not isinstance(bar, Known):
        return Call(Const(cotangent.unbroadcast), call.args[:2], {}, call.results, call.loc)
    return None


@declare(cotangent_items.without_last)
def without_last(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0] if len(args) == 1 and isinstance(args[0], Sequence) else TOP


@declare(cotangent_items.cycled_back)
def cycled_back(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0] if isinstance(args[0], Sequence) else TOP


facts.pure(cotangent_items.cycled_back)
facts.fresh(cotangent_items.cycled_back)


@declare(cotangent_items.with_numbers)
def with_numbers(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return zeros_type(args[1]) if len(args) == 2 else TOP


facts.pure(cotangent_items.with_numbers)
facts.fresh(cotangent_items.with_numbers)


@declare(cotangent_items.with_place)
def with_place(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 3 or not isinstance(args[0], Sequence):
        return TOP
    return Sequence(list, join(args[0].item, widen(args[2])))


@declare(cotangent_items.before_push)
def before_push(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) not in (3, 4) or not isinstance(args[0], Sequence):
        return TOP
    return Sequence(list, join(args[0].item, widen(args[3]) if len(args) == 4 else NONE))


@declare(cotangent_items.item)
def item_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return call_type(operator.getitem, *args) if _has_items(args[0]) else TOP


def _has_items(bar: Type) -> bool:
    """Whether a cotangent is no structural zero, and has all items."""
    return isinstance(bar, Array | Sequence | Tuple) or holds_numbers(bar) or is_table(bar)


@facts.fold(cotangent_items.item)
def fold_item(call: Call) -> Call | None:
    """What is no structural zero has its items at hand."""
    if _has_items(type_of(call.args[0])):
        return Call(Const(operator.getitem), call.args, {}, call.results, call.loc)
    return None


_VIEWS_OF_VALUES: tuple[type, ...] = (type({}.values()), type(OrderedDict[str, float]().values()))


@declare(cotangent.from_items, cotangent.from_reversed_items)
def from_items(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (Known(None), _):
            return NONE
        case (Sequence() | Tuple() as bars, Sequence(cls, item)) if cls in (list, tuple):
            # Zeros for what wasn't reached.
            return Sequence(cls, join(facts.item_of(bars), zeros_type(item)))
        case (Sequence() | Tuple(), Array() as like):
            return zeros_type(like)
        case (Sequence() | Tuple() as bars, Iterator(cls)) if cls in _VIEWS_OF_VALUES:
            return Sequence(list, join(facts.item_of(bars), NONE))
        case _:
            return TOP
