"""The functions of `itertools`, and `map`: gradients, tangents and second derivatives."""

from __future__ import annotations

import itertools as it
import math

import numpy as np
import pytest

import zyg
from tests import differences

X = [1.1, 0.7, 1.3, 0.9, 1.2]
DIRECTION = [1.0, 0.5, 0.2, 0.3, 0.4]


def neighbours(v):
    return sum(a * b for a, b in it.pairwise([1, *v, 2.0]))


def triples(v):
    total = 0.0
    for a, b, c in it.combinations(v, 3):
        total += a * b * c
    return total


def orders(v):
    total = 0.0
    for r in range(1, 3):
        for some in it.permutations(v[:3], r):
            total += sum(some) * some[0]
    return total


def table_of_products(v):
    return sum(a * b * c for a, b, c in it.product(v, (1, 2), [0.5]))


def square_of_a_list(v):
    return sum(a * b for a, b in it.product(v, repeat=2))


def pairs_with_themselves(v):
    return sum(a * b for a, b in it.combinations_with_replacement(v, 2))


def one_behind_the_other(v):
    total = 0.0
    for x in it.chain([1], v, (2.0,), range(3)):
        total += x * x * v[0]
    return total


def rows_one_behind_the_other(v):
    total = 0.0
    for x in it.chain.from_iterable([v, v[:2]]):
        total += x * x
    return total


def again_and_again(v):
    return sum(x * k for x, k in zip(it.cycle(v), range(12), strict=False))


def slices(v):
    return sum(it.islice(v, 1, None, 2)) * sum(it.islice(v, 2))


def until_and_from(v):
    first = sum(it.takewhile(lambda x: x < 1.25, v))
    return first + sum(x * x for x in it.dropwhile(lambda x: x < 1.25, v))


def chosen_by_selectors(v):
    some = sum(it.compress(v, [1, 0, 1, 1, 0]))
    return some**2 + sum(it.filterfalse(lambda x: x > 1, v))


def counted(v):
    total = 0.0
    for i, x in zip(it.count(1), v, strict=False):
        total += i * x
    for c, x in zip(it.count(0.5, 0.25), v, strict=False):
        total += c * x * x
    return total


def repeated(v):
    products = sum(x * y for x, y in zip(v, it.repeat(v[0]), strict=False))
    return products + sum(map(pow, v, it.repeat(2)))


def neighbours_in_arrays(v):
    array, total = np.array(v), 0.0
    for x, y in it.pairwise(array):
        total += x * y
    for above, below in it.pairwise(array.reshape(5, 1) * array):
        total += np.sum(above * below)
    return total


def of_several_lengths(v):
    total = 0.0
    for x, y in it.zip_longest(v, v[1:], fillvalue=v[0]):
        total += x * y
    for pair in it.zip_longest(v, (1, 2)):
        total += pair[0] * (pair[1] or 3)
    return total


def pairs_of_points(v):
    points, total = [(x, i) for i, x in enumerate(v)], 0.0
    for (a, i), (b, j) in it.combinations(points, 2):
        total += a * b * (j - i)
    return total


def square(x):
    return x * x


def with_square(pair):
    i, x = pair
    return i, x * x


def mapped(v):
    largest = max(map(lambda a, b: a * b, v, v[1:])) + min(map(abs, v))
    squares = sorted(map(square, v), key=lambda x: -x)
    return largest + sum(squares[:2]) + sum(map(float, [1, 2])) * v[0]


def function_that_is_assigned_again(v):
    f = lambda x: x * 2
    before = sum(map(f, v))
    f = lambda x: x * x
    return before * sum(map(f, v)) + tuple(map(f, v))[1]


def mapped_to_pairs(v):
    squares = dict(map(with_square, enumerate(v)))
    return squares[2] * squares[3]


def under_another_name(v):
    map = lambda f, xs: [f(x) * 3 for x in xs]
    return sum(map(lambda x: x * x, v))


PROGRAMS = [
    neighbours, triples, orders, table_of_products, square_of_a_list, pairs_with_themselves,
    one_behind_the_other, rows_one_behind_the_other, again_and_again, slices, until_and_from,
    chosen_by_selectors, counted, repeated, neighbours_in_arrays, of_several_lengths,
    pairs_of_points, mapped, function_that_is_assigned_again, mapped_to_pairs, under_another_name,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    differences.check_gradient(f, (X,), zyg.pullback)
    (gradient,) = zyg.gradient(f, X)
    np.testing.assert_allclose(zyg.pullback(f, X)[1](1.0)[0], gradient, rtol=1e-14)
    y, y_dot = zyg.jvp(f, (X,), (DIRECTION,))
    np.testing.assert_allclose([y, y_dot], [f(X), np.dot(gradient, DIRECTION)], rtol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f):
    def squares(v):
        return sum([x * x for x in zyg.gradient(f, v)[0]])

    differences.check_gradient(squares, (X,), zyg.pullback)


@pytest.mark.parametrize("f", [neighbours, triples, counted, pairs_of_points, mapped])
def test_forward_over_reverse(f):
    def squares(v):
        return sum([x * x for x in zyg.gradient(f, v)[0]])

    _, found = zyg.jvp(squares, (X,), (DIRECTION,))
    np.testing.assert_allclose(found, np.dot(zyg.gradient(squares, X)[0], DIRECTION), rtol=1e-12)


def over_products(xs):
    total = 1.0
    for y in map(square, xs):
        if y > 4.0:
            break
        for z in map(lambda a, b: a * b + y, xs, xs[1:]):
            total += z
    else:
        total *= 2.0
    return total


def over_pairs(xs):
    total, last = 0.0, 1.0

    def beside_last(x):
        return x, (x * x, last)

    for x, (a, b) in map(beside_last, xs):
        last = last * 0.5 + a * b
        total += x * last
    return total


def given_by_a_generator(xs):
    def shifted(xs):
        for y in map(math.sin, xs):
            yield y + 1.0

    return 0.5 + sum(y * y for y in shifted(xs))


@pytest.mark.parametrize("f", [over_products, over_pairs, given_by_a_generator])
@pytest.mark.parametrize("xs", [[0.5, 1.5, 0.7], [0.5, 2.5, 0.7], []])
def test_loops_over_maps(f, xs):
    differences.check_gradient(f, (xs,), zyg.pullback)


def test_a_loop_over_a_map_calls_the_function_itself():
    code = str(zyg.code_adjoint(over_products, [0.5, 1.5]))
    assert "map" not in code and "pullback_call" not in code


def test_another_function_that_is_named_map():
    def map(f, xs):
        return [f(x) + 1.0 for x in xs]

    def f(xs):
        total = 0.0
        for y in map(lambda x: x * x, xs):
            total += y * y
        return total

    differences.check_gradient(f, ([0.5, 1.5],), zyg.pullback)


def test_rows_that_are_constants():
    def f(x):
        return sum(it.chain.from_iterable([[1.0], [2.0]])) * x

    differences.check_gradient(f, (1.3,), zyg.pullback)
    assert zyg.jvp(f, (1.3,), (1.0,)) == pytest.approx((3.9, 3.0))
