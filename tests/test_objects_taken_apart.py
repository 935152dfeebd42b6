"""Objects that functions of C convert or compute with: refused, never taken for constants."""

import itertools
import math
import statistics
from collections import deque

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


# Where nothing else is done with the object


class Both:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter([self.x, self.x**2])

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return [self.x, self.x**2][k]

    def __matmul__(self, other):
        return self.x * other

    def __round__(self, digits=None):
        return self.x

    def __array__(self, dtype=None, copy=None):
        return np.array([self.x, self.x**2])

    def times(self, t):
        return self.x * t


def stored_into_an_array(a):
    v = np.zeros(2)
    v[:] = a
    return np.sum(v)


ARRAY = np.array([1.0, 2.0])
READERS = {
    "islice": lambda a: sum(itertools.islice(a, 1)),
    "tee": lambda a: sum(itertools.tee(a)[0]),
    "cycle": lambda a: next(itertools.cycle(a)),
    "combinations": lambda a: sum(p * q for p, q in itertools.combinations(a, 2)),
    "permutations": lambda a: sum(p * q for p, q in itertools.permutations(a, 2)),
    "accumulate": lambda a: list(itertools.accumulate(a))[1],
    "pairwise": lambda a: sum(p * q for p, q in itertools.pairwise(a)),
    "compress": lambda a: sum(itertools.compress(a, [1, 1])),
    "zip_longest": lambda a: sum(p * q for p, q in itertools.zip_longest(a, [1.0, 2.0])),
    "filterfalse": lambda a: sum(itertools.filterfalse(lambda t: t < 0, a)),
    "takewhile": lambda a: sum(itertools.takewhile(lambda t: t > 0, a)),
    "starmap": lambda a: sum(itertools.starmap(lambda p, q: p * q, [a])),
    "from_iterable": lambda a: sum(itertools.chain.from_iterable([a, a])),
    "deque": lambda a: sum(deque(a)),
    "polyval": lambda a: np.polyval(a, 2.0),
    "operator of an array": lambda a: np.sum(ARRAY + a),
    "store": stored_into_an_array,
    "piecewise": lambda a: np.sum(np.piecewise(ARRAY, [ARRAY > 1.5], [a.times, 0.0])),
    "round": lambda a: round(a),
}


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("name", READERS)
def test_functions_that_do_nothing_else_with_objects(name, is_late):
    read = READERS[name]

    def f(x):
        things = [Both(x * x), 3.0]
        return read(things[int(x) - 1] if is_late else Both(x * x)) * x

    slope = (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6
    for derivative in (
        lambda: zyg.gradient(f, 1.3)[0],
        lambda: zyg.jvp(f, (1.3,), (1.0,))[1],
    ):
        try:
            found = derivative()
        except (NotDifferentiable, UnsupportedSyntax):
            continue
        assert found == pytest.approx(slope, rel=1e-6)
