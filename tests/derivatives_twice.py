"""Second derivatives of programs whose first ones are right: against differences of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import zyg


def slope_of(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: zyg.gradient(f, x)[0]


def dot_of(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: zyg.jvp(f, (x,), (1.0,))[1]


def slope_by_pullback(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: zyg.pullback(f, x)[1](1.0)[0]


MODES = slope_of, dot_of, slope_by_pullback


def along(bars: Sequence[Any], dots: Sequence[Any]) -> Any:
    return sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))


def slope_along(f: Callable[..., Any], direction: Sequence[Any]) -> Callable[..., Any]:
    """The derivative of a function in a direction, by reverse mode."""
    return lambda *args: along(zyg.gradient(f, *args), direction)


def two_directions(args: Sequence[Any]) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(1)
    return [
        tuple([rng.normal(size=np.shape(x)) if np.ndim(x) else rng.normal() for x in args])
        for _ in range(2)
    ]


def check_second_derivatives(
    f: Callable[..., Any], args: tuple[Any, ...], step: float, tolerance: float
) -> None:
    """Asserts that the gradient of a slope, and its tangent, are as differences of the slope."""
    first, second = two_directions(args)
    slope = slope_along(f, first)
    there, back = [
        slope(*[x + sign * step * dot for x, dot in zip(args, second, strict=True)])
        for sign in (1, -1)
    ]
    expected = pytest.approx((there - back) / (2 * step), rel=tolerance)
    assert along(zyg.gradient(slope, *args), second) == expected
    assert zyg.jvp(slope, args, second)[1] == expected
