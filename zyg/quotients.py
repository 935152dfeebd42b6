"""Quotients by `x**2 + y**2` and `exp(x) + exp(y)`, which may be beyond the range of floats though
the quotient isn't. What is fast is tried first: `np.hypot` takes ten times as long as the square.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def over_square(bar: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """`bar / (x**2 + y**2)`, and None. Where the square isn't exact: `bar` divided by its root,
    and the root, by which is still to be divided.
    """
    try:
        # Whether a square has overflowed or lost digits, the processor tells for nothing.
        with np.errstate(all="raise"):
            square = _square_of(x) + _square_of(y)
            if isinstance(square, np.ndarray) and square.dtype.kind == "f":
                return _divided(bar, square), None
    except FloatingPointError:
        pass
    with np.errstate(over="ignore", under="ignore"):
        square = _square_of(x) + _square_of(y)
    if _are_exact_squares(square):
        return _divided(bar, square), None
    root = np.hypot(x, y)
    return bar / root, root


def _divided(bar: Any, square: Any) -> Any:
    """`bar / square`, in the memory of a large `square`."""
    is_large = isinstance(square, np.ndarray) and isinstance(bar, np.ndarray)
    if is_large and square.shape == bar.shape and square.dtype == bar.dtype:
        return np.divide(bar, square, out=square)
    return bar / square


def weight_of_two(x: Any, y: Any) -> Any:
    """`exp(x)` as a part of `exp(x) + exp(y)`, and 0 where `x` and `y` are `-inf`."""
    with np.errstate(over="ignore", invalid="ignore"):
        part = 1 / (1 + np.exp(np.subtract(y, x)))
    # The product is NaN if one item is, in a tenth of the time of a test of each.
    if np.isnan(np.vdot(part, part)):
        return np.where(np.isneginf(x), 0, part)
    return part


def _square_of(x: Any) -> Any:
    """A square that is no more precise than its operand: `np.square(0.5)` is a `np.float64`."""
    return np.square(x) if isinstance(x, (list, tuple)) else x * x


def _are_exact_squares(square: Any) -> bool:
    """Whether no sum of squares has overflowed, or lost digits close to 0."""
    dtype = np.result_type(square)
    if dtype.kind != "f":
        return False
    smallest = np.finfo(dtype).smallest_normal / np.finfo(dtype).eps
    return bool(np.min(square, initial=1) > smallest and np.max(square, initial=1) < np.inf)
