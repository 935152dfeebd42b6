"""Cotangents of containers and arrays of which items are read, stored, added or left out.

What reading `x[i]` gives back, and what a store `x[i] = v` takes from the cotangent of the new `x`:

    one_hot(5.0, like=[1.0, 2.0], index=1)   [0.0, 5.0]
    taken([1.0, 2.0], 1)                     2.0, what the stored value gets
    cleared([1.0, 2.0], 1)                   [1.0, 0], what the old container gets

All functions are pure, but for `accumulate_at` and `clear_at`, which consume their buffers.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ir.primitives import cycled
from zyg.cotangents.cotangent import (
    FLOATS,
    accumulate,
    is_list_of,
    materialised,
    owned,
    realness_of,
    rebuilt,
    unbroadcast,
    zeros_like,
)
from zyg.cotangents.missing_items import unless_made_up
from zyg.errors import NotDifferentiable
from zyg.signature import is_users
from zyg.unusual_arrays import refuse_to_hold, unless_contained

# Functions that give the cotangents of nested lists by that of the array that these were made.
OF_NESTED: set[Any] = set()


def accumulate_item(bars: Any, index: Any, value: Any, like: Any) -> Any:
    """The sum of the cotangent of the list `like`, if there is one yet, and that of an item."""
    return one_hot(value, like, index) if bars is None else accumulate_at(bars[:], index, value)


def accumulate_at(buffer: Any, index: Any, value: Any) -> Any:
    """Adds `value` to `buffer[index]` in place and returns the buffer, which the caller owns.

    The cotangent of a complex array may be real so far, as that of `x.real` is: it is a new one
    then, if what is added is complex.
    """
    if value is None:
        return buffer
    if isinstance(buffer, tuple):
        return rebuilt(buffer, accumulate_at(list(buffer), index, value))
    if isinstance(buffer, np.ndarray):
        if buffer.dtype.kind != "c" and np.iscomplexobj(value):
            buffer = buffer.astype(np.result_type(buffer, value))
        if _may_repeat(index):
            np.add.at(buffer, index, value)
        else:
            buffer[index] += value
    elif isinstance(index, slice):
        buffer[index] = [accumulate(a, b) for a, b in zip(buffer[index], value, strict=True)]
    elif isinstance(buffer, dict):
        buffer[index] = accumulate(buffer.get(index), value)
    else:
        buffer[index] = accumulate(buffer[index], value)
    return buffer


def _may_repeat(index: Any) -> bool:
    """Whether an index can name one element twice: integer arrays and lists can, masks not."""
    if isinstance(index, tuple):
        return any(_may_repeat(part) for part in index)
    if isinstance(index, np.ndarray):
        return index.dtype.kind != "b" and index.ndim > 0
    return isinstance(index, (list, range))


def one_hot(value_bar: Any, like: Any, index: Any) -> Any:
    """The cotangent of `like` that is `value_bar` at `index` and zero elsewhere.

    Positions that an index array names several times collect all their contributions.

    >>> one_hot(2.0, {"a": 1.0, "b": 3.0}, "b")
    {'a': 0.0, 'b': 2.0}
    """
    if value_bar is None:
        return None
    if is_list_of(FLOATS, like) and not isinstance(index, slice):
        found = zeros_like(like)
        found[index] = value_bar
        return found
    if isinstance(like, (list, tuple, deque)):
        positions = range(len(like))[index]
        given = positions if isinstance(index, slice) else (positions,)
        bars = [None if i in given else zeros_like(item) for i, item in enumerate(like)]
        if isinstance(index, slice):
            bars[index] = list(value_bar)
        else:
            bars[index] = value_bar
        return rebuilt(like, bars)
    if isinstance(like, dict):
        if type(like) is not dict:
            unless_made_up({index: value_bar}, like)
        return {key: value_bar if key == index else zeros_like(like[key]) for key in like}
    if isinstance(like, (str, bytes, range)):
        return None
    if not isinstance(like, (np.ndarray, np.generic)):
        raise NotDifferentiable(
            f"reading an item of a {type(like).__name__} object can't be differentiated here; "
            f"import {type(like).__name__} into the module of this function"
        )
    unless_contained(like, index)
    buffer = np.asarray(zeros_like(like))
    bar = _filled_at(buffer, index, realness_of(like, value_bar))
    return bar if isinstance(like, np.ndarray) else bar[()]


def _filled_at(zeros: np.ndarray[Any, Any], index: Any, value: Any) -> Any:
    """`accumulate_at` for new zeros: where no item is named twice, nothing needs to be added."""
    if not _may_repeat(index):
        zeros[index] = value
        return zeros
    places = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if _are_weights(zeros, places, value):
        try:
            sums = np.bincount(places, value, len(zeros))
        except ValueError:  # negative places count from the end
            pass
        else:
            if len(sums) == len(zeros):
                return sums
    np.add.at(zeros, index, value)
    return zeros


def _are_weights(zeros: np.ndarray[Any, Any], places: Any, value: Any) -> bool:
    """Whether `np.bincount` sums what has the same place, which it does in less time."""
    return (
        type(places) is np.ndarray and places.dtype == np.intp and places.ndim == 1
        and type(value) is np.ndarray and value.dtype == zeros.dtype == np.float64
        and value.shape == places.shape and zeros.ndim == 1
    )


def at_index(bar: Any, items: Any, index: Any) -> Any:
    """The cotangent of a list of which one item was read, with structural zeros for the others."""
    from_others = [None for _ in items]
    return from_others if bar is None else cleared_but(bar, from_others, index)


def cleared_but(bar: Any, zeros: list[Any], index: Any) -> Any:
    """Structural zeros but for one item."""
    position = range(len(zeros))[index]
    return [bar if i == position else zero for i, zero in enumerate(zeros)]


def taken(bar: Any, index: Any) -> Any:
    """The cotangent of what was stored at `index`, in memory of its own.

    Where an index array names a position several times, the last value stored there is the one
    that stays: it gets all, the others get zero.

    >>> taken(np.array([5.0, 7.0]), [0, 0])
    array([0., 5.])
    """
    if bar is None:
        return None
    if isinstance(bar, dict):
        return owned(dict.get(bar, index))
    part = bar[index]
    if not isinstance(bar, np.ndarray):
        return owned(part)
    if not _may_repeat(index):
        return part.copy() if isinstance(part, np.ndarray) else part
    return np.where(_is_last(bar.shape, index, part.shape), part, 0)


def copied(bar: Any, index: Any) -> Any:
    """What `taken` gives for an array and an index that makes a view: printed `bar[i].copy()`."""
    return bar[index].copy()


def put_back(part_bar: Any, bar: Any, index: Any) -> Any:
    """The cotangent of `bar` where `taken(bar, index)` was read from it.

    >>> put_back(np.array([5.0, 7.0]), np.zeros(3), [0, 0])
    array([7., 0., 0.])
    """
    if part_bar is None or bar is None:
        return None
    if isinstance(bar, np.ndarray) and _may_repeat(index):
        is_last = _is_last(bar.shape, index, bar[index].shape)
        return one_hot(np.where(is_last, part_bar, 0), bar, index)
    return one_hot(part_bar, bar, index)


def _is_last(shape: tuple[int, ...], index: Any, stored: tuple[int, ...]) -> Any:
    """Which of the values that are stored by an index array are not overwritten by later ones."""
    writer = np.zeros(shape, int)
    order = np.arange(int(np.prod(stored))).reshape(stored)
    writer[index] = order
    return writer[index] == order


def cleared(bar: Any, index: Any) -> Any:
    """`bar` with zero at `index`: what was there before did not matter; `bar` is not changed."""
    return clear_at(owned(bar), index)


def clear_at(buffer: Any, index: Any) -> Any:
    """Sets an item or a part of a buffer, which the caller owns, to zero."""
    if buffer is None:
        return None
    if isinstance(buffer, int | float | complex | np.number):
        buffer = np.array(buffer)  # of an array without dimensions
    if isinstance(buffer, np.ndarray):
        buffer[index] = 0
    elif isinstance(buffer, dict):
        if isinstance(buffer.get(index), (int, float, complex, np.number)):
            buffer[index] = 0.0
        else:
            buffer.pop(index, None)
    elif isinstance(buffer, tuple):
        return rebuilt(buffer, clear_at(list(buffer), index))
    elif isinstance(index, slice):
        buffer[index] = [None] * len(buffer[index])
    else:
        is_number = isinstance(buffer[index], (int, float, complex, np.number))
        buffer[index] = 0.0 if is_number else None
    return buffer


def stored_bar(bar: Any, value: Any, items: Any) -> Any:
    """The cotangent of a value that was stored into `items`, from that of the place.

    An array of integers or bools rounds what is stored into it, which has no derivative; and it
    broadcasts what is stored, which is summed. One of objects is refused if numbers go there.
    """
    if bar is None:
        return None
    if isinstance(items, np.ndarray):
        if items.dtype.kind in "fc":
            return _as_stored(bar, value)
        if holds_inexact(value):
            refuse_to_hold(items.dtype)
        return None
    if isinstance(bar, list) and isinstance(value, (list, tuple)) and len(bar) != len(value):
        raise NotDifferentiable("a slice of a list was replaced by one of another length")
    return bar


def holds_inexact(value: Any) -> bool:
    """Whether a value is, or a sequence holds, a float, a complex number or an array of them."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_inexact, value))
    return isinstance(value, (float, complex, np.inexact)) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "fcO"
    )


def _as_stored(bar: Any, value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        return unbroadcast(bar, value)
    bars = unbroadcast(bar, np.empty(np.shape(value)))
    return rebuilt(value, [_as_stored(b, v) for b, v in zip(bars, value, strict=True)])


def without_last(bars: Any) -> Any:
    """The cotangent of a list before its last item was appended; `bars` is not changed."""
    return None if bars is None else bars[:-1]


def with_gap(bars: Any, index: Any, before: Any) -> Any:
    """The cotangent of a list or dict `before` the item at `index` was deleted."""
    if bars is None or isinstance(bars, dict):
        return bars
    positions = range(len(before))[index]
    if not isinstance(positions, range):
        return [*bars[:positions], None, *bars[positions:]]
    found = iter(bars)
    return [None if i in positions else next(found) for i in range(len(before))]


def with_place(bars: Any, index: int, zero: Any) -> Any:
    """`with_gap` for a list that has a cotangent for each item: `zero` where one was deleted."""
    return insert_place([*bars], index, zero)


def insert_place(buffer: Any, index: int, zero: Any) -> Any:
    """The same in a buffer, which the caller owns."""
    buffer.insert(range(len(buffer) + 1)[index], zero)
    return buffer


def before_push(bars: Any, end: int, is_full: bool, zero: Any = None) -> Any:
    """The cotangent of a deque before an item was appended at its `end`, 0 or -1; where it was
    full, one at the other end made way, and has `zero`."""
    return None if bars is None else take_push_back([*bars], end, is_full, zero)


def take_push_back(buffer: Any, end: int, is_full: bool, zero: Any = None) -> Any:
    """The same in a buffer, which the caller owns."""
    if not buffer:
        return buffer  # a deque that keeps nothing
    del buffer[end]
    if is_full:
        buffer.insert(0 if end else len(buffer), zero)
    return buffer


def cycled_back(bars: Any, path: tuple[int, ...]) -> Any:
    """The cotangent of a list before its items moved along a path (`primitives.cycled`)."""
    return None if bars is None else cycle_back([*bars], path)


def cycle_back(buffer: Any, path: tuple[int, ...]) -> Any:
    """The same in a buffer, which the caller owns."""
    return cycled(buffer, path[::-1])


def with_numbers(bars: Any, like: Any) -> Any:
    """The cotangent of a list, deque or dict of numbers, or of such, with a zero for each
    structural zero.

    >>> with_numbers({"a": 2.0}, {"a": 1.0, "b": 3.0})
    {'a': 2.0, 'b': 0.0}
    """
    if bars is None or not isinstance(like, (list, deque, dict)):
        return materialised(bars, like)
    if isinstance(like, dict):
        return {key: with_numbers(bars.get(key), x) for key, x in like.items()}
    return [with_numbers(bar, x) for bar, x in zip(bars, like, strict=True)]


def difference_bar(bars: Any, members: Any, of: Any) -> Any:
    """The cotangent of a set from that of a set which has some of its members.

    Both are lists in the order of the sets.

    >>> difference_bar([2.0], {5.0}, {5.0: None, 7.0: None})
    [2.0, None]
    """
    if bars is None:
        return None
    if not isinstance(bars, list):
        raise NotDifferentiable("the derivative of this use of a set is not known; use a list")
    bar_of = dict(zip(members, bars, strict=True))
    return [bar_of.get(member) for member in of]


def without_item(bars: Any, position: int) -> Any:
    """The cotangent of a list before an item was inserted at a position."""
    return None if bars is None else [*bars[:position], *bars[position + 1 :]]


def position_of(index: int, items: list[Any]) -> int:
    """Where `items.insert(index, ...)` puts an item."""
    return slice(index, None).indices(len(items))[0]


def scatter(value_bar: Any, shape: tuple[int, ...], index: Any) -> Any:
    """`one_hot` where only the shape of the array is known: zeros but for `value_bar` at `index`.

    >>> scatter(np.array([1.0, 2.0]), (3,), [0, 0])
    array([3., 0., 0.])
    """
    dtype = np.result_type(value_bar, np.float16) if _is_integral(value_bar) else None
    return _filled_at(np.zeros(shape, dtype or np.result_type(value_bar)), index, value_bar)


def _is_integral(x: Any) -> bool:
    return bool(np.result_type(x).kind in "biu")


def add_at(bar: Any, index: Any, value: Any) -> Any:
    """`bar` with `value` added at `index`; `bar` itself is not changed."""
    return accumulate_at(owned(bar), index, value)


def kept_real(bar: Any, like: Any) -> Any:
    """A cotangent that came with others, of complex numbers: that of what is real is real."""
    is_number = isinstance(like, int | float | complex | np.generic | np.ndarray)
    return realness_of(like, bar) if is_number else bar


def item(bar: Any, key: Any) -> Any:
    """One item of the cotangent of a container; the structural zero where there is none."""
    if bar is None:
        return None
    # By its name: of a method nothing is known where nothing is known of `bar`.
    return dict.get(bar, key) if isinstance(bar, dict) else bar[key]


def first_part(bar: Any, length: int) -> Any:
    """The cotangent of what stands in front in a longer list or tuple."""
    return None if bar is None else bar[:length]


def last_part(bar: Any, length: int) -> Any:
    """The cotangent of what stands behind the first `length` items of a list or tuple."""
    return None if bar is None else bar[length:]


def unless_computed(mapping: Any) -> None:
    """Raises for an object of which a dict was made, whose items its class computes; where types
    tell its class, its methods are differentiated (`zyg.compiler.inference.asked_for_keys`)."""
    cls = type(mapping)
    if is_users(cls) and not issubclass(cls, dict):
        raise NotDifferentiable(
            f"the items of a {cls.__name__} object can't be differentiated where types don't tell "
            "its class; make a dict of them by its `keys`"
        )
