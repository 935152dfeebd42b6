"""Training inside of differentiated code: the gradients of an inner loss change its parameters."""

import numpy as np
import pytest

import zyg
from tests.scalar_checks import check_first, check_twice

X = 1.3
INPUTS = np.arange(6.0).reshape(3, 2)


def product(parameters):
    return np.sum((parameters[0] * parameters[1] - 3.0) ** 2)


def in_place(x):
    parameters = [np.array([x, 1.0]), np.array([2.0])]
    data = np.zeros(2)
    data[0] = 3.0
    for _ in range(3):
        loss = lambda p: np.sum((p[0] * p[1] - data) ** 2)
        gradients = zyg.gradient(loss, parameters)[0]
        for p, g in zip(parameters, gradients, strict=True):
            p -= 0.01 * g
    return np.sum(parameters[0])


def by_positions(x):
    parameters = [np.array([x, 1.0]), np.array([2.0])]
    for _ in range(3):
        gradients = zyg.gradient(product, parameters)[0]
        for i in range(2):
            parameters[i] -= 0.01 * gradients[i]
    return np.sum(parameters[0])


def with_momentum(x):
    parameters = [np.array([x, 1.0]), np.array([2.0])]
    momenta = [np.zeros_like(p) for p in parameters]
    for _ in range(3):
        gradients = zyg.gradient(product, parameters)[0]
        for i, (p, g) in enumerate(zip(parameters, gradients, strict=True)):
            momenta[i] = 0.9 * momenta[i] + 0.1 * g
            parameters[i] = p - 0.1 * momenta[i]
    return np.sum(parameters[0])


def by_names(x):
    model = {"w": np.array([[x, 1.0], [0.5, x]]), "b": np.array([x, 0.1])}
    state = {name: np.zeros_like(value) for name, value in model.items()}

    def loss(model):
        return np.mean((np.tanh(INPUTS @ model["w"] + model["b"]) - 1.0) ** 2)

    for _ in range(4):
        gradients = zyg.grad(loss)(model)
        for name in model:
            state[name] = 0.9 * state[name] + gradients[name]
            model[name] -= 0.1 * state[name]
    return loss(model)


def of_layers(x):
    layers = [(np.array([[x, 1.0], [0.5, x]]), np.array([x, 0.1])), (np.ones((2, 1)), np.zeros(1))]

    def loss(layers):
        values = INPUTS
        for w, b in layers:
            values = np.tanh(values @ w + b)
        return np.sum(values**2)

    for _ in range(2):
        gradients = zyg.gradient(loss, layers)[0]
        pairs = zip(layers, gradients, strict=True)
        layers = [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in pairs]
    return loss(layers)


def of_numbers(x):
    pair = [x, 2.0]
    for _ in range(3):
        value, (slopes,) = zyg.withgradient(lambda p: (p[0] * p[1] - 3.0) ** 2, pair)
        for i in range(2):
            pair[i] -= 0.01 * slopes[i] * value
    return pair[0] * pair[1]


def of_one_array(x):
    w = np.array([x, 1.0])
    for _ in range(3):
        g = zyg.gradient(lambda w: np.sum((w * w - 3.0) ** 2), w)[0]
        w -= 0.01 * g
    return np.sum(w)


PROGRAMS = [
    in_place, by_positions, with_momentum, by_names, of_layers, of_numbers, of_one_array,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    check_twice(f, X)


def mapped(f, tree):
    if isinstance(tree, dict):
        return {name: mapped(f, part) for name, part in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(mapped(f, part) for part in tree)
    return f(tree)


class Vector:
    def __init__(self, items):
        self.items = tuple(items)

    def __add__(self, other):
        return type(self)(a + b for a, b in zip(self.items, other.items, strict=True))

    def norm(self):
        return sum(a * a for a in self.items)


def of_a_tree(x):
    tree = mapped(lambda v: v * x, {"a": x, "b": [x * x, ({"c": np.ones(2) * x}, 2.0)]})
    assert type(tree["b"]) is list and type(tree["b"][1]) is tuple
    return np.sum(tree["b"][1][0]["c"]) + tree["a"] * tree["b"][0]


def of_vectors(x):
    return (Vector([x, x * x]) + Vector([1.0, x])).norm()


@pytest.mark.parametrize("f", [of_a_tree, of_vectors])
def test_containers_of_the_class_of_another_one(f):
    check_first(f, X)
