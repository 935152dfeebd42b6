"""Loops over the elements of arrays by NumPy's iterators."""

import numpy as np
import pytest

import zyg
from zyg.errors import NotDifferentiable

X = np.arange(4.0).reshape(2, 2) + 0.3


def by_indices_and_values(x):
    total = 0.0
    for (i, _), value in np.ndenumerate(x):
        total = total + value * value * (i + 1)
    return total


def by_iterator(x):
    total = 0.0
    for value in np.nditer(x):
        total = total + value * value
    return total


def by_indices(x):
    total = 0.0
    for index in np.ndindex(*x.shape):
        total = total + x[index] ** 2
    return total


def flat(x):
    total = x.flat[3] * 2.0
    for value in x.flat:
        total = total + value * value
    return total


@pytest.mark.parametrize("f", [by_indices_and_values, by_iterator, by_indices, flat])
@pytest.mark.parametrize("x", [X, X.T, np.float32(X), X[:0]], ids=["C", "F", "float32", "empty"])
def test_gradient(f, x):
    if f is by_iterator and not x.size:
        with pytest.raises(ValueError, match="zero-sized"):
            zyg.gradient(f, x)
    elif f is not flat or x.size:
        zyg.check_grads(f, x)


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
@pytest.mark.parametrize("x", [X, X.T, X[::-1, ::-1].T, X[:, :1]])
def test_elements_in_the_order_of_memory(x, order):
    def f(x):
        total = 0.0
        for i, value in enumerate(np.nditer(x, order=order)):
            total = total + value * value * (i + 1)
        return total

    zyg.check_grads(f, x)


@pytest.mark.parametrize("x", [X, X.T])
def test_elements_of_several_arrays(x):
    def f(x, y):
        total = 0.0
        for i, (a, b) in enumerate(np.nditer([x, y])):
            total = total + a * b**2 * (i + 1)
        return total

    zyg.check_grads(f, x, np.array([0.4, 0.7]))


def test_flags_of_nditer_are_refused():
    def f(x):
        return sum([value * 1.0 for value in np.nditer(x, flags=["external_loop"])])

    with pytest.raises(NotDifferentiable, match="flags"):
        zyg.gradient(f, X)
