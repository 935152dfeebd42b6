"""Derivatives of functions of one number: values, slopes and second derivatives in each mode."""

import numpy as np

import zyg


def check_first(f, x):
    """Value, gradient and `jvp` are those of plain calls and their differences."""
    y, (slope,) = zyg.withgradient(f, x)
    assert np.isclose(y, f(x), rtol=1e-15)
    h = 1e-5
    assert np.isclose(slope, (f(x + h) - f(x - h)) / (2 * h), rtol=1e-6)
    assert np.isclose(zyg.jvp(f, (x,), (1.0,))[1], slope)


def check_hvp(f, x):
    """The same, and the second derivative, forward over reverse, is a difference of gradients."""
    check_first(f, x)
    assert np.isclose(zyg.hvp(f, x, 1.0), _second(f, x), rtol=1e-4, atol=1e-6)


def check_twice(f, x):
    """The same in all modes."""
    check_hvp(f, x)
    second = _second(f, x)
    by_jvp = zyg.gradient(lambda x: zyg.jvp(f, (x,), (1.0,))[1], x)[0]
    for found in zyg.gradient(zyg.grad(f), x)[0], by_jvp:
        assert np.isclose(found, second, rtol=1e-4, atol=1e-6)


def _second(f, x):
    h = 1e-4
    return (zyg.gradient(f, x + h)[0] - zyg.gradient(f, x - h)[0]) / (2 * h)
