"""What calls of constants make, and is then called with what is differentiated."""

import operator

import numpy as np
import pytest
from scipy import interpolate

import zyg


def spline_of_constants(x):
    return interpolate.CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])(x) ** 2


def line_of_constants(x):
    return interpolate.interp1d([0.0, 1.0, 2.0], [0.0, 1.0, 8.0])(x) ** 2


def method_of_an_array(x):
    return operator.methodcaller("sum")(np.ones(3) * x) ** 2


def items_of_an_array(x):
    first, last = operator.itemgetter(0, 2)(np.arange(1.0, 4.0) * x)
    return first * last


PROGRAMS = [spline_of_constants, line_of_constants, method_of_an_array, items_of_an_array]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    x, h = 1.3, 1e-6
    difference = (f(x + h) - f(x - h)) / (2 * h)
    assert zyg.gradient(f, x)[0] == pytest.approx(difference, rel=1e-7)
    assert zyg.jvp(f, (x,), (1.0,))[1] == pytest.approx(difference, rel=1e-7)
    second = zyg.grad(lambda x: zyg.grad(f)(x))(x)
    step = 1e-4
    expected = (f(x + step) - 2 * f(x) + f(x - step)) / step**2
    assert second == pytest.approx(expected, rel=1e-4)
