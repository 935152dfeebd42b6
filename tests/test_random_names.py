"""Memory that containers and objects hold and variables name: whichever of these a change goes by,
it is seen by all of them, or refused."""

import pytest

from tests import (
    random_calls,
    random_lists,
    random_names,
    random_nodes,
    random_places,
    random_states,
)
from tests.random_checks import is_tame, outcomes, second_outcomes

BATCH = 50
WRITERS = {
    "names": random_names.random_function, "places": random_places.random_function,
    "calls": random_calls.random_function, "lists": random_lists.random_function,
    "states": random_states.random_function, "nodes": random_nodes.random_function,
    "held nodes": random_nodes.random_holding_function,
}
# The shares of programs that have first, and second derivatives at least; None: few have.
FIRST = {
    "names": 0.9, "places": 0.8, "calls": 0.7, "lists": 0.9, "states": 0.9, "nodes": 0.9,
    "held nodes": 0.7,
}
SECOND = {
    "names": 0.4, "places": 0.2, "calls": 0.05, "lists": 0.3, "states": 0.6, "nodes": 0.2,
    "held nodes": None,
}
one_version = pytest.mark.one_version


def check(writer, first, found_by, share):
    """Asserts that most programs of a batch are tame, that none of their derivatives is wrong, and
    that a share of them has all."""
    made = map(WRITERS[writer], range(first, first + BATCH))
    functions = [f for f in made if is_tame(f)]
    followed = 0
    for f in functions:
        found = list(found_by(f))
        assert False not in found, f.__code__.co_filename
        followed += None not in found
    assert len(functions) > 0.5 * BATCH
    assert share is None or followed > share * len(functions)


@pytest.mark.thorough
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    "first", [0, pytest.param(BATCH, marks=one_version)]
)
def test_no_first_derivative_is_wrong(writer, first):
    check(writer, first, outcomes, FIRST[writer])


@pytest.mark.thorough
@one_version
def test_no_second_derivative_is_wrong():
    check("places", 0, second_outcomes, SECOND["places"])


# How many batches each writer has, of first and of second derivatives.
COUNTS = {writer: (22, 10) if "nodes" in writer else (64, 32) for writer in WRITERS}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("writer", "first", "found_by", "share"),
    [
        (writer, n * BATCH, found_by, shares[writer])
        for writer, counts in COUNTS.items()
        for found_by, shares, batches in (
            (outcomes, FIRST, range(2, counts[0])), (second_outcomes, SECOND, range(counts[1])),
        )
        for n in batches
    ],
)
def test_none_of_many_is_wrong(writer, first, found_by, share):
    check(writer, first, found_by, None if share is None else 0.5 * share)
