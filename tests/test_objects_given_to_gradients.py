"""Gradients with respect to objects, or of functions that read them, in code that changes them."""

from dataclasses import dataclass

import numpy as np
import pytest

import zyg
from tests import differences

WEIGHTS = np.array([[0.3, -0.2], [0.5, 0.1], [-0.4, 0.7]])
BIAS = np.array([0.2, -0.6, 0.1])
INPUT = np.array([0.3, 0.4])


class Layer:
    def __init__(self, weights, bias):
        self.weights = weights
        self.bias = bias

    def __call__(self, x):
        return np.tanh(self.weights @ x + self.bias)


@dataclass
class Pair:
    first: object
    second: object


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return 0.5 * self.stiffness * np.sum(x**2) + np.sum(x**4)


class Trainer:
    def __init__(self, pair):
        self.pair = pair
        self.total = 0.0

    def loss(self, pair):
        return (pair.first - 1) ** 2 * pair.second + pair.first

    def step(self, rate):
        value, (slopes,) = zyg.withgradient(self.loss, self.pair)
        self.pair.first -= rate * slopes["first"]
        self.pair.second -= rate * slopes["second"]
        self.total += value


def squares(layer):
    return np.sum(layer(INPUT) ** 2)


def made_anew(weights, bias):
    layer = Layer(weights, bias)
    for _ in range(3):
        (slopes,) = zyg.gradient(squares, layer)
        layer = Layer(layer.weights - 0.1 * slopes["weights"], layer.bias - 0.1 * slopes["bias"])
    return squares(layer)


def replaced(weights, bias):
    layer = Layer(weights, bias)
    for _ in range(3):
        (slopes,) = zyg.gradient(squares, layer)
        layer.weights = layer.weights - 0.1 * slopes["weights"]
        layer.bias = layer.bias - 0.1 * slopes["bias"]
    return squares(layer)


def changed_in_place(weights, bias):
    layer = Layer(weights.copy(), bias.copy())
    for i in range(2):
        (slopes,) = zyg.gradient(squares, layer)
        layer.weights -= 0.1 * slopes["weights"]
        layer.bias[i] = layer.bias[1 - i] * slopes["bias"][0]
    return squares(layer)


def in_a_list(weights, bias):
    def loss(layers):
        x = INPUT
        for layer in layers:
            x = layer(x)
        return np.sum(x)

    layers = [Layer(weights, bias), Layer(weights.T, bias[:2])]
    (slopes,) = zyg.gradient(loss, layers)
    layers[0].weights = layers[0].weights - 0.1 * slopes[0]["weights"]
    (slopes,) = zyg.gradient(loss, layers)
    return loss(layers) + np.sum(slopes[1]["weights"] ** 2) * np.sum(slopes[0]["bias"])


def in_a_dict(weights, bias):
    def loss(layers):
        return np.sum(layers["b"](layers["a"](INPUT)))

    layers = {"a": Layer(weights, bias), "b": Layer(weights.T, bias[:2])}
    (slopes,) = zyg.gradient(loss, layers)
    layers["a"].weights = layers["a"].weights - 0.1 * slopes["a"]["weights"]
    (slopes,) = zyg.gradient(loss, layers)
    return loss(layers) + np.sum(slopes["b"]["weights"] ** 2)


def shared_by_two(weights, bias):
    def loss(layers):
        return np.sum(layers[0](INPUT)) + np.sum(layers[1](INPUT) ** 2)

    shared = weights.copy()
    layers = [Layer(shared, bias), Layer(shared, 2 * bias)]
    (before,) = zyg.gradient(loss, layers)
    shared[0] = 2.0 * shared[1]
    (behind,) = zyg.gradient(loss, layers)
    return np.sum(before[0]["weights"] * behind[1]["weights"]) + np.sum(shared**2)


def captured(x, y):
    pair = Pair(x * y, y)

    def cubic(z):
        return pair.first * z**2 + pair.second * z**3

    before = zyg.gradient(cubic, x)[0]
    pair.first = before * pair.first
    behind = zyg.gradient(cubic, x)[0]
    pair.second = 0.0
    return before * behind + pair.first


def captured_by_an_argument(x, y):
    pair = Pair(x * y, y)

    def square(z):
        return pair.first * z**2

    def scaled(z, function):
        return function(z) * pair.second

    before = zyg.gradient(scaled, x, square)[0]
    pair.first = before * pair.first
    return before * zyg.gradient(scaled, x, square)[0] + pair.first


def list_in_an_object(x, y):
    def loss(pair, z):
        return sum([item**2 for item in pair.first]) * pair.second * z

    pair = Pair([x, y, x * y], y)
    slopes, slope = zyg.gradient(loss, pair, x)
    pair.first[1] = slopes["first"][0]
    pair.first.append(slope)
    slopes, slope = zyg.gradient(loss, pair, x)
    return sum(slopes["first"]) * slope


def tuple_in_an_object(x, y):
    def loss(pair, z):
        a, b, c = pair.first
        return (a**2 + b**3 * np.sum(c**2)) * pair.second * z

    pair = Pair((x, y, np.array([x * y, x])), y)
    slopes, slope = zyg.gradient(loss, pair, x)
    pair.first = (slopes["first"][0], slope, pair.first[2])
    pair.first[2][0] = 2.0 * y
    slopes, slope = zyg.gradient(loss, pair, x)
    return np.sum(slopes["first"][2]) * slope


def object_in_an_object(x, y):
    def loss(pair, z):
        return pair.first.first ** 2 * pair.first.second * z

    pair = Pair(Pair(x, y), y)
    for i in range(3):
        slopes, slope = zyg.gradient(loss, pair, x)
        pair.first.first = pair.first.first - 0.1 * slopes["first"]["first"]
        if i == 1:
            pair.first = Pair(slope, slopes["first"]["second"])
    return pair.first.first * pair.first.second


def until_it_is_small(x, y):
    pair = Pair(x, y)
    for _ in range(6):
        (slopes,) = zyg.gradient(lambda pair: (pair.first - 1) ** 2 * pair.second, pair)
        pair.first = pair.first - 0.1 * slopes["first"]
        if abs(slopes["first"]) < 1e-3:
            break
    return pair.first * pair.second


def in_a_method(x, y):
    trainer = Trainer(Pair(x, y))
    for _ in range(3):
        trainer.step(0.1)
    return trainer.pair.first * trainer.pair.second + trainer.total


def by_a_pullback(x, y):
    pair = Pair(x, y)

    def square(z):
        return pair.first * z**2

    value, back = zyg.pullback(square, np.array([x, y]))
    pair.first = 2.0 * pair.first
    return np.sum(back(value)[0] ** 2) * pair.first


def of_a_bound_method(x, y):
    energy = Spring(x).energy
    _, back = zyg.pullback(energy, np.array([y, 2.0 * y]))
    return np.sum(back(1.0)[0] ** 2)


def twice_of_a_method(x, y):
    spring = Spring(x)

    def slope(z):
        return zyg.gradient(spring.energy, z)[0]

    _, back = zyg.pullback(slope, np.array([y, 2.0 * y]))
    return np.sum(back(np.ones(2))[0] ** 2)


PROGRAMS = [
    (made_anew, (WEIGHTS, BIAS)),
    (replaced, (WEIGHTS, BIAS)),
    (changed_in_place, (WEIGHTS, BIAS)),
    (in_a_list, (WEIGHTS, BIAS)),
    (in_a_dict, (WEIGHTS, BIAS)),
    (shared_by_two, (WEIGHTS, BIAS)),
    *((f, (1.2, 0.3)) for f in (
        captured, captured_by_an_argument, list_in_an_object, tuple_in_an_object,
        object_in_an_object, until_it_is_small, in_a_method, by_a_pullback, of_a_bound_method,
        twice_of_a_method,
    )),
]
# What forward mode refuses: a derivative of a call that was found at run time.
REVERSE_ONLY = {in_a_method, by_a_pullback, of_a_bound_method, twice_of_a_method}


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_reverse(f, args):
    differences.check_gradient(f, args, zyg.pullback)


@pytest.mark.thorough
@pytest.mark.parametrize(("f", "args"), [p for p in PROGRAMS if p[0] not in REVERSE_ONLY])
def test_forward(f, args):
    ones = tuple([np.ones_like(arg) for arg in args])
    _, y_dot = zyg.jvp(f, args, ones)
    assert y_dot == pytest.approx(sum(map(np.sum, zyg.gradient(f, *args))), rel=1e-9)


@pytest.mark.parametrize("f", sorted(REVERSE_ONLY, key=lambda f: f.__name__))
def test_forward_is_refused(f):
    with pytest.raises(zyg.NotDifferentiable):
        zyg.jvp(f, (1.2, 0.3), (1.0, 1.0))


def test_kinds_are_those_of_the_attributes():
    def slopes(x):
        pair = Pair(x, np.array([x, 2.0]))
        return zyg.gradient(lambda pair: pair.first * np.sum(pair.second**2), pair)[0]

    inside, _ = zyg.pullback(slopes, 1.5)
    plain = slopes(1.5)
    assert type(inside["first"]) is type(plain["first"]) is float
    assert inside["first"] == plain["first"]
    np.testing.assert_array_equal(inside["second"], plain["second"])


def test_called_with_starred_arguments():
    def slope(x):
        functions = {"hypot": np.hypot, "sum": lambda a, b: a**2 * b}
        args = (x, 2.0 * x)
        return sum([zyg.gradient(lambda x, f=f: f(*args) * x**3, x)[0] for f in functions.values()])

    differences.check_gradient(slope, (1.5,), zyg.pullback)
    assert zyg.jvp(slope, (1.5,), (1.0,))[1] == pytest.approx(zyg.gradient(slope, 1.5)[0])
