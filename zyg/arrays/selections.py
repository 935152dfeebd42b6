"""Cotangents of what selects among items: the cotangent where a mask is true, and else 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.cotangents.no_cotangent import NoCotangent

# Integers of the size of a number.
WORDS = {"d": np.int64, "f": np.int32}


def chosen(condition: Any, bar: Any, other: Any) -> Any:
    """What `np.where` chooses of a number and a constant, in the class of the number."""
    if condition or bar is None or type(bar) is NoCotangent:
        return bar
    return bar.dtype.type(other) if isinstance(bar, np.ndarray) else type(bar)(other)


def selected(bar: Any, mask: Any) -> Any:
    """`bar` where `mask` is true, 0 elsewhere, also where `bar` is infinite or NaN there.

    For each item the bits of `bar`, and ones or zeros for them: that takes a fifth of the time of a
    selection of random items, and knows no NaN.
    """
    if not isinstance(bar, np.ndarray):
        if type(bar) is NoCotangent:
            return bar
        return np.multiply(bar, mask) if np.isfinite(bar) else np.where(mask, bar, 0)[()]
    words = WORDS.get(bar.dtype.char) if bar.dtype.isnative else None
    if words is None or not isinstance(mask, np.ndarray) or mask.dtype != bool:
        return np.where(mask, bar, 0)[()]
    return np.bitwise_and(bar.view(words), np.negative(mask.view(np.int8))).view(bar.dtype)


def narrowed(mask: Any, shape: tuple[int, ...], is_true: bool) -> Any:
    """A mask of the shape of an array that is broadcast with it: true where the mask is true for
    any item that one of the array becomes; or, if `is_true` is false, for all of them."""
    if np.shape(mask) == shape:
        return mask
    over = np.any if is_true else np.all
    extra = np.ndim(mask) - len(shape)
    if extra > 0:
        mask = over(mask, axis=tuple(range(extra)))
    own = np.shape(mask)
    pairs = enumerate(zip(own, shape[len(shape) - len(own) :], strict=True))
    axes = tuple([axis for axis, (length, wanted) in pairs if wanted == 1 and length != 1])
    return np.broadcast_to(over(mask, axis=axes, keepdims=True) if axes else mask, shape)


def is_finite(bar: Any) -> bool:
    """Whether all items are finite, or rather their squares: a pass that writes nothing."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.vdot(bar, bar)))


def is_steep(y_dot: Any, x_dot: Any) -> Any:
    """Where a tangent has come of 0 times an infinite slope."""
    return np.logical_and(np.isnan(y_dot), np.equal(x_dot, 0))


def unmoved(y_dot: Any, x_dot: Any) -> Any:
    """The tangent of a function of `x`: 0 where `x` doesn't move, however steep it is there."""
    return y_dot if is_finite(y_dot) else np.where(is_steep(y_dot, x_dot), 0, y_dot)[()]


def below_infinity(x: Any, most: float) -> Any:
    """`x`, with a number that is far enough away in the place of infinities."""
    return x if is_finite(x) else np.where(np.isinf(x), most, x)
