"""Second derivatives of programs whose objects hold views of arrays that change in place."""

import copy

import numpy as np
import pytest

import zyg
from tests import differences
from tests.differences import floats


class Flat:
    """Views of one vector."""

    def __init__(self, theta):
        self.weights = theta[:2]
        self.bias = theta[2:]


class Holder:
    def __init__(self, value):
        self.value = value


def views_of_a_local_array(theta, x):
    whole = theta * x
    flat = Flat(whole)
    flat.weights[0] = 3.0 * x * whole[3]
    whole[1] *= flat.weights[0]
    flat.bias *= x
    return np.sum(whole**2) + flat.weights[1] * flat.bias[0]


def views_of_an_argument(theta, x):
    flat = Flat(theta)
    flat.weights += flat.bias * x
    theta[3] = flat.weights[0] * x
    return np.sum(theta * theta) * flat.bias[1]


def local_view_of_what_is_held(theta, x):
    holder = Holder(theta * x)
    view = holder.value[1:]
    holder.value[0] = x * view[1]
    view *= x
    holder.value[2] += view[0] * holder.value[0]
    return np.sum(holder.value**2) + view[1]


def rows_of_a_matrix(theta, x):
    matrix = np.outer(theta, theta) * x
    first, last = Holder(matrix[0]), Holder(matrix[-1])
    first.value[:] = last.value * x
    last.value[1] = first.value[1] * first.value[2]
    return np.sum(matrix * matrix)


def changed_in_a_loop(theta, x):
    whole = theta * 1.0
    flat = Flat(whole)
    total = 0.0
    for i in range(2):
        flat.weights[i % 2] += x * flat.bias[0]
        flat.bias *= 0.5 + whole[i]
        total += np.sum(whole[1:] * whole[:-1])
    return total


def replaced_and_changed(theta, x):
    flat = Flat(theta * x)
    kept = flat.weights
    flat.weights = flat.weights * flat.bias
    flat.weights[0] *= x
    kept[1] = flat.weights[0] * x
    return np.sum(flat.weights) * np.sum(kept * flat.bias)


def view_of_a_view(theta, x):
    whole = theta * x
    holder = Holder(whole[1:])
    inner = Holder(holder.value[1:])
    inner.value[0] = whole[0] * x
    holder.value[0] *= inner.value[0]
    return np.sum(whole**3) * inner.value[1]


def in_methods(theta, x):
    model = Model(theta * x)
    for _ in range(2):
        model.step(x)
    return model.loss()


class Model:
    def __init__(self, theta):
        self.theta = theta
        self.w = theta[:3].reshape(3)
        self.b = theta[3:]

    def loss(self):
        return np.sum(np.sin(self.w) * self.b[0]) + np.sum(self.theta**2)

    def step(self, rate):
        self.w -= rate * np.cos(self.w) * 0.1
        self.b[0] += rate * self.w[1]
        self.theta *= 0.9


PROGRAMS = [
    views_of_a_local_array, views_of_an_argument, local_view_of_what_is_held, rows_of_a_matrix,
    changed_in_a_loop, replaced_and_changed, view_of_a_view, in_methods,
]
CASES = [(f, x) for f in PROGRAMS for x in (1.3, 0.7)]


@pytest.mark.parametrize(("f", "x"), CASES)
def test_gradient_of_a_gradient(f, x):
    args = np.array([1.0, 0.5, -0.7, 0.8]), x
    differences.check_gradient(lambda *args: zyg.gradient(f, *args), args, zyg.pullback)


@pytest.mark.parametrize(("f", "x"), CASES)
def test_forward_mode_gives_the_same(f, x):
    def slopes(*args):
        return zyg.gradient(f, *args)

    args = np.array([1.0, 0.5, -0.7, 0.8]), x
    y, back = zyg.pullback(slopes, *copy.deepcopy(args))
    seed = differences.seed_like(y, np.random.default_rng(0))
    bars = back(copy.deepcopy(seed))
    _, dots = zyg.jvp(slopes, copy.deepcopy(args), (np.ones(4), 1.0))
    assert floats(dots) @ floats(seed) == pytest.approx(np.sum(floats(bars)))
