"""Objects that stand in several containers at once, which are filled in place."""

from collections import defaultdict, deque

import pytest

import zyg
from tests.scalar_checks import check_hvp
from zyg.errors import NotDifferentiable, UnsupportedSyntax

X = 1.3


class Job:
    def __init__(self, weight, tag):
        self.weight, self.tag, self.parts = weight, tag, []


def jobs(x):
    return [Job(x, "a"), Job(2.0, "b"), Job(x * x, "a")]


def in_lists_of_a_dict(x):
    by_tag = {"a": [], "b": []}
    for job in jobs(x):
        by_tag[job.tag].append(job)
    return sum(job.weight for job in by_tag["a"]) * x


def in_lists_by_default(x):
    by_tag = {}
    for job in jobs(x):
        by_tag.setdefault(job.tag, []).append(job)
    return by_tag["a"][0].weight * by_tag["a"][1].weight


def in_lists_that_a_dict_makes(x):
    by_tag = defaultdict(list)
    for job in jobs(x):
        by_tag[job.tag].append(job)
    return sum(job.weight for job in by_tag["a"]) * len(by_tag)


def twice_in_a_queue(x):
    queue = deque(jobs(x))
    done = [[], []]
    while queue:
        job = queue.popleft()
        done[job.tag == "a"].append(job)
        done[0].append(job)
    return sum(job.weight for job in done[0]) * done[1][0].weight


@pytest.mark.parametrize("f", [
    in_lists_of_a_dict, in_lists_by_default, in_lists_that_a_dict_makes, twice_in_a_queue,
])
def test_grouped(f):
    check_hvp(f, X)


def same_list_in_an_object(x):
    job = Job(x, "a")
    groups = {"a": job.parts}
    for i in range(2):
        groups["a"].append(x * i)
    return job.parts[1] * x


def same_list_by_two_keys(x):
    shared = []
    groups = {"a": shared, "b": shared}
    for tag in "ab":
        groups[tag].append(x)
    return sum(groups["a"]) * x


@pytest.mark.parametrize("f", [same_list_in_an_object, same_list_by_two_keys])
def test_shared_memory_is_never_lost(f):
    expected = (f(X + 1e-6) - f(X - 1e-6)) / 2e-6
    for call in lambda: zyg.gradient(f, X)[0], lambda: zyg.jvp(f, (X,), (1.0,))[1]:
        try:
            found = call()
        except (NotDifferentiable, UnsupportedSyntax):
            continue
        assert found == pytest.approx(expected, rel=1e-6)
