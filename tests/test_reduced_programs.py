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


def array_of_a_list_changed_in_the_first_arm(a, x):
    held = [np.array([a, a])]
    first = held[0]
    first[:] = x[:2]
    second = held[0]
    if a < 2:
        held[0][1] = 3 * a * x[2]
    else:
        a = a * 2
    return second[1] * x[0] + first.sum() + a


def array_of_a_dict_changed_in_the_first_arm(a, x):
    held = {"b": np.array([a, a])}
    first = held["b"]
    first[:] = x[1]
    if a < 2:
        first[1] = a * a
    return first.sum()


def array_without_dimensions_changed_twice(a, x):
    def inner(a):
        b = np.array(a)
        b += x[0]
        b[()] *= b
        return float(b) * x[1]

    return zyg.gradient(inner, a)[0] * a


class Tuned:
    def __init__(self, pitch):
        self.pitch = pitch


def contents_read_in_an_arm(a, x):
    tuned = Tuned(x)
    i = 2
    while (i := i - 1) >= 0:
        if a > 1:
            a = a + np.sum(tuned.pitch * x)
    return a


PROGRAMS = [
    array_of_a_list_changed_in_the_first_arm, array_of_a_dict_changed_in_the_first_arm,
    array_without_dimensions_changed_twice, contents_read_in_an_arm,
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


def unknown_name_in_a_body(a):
    tuned = Tuned(a)
    try:
        pitch = inner(tuned.pitch)
    except NameError:
        pitch = 2 * tuned.pitch
    tuned.pitch = tuned.pitch * pitch
    return tuned.pitch


def test_unknown_names_are_those_of_the_user():
    # `inner` is what the text of generated code stands in was called once.
    assert zyg.gradient(unknown_name_in_a_body, 3.0) == (12.0,)


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
