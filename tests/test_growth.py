"""Gradients of programs on containers take as long as the programs, up to a factor.

Counted are the instructions of Python that run, for inputs of a length and of twice that length.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

import zyg


def steps_of(f, *args):
    """How many instructions of Python a call takes."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        f(*args)
    finally:
        sys.settrace(before)
    return count


def growth_of(f, length=100):
    """By which factor a gradient takes longer for twice as many numbers."""
    random = np.random.default_rng(0)
    counts = []
    for n in (length, 2 * length):
        values = random.uniform(0.1, 1.0, n).tolist()
        for _ in range(2):
            zyg.gradient(f, values)
        counts.append(steps_of(zyg.gradient, f, values))
    return counts[1] / counts[0]


def test_the_measure():
    def square_of_length(values):
        return sum([x * y for x in values for y in values])

    assert growth_of(square_of_length) > 3.5


def running_mean(values):
    total = 0.0
    for x in values:
        total = total * 0.5 + x
        yield total


def over_a_generator(values):
    return sum(y * y for y in running_mean(values))


class Account:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def add(self, x):
        self.items.append(x)
        self.total += x * x


def into_an_object(values):
    account = Account()
    for x in values:
        account.add(x)
    return account.total + sum(account.items)


def neighbours(values):
    total = 0.0
    for a, b in itertools.pairwise(values):
        total += (b - a) ** 2 * a
    return total


def pairs_and_products(values):
    few = values[:: len(values) // 10]
    total = sum(a * b for a, b in itertools.combinations(few, 2))
    return total + sum(a * b for a, b in itertools.product(values, (1.0, 2.0)))


def of_two_lengths(values):
    return sum(a * b for a, b in itertools.zip_longest(values, values[3:], fillvalue=0.5))


def by_a_memo(values):
    found = {0: values[0]}
    for i in range(1, len(values)):
        found[i] = found[i - 1] * 0.9 + found[i // 2] * values[i]
    return found[len(values) - 1]


def by_a_stack(values):
    waiting, total = [], 0.0
    for x in values:
        waiting.append(x * x)
        total += x
    while waiting:
        total += waiting.pop() * 2.0
    return total


def deleted_from_the_end(values):
    left, total = list(values), 0.0
    while len(left) > 1:
        total += left[-1] * left[-2]
        del left[-1]
    return total


def square(x):
    return x * x


def mapped(values):
    return sum(map(square, values)) + max(map(square, values))


PROGRAMS = [
    over_a_generator, into_an_object, neighbours, pairs_and_products, of_two_lengths, by_a_memo,
    by_a_stack, deleted_from_the_end, mapped,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_twice_as_many_numbers_take_twice_as_long(f):
    assert growth_of(f) < 2.2


@pytest.mark.parametrize("f", PROGRAMS)
def test_their_gradients(f):
    values = [0.9, 1.1, 0.7, 1.3, 0.8, 1.2, 0.6, 1.4, 0.5, 1.5, 1.05]
    zyg.check_grads(f, values, order=1)
