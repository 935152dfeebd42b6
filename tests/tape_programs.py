"""A program for the tests of tapes, and what they look at of a tape."""

from __future__ import annotations

import numpy as np

import ir
from zyg.tape import Operation, Tape, to_function


def operations(t):
    return [str(node.op) for node in t.nodes if isinstance(node, Operation)]


def emitted(t):
    return ir.emit(to_function(t))


def before_sigmoid():
    """A tape on which `x` is #16 and `sigmoid(x)` is #42, as in the document."""
    t = Tape()
    x = t.input(0.25)
    while len(t) < 17:
        x = x + 0.5 if len(t) == 1 else -x
    for _ in range(25):
        delta = t.input(2.0)
    return t, x, delta


def program(w, b, x):
    h = np.tanh(x @ w + b)
    return np.mean(h * h) + np.sum(w[0] * np.exp(-b))


def arguments(seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(3, 4)), random.normal(size=4), random.normal(size=(5, 3))


def check_equal(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b) and np.result_type(a) == np.result_type(b)
        np.testing.assert_allclose(a, b, rtol=1e-12)
