"""`zyg.pullback` inside of differentiated code, of functions that read objects."""

import functools

import numpy as np
import pytest

import zyg
from tests import differences
from tests.orders_of_modes import MODES, forward, reverse


class Scale:
    def __init__(self, x):
        self.x = x

    def scaled(self, t):
        return self.x * t * t

    def __call__(self, t):
        return self.scaled(t)

    def at(self, t):
        return zyg.pullback(self.scaled, t)[0]


CONSTANT = Scale(2.0)


def method(x):
    return zyg.pullback(Scale(x).scaled, x)[0]


def inside_of_a_method(x):
    return Scale(x).at(x)


def called_object(x):
    return zyg.pullback(Scale(x), x)[0]


def found_late(x):
    scale = Scale(x)
    return zyg.pullback([scale.scaled, scale][int(x) - 1], x)[0]


def captured_object(x):
    scale = Scale(x)
    back = zyg.pullback(lambda t: scale.x * t * t, x)[1]
    return back(1.0)[0]


def given_object(x):
    return zyg.pullback(lambda scale: scale.x**3, Scale(x))[0]


def given_what_may_be_an_object(x):
    things = [Scale(x), 3.0]
    return zyg.pullback(lambda scale: scale.x**3, things[int(x) - 1])[0]


def variable_that_is_assigned_again(x):
    factor = x

    def grow():
        nonlocal factor
        factor = factor * x

    grow()
    return zyg.pullback(lambda t: factor * t * t, x)[0]


def partial_function(x):
    return zyg.pullback(functools.partial(Scale(x).scaled), x)[0]


def jacobian(x):
    return np.sum(zyg.jacobian(Scale(x).scaled, np.array([x, 2.0]))[0])


OF_CAPTURED = [
    method, inside_of_a_method, called_object, found_late, captured_object,
    variable_that_is_assigned_again, partial_function, jacobian,
]


@pytest.mark.parametrize("f", OF_CAPTURED, ids=lambda f: f.__name__)
def test_objects_that_a_function_captures(f):
    """Both forms: the joint one has to know that objects get cotangents when it runs."""
    differences.check_gradient(f, (1.3,), zyg.pullback)
    (expected,) = zyg.pullback(f, 1.3)[1](1.0)
    assert reverse(f)(1.3) == pytest.approx(expected)


@pytest.mark.parametrize("f", OF_CAPTURED, ids=lambda f: f.__name__)
def test_forward_mode_and_second_derivatives_are_refused(f):
    for derivative in (forward(f), reverse(reverse(f)), forward(reverse(f))):
        with pytest.raises(zyg.ZygError):
            derivative(1.3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [given_object, given_what_may_be_an_object], ids=lambda f: f.__name__)
def test_objects_as_arguments_are_refused(f, mode):
    with pytest.raises(zyg.ZygError):
        mode(f)(1.3)


def test_an_object_that_is_an_argument():
    def f(scale, x):
        return zyg.pullback(lambda t: scale.x * t * t, x)[0]

    of_scale, slope = zyg.gradient(f, Scale(2.0), 1.3)
    assert of_scale["x"] == pytest.approx(1.3**2)
    assert slope == pytest.approx(4 * 1.3)


# Gradients of functions that are found at run time


def of_a_called_object(x):
    return zyg.gradient(Scale(x), x)[0]


def of_a_partial_function(x):
    return zyg.gradient(functools.partial(Scale(x).scaled), x)[0]


def of_one_of_several(x):
    scale = Scale(x)
    return zyg.withgradient([scale.scaled, scale][int(x)], x)[0]


def of_a_bound_method(x):
    return zyg.hvp(Scale(x).scaled, x, 1.0)


@pytest.mark.parametrize("f", [
    of_a_called_object, of_a_partial_function, of_one_of_several, of_a_bound_method,
], ids=lambda f: f.__name__)  # fmt: skip
def test_gradients_of_what_is_found_at_run_time(f):
    slope = (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6
    assert reverse(f)(1.3) == pytest.approx(slope, rel=1e-6)
    assert zyg.pullback(f, 1.3)[1](1.0)[0] == pytest.approx(slope, rel=1e-6)


def of_a_constant(x):
    return zyg.pullback(lambda t: CONSTANT.x * t**3, x)[1](1.0)[0]


def of_a_list(x):
    factors = [x]
    return zyg.pullback(lambda t: factors[0] * t * t, x)[0]


def test_constants_that_a_global_holds():
    assert reverse(of_a_constant)(1.3) == pytest.approx(12 * 1.3)


@pytest.mark.parametrize("mode", MODES)
def test_other_captured_values(mode):
    assert mode(of_a_list)(1.3) == pytest.approx(3 * 1.3**2)


def gradients_of_objects(x):
    scale = Scale(x)
    y, (bar,) = zyg.withgradient(lambda s: s.scaled(2.0), scale)
    (slope,) = zyg.gradient(lambda t: scale.x * t * t, x)
    return y + bar["x"] * slope


def test_gradient_follows_objects():
    assert reverse(gradients_of_objects)(1.3) == pytest.approx(4 + 4 * 4 * 1.3)


# A gradient with respect to an object, in a `jvp` inside of differentiated code


def energy(body):
    return body.x**3 * body.v + body.v**2 * body.x


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v


def descent(x):
    body = Body(x, x * x)
    for _ in range(2):
        (bar,) = zyg.gradient(energy, body)
        body.x = body.x - 0.1 * bar["x"]
        body.v = body.v - 0.1 * bar["v"]
    return body.x * body.v


@pytest.mark.parametrize("outer", MODES)
def test_tangents_of_gradients_of_objects_are_refused(outer):
    with pytest.raises(zyg.ZygError):
        outer(forward(descent))(0.7)


def by_grad(x):
    cubic = Cubic(x)
    slope = zyg.grad(cubic.value)
    return slope(x)


class Cubic:
    def __init__(self, x):
        self.x = x

    def value(self, t):
        return self.x * t**3


def test_second_derivatives_of_what_grad_gives_are_refused():
    with pytest.raises(zyg.ZygError):
        reverse(reverse(by_grad))(1.3)
