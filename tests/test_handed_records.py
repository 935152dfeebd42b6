"""Back functions that generated code calls are handed the records of objects, looked up once."""

import math

import pytest

import zyg
from tests import differences


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt):
        self.x += dt * self.v

    def pulled(self, by, times):
        for _ in range(times):
            self.v -= by.factor * self.x
            self.step(0.1)
        return self.v


class Spring:
    def __init__(self, factor):
        self.factor = factor


class Tree:
    def __init__(self, value, left, right):
        self.value = value
        self.left = left
        self.right = right
        self.total = 0.0

    def add_up(self, weight):
        total = self.value * weight
        if self.left is not None:
            total += self.left.add_up(weight * self.value)
        if self.right is not None:
            total += self.right.add_up(weight)
        self.total = total
        return total * math.sin(self.value)


def simulated(x, v, factor):
    body, spring = Body(x, v), Spring(factor)
    total = 0.0
    for _ in range(3):
        total += body.pulled(spring, 2)
    return total + body.x * spring.factor


def of_a_tree(a, b, c):
    tree = Tree(a, Tree(b, None, Tree(c, None, None)), Tree(a * c, None, None))
    return tree.add_up(b) + tree.left.total * tree.total


def even(body, n):
    if n <= 0:
        return body.x
    body.x *= 1.1
    return odd(body, n - 1) * body.v


def odd(body, n):
    if n <= 0:
        return body.v
    body.v += body.x
    spring = Spring(body.v)
    return even(body, n - 1) + body.pulled(spring, 1)


def in_turns(x, v):
    return even(Body(x, v), 4)


def in_one_arm(x, v, factor):
    """One arm calls, and what stands around the branch knows no object."""
    if x > 0.0:
        body = Body(x, v)
        for _ in range(2):
            body.pulled(Spring(factor), 2)
        x = body.x
    return x * v


def fails_half_way(x, v, factor):
    body, spring = Body(x, v), Spring(factor)
    try:
        body.pulled(spring, 2)
        spring.factor = body.v
        body.pulled(spring, "two")
    except TypeError:
        body.x *= spring.factor
    return body.x + body.v


def of_an_argument(body, factor):
    spring = Spring(factor)
    for _ in range(2):
        body.pulled(spring, 2)
    return body.x * factor


NUMBERS = [
    (simulated, (0.5, -0.3, 1.7)),
    (of_a_tree, (0.7, 1.3, -0.4)),
    (in_turns, (0.5, 0.8)),
    (in_one_arm, (0.5, 0.8, 1.2)),
    (in_one_arm, (-0.5, 0.8, 1.2)),
    (fails_half_way, (0.5, 0.8, 1.2)),
]


@pytest.mark.parametrize(("f", "args"), NUMBERS)
def test_gradient(f, args):
    differences.check_gradient(f, args, zyg.pullback)
    assert zyg.gradient(f, *args) == pytest.approx(zyg.pullback(f, *args)[1](1.0), rel=1e-12)


@pytest.mark.parametrize(("f", "args"), [NUMBERS[0], NUMBERS[1]])
def test_second_derivatives(f, args):
    def slope(*args):
        return zyg.gradient(f, *args)[0]

    differences.check_gradient(slope, args, zyg.pullback)


def test_a_method_that_is_differentiated_itself_looks_its_records_up():
    """The same method, called by generated code in one program, and by the user in another."""
    zyg.gradient(simulated, 0.5, -0.3, 1.7)
    body, spring = Body(0.5, -0.3), Spring(1.7)
    _, back = zyg.pullback(Body.pulled, body, spring, 2)
    first, second = back(1.0), back(1.0)
    assert first == second
    step = 1e-6
    moved = [
        Body(0.5, -0.3).pulled(Spring(1.7 + sign * step), 2) for sign in (1.0, -1.0)
    ]
    assert first[1]["factor"] == pytest.approx((moved[0] - moved[1]) / (2 * step), rel=1e-6)


def test_records_of_an_argument():
    bar, factor_bar = zyg.gradient(of_an_argument, Body(0.5, -0.3), 1.7)
    step = 1e-6

    def differ(x, v, factor):
        return (
            of_an_argument(Body(0.5 + x * step, -0.3 + v * step), 1.7 + factor * step)
            - of_an_argument(Body(0.5 - x * step, -0.3 - v * step), 1.7 - factor * step)
        ) / (2 * step)

    assert bar == pytest.approx({"x": differ(1, 0, 0), "v": differ(0, 1, 0)}, rel=1e-6)
    assert factor_bar == pytest.approx(differ(0, 0, 1), rel=1e-6)


@pytest.mark.parametrize("made", [zyg.code_gradient, zyg.code_adjoint])
def test_records_are_looked_up_once(made):
    text = str(made(simulated, 0.5, -0.3, 1.7))
    assert text.count("current_shadows()") == 1
    assert text.count(".records(Body") == text.count(".records(Spring") == 1
    assert "def pulled_back(saved, y_bar, body_bars, spring_bars):" in text
