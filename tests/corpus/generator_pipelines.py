"""Generators and generator expressions in pipelines, objects and arrays, and what consumes them."""

import itertools
import math
from functools import reduce

import numpy as np

from tests.corpus.registry import program


def scaled(items, factor):
    for item in items:
        yield item * factor


def only_above(items, limit):
    return (item for item in items if item > limit)


def in_batches(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


@program(([1.0, 2.0, 3.0, 4.0], 1.5))
def three_stages(values, factor):
    stages = only_above(scaled(values, factor), 2.0)
    return sum(stage * stage for stage in scaled(stages, factor))


@program(([1.0, 2.0, 3.0, 4.0, 5.0],))
def batches(values):
    total = 1.0
    for batch in in_batches(values, 2):
        total = total * sum(batch) + len(batch)
    return total


@program(([1.0, 2.0, 3.0, 4.0, 5.0],))
def batches_of_a_generator(values):
    squares = (value * value for value in values)
    return sum(max(batch) * min(batch) for batch in in_batches(squares, 2))


@program((np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0.5, -0.5])))
def steps_of_training(rows, weights):
    def losses(weights):
        for row in rows:
            error = row @ weights - 1.0
            weights = weights - 0.01 * error * row
            yield error * error

    return sum(losses(weights))


@program((np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, 2.0])))
def power_iteration(matrix, vector):
    def vectors(v):
        while True:
            v = matrix @ v
            v = v / np.sqrt(v @ v)
            yield v

    last = next(itertools.islice(vectors(vector), 3, None))
    return np.sum(last * np.array([1.0, 2.0]))


@program((np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),))
def rows_and_columns(matrix):
    rows = (np.sum(row * row) for row in matrix)
    columns = (np.prod(column) for column in matrix.T)
    return sum(a * b for a, b in zip(rows, columns, strict=False))


@program((np.array([1.0, 2.0, 3.0]),))
def array_of_a_generator(x):
    return np.sum(np.array(list(v * i for i, v in enumerate(x))) ** 2)


@program((np.array([1.0, 2.0, 3.0]),))
def arrays_stacked(x):
    return np.sum(np.stack(list(x * k for k in range(3))) ** 2)


@program((np.array([1.0, 2.0, 3.0, 4.0]),))
def views_from_a_generator(x):
    def halves(a):
        middle = len(a) // 2
        yield a[:middle]
        yield a[middle:]

    first, second = halves(x)
    return np.sum(first * second[::-1])


@program((np.array([1.0, 2.0, 3.0, 4.0]),))
def relaxation(u):
    def sweeps(u):
        while True:
            for i in range(1, len(u) - 1):
                u[i] = 0.5 * (u[i - 1] + u[i + 1])
            yield np.sum(u * u)

    return sum(itertools.islice(sweeps(u * 1.0), 3))


@program((2.0,))
def lists_from_a_generator(x):
    def rows():
        for k in range(3):
            yield [x * k, x]

    table = list(rows())
    return table[1][0] * table[2][0] + sum(sum(row) for row in rows())


@program((2.0,))
def tuples_and_dicts_from_a_generator(x):
    def entries():
        yield "a", x
        yield "b", x * x

    table = dict(entries())
    other = {name: value for name, value in entries()}
    return table["a"] * other["b"] + sum(value for _, value in entries())


@program((2.0,))
def key_and_default(x):
    values = (x * k for k in (1.0, -3.0, 2.0))
    return max(values, key=abs) * min((v for v in []), default=x)


@program((2.0,))
def reduced(x):
    return reduce(lambda a, b: a * b + x, (x + k for k in range(4)))


@program((2.0,))
def reduced_from_a_start(x):
    return reduce(lambda a, b: a * x + b, (x * k for k in range(4)), x * x)


@program((1.5,))
def horner(x):
    def coefficients():
        yield 1.0
        yield x
        yield 3.0

    value = 0.0
    for coefficient in coefficients():
        value = value * x + coefficient
    return value


@program((1.5,))
def series_until_small(x):
    def terms():
        term, n = 1.0, 0
        while True:
            yield term
            n += 1
            term = term * x / n

    return sum(itertools.takewhile(lambda term: term > 1e-9, terms()))


@program((2.0, 3.0))
def nested_clauses(x, y):
    return sum(
        a * b + c
        for a in (x, y)
        for b in range(3)
        if b != 1
        for c in (a * b, y)
        if c < 5.5
    )


@program((2.0,))
def nested_expressions(x):
    return sum(sum(a * b for b in range(a + 1)) * x for a in range(4))


@program((2.0,))
def expression_over_expression(x):
    first = (x * k for k in range(5))
    second = (v * v for v in first if v > 1.0)
    third = (math.sqrt(v + x) for v in second)
    return sum(third)


@program((2.0,))
def conditional_elements(x):
    return sum(k * x if k % 2 else x**k for k in range(4))


@program((2.0,))
def captured_by_a_loop(x):
    total = 0.0
    for factor in (x, 2.0, x * x):
        total += sum(factor * k for k in range(3))
    return total


@program((2.0,))
def passed_to_several(x):
    def mean(items):
        items = list(items)
        return sum(items) / len(items)

    def largest(items):
        found = None
        for item in items:
            if found is None or item > found:
                found = item
        return found

    return mean(x * k for k in range(1, 4)) * largest(x + k for k in range(3))


@program((2.0,))
def given_by_a_lambda(x):
    make = lambda n: (x**k for k in range(n))
    return sum(make(3)) + max(make(2))


@program((2.0,))
def chosen_generator(x):
    up, down = (x * k for k in range(3)), (x - k for k in range(3))
    source = up if x > 1.0 else down
    return sum(source) * next(down)


@program((2.0,))
def in_a_dict(x):
    sources = {"a": (x * k for k in range(4)), "b": (x**k for k in range(4))}
    total = 0.0
    for name in ("a", "b", "a", "b"):
        total = total * 2.0 + next(sources[name])
    return total


@program((2.0,))
def starred_displays(x):
    return sum([*(x * k for k in range(3)), x]) * (*(x + k for k in range(2)),)[1]


@program((2.0,))
def swapped_while_read(x):
    def turns(a, b):
        for _ in range(4):
            yield a - 2.0 * b
            a, b = b, a * x

    return sum(value**2 for value in turns(x, 1.0))


@program((2.0,))
def enumerated_and_sorted(x):
    ordered = sorted((v for v in (x, 5.0 * x, -x, 3.0)), key=lambda v: -v)
    return sum(v * i for i, v in enumerate(ordered, 1))


class Stream:
    def __init__(self, source):
        self.source = source
        self.taken = 0

    def map(self, function):
        return Stream(function(item) for item in self.source)

    def keep(self, predicate):
        return Stream(item for item in self.source if predicate(item))

    def __iter__(self):
        for item in self.source:
            self.taken += 1
            yield item


@program((2.0,))
def fluent_stream(x):
    stream = Stream(range(6)).map(lambda k: k * x).keep(lambda v: v > 3.0)
    total = 0.0
    for value in stream:
        total += value * value
    return total * stream.taken


class Particle:
    def __init__(self, position, velocity):
        self.position = position
        self.velocity = velocity

    def moved(self, dt):
        while True:
            self.position = self.position + dt * self.velocity
            self.velocity = self.velocity - dt * self.position
            yield self.position


@program((1.0, 0.5))
def objects_that_move(position, velocity):
    first, second = Particle(position, velocity), Particle(velocity, position * 2.0)
    total = 0.0
    for (a, b), _ in zip(zip(first.moved(0.1), second.moved(0.2), strict=False), range(4),
                         strict=False):
        total += (a - b) ** 2
    return total + first.velocity * second.position


@program((2.0,))
def held_by_an_object(x):
    class_of_stream = Stream
    stream = class_of_stream(x**k for k in range(5))
    first = next(stream.source)
    return first + sum(stream) * next(stream.source, x)


def accumulator():
    total = 0.0
    while True:
        received = yield total
        if received is None:
            return total
        total += received * received


def grouped(results):
    while True:
        results.append((yield from accumulator()))


@program((2.0,))
def coroutine_of_groups(x):
    results = []
    group = grouped(results)
    next(group)
    for values in ([x, 1.0], [x * x]):
        for value in values:
            group.send(value)
        group.send(None)
    return results[0] * results[1]


def moving(limit):
    state = 1.0
    while True:
        change = yield state
        state = min(state * change, limit)


@program((1.5,))
def controlled_by_its_reader(x):
    machine = moving(10.0)
    state = next(machine)
    for _ in range(4):
        state = machine.send(x + 0.1 * state)
    machine.close()
    return state * x


@program((2.0,))
def cleaned_up_after_break(x):
    events = []

    def guarded():
        try:
            for k in range(5):
                yield k * x
        finally:
            events.append(x)

    total = 0.0
    for item in guarded():
        if item > 5.0:
            break
        total += item
    return total + 3.0 * sum(events)


@program((2.0,))
def generator_of_generators(x):
    def outer():
        for k in range(3):
            yield (x * k * j for j in range(3))

    total = 0.0
    for inner in outer():
        for item in inner:
            total += item * item
    return total


@program((2.0,))
def pipeline(x):
    def source():
        for k in range(6):
            yield x * k

    def even(items):
        for i, item in enumerate(items):
            if i % 2 == 0:
                yield item

    def squared(items):
        for item in items:
            yield item * item

    return sum(squared(even(source())))
