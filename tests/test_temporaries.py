"""Products in adjoints that are written so that NumPy reuses memory: the gradient is the same."""

import numpy as np
import pytest
from scipy import special

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


EXPONENTS = np.array([0.5, -1.5, 2.0])
WEIGHTS = np.array([2.0, -1.0, 0.5])


def powers(x, y):
    return np.sum(WEIGHTS * x**y)


def powers_that_are_read_again(x, y):
    z = x**y
    return np.sum(WEIGHTS * z) + np.max(z) * np.sum(z * z)


def test_memory_of_powers():
    assert "power_part_into(x ** y" in str(zyg.code_gradient(powers, X, EXPONENTS))
    for program in (powers, powers_that_are_read_again):
        x, y = X.copy(), EXPONENTS.copy()
        zyg.check_grads(program, x, y, order=2)
        value, back = zyg.pullback(program, x, y)
        for _ in range(2):
            np.testing.assert_allclose(back(1.0), zyg.gradient(program, x, y), rtol=1e-13)
        assert value == program(X, EXPONENTS) and (x == X).all() and (y == EXPONENTS).all()
        assert (WEIGHTS == [2.0, -1.0, 0.5]).all()


@pytest.mark.parametrize(
    ("weights", "x", "y"),
    [
        ([1e-300, 0.0, 2.0], [1e200, 1e300, 3.0], [2.0, 2.0, 0.5]),  # powers overflow
        ([1.0, 0.0, 2.0], [1e-200, 1e-300, 3.0], [1.7, 2.0, 0.5]),  # and underflow
        ([1e200, 1.0, 2.0], [1e150, 2.0, 3.0], [1.0, 2.0, 0.5]),  # a product does
        ([1e-300, 1.0, 2.0], [1e-30, 2.0, 3.0], [0.5, 2.0, 0.5]),
        ([1.0, 1.0, 2.0], [0.0, 2.0, 3.0], [0.0, 2.0, 0.5]),
        ([1.0, 1.0, 2.0], [0.0, 2.0, 3.0], [2.0, 1.0, 0.5]),
    ],
)
def test_slopes_of_powers_beyond_the_range_of_floats(weights, x, y):
    weights, x, y = map(np.array, (weights, x, y))
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        bars = zyg.gradient(lambda x, y: np.sum(weights * np.power(x, y)), x, y)
        slopes = weights * np.where(y == 0, 0, y * x ** (y - 1))
        growth = weights * x**y * np.log(np.where(x == 0, 1, x))
    np.testing.assert_allclose(bars[0], slopes, rtol=1e-12)
    np.testing.assert_allclose(bars[1], growth, rtol=1e-12, atol=1e-320)


def test_a_spread_number_is_a_number():
    rows = np.array([[0.3, 0.7], [1.2, -0.4]])
    for program in (lambda x: np.sum(special.logsumexp(x, axis=1)), lambda x: np.sum(np.ptp(x, 1))):
        assert "broadcast_to" not in str(zyg.code_gradient(program, rows))
        zyg.check_grads(program, rows)


def test_gradients_that_are_spread_are_laid_out_as_usual():
    (bar,) = zyg.gradient(lambda x: np.sum(X * np.einsum("ij->j", x)), np.ones((4, 3)))
    assert bar.flags.c_contiguous and bar.strides == (24, 8)
