"""Lists of lists: what the gradient of a table costs, and what it is where rows have several names.
"""

import copy
import math

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient
from tests.random_tables import random_function

GRID = [[0.5, -1.2, 0.9], [0.3, 0.8, -0.6], [1.4, -0.9, 0.2]]
XS = [0.3, 1.4, -0.7]


def filled(xs):
    table = [[0.0] * len(xs) for _ in xs]
    for i in range(1, len(xs)):
        for j in range(1, len(xs)):
            table[i][j] = xs[i] * table[i - 1][j - 1] + xs[j]
    return table[-1][-1]


def read(table):
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += table[i][j] * table[j][i]
    return total


def added(xs):
    table = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            table[i][j] += xs[i] * xs[j]
            table[i][j] *= 2.0
    return table[0][1]


def of_three_levels(xs):
    cube = [[[x] * 3 for _ in range(3)] for x in xs]
    for i in range(3):
        for j in range(3):
            for k in range(3):
                cube[i][j][k] += cube[i - 1][j][k] * cube[i][j - 1][k - 1]
    return cube[2][2][2]


def appended(xs):
    rows = [[x * x for x in xs]]
    for i in range(3):
        rows.append([xs[i] * xs[j] + rows[i][j] for j in range(3)])
    return rows[-1][-1]


def replaced(xs):
    table = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        row = [0.0] * 3
        for j in range(3):
            row[j] = xs[i] * table[i - 1][j] + xs[j]
        table[i] = row
    return table[2][1]


def _made(xs):
    table = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            table[i][j] = xs[i] * table[i - 1][j - 1] + xs[j]
    return table


def made_elsewhere(xs):
    table = _made(xs)
    return table[2][1] * table[0][0]


@pytest.mark.parametrize(
    ("f", "arg"),
    [
        *((filled, XS), (read, GRID), (added, XS), (of_three_levels, XS)),
        *((appended, XS), (replaced, XS), (made_elsewhere, XS)),
    ],
)
def test_numbers_of_rows_are_changed_in_place(f, arg):
    check_gradient(f, (arg,), zyg.pullback)
    adjoint = str(zyg.code_adjoint(f, copy.deepcopy(arg))).split("_back(", 1)[1]
    for per_item in ("accumulate_at(", "accumulate_item(", "cleared(", "add_in("):
        assert per_item not in adjoint
    assert "_bar[" in adjoint


def test_zeros_of_a_replaced_row_have_its_length():
    def f(rows, x):
        y = rows[0][-1] * x
        rows[0] = [x, x, x, y]
        return rows[0][-1] * rows[0][0]

    assert zyg.gradient(f, [[2.0, 3.0], [5.0]], 4.0) == ([[0.0, 16.0], [0.0]], 24.0)


def test_a_row_that_stands_in_two_tables():
    def shared(x):
        row = [x, x]
        first, second = [row, [x]], [[x], row]
        first[0][1] = x * x
        return second[1][1] * first[0][1]

    check_gradient(shared, (3.0,), zyg.pullback)


def test_rows_that_are_one_list():
    def repeated(x):
        table = [[0.0] * 3] * 3
        for i in range(3):
            table[i][0] += x * i
        return table[0][0]

    check_gradient(repeated, (1.0,), zyg.pullback)


def test_a_table_that_repeats_a_row_is_read():
    def repeated(x):
        table = [[x, 2.0 * x]] * 3
        total = 0.0
        for i in range(3):
            for j in range(2):
                total += table[i][j] * (i + j)
        return math.sin(total)

    check_gradient(repeated, (0.1,), zyg.pullback)


def test_a_seed_may_leave_rows_out():
    _, back = zyg.pullback(_made, XS)
    (whole,) = back([[0.0] * 3, [1.0, 0.0, 2.0], [0.0] * 3])
    assert back([None, [1.0, None, 2.0], None]) == (whole,)


def is_right(f):
    """Whether a program isn't refused; fails where its derivatives are wrong."""
    try:
        check_gradient(f, (GRID, 0.7), zyg.pullback)
    except (zyg.UnsupportedSyntax, zyg.NotDifferentiable):
        return False
    gradient = zyg.gradient(f, copy.deepcopy(GRID), 0.7)
    _, dot = zyg.jvp(f, (copy.deepcopy(GRID), 0.7), (copy.deepcopy(GRID), 1.0))
    along = np.sum(np.multiply(gradient[0], GRID)) + gradient[1]
    assert along == pytest.approx(dot, rel=1e-9, abs=1e-9)
    return True


@pytest.mark.thorough
@pytest.mark.one_version
def test_random_tables():
    """Those that are refused have rows with several names, of which one is changed."""
    assert sum(is_right(random_function(seed)) for seed in range(60)) >= 30
