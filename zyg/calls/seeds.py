"""What the result of a call looked like, and the seeds that its back function may be given.

    y of shape (3,)        seed of shape (2,)  ->  ValueError: the result has the shape (3,), ...
                           None                ->  zeros
    y an object            seed {'x': 1.0}     ->  1.0 for y.x, no cotangent of other attributes
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ir.generators import Generator
from zyg.cotangents import cotangent

_PLAIN = (float, int, complex, bool, str, bytes, type(None), np.ndarray, np.float64)
_WITHOUT_SEED = (MethodType, str, bytes, type(None), type)


class Like:
    """The structure of a result, without its contents; `fields`: of an object, by attribute."""

    __slots__ = ("dtype", "fields", "items", "kind", "shape")

    def __init__(self, y: Any, known: dict[int, Like] | None = None) -> None:
        self.kind = type(y)
        self.fields: dict[str, Like] | None = None
        is_array = isinstance(y, np.ndarray | np.generic)
        self.shape = y.shape if is_array else None
        self.dtype: Any = y.dtype if is_array else None
        self.items: Any = None
        if self.kind in _PLAIN:
            return
        known = {} if known is None else known
        if isinstance(y, list | tuple | deque):
            self.items = [_like(item, known) for item in y]
        elif isinstance(y, dict):
            self.items = {key: _like(item, known) for key, item in y.items()}
        elif not is_array:
            self._look_into(y, known)

    def _look_into(self, y: Any, known: dict[int, Like]) -> None:
        """Notes the attributes of an object, if it is one."""
        from zyg.compiler.inference.objects import is_place
        from zyg.held.reaching import attributes_of  # few results are objects

        if is_place(type(y)) and not isinstance(y, Generator):
            known[id(y)] = self  # an object may hold itself
            self.fields = {name: _like(value, known) for name, value in attributes_of(y).items()}


def _like(y: Any, known: dict[int, Like]) -> Like:
    return known.get(id(y)) or Like(y, known)


def zero_of(like: Like) -> Any:
    """The zero cotangent of a result, for a seed of None."""
    if like.items is not None:
        if isinstance(like.items, dict):
            return {key: zero_of(item) for key, item in like.items.items()}
        items = [zero_of(item) for item in like.items]
        return items if like.kind in (list, deque) else tuple(items)
    if like.shape is not None and like.dtype is not None and like.dtype.kind in "fciu":
        zeros = np.zeros(like.shape, like.dtype if like.dtype.kind in "fc" else float)
        return zeros if like.kind is np.ndarray else zeros[()]
    return like.kind(0) if like.kind in (int, float, complex) else None


def filled_within(bar: Any, like: Like) -> Any:
    """A cotangent with zeros for structural zeros at any depth."""
    if bar is None:
        return zero_of(like)
    if like.items is None:
        return bar
    if isinstance(like.items, dict):
        return {key: filled_within(bar.get(key), item) for key, item in like.items.items()}
    return cotangent.rebuilt(
        bar, [filled_within(own, item) for own, item in zip(bar, like.items, strict=True)]
    )


def filled(bar: Any, like: Like) -> Any:
    """A cotangent with zeros for structural zeros, in tuples, lists and dicts too: generated code
    relies on it."""
    if isinstance(bar, list) and like.kind is list:
        if len(bar) != len(like.items) and cotangent.is_zero_bar(bar):
            return zero_of(like)  # of a list that was changed between
        return [filled(own, item) for own, item in zip(bar, like.items, strict=True)]
    if isinstance(bar, dict) and like.kind is dict:
        return {key: filled(bar.get(key), item) for key, item in like.items.items()}
    if isinstance(bar, tuple | list) and issubclass(like.kind, tuple):
        return tuple(map(filled, bar, like.items))
    return zero_of(like) if bar is None else bar


def filled_in_tuples(bar: Any, like: Like) -> Any:
    """The same but for lists, which objects may hold: code that works on objects takes them so."""
    if isinstance(bar, tuple | list) and issubclass(like.kind, tuple):
        return tuple(map(filled_in_tuples, bar, like.items))
    return zero_of(like) if bar is None else bar


def checked_seed(seed: Any, like: Like) -> Any:
    """The seed in the form that generated code takes; raises where it doesn't fit the result."""
    if seed is None:
        return zero_of(like)
    if like.kind is float or like.kind is int:
        if type(seed) in (float, int):
            return float(seed) if like.kind is float else seed
        if np.ndim(seed) != 0:
            raise ValueError(
                f"the result is a number, but the seed has the shape {np.shape(seed)}"
            )
        seed = seed.item() if isinstance(seed, np.ndarray | np.generic) else seed
        return cotangent.inexact(seed) if like.kind is float else seed
    if like.items is not None:
        return _checked_items(seed, like)
    if like.shape is not None:
        if np.shape(seed) != like.shape:
            raise ValueError(
                f"the result has the shape {like.shape}, but the seed has {np.shape(seed)}"
            )
        if like.shape == () and like.kind is not np.ndarray:
            return cotangent.inexact(seed)
        return cotangent.inexact(np.asarray(seed))
    if like.fields is not None:
        return _checked_fields(seed, like, like.fields)
    if issubclass(like.kind, FunctionType) and not isinstance(seed, dict):
        raise ValueError(
            "the result is a function, but the seed is no dict of the cotangents of what it has "
            f"captured, but a {type(seed).__name__}"
        )
    if issubclass(like.kind, Iterator | Generator):
        raise ValueError(
            "the result is an iterator, which takes no seed but None: return a list of its items"
        )
    if issubclass(like.kind, _WITHOUT_SEED):
        raise ValueError(f"the result is a {like.kind.__name__}, which takes no seed but None")
    return seed


def _checked_fields(seed: Any, like: Like, fields: dict[str, Like]) -> dict[str, Any]:
    name = like.kind.__name__
    if not isinstance(seed, dict):
        raise ValueError(
            f"the result is a {name}, but the seed is no dict of the cotangents of its "
            f"attributes, but a {type(seed).__name__}"
        )
    unknown = [key for key in seed if key not in fields]
    if unknown:
        raise ValueError(f"the {name} has no attribute {unknown[0]!r}, but the seed has")
    return {
        key: checked_seed(part, fields[key]) for key, part in seed.items() if part is not None
    }


def _checked_items(seed: Any, like: Like) -> Any:
    if isinstance(like.items, dict):
        if not isinstance(seed, dict):
            raise ValueError(f"the result is a dict, but the seed a {type(seed).__name__}")
        unknown = [key for key in seed if key not in like.items]
        if unknown:
            raise ValueError(f"the result has no key {unknown[0]!r}, but the seed has")
        return {key: checked_seed(seed.get(key), item) for key, item in like.items.items()}
    if not isinstance(seed, list | tuple | deque) or len(seed) != len(like.items):
        given = f"{len(seed)} items" if isinstance(seed, list | tuple) else type(seed).__name__
        raise ValueError(
            f"the result is a {like.kind.__name__} of {len(like.items)} items, but the seed is "
            f"{given}"
        )
    items = [checked_seed(a, b) for a, b in zip(seed, like.items, strict=True)]
    return items if like.kind in (list, deque) else tuple(items)
