"""500 random programs: value and derivatives of the compiler are exactly those of the oracle."""

import pytest

from tests.fuzz.check import check
from tests.fuzz.generate import generate
from tests.fuzz.reduction import reduced

BATCH = 50


@pytest.mark.parametrize("first", range(0, 500, BATCH))
def test_random_programs(first):
    found = [check(generate(seed)) for seed in range(first, first + BATCH)]
    failed = [failure for failure in found if failure is not None]
    if failed:
        smallest = min(failed, key=lambda failure: len(failure.program.source))
        seeds = [failure.program.seed for failure in failed]
        pytest.fail(f"seeds {seeds}; one reduced:\n{check(reduced(smallest)) or smallest}")
