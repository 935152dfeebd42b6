"""Programs as people write them that were refused, or ended in raw errors."""

import copy

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

pytest.importorskip("scipy")

from scipy import sparse
from scipy.sparse.linalg import spsolve

MATRIX = np.array([[1.0, 2.0], [0.5, -1.0]])


class Kernel:
    def __add__(self, other):
        return Sum(self, other)

    def __rmul__(self, factor):
        return Product(Constant(factor), self)


class Constant(Kernel):
    def __init__(self, value):
        self.value = value

    def __call__(self, xs):
        return np.full((len(xs), len(xs)), self.value)


class Gaussian(Kernel):
    def __init__(self, width):
        self.width = width

    def __call__(self, xs):
        return np.exp(-0.5 * ((xs[:, None] - xs) / self.width) ** 2)


class Sum(Kernel):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __call__(self, xs):
        return self.left(xs) + self.right(xs)


class Product(Sum):
    def __call__(self, xs):
        return self.left(xs) * self.right(xs)


class Process:
    def __init__(self, kernel, noise):
        self.kernel, self.noise = kernel, noise

    def fit(self, xs, ys):
        covariance = self.kernel(xs)
        covariance[np.diag_indices_from(covariance)] += self.noise**2
        self.factor = np.linalg.cholesky(covariance)
        self.weights = np.linalg.solve(covariance, ys)
        return self


def likelihood(width, noise, xs):
    kernel = 1.5 * Gaussian(width) + Constant(width) + 0.3 * Gaussian(2.0)
    fitted = Process(kernel, noise).fit(xs, xs**2)
    return np.log(np.diag(fitted.factor)).sum() + fitted.weights @ xs


def test_what_kernels_of_kernels_give_is_changed():
    args = 0.8, 0.4, np.array([0.0, 0.5, 1.2])
    check_gradient(likelihood, args, zyg.pullback)
    bars = zyg.gradient(likelihood, *args)
    _, y_dot = zyg.jvp(likelihood, args, (1.0, 1.0, np.ones(3)))
    np.testing.assert_allclose(y_dot, bars[0] + bars[1] + np.sum(bars[2]))


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield from (self.x, self.y)

    def __call__(self, weights, *others):
        return self.x * weights[0] + self.y * weights[1] + sum(others)


def taken_apart(vector, weights):
    first, *others = vector
    return first * sum(others) + vector(list(weights), *weights) + first


def test_equal_numbers_of_an_object_have_tangents_of_their_own():
    dots = {"x": 2.0, "y": 3.0}, (5.0, 7.0)
    assert zyg.jvp(taken_apart, (Vector(0.0, 0.0), (0.0, 0.0)), dots) == (0.0, 14.0)
    assert zyg.jvp(taken_apart, (Vector(1.0, 1.0), (1.0, 1.0)), dots) == (6.0, 36.0)


def copied_and_changed(named):
    shallow, deep = copy.copy(named), copy.deepcopy(named)
    shallow["a"][0] *= 3
    named["b"] *= 2
    deep["a"] += shallow["a"]
    return sum(deep["a"]) * np.sum(named["b"])


def test_deep_copies_do_not_keep_a_program_from_beginning_again():
    check_gradient(copied_and_changed, ({"a": [1.0, 2.0], "b": np.ones(2)},), zyg.pullback)


def of_entries(values, x):
    solved = spsolve(sparse.diags([values + 2.0, -np.ones(2)], [0, 1], format="csr"), x)
    entries = []
    for value in values:
        entries += [value, -0.5 * value]
    matrix = sparse.coo_matrix((entries, ([0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0])), shape=(3, 3))
    return solved @ (matrix @ solved)


@pytest.mark.filterwarnings("ignore")
def test_sparse_matrices_beside_lists_that_change():
    args = np.array([1.0, 2.0, 0.5]), np.array([0.3, -1.0, 2.0])
    check_gradient(of_entries, args, zyg.pullback)


class Room:
    def __init__(self, warmth):
        self.warmth = warmth
        self.hooks = {"warm": [], "cold": []}

    def on(self, state):
        def register(hook):
            self.hooks[state].append(hook)
            return hook

        return register

    def step(self, power):
        for hook in self.hooks["warm" if self.warmth > 1.0 else "cold"]:
            hook(power)


def heated(warmth, power):
    room = Room(warmth)

    @room.on("cold")
    def heat(power):
        room.warmth += power * warmth

    @room.on("warm")
    @room.on("cold")
    def lose(power):
        room.warmth *= 0.9

    for _ in range(4):
        room.step(power)
    return room.warmth * len(room.hooks["cold"])


def test_a_method_gives_a_decorator_that_changes_its_object():
    check_gradient(heated, (0.5, 0.7), zyg.pullback)


class Simulation:
    def __init__(self, rate):
        self.rate = rate
        self.state = np.zeros(2)


def run(simulation, state):
    for step in range(3):
        state[0] = state[1] * simulation.rate
        state[1] += np.sum(simulation.state) * step
        if step != 1:
            simulation.state = state
    return np.sum(simulation.state * state)


def test_an_argument_is_changed_before_an_object_holds_it():
    check_gradient(run, (Simulation(0.7), np.array([1.0, 2.0])), zyg.pullback)


def items_by_indices(x):
    total = 0.0
    for index in np.ndindex(x.shape):
        total += x[index] ** 2 * index[0]
    with np.errstate(divide="ignore"):
        inverse = np.where(x > 0.2, 1 / x, 0.0)
    return total + np.sum(inverse)


def test_indices_beside_a_manager_in_forward_mode():
    x_bar = zyg.gradient(items_by_indices, MATRIX)[0]
    _, y_dot = zyg.jvp(items_by_indices, (MATRIX,), (np.ones((2, 2)),))
    np.testing.assert_allclose(y_dot, np.sum(x_bar))


class Levels:
    def __init__(self, rate, values):
        self.rate, self.values = rate, values
        self.totals = np.zeros(2)


def numbered(levels):
    for i, value in enumerate(levels.values[:4]):
        yield value * levels.rate + i


def summed_up(x, levels):
    levels.totals[0] += sum(numbered(levels))
    levels.values.append(levels.totals[0] * x)
    return levels.values[-1] * levels.rate


def test_numbered_items_in_a_generator_in_forward_over_reverse_mode():
    levels, dots = Levels(0.5, [0.3, 0.4]), {"rate": 1.0, "values": [1.0, 2.0]}
    slopes, slope_dots = zyg.jvp(
        lambda x, levels: zyg.gradient(summed_up, x, levels), (2.0, levels), (0.0, dots)
    )
    # x rate (rate (v + w) + 1)
    np.testing.assert_allclose(slopes[0], 0.675)
    np.testing.assert_allclose(slopes[1]["rate"], 3.4)
    np.testing.assert_allclose(slope_dots[1]["rate"], 8.8)
    np.testing.assert_allclose(slope_dots[1]["values"], [2.0, 2.0])


class Weighted:
    def __init__(self, values):
        self.values = values
        self.log = []

    def __add__(self, other):
        return Weighted(self.values + other.values)


def chosen(one, x, s):
    """Lists of conditions hold nothing that has a derivative."""
    return np.sum(np.select([x > 0.5, x > 0], [x * x, x * s], 0.1)) * one.log[0]


def masked(one, x, s):
    y = x - 0.5
    np.negative(y, out=y, where=y < 0)
    y[0] = s
    return np.sum(y * y) * one.log[0]


@pytest.mark.parametrize("number", [chosen, masked])
def test_second_derivatives_of_arrays_beside_objects(number):
    def f(x, s):
        one = Weighted(x)
        one.log.append(s)
        return number(one, x, s) * np.mean((one + one).values)

    x, direction = np.array([0.3, 0.7, 0.9]), np.array([0.2, -0.4, 1.0])
    zyg.check_grads(f, x, 0.6, order=1)
    forward = zyg.jvp(lambda x: zyg.gradient(f, x, 0.6)[0], (x,), (direction,))[1]
    (reverse,) = zyg.gradient(lambda x: np.sum(zyg.gradient(f, x, 0.6)[0] * direction), x)
    step = 1e-5 * direction
    there, back = zyg.gradient(f, x + step, 0.6)[0], zyg.gradient(f, x - step, 0.6)[0]
    np.testing.assert_allclose([forward, reverse], [(there - back) / 2e-5] * 2, rtol=1e-6)
