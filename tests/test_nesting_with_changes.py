"""Second derivatives, by all four orders of the two modes, of programs that change in place what a
call that was found at run time has read."""

import functools

import numpy as np
import pytest

import zyg
from tests.orders_of_modes import MODES, check_second_derivative, forward


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


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivative(f, inner, outer):
    if f is starred and inner is forward:
        with pytest.raises(zyg.NotDifferentiable, match="works on objects"):
            outer(inner(f))(1.1)
        return
    check_second_derivative(f, inner, outer, 1.1)


def times_partially(x, y):
    return x * y


def bars_of_product(x, y, bar):
    return bar * y, bar * x


class BarsOfProduct:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __call__(self, bar):
        return bar * self.y, bar * self.x

    def bars(self, bar):
        return self(bar)


def by_default(x, y):
    def back(bar, x=x, *, y=y):
        return bar * y, bar * x

    return back


BACKS = {
    "partial": lambda x, y: functools.partial(bars_of_product, x, y),
    "keywords": lambda x, y: functools.partial(lambda bar, x, y: (bar * y, bar * x), x=x, y=y),
    "object": BarsOfProduct,
    "method": lambda x, y: BarsOfProduct(x, y).bars,
    "defaults": by_default,
}


@pytest.mark.parametrize("kind", BACKS)
@pytest.mark.parametrize("is_found_late", [False, True])
def test_back_functions_that_are_no_plain_nested_functions(kind, is_found_late):
    def product(x, y):
        return x * y

    back_of = BACKS[kind]
    zyg.adjoint(product)(lambda x, y: (x * y, back_of(x, y)))
    functions = [product, np.add]

    def f(x):
        array = np.array([x * x, x])
        function = functions[int(x > 100)] if is_found_late else product
        y = function(array, array)
        array *= y
        return np.sum(y * array)

    def slope(x):
        return zyg.gradient(f, x)[0]

    x = 1.1  # f is x**10 + x**5
    if kind in ("object", "method"):
        with pytest.raises(zyg.NotDifferentiable, match="refers to"):
            slope(x)
        return
    assert slope(x) == pytest.approx(10 * x**9 + 5 * x**4, rel=1e-12)
    if kind == "defaults" and is_found_late:
        assert zyg.gradient(slope, x)[0] == pytest.approx(90 * x**8 + 20 * x**3, rel=1e-12)
    elif is_found_late:
        with pytest.raises(zyg.NotDifferentiable):
            zyg.gradient(slope, x)
