"""Items of cotangents that every arm of a branch clears are cleared behind it, if at all."""

import math

import numpy as np
import pytest

import zyg
from tests import differences


def limited(u, c):
    u = u.copy()
    for i in range(len(u)):
        v = u[i]
        if v > 1.0:
            u[i] = math.sqrt(v) * c
        elif v < -1.0:
            u[i] = -v * v
        else:
            u[i] = math.sin(v)
    return np.sum(u * u)


def in_a_dict(start, rate):
    times = {"a": start, "b": 2.0 * start}
    for name in ("a", "b", "a"):
        now = times[name]
        if now < 1.5:
            times[name] = now * rate
        else:
            times[name] = now * now
    return times["a"] + 3.0 * times["b"]


def in_one_arm(u):
    u = u.copy()
    for i in range(len(u)):
        v = u[i]
        if v > 1.0:
            u[i] = v * v
        u[0] += v
    return np.sum(u * u)


def at_different_places(u):
    u = u.copy()
    for i in range(1, len(u)):
        v = u[i]
        if v > 1.0:
            u[i] = v * v
        else:
            u[i - 1] = v * 3.0
    return np.sum(u * u)


def at_a_place_of_two_names(u, j):
    u = u.copy()
    for i in range(len(u)):
        v = u[i]
        w = u[j]
        if v > 1.0:
            u[i] = v * w
        else:
            u[i] = v * 3.0 + w
    return np.sum(u * u)


def rows(a):
    a = a.copy()
    for i in range(len(a)):
        row = a[i] * 2.0
        if row[0] > 1.0:
            a[i] = row * row
        else:
            a[i] = np.sin(row)
    return np.sum(a * a)


def diffused(u, rate):
    for _ in range(3):
        u[1:-1] += rate * (u[2:] - u[:-2])
    return np.sum(u * u)


def at_places(u, places):
    for _ in range(3):
        u[places] += u[places] * u[0]
    return np.sum(u * u)


NUMBERS = np.array([0.5, 2.0, -3.0, 1.5])
CASES = [
    (diffused, (NUMBERS, 0.3)),
    (at_places, (NUMBERS, np.array([1, 2]))),
    (at_places, (NUMBERS, np.array([2, 2]))),
    (at_places, (NUMBERS, np.array([0, 3, 0]))),
    (limited, (NUMBERS, 2.0)),
    (in_a_dict, (1.2, 0.7)),
    (in_one_arm, (NUMBERS,)),
    (at_different_places, (NUMBERS,)),
    (at_a_place_of_two_names, (NUMBERS, 1)),
    (rows, (np.array([[0.2, 0.4], [0.8, 0.1], [0.1, 0.3]]),)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_gradient(f, args):
    differences.check_gradient(f, args, zyg.pullback)


@pytest.mark.parametrize(("f", "bar"), [(limited, "u_bar[i]"), (in_a_dict, "times_bar[name]")])
def test_an_item_that_all_arms_store_is_set_once(f, bar):
    args = next(args for case, args in CASES if case is f)
    changed = [
        line.strip() for line in str(zyg.code_adjoint(f, *args)).splitlines()
        if line.strip().startswith((f"{bar} =", f"{bar} +=", f"{bar} *="))
    ]
    assert len(changed) == 1


def test_what_stands_at_an_item_already_is_not_stored():
    code = str(zyg.code_adjoint(diffused, NUMBERS, 0.3)).split("def diffused_back")[1]
    assert "u_bar[1:-1] =" not in code
