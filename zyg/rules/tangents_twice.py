"""Rules of the algebra of tangents: what a reverse pass over tangent code meets.

All of it is linear in the tangents. What walks over items gives an iterator that is read once; the
cotangent of that is the list of the cotangents of its items.
"""

from __future__ import annotations

from zyg.arrays.joined_arrays import joined
from zyg.cotangents.cotangent import from_items, realness_of, unbroadcast
from zyg.cotangents.cotangent_items import (
    before_push,
    cleared,
    first_part,
    item,
    last_part,
    one_hot,
    position_of,
    stored_bar,
    taken,
    with_gap,
    without_item,
    without_last,
)
from zyg.cotangents.cotangent_places import without_key
from zyg.cotangents.cotangent_views import cleared_view, placed_view, taken_view
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable
from zyg.held.readers import read_once
from zyg.rules.changes import before_splice, spliced_bar
from zyg.rules.collection_classes import added_bar, remaining_bars, rotated_back
from zyg.rules.creation import array_bar
from zyg.rules.iteration import column
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import linear
from zyg.rules.tangent_registry import tangent as tangent_of_call
from zyg.tangents import tangent
from zyg.tangents.tangent_sets import order_of, regrouped_tangent


@adjoint(tangent.placed)
def placed(items_dot, index, value_dot):
    def back(bar):
        value_bar = stored_bar(taken(bar, index), value_dot, items_dot)
        return cleared(bar, index), None, None if value_dot is None else value_bar

    return tangent.placed(items_dot, index, value_dot), back


@adjoint(placed_view)
def placed_view_(items_dot, view, part_dot, args):
    def back(bar):
        items_bar = realness_of(items_dot, cleared_view(bar, view, args))
        part_bar = stored_bar(taken_view(bar, view, args), part_dot, items_dot)
        return items_bar, None, None if part_dot is None else part_bar, None

    return placed_view(items_dot, view, part_dot, args), back


@adjoint(tangent.spliced_tangent)
def spliced(items_dot, index, values_dot):
    length, count = len(items_dot), len(values_dot)

    def back(bar):
        return before_splice(bar, index, length, count), None, spliced_bar(
            bar, index, length, count
        )

    return tangent.spliced_tangent(items_dot, index, values_dot), back


@adjoint(tangent.part_of)
def part_of(items_dot, index):
    return tangent.part_of(items_dot, index), lambda bar: (one_hot(bar, items_dot, index), None)


@adjoint(tangent.copy_of)
def copy_of(dot):
    return tangent.copy_of(dot), lambda bar: (bar,)


@adjoint(tangent.with_last)
def with_last(items_dot, value_dot):
    y = tangent.with_last(items_dot, value_dot)
    return y, lambda bar: (without_last(bar), bar[-1])


@adjoint(regrouped_tangent)
def regrouped(y, before, method, member, members_dot, member_dot):
    after = order_of(y)
    among = member if member_dot is None or method != "symmetric_difference_update" else (
        order_of(member)
    )

    def back(bar):
        members_bar = None if members_dot is None else remaining_bars(bar, before, after)
        added = None if member_dot is None else added_bar(bar, before, after, method, among)
        return None, None, None, None, members_bar, added

    return regrouped_tangent(y, before, method, member, members_dot, member_dot), back


@adjoint(tangent.tangent_or_zero)
def tangent_or_zero(dot, x):
    y = tangent.tangent_or_zero(dot, x)
    return y, lambda bar: (None if dot is None else bar, None)


@adjoint(tangent.stored_tangent)
def stored_tangent(value_dot, items):
    y = tangent.stored_tangent(value_dot, items)
    return y, lambda bar: (bar if tangent.stores_floats(items) else None, None)


@adjoint(tangent.spread)
def spread(dot, like):
    return tangent.spread(dot, like), lambda bar: (unbroadcast(bar, dot), None)


@adjoint(tangent.picked)
def picked(dot, key, value):
    return tangent.picked(dot, key, value), lambda bar: (picked_bar(bar, dot, key), None, None)


def picked_bar(bar, dot, key):
    if dot is None:
        return None
    if isinstance(dot, dict):
        return {key: bar} if dot.get(key) is not None else None
    return one_hot(bar, dot, key)


@adjoint(tangent.tangent_items)
def tangent_items(dot, items):
    y = tangent.tangent_items(dot, items)
    return y, lambda bar: (None if tangent.lacks_items(dot, items) else from_items(bar, dot), None)


@adjoint(tangent.listed)
def listed(y, dot, items):
    found = tangent.listed(y, dot, items)
    return found, lambda bar: (None, None if dot is None else from_items(bar, dot), None)


@adjoint(tangent.settled_tangent)
def settled_tangent(dot, items):
    y = tangent.settled_tangent(dot, items)
    return y, lambda bar: (None if dot is None else from_items(bar, dot), None)


@adjoint(tangent.values_tangent)
def values_tangent(mapping, dot):
    y = tangent.values_tangent(mapping, dot)
    return y, lambda bar: (None, of_values(bar, mapping, dot))


@adjoint(tangent.items_tangent)
def items_tangent(mapping, dot):
    y = tangent.items_tangent(mapping, dot)
    return y, lambda bar: (None, of_values(column(bar, 1), mapping, dot))


def of_values(bars, mapping, dot):
    """The cotangent of the tangent of a mapping, from those of its values in order."""
    if bars is None or dot is None:
        return None
    unless_followed(dot)
    return {
        key: bar for key, bar in zip(mapping, bars, strict=True) if dot.get(key) is not None
    }


def unless_followed(dot):
    """Raises for the tangent of what an object holds, whose items stand elsewhere."""
    if not isinstance(dot, dict):
        raise NotDifferentiable("a derivative of the tangent of a dict that an object holds")


constant(unless_followed, is_sparse)


@adjoint(tangent.without)
def without(items_dot, index):
    y = tangent.without(items_dot, index)
    return y, lambda bar: (with_gap(bar, index, items_dot), None)


@adjoint(tangent.extended_by)
def extended_by(items_dot, more_dot, items):
    count = len(items_dot)

    def back(bar):
        more_bar = None if more_dot is None else from_items(last_part(bar, count), more_dot)
        return first_part(bar, count), more_bar, None

    return tangent.extended_by(items_dot, more_dot, items), back


@adjoint(tangent.moved_within)
def moved_within(dot, key, last):
    return tangent.moved_within(dot, key, last), lambda bar: (bar, None, None)


@adjoint(tangent.changed)
def changed(dot, method, *args):
    y = tangent.changed(dot, method, *args)
    return y, lambda bar: bars_of_change(bar, dot, method, args)


def bars_of_change(bar, dot, method, args):
    """The cotangents of a tangent and of what one of its methods puts into it."""
    if method == "clear":
        return None, None
    if method == "rotate":
        return rotated_back(bar, args[0]), None, None
    if method == "insert":
        position = position_of(args[0], dot)
        return without_item(bar, position), None, None, given(bar, position, args[1])
    if method == "setdefault":
        is_new = args[0] not in dot
        from_value = given(bar, args[0], args[1]) if is_new else None
        return (without_key(bar, args[0]) if is_new else bar), None, None, from_value
    position = -1 if method == "append" else 0
    from_value = None if dot.maxlen == 0 else given(bar, position, args[0])
    return before_push(bar, position, dot.maxlen == len(dot)), None, from_value


def given(bar, key, value_dot):
    return None if value_dot is None else item(bar, key)


@adjoint(tangent.enumerated)
def enumerated(dots):
    y = read_once(tangent.enumerated, dots)
    return y, lambda bar: (from_items(column(bar, 1), dots),)


@adjoint(tangent.zipped)
def zipped(*both):
    count = len(both) // 2
    y = read_once(tangent.zipped, *both)

    def back(bar):
        bars = [
            None if both[count + i] is None else from_items(column(bar, i), both[count + i])
            for i in range(count)
        ]
        return *(None,) * count, *bars

    return y, back


@adjoint(tangent.summed)
def summed(y, items, rest):
    own = with_dots_read(rest)
    return tangent.summed(y, items, own), lambda bar: (None, None, summed_bar(bar, own))


def with_dots_read(rest):
    """The same with a list in the place of an iterator of the tangents of items."""
    count = len(rest) // 2
    dots = rest[count]
    is_iterator = hasattr(dots, "__next__")
    return (*rest[:count], list(dots), *rest[count + 1 :]) if is_iterator else rest


def summed_bar(bar, rest):
    """The cotangents of (start,) items_dot(, start_dot); the first half has none."""
    count = len(rest) // 2
    start_bar = [] if len(rest) == 1 or rest[-1] is None else [unbroadcast(bar, rest[-1])]
    bars = [None for _ in rest[:count]] + [shared(bar, rest[count])] + start_bar
    return *bars, *(None,) * (len(rest) - len(bars))


def shared(bar, dots):
    """The cotangent of the items of a sum."""
    if dots is None:
        return None
    return from_items([None if dot is None else unbroadcast(bar, dot) for dot in dots], dots)


@adjoint(joined)
def joined_(dot, like, y):
    return joined(dot, like, y), lambda bar: (array_bar(bar, like, y.dtype), None, None)


for _callee in (
    tangent.part_of, tangent.copy_of, tangent.tangent_or_zero, tangent.stored_tangent,
    tangent.spread, tangent.picked, tangent.tangent_items, tangent.settled_tangent,
    tangent.enumerated, tangent.without, tangent.moved_within, joined,
):
    linear(_callee, 0)
linear(tangent.listed, 1)
linear(tangent.values_tangent, 1)
linear(tangent.items_tangent, 1)
linear(tangent.extended_by, (0, 1))
linear(tangent.placed, (0, 2))
linear(tangent.spliced_tangent, (0, 2))
linear(placed_view, (0, 2))
linear(tangent.with_last, (0, 1))
linear(regrouped_tangent, (4, 5))


@tangent_of_call(tangent.zipped)
def zipped_again(y, *both):
    args, dots = both[: len(both) // 2], both[len(both) // 2 :]
    count = len(args) // 2
    return tangent.zipped(*args[:count], *dots[count:])


@tangent_of_call(tangent.changed)
def changed_again(y, dot, method, *rest):
    count = len(rest) // 2 - 1
    args, dots = rest[:count], rest[count:]
    if method in ("clear", "rotate"):
        return tangent.changed(dots[0], method, *args)
    return tangent.changed(dots[0], method, *args[:-1], dots[-1])
