"""Objects that functions of C convert or compute with: refused, never taken for constants."""

import math
import statistics

import numpy as np
import pytest

import zyg
from zyg.errors import NotDifferentiable, UnsupportedSyntax


class Length:
    def __init__(self, meters):
        self.meters = meters

    def __float__(self):
        return self.meters * 1.0


class Vector:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vector(self.x + other.x)

    def __mul__(self, factor):
        return Vector(self.x * factor)


class Samples:
    def __init__(self, x):
        self.x = x

    def __array__(self, dtype=None, copy=None):
        return np.array([self.x, 2 * self.x])


class Rooted:
    def __init__(self, x):
        self.x = x

    def sqrt(self):
        return Rooted(math.sqrt(self.x))


class Series:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 3

    def __getitem__(self, k):
        if k > 2:
            raise IndexError(k)
        return self.x * k


def stored(x):
    a = np.zeros(2)
    a[0] = Length(x)
    return a.sum()


def stored_as_objects(x):
    a = np.empty(1, dtype=object)
    a[0] = Vector(x)
    return (a * 2.0)[0].x


def known_at_run_time(x):
    values = {"a": Length(x), "b": 2.0, "c": [Length(x)]}
    return math.sqrt(values["abc"[int(x) - 4]])


REFUSED = [
    lambda x: math.sqrt(Length(x)),
    lambda x: math.hypot(Length(x), 1.0),
    lambda x: math.fsum([Length(x), Length(2 * x)]),
    lambda x: sum(map(math.sqrt, [Length(x)])),
    lambda x: sum(f(Length(x)) for f in [math.sqrt, math.exp]),
    lambda x: complex(Length(x)).real,
    lambda x: np.array([Length(x)], dtype=float).sum(),
    lambda x: np.float64(Length(x)),
    lambda x: np.sum([Vector(x), Vector(2 * x)]).x,
    lambda x: np.add.reduce([Vector(x), Vector(2 * x)]).x,
    lambda x: (np.array([Vector(x)]) * 2.0)[0].x,
    lambda x: np.sum(Samples(x)),
    lambda x: (np.ones(2) + Samples(x)).sum(),
    lambda x: np.sqrt(Rooted(x)).x,
    lambda x: np.sqrt(np.array([Rooted(x)], dtype=object))[0].x,
    lambda x: next(reversed(Series(x))),
    lambda x: statistics.mean(Series(x)),
    stored,
    stored_as_objects,
    known_at_run_time,
]


@pytest.mark.parametrize("f", REFUSED)
def test_refused_in_both_modes(f):
    f(4.0)
    with pytest.raises((NotDifferentiable, UnsupportedSyntax), match="given to"):
        zyg.gradient(f, 4.0)
    with pytest.raises((NotDifferentiable, UnsupportedSyntax), match="given to"):
        zyg.jvp(f, (4.0,), (1.0,))


def test_objects_of_arguments():
    refusals = NotDifferentiable, UnsupportedSyntax
    for f in (lambda length: math.sqrt(length), lambda length: math.sqrt([length][0])):
        with pytest.raises(refusals, match=r"float\(x\)"):
            zyg.gradient(f, Length(4.0))
        with pytest.raises(refusals, match=r"float\(x\)"):
            zyg.jvp(f, (Length(4.0),), ({"meters": 1.0},))


def listed(x):
    return [Length(x), Length(x * x)]


def test_what_is_converted_in_python():
    def f(x):
        roots = [math.sqrt(float(length)) for length in listed(x)]
        grid = np.array([Rooted(x), Rooted(2 * x)])  # it computes nothing with them
        return sum(roots) + sum(map(float, listed(x))) + grid[1].x

    assert zyg.gradient(f, 4.0) == pytest.approx((0.25 + 1.0 + 9.0 + 2.0,))
    assert zyg.jvp(f, (4.0,), (1.0,))[1] == pytest.approx(12.25)
