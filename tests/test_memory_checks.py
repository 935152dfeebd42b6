"""Comparisons of memory at run time look into containers, tuples and functions."""

import functools
from typing import NamedTuple

import numpy as np
import pytest

import zyg
from zyg.compiler.run_time.memory import check_apart, check_outside, check_separate


class Held:
    pass


def test_checks_look_into_containers():
    row, a = [1.0], np.ones(4)
    shared = {"k": [row], "a": (a[1:3],)}
    for other in (row, a[2:], [row]):
        with pytest.raises(zyg.UnsupportedSyntax):
            check_separate(shared, other)
    check_separate(shared, [[1.0], a[3:], np.ones(0)])
    with pytest.raises(zyg.UnsupportedSyntax):
        check_outside(shared, row)
    check_outside(shared, [row])
    check_apart(shared)
    for twice in ([row, [row]], [a[:2], (a[1:],)], {1: a, 2: a}):
        with pytest.raises(zyg.UnsupportedSyntax):
            check_apart(twice)


def calling_itself(a):
    def last(n):
        return last(n - 1) if n else np.sum(a)
    return last


def with_keyword_default(a):
    def total(*, values=a):
        return values.sum()
    return total


FUNCTIONS_OF_AN_ARRAY = {
    "calling_itself": calling_itself, "keyword_default": with_keyword_default,
    "default": lambda a: lambda values=a: values.sum(), "captured": lambda a: lambda: a[0],
    "cached": lambda a: functools.lru_cache(lambda: a.sum()), "method": lambda a: a.sum,
    "partial": lambda a: functools.partial(np.sum, a),
    "partial_of_captured": lambda a: functools.partial(lambda: a.sum()),
}


@pytest.mark.parametrize("check", [check_outside, check_separate])
@pytest.mark.parametrize("name", FUNCTIONS_OF_AN_ARRAY)
def test_checks_look_into_functions(name, check):
    a = np.ones(3)
    function = FUNCTIONS_OF_AN_ARRAY[name](a)
    for holder in (function, [function], {"k": function}):
        check(holder, np.ones(3))
        with pytest.raises(zyg.UnsupportedSyntax):
            check(holder, a)


class Dual(NamedTuple):
    """Its addition isn't the tuples' one."""

    value: float
    slope: float = 0.0

    def __add__(self, other):
        raise TypeError

    __radd__ = __add__


def tuples_with_an_addition(x):
    held = Held()
    held.dual = Dual(x, x * x)
    held.duals = [Dual(x * x, x)]
    row = [x]
    held.duals.append(Dual(x, x))
    row[0] = x**3
    return held.dual.value * held.dual.slope + held.duals[0].value + row[0] + held.duals[1].slope


def test_values_are_looked_into_without_their_own_addition():
    x = 1.3
    expected = 6 * x**2 + 2 * x + 1
    assert zyg.gradient(tuples_with_an_addition, x)[0] == pytest.approx(expected)
    assert zyg.jvp(tuples_with_an_addition, (x,), (1.0,))[1] == pytest.approx(expected)


def method_in_an_attribute(x):
    held, other, a = Held(), Held(), np.array([x, x * x])
    held.total = a.sum
    other.total = np.ones(2).sum
    a[1] = x**3
    return held.total() * x


def method_read_at_once(x):
    held, a = Held(), np.array([x, x * x])
    held.total = a.sum
    a[1] = x**3
    return held.total() * x


def method_in_a_tuple(x):
    held, a = Held(), np.array([x, x * x])
    held.totals = ((a.sum, 1.0), 2.0)
    a[1] = x**3
    return held.totals[0][0]() * x


def method_in_a_tuple_in_a_list(x):
    held, a = Held(), np.array([x, x * x])
    held.totals = []
    held.totals.append((a.sum, 1.0))
    a[1] = x**3
    return held.totals[0][0]() * x


def method_given_in_a_tuple(x):
    held, a = Held(), np.array([x, x * x])
    keep(held, (a.sum, 1.0))
    a[1] = x**3
    return held.totals[0]() * x


def keep(held, totals):
    held.totals = totals


def method_of_a_list(x):
    held, row = Held(), [x, x * x]
    held.item = row.__getitem__
    row[1] = x**3
    return (x + held.item(1)) * x


def by_gradient(f):
    return lambda x: zyg.gradient(f, x)[0]


def by_jvp(f):
    return lambda x: zyg.jvp(f, (x,), (1.0,))[1]


@pytest.mark.thorough
@pytest.mark.parametrize("outer", [None, by_gradient, by_jvp])
@pytest.mark.parametrize("inner", [by_gradient, by_jvp])
@pytest.mark.parametrize("function", [
    method_in_an_attribute, method_read_at_once, method_in_a_tuple, method_in_a_tuple_in_a_list,
    method_given_in_a_tuple, method_of_a_list,
])
def test_methods_of_what_is_changed_by_its_name(function, inner, outer):
    """The derivative of x² + x⁴ is right, or refused."""
    x = 1.3
    try:
        found = inner(function)(x) if outer is None else outer(inner(function))(x)
    except zyg.ZygError:
        return
    assert found == pytest.approx(2 * x + 4 * x**3 if outer is None else 2 + 12 * x**2)
