"""Products in adjoints that are written so that NumPy reuses memory: the gradient is the same."""

import numpy as np
import pytest

import zyg

X = np.array([0.3, 0.7, 1.2])


def tangents(x):
    return np.sum(X * np.tan(x))


def logistic(x):
    return np.sum(X * (1 / (1 + np.exp(-x))))


def spectrum(x):
    return np.sum(np.abs(np.fft.rfft(x)) ** 2)


@pytest.mark.parametrize(
    ("program", "written", "gone"),
    [
        (tangents, "np.tan(x) ** 2", "t * t"),
        (logistic, "/ t_1 / t_1", "1 / t_1)"),
        (spectrum, "rfft(x)", "np.abs"),
    ],
)
def test_code(program, written, gone):
    code = str(zyg.code_gradient(program, X))
    assert written in code and gone not in code, code
    _, back = zyg.pullback(program, X)
    np.testing.assert_allclose(zyg.gradient(program, X)[0], back(1.0)[0], rtol=1e-14)
    zyg.check_grads(program, X)


def changed_divisor(x):
    """The reciprocal's operand is changed behind it."""
    u = np.exp(x)
    z = 1 / u
    total = np.sum(X * z)
    u[...] = 3.0 * x
    return total + np.sum(u * u)


def value_of_a_reciprocal(x):
    """What the program computes is rounded as it was written."""
    return np.sum(X * (1 / (x * 3.0)))


@pytest.mark.parametrize("program", [changed_divisor, value_of_a_reciprocal])
def test_programs_compute_what_they_did(program):
    zyg.check_grads(program, X)
    value, (bar,) = zyg.withgradient(program, X)
    assert value == program(X)
    np.testing.assert_allclose(bar, zyg.pullback(program, X)[1](1.0)[0], rtol=1e-13)


def test_directions_of_zeros():
    z = np.array([0.0, 3 + 4j, 1e-200 + 1e-200j])
    (bar,) = zyg.gradient(lambda z: np.sum(2.0 * np.abs(z) ** 2), z)
    np.testing.assert_array_equal(bar, 4 * z)
