"""Arrays that containers and objects hold and variables name: whichever of these a change goes by,
it is seen by all of them, or refused."""

import pytest

from tests import random_calls, random_names, random_places
from tests.random_checks import is_tame, outcomes, second_outcomes

BATCH = 50
# The share of programs that has derivatives at least.
SHARES = {"names": 0.7, "places": 0.3, "calls": 0.3}
WRITERS = {"names": random_names, "places": random_places, "calls": random_calls}
one_version = pytest.mark.one_version


def tame(writer, first):
    made = map(WRITERS[writer].random_function, range(first, first + BATCH))
    return [f for f in made if is_tame(f)]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n * BATCH, marks=one_version) for n in range(1, 4))]
)
def test_no_first_derivative_is_wrong(writer, first):
    functions = tame(writer, first)
    followed = 0
    for f in functions:
        found = list(outcomes(f))
        assert False not in found, f.__code__.co_filename
        followed += None not in found
    assert len(functions) > 0.5 * BATCH
    assert followed > SHARES[writer] * len(functions)


@pytest.mark.thorough
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("first", range(200, 3200, BATCH))
def test_no_first_derivative_of_many_is_wrong(writer, first):
    for f in tame(writer, first):
        assert False not in list(outcomes(f)), f.__code__.co_filename


@pytest.mark.thorough
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("first", range(0, 1600, BATCH))
def test_no_second_derivative_is_wrong(writer, first):
    for f in tame(writer, first):
        assert False not in list(second_outcomes(f)), f.__code__.co_filename


@one_version
def test_no_second_derivative_of_a_few_is_wrong():
    for f in tame("places", 0):
        assert False not in list(second_outcomes(f)), f.__code__.co_filename
