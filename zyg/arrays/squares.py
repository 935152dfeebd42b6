"""Squares of sizes: `abs(x) ** 2` and `np.linalg.norm(x) ** 2`, smooth where the size is 0.

Each takes the function that squares, the size and what else that function is given, and what the
size was computed from; `zyg.compiler.forward.squared_sizes` puts them in the place of a power.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def square_of_absolute(square: Callable[..., Any], size: Any, other: Any, x: Any) -> Any:
    """`square(size, other)`, where `size` is `abs(x)`."""
    return squared(square, size, other)


def square_of_hypot(square: Callable[..., Any], size: Any, other: Any, *parts: Any) -> Any:
    """`square(size, other)`, where `size` is `math.hypot(*parts)` or that of NumPy."""
    return squared(square, size, other)


def square_of_norm(
    square: Callable[..., Any], size: Any, other: Any, x: Any,
    ord: Any = None, axis: Any = None, keepdims: bool = False,
) -> Any:
    """`square(size, other)`, where `size` is `np.linalg.norm(x, ord, axis, keepdims)`."""
    return squared(square, size, other)


def squared(square: Callable[..., Any], size: Any, other: Any) -> Any:
    return square(size) if other is None else square(size, other)
