"""What `pullback` returns: the adjoint of one call, as a value that can be kept and called again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np



class Pullback:
    """The adjoint of one call: calling it with a cotangent of the result gives gradients.

    It holds the values that the adjoint reads, and can be called any number of times. The seed has
    the structure and shape of the result; ValueError otherwise.
    """

    __slots__ = ("_back", "_description", "_finish", "_like", "_saved")

    def __init__(
        self,
        back: Callable[[Any, Any], Any],
        saved: Any,
        like: Any,
        finish: Callable[[Any], tuple[Any, ...]],
        description: str,
    ) -> None:
        self._back = back
        self._saved = saved
        self._like = like
        self._finish = finish
        self._description = description

    def __call__(self, seed: Any) -> tuple[Any, ...]:
        if seed is None:
            return self._finish(None)
        return self._finish(self._back(self._saved, checked_seed(seed, self._like)))

    def __repr__(self) -> str:
        count, size = held(self._saved)
        values = "value" if count == 1 else "values"
        return f"<pullback of {self._description}: {count} {values}, {size} bytes>"


class Like:
    """The structure of a result, without its contents."""

    __slots__ = ("dtype", "items", "kind", "shape")

    def __init__(self, y: Any) -> None:
        self.kind = type(y)
        self.shape = y.shape if isinstance(y, np.ndarray | np.generic) else None
        self.dtype = y.dtype if isinstance(y, np.ndarray | np.generic) else None
        self.items: Any = None
        if isinstance(y, list | tuple):
            self.items = [Like(item) for item in y]
        elif isinstance(y, dict):
            self.items = {key: Like(item) for key, item in y.items()}

    def __getstate__(self) -> Any:
        return self.kind, self.shape, self.dtype, self.items

    def __setstate__(self, state: Any) -> None:
        self.kind, self.shape, self.dtype, self.items = state


def checked_seed(seed: Any, like: Like) -> Any:
    """The seed in the form that generated code takes; raises where it doesn't fit the result."""
    if seed is None:
        return None
    if like.kind is float or like.kind is int:
        if type(seed) in (float, int):
            return seed
        if np.ndim(seed) != 0:
            raise ValueError(
                f"the result is a number, but the seed has the shape {np.shape(seed)}"
            )
        return seed.item() if isinstance(seed, np.ndarray | np.generic) else seed
    if like.items is not None:
        return _checked_items(seed, like)
    if like.shape is not None:
        if np.shape(seed) != like.shape:
            raise ValueError(
                f"the result has the shape {like.shape}, but the seed has {np.shape(seed)}"
            )
        if like.shape == () and like.kind is not np.ndarray:
            return seed
        return np.asarray(seed)
    return seed


def _checked_items(seed: Any, like: Like) -> Any:
    if isinstance(like.items, dict):
        if not isinstance(seed, dict):
            raise ValueError(f"the result is a dict, the seed a {type(seed).__name__}")
        return {key: checked_seed(seed.get(key), item) for key, item in like.items.items()}
    if not isinstance(seed, list | tuple) or len(seed) != len(like.items):
        raise ValueError(
            f"the result is a {like.kind.__name__} of {len(like.items)} items, so is the seed"
        )
    items = [checked_seed(a, b) for a, b in zip(seed, like.items, strict=True)]
    return items if like.kind is list else tuple(items)


def held(saved: Any) -> tuple[int, int]:
    """How many values a pullback holds, and how many bytes the arrays among them take."""
    if isinstance(saved, np.ndarray):
        return 1, saved.nbytes if saved.strides and any(saved.strides) else saved.itemsize
    if isinstance(saved, list | tuple):
        counts = [held(item) for item in saved]
        return sum(c for c, _ in counts), sum(s for _, s in counts)
    if saved is None:
        return 0, 0
    return 1, 8


def protected(saved: Any, indices: tuple[int, ...], count: int) -> Any:
    """The saved values, with copies of the arrays that the user can reach."""
    if not indices:
        return saved
    if count == 1:
        return copied(saved)
    return tuple(copied(v) if i in indices else v for i, v in enumerate(saved))


def copied(value: Any) -> Any:
    """A copy of the arrays in a value; everything else is kept."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        return [copied(item) for item in value]
    if type(value) is tuple:
        return tuple(map(copied, value))
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    return value


