"""Inverse functions on their cuts: along a cut they are smooth, on the side that a zero's sign
tells."""

from __future__ import annotations

import cmath

import numpy as np
import pytest

import zyg

FUNCTIONS = [
    *(np.arcsin, np.arccos, np.arctan, np.arcsinh, np.arccosh, np.arctanh, np.sqrt, np.log),
    *(np.log2, np.log10),
    *(cmath.asin, cmath.acos, cmath.atan, cmath.asinh, cmath.acosh, cmath.atanh, cmath.sqrt),
    *(cmath.log, cmath.log10),
]
SIDES = [
    lambda x: complex(x, 0.0), lambda x: complex(x, -0.0), lambda x: complex(0.0, x),
    lambda x: complex(-0.0, x),
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.__name__}")
@pytest.mark.parametrize("place", [1.7, -1.7, 0.3])
def test_slopes_along_cuts(function, place):
    for side in SIDES:
        def parts(x, side=side):
            y = function(side(x))
            return y.real + 2 * y.imag

        step = 1e-5
        expected = (parts(place + step) - parts(place - step)) / (2 * step)
        assert zyg.gradient(parts, place)[0] == pytest.approx(expected, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("function", [np.arcsin, np.arccos, np.arccosh, np.arctanh])
def test_slopes_of_arrays_along_cuts(function):
    def f(x):
        return np.sum(np.imag(function(x + 0j)) * x)

    x = np.array([1.2, -1.9, 2.5])
    steps = 1e-5 * np.eye(3)
    expected = [(f(x + step) - f(x - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(zyg.gradient(f, x)[0], expected, atol=1e-8)
