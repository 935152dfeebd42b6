"""`jacobian`, `hessian` and `diaghessian` inside of differentiated code."""

import numpy as np
import pytest

import zyg
from tests import differences

X = np.array([0.5, -0.2, 0.8])


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return 0.5 * self.stiffness * np.sum(x**2) + np.sum(x**4)


def quartic(x):
    return np.sum(x**4) + np.prod(x) + np.sum(x**2)


def of_an_array(x):
    (matrix,) = zyg.jacobian(lambda x: np.sin(x) * x[::-1], x)
    return np.sum(matrix**3)


def of_two_arguments(x):
    first, second = zyg.jacobian(lambda x, k: k * x[:2] ** 2, x, x[0])
    return np.sum(first @ x) * np.sum(second)


def of_a_gradient(x):
    return np.sum(zyg.jacobian(lambda x: zyg.gradient(quartic, x)[0], x)[0] ** 2)


def of_structures(x):
    def f(p):
        return {"y": p["a"] * p["b"] ** 2, "z": (p["a"] ** 2, np.array([p["b"], 1.0]), "text")}

    (found,) = zyg.jacobian(f, {"a": x[0], "b": x[2], "count": 3})
    return found["y"]["a"] * found["y"]["b"] + found["z"][0]["a"] * np.sum(found["z"][1]["b"])


def hessian_of_an_array(x):
    return np.linalg.det(zyg.hessian(quartic, x))


def hessian_of_a_number(x):
    return zyg.hessian(lambda z: z**4 * x[0], x[2]) ** 2


def hessian_of_a_structure(x):
    found = zyg.hessian(lambda p: p["a"] ** 3 * np.sum(p["b"] ** 2) * x[0], {"a": x[2], "b": x})
    return found["a"]["a"] * np.sum(found["a"]["b"]) + np.trace(found["b"]["b"])


def diagonal(x):
    return np.sum(zyg.diaghessian(quartic, x)[0] ** 2)


def newton(x):
    for _ in range(2):
        x = x - np.linalg.solve(zyg.hessian(quartic, x), zyg.gradient(quartic, x)[0])
    return np.sum(x * x)


def implicit_steps(x):
    def velocity(y, k):
        return np.array([y[1], -k * y[0] - 0.1 * y[1] ** 3])

    y = x[:2]
    for _ in range(3):
        matrix = zyg.jacobian(velocity, y, x[2])[0]
        y = np.linalg.solve(np.eye(2) - 0.1 * matrix, y + 0.1 * (velocity(y, x[2]) - matrix @ y))
    return y[0] * y[1]


def of_a_method(x):
    return np.linalg.det(zyg.hessian(Spring(x[0]).energy, x))


PROGRAMS = [
    of_an_array, of_two_arguments, of_a_gradient, of_structures, hessian_of_an_array,
    hessian_of_a_number, hessian_of_a_structure, diagonal, newton, implicit_steps, of_a_method,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    value, back = zyg.pullback(f, X)
    assert value == pytest.approx(f(X), rel=1e-12)
    gradient = back(1.0)[0]
    for direction in differences.directions(X.size, np.random.default_rng(0)):
        expected = differences.directional(f, (X,), direction)[0]
        assert gradient @ direction == pytest.approx(expected, rel=1e-6, abs=1e-8)


# Whose inner derivatives are of methods, or of the third order, forward mode refuses.
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not of_a_method])
def test_forward(f):
    _, y_dot = zyg.jvp(f, (X,), (np.ones(3),))
    assert y_dot == pytest.approx(np.sum(zyg.gradient(f, X)[0]), rel=1e-9)


def test_refusals():
    def with_pattern(x):
        return np.sum(zyg.hessian(quartic, x, sparsity="detect"))

    def of_complex_numbers(x):
        return np.sum(np.abs(zyg.jacobian(lambda x: x * 1j, x)[0]))

    with pytest.raises(zyg.NotDifferentiable, match="sparsity"):
        zyg.gradient(with_pattern, X)
    with pytest.raises(zyg.NotDifferentiable, match="complex"):
        zyg.gradient(of_complex_numbers, X)
