"""Rules of changes in place, which are functions from the object before to the object behind.

A store takes the cotangent of its place away from the container, where the earlier contents did
not matter: `v_bar = a_bar[i]; a_bar[i] = 0`.
"""

from __future__ import annotations

from ir import primitives
from zyg.cotangents.cotangent_items import (
    at_index,
    cleared,
    first_part,
    item,
    last_part,
    position_of,
    stored_bar,
    taken,
    with_gap,
    without_item,
    without_last,
)
from zyg.cotangents.cotangent_places import cleared_to, row_at
from zyg.facts.numpy_changes import added_at_each
from zyg.rules.registry import adjoint


@adjoint(primitives.stored)
def stored(items, index, value):
    before = row_at(items, index)

    def back(bar):
        place_bar = bar if index is Ellipsis else taken(bar, index)
        rest = None if index is Ellipsis else cleared_to(bar, index, before)
        return rest, None, stored_bar(place_bar, value, items)

    return primitives.stored(items, index, value), back


@adjoint(primitives.spliced)
def spliced(items, index, values):
    length, count = len(items), len(values)

    def back(bar):
        return before_splice(bar, index, length, count), None, spliced_bar(
            bar, index, length, count
        )

    return primitives.spliced(items, index, values), back


def before_splice(bar, index, length, count):
    """The cotangent of a list of some length before `count` values took the place of a slice."""
    if bar is None:
        return None
    positions = range(length)[index]
    if positions.step != 1:
        return [None if i in positions else bar[i] for i in range(length)]
    gone = [None for _ in positions]
    return [*bar[: positions.start], *gone, *bar[positions.start + count :]]


def spliced_bar(bar, index, length, count):
    """The cotangent of the values that took the place of a slice of a list."""
    if bar is None:
        return None
    positions = range(length)[index]
    if positions.step != 1:
        return [bar[i] for i in positions]
    return bar[positions.start : positions.start + count]


@adjoint(primitives.stored_back)
def stored_back(items, index, value):
    def back(bar):
        value_bar = stored_bar(taken(bar, index), value, items)
        return cleared(bar, index), None, value_bar

    return primitives.stored_back(items, index, value), back


@adjoint(primitives.overwritten)
def overwritten(items, value):
    return primitives.overwritten(items, value), lambda bar: (
        None, stored_bar(bar, value, items)
    )


@adjoint(primitives.written)
def written(items, index, part):
    def back(bar):
        part_bar = taken(bar, index)
        return cleared(bar, index), None, part_bar

    return primitives.written(items, index, part), back


@adjoint(primitives.added_at)
def added_at(items, index, value):
    return primitives.added_at(items, index, value), lambda bar: (
        bar, None, stored_bar(taken(bar, index), value, items)
    )


@adjoint(primitives.subtracted_at)
def subtracted_at(items, index, value):
    return primitives.subtracted_at(items, index, value), lambda bar: (
        bar, None, negative(stored_bar(taken(bar, index), value, items))
    )


def negative(bar):
    return None if bar is None else -bar


@adjoint(added_at_each)
def add_at_each(items, index, value):
    return added_at_each(items, index, value), lambda bar: (
        bar, None, stored_bar(None if bar is None else bar[index], value, items)
    )


@adjoint(primitives.deleted)
def deleted(items, index):
    return primitives.deleted(items, index), lambda bar: (with_gap(bar, index, items), None)


@adjoint(primitives.item_to_pop)
def item_to_pop(items, index):
    return primitives.item_to_pop(items, index), lambda bar: (at_index(bar, items, index), None)


@adjoint(primitives.appended)
def appended(items, value):
    def back(bar):
        value_bar = item(bar, -1)
        return without_last(bar), value_bar

    return primitives.appended(items, value), back


@adjoint(primitives.extended)
def extended(items, more):
    count = len(items)
    return primitives.extended(items, more), lambda bar: (
        first_part(bar, count), last_part(bar, count)
    )


@adjoint(primitives.inserted)
def inserted(items, index, value):
    position = position_of(index, items)
    return primitives.inserted(items, index, value), lambda bar: (
        without_item(bar, position), None, item(bar, position)
    )
