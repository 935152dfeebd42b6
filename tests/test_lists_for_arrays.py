"""Lists of numbers where NumPy takes an array."""

import cmath

import numpy as np
import pytest

import zyg

FUNCTIONS = [
    np.log2, np.log10, np.log1p, np.arcsin, np.arccos, np.arctanh, np.sin, np.sqrt,
    lambda x: np.max(x, axis=0), lambda x: np.min(x, axis=0), lambda x: np.ptp(x, axis=0),
    lambda x: np.nanmax(x, axis=0), lambda x: np.nanmin(x, axis=0), np.std, np.var,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradient_and_tangent(function):
    def f(x, y):
        return np.sum(function([x, y]))

    def of_array(x):
        return np.sum(function(x))

    x = np.array([0.3, 0.7])
    (expected,) = zyg.gradient(of_array, x)
    np.testing.assert_allclose(zyg.gradient(f, 0.3, 0.7), expected, rtol=1e-12)
    _, along = zyg.jvp(f, (0.3, 0.7), (1.0, -2.0))
    assert along == pytest.approx(expected @ [1.0, -2.0], rel=1e-12)


def test_hyperbolic_angle():
    bars = zyg.gradient(lambda x, y: np.sum(np.arccosh([x, y])), 1.5, 2.5)
    np.testing.assert_allclose(bars, 1 / np.sqrt(np.array([1.25, 5.25])), rtol=1e-12)


def test_phase_of_a_real_number_does_not_turn():
    def f(x):
        return (1j * cmath.phase(x)).real

    assert zyg.jvp(f, (0.45,), (1.0,)) == (0.0, 0.0)
    assert zyg.gradient(f, 0.45) == (0.0,)
