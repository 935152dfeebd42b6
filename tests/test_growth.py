"""Gradients of programs on containers take as long as the programs, up to a factor.

Counted are the instructions of Python that run, for inputs of a length and of twice that length:
what a single one copies is seen by `python -m tests.benchmarks.containers`.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

import zyg
from tests.growing_programs import PROGRAMS


def steps_of(f, *args):
    """How many instructions of Python a call takes."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    # Python 3.12 tells of instructions only if a frame has asked for them before.
    sys._getframe().f_trace_opcodes = True
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


@pytest.mark.parametrize("f", PROGRAMS)
def test_twice_as_many_numbers_take_twice_as_long(f):
    assert growth_of(f) < 2.2


@pytest.mark.parametrize("f", PROGRAMS)
def test_their_gradients(f):
    values = [0.9, 1.1, 0.7, 1.3, 0.8, 1.2, 0.6, 1.4, 0.5, 1.5, 1.05]
    zyg.check_grads(f, values, order=1)
