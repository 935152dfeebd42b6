"""Rules of what generated adjoints are put together from, so that they can be differentiated again.

All of them are linear in the cotangents that they take; what else they take (an index, a value
whose shape is looked at) has no derivative.
"""

from __future__ import annotations

import numpy as np

from ir import primitives
from zyg.cotangents import cotangent, cotangent_items, cotangent_places, cotangent_returned
from zyg.cotangents.cotangent_items import one_hot
from zyg.cotangents.cotangent_places import (
    cleared_in,
    cleared_to,
    found_in,
    item_in,
    one_hot_in,
    row_at,
    with_key,
    with_place_in,
    without_place_in,
)
from zyg.rules.cotangents import projected_back, summand_bar
from zyg.rules.registry import adjoint, constant
from zyg.rules.sums import spread

constant(
    cotangent.zeros_like, cotangent.zeros_list, cotangent.prototype, cotangent.of_shape,
    cotangent_places.row_at,
)


@adjoint(primitives.alias)
def alias(value):
    return primitives.alias(value), lambda y_bar: (y_bar,)


@adjoint(primitives.read_captured)
def read_captured(function, name):
    return primitives.read_captured(function, name), lambda y_bar: ({name: y_bar}, None)


@adjoint(primitives.read_default)
def read_default(function, name, place=None):
    return primitives.read_default(function, name, place), lambda y_bar: ({name: y_bar}, None, None)


@adjoint(cotangent.add)
def add(a, b):
    # One of them may be spread by the sum itself, where that saves `np.broadcast_to`.
    return cotangent.add(a, b), lambda y_bar: (
        cotangent.unbroadcast(y_bar, a), cotangent.unbroadcast(y_bar, b)
    )


@adjoint(cotangent.subtract)
def subtract(a, b):
    return cotangent.subtract(a, b), lambda y_bar: (
        cotangent.unbroadcast(y_bar, a), cotangent.unbroadcast(-y_bar, b)
    )


@adjoint(cotangent_items.add_at)
def add_at(bar, index, value):
    return cotangent_items.add_at(bar, index, value), lambda y_bar: (
        cotangent_items.kept_real(y_bar, bar), None,
        summand_bar(cotangent_items.item(y_bar, index), value),
    )


@adjoint(cotangent_places.item_in)
def item_of_row(bar, *path):
    return cotangent_places.item_in(bar, *path), lambda y_bar: (
        one_hot_in(y_bar, bar, *path), *[None for _ in path]
    )


@adjoint(cotangent_places.add_in)
def add_to_row(bar, value, *path):
    return cotangent_places.add_in(bar, value, *path), lambda y_bar: (
        y_bar, summand_bar(found_in(y_bar, *path), value), *[None for _ in path]
    )


@adjoint(cotangent_places.cleared_in)
def cleared_row(bar, *path):
    return cotangent_places.cleared_in(bar, *path), lambda y_bar: (
        cleared_in(y_bar, *path), *[None for _ in path]
    )


@adjoint(cotangent_places.cleared_to)
def cleared_to_zeros(bar, index, before):
    row = row_at(bar, index)
    return cotangent_places.cleared_to(bar, index, before), lambda y_bar: (
        cleared_to(y_bar, index, row), None, None
    )


@adjoint(cotangent_places.without_key)
def key_left_out(bar, key):
    row = row_at(bar, key)
    return cotangent_places.without_key(bar, key), lambda y_bar: (
        with_key(y_bar, key, row), None
    )


@adjoint(cotangent_places.with_key)
def key_put_back(bar, key, before):
    return cotangent_places.with_key(bar, key, before), lambda y_bar: (
        cotangent_places.without_key(y_bar, key), None, None
    )


@adjoint(cotangent_places.without_place_in)
def without_place(bar, *path):
    zero = cotangent.zeros_like(item_in(bar, *path))
    return cotangent_places.without_place_in(bar, *path), lambda y_bar: (
        with_place_in(y_bar, zero, *path), *[None for _ in path]
    )


@adjoint(cotangent_places.with_place_in)
def with_place(bar, zero, *path):
    return cotangent_places.with_place_in(bar, zero, *path), lambda y_bar: (
        without_place_in(y_bar, *path), None, *[None for _ in path]
    )


@adjoint(cotangent_places.one_hot_in)
def one_hot_row(value, like, *path):
    return cotangent_places.one_hot_in(value, like, *path), lambda y_bar: (
        summand_bar(found_in(y_bar, *path), value), None, *[None for _ in path]
    )


@adjoint(cotangent.sum_over)
def sum_over(bar, axes, keepdims=False):
    shape = np.shape(bar)
    return cotangent.sum_over(bar, axes, keepdims), lambda y_bar: (
        spread(y_bar, shape, axes, keepdims),
        None,
    )


@adjoint(cotangent.owned)
def owned(bar):
    return cotangent.owned(bar), lambda y_bar: (y_bar,)


@adjoint(cotangent_items.kept_real)
def kept_real(bar, like):
    return cotangent_items.kept_real(bar, like), lambda y_bar: (y_bar, None)


@adjoint(cotangent.materialised)
def materialised(bar, like):
    # What is made like a complex value may be real itself.
    return cotangent.materialised(bar, like), lambda y_bar: (
        cotangent_items.kept_real(y_bar, bar), None
    )


@adjoint(cotangent.completed)
def completed(bar, like):
    y = cotangent.completed(bar, like)
    return y, lambda y_bar: (projected_back(y_bar, y, bar), None)


@adjoint(cotangent.completed_container)
def completed_container(bar, like):
    y = cotangent.completed_container(bar, like)
    return y, lambda y_bar: (projected_back(y_bar, y, bar), None)


@adjoint(cotangent.listed)
def listed(bars, like):
    return cotangent.listed(bars, like), lambda y_bar: (y_bar, None)


@adjoint(cotangent_items.item)
def item(bar, key):
    return cotangent_items.item(bar, key), lambda y_bar: (item_bar(y_bar, bar, key), None)


def item_bar(y_bar, bar, key):
    """The cotangent of a container of cotangents of which one was taken, if it was there."""
    return None if bar is None else one_hot(y_bar, bar, key)


@adjoint(cotangent.from_items)
def from_items(bars, like):
    return cotangent.from_items(bars, like), lambda y_bar: (items_bar(y_bar, bars), None)


@adjoint(cotangent.from_reversed_items)
def from_reversed_items(bars, like):
    def back(y_bar):
        return reversed_bar(y_bar, bars), None

    return cotangent.from_reversed_items(bars, like), back


def items_bar(y_bar, bars):
    """The cotangents of items that were put, in order, at the front of a container."""
    if y_bar is None or bars is None:
        return None
    if isinstance(y_bar, np.ndarray) and np.iscomplexobj(y_bar):
        return cotangent.rebuilt(bars, real_where(list(y_bar[: len(bars)]), bars))
    return cotangent.rebuilt(bars, [None if b is None else y_bar[i] for i, b in enumerate(bars)])


def real_where(y_bars, bars):
    """Cotangents of items of which a complex array was made: real where the items are."""
    return [
        None if b is None else cotangent_items.kept_real(y, b)
        for y, b in zip(y_bars, bars, strict=True)
    ]


def reversed_bar(y_bar, bars):
    """The cotangents of items that were put at the front of a container from last to first."""
    if y_bar is None or bars is None:
        return None
    last = len(bars) - 1
    if isinstance(y_bar, np.ndarray) and np.iscomplexobj(y_bar):
        return real_where([y_bar[last - i] for i in range(len(bars))], bars)
    return [None if b is None else y_bar[last - i] for i, b in enumerate(bars)]


@adjoint(cotangent_returned.checked_gradient)
def checked_gradient(bars, callee):
    def back(y_bar):
        return (y_bar,) if isinstance(bars, tuple) else y_bar, None

    return cotangent_returned.checked_gradient(bars, callee), back
