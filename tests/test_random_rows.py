"""Random functions in which objects and local containers hold the same arrays."""

import pytest

import zyg
from tests import random_rows
from tests.random_checks import is_followed, is_tame


def is_smooth(f, point=1.3, step=1e-6):
    """Whether differences tell a derivative: there is no kink close by."""
    before, value, after = (f(point + k * step) for k in (-1, 0, 1))
    return abs(before - 2.0 * value + after) < 1e-3 * step


def check(seeds, is_nested):
    tame = []
    for seed in seeds:
        f = random_rows.random_function(seed, is_nested)
        if is_tame(f) and is_smooth(f):
            tame.append(f)
    assert len(tame) >= len(seeds) // 2
    return [f for f in tame if is_right(f)]


def is_right(f):
    """The same as `is_followed`, where forward mode alone may refuse what differentiates itself."""
    try:
        return is_followed(f)
    except zyg.ZygError:
        return False


@pytest.mark.thorough
@pytest.mark.one_version
def test_right_or_refused():
    assert len(check(range(12), is_nested=False)) >= 8


@pytest.mark.thorough
@pytest.mark.one_version
def test_with_derivatives_inside():
    assert len(check(range(8), is_nested=True)) >= 4


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(12, 60, 12))
def test_more(start):
    assert len(check(range(start, start + 12), is_nested=False)) >= 8


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(8, 40, 8))
def test_more_with_derivatives_inside(start):
    assert len(check(range(start, start + 8), is_nested=True)) >= 3


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(200, 216))
def test_second_derivatives(seed):
    f = random_rows.random_function(seed)
    if not (is_tame(f) and is_smooth(f)):
        return
    step = 1e-4
    before, value, after = (f(1.3 + k * step) for k in (-1, 0, 1))
    expected = (before - 2.0 * value + after) / step**2
    try:
        found = zyg.gradient(lambda y: zyg.gradient(f, y)[0], 1.3)[0]
    except zyg.ZygError:
        return
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-3)
