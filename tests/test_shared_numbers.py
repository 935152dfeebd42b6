"""Numbers that a program computes twice are computed once, unless something may change between."""

import math
import sys
from itertools import count

import numpy as np
import pytest

import zyg

X = np.array([0.5, 1.5, -0.7])


def neighbours(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += x[i] * x[i + 1] + (x[i] - x[i + 1]) ** 2
    return total


def read_in_arms(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            total += x[i] * x[i]
        else:
            total -= math.sin(x[i]) * x[i]
    return total


def of_numbers(a, b):
    return math.exp(a * b) + math.sin(a * b) * (a * b)


def of_a_dict(p):
    return p["a"] * p["b"] + p["a"] ** 2 * p["b"]


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        (neighbours, (X,), "x[i]"),
        (neighbours, (X,), "x[i + 1]"),
        (read_in_arms, (X,), "x[i]"),
        (of_numbers, (0.5, 1.5), "a * b"),
        (of_a_dict, ({"a": 0.5, "b": 1.5},), "p['a']"),
    ],
)
def test_each_number_is_computed_once(function, args, text):
    forward = str(zyg.code_adjoint(function, *args)).split("_back(")[0]
    assert forward.count(text) == 1
    zyg.check_grads(function, *args)


def changed_between(x):
    x = x * 1.0
    first = x[0] * 2.0
    x[0] = first * x[1]
    return first * x[0] + x[1] * x[0]


def changed_under_another_name(x):
    x = x * 1.0
    view = x[:2]
    before = x[0] * x[1]
    view[0] = before
    return before + x[0] * x[1]


def changed_in_the_loop(x):
    x = x * 1.0
    total = x[0] * x[1]
    for _ in range(3):
        total += x[0] * x[1]
        x[0] *= 2.0
    return total + x[0] * x[1]


def changed_in_an_arm(x):
    x = x * 1.0
    total = x[0] * x[1]
    if total > 0.0:
        x[1] = 3.0 * x[0]
    return total + x[0] * x[1]


def double_first(x):
    x[0] *= 2.0


def changed_by_a_call(x):
    x = x * 1.0
    before = x[0] * x[1]
    double_first(x)
    return before + x[0] * x[1]


def changed_in_a_list(a):
    items = [a, 2.0 * a]
    before = items[0] * items[1]
    items[0] = before * items[1]
    return before * items[0] * items[1]


def changed_before_a_failure(x):
    x = x * 1.0
    total = x[0] * x[1]
    try:
        total += x[0] * x[1]
        x[0] = 5.0 * x[1]
        total += math.sqrt(-1.0 - x[1] ** 2)
    except ValueError:
        total += x[0] * x[1]
    return total + x[0] * x[1]


def changed_by_an_iterator(x):
    x = x * 1.0

    def doubled():
        for _ in range(2):
            x[0] *= 2.0
            yield x[1]

    total = x[0] * x[1]
    for item in doubled():
        total += x[0] * x[1] * item
    return total


def overlapping(x, y):
    before = x[0] * x[1]
    y[0] = 3.0 * before
    return before + x[0] * x[1]


@pytest.mark.parametrize(
    "function",
    [
        changed_between, changed_under_another_name, changed_in_the_loop, changed_in_an_arm,
        changed_by_a_call, changed_before_a_failure,
    ],
)
def test_what_is_changed_is_read_again(function):
    y, _ = zyg.pullback(function, X)
    assert y == function(X)
    zyg.check_grads(function, X)


def test_items_of_lists_are_read_again():
    zyg.check_grads(changed_in_a_list, 0.7)


def test_what_an_iterator_changes_is_read_again():
    y, back = zyg.pullback(changed_by_an_iterator, X)
    assert y == changed_by_an_iterator(X)
    first, second = X[1] + 6.0 * X[1] ** 2, X[0] + 12.0 * X[0] * X[1]
    np.testing.assert_allclose(back(1.0)[0], [first, second, 0.0])


def test_arrays_that_overlap_are_read_again():
    def of_one(x):
        x = x * 1.0
        return overlapping(x, x)

    def of_parts(x):
        x = x * 1.0
        return overlapping(x, x[:2])

    for function in (of_one, of_parts):
        assert zyg.pullback(function, X)[0] == function(X)
        zyg.check_grads(function, X)
    ours = X.copy()
    y, _ = zyg.pullback(overlapping, ours, ours)
    theirs = X.copy()
    assert y == overlapping(theirs, theirs)


THIS = sys.modules[__name__]
scale = 2.0
SETTINGS = {"rate": 2.0}


def scaled(x):
    return x**3 * scale


def by_a_global(x):
    global scale
    scale = 2.0
    first = scaled(x)
    scale = 5.0
    return first * scaled(x) + scale * x


def by_a_global_dict(x):
    SETTINGS["rate"] = 2.0
    first = x * SETTINGS["rate"]
    SETTINGS["rate"] = 5.0
    return first * x * SETTINGS["rate"]


def set_scale(value):
    global scale
    scale = value


def by_a_module(x):
    set_scale(2.0)
    total = 0.0
    for i in range(3):
        total += x * THIS.scale * x
        set_scale(3.0 + i)
    return total


def by_a_captured_number(x):
    rate = 2.0

    def change(value):
        nonlocal rate
        rate = value

    first = x * rate
    change(5.0)
    return first * x * rate


@pytest.mark.parametrize(
    "function", [by_a_global, by_a_global_dict, by_a_module, by_a_captured_number]
)
def test_what_names_stand_for_is_read_again(function):
    y, (bar,) = zyg.withgradient(function, 1.5)
    assert y == function(1.5)
    np.testing.assert_allclose(bar, (function(1.5 + 1e-6) - function(1.5 - 1e-6)) / 2e-6, rtol=1e-6)
    assert zyg.pullback(function, 1.5)[0] == y and zyg.jvp(function, (1.5,), (1.0,))[0] == y


class Counted:
    def __init__(self, x):
        self.x = x
        self.asked = count()

    def __mul__(self, other):
        return self.x * other * next(self.asked)


def test_operators_of_objects_run_as_often_as_they_stand_there():
    def product(x):
        counted = Counted(x)
        return counted * 2.0 + counted * 2.0 + counted * 2.0

    assert zyg.gradient(product, 1.5) == (6.0,)
