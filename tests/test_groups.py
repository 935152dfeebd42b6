"""Dicts of lists that grow and shrink: their cotangents are changed in place."""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict

import pytest

import zyg
from tests.differences import check_gradient
from tests.random_groups import random_function, total_of_all

XS = [0.5, 1.5, -0.7, 0.3, 1.1]


def appended(xs):
    groups = defaultdict(list)
    for i, x in enumerate(xs):
        groups[i % 2].append(x * x)
    return sum(groups[0]) * sum(groups[1])


def by_default(xs):
    groups = {}
    for i, x in enumerate(xs):
        groups.setdefault(i % 2, []).append(x * x)
    return sum(groups[0]) * sum(groups[1])


def where_missing(xs):
    groups = {}
    for i, x in enumerate(xs):
        if i % 2 not in groups:
            groups[i % 2] = []
        groups[i % 2].append(x * x)
    return sum(groups[0]) * sum(groups[1])


def popped(xs):
    groups = {k: [x, 2.0 * x] for k, x in enumerate(xs)}
    total = 0.0
    for k in range(len(xs)):
        total += groups[k].pop() * groups[k][0]
    return total


def of_pairs(xs):
    edges = defaultdict(list)
    for i, x in enumerate(xs):
        edges[i % 2].append((i, x * x))
        edges[i % 3].append((i + 1, x))
    total = 0.0
    for i in range(3):
        for j, weight in edges[i]:
            total += j * weight * weight
    return total


def of_rows(xs):
    rows = [[] for _ in range(2)]
    for i, x in enumerate(xs):
        rows[i % 2].append(x * x)
    return sum(rows[0]) * sum(rows[1])


def of_numbers(xs):
    table = {k: [0.0] * 3 for k in range(2)}
    for i, x in enumerate(xs):
        table[i % 2][i % 3] += x * x * table[0][i % 2]
        table[i % 2][0] = x
    return sum(table[0]) * sum(table[1])


@pytest.mark.parametrize(
    "f", [appended, by_default, where_missing, popped, of_pairs, of_rows, of_numbers]
)
def test_lists_are_changed_in_place(f):
    check_gradient(f, (XS,), zyg.pullback)
    zyg.check_grads(f, XS, order=2)
    adjoint = str(zyg.code_adjoint(f, XS)).split("_back(", 1)[1]
    loops = adjoint[adjoint.index("for ") :]
    for whole in ("accumulate_item(", "cleared(", "taken(", "without_last(", "kept(", "one_hot("):
        assert whole not in loops


@pytest.mark.thorough
@pytest.mark.parametrize(
    "seed",
    [*range(40), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(40, 120))],
)
def test_random_dicts(seed):
    f = random_function(seed)
    x, step = 0.7, 1e-6
    slope = (f(x + step) - f(x - step)) / (2 * step)
    if abs(slope) > 1e3:
        return  # the difference quotient of what grows so fast has no digits left
    try:
        y, back = zyg.pullback(f, x)
    except zyg.ZygError:
        return  # what has several names
    assert y == f(x)
    for gradient in (back(1.0)[0], back(1.0)[0], zyg.gradient(f, x)[0]):
        assert gradient == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_a_list_that_is_replaced_has_zeros():
    def f(x):
        groups = {0: [x, x * x]}
        y = groups[0][1] * x
        for i in range(2):
            groups[i] = [x, x, i * x, y]
        return groups[0][3] * groups[1][0]

    check_gradient(f, (0.7,), zyg.pullback)


def test_default_dicts_that_start_with_lists():
    def f(x):
        groups = defaultdict(list, {1: [x]})
        ordered = OrderedDict({2: [x, x]})
        groups[1].append(x * x)
        ordered[2].append(sum(groups[1]))
        return sum(groups[1]) * sum(ordered[2])

    check_gradient(f, (0.7,), zyg.pullback)


def test_what_is_counted_where_a_function_reads_lists_beside_objects():
    def f(x):
        groups, empty = {3: [1.0]}, {}
        groups[3].append(x)
        if empty.get(3):
            empty[3][-1] += x
        return math.sin(total_of_all(groups))

    check_gradient(f, (0.7,), zyg.pullback)
