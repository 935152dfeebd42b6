"""Integers beside floats: what overflows in their type, has few digits in it, or is rounded."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

LEVELS = [
    np.array([200, 250, 3], np.uint8), np.array([100, -120, 3], np.int8),
    np.array([300, -20000, 7], np.int16), np.array([300, 60000, 7], np.uint16),
    np.array([70000, -100000, 3], np.int32), np.array([True, False, True]),
]  # fmt: skip
Y = np.array([0.7, 1.3, 0.4])


@pytest.mark.parametrize("levels", LEVELS, ids=lambda levels: levels.dtype.name)
@pytest.mark.parametrize(
    "function",
    [
        lambda y, n: np.arctan2(n, y) * n,
        lambda y, n: np.arctan2(y, n) * n,
        lambda y, n: np.power(np.abs(n), y),
        lambda y, n: abs(n) ** y,
        lambda y, n: np.float_power(np.abs(n), y),
        lambda y, n: np.interp(y, [0.0, 1.0, 2.0], n),
        lambda y, n: np.interp([0.1, 1.4], y[[2, 1]], n[:2]),
        lambda y, n: np.interp(n, np.array([5, 110, 240], np.uint8), y),
    ],
    ids=["arctan2", "arctan2 of two", "power", "**", "float_power", "interp", "grid", "values"],
)
def test_slopes_beside_integers(function, levels):
    check_gradient(lambda y: np.sum(function(y, levels)), (Y,), zyg.pullback)


@pytest.mark.parametrize("function", [np.arctan, np.arcsinh])
def test_slopes_in_integers(function):
    x = np.array([70000, -100000, 3], np.int32)
    expected = zyg.gradient(lambda x: np.sum(function(x)), x.astype(float))[0]
    np.testing.assert_allclose(zyg.gradient(lambda x: np.sum(function(x)), x)[0], expected)


WHOLE = np.array([5, 6, 7])
ROUNDED = {
    "insert": lambda y: np.insert(WHOLE, 1, y),
    "insert one": lambda y: np.insert(WHOLE, 1, y[0]),
    "pad": lambda y: np.pad(WHOLE, 1, constant_values=y[0]),
    "linspace": lambda y: np.linspace(y[0], 5 * y[1], 4, dtype=int),
    "concatenate": lambda y: np.concatenate([y, y], dtype=int, casting="unsafe"),
    "stack": lambda y: np.stack([y, y], dtype=int, casting="unsafe"),
    "sum": lambda y: np.sum(y, dtype=int),
    "sum by position": lambda y: np.sum(y, 0, int),
    "cumsum by position": lambda y: np.cumsum(y, 0, np.int32),
    "mean": lambda y: np.mean(y, dtype=int),
    "mean of an array": lambda y: y.mean(None, int),
    "prod": lambda y: np.prod(y, dtype=int),
    "cumsum": lambda y: np.cumsum(y, dtype=int),
    "cumprod": lambda y: np.cumprod(y, dtype=int),
    "sum of an array": lambda y: y.sum(dtype=int),
    "prod of an array": lambda y: y.prod(dtype=int),
    "cumsum of an array": lambda y: y.cumsum(dtype=int),
    "cumprod of an array": lambda y: y.cumprod(dtype=int),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_what_is_rounded_has_no_slope(name):
    def f(y):
        return np.sum(ROUNDED[name](y) * 1.5)

    np.testing.assert_array_equal(zyg.gradient(f, Y + 1)[0], np.zeros(3))
    assert zyg.jvp(f, (Y,), (np.array([0.5, 1.5, 1.0]),))[1] == 0
