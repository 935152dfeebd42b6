"""Generator expressions that functions of `math` and `statistics` consume at once."""

import math
import statistics
from math import fsum

import pytest

import zyg
from tests.scalar_checks import check_first, check_twice

X = 1.3


def squares(x):
    values = {"a": x, "b": 0.5}
    return math.fsum(v * v for _, v in values.items())


def product(x):
    return math.prod((v * x for v in (x, 2.0)), start=x)


def by_name(x):
    return fsum(v * v for v in (x, x * x))


def means(x):
    return statistics.fmean(v * v for v in (x, 2 * x)) * statistics.mean(v for v in (x, 1.0))


def side_effects(x):
    seen = []

    def note(v):
        seen.append(v)
        return v * v

    return fsum(note(v) for v in (x, 2 * x)) * len(seen)


@pytest.mark.parametrize("f", [squares, product, by_name, means])
def test_derivatives(f):
    check_twice(f, X)


def test_changes_on_the_way():
    check_first(side_effects, X)


class Lazy:
    def fsum(self, items):
        return next(items)


def test_methods_of_that_name_get_a_generator():
    math = Lazy()  # which hides the module

    def first(x):
        return math.fsum(v for v in (x * x, 1 / 0 if x < 0 else 1.0))

    assert first(X) == X * X
    assert zyg.gradient(first, X) == (2 * X,)
