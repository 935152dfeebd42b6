"""Programs that random ones were reduced to, which once gave wrong results or made zyg fail."""

from collections import defaultdict

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

X = np.array([1.0, 2.0, 3.0, 4.0])


def shared_variable_hidden_by_a_comprehension(a, x):
    c = a

    def scaled(u):
        nonlocal c
        c = c * u
        return c

    total = sum(c * e for c, e in zip(x, x, strict=True))
    doubled = [c * 2 for c in [c]]
    is_large = any(c > 100 for c in [c, c])
    return total + doubled[0] + scaled(2.0) + c * is_large


def two_stores_in_a_handler(a, x):
    try:
        value = a * {0: 2.0}[int(a)]
    except KeyError:
        try:
            assert a > 100
        except AssertionError:
            x[1], x[2] = a, a * a
        finally:
            value = x[0]
    finally:
        a = a * 2
    return value * a + x[1] + x[2]


def grouped(a, x):
    groups = defaultdict(list)
    groups["odd"].append(a * x[1])
    groups["odd"].append(x[3])
    if a > 1:
        groups["even"].append(a * a)
    return sum([sum(group) for group in groups.values()])


def dicts_merged_in_an_arm(a, x):
    state = {key: a * i for i, key in enumerate("abc")}
    if a > 2:
        state = {**state, "b": a * a}
    else:
        x[0] = a
    total = 0.0
    for value in state.values():
        total += value
    return total + x[0]


PROGRAMS = [
    shared_variable_hidden_by_a_comprehension, two_stores_in_a_handler, grouped,
    dicts_merged_in_an_arm,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f):
    check_gradient(f, (1.5, X), zyg.pullback)


def constant_in_an_arm(a):
    if a > 5:
        factor = 11
    return factor * a


def constant_in_a_body_that_fails(a):
    try:
        if a < 5:
            raise ValueError
        factor = 11
    except ValueError:
        pass
    return factor * a


def function_in_an_arm(a):
    if a > 5:
        def scaled(u):
            return u * 2
    return scaled(a)


@pytest.mark.parametrize(
    "f", [constant_in_an_arm, constant_in_a_body_that_fails, function_in_an_arm]
)
def test_unbound_variables_raise(f):
    for differentiate in (zyg.gradient, zyg.pullback):
        with pytest.raises(UnboundLocalError):
            differentiate(f, 3.0)


def unknown_items(v, a):
    return [item * a for (item,) in v.reshape()]


def call_about_which_the_run_time_tells(a, c):
    if a > 0:
        unknown_items(np.array(c), a)
    return c


def test_call_that_fails_raises_the_error_of_numpy():
    with pytest.raises(TypeError):
        call_about_which_the_run_time_tells(1.0, 2.0)
    with pytest.raises(TypeError):
        zyg.gradient(call_about_which_the_run_time_tells, 1.0, 2.0)
