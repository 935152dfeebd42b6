"""Joins of types, and the bounds of those that would grow for ever."""

import pytest

from ir.types import TOP, Known, Scalar, Sequence, Tuple, Union, bounded, join

NUMBER, TEXT, NONE = Scalar(float), Scalar(str), Known(None)


def pair(item):
    return Tuple((NUMBER, item))


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
    ],
)
def test_bounds(before, after, expected):
    assert bounded(before, after) == expected


def test_growth_ends():
    found = pair(NUMBER)
    for _ in range(3):
        found = bounded(found, join(NUMBER, pair(found)))
    assert found == bounded(found, join(NUMBER, pair(found)))
