"""Priority queues and sorted lists: simulations of events, shortest paths."""

import bisect
import heapq
import itertools
import queue
from dataclasses import dataclass, field

import numpy as np

from tests.corpus.registry import program


@program((1.3,), (0.37,))
def heap_by_hand(x):
    heap = [x * 3, 1.0, x * x, 0.5, 7.0 * x]
    heapq.heapify(heap)
    first = heapq.heappop(heap)
    second = heapq.heapreplace(heap, x * 1.5)
    third = heapq.heappushpop(heap, x * 0.1) + heapq.heappushpop(heap, x * 40)
    heapq.heappush(heap, 2.5 * x)
    total, i = 0.0, 1
    while heap:
        total += i * heapq.heappop(heap)
        i += 1
    return total + first * 2 + second * 3 + third * 4


@program((1.3,))
def smallest_and_largest(x):
    smallest = heapq.nsmallest(3, [x, x * x, 3.0, 0.1 * x])
    (largest,) = heapq.nlargest(1, [x, 2 * x], key=lambda value: -value)
    return sum(i * value for i, value in enumerate(smallest)) + largest


@program((1.3,))
def kept_in_order(x):
    ordered = []
    for value in (x * 2, x, x * 3, 1.0):
        bisect.insort(ordered, value)
    bisect.insort_left(ordered, x * x, key=lambda value: value)
    return sum(i * value for i, value in enumerate(ordered)) * bisect.bisect(ordered, 2.5)


@program((2.0,))
def shortest_path(x):
    distances = {0: 0.0}
    queue = [(0.0, 0)]
    edges = {0: [(1, x), (2, 4.0)], 1: [(2, x * x * 0.1), (3, 6.0)], 2: [(3, x)], 3: []}
    while queue:
        distance, node = heapq.heappop(queue)
        if distance > distances[node]:
            continue
        for other, length in edges[node]:
            through = distance + length
            if other not in distances or through < distances[other]:
                distances[other] = through
                heapq.heappush(queue, (through, other))
    return distances[3] * x


class Event:
    def __init__(self, time, payload):
        self.time = time
        self.payload = payload

    def __lt__(self, other):
        return self.time < other.time


@program((1.3,))
def events_that_are_compared(x):
    queue = []
    for i in range(4):
        heapq.heappush(queue, Event(x * (i % 3) + 0.1 * i, x * i))
    total = 1.0
    while queue:
        event = heapq.heappop(queue)
        total = total * 1.1 + event.payload * event.time
    return total


class Simulation:
    def __init__(self):
        self.queue = []
        self.now = 0.0
        self.serial = itertools.count()
        self.result = 0.0

    def after(self, delay, action, *args):
        heapq.heappush(self.queue, (self.now + delay, next(self.serial), action, args))

    def run(self):
        while self.queue:
            self.now, _, action, args = heapq.heappop(self.queue)
            action(*args)


@program((1.7,))
def actions_that_plan_others(x):
    simulation = Simulation()

    def ping(count, value):
        simulation.result += value * simulation.now
        if count:
            simulation.after(x * 0.5, pong, count - 1, value * x)

    def pong(count, value):
        simulation.result -= value * 0.1
        if count:
            simulation.after(1.0, ping, count - 1, value + x)

    simulation.after(1.0, ping, 4, x)
    simulation.after(0.3 * x, pong, 2, 1.0)
    simulation.run()
    return simulation.result


@program((1.3,))
def waiting_line(x):
    queue, busy, waited, now = [], 0.0, 0.0, 0.0
    for i in range(4):
        heapq.heappush(queue, (x * i * 0.7, i, "arrives"))
    while queue:
        now, i, kind = heapq.heappop(queue)
        if kind == "arrives":
            start = max(now, busy)
            waited += start - now
            busy = start + x * 1.1
            heapq.heappush(queue, (busy, i + 10, "leaves"))
    return waited + now


@program((1.3,))
def soonest_of_events(x):
    queue = [Event(3.0, x)]
    heapq.heappush(queue, Event(x, x * x))
    heapq.heappush(queue, Event(2.0 * x, 1.0))
    first = heapq.heappop(queue)
    return first.payload * first.time + heapq.heappop(queue).time


@dataclass(order=True)
class Planned:
    time: float
    serial: int
    kind: str = field(compare=False)


class Desk:
    def __init__(self, service):
        self.service = service
        self.queue, self.waiting, self.waits = [], [], []
        self.is_free = True

    def plan(self, time, kind):
        heapq.heappush(self.queue, Planned(time, len(self.queue), kind))

    def arrives(self, now):
        self.waiting.append(now)

    def leaves(self, now):
        self.is_free = True

    def run(self):
        while self.queue:
            event = heapq.heappop(self.queue)
            getattr(self, event.kind)(event.time)
            if self.is_free and self.waiting:
                self.waits.append(event.time - self.waiting.pop(0))
                self.plan(event.time + self.service, "leaves")
                self.is_free = False
        return event.time


@program((1.3,))
def desk_with_planned_events(x):
    desk = Desk(x * 1.1)
    for i in range(3):
        desk.plan(0.7 * x * i, "arrives")
    return desk.run() + sum(desk.waits) * x


@program((1.3, 0.7), (-0.4, 2.0))
def arrays_and_numbers_in_one_queue(x, y):
    waiting = queue.Queue()
    for item in (np.array(x), x * y, np.array(y * y), y):
        waiting.put(item)
    total = waiting.get() * waiting.get()
    waiting.put(total)
    while not waiting.empty():
        total = total + waiting.get() * x
    return float(total)
