"""Second derivatives of programs on objects, by both nestings and by differences."""

from collections import UserList

import numpy as np
import pytest

import zyg


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt):
        self.v = self.v - dt * self.x * self.x
        self.x = self.x + dt * self.v


class Pair:
    __slots__ = ("first", "second")

    def __init__(self, first, second):
        self.first = first
        self.second = second


class Layer:
    def __init__(self, weights):
        self.weights = weights
        self.last = np.zeros(3)

    def __call__(self, x):
        self.last = np.tanh(self.weights * x)
        return self.last


def leapfrog(x):
    body = Body(x, 2.0)
    for _ in range(4):
        body.step(0.1)
    return body.x * body.v


def several(x):
    bodies = [Body(x * k, x) for k in range(1, 4)]
    for body in bodies:
        body.step(0.2)
        bodies[0].v += body.x * body.v
    return sum(body.x * body.v for body in bodies)


def one_under_two_names(x):
    a = Body(x, 1.0)
    pair = Pair(a, a)
    pair.first.x = pair.second.x * x
    pair.second.v = a.x * pair.first.x
    return a.v * a.x


def overwritten(x):
    a = Body(x * x, x)
    kept = a.x
    a.x = 3.0
    if kept > 1.0:
        a.v = a.v * a.x * kept
    else:
        a.x = kept
    return a.v * a.x


def swapped(x):
    pair = Pair(x * x, x)
    for _ in range(3):
        pair.first, pair.second = pair.second * x, pair.first
    return pair.first * pair.second


def counted(x):
    total = x
    count = 0

    def add(value):
        nonlocal total, count
        total = total * value
        count += 1
        return total

    for k in range(3):
        add(x + k)
    return total * count


def drawn(x):
    def powers():
        y = x
        while True:
            yield y
            y = y * x

    total = 0.0
    for k, power in enumerate(powers()):
        if k > 3:
            break
        total += power * (k + 1)
    return total


def kept_arrays(x):
    layer = Layer(np.array([x, x * x, 1.0]))
    y = np.array([1.0, 0.5, x])
    for _ in range(2):
        y = layer(y)
    return np.sum(y * layer.last)


def recursive(x):
    body = Body(x, 1.0)

    def descend(depth):
        body.v = body.v * body.x
        if depth > 0:
            descend(depth - 1)
            body.x = body.x + body.v

    descend(2)
    return body.x * body.v


def with_an_outer_object(x):
    """A gradient of a function that reads and changes objects from outside."""
    outside = Body(x * x, 1.0)

    def inner(t):
        inside = Body(t * outside.x, t)
        inside.step(0.5)
        outside.v = outside.v * inside.x
        return inside.v * outside.x * outside.v

    slope = zyg.gradient(inner, x * 0.5)[0]
    return slope * outside.v


def gradients_in_a_loop(x):
    body = Body(x, 0.5)
    for _ in range(3):

        def energy(t):
            moved = Body(t, body.v)
            moved.step(0.1)
            return moved.x * moved.v * body.x

        body.v -= 0.1 * zyg.gradient(energy, body.x)[0]
        body.x += 0.1 * body.v
    return body.x * body.v


PROGRAMS = [
    leapfrog, several, one_under_two_names, overwritten, swapped, counted, drawn, kept_arrays,
    recursive,
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_second_derivative(program, x):
    """Both nestings against differences of the first derivative, and against each other."""

    def slope(x):
        return zyg.gradient(program, x)[0]

    step = 1e-5
    expected = (slope(x + step) - slope(x - step)) / (2 * step)
    in_reverse = zyg.gradient(slope, x)[0]
    y, along = zyg.jvp(slope, (x,), (1.0,))
    assert y == pytest.approx(slope(x), rel=1e-12)
    assert in_reverse == pytest.approx(expected, rel=1e-6)
    assert along == pytest.approx(in_reverse, rel=1e-10)
    assert zyg.hvp(program, x, 2.0) == pytest.approx(2.0 * in_reverse, rel=1e-10)


@pytest.mark.parametrize("program", [with_an_outer_object, gradients_in_a_loop])
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_gradient_inside(program, x):
    """Programs on objects that differentiate others themselves."""
    step = 1e-5
    expected = (program(x + step) - program(x - step)) / (2 * step)
    assert zyg.gradient(program, x)[0] == pytest.approx(expected, rel=1e-6)
    assert zyg.jvp(program, (x,), (1.0,))[1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("program", [overwritten, swapped, one_under_two_names])
def test_third_derivative(program):
    def second(x):
        return zyg.gradient(lambda x: zyg.gradient(program, x)[0], x)[0]

    step, x = 1e-5, 1.3
    expected = (second(x + step) - second(x - step)) / (2 * step)
    assert zyg.gradient(second, x)[0] == pytest.approx(expected, rel=1e-6)
    assert zyg.jvp(second, (x,), (1.0,))[1] == pytest.approx(expected, rel=1e-6)


class Opened:
    """What is stored into it is found at run time."""


def by_a_computed_name(x):
    opened = Opened()
    for name in "ab":
        setattr(opened, name + "_", x)
    return opened.a_ * opened.b_


def by_names_that_no_code_has(x):
    opened, product = Opened(), 1.0
    for name in "ab":
        setattr(opened, name + "_", x)
        product *= getattr(opened, name + "_")
    return product


def test_attributes_that_code_names_elsewhere():
    assert zyg.gradient(lambda x: zyg.gradient(by_a_computed_name, x)[0], 1.3) == (2.0,)


@pytest.mark.parametrize("program", [by_names_that_no_code_has])
def test_what_is_refused(program):
    """Nothing gets lost where the second derivative isn't there: an error, no number."""
    with pytest.raises(zyg.ZygError):
        zyg.pullback(lambda x: zyg.gradient(program, x)[0], 1.3)


OVERLOADING = UserList  # has the operators of this module ask what is unknown


def stages(x):
    """Runge-Kutta by a table."""
    calls = 0

    def slope(y):
        nonlocal calls
        calls += 1
        return x * y

    y, t = x, 0
    while t < 2:
        found = []
        for row in [[], [0.5]]:
            stage = y
            for weight, known in zip(row, found, strict=False):
                stage = stage + weight * known
            found.append(slope(stage))
        y, t = y + sum(found), t + 1
    return np.sum(y) * calls


def test_lists_that_are_walked_backwards_are_no_objects():
    for x in (1.2, np.array([0.3, -0.5])):
        step = 1e-5
        ahead, behind = (zyg.gradient(stages, x + h)[0] for h in (step, -step))
        expected = (ahead - behind) / (2 * step)
        _, back = zyg.pullback(lambda x: zyg.gradient(stages, x)[0], x)
        ones = np.ones_like(x) if np.ndim(x) else 1.0
        assert back(ones)[0] == pytest.approx(expected, rel=1e-6)
        _, dot = zyg.jvp(lambda x: zyg.gradient(stages, x)[0], (x,), (ones,))
        assert dot == pytest.approx(expected, rel=1e-6)
