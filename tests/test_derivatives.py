"""Jacobians, Hessians, products with them, and structures as vectors."""

import collections
import math

import numpy as np
import pytest

import zyg

X = np.array([0.5, -1.0, 2.0])
Pair = collections.namedtuple("Pair", "a b")


def wave(x):
    return np.sin(x) * np.sum(x * x)


def test_jacobian_in_both_directions():
    (found,) = zyg.jacobian(wave, X)
    expected = np.diag(np.cos(X)) * (X @ X) + np.outer(np.sin(X), 2 * X)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    (column,) = zyg.jacobian(lambda t: np.array([math.cos(t), math.sin(t)]), 0.3)
    np.testing.assert_allclose(column, [-math.sin(0.3), math.cos(0.3)])
    (row,) = zyg.jacobian(np.sum, X)
    np.testing.assert_array_equal(row, np.ones(3))


def test_jacobian_of_structures():
    def f(p, n):
        return Pair(p["w"] @ p["x"], (n * p["x"][0], "text"))

    p = {"w": np.arange(6.0).reshape(2, 3), "x": X, "name": "p"}
    by_p, by_n = zyg.jacobian(f, p, 2.0)
    assert isinstance(by_p, Pair) and by_p.b[1] is None
    np.testing.assert_array_equal(by_p.a["x"], p["w"])
    assert by_p.a["w"].shape == (2, 2, 3) and by_p.a["name"] is None
    np.testing.assert_array_equal(by_p.b[0]["x"], [2.0, 0.0, 0.0])
    np.testing.assert_array_equal(by_n.a, np.zeros(2))
    assert by_n.b[0] == 0.5


def test_jacobian_forward_is_jacobian_reverse():
    def wide(a, b):
        return np.outer(a, np.exp(b) * np.ones(4))

    by_a, by_b = zyg.jacobian(wide, X[:2], 0.5)
    assert by_a.shape == (2, 4, 2) and by_b.shape == (2, 4)
    for k in range(2):
        step = np.eye(2)[k]
        np.testing.assert_allclose(by_a[..., k], wide(step, 0.5), rtol=1e-12)
    np.testing.assert_allclose(by_b, wide(X[:2], 0.5), rtol=1e-12)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def test_hessian_and_products():
    hessian = zyg.hessian(rosenbrock, X)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-12)
    for v in np.eye(3):
        np.testing.assert_allclose(zyg.hvp(rosenbrock, X, v), hessian @ v, atol=1e-12)
    np.testing.assert_allclose(zyg.diaghessian(rosenbrock, X)[0], np.diag(hessian))
    _, back = zyg.vjp(lambda x: zyg.gradient(rosenbrock, x)[0], X)
    np.testing.assert_allclose(back(X)[0], hessian @ X)


def states_in_a_list(x):
    states = [np.zeros(3)]
    for row in x:
        states.append(np.tanh(row + x @ states[-1]))
    return sum(np.sum(state**2) for state in states[1:])


@pytest.mark.parametrize(
    "f",
    [
        states_in_a_list,
        lambda x: np.sum(np.diagonal(x) ** 3),
        lambda x: np.sum(np.diff(x, axis=0) ** 3),
    ],
)
def test_hvp_takes_no_pass_for_each_number_of_an_array(f, monkeypatch):
    def refused(*args):
        raise AssertionError("coordinate by coordinate")

    x, v = np.arange(9.0).reshape(3, 3) / 9.0, np.cos(np.arange(9.0)).reshape(3, 3)
    step = 1e-6
    expected = (zyg.gradient(f, x + step * v)[0] - zyg.gradient(f, x - step * v)[0]) / (2 * step)
    monkeypatch.setattr("zyg.compiler.forward_mode.tangent_rows._with_coordinates", refused)
    np.testing.assert_allclose(zyg.hvp(f, x, v), expected, rtol=1e-6, atol=1e-8)


def test_hessian_of_structures():
    def f(p):
        return p["a"] ** 2 * np.sum(p["x"] ** 3)

    found = zyg.hessian(f, {"a": 2.0, "x": X})
    assert found["a"]["a"] == 2.0 * np.sum(X**3)
    np.testing.assert_allclose(found["a"]["x"], 4.0 * 3.0 * X**2)
    np.testing.assert_allclose(found["x"]["x"], np.diag(4.0 * 6.0 * X))


def test_diagonals_of_several_arguments():
    by_x, by_y = zyg.diaghessian(lambda x, y: np.sum(x**3) * y**2, X, 2.0)
    np.testing.assert_allclose(by_x, 6.0 * X * 4.0)
    assert by_y == 2.0 * np.sum(X**3)


def test_complex_jacobians_are_refused():
    with pytest.raises(zyg.NotDifferentiable, match="complex"):
        zyg.jacobian(lambda x: x * 1j, X)


def test_flatten():
    tree = {"w": np.ones((2, 2)), "b": [0.5, Pair(2, np.float32(3.0))], "on": True, "name": "n"}
    vector, unflatten = zyg.flatten(tree)
    np.testing.assert_array_equal(vector, [1.0, 1.0, 1.0, 1.0, 0.5, 3.0])
    again = unflatten(2 * vector)
    assert again["b"] == [1.0, Pair(2, np.float32(6.0))] and again["name"] == "n"
    assert type(again["b"][1].b) is np.float32 and again["on"] is True
    gradient = {"w": np.zeros((2, 2)), "b": [7.0, Pair(1.5, 8.0)], "on": None, "name": None}
    np.testing.assert_array_equal(unflatten.vector(gradient), [0, 0, 0, 0, 7.0, 8.0])
    with pytest.raises(ValueError, match="6 numbers"):
        unflatten(np.ones(5))
    with pytest.raises(ValueError, match="items"):
        unflatten.vector({**gradient, "b": [1.0]})


class Spring:
    def __init__(self, stiffness):
        self.stiffness, self.ends = stiffness, (0, 1)


def test_flatten_leaves_no_numbers_of_objects_out():
    for tree in (Spring(2.0), [1.0, Spring(np.ones(2))], {"spring": [Spring(0.5)]}):
        with pytest.raises(TypeError, match="Spring holds numbers"):
            zyg.flatten(tree)
    with pytest.raises(TypeError, match="Spring holds numbers"):
        zyg.hessian(lambda spring: spring.stiffness**2, Spring(2.0))
    assert list(zyg.flatten([1.0, Spring(2), "a", np.sin])[0]) == [1.0]
    assert zyg.jacobian(lambda spring, x: spring.stiffness * x, Spring(2.0), 3.0)[0] is None


def test_flatten_serves_an_optimiser():
    def loss(p):
        return (p["a"] - 3.0) ** 2 + np.sum((p["x"] + 1.0) ** 2)

    vector, unflatten = zyg.flatten({"a": 0.0, "x": np.zeros(2)})
    for _ in range(60):
        (gradient,) = zyg.gradient(loss, unflatten(vector))
        vector = vector - 0.25 * unflatten.vector(gradient)
    np.testing.assert_allclose(vector, [3.0, -1.0, -1.0], atol=1e-9)
