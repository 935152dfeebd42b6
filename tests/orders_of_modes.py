"""Second derivatives of a function of one number, by the four orders of the two modes."""

import pytest

import zyg


def forward(f):
    return lambda x: zyg.jvp(f, (x,), (1.0,))[1]


def reverse(f):
    return lambda x: zyg.gradient(f, x)[0]


MODES = [forward, reverse]


def check_second_derivative(f, inner, outer, x, step=1e-5):
    """Compares with differences of the first derivative in reverse mode."""
    slope = reverse(f)
    expected = (slope(x + step) - slope(x - step)) / (2 * step)
    assert outer(inner(f))(x) == pytest.approx(expected, rel=1e-7)
