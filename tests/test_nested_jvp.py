"""`jvp` inside of differentiated code, of programs on objects and of what changes its arguments."""

import functools
from typing import NamedTuple

import numpy as np
import pytest

import zyg
from tests import differences
from tests.orders_of_modes import MODES, forward, reverse
from tests.test_nested_objects import (
    counted,
    drawn,
    kept_arrays,
    leapfrog,
    one_under_two_names,
    overwritten,
    recursive,
    several,
    swapped,
)


class Body:
    def __init__(self, x):
        self.x = x
        self.seen = []
        self.named = {}

    def square(self):
        return self.x * self.x

    def note(self, value):
        self.seen.append(value)
        self.named[len(self.seen)] = value * self.x
        return self.seen[0] * value


def notes_in_lists_and_dicts(x):
    body = Body(x * x)
    for k in range(3):
        body.x = body.note(x + k)
    return body.x * sum(body.seen) + body.named[2] * body.named[1]


def array_that_an_object_holds(x):
    body = Body(np.zeros(3))
    for k in range(3):
        body.x[k] = x ** (k + 1)
        body.x[0] += body.x[k] * x
    return float(np.sum(body.x * body.x))


def attribute_deleted_and_set_again(x):
    body = Body(x * x)
    first = body.x
    del body.x
    body.x = first * x
    return body.x * first


def caught(x):
    body = Body(x)
    try:
        body.x = body.x * x
        if body.x > 0.5:
            raise ValueError("large")
        body.x = 0.0
    except ValueError as error:
        body.x = body.x * x if error.__traceback__ is not None else 0.0
    return body.x * x


def found_late(x):
    body = Body(x)
    scales = {"sin": np.sin, "square": lambda t: t * t}
    for name in scales:
        body.x = body.x * scales[name](x)
    return body.square()


def whole_number_attribute(x):
    body = Body(2)
    body.x = body.x * 3
    return body.x * x * x


class Pair(NamedTuple):
    first: float
    second: float


def parts_of_what_is_found_late(x):
    """Attributes of a NamedTuple and of an array whose types aren't known."""
    things = [Pair(x, x * x), 3.0, np.array([[x, x * x], [1.0, x]]), None]
    pair, array = things[int(x) - 1], things[int(x) + 1]
    first = getattr(pair, "first", 0.0)
    missing = getattr(pair, "third", x * x)
    return first * pair.second * missing + np.sum(array.T[0] * array[1])


def matched(x):
    match Pair(x, x * x) if x > 0.0 else "none":
        case Pair(first, second=second):
            return first * second * second
        case _:
            return 0.0


FUNCTIONS = [
    matched, parts_of_what_is_found_late, counted, drawn, kept_arrays, leapfrog,
    one_under_two_names, overwritten, recursive, several, swapped, notes_in_lists_and_dicts,
    array_that_an_object_holds, attribute_deleted_and_set_again, caught, found_late,
    whole_number_attribute,
]


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivative(f, outer):
    x, step = 1.3, 1e-5
    slope = reverse(f)
    expected = (slope(x + step) - slope(x - step)) / (2 * step)
    assert outer(forward(f))(x) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("f", [leapfrog, counted, swapped, overwritten], ids=lambda f: f.__name__)
def test_third_derivative(f, outer):
    x, step = 1.3, 1e-5
    second = forward(reverse(f))
    expected = (second(x + step) - second(x - step)) / (2 * step)
    assert outer(forward(forward(f)))(x) == pytest.approx(expected, rel=1e-6)
    assert outer(reverse(forward(f)))(x) == pytest.approx(expected, rel=1e-6)
    assert outer(forward(reverse(f)))(x) == pytest.approx(expected, rel=1e-6)


# What stands outside


def objects_from_outside(x):
    outside = Body(x * x)

    def inner(t):
        outside.x = outside.x * t
        return outside.x * t

    y, y_dot = zyg.jvp(inner, (x,), (x,))
    return y * y_dot * outside.x


def reads_from_outside(x):
    outside = Body(x * x)
    outside.x = outside.x * x
    return zyg.jvp(lambda t: t * t * outside.square(), (x,), (1.0,))[1]


def unknown_object_from_outside(x):
    """A read of an object of unknown class: its tangent outside isn't that inside."""
    outside = Body(x * 3.0)
    things = [outside, 2.0, "text", None]
    outside.x = outside.x * x
    thing = things[int(x) - 1]
    return zyg.jvp(lambda t: t * t * thing.x, (x,), (1.0,))[1]


def array_held_outside(x):
    """The run time finds the tangent of `np.array` of memory that an object outside holds."""
    outside = Body([x, x * x])
    outside.x.append(x * 2.0)
    kept = outside.x
    return zyg.jvp(lambda t: t * np.sum(np.array([t, kept[0], t * t])), (x,), (1.0,))[1]


def jvp_in_a_loop(x):
    body = Body(x)
    for _ in range(3):

        def energy(t):
            moved = Body(t)
            moved.x = moved.x * body.x
            return moved.square()

        body.x = body.x - 0.01 * zyg.jvp(energy, (body.x,), (1.0,))[1]
    return body.x


def changed_arguments(x):
    def inner(values):
        values.append(values[0] * values[1])
        values[0] = values[2] * values[1]
        return sum(values)

    values = [x, x * 2.0]
    _, y_dot = zyg.jvp(inner, (values,), ([1.0, x],))
    return y_dot * values[0] * len(values)


def of_a_function_found_late(x):
    total = 0.0
    for function in (np.sin, lambda t: t * t * t, leapfrog):
        total += x * zyg.jvp(function, (x,), (x,))[1]
    return total


def with_a_gradient_beside(x):
    body = Body(x)

    def inner(t):
        body.x = body.x * t
        return body.square()

    slope = zyg.gradient(inner, x)[0]
    return slope * zyg.jvp(inner, (x,), (1.0,))[1]


def attribute_of_one_of_several(x):
    body = Body(x)
    things = [2.0, body, None]

    def inner(t):
        body.x = body.x * t
        return body.x * things[int(x)].x

    return zyg.jvp(inner, (x,), (1.0,))[1]


OUTSIDE = [
    objects_from_outside, reads_from_outside, unknown_object_from_outside, array_held_outside,
    jvp_in_a_loop, changed_arguments, with_a_gradient_beside,
    attribute_of_one_of_several,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", OUTSIDE, ids=lambda f: f.__name__)
def test_what_stands_outside(f, mode):
    x, step = 1.3, 1e-6
    expected = (f(x + step) - f(x - step)) / (2 * step)
    assert mode(f)(x) == pytest.approx(expected, rel=1e-7)


def test_objects_are_left_as_one_call_leaves_them():
    body = Body(2.0)

    def inner(t):
        body.x = body.x * t
        return body.x

    def slope(t):
        return zyg.jvp(inner, (t,), (1.0,))[1]

    assert zyg.gradient(slope, 3.0) == (0.0,)
    assert body.x == 6.0


# Refused


def given_with_a_tangent(x):
    body = Body(x)
    body.x = x * 2.0
    return zyg.jvp(lambda o, t: o.x * t, (body, x), ({"x": 1.0}, 1.0))[1]


def object_given_back(x):
    def inner(t):
        body = Body(t)
        body.x = t * t
        return body

    return zyg.jvp(inner, (x,), (1.0,))[0].x


def works_on_objects_and_is_found_late(x):
    body = Body(x)

    def inner(t):
        body.x = body.x * t
        return body.x

    functions = [np.sin, inner]
    return zyg.jvp(functions[int(x)], (x,), (1.0,))[1] * body.x


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [
    given_with_a_tangent, object_given_back, works_on_objects_and_is_found_late,
], ids=lambda f: f.__name__)  # fmt: skip
def test_refused(f, mode):
    with pytest.raises(zyg.ZygError):
        mode(f)(1.3)


def doubled(f):
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) * 2.0

    return wrapper


@doubled
def wrapped(x, y):
    return np.sum(x**3) * y


def products(x, *factors):
    for factor in factors:
        x = x * factor
    return np.sum(x)


ALONG = np.array([0.3, 0.5])


@pytest.mark.parametrize("f", [
    lambda x: zyg.jvp(wrapped, (x, 2.0), (ALONG, 1.0))[1],
    lambda x: zyg.jvp(wrapped, (x, 2.0), (ALONG, None))[1],
    lambda x: zyg.jvp(wrapped, (x, 2.0), (None, 1.0))[1],
    lambda x: zyg.jvp(products, (x, 2.0, x), (ALONG, None, None))[1],
    lambda x: zyg.jvp(products, (x, 2.0, x), (None, 1.0, ALONG))[1],
    lambda x: zyg.jvp(lambda *t: t[0][0] * t[1][1] ** 2, (x, x), (None, ALONG))[1],
])
def test_starred_parameters(f):
    x, h = np.array([1.0, 2.0]), 1e-6
    slopes = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(2)]
    assert np.allclose(zyg.gradient(f, x)[0], slopes, rtol=1e-6)
    assert np.isclose(zyg.jvp(f, (x,), (ALONG,))[1], slopes @ ALONG, rtol=1e-6)


def test_constant_among_starred_arguments_that_are_found():
    def composed(x):
        functions = [lambda a, b: a * b, lambda v: v * v]
        return functools.reduce(lambda f, g: lambda *a: g(f(*a)), functions)(x, 2.0)

    assert zyg.hvp(composed, 1.3, 1.0) == pytest.approx(8.0)
    assert zyg.gradient(zyg.grad(composed), 1.3)[0] == pytest.approx(8.0)


def along_a_loop_variable(x):
    for i in range(3):
        _, slope = zyg.jvp(lambda w: np.tanh(w) * i, (x,), (np.ones(3),))
        x = x - 0.1 * slope
    return np.sum(x**2)


def along_what_a_loop_computes(x):
    y, total, factor = 2 * x, 0.0, 1.0

    def weighted(w):
        return np.sum(np.sin(w) * y) * factor

    for _ in range(3):
        y = y * x
        factor = factor * np.sum(y)
        total = total + zyg.jvp(weighted, (x,), (y,))[1]
    return total


@pytest.mark.parametrize("f", [along_a_loop_variable, along_what_a_loop_computes])
def test_functions_that_have_captured_what_a_loop_assigns(f):
    x = np.array([0.3, 0.2, -0.4])
    differences.check_gradient(f, (x,), zyg.pullback)
    slope = zyg.gradient(f, x)[0] @ x
    assert zyg.jvp(f, (x,), (x,))[1] == pytest.approx(slope, rel=1e-10)
