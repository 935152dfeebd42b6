"""Random groups of recursive functions: value and slope are those of Python and of differences."""

import pytest

import zyg
from tests.random_recursions import random_function

BATCH = 20
STEP = 1e-6


def is_defined(f):
    try:
        f(1.3)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.one_version) for n in range(BATCH, 10 * BATCH, BATCH))],
)
def test_groups(first):
    functions = [f for f in map(random_function, range(first, first + BATCH)) if is_defined(f)]
    assert len(functions) > BATCH // 2
    for f in functions:
        value, back = zyg.pullback(f, 1.3)
        assert value == f(1.3)
        slope = (f(1.3 + STEP) - f(1.3 - STEP)) / (2 * STEP)
        assert back(1.0)[0] == pytest.approx(slope, rel=1e-5, abs=1e-6), f.__code__.co_filename
