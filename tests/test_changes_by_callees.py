"""Calls through which no derivative flows, and that change what they are given: they are refused
where it can't be told what they change, and never made as they are."""

import functools

import numpy as np
import pytest

import zyg


def by_a_function(items, x):
    def get():
        return items

    for _ in range(2):
        get()[0] = x * x


def by_a_partial_function(items, x):
    get = functools.partial(lambda given: given, items)
    for _ in range(2):
        get()[0] = x * x


def by_a_nested_function(items, x):
    def change(x):
        by_a_partial_function(items, x)

    change(x)


def scaled(items, x):
    for _ in range(2):
        items *= x


def of_one_of_several(items, x):
    held = {"first": items, "second": 1.0}.get("first")
    held += [x]


def of_an_iterator(items, x):
    held = next(iter([items, 1.0]))
    held += [x]


SAME = [lambda items: items, print, "same"]


def of_what_a_found_function_gives(items, x):
    held = SAME[0](items)
    held += [x]


def with_list(change):
    def f(x):
        items = [1.0, 2.0]
        change(items, x)
        return items[0] * items[1] * items[-1]

    return f


def with_list_or_array(change):
    def f(x):
        items = [1.0, 2.0] if x > 10 else np.array([1.0, 2.0])
        change(items, x)
        return items[0] * items[1]

    return f


@pytest.mark.parametrize("f", [
    with_list(by_a_function), with_list(by_a_partial_function), with_list(by_a_nested_function),
    with_list(of_one_of_several), with_list(of_an_iterator), with_list_or_array(scaled),
    with_list(of_what_a_found_function_gives), with_list_or_array(of_what_a_found_function_gives),
])
def test_derivatives_are_right_or_refused(f):
    h = 1e-6
    slope = (f(0.7 + h) - f(0.7 - h)) / (2 * h)
    for derivative in (
        lambda x: zyg.gradient(f, x)[0], lambda x: zyg.jvp(f, (x,), (1.0,))[1],
    ):
        try:
            found = derivative(0.7)
        except zyg.ZygError:
            continue
        assert found == pytest.approx(slope)
