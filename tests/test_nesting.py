"""Gradients inside of differentiated code, differentiated in both modes, against differences."""

import functools
import math
import operator

import numpy as np
import pytest

import zyg
from tests import differences
from tests.test_forward import check_jvp

X = np.array([0.5, 1.0, 1.5])
Y = np.array([0.5, 0.7, 0.9])


class Model:
    def __init__(self, weight, offset):
        self.weight = weight
        self.offset = offset

    def loss(self, x):
        return np.sum(np.tanh(self.weight * x + self.offset) ** 2)


class Stack:
    def __init__(self, models):
        self.models = models

    def loss(self, x):
        return sum([model.loss(x * (k + 1)) for k, model in enumerate(self.models)])


class Total:
    def __init__(self):
        self.total = 0.0

    def add(self, x):
        self.total += x * x


MODEL = Model(0.7, 0.2)


# Functions that change their arguments


def changes_first(x, y):
    y[0] = x[0] * y[1]
    return np.sum(x * y)


def reads_what_was_changed(x, y):
    slopes = zyg.gradient(changes_first, x, y)
    return np.sum(slopes[0] * x * x) + np.sum(slopes[1] * y)


def changes_in_a_loop(x, y):
    total = 0.0
    for _ in range(3):
        total += np.sum(zyg.gradient(changes_first, x, y)[0] * y)
    return total


def stores_the_value(x, y):
    value, slopes = zyg.withgradient(changes_first, x, y)
    y[1] = value
    return np.sum(slopes[0] * x * x * y)


def changes_by_way_of_another(x, y):
    return np.sum(zyg.gradient(reads_what_was_changed, x, y)[0] * y)


def appends(x, y):
    def loss(items):
        items.append(items[0] * items[1])
        return items[2] * items[0]

    items = [np.sum(x), np.sum(y)]
    slopes = zyg.gradient(loss, items)[0]
    return len(slopes) * slopes[0] * slopes[1] * items[2]


def pops(x, y):
    def loss(d):
        product = d["a"] * d["b"]
        return product * d.pop("b")

    slopes = zyg.gradient(loss, {"a": np.sum(x), "b": np.sum(y)})[0]
    return slopes["a"] * slopes["b"]


# What gradients share


def halves_the_slope(x, y):
    slope = zyg.gradient(lambda t: np.sum(t**3), x)[0]
    slope *= 0.5
    return np.sum(slope * y)


def product(x, y):
    return np.sum(x * y)


def argument_is_changed_behind(x, y):
    z = y * 2.0
    slope = zyg.gradient(product, x, z)[0]
    z[0] = 0.0
    return np.sum(slope * x * z)


def slope_is_changed_behind(x, y):
    z = y * 2.0
    slope = zyg.gradient(lambda t: np.sum(t * z), x)[0]
    slope[0] = 0.0
    return np.sum(slope * x * z)


def descends(x, y):
    z = x.copy()
    for _ in range(3):
        z -= 0.1 * zyg.gradient(lambda t: np.sum(t**4 * y), z)[0]
    return np.sum(z)


# Calls that are found at run time


def functions_in_a_list(x, y):
    def loss(t):
        functions = [math.sin, math.exp, lambda s: s * s * np.sum(x)]
        return sum([f(t) for f in functions])

    return zyg.gradient(loss, np.sum(y))[0]


def functions_in_a_dict(x, y):
    def loss(t):
        functions = {"a": math.sin, "b": math.exp}
        total = 0.0
        for name in functions:
            total += functions[name](t) * t
        return total

    return zyg.gradient(loss, np.sum(y))[0] * np.sum(x)


def partial_function(x, y):
    def loss(t):
        return functools.partial(operator.mul, t)(t * t)

    return zyg.gradient(loss, np.sum(x * y))[0]


def cotangent_alone_varies(x, y):
    def loss(t):
        f = [np.tanh, np.sin][len(t) % 2]
        return np.sum(x * f(t))

    return np.sum(zyg.gradient(loss, np.ones(3))[0] * y)


# Other functions that differentiate


def pullback_inside(x, y):
    value, back = zyg.pullback(lambda t: np.sin(t) * x, y)
    return np.sum(back(x**2)[0] ** 2) + np.sum(value)


def pullback_of_a_library_function(x, y):
    value, back = zyg.pullback(math.sin, np.sum(x))
    return back(np.sum(y))[0] * value


def pullback_in_a_loop(x, y):
    w = x
    for _ in range(3):
        _, back = zyg.pullback(lambda t: np.sum(np.sin(t) * y), w)
        w = w - 0.1 * back(1.0)[0]
    return np.sum(w**2)


def vjp_inside(x, y):
    value, back = zyg.vjp(lambda t: t**3 * y, x)
    return np.sum(back(value)[0])


def hvp_inside(x, y):
    return np.sum(zyg.hvp(lambda t: np.sum(t**3) * np.sum(np.sin(y)), x, x**2))


# Levels are told apart


def levels(x, y):
    a = np.sum(x * y)
    by_gradient = zyg.gradient(lambda s: a * zyg.gradient(lambda t: t * s * a, 3.0)[0], a)[0]
    by_jvp = zyg.gradient(
        lambda s: a * zyg.jvp(lambda t: t * s * a, (3.0,), (1.0,))[1], a
    )[0]
    return a * zyg.gradient(lambda s: a + s, 2.0)[0] + by_gradient * by_jvp


def levels_of_pullbacks(x, y):
    a = np.sum(x * y)
    return a * zyg.pullback(lambda s: a * s, 2.0)[1](a)[0]


# Objects that are read


def reads_an_object(x, y):
    return np.sum(zyg.gradient(MODEL.loss, x)[0] * y)


PROGRAMS = [
    reads_what_was_changed, changes_in_a_loop, stores_the_value,
    appends, pops, halves_the_slope, argument_is_changed_behind, descends,
    functions_in_a_list, functions_in_a_dict, partial_function, cotangent_alone_varies,
    pullback_inside, pullback_of_a_library_function, pullback_in_a_loop, vjp_inside, hvp_inside,
    levels, levels_of_pullbacks, reads_an_object,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_reverse_over_reverse(program):
    differences.check_gradient(program, (X, Y), zyg.pullback)


@pytest.mark.thorough
def test_reverse_over_reverse_over_changes():
    differences.check_gradient(changes_by_way_of_another, (X, Y), zyg.pullback)


@pytest.mark.thorough
@pytest.mark.parametrize("program", [*PROGRAMS, changes_by_way_of_another])
def test_forward_over_reverse(program):
    check_jvp(program, (X, Y))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "program",
    [functions_in_a_list, pullback_inside, vjp_inside, hvp_inside, levels, levels_of_pullbacks],
)
def test_third_order(program):
    def gradient(x, y):
        return zyg.gradient(program, x, y)

    differences.check_gradient(gradient, (X, Y), zyg.pullback)


@pytest.mark.thorough
def test_weights_of_a_model():
    """The gradient of an object's attributes, differentiated."""

    def slopes(stack, x):
        return zyg.gradient(Stack.loss, stack, x)[1]

    stack = Stack([Model(0.7, 0.2), Model(0.3, -0.1)])
    differences.check_gradient(slopes, (stack, X), zyg.pullback)


def test_stores_into_objects():
    """Nothing gets lost in what an inner gradient stores."""

    def loss(x):
        total = Total()
        for k in range(3):
            total.add(x * k)
        return total.total

    assert zyg.gradient(lambda x: zyg.gradient(loss, x)[0], 1.5) == (10.0,)


def test_seeds_have_the_shape_of_the_value():
    def wrong(x):
        return np.sum(zyg.pullback(lambda t: t * x, x)[1](1.0)[0])

    with pytest.raises(ValueError, match="the seed has"):
        zyg.gradient(wrong, X)


def test_grad_of_grad_of_grad():
    f, expected = np.sin, [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]
    for derivative in expected:
        f = zyg.grad(f)
        assert f(0.3) == pytest.approx(derivative(0.3))

    def cubic(x, y):
        return x**3 * y**2

    assert zyg.grad(zyg.grad(zyg.grad(cubic, 0), 1), 0)(2.0, 3.0) == pytest.approx(72.0)


def test_keyword_arguments_of_inner_gradients():
    def loss(w, rate=0.1, *, power=2.0, **others):
        return rate * w**power * others.get("factor", 1.0)

    inner = zyg.grad(loss)
    assert zyg.grad(lambda w: w * inner(w, power=3.0))(2.0) == pytest.approx(3.6)
    assert zyg.grad(lambda w: w * zyg.gradient(loss, w, rate=w)[0])(2.0) == pytest.approx(24.0)
    assert zyg.grad(lambda w: inner(w, factor=w))(2.0) == pytest.approx(0.8)
