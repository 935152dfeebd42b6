"""Joins of types, and the bounds of those that would grow for ever."""

import pytest

from ir.bounded_types import bounded, size_of
from ir.types import TOP, Closure, Known, Scalar, Sequence, Tuple, Union, join

CODE, NAMES = compile("1", "<code>", "eval"), {}
NUMBER, TEXT, NONE = Scalar(float), Scalar(str), Known(None)


def pair(item):
    return Tuple((NUMBER, item))


def closure(capture, default=NUMBER):
    return Closure(CODE, NAMES, (capture,), (default,), (("key", capture),))


@pytest.mark.parametrize("a", [Known("a"), TEXT, NONE, pair(Known("a"))])
@pytest.mark.parametrize("b", [Known("a"), Known("b"), NUMBER, pair(NONE), NONE])
def test_joins_settle(a, b):
    both = join(a, b)
    assert join(both, a) == join(a, both) == join(both, b) == join(b, both) == both


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (NONE, NUMBER, Union(frozenset([NONE, NUMBER]))),
        (NONE, pair(NONE), TOP),
        (pair(NONE), pair(NUMBER), pair(Union(frozenset([NONE, NUMBER])))),
        (pair(NONE), pair(pair(NONE)), pair(TOP)),
        (pair(pair(NUMBER)), pair(pair(pair(NUMBER))), pair(pair(TOP))),
        (Sequence(list, NUMBER), Sequence(list, Sequence(list, NUMBER)), Sequence(list, TOP)),
        (Sequence(list, NUMBER), Sequence(tuple, NUMBER), TOP),
        (closure(NUMBER), closure(closure(NUMBER)), closure(TOP)),
        (closure(NUMBER), closure(NUMBER, pair(NONE)), closure(NUMBER, TOP)),
    ],
)
def test_bounds(before, after, expected):
    assert bounded(before, after) == expected


def test_growth_ends():
    found = pair(NUMBER)
    for _ in range(3):
        found = bounded(found, join(NUMBER, pair(found)))
    assert found == bounded(found, join(NUMBER, pair(found)))


def test_sizes():
    assert size_of(pair(pair(NUMBER))) == 5
    assert size_of(Sequence(list, join(NUMBER, NONE))) == 4
    assert size_of(closure(pair(NONE))) == 8
