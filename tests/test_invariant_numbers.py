"""Numbers that are the same in each iteration are computed in front of a loop."""

import math
import re

import numpy as np
import pytest

import zyg


def densities(x, sigma):
    total = 0.0
    for item in x:
        total -= 0.5 * (item / sigma) ** 2 + 0.5 * math.log(2.0 * math.pi * sigma)
    return total


def steps(x, dt, n):
    v = 0.0
    for _ in range(n):
        for _ in range(2):
            v += x * (0.5 * dt + 1.0)
        x -= v * (dt / 2.0)
    return x


def in_an_arm(x, dt):
    for i in range(4):
        if i % 2 == 0:
            x *= 2.0 * dt
    return x


def with_a_context(x, scale):
    total = 0.0
    for item in x:
        with np.errstate(over="ignore"):
            total += item * (np.float64(1e200) * 1e200 * scale) * 0.0 + item * item
    return total


def by_a_while(x, dt):
    t = 0.0
    while t < 1.0:
        x += x * (dt * 0.5)
        t += dt + dt
    return x


def body_of(function, *args):
    forward = str(zyg.code_adjoint(function, *args)).split("_back(")[0]
    return re.split(r"\n    (?:for|while) .*:\n", forward, maxsplit=1)[1]


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        (densities, (np.array([0.5, 1.5]), 0.7), "math.pi"),
        (steps, (0.5, 0.1, 3), "0.5 *"),
        (steps, (0.5, 0.1, 3), "/ 2.0"),
        (by_a_while, (0.5, 0.07), "* 0.5"),
    ],
)
def test_loops_have_none(function, args, text):
    assert text not in body_of(function, *args)
    zyg.check_grads(function, *args)


def test_arms_keep_theirs():
    assert "2.0 * dt" in body_of(in_an_arm, 0.5, 0.1)
    zyg.check_grads(in_an_arm, 0.5, 0.1)


def test_what_a_context_is_for_stays_in_it():
    x = np.array([0.5, 1.5])
    with np.errstate(all="raise", invalid="ignore"):
        zyg.pullback(with_a_context, x, np.float64(1.0))


def test_what_can_fail_is_not_computed_for_no_iteration():
    def divided(x, y):
        total = x
        for item in ():
            total += item / y
        return total * x

    def powers(x, y):
        total = x
        for _ in range(int(y)):
            total += x * 1e300**2 / y
        return total * x

    assert zyg.gradient(divided, 3.0, 0.0) == (6.0, 0.0)
    assert zyg.gradient(powers, 3.0, 0.0)[0] == 6.0


def test_a_name_that_is_read_behind_the_loop():
    def last(x, dt):
        for _ in range(3):
            half = 0.5 * dt
            x += half * x
        return x * half

    zyg.check_grads(last, 0.5, 0.1)
    assert zyg.pullback(last, 0.5, 0.1)[0] == last(0.5, 0.1)
