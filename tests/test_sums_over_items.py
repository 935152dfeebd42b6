"""Loops that only add up what they compute of their items: in the joint form each iteration is
reversed right behind itself, also where the items have cotangents."""

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient
from zyg.calls.entry import entry_for

ROWS = [np.array([0.3, -0.5]), np.array([1.2, 0.7]), np.array([-0.4, 0.9])]


def sum_over_a_list(xs, w):
    total = 0.0
    for x in xs:
        total += np.sum(np.tanh(x * w) ** 2)
    return total


def sum_over_a_tuple(xs, w):
    total = 0.0
    for x in tuple(xs):
        total = total - np.sum(np.sin(x) * w)
    return total


def sum_over_two_lists(xs, w):
    total = 0.0
    for x, y in zip(xs, xs[1:]):  # noqa: B905, RUF007
        total += np.sum(x * y * w)
    return total


def sum_over_an_array(xs, w):
    total = 0.0
    for x in np.array(xs):
        total += x @ x * w[0]
    return total


def sum_backwards(xs, w):
    total = 0.0
    for i, x in enumerate(reversed(xs)):
        total += i * np.sum(x * x * w)
    return total


def two_sums(xs, w):
    total, other = 0.0, 1.0
    for x in xs:
        t = np.sum(np.exp(x * w))
        total += t
        other -= t * t
    return total + 0.5 * other


def sum_of_what_was_made(xs, w):
    states = [xs[0]]
    for x in xs:
        states.append(np.tanh(x + states[-1] * w))
    total = 0.0
    for state in states[1:]:
        total += np.mean(state**2)
    return total


def left_early(xs, w):
    total = 0.0
    for x in xs:
        total += np.sum(x * x * w)
        if total > 0.5:
            break
    return total


def changed_on_the_way(xs, w):
    total, held = 0.0, w.copy()
    for x in xs:
        total += np.sum(x * held * held)
        held[0] = 2.0
    return total


def of_a_constant(xs, w):
    total = 0.0
    for x in xs:
        total += x[0]
    return total * w[0]


WITHOUT_RECORDS = [sum_over_a_list, sum_over_a_tuple, sum_over_two_lists, two_sums]
PROGRAMS = [
    *WITHOUT_RECORDS, sum_over_an_array, sum_backwards, sum_of_what_was_made, left_early,
    changed_on_the_way, of_a_constant,
]


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradient(f, count):
    if f is sum_of_what_was_made and count == 0:
        count = 2
    args = [x.copy() for x in ROWS[:count]], np.array([0.8, 1.1])
    if count:
        check_gradient(f, args, zyg.pullback)
    y, back = zyg.pullback(f, *args)
    for found, expected in zip(zyg.gradient(f, *args), back(1.0), strict=True):
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=1e-16)
    value, again = zyg.withgradient(f, *args)
    assert value == y
    np.testing.assert_array_equal(again[1], zyg.gradient(f, *args)[1])


@pytest.mark.parametrize("f", WITHOUT_RECORDS)
def test_nothing_is_recorded(f):
    source = entry_for("gradient", f, (ROWS, np.ones(2)), {}).code.emitted.source
    assert "records" not in source
    assert source.count("for ") == 1
