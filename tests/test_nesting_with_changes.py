"""Second derivatives, by all four orders of the two modes, of programs that change in place what a
call that was found at run time has read."""

import numpy as np
import pytest

import zyg


def product_in_a_table(x):
    array = np.array([x * x, x])
    product = {"a": np.multiply, "b": np.add}["a" if x > 0 else "b"](array, array)
    array *= x
    return np.sum(product * array)


def largest_in_a_table(x):
    items = [x * x, x]
    largest = {"a": max, "b": min}["a" if x > 0 else "b"](items)
    items[0] = items[0] * x
    return largest * items[0] * items[1]


def inverse_in_a_table(x):
    matrix = np.array([[x * x, x], [1.0, x]])
    inverse = [np.linalg.inv, np.linalg.det][int(x > 100)](matrix)
    matrix *= inverse
    return np.sum(inverse * matrix)


def branching(x, y):
    return x * y


@zyg.adjoint(branching)
def _branching(x, y):
    if np.ndim(x) == 0:
        return x * y, lambda bar: (np.sum(bar * y), bar * x)
    return x * y, lambda bar: (bar * y, bar * x)


def rule_that_branches(x):
    array = np.array([x * x, x])
    product = branching(array, array)
    array *= product
    return np.sum(product * array)


def rule_in_a_table(x):
    array = np.array([x * x, x])
    product = [branching, np.add][int(x > 100)](array, array)
    array *= product
    return np.sum(product * array)


def starred(x):
    items = [x * x, x, 2 * x]
    largest = max(*items)
    items[0] = items[0] * x
    items.append(largest * x)
    return largest * items[0] * items[1] * max(*items)


def in_a_loop(x):
    array, total = np.array([x * x, x, 1.0]), 0.0
    for name in ("sin", "exp", "sin"):
        array *= {"sin": np.sin, "exp": np.exp}[name](array)
        total += array[0] * array[1]
    return total * array[2]


PROGRAMS = [
    product_in_a_table, largest_in_a_table, inverse_in_a_table, rule_that_branches,
    rule_in_a_table, starred, in_a_loop,
]


def forward(f):
    return lambda x: zyg.jvp(f, (x,), (1.0,))[1]


def reverse(f):
    return lambda x: zyg.gradient(f, x)[0]


@pytest.mark.parametrize("outer", [forward, reverse])
@pytest.mark.parametrize("inner", [forward, reverse])
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivative(f, inner, outer):
    x, h = 1.1, 1e-5
    if f is starred and inner is forward:
        with pytest.raises(zyg.NotDifferentiable, match="works on objects"):
            outer(inner(f))(x)
        return
    expected = (reverse(f)(x + h) - reverse(f)(x - h)) / (2 * h)
    assert outer(inner(f))(x) == pytest.approx(expected, rel=1e-7)
