"""Rules of the algebra of tangents: what a reverse pass over tangent code meets.

All of it is linear in the tangents. What walks over items gives an iterator that is read once; the
cotangent of that is the list of the cotangents of its items.
"""

from __future__ import annotations

from zyg import tangent
from zyg.cotangent import from_items, unbroadcast
from zyg.cotangent_items import cleared, one_hot, stored_bar, taken, without_last
from zyg.iterators import read_once
from zyg.rules.iteration import column
from zyg.rules.registry import adjoint
from zyg.rules.tangent_registry import linear
from zyg.rules.tangent_registry import tangent as tangent_of_call


@adjoint(tangent.placed)
def placed(items_dot, index, value_dot):
    def back(bar):
        value_bar = stored_bar(taken(bar, index), value_dot, items_dot)
        return cleared(bar, index), None, None if value_dot is None else value_bar

    return tangent.placed(items_dot, index, value_dot), back


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
        return *[None for _ in range(count)], *bars

    return y, back


@adjoint(tangent.summed)
def summed(y, items, rest):
    return tangent.summed(y, items, rest), lambda bar: (None, None, summed_bar(bar, rest))


def summed_bar(bar, rest):
    """The cotangents of (start,) items_dot(, start_dot); the first half has none."""
    count = len(rest) // 2
    start_bar = [] if len(rest) == 1 or rest[-1] is None else [unbroadcast(bar, rest[-1])]
    bars = [None for _ in rest[:count]] + [shared(bar, rest[count])] + start_bar
    return (*bars, *[None for _ in rest[len(bars) :]])


def shared(bar, dots):
    """The cotangent of the items of a sum."""
    if dots is None:
        return None
    return from_items([None if dot is None else unbroadcast(bar, dot) for dot in dots], dots)


for _callee in (
    tangent.part_of, tangent.copy_of, tangent.tangent_or_zero, tangent.stored_tangent,
    tangent.spread, tangent.picked, tangent.tangent_items, tangent.settled_tangent,
    tangent.enumerated,
):
    linear(_callee, 0)
linear(tangent.listed, 1)
linear(tangent.placed, (0, 2))
linear(tangent.with_last, (0, 1))


@tangent_of_call(tangent.zipped)
def zipped_again(y, *both):
    args, dots = both[: len(both) // 2], both[len(both) // 2 :]
    count = len(args) // 2
    return tangent.zipped(*args[:count], *dots[count:])
