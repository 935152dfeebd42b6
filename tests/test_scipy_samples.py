"""`scipy.integrate` of samples: values as SciPy has them, gradients by differences."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import integrate

Y = np.array([[0.3, 0.7], [1.1, 0.2], [0.4, 0.9], [0.8, 0.5], [0.6, 1.3], [0.2, 0.1]])
X = np.array([0.0, 0.2, 0.5, 0.9, 1.4, 1.6])
GRID = np.stack([X, 2 * X**2 + X], 1)

PROGRAMS = [
    lambda y, x: integrate.simpson(y, x=x, axis=0),
    lambda y, x: integrate.simpson(y[:, 0], x=x),
    lambda y, x: integrate.simpson(y, dx=x[1], axis=0),
    lambda y, x: integrate.trapezoid(y, x, axis=0),
    lambda y, x: integrate.cumulative_trapezoid(y, x, axis=0),
    lambda y, x: integrate.cumulative_trapezoid(y[:, 0], x, initial=0),
    lambda y, x: integrate.cumulative_trapezoid(y, dx=x[1]),
]


@pytest.mark.thorough
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_samples(program, count):
    value, _ = zyg.pullback(program, Y[:count], X[:count])
    np.testing.assert_allclose(value, program(Y[:count], X[:count]), rtol=1e-13)
    zyg.check_grads(program, Y[:count], X[:count])


@pytest.mark.parametrize("function", [integrate.simpson, integrate.cumulative_trapezoid])
def test_a_grid_for_each_column(function):
    value, _ = zyg.pullback(lambda y, x: function(y, x=x, axis=0), Y, GRID)
    np.testing.assert_allclose(value, function(Y, x=GRID, axis=0), rtol=1e-13)
    zyg.check_grads(lambda y, x: function(y, x=x, axis=0), Y, GRID)


@pytest.mark.thorough
def test_quadrature_by_a_fixed_rule():
    def f(a, b):
        return integrate.fixed_quad(lambda x, c: np.exp(a * x) * c, 0.0, b, args=(a,), n=4)[0]

    assert zyg.pullback(f, 0.4, 1.2)[0] == pytest.approx(f(0.4, 1.2), rel=1e-14)
    zyg.check_grads(f, 0.4, 1.2)
