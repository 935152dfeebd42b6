"""`zip(..., strict=True)` over what a loop changes in place."""

import numpy as np
import pytest

import zyg
from tests.scalar_checks import check_twice

X = 1.3


def scaled(x, count=3):
    rows, factors, total = [[x], [2 * x], [x * x]], [1.0, x, 3.0][:count], 0.0
    for row, factor in zip(rows, factors, strict=True):
        row[0] *= factor
        total += row[0]
    return total * rows[0][0] + rows[1][0]


def counted(x, count=3):
    rows, factors, total = [[x], [2 * x], [x * x]], [1.0, x, 3.0][:count], 0.0
    for i, (row, factor) in enumerate(zip(rows, factors, strict=True)):
        row[0] *= factor
        total += row[0] * i
    return total + rows[2][0]


def of_arrays(x, count=2):
    arrays = [np.array([x, 1.0]), np.array([x * x])]
    steps = [np.array([x, x]), np.array([2.0])][:count]
    for array, step in zip(arrays, steps, strict=True):
        array -= step * x
    return np.sum(arrays[0]) * arrays[1][0]


@pytest.mark.parametrize("f", [scaled, counted, of_arrays])
def test_derivatives(f):
    check_twice(f, X)


@pytest.mark.parametrize("f", [scaled, counted, of_arrays])
def test_lengths_that_differ(f):
    with pytest.raises(ValueError, match="argument 2 is shorter") as plain:
        f(X, 1)
    with pytest.raises(ValueError, match="argument 2 is shorter") as found:
        zyg.gradient(lambda x: f(x, 1), X)
    assert str(found.value) == str(plain.value)
