"""The fuzzer catches each of forty mistakes put into the compiler one at a time."""

import pytest

from tests.fuzz import check, seeded_changes, seeded_state
from tests.fuzz.check import count_failures
from tests.fuzz.generate import generate
from tests.fuzz.seeded_bugs import ABOUT, SEEDED_BUGS

pytestmark = pytest.mark.thorough

COUNT = 500
assert seeded_changes and seeded_state, "importing them registers their bugs"
# Short programs of these 500 that were found to catch the bugs: tried first, to save time.
FIRST = (
    387, 290, 359, 321, 39, 151, 29, 183, 152, 88, 26, 469, 418, 98, 136, 139, 20, 105, 484, 91,
    479,
)


@pytest.fixture(scope="module")
def programs():
    """The programs, those that are expected to catch something first, then the short ones."""
    everything = [generate(seed) for seed in range(COUNT)]
    return sorted(everything, key=lambda p: (p.seed not in FIRST, len(p.source)))


@pytest.fixture(autouse=True)
def impatience(monkeypatch):
    # A lost exit makes endless loops; no program takes so long where the compiler is right.
    monkeypatch.setattr(check, "SECONDS", 8)


def is_caught_by(program, bug):
    """Whether a program fails with the bug, and only then."""
    with bug():
        failed = count_failures([program])
    return bool(failed) and not count_failures([program])


def test_there_are_forty_bugs():
    assert len(SEEDED_BUGS) >= 40


@pytest.mark.parametrize("name", SEEDED_BUGS)
def test_bug_is_caught(name, programs):
    concerned = [program for program in programs if ABOUT[name] in program.source]
    assert any(is_caught_by(program, SEEDED_BUGS[name]) for program in concerned)


def test_programs_pass_without_a_bug(programs):
    assert count_failures(programs[: len(FIRST)]) == 0
