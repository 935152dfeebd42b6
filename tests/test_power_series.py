"""Functions of `numpy.polynomial.polynomial` that have substitutes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import polynomial

import zyg

X = np.array([0.3, 0.5, 0.8])
PROGRAMS = [
    lambda x: polynomial.polyder(x),
    lambda x: polynomial.polyder(x, 2, 3.0),
    lambda x: polynomial.polyder(np.stack([x, x * x]), axis=1),
    lambda x: polynomial.polyder([1, 2, x[0]]),
    lambda x: polynomial.polyder(x, 5),
    lambda x: polynomial.polyint(x, 2, [x[0], 2.0], x[1], x[2]),
    lambda x: polynomial.polyint(np.stack([x, x * x]), axis=1),
    lambda x: polynomial.polyint(x[:1] * 0, 2, k=3),
    lambda x: polynomial.polyint([1, 2, 3]) * x[0],
    lambda x: polynomial.polyfromroots(x),
    lambda x: polynomial.polyfromroots([x[0], 1, x[1] * x[2]]),
    lambda x: np.polynomial.Polynomial(x, domain=[0, 2]).deriv(2).coef,
    lambda x: np.polynomial.Polynomial(x).integ(2, k=[1, 2], lbnd=0.5).coef,
    lambda x: np.polynomial.Polynomial(x).deriv()(x),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    value, _ = zyg.pullback(f, X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    assert value.dtype == f(X).dtype
    zyg.check_grads(lambda x: np.sum(f(x) ** 2), X, order=1)


def test_second_derivatives():
    zyg.check_grads(lambda x: np.sum(polynomial.polyder(x**2) ** 2), X)
    zyg.check_grads(lambda x: np.sum(polynomial.polyint(x, lbnd=0.5) ** 2), X)
    zyg.check_grads(lambda x: np.sum(polynomial.polyval(x, polynomial.polyder(x**2))), X)


@pytest.mark.parametrize(("f", "error"), [
    (lambda x: polynomial.polyder(x, -1), ValueError),
    (lambda x: polynomial.polyder(x, 1.5), TypeError),
    (lambda x: polynomial.polyder(x, axis=4), np.exceptions.AxisError),
    (lambda x: polynomial.polyint(x, 1, [1, 2]), ValueError),
    (lambda x: polynomial.polyint(x, lbnd=[1]), ValueError),
])
def test_errors(f, error):
    for call in (f, lambda x: zyg.pullback(f, x)):
        with pytest.raises(error):
            call(X)
