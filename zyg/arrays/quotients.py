"""Products and quotients by way of what may be beyond the range of floats though they aren't:
squares, powers, sums of exponentials. What is fast is tried first: `np.hypot` takes ten times as
long as the square, another power ten times as long as a quotient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_PART = 2**14


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


def over_plain_square(bar: Any, x: Any, y: Any) -> Any:
    """`bar / (x**2 + y**2)`, whatever comes out."""
    with np.errstate(all="ignore"):
        return _divided(bar, _square_of(x) + _square_of(y))


def over_length(bar: Any, length: Any) -> tuple[Any, Any]:
    """`bar / length`, and None. Where the quotient isn't exact, or a length is 0: `bar`, and what
    is still to be divided by.
    """
    if isinstance(length, np.ndarray) and length.dtype.kind == "f":
        try:
            with np.errstate(all="raise"):
                return bar / length, None
        except FloatingPointError:
            pass
    return bar * np.ones_like(length), np.where(np.equal(length, 0), 1, length)[()]


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


def power_part(power: Any, bar: Any) -> Any:
    """`bar * conj(power)`, which the slopes of an array of powers have in common.

    None where a power or a product has overflowed or lost digits.
    """
    return _times(_conjugate(power), bar, None) if _is_exact_power(power) else None


def power_part_into(power: Any, bar: Any) -> Any:
    """The same, in the memory of the powers if the products have their type."""
    if not _is_exact_power(power):
        return None
    fits = np.shape(bar) in (np.shape(power), ()) and np.result_type(power, bar) == power.dtype
    return _times(_conjugate(power), bar, power if fits else None)


def product_over(bar: Any, factor: Any, divisor: Any) -> Any:
    """`bar * factor / divisor`; None where the product or the quotient isn't exact."""
    try:
        with np.errstate(all="raise"):
            return bar * factor / divisor
    except FloatingPointError:
        return None


def times_log(bar: Any, x: Any) -> Any:
    """`bar * conj(log(x))`; None where that isn't exact, or `x` is 0."""
    try:
        with np.errstate(all="raise"):
            return bar * _conjugate(np.log(in_floats(x)))
    except FloatingPointError:
        return None


def times_log_into(bar: Any, x: Any) -> Any:
    """The same, in the memory of `bar`: by parts, so that the logarithms stay in the cache."""
    if not (isinstance(x, np.ndarray) and x.shape == bar.shape and x.dtype == bar.dtype):
        return times_log(bar, x)
    if not (x.flags.c_contiguous and bar.flags.c_contiguous):
        return times_log(bar, x)
    bars, items = bar.reshape(-1), x.reshape(-1)
    try:
        with np.errstate(all="raise"):
            for i in range(0, bar.size, _PART):
                part = bars[i : i + _PART]
                np.multiply(part, _conjugate(np.log(items[i : i + _PART])), out=part)
    except FloatingPointError:
        return None
    return bar


def _times(x: Any, bar: Any, out: Any) -> Any:
    try:
        with np.errstate(all="raise"):
            return np.multiply(x, bar, out=out)
    except FloatingPointError:
        return None


def _conjugate(x: Any) -> Any:
    return np.conj(x) if np.iscomplexobj(x) else x


def in_floats(x: Any) -> Any:
    """Integers as floats: squares of integers overflow, logarithms of small ones are inexact."""
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    return np.multiply(x, 1.0) if np.result_type(x).kind in "iub" else x


def _is_exact_power(power: Any) -> bool:
    """Whether no item has overflowed, or lost digits close to 0."""
    dtype = np.result_type(power)
    if dtype.kind not in "fc":
        return False
    limits = np.finfo(dtype)
    smallest = limits.smallest_normal / limits.eps
    # Most powers are positive: a reduction takes half of the time of the absolute values.
    is_positive = dtype.kind == "f" and np.min(power, initial=1) > smallest
    size = power if is_positive else np.abs(power)
    if not (is_positive or np.min(size, initial=1) > smallest):
        return False
    return bool(np.max(size, initial=1) < np.inf)


def _square_of(x: Any) -> Any:
    """A square that is no more precise than its operand: `np.square(0.5)` is a `np.float64`."""
    if isinstance(x, (list, tuple)):
        return np.square(x, dtype=float)
    x = in_floats(x) if isinstance(x, (np.ndarray, np.generic)) else x
    return x * x


def _are_exact_squares(square: Any) -> bool:
    """Whether no sum of squares has overflowed, or lost digits close to 0."""
    dtype = np.result_type(square)
    if dtype.kind != "f":
        return False
    smallest = np.finfo(dtype).smallest_normal / np.finfo(dtype).eps
    return bool(np.min(square, initial=1) > smallest and np.max(square, initial=1) < np.inf)
