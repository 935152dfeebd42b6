"""Rules of the cotangent algebra itself: what second derivatives differentiate.

All of it is linear in the cotangent, so each rule is an adjoint linear map.
"""

from __future__ import annotations

import numpy as np

from ir import facts
from zyg.cotangents.cotangent import (
    accumulate,
    completed,
    completed_container,
    conj,
    filled,
    from_items,
    inexact,
    is_list_of,
    project,
    realness_of,
    rebuilt,
    unbroadcast,
    zeros_like,
)
from zyg.cotangents.cotangent_items import (
    accumulate_at,
    before_push,
    cleared,
    cycled_back,
    difference_bar,
    item,
    kept_real,
    one_hot,
    position_of,
    put_back,
    scatter,
    stored_bar,
    taken,
    with_gap,
    with_numbers,
    with_place,
    without_item,
    without_last,
)
from zyg.cotangents.cotangent_views import cleared_view, put_back_view, taken_view
from zyg.cotangents.matrix_bars import product_left, product_right
from zyg.errors import NotDifferentiable
from zyg.held.keeping import kept, shell
from zyg.rules.registry import adjoint, constant

constant(zeros_like, position_of, is_list_of)


@adjoint(accumulate)
def accumulate_(a, b):
    return accumulate(a, b), lambda y_bar: (summand_bar(y_bar, a), summand_bar(y_bar, b))


def summand_bar(y_bar, summand):
    """The cotangent of a part of a sum: of its shape, and real where it is."""
    if summand is None or not isinstance(summand, (float, complex, np.ndarray, np.number)):
        return None if summand is None else y_bar
    if isinstance(y_bar, list) and isinstance(summand, np.ndarray):
        # An array was the cotangent of a list.
        zero = np.zeros(summand.shape[1:])
        y_bar = np.array([zero if bar is None else bar for bar in y_bar])
    return unbroadcast(y_bar, summand)


@adjoint(accumulate_at)
def accumulate_at_(buffer, index, value):
    y = accumulate_at(buffer, index, value)
    return y, lambda y_bar: (
        kept_real(y_bar, buffer), None,
        None if value is None else summand_bar(item(y_bar, index), value),
    )


@adjoint(one_hot)
def one_hot_(value_bar, like, index):
    return one_hot(value_bar, like, index), lambda y_bar: (
        value_bar_of(y_bar, value_bar, index), None, None,
    )


def value_bar_of(y_bar, value_bar, index):
    """The cotangent of the value at `index`; a dict of cotangents may lack the key."""
    part = y_bar.get(index) if isinstance(y_bar, dict) else y_bar[index]
    if value_bar is None or part is None or isinstance(value_bar, (list, tuple, dict)):
        return None if value_bar is None else part
    return unbroadcast(part, value_bar)


@adjoint(scatter)
def scatter_(value_bar, shape, index):
    def back(y_bar):
        return unbroadcast(y_bar[index], value_bar), None, None

    return scatter(value_bar, shape, index), back


@adjoint(filled)
def filled_(bars, likes):
    def back(y_bar):
        return only_given(y_bar, bars), None

    return filled(bars, likes), back


def only_given(y_bar, bars):
    """Structural zeros stay structural zeros."""
    if bars is None:
        return None
    return [None if bar is None else y for y, bar in zip(y_bar, bars, strict=True)]


@adjoint(conj)
def conj_(x):
    return conj(x), lambda y_bar: conj(y_bar)


@adjoint(realness_of)
def realness_of_(like, bar):
    return realness_of(like, bar), lambda y_bar: (None, y_bar)


@adjoint(inexact)
def inexact_(bar):
    return inexact(bar), lambda y_bar: (y_bar,)


@adjoint(unbroadcast)
def unbroadcast_(bar, like):
    return unbroadcast(bar, like), lambda y_bar: (broadcast_again(y_bar, bar), None)


def broadcast_again(y_bar, bar):
    """Undoes a sum to a smaller shape; or sums, where a uniform cotangent was spread instead."""
    if bar is None:
        return None
    if np.iscomplexobj(bar) and np.isrealobj(y_bar):
        y_bar = y_bar + 0j  # what was made real is a part
    full = np.broadcast_shapes(np.shape(bar), np.shape(y_bar))
    if full == () and not isinstance(bar, np.ndarray):
        return unbroadcast(y_bar, bar)  # of a number, `broadcast_to` would make an array
    return unbroadcast(np.broadcast_to(y_bar, full), bar)


@adjoint(project)
def project_(bar, x):
    y = project(bar, x)
    return y, lambda y_bar: (projected_back(y_bar, y, bar), None)


def projected_back(y_bar, y, bar):
    """The cotangent of one that may be an array where `y` has the form of a list or tuple, and real
    where `y` is complex."""
    if y_bar is None or bar is None:
        return None
    if isinstance(bar, np.ndarray) and isinstance(y, (list, tuple)):
        return unbroadcast(np.asarray(filled_up(y_bar, y)), bar)
    if isinstance(bar, (list, tuple, dict)):
        return project(y_bar, bar)
    return realness_of(bar, y_bar)


def filled_up(y_bar, y):
    return completed(y_bar, y) if isinstance(y, tuple) else completed_container(y_bar, y)


@adjoint(kept)
def kept_(x):
    return kept(x), lambda y_bar: (y_bar,)


@adjoint(rebuilt)
def rebuilt_(container, items):
    return rebuilt(container, items), lambda y_bar: (
        None, None if y_bar is None else list(y_bar)
    )


@adjoint(shell)
def shell_(x):
    return shell(x), lambda y_bar: (y_bar,)


@adjoint(taken)
def taken_(bar, index):
    return taken(bar, index), lambda y_bar: (put_back(y_bar, bar, index), None)


@adjoint(cleared)
def cleared_(bar, index):
    return cleared(bar, index), lambda y_bar: (cleared(y_bar, index), None)


@adjoint(stored_bar)
def stored_bar_(bar, value, items):
    y = stored_bar(bar, value, items)
    return y, lambda y_bar: (None if y is None else stored_again(y_bar, bar), None, None)


def stored_again(y_bar, bar):
    """Undoes the sum over what a store has spread."""
    if y_bar is None or not isinstance(bar, (float, complex, np.ndarray, np.number)):
        return y_bar
    return broadcast_again(np.asarray(y_bar), bar)


@adjoint(taken_view)
def taken_view_(bar, view, args):
    return taken_view(bar, view, args), lambda y_bar: (
        put_back_view(y_bar, view, args, bar), None, None
    )


@adjoint(put_back_view)
def put_back_view_(part_bar, view, args, like):
    return put_back_view(part_bar, view, args, like), lambda y_bar: (
        realness_of(part_bar, taken_view(y_bar, view, args)), None, None, None
    )


@adjoint(cleared_view)
def cleared_view_(bar, view, args):
    return cleared_view(bar, view, args), lambda y_bar: (
        cleared_view(y_bar, view, args), None, None
    )


def as_given(y_bars, bars):
    """A list as the cotangent of the cotangents of a list's items: those may be one array."""
    return from_items(y_bars, bars) if isinstance(bars, np.ndarray) else y_bars


@adjoint(without_last)
def without_last_(bars):
    return without_last(bars), lambda y_bar: (
        None if y_bar is None else as_given([*y_bar, None], bars),
    )


@adjoint(difference_bar)
def difference_bar_(bars, members, of):
    return difference_bar(bars, members, of), lambda y_bar: (
        difference_bar(y_bar, of, members), None, None
    )


@adjoint(without_item)
def without_item_(bars, position):
    return without_item(bars, position), lambda y_bar: (
        None if y_bar is None
        else as_given([*y_bar[:position], None, *y_bar[position:]], bars), None
    )


@adjoint(with_gap)
def with_gap_(bars, index, before):
    return with_gap(bars, index, before), lambda y_bar: (
        as_given(gap_closed(y_bar, index, before), bars), None, None
    )


@adjoint(with_numbers)
def with_numbers_(bars, like):
    return with_numbers(bars, like), lambda y_bar: (given_numbers(y_bar, bars), None)


def given_numbers(y_bar, bars):
    """The cotangent of a list or dict without what `with_numbers` filled in."""
    if y_bar is None or bars is None:
        return None
    if isinstance(bars, dict):
        return {key: y_bar[key] for key, bar in bars.items() if bar is not None and key in y_bar}
    return as_given(only_given(y_bar, bars), bars)


@adjoint(before_push)
def before_push_(bars, end, is_full, zero=None):
    is_empty = bars is None or len(bars) == 0

    def back(y_bar):
        again = y_bar if is_empty else as_given(pushed_again(y_bar, end, is_full), bars)
        return again, None, None, None

    return before_push(bars, end, is_full, zero), back


def pushed_again(y_bar, end, is_full):
    """The cotangent of a list of which `before_push` took an item from the end, and, where
    `is_full`, filled the other end."""
    if y_bar is None:
        return None
    if end == 0:
        return [None, *(y_bar[:-1] if is_full else y_bar)]
    return [*(y_bar[1:] if is_full else y_bar), None]


@adjoint(cycled_back)
def cycled_back_(bars, path):
    return cycled_back(bars, path), lambda y_bar: (
        as_given(cycled_back(y_bar, path[::-1]), bars), None
    )


@adjoint(with_place)
def with_place_(bars, index, zero):
    return with_place(bars, index, zero), lambda y_bar: (
        None if y_bar is None
        else as_given(without_item(y_bar, range(len(y_bar))[index]), bars), None, None
    )


def gap_closed(y_bar, index, before):
    """The cotangent of a list without what `with_gap` filled in."""
    if y_bar is None or isinstance(before, dict):
        return y_bar
    positions = range(len(before))[index]
    gone = positions if isinstance(positions, range) else (positions,)
    return [bar for i, bar in enumerate(y_bar) if i not in gone]


def refuse_second(y_bar):
    raise NotDifferentiable(
        "second derivatives by sparse matrices that vary: what a product hands back to a matrix"
    )


@adjoint(product_left)
def product_left_rule(z_bar, x, y):
    return product_left(z_bar, x, y), lambda y_bar: refuse_second(y_bar)


@adjoint(product_right)
def product_right_rule(z_bar, x, y):
    return product_right(z_bar, x, y), lambda y_bar: refuse_second(y_bar)


constant(refuse_second)
facts.effect(refuse_second)
