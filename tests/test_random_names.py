"""Arrays that containers and objects hold and variables name: whichever of these a change goes by,
it is seen by all of them, or refused."""

import pytest

from tests.random_checks import is_tame, outcomes, second_outcomes
from tests.random_names import random_function

BATCH = 50


def tame(first):
    return [f for f in map(random_function, range(first, first + BATCH)) if is_tame(f)]


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n * BATCH, marks=pytest.mark.one_version) for n in range(1, 8))]
)
def test_no_first_derivative_is_wrong(first):
    functions = tame(first)
    followed = 0
    for f in functions:
        found = list(outcomes(f))
        assert False not in found, f.__code__.co_filename
        followed += None not in found
    assert followed > 0.7 * len(functions) > 0.5 * BATCH


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(400, 6400, BATCH))
def test_no_first_derivative_of_many_is_wrong(first):
    for f in tame(first):
        assert False not in list(outcomes(f)), f.__code__.co_filename


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 3200, BATCH))
def test_no_second_derivative_is_wrong(first):
    for f in tame(first):
        assert False not in list(second_outcomes(f)), f.__code__.co_filename
