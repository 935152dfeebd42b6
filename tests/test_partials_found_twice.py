"""Second derivatives of partial functions and methods that are found when the program runs."""

import functools

import pytest

import zyg
from tests import differences
from tests.orders_of_modes import check_second_derivative, forward, reverse


def cubic(a, b, x, c=1.0):
    return a * x**3 + b * x * x + c * x


half = functools.partial(cubic, 0.5)


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def ring(self, inner, *, factor=1.0, power=2):
        return factor * (self.radius**3 - inner**power)

    half_ring = functools.partialmethod(ring, factor=0.5)
    cubic_ring = functools.partialmethod(half_ring, power=3)


class Fallback:
    """Attributes that aren't there are computed."""

    def __init__(self, values):
        self.values = values

    def __getattr__(self, name):
        if name != "first":
            raise AttributeError(name)
        return self.values[0] ** 2


def of_a_partial_function(x):
    kept = [functools.partial(half, x, c=x * x), functools.partial(half, b=x)]
    return kept[0](x) * kept[0](x=2.0, c=x) + kept[1](x=x * x)


def of_one_in_which_a_keyword_is_given_again(x):
    inner = functools.partial(cubic, x, c=x**4)
    kept = [functools.partial(inner, x * x, c=x * 2.0), inner]
    return kept[0](x) * kept[1](x, 1.0) + kept[0](1.0, c=x)


def of_methods(circle, inner):
    return circle.half_ring(inner) * circle.cubic_ring(inner, factor=inner)


def found_in_the_object(values, x):
    return values.first * values.values[1] * x


@pytest.mark.parametrize("f", [of_a_partial_function, of_one_in_which_a_keyword_is_given_again])
@pytest.mark.parametrize("outer", [forward, reverse])
def test_partial_functions(f, outer):
    check_second_derivative(f, reverse, outer, 1.3)


@pytest.mark.parametrize(("f", "given"), [
    (of_methods, Circle(1.3)), (found_in_the_object, Fallback([1.3, 0.7])),
])
def test_what_is_read_of_objects(f, given):
    def gradient(*args):
        return zyg.gradient(f, *args)

    differences.check_gradient(gradient, (given, 0.6), zyg.pullback)
