"""Arrays made of lists and lists of lists: new memory, as many dimensions as brackets."""

import numpy as np
import pytest

import zyg
from tests.scalar_checks import check_twice
from zyg.errors import NotDifferentiable

X = 1.3


def halved(x):
    kernel = np.array([[np.exp(-((i - x * j) ** 2)) for i in range(3)] for j in range(4)])
    kernel /= 2
    return np.sum(kernel**2)


def normalised(x):
    points = np.array([x, 2 * x, 3.0])
    kernel = np.array([[np.exp(-((a - b) ** 2)) for a in points] for b in points])
    kernel /= kernel.sum(axis=1, keepdims=True)
    kernel[0, 0] = x
    return (kernel @ points) @ points + np.linalg.det(kernel)


def grown(x):
    rows = []
    for j in range(3):
        row = []
        for i in range(2):
            row.insert(0, x**i + j)
        rows.insert(0, row)
    table = np.array(rows)
    table *= table
    table[0, 1] = x
    return np.sum(table * rows)


def rows_of_arrays(x):
    table = np.asarray([np.exp(x * np.arange(3)) for _ in range(2)])
    table[1] -= x
    table[:, 0] += table[:, 1]
    return np.prod(table)


def of_numbers(x):
    table = np.asarray([x, 2 * x, 3.0])
    table /= x * x
    return np.sum(table**3)


def of_a_tuple(x):
    table = np.array(tuple((x * i, x) for i in range(3)))
    table.T[0] += 1
    return (table**2).sum()


def with_a_dtype(x):
    table = np.array([[i * j for i in range(3)] for j in range(2)], dtype=float)
    table[1] *= x
    return np.sum(np.sin(table))


def with_integers_between(x):
    table = np.array([[x if i == j else 0 for i in range(3)] for j in range(3)])
    table[0] += 1
    return np.trace(table @ table)


def of_named_rows(x):
    first, second = [x * i for i in range(3)], [x + i for i in range(3)]
    table = np.array([first, second])
    table[0] *= table[1]
    return np.sum(table) * first[1]


def of_changed_rows(x):
    rows = [[x * i * j for i in range(3)] for j in range(3)]
    for row in rows:
        row[0] += x
    table = np.array(rows).T
    table[0] **= 2
    return (table**2).sum() + rows[0][0]


def of_complex(x):
    table = np.array([[x + 1j * i, 2.0] for i in range(2)])
    table[0] *= 1j
    return np.abs(table.sum()) ** 2


def three_brackets(x):
    table = np.array([[[x, i], [j, x * x]] for i in range(2) for j in range(2)])
    table[0, 1] += x
    return np.sum(np.linalg.det(table))


def indices(x):
    places = np.array([[i, j] for i in range(3) for j in range(3) if i < j])
    values = np.arange(9.0).reshape(3, 3) * x
    values[places[:, 0], places[:, 1]] *= x
    return values.sum()


PROGRAMS = [
    halved, normalised, grown, rows_of_arrays, of_numbers, of_a_tuple, with_a_dtype,
    with_integers_between, of_named_rows, of_changed_rows, of_complex, three_brackets, indices,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    check_twice(f, X)


@pytest.mark.parametrize("f", PROGRAMS)
def test_nothing_is_asked_at_run_time(f):
    assert "resolved at run time" not in str(zyg.explain(f, X))


def test_empty_lists():
    def table(x, count):
        return np.sum(np.array([[x * i for i in range(3)] for _ in range(count)]))

    assert zyg.gradient(table, X, 2) == (6.0, 0)
    with pytest.raises(NotDifferentiable, match="is one of the lists empty"):
        zyg.gradient(table, X, 0)
    assert zyg.gradient(lambda x: np.sum(np.array([x * i for i in range(0)])), X) == (0.0,)


def test_lists_of_different_lengths():
    def ragged(x):
        return np.sum(np.array([[x] * i for i in range(3)]))

    with pytest.raises(ValueError, match="inhomogeneous"):
        zyg.gradient(ragged, X)
