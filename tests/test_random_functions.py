"""Random functions whose memory is referred to by functions, and changed by these or by name."""

import pytest

from tests.random_checks import is_tame, outcomes
from tests.random_functions import random_function


def check(seeds, has_objects):
    """Asserts that no derivative is wrong; gives how many programs have all of them."""
    functions = filter(is_tame, (random_function(seed, has_objects) for seed in seeds))
    found = {f.__code__.co_filename: list(outcomes(f)) for f in functions}
    assert [name for name, ways in found.items() if False in ways] == []
    return sum(None not in ways for ways in found.values())


@pytest.mark.thorough
@pytest.mark.one_version
@pytest.mark.parametrize("has_objects", [False, True], ids=["alone", "with_objects"])
def test_right_or_refused(has_objects):
    assert check(range(12), has_objects) >= 4


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(12, 96, 12))
@pytest.mark.parametrize("has_objects", [False, True], ids=["alone", "with_objects"])
def test_more(start, has_objects):
    assert check(range(start, start + 12), has_objects) >= 3
