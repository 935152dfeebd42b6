"""500 random programs: value and derivatives of the compiler are exactly those of the oracle, and
second derivatives of the shorter ones."""

import sys
import time

import pytest

from tests.fuzz.check import TookTooLong, check, failures, time_limit
from tests.fuzz.compiled import by_zyg
from tests.fuzz.generate import SHORT, generate
from tests.fuzz.rebuilt import by_round_trip
from tests.fuzz.reduction import reduced
from tests.fuzz.twice import by_nested_duals, by_zyg_twice

BATCH = 50
# So many programs are tested each time, the other ones by the thorough tests.
USUAL, COUNT = 250, 500
# A tenth of a batch, and three standard deviations of chance; `make fuzz` runs more. What is
# refused mostly changes what may have several names, or is a closure over what is bound again:
# written to see that it isn't wrong.
MOST_REFUSED = BATCH // 10 + 7


@pytest.mark.parametrize("differentiate", [by_round_trip, by_zyg])
@pytest.mark.parametrize(
    "first",
    [
        0,
        *(pytest.param(n, marks=pytest.mark.one_version) for n in range(BATCH, USUAL, BATCH)),
        *(pytest.param(n, marks=pytest.mark.thorough) for n in range(USUAL, COUNT, BATCH)),
    ],
)
def test_random_programs(first, differentiate):
    found = list(failures(map(generate, range(first, first + BATCH)), differentiate))
    failed = [failure for failure in found if not failure.is_refusal]
    if failed:
        seeds = [failure.program.seed for failure in failed]
        smallest = min(failed, key=lambda failure: len(failure.program.source))
        small = reduced(smallest, differentiate)
        pytest.fail(f"seeds {seeds}; one reduced:\n{check(small, differentiate) or smallest}")
    assert len(found) <= MOST_REFUSED, f"refused: {[str(failure.found) for failure in found]}"


# One in twenty is refused.
SECOND = range(0, 200, 40)


@pytest.mark.thorough
@pytest.mark.one_version
@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in SECOND[1:])]
)
def test_second_derivatives(first):
    programs = [
        program for program in map(generate, range(first, first + SECOND.step))
        if len(program.source) <= SHORT
    ]
    found = list(failures(programs, by_zyg_twice, by_nested_duals))
    failed = [failure for failure in found if not failure.is_refusal]
    if failed:
        smallest = min(failed, key=lambda failure: len(failure.program.source))
        small = reduced(smallest, by_zyg_twice, by_nested_duals)
        pytest.fail(f"one reduced:\n{check(small, by_zyg_twice, by_nested_duals) or smallest}")
    assert len(found) <= len(programs) // 5


class FailsWhenDropped:
    def __del__(self):
        raise ValueError


def test_reports_of_finalizers_are_not_interrupted(monkeypatch):
    finished = []

    def slow_report(unraisable):
        until = time.process_time() + 0.3
        while time.process_time() < until:
            pass
        finished.append(unraisable.exc_type)

    def endless():
        FailsWhenDropped()
        while True:
            pass

    monkeypatch.setattr(sys, "unraisablehook", slow_report)
    with pytest.raises(TookTooLong), time_limit(0.05):
        endless()
    assert finished == [ValueError]
    assert sys.unraisablehook is slow_report
