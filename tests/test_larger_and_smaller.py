"""`max` and `min` of numbers: two in place, several by what they have in common."""

import math

import numpy as np
import pytest

import zyg

PAIRS = [(1.0, 2.0), (2.0, 1.0), (1.5, 1.5), (np.float64(1.0), 2.0), (2.0, np.float64(0.5))]


@pytest.mark.parametrize("function", [max, min])
@pytest.mark.parametrize("pair", PAIRS)
def test_of_two(function, pair):
    def squared(a, b):
        return function(a, b) ** 2

    a, b = pair
    taken = function(a, b)
    expected = [taken if a == b else 2.0 * taken * (x == taken) for x in pair]
    assert list(zyg.gradient(squared, a, b)) == expected
    code = str(zyg.code_adjoint(squared, a, b))
    assert "share_among_equal" not in code and "materialised" not in code
    for x, bar in zip(pair, zyg.gradient(squared, a, b), strict=True):
        assert isinstance(bar, type(x)) or bar == 0.0


@pytest.mark.parametrize("function", [max, min])
def test_of_one_and_a_constant(function):
    def cut(x):
        return function(x, 0.0) * 3.0

    for x in (-1.0, 1.0):
        assert zyg.gradient(cut, x) == (3.0 if function(x, 0.0) == x else 0.0,)
    assert zyg.gradient(cut, 0.0) == (1.5,)
    assert zyg.gradient(lambda x: function(0, x) * 3.0, 0.5) == (3.0 * (function is max),)
    assert zyg.jvp(cut, (1.0,), (2.0,)) == (cut(1.0), 6.0 * (function is max))


@pytest.mark.parametrize("function", [max, min])
def test_nan_is_taken_where_it_is_the_first(function):
    def of_two(a, b):
        return function(a, b) * 2.0

    assert zyg.gradient(of_two, math.nan, 1.0) == (2.0, 0.0)
    assert zyg.gradient(of_two, 1.0, math.nan) == (2.0, 0.0)


@pytest.mark.parametrize("function", [max, min])
def test_of_several(function):
    def squared(*numbers):
        return function(*numbers, 1.25) ** 2

    zyg.check_grads(squared, 0.5, 1.5, -0.7)
    y = function(2.0, 2.0, 1.25) if function is max else function(0.5, 0.5, 1.25)
    ties = (2.0, 2.0, -1.0) if function is max else (0.5, 0.5, 3.0)
    assert zyg.gradient(squared, *ties) == (y, y, 0.0)
    code = str(zyg.code_adjoint(squared, *ties))
    assert "checked_gradients" not in code and "materialised" not in code


def test_in_a_table_of_distances():
    def warped(a, b):
        n, m = len(a), len(b)
        table = np.full((n + 1, m + 1), np.inf)
        table[0, 0] = 0.0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                cost = (a[i - 1] - b[j - 1]) ** 2
                least = min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
                table[i, j] = cost + least
        return table[n, m]

    zyg.check_grads(warped, np.array([0.1, 0.9, 1.7, 2.2]), np.array([0.3, 1.1, 2.6]))


def test_second_derivatives():
    def softened(x, y):
        return max(x, y) ** 3 + min(x * y, 1.0) ** 2

    zyg.check_grads(softened, 0.5, 1.2, order=2)
    zyg.check_grads(lambda x: zyg.gradient(softened, x, 0.3)[0], 0.8)


def test_of_arrays_without_dimensions_and_of_lists():
    def of_lists(a, b):
        return sum(max([a, b], [b, a]))

    assert zyg.gradient(of_lists, 1.0, 2.0) == (1.0, 1.0)
    zero_dimensional = np.array(0.5)
    (bar,) = zyg.gradient(lambda x: max(x, 0.25) ** 2, zero_dimensional)
    assert bar == 1.0
