"""Gradients of functions that store into the objects which they are given, inside of differentiated
code: in reverse over reverse, forward over reverse, and by differences."""

import copy

import numpy as np
import pytest

import zyg
from tests import differences


class Body:
    def __init__(self, x, v, following=None):
        self.x = x
        self.v = v
        self.following = following

    def step(self, dt):
        self.v = self.v - dt * self.x * self.x
        self.x = self.x + dt * self.v


class Layer:
    def __init__(self, weights, scale):
        self.weights = weights
        self.scale = scale
        self.name = "layer"


def moved(body, t):
    body.step(t)
    body.step(0.3)
    return body.x * body.v * t


def in_a_list(bodies, t):
    for body in bodies:
        body.step(t * bodies[0].x)
    return sum(body.x * body.v for body in bodies)


def with_arrays(layer, x):
    layer.weights = np.tanh(layer.weights * x)
    layer.scale = layer.scale * np.sum(layer.weights)
    return np.sum(layer.weights * layer.scale)


def linked(body, t):
    total = 0.0
    current = body
    while current is not None:
        current.step(t)
        total += current.x * current.v * body.x
        current = current.following
    return total


def in_a_dict(bodies, t):
    for name in bodies:
        bodies[name].step(t)
    return bodies["a"].x * bodies["b"].v


def in_tuples(pair, t):
    (body, factor), other = pair
    body.step(t * factor)
    other.x = body.x * other.x
    return other.x * body.v * factor


def replaced_meanwhile(body, t):
    before = body.following
    body.following = Body(body.x * t, body.v)
    body.following.step(t)
    return body.following.x * before.v * body.v


CASES = [
    (moved, (Body(1.3, 0.7), 0.5)),
    (in_a_list, ([Body(1.3, 0.7), Body(0.3, 0.9)], 0.5)),
    (with_arrays, (Layer(np.array([0.3, 0.5]), 2.0), 0.7)),
    (linked, (Body(1.0, 2.0, Body(0.5, 0.2, Body(0.1, 1.0))), 0.4)),
    (in_a_dict, ({"a": Body(1.0, 2.0), "b": Body(0.5, 1.0)}, 0.3)),
    (in_tuples, (((Body(1.0, 2.0), 0.6), Body(0.3, 0.4)), 0.5)),
    (replaced_meanwhile, (Body(1.0, 2.0, Body(0.5, 0.8)), 0.4)),
]


@pytest.mark.parametrize(("program", "args"), CASES)
def test_second_derivative(program, args):
    def gradient(*args):
        return zyg.gradient(program, *args)

    differences.check_gradient(gradient, args, zyg.pullback)


@pytest.mark.parametrize(("program", "args"), [case for case in CASES if case[0] is not linked])
def test_forward_over_reverse(program, args):
    *objects, t = args

    def gradient(t):
        return differences.floats(zyg.gradient(program, *copy.deepcopy(objects), t))

    fixed = tuple(copy.deepcopy(objects))
    _, along = zyg.jvp(lambda t: zyg.gradient(program, *fixed, t), (t,), (1.0,))
    step = 1e-5
    expected = (gradient(t + step) - gradient(t - step)) / (2 * step)
    assert differences.floats(along) == pytest.approx(expected, rel=1e-6, abs=1e-8)


def of_an_object_made_here(t):
    body = Body(t, 0.4 * t)
    gradient = zyg.gradient(moved, body, t)
    return gradient[0]["x"] * gradient[0]["v"] * body.x + gradient[1]


def of_objects_in_a_list(t):
    bodies = [Body(t, 0.4 * t), Body(t * t, 1.0)]
    (first, second), slope = zyg.gradient(in_a_list, bodies, t)
    return first["x"] * second["v"] * bodies[0].x + slope


def of_one_object_twice(t):
    def pulled(body, other, t):
        body.step(t)
        other.x = other.x * body.v
        return body.x * other.v

    body = Body(t, 0.4)
    first, second, slope = zyg.gradient(pulled, body, body, t)
    return first["x"] + 2.0 * second["v"] + slope


def with_the_value(t):
    body = Body(t, 0.4 * t)
    y, gradient = zyg.withgradient(moved, body, t)
    return y * gradient[0]["x"] + gradient[1]


INSIDE = [of_an_object_made_here, of_objects_in_a_list, of_one_object_twice, with_the_value]


@pytest.mark.parametrize("program", INSIDE)
def test_gradient_inside(program):
    t, step = 0.5, 1e-5
    expected = (program(t + step) - program(t - step)) / (2 * step)
    assert zyg.gradient(program, t)[0] == pytest.approx(expected, rel=1e-6)
    y, along = zyg.jvp(program, (t,), (1.0,))
    assert y == pytest.approx(program(t), rel=1e-12)
    assert along == pytest.approx(expected, rel=1e-6)


def in_a_list_that_grows(bodies, t):
    bodies.append(Body(t * bodies[0].x, bodies[0].v))
    for body in bodies:
        body.step(t)
    return sum(body.x * body.v for body in bodies)


def in_a_list_that_is_changed(bodies, t):
    bodies[0] = Body(t, bodies[0].v)
    bodies[0].step(t)
    return bodies[0].x * bodies[0].v * t


@pytest.mark.parametrize("program", [in_a_list_that_grows, in_a_list_that_is_changed])
def test_lists_of_objects_that_change_are_refused(program):
    with pytest.raises(zyg.ZygError):
        zyg.pullback(lambda *args: zyg.gradient(program, *args), [Body(1.0, 0.5)], 0.3)


def test_third_derivatives_are_refused():
    def second(t):
        return zyg.gradient(of_an_object_made_here, t)[0]

    for derivative in (
        lambda: zyg.gradient(second, 0.5), lambda: zyg.jvp(second, (0.5,), (1.0,)),
    ):
        with pytest.raises(zyg.ZygError):
            derivative()
