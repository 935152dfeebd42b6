"""Random groups of functions and methods that call each other: value and slope are Python's own.

Slopes are compared with those of differences.
"""

import pytest

import zyg
from tests import random_changing_recursions, random_methods, random_recursions

BATCH = 10
STEP = 1e-6


def is_defined(f):
    try:
        f(1.3)
    except Exception:
        return False
    return True


def check_group(f):
    value, back = zyg.pullback(f, 1.3)
    assert value == f(1.3), f.__code__.co_filename
    slope = (f(1.3 + STEP) - f(1.3 - STEP)) / (2 * STEP)
    assert back(1.0)[0] == pytest.approx(slope, rel=1e-5, abs=1e-6), f.__code__.co_filename


@pytest.mark.thorough
@pytest.mark.parametrize(
    "first",
    [
        0,
        pytest.param(BATCH, marks=pytest.mark.one_version),
        *(pytest.param(n, marks=pytest.mark.thorough) for n in range(2 * BATCH, 4 * BATCH, BATCH)),
    ],
)
@pytest.mark.parametrize("writer", [random_recursions, random_changing_recursions, random_methods])
def test_groups(writer, first):
    functions = map(writer.random_function, range(first, first + BATCH))
    defined = [f for f in functions if is_defined(f)]
    assert len(defined) >= BATCH // 2
    for f in defined:
        check_group(f)
