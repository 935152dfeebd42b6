"""Priority queues: items stand where Python's `heapq` leaves them, and take cotangents along."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient
from zyg.rules import heaps

XS = [0.5, 1.5, 0.7, 0.3, 1.1, 0.9, 2.0, 0.4]


@pytest.mark.parametrize("seed", range(40))
def test_items_stand_where_python_leaves_them(seed):
    numbers = random.Random(seed)
    ours: list[tuple[int, int]] = []
    python: list[tuple[int, int]] = []
    for i in range(200):
        item = numbers.randrange(20), i
        name = numbers.choice(["heappush", "heappush", "heappop", "heapreplace", "heappushpop"])
        args = () if name == "heappop" else (item,)
        if not python and name in ("heappop", "heapreplace"):
            continue
        if numbers.random() < 0.05:
            numbers.shuffle(ours)
            python = list(ours)
            name, args = "heapify", ()
        found = getattr(heaps, name)(ours, *args)
        assert found == getattr(heapq, name)(python, *args)
        assert ours == python


def test_an_empty_heap():
    for name in ("heappop", "heapreplace"):
        args = ([], 1.0) if name == "heapreplace" else ([],)
        with pytest.raises(IndexError, match="index out of range"):
            getattr(heaps, name)(*args)


def smallest_first(xs):
    queue, total = [], 0.0
    for x in xs:
        heapq.heappush(queue, x)
    while queue:
        total = total * 0.5 + heapq.heappop(queue)
    return total


def of_pairs(xs):
    queue, total = [], 1.0
    for i, x in enumerate(xs):
        heapq.heappush(queue, (x, i))
    while queue:
        x, i = heapq.heappop(queue)
        total = total * x + i
    return total


def merged(xs):
    queue, total = list(xs), 0.0
    heapq.heapify(queue)
    while len(queue) > 1:
        both = heapq.heappop(queue) + heapq.heapreplace(queue, 0.8)
        total += both * heapq.heappushpop(queue, 1.2 * both)
        heapq.heappop(queue)
    return total


@pytest.mark.parametrize("f", [smallest_first, of_pairs, merged])
def test_gradients(f):
    check_gradient(f, (XS,), zyg.pullback)
    zyg.check_grads(f, XS, order=2)


@pytest.mark.parametrize("f", [smallest_first, of_pairs])
def test_paths_are_all_that_is_kept(f):
    code = str(zyg.code_adjoint(f, XS))
    assert "_bar.append(" in code and "cycle_back(" in code
    for whole in ("kept(", "heappop_forward(", "shell(", "cycled_back("):
        assert whole not in code


def test_a_heap_that_an_object_holds():
    class Events:
        def __init__(self):
            self.queue = []

        def add(self, time, x):
            heapq.heappush(self.queue, (time, x))

        def take(self):
            return heapq.heappop(self.queue)[1]

    def f(xs):
        events = Events()
        for i, x in enumerate(xs):
            events.add(i * 3 % 7, x)
        return sum(events.take() * (i + 1) for i in range(len(xs)))

    check_gradient(f, (XS,), zyg.pullback)


class Roads:
    def __init__(self):
        self.lengths = defaultdict(list)

    def add(self, here, there, length):
        self.lengths[here].append((there, length))
        self.lengths[there].append((here, length))

    def distances(self, start):
        found, queue, done = {start: 0.0}, [(0.0, start)], set()
        while queue:
            so_far, here = heapq.heappop(queue)
            if here in done:
                continue
            done.add(here)
            for there, length in self.lengths[here]:
                if there not in found or so_far + length < found[there]:
                    found[there] = so_far + length
                    heapq.heappush(queue, (found[there], there))
        return found


def shortest_way(x):
    roads = Roads()
    for here, there, length in [(0, 1, x), (1, 2, x * x), (0, 2, 5.0), (2, 3, 1.0 / x)]:
        roads.add(here, there, length)
    return roads.distances(0)[3]


def test_queue_in_a_method_that_reads_what_objects_hold():
    (slope,) = zyg.gradient(shortest_way, 1.3)
    assert np.isclose(slope, (shortest_way(1.3 + 1e-6) - shortest_way(1.3 - 1e-6)) / 2e-6)
    assert np.isclose(zyg.jvp(shortest_way, (1.3,), (1.0,))[1], slope)
