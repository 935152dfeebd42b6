"""`np.emath`: what becomes complex where real numbers have no result."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from tests.rule_check import assert_same

X = np.array([0.4, 1.7, 2.5])


@pytest.mark.parametrize(
    "function",
    [
        *(np.emath.sqrt, np.emath.log, np.emath.log2, np.emath.log10),
        *(np.emath.arcsin, np.emath.arccos, np.emath.arctanh),
        lambda x: np.emath.logn(3, x), lambda x: np.emath.logn(x + 4, 2.0),
        lambda x: np.emath.power(x, 0.3), lambda x: np.emath.power(x, -2),
        lambda x: np.emath.power(2.0, x), lambda x: np.emath.sqrt(1j * x),
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [X, -X, X * [1, -1, 1], X[0], -1.3, X.astype(np.float32) / 3])
def test_values_and_slopes(function, x):
    def f(x):
        y = function(x)
        return np.sum(np.real(y) + 2 * np.imag(y))

    assert_same(zyg.pullback(function, x)[0], function(x))
    (bar,) = zyg.gradient(f, x)
    wide = np.asarray(x, float)
    steps = np.eye(wide.size).reshape(wide.size, *wide.shape) * 1e-6
    expected = [(f(wide + step) - f(wide - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(np.ravel(bar), expected, rtol=2e-5, atol=1e-6)
    assert np.asarray(bar).dtype == np.asarray(x).dtype
