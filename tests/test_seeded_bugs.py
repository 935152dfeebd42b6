"""The fuzzer catches each of more than twenty mistakes put into the compiler one at a time."""

import pytest

from tests.fuzz import check, seeded_changes
from tests.fuzz.check import count_failures
from tests.fuzz.generate import generate
from tests.fuzz.seeded_bugs import SEEDED_BUGS

COUNT = 500
assert seeded_changes, "importing it registers its bugs"
# Short programs of these 500 that were found to catch the bugs: tried first, to save time.
FIRST = (63, 253, 75, 204, 179, 89, 300, 309)


@pytest.fixture(scope="module")
def programs():
    """The programs, those that are expected to catch something first, then the short ones."""
    everything = [generate(seed) for seed in range(COUNT)]
    return sorted(everything, key=lambda p: (p.seed not in FIRST, len(p.source)))


@pytest.fixture(autouse=True)
def impatience(monkeypatch):
    # A lost exit makes endless loops; no program takes a second where the compiler is right.
    monkeypatch.setattr(check, "SECONDS", 2)


def is_caught_by(program, bug):
    """Whether a program fails with the bug, and only then."""
    with bug():
        failed = count_failures([program])
    return bool(failed) and not count_failures([program])


def test_there_are_twenty_bugs():
    assert len(SEEDED_BUGS) >= 20


@pytest.mark.parametrize("name", SEEDED_BUGS)
def test_bug_is_caught(name, programs):
    assert any(is_caught_by(program, SEEDED_BUGS[name]) for program in programs)


def test_programs_pass_without_a_bug(programs):
    assert count_failures(programs[: len(FIRST)]) == 0
