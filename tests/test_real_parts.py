"""Real numbers made of complex ones, and complex ones made of these: all cotangents and tangents of
what is real are real, whatever it was mixed with.

    a = np.where(x > 1, z.imag, z)       of a complex cotangent, `z.imag` gets the real part
    y = z.real * 2j                      the tangent of `z.real` is the real part of that of `z`
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import zyg

FACTORS = np.array([1.0 + 2.0j, 0.5 - 1.0j])
WEIGHTS = np.array([1.0 + 1.0j, 0.5 - 2.0j, 0.3 + 0.1j])
POINT, DIRECTION = np.array([1.0, 2.0]), np.array([1.0, 0.5])
functions = [np.copy]


def turned(x):
    return x * np.exp(1j * x)


def mixed(x):
    """A list of real numbers beside a complex one."""
    z = turned(x)
    return [z[0].imag, z[1], z[1].imag * z[0].real]


def imaginary_part_stored(x):
    a, z = np.zeros(2, complex), turned(x)
    a[0] = z[0].imag
    a[1] -= z[0].real * z[1].imag
    a += z.imag
    return a * FACTORS


def whole_and_item(x):
    """The cotangent of the whole is real, that of the item isn't."""
    z = turned(x) * turned(x)
    return np.sum(z.real) + np.abs(z[1])


def items_and_whole(x):
    z, total = turned(x), 0.0
    for i in range(2):
        total += np.abs(z[i] * z[1]) + np.abs(z[[0, 0]] * z)[i]
    return total + np.sum(z.real * z.imag)


def normalised(x):
    state = turned(x)
    for _ in range(2):
        state = state - 0.1j * (FACTORS @ state) * state
        state /= np.sqrt(np.vdot(state, state).real)
    return np.abs(state[0]) ** 2 + np.sum(state.real)


PROGRAMS = {
    "whole": whole_and_item,
    "items": items_and_whole,
    "norm": normalised,
    "attribute": lambda x: turned(x).real * FACTORS,
    "item": lambda x: turned(x)[0].real * 1j * turned(x)[1].imag,
    "unknown": lambda x: functions[0](turned(x))[1].real * functions[0](turned(x)).real * FACTORS,
    "python": lambda x: complex(turned(x)[0]).real * FACTORS,
    "diagonal": lambda x: np.diag(turned(x)).real @ FACTORS,
    "arm": lambda x: np.where(x > 1.5, turned(x).imag, turned(x)) * FACTORS,
    "stored": imaginary_part_stored,
    "product": lambda x: turned(x)[0].real * turned(x)[1].imag,
    "sum": lambda x: np.sum(mixed(x)),
    "running sum": lambda x: np.cumsum(mixed(x)) @ WEIGHTS,
    "outer product": lambda x: np.outer(mixed(x), WEIGHTS),
    "cross product": lambda x: np.cross(mixed(x), WEIGHTS),
    "polynomial": lambda x: np.polyval(mixed(x), 0.3 + 0.8j),
    "solution": lambda x: np.linalg.solve([mixed(x), WEIGHTS, [1, 2, 3j]], mixed(x)),
    "transform": lambda x: np.fft.fft(mixed(x)) * WEIGHTS,
    "product of items": lambda x: math.prod(mixed(x)) * math.prod(x, start=turned(x)[0]),
    "product of arrays": lambda x: math.prod([turned(x), x, x[0]], start=x[1]) * FACTORS,
    "comprehension": lambda x: np.array([z.imag if z.real < 0 else z for z in turned(x)]) * FACTORS,
    "dict": lambda x: np.sum(list({"a": turned(x)[0].imag, "b": turned(x)[1]}.values())),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_real_parts(name):
    def program(x):
        return np.sum(np.real(PROGRAMS[name](x) * (1 - 0.3j)))

    def slope(x):
        return zyg.gradient(program, x)[0]

    step = 1e-6 * DIRECTION
    expected = (program(POINT + step) - program(POINT - step)) / 2e-6
    assert slope(POINT) @ DIRECTION == pytest.approx(expected, abs=1e-6)
    assert zyg.jvp(program, (POINT,), (DIRECTION,))[1] == pytest.approx(expected, abs=1e-6)
    curvature = (slope(POINT + step) - slope(POINT - step)) / 2e-6
    forward = zyg.jvp(slope, (POINT,), (DIRECTION,))[1]
    (reverse,) = zyg.pullback(slope, POINT)[1](DIRECTION)
    np.testing.assert_allclose(forward, curvature, atol=1e-5)
    np.testing.assert_allclose(reverse, curvature, atol=1e-5)


def copied(z):
    return np.copy(z)


class CopiedRule:
    """A rule that can't be looked into: nothing is known of what it gives."""

    def __call__(self, z):
        return np.copy(z), lambda y_bar: y_bar * 1.0


zyg.adjoint(copied)(CopiedRule())


@pytest.mark.parametrize("items", [
    lambda z: [z[0].imag, z[1]], lambda z: [np.abs(z[0]), z[1]],
    lambda z: (np.angle(z[0]), z[1]), lambda z: [np.linalg.norm(z), z[1]],
    lambda z: list({"a": np.var(z), "b": z[1]}.values()),
])
def test_real_items_of_unknown_type(items):
    def program(x):
        return np.real(np.sum(items(copied(turned(x)))) * (1 - 0.3j))

    zyg.check_grads(program, POINT, order=1)


def test_real_part_of_a_complex_argument():
    _, y_dot = zyg.jvp(lambda z: ((z * 2.0).real * (1 + 2j)).imag, (1.3 + 0.2j,), (0.3 - 1.1j,))
    assert y_dot == pytest.approx(1.2)


def divided_by_sizes(x):
    """Complex numbers made of real ones, divided by their size more than once."""
    z = x + 1j
    y = z / np.abs(z)
    weights = np.array([1 + 2j, 0.5, 1j])
    return (weights - y * np.real(weights * np.conj(y))) / np.abs(z)


def test_tangents_of_complex_numbers_made_of_real_ones():
    x, x_dot = np.array([0.3, -0.5, 0.9]), np.array([1.0, 0.5, -0.2])
    zyg.check_grads(divided_by_sizes, x)
    _, y_dot = zyg.jvp(divided_by_sizes, (x,), (x_dot,))
    expected = divided_by_sizes(x + 1e-6 * x_dot) - divided_by_sizes(x - 1e-6 * x_dot)
    np.testing.assert_allclose(y_dot, expected / 2e-6, rtol=1e-7)


@pytest.mark.skipif(np.sign(3 + 4j) == 1, reason="the sign of NumPy 1 is that of the real part")
def test_signs_of_complex_numbers_turn():
    z = np.array([0.3 + 0.4j, -0.5 + 0.2j])
    zyg.check_grads(np.sign, z)
    zyg.check_grads(lambda x: np.sign(x + 1j), np.array([0.3, -0.5]))
    (bar,) = zyg.gradient(lambda z: np.sum(np.abs(np.sign(z) - 1j)), 0 * z)
    np.testing.assert_array_equal(bar, 0 * z)


def real_square(z):
    return np.sum(np.real(z) ** 2)


def square_of_summed_parts(z):
    s = 0j
    for item in z:
        s = s + item.real
    return (s * s * (1 + 2j)).real


def real_square_and_product(z):
    return np.sum(z.real**2) + (z[0] * z[1] * (1 + 2j)).real


def square_of_equal_parts(z):
    y = z.astype(complex)
    y.imag = z.real
    return np.sum((y * y * (1 + 2j)).real)


@pytest.mark.parametrize(("f", "z", "v", "expected"), [
    (square_of_equal_parts, np.array([0.5 + 1j, 2j]), np.array([0.5 + 1j, -1.2]), [-4.0, 9.6]),
    (square_of_summed_parts, np.array([0.5 + 1j, 2j]), np.array([0.3 - 2j, 0.4j]), [0.6, 0.6]),
    (real_square_and_product, np.array([1 + 1j, 2j]), np.array([0.3 - 1j, 1j]),
     [-1.4 - 1j, 2.3 + 0.4j]),
    (lambda z: z.real**2, 1 + 2j, 0.3 - 0.2j, 0.6 + 0j),
    (real_square, np.array([0.5 + 1.2j, 2j]), np.array([0.3 - 0.2j, 0.4 + 0.1j]), [0.6, 0.8]),
    (lambda zs: zs[0].real ** 2 * zs[1].imag, (1 + 2j, 3j), (0.3 - 0.2j, 0j), (1.8, 0.6j)),
])
def test_gradients_that_are_real_so_far_have_real_cotangents(f, z, v, expected):
    """In reverse over reverse: a complex one, for the gradient of a complex argument, is cut."""
    (found,) = zyg.pullback(lambda z: zyg.gradient(f, z)[0], z)[1](v)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(zyg.hvp(f, z, v), expected)


def test_complex_cotangents_are_added_to_those_of_converted_parts():
    def f(zs):
        items = [zs[0] * 1j, zs[1], np.float64(zs[0].real)]
        return sum(items) + sum(items[1:])

    (bars,) = zyg.pullback(f, [0.5 + 1j, -1.2 + 0.3j])[1](1 + 2j)
    assert bars == [4 - 1j, 2 + 4j]


def test_item_of_a_number_twice():
    assert zyg.hvp(lambda x: np.float64(x).item() * x, 0.7, 1.0) == 2.0
    (found,) = zyg.pullback(zyg.grad(lambda x: np.float64(x).item() * x), 0.7)[1](1.0)
    assert found == 2.0


def test_sums_of_complex_operands_by_einsum_twice():
    z, v = np.array([0.5 + 1j, -1.2 + 0.3j]), np.array([0.3 - 0.2j, 0.4 + 0.1j])

    def f(z):
        return (np.einsum("i,k->i", z, z.real) @ np.array([1 + 2j, 1j])).real

    (expected,) = zyg.pullback(lambda z: zyg.gradient(f, z)[0], z)[1](v)
    np.testing.assert_allclose(zyg.hvp(f, z, v), expected)
