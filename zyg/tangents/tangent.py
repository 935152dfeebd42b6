"""The algebra of tangents: what generated tangent code computes with at run time.

A tangent has the structure of the value that it belongs to: a number for a number, an array of the
same shape for an array, a list, tuple or dict of tangents for one of values. None stands where
there is nothing to differentiate: text, flags, functions, objects. All functions here are pure.

    zero_tangent((1, 2.0, "text"))                 (0, 0.0, None)
    placed(np.array([1.0, 2.0]), 0, 5.0)           array([5., 2.])
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque
from collections.abc import KeysView, Set, ValuesView
from typing import Any

import numpy as np

from ir import facts
from zyg.cotangents.cotangent import like_mapping, rebuilt
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable
from zyg.signature import is_users
from zyg.unusual_arrays import refuse_to_hold


def zero_tangent(x: Any) -> Any:
    """The zero tangent of a value.

    >>> zero_tangent({"a": (1.0, True)})
    {'a': (0.0, None)}
    """
    cls = type(x)
    if cls is float:
        return 0.0
    if isinstance(x, np.ndarray):
        kind = x.dtype.kind
        return np.zeros(x.shape, x.dtype if kind in "fc" else float) if kind in "biufc" else None
    if cls is bool or isinstance(x, np.bool_):
        return None
    if isinstance(x, int):
        return 0
    if cls is complex:
        return 0j
    if isinstance(x, np.inexact):
        return cls(0)
    if isinstance(x, np.number | float):
        return 0.0
    if isinstance(x, list | tuple):
        return rebuilt(x, list(map(zero_tangent, x)))
    if isinstance(x, deque):
        return deque(map(zero_tangent, x), x.maxlen)
    if isinstance(x, dict):
        return like_mapping(x, {key: zero_tangent(item) for key, item in x.items()})
    if isinstance(x, Set | ValuesView) and not is_users(cls):
        return list(map(zero_tangent, x))
    return 0 * x if is_sparse(x) else None


def tangent_or_zero(dot: Any, x: Any) -> Any:
    """A tangent that may be missing."""
    return zero_tangent(x) if dot is None else dot


def unless_asked(items: Any) -> None:
    """Raises for an object whose items its class computes: it has no tangent itself that tells
    theirs, and where types tell its class its methods are differentiated."""
    cls = type(items)
    if cls in (list, tuple, np.ndarray) or not is_users(cls):
        return
    if issubclass(cls, list | tuple | dict | deque | set | frozenset | np.ndarray | KeysView):
        return
    if cls.__module__.startswith("numpy"):  # counts indices
        return
    if any(hasattr(getattr(cls, name, None), "__code__") for name in ("__iter__", "__getitem__")):
        raise NotDifferentiable(
            f"the items of a {cls.__name__} object can't be differentiated here; import "
            f"{cls.__name__} into the module of this function, or make a list of them"
        )


def with_wrapped(dot: Any, wrapped_dot: Any) -> Any:
    """The tangent of what `functools.update_wrapper` gives: `f.__wrapped__` has one of its own."""
    return dot if wrapped_dot is None else {**(dot or {}), "__wrapped__": wrapped_dot}


def picked_item(dot: Any, key: Any, value: Any, items: Any) -> Any:
    """The tangent of an item of what may be an object."""
    if dot is None or type(dot) is dict:
        unless_asked(items)
    return picked(dot, key, value)


def tangent_items(dot: Any, items: Any) -> Any:
    """What to walk over beside `items`: the tangent of each."""
    if dot is None or type(dot) is dict:  # which an object has, too
        unless_asked(items)
    if lacks_items(dot, items):
        return [zero_tangent(x) for x in items] if hasattr(items, "__len__") else (
            itertools.repeat(None)
        )
    return dot


def lacks_items(dot: Any, items: Any) -> bool:
    """Whether a tangent says nothing of the items that a loop over `items` takes."""
    return dot is None or isinstance(items, dict | KeysView | str | bytes | range)


def listed(y: Any, dot: Any, items: Any) -> list[Any]:
    """The tangents of the items that are in a list or tuple made of an iterable."""
    if dot is None:
        unless_asked(items)
        return [zero_tangent(x) for x in y]
    return list(tangent_items(dot, items))


def spread(dot: Any, like: Any) -> Any:
    """A tangent in the shape of the value that it belongs to."""
    shape = np.shape(like)
    return dot if np.shape(dot) == shape else np.broadcast_to(dot, shape)


def placed(items_dot: Any, index: Any, value_dot: Any) -> Any:
    """The tangent of an array, list or dict behind `items[index] = value`.

    >>> placed([0.0, 1.0], 0, 2.0)
    [2.0, 1.0]
    """
    if items_dot is None and value_dot is None:  # of objects
        return None
    return place_at(copy_of(items_dot), index, value_dot)


def spliced_tangent(items_dot: Any, index: Any, values_dot: Any) -> Any:
    """The tangent of a list behind `items[i:j] = values`, which may have another length."""
    return place_at(copy_of(items_dot), index, values_dot)


def part_of(items_dot: Any, index: Any) -> Any:
    """The tangent of an item or a part of an array, in memory of its own."""
    part = items_dot[index]
    return part.copy() if isinstance(part, np.ndarray) else part


def place_at(buffer: Any, index: Any, value_dot: Any) -> Any:
    """The same in a buffer that the caller owns."""
    if isinstance(buffer, np.ndarray):
        buffer[index] = 0 if value_dot is None else value_dot
    elif isinstance(buffer, tuple):
        return rebuilt(buffer, place_at(list(buffer), index, value_dot))
    else:
        buffer[index] = value_dot
    return buffer


def copy_of(dot: Any) -> Any:
    """A copy of a tangent that is about to be changed: of itself, not of what it holds."""
    return dot.copy() if hasattr(dot, "copy") else dot


def stored_tangent(value_dot: Any, items: Any) -> Any:
    """The tangent of what is stored: arrays of integers round, which has no derivative."""
    if isinstance(items, np.ndarray) and (value_dot is None or not stores_floats(items)):
        if items.dtype.kind in "OV" and value_dot is None:
            return None
        refuse_to_hold(items.dtype)
        return 0.0
    return value_dot


def stores_floats(items: Any) -> bool:
    """Whether what is stored into a container or an array stays what it is."""
    return not isinstance(items, np.ndarray) or items.dtype.kind in "fc"


def with_last(items_dot: Any, value_dot: Any) -> Any:
    """The tangent of a list behind `items.append(value)`."""
    return [*items_dot, value_dot]


def picked(dot: Any, key: Any, value: Any) -> Any:
    """The tangent of an item or attribute, from the dict or sequence that may have it."""
    if dot is None:
        return zero_tangent(value)
    if isinstance(dot, dict):
        found = dot.get(key)
        return zero_tangent(value) if found is None else found
    return tangent_or_zero(dot[key], value)


def holds_numbers(value: Any) -> bool:
    """Whether a value is a number or array that may have a tangent, or holds one."""
    if isinstance(value, list | tuple | deque | set | frozenset):
        return any(map(holds_numbers, value))
    if isinstance(value, dict):
        return any(map(holds_numbers, value.values()))
    return isinstance(value, float | complex | np.inexact | np.ndarray)


def tangent_like(dot: Any, x: Any) -> Any:
    """A tangent that the user gave, in the kinds and shapes of its argument; None for no change."""
    if dot is None:
        return None
    if isinstance(x, np.ndarray):
        dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(float)
        array = np.asarray(dot)
        if array.dtype is dtype and array.shape == x.shape:
            return array
        if array.shape != x.shape:
            raise ValueError(
                f"the tangent of an array of shape {x.shape} has the shape {array.shape}"
            )
        return array.astype(dtype, casting="same_kind", copy=False)
    if isinstance(x, bool | np.bool_ | str | bytes) or x is None:
        return None
    if isinstance(x, int | np.integer):
        return None if dot == 0 else float(dot)
    if isinstance(x, np.inexact | float | complex):
        return type(x)(dot)
    if isinstance(x, list | tuple | deque):
        if len(dot) != len(x):
            raise ValueError(f"the tangent of {len(x)} items has {len(dot)}")
        parts = [
            zero_tangent(item) if part is None else _item_like(part, item)
            for part, item in zip(dot, x, strict=True)
        ]
        return deque(parts, x.maxlen) if isinstance(x, deque) else rebuilt(x, parts)
    if isinstance(x, dict):
        for key in dot:
            if key not in x:
                raise ValueError(f"the tangent of a dict has an item {key!r}, which it hasn't")
        return like_mapping(x, {
            key: zero_tangent(item) if dot.get(key) is None else _item_like(dot[key], item)
            for key, item in x.items()
        })
    if facts.is_object(type(x)):
        _check_of_object(dot, x)
    return dot


def _check_of_object(dot: Any, x: Any) -> None:
    """Raises for what would be taken for zeros, in the place of a dict by attributes."""
    cls = type(x).__name__
    if not isinstance(dot, dict):
        raise TypeError(
            f"the tangent of a {cls} object is a dict of the tangents of its attributes, not a "
            f"{type(dot).__name__}"
        )
    for name in dot:
        if not hasattr(x, name):
            raise ValueError(f"the tangent of a {cls} object names `{name}`, which it hasn't")


def _item_like(dot: Any, x: Any) -> Any:
    found = tangent_like(dot, x)
    return zero_tangent(x) if found is None else found


def is_nothing(dot: Any) -> bool:
    """Whether there is no number in a tangent or cotangent: it is zero."""
    if isinstance(dot, dict):
        return all(map(is_nothing, dot.values()))
    return dot is None or (isinstance(dot, list | tuple) and all(map(is_nothing, dot)))


def is_same_tangent(x: Any, a: Any, b: Any) -> bool:
    """Whether two tangents of one value are equal; a missing one is zero."""
    if isinstance(x, list | tuple):
        a = [None] * len(x) if a is None else a
        b = [None] * len(x) if b is None else b
        return all(map(is_same_tangent, x, a, b))
    if isinstance(a, dict) or isinstance(b, dict):
        return bool(a == b) or (is_nothing(a) and is_nothing(b))
    return bool(np.array_equal(tangent_or_zero(a, x), tangent_or_zero(b, x)))


# What a tangent is made of: coordinates, for derivatives that are found row by row


def inner_product(bar: Any, dot: Any) -> Any:
    """The real inner product of a cotangent and a tangent of one value.

    >>> inner_product((2.0, None), (3.0, 1.0))
    6.0
    """
    if bar is None or dot is None:
        return 0.0
    if isinstance(bar, dict) or isinstance(dot, dict):
        if not (isinstance(bar, dict) and isinstance(dot, dict)):
            return 0.0  # of the keys, which have no tangents
        return sum(inner_product(bar[key], dot[key]) for key in bar if key in dot)
    if isinstance(bar, list | tuple | deque) and not isinstance(dot, np.ndarray):
        return sum(map(inner_product, bar, dot))
    if isinstance(bar, np.ndarray) or isinstance(dot, np.ndarray):
        product = np.conj(bar) * dot if np.iscomplexobj(bar) else bar * np.real(dot)
        return np.sum(product).real.item()
    return (bar.conjugate() * dot).real


# Changes of containers, as new versions of their tangents


def changed(dot: Any, method: str, *args: Any) -> Any:
    """A copy of a tangent that one of its methods has changed."""
    new = copy_of(dot)
    getattr(new, method)(*args)
    return new


def moved_within(dot: Any, key: Any, last: bool) -> Any:
    """A copy of the tangent of an ordered dict, with one key at an end; the tangent of an instance
    of a class that derives from it is a dict."""
    new = OrderedDict(dot)
    new.move_to_end(key, last)
    return new


def without(items_dot: Any, index: Any) -> Any:
    """The tangent of a list or dict behind `del items[index]`."""
    new = copy_of(items_dot)
    del new[index]
    return new


def extended_by(items_dot: Any, more_dot: Any, items: Any) -> Any:
    """The tangent of a list behind `items.extend(more)`."""
    new = copy_of(items_dot)
    count = len(items) - len(new)
    if more_dot is None:
        more_dot = map(zero_tangent, itertools.islice(items, len(new), None))
    new.extend(itertools.islice(more_dot, count))
    if len(new) != len(items):
        raise NotDifferentiable(
            "a list was extended by what forward mode has no tangents of: make a list of it first"
        )
    return new


# Containers and iterators


def settled(items: Any) -> Any:
    """What can be read twice: a list of the items of an iterator."""
    return list(items) if hasattr(items, "__next__") else items


def settled_tangent(dot: Any, items: Any) -> Any:
    """The tangent of what `settled` gives."""
    if isinstance(items, dict):
        return dot
    return list(itertools.islice(tangent_items(dot, items), len(items)))


def enumerated(dots: Any) -> Any:
    """The tangents of what `enumerate` gives."""
    return ((0, dot) for dot in dots)


def zipped(*both: Any) -> Any:
    """The tangents of what `zip` gives: the iterables come first, then their tangents."""
    count = len(both) // 2
    return zip(*map(tangent_items, both[count:], both[:count]), strict=False)


def concatenated(*both: Any) -> Any:
    """The tangents of what `itertools.chain` gives."""
    count = len(both) // 2
    return itertools.chain(*map(tangent_items, both[count:], both[:count]))


def counted(both: tuple[Any, ...]) -> Any:
    """The tangents of what `itertools.count` gives, by its arguments and their tangents.

    A step that is left out is a number that doesn't change.
    """
    start_dot, *step_dot = both[len(both) // 2 :]
    return itertools.count(start_dot, *(step_dot or (0,)))


def repeated(rest: tuple[Any, ...]) -> Any:
    """The tangents of what `itertools.repeat` gives, by how often and the tangents of both."""
    dot, *_ = rest[len(rest) // 2 :]
    return itertools.repeat(dot, *rest[: len(rest) // 2])


def starred_tangent(items: Any, items_dot: Any, before: int, after: int) -> Any:
    """The tangent of `a, *b, c = items`."""
    dots = list(tangent_items(items_dot, items))
    stop = len(dots) - after
    return (*dots[:before], dots[before:stop], *dots[stop:])


def merged(*both: Any) -> dict[Any, Any]:
    """The tangent of `{**a, **b}`."""
    count = len(both) // 2
    found: dict[Any, Any] = {}
    for part, dot in zip(both[:count], both[count:], strict=True):
        for key in part.keys():  # noqa: SIM118 - of any mapping
            found[key] = picked_item(dot, key, part[key], part)
    return found


def key_tangent(y: Any, key: Any, rest: tuple[Any, ...]) -> Any:
    """The tangent of `mapping.get(key, default)`, by the default and the tangents of all."""
    count = len(rest) // 2 - 1 if len(rest) % 2 == 0 else (len(rest) - 2) // 2
    mapping_dot = rest[len(rest) - 2 - count]
    if mapping_dot is not None and key in mapping_dot:
        return mapping_dot[key]
    return tangent_or_zero(rest[-1] if count else None, y)


def values_tangent(mapping: Any, dot: Any) -> Any:
    """The tangents of the values of a mapping, in its order."""
    if hasattr(dot, "over_values"):
        return dot.over_values()
    return [picked(dot, key, value) for key, value in mapping.items()]


def items_tangent(mapping: Any, dot: Any) -> Any:
    """The tangents of the items of a mapping: keys have none."""
    if hasattr(dot, "over_items"):
        return dot.over_items()
    return [(zero_tangent(key), picked(dot, key, value)) for key, value in mapping.items()]


def from_pairs(y: dict[Any, Any], pairs: Any, pairs_dot: Any) -> dict[Any, Any]:
    """The tangent of `dict(pairs)`."""
    if hasattr(pairs, "keys"):
        return {key: picked_item(pairs_dot, key, value, pairs) for key, value in y.items()}
    return {key: dot[1] for (key, _), dot in zip(pairs, pairs_dot, strict=True)}


def summed(y: Any, items: Any, rest: tuple[Any, ...]) -> Any:
    """The tangent of `sum(items, start)`."""
    dot = rest[len(rest) // 2]
    if dot is None:
        unless_asked(items)
    # Answers of comparisons have none.
    dots = () if dot is None else [d for d in tangent_items(dot, items) if d is not None]
    start = rest[-1] if len(rest) > 1 else 0
    total = sum(dots, 0 if start is None else start)
    return total if np.shape(total) == np.shape(y) else spread(total, y)
