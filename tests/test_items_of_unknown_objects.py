"""Items that objects compute, in functions whose module doesn't know the objects' class.

Types don't tell the class of the object, and nothing but it varies: what is right or refused in one
mode must not be taken for constants in the other.
"""

import linecache
from collections import namedtuple

import pytest

import zyg
from zyg.errors import NotDifferentiable, UnsupportedSyntax


class Series:
    def __init__(self, x):
        self.items = [x, x * x]

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return 2


SOURCE = '''
import numpy as np

def walked(o):
    total = 0.0
    for item in o:
        total = total + item
    return total

def indexed(o):
    return o[0] * o[1]

def unpacked(o):
    first, second = o
    return first * second

def listed(o):
    return list(o)[1]

def summed(o):
    return sum(o)

def counted(o):
    return sum([i * item for i, item in enumerate(o)])

def in_a_list(o):
    return [item for item in [o]][0][1]

def as_array(o):
    return np.array(o).sum()
'''
ELSEWHERE = {"__name__": "elsewhere"}
exec(compile(SOURCE, "elsewhere.py", "exec"), ELSEWHERE)
FUNCTIONS = [
    ELSEWHERE[name] for name in
    "walked indexed unpacked listed summed counted in_a_list as_array".split()
]
Entry = namedtuple("Entry", "series weight")


def made_here(f, x):
    return f(Series(x))


def one_of_two(f, x):
    return f((Series(x), 2.0)[int(x) - int(x)])


def in_a_global(f, x):
    found["series"] = Series(x)
    return f(found["series"])


def in_a_slice(f, x):
    values = [f(series) for series in [Series(x), 2.0][:1]]
    return values[0]


found = {}


@pytest.fixture(autouse=True)
def _source():
    linecache.cache["elsewhere.py"] = len(SOURCE), None, SOURCE.splitlines(True), "elsewhere.py"


def assert_right_or_refused(derivative, expected):
    refused = None
    try:
        found_derivative = derivative()
    except (NotDifferentiable, UnsupportedSyntax) as error:
        refused = str(error)
    assert "Series" in refused if refused else (
        found_derivative == pytest.approx(expected, rel=1e-4)
    )


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("made", [made_here, one_of_two, in_a_global, in_a_slice])
def test_objects_that_are_made(f, made):
    def g(x):
        return made(f, x)

    expected = (g(2.0 + 1e-6) - g(2.0 - 1e-6)) / 2e-6
    assert_right_or_refused(lambda: zyg.gradient(g, 2.0)[0], expected)
    assert_right_or_refused(lambda: zyg.jvp(g, (2.0,), (1.0,))[1], expected)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_objects_that_an_argument_holds(f):
    def g(entry):
        return f(entry.series) * entry.weight

    expected = (f(Series(2.0 + 1e-6)) - f(Series(2.0 - 1e-6))) / 2e-6
    dot = Entry({"items": [1.0, 4.0]}, 0.0)
    assert_right_or_refused(lambda: zyg.jvp(g, (Entry(Series(2.0), 1.0),), (dot,))[1], expected)
