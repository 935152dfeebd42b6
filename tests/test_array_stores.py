"""NumPy's functions that write into an array: gradients, and what the primal leaves in it."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient


def put(a, v):
    np.put(a, [0, 4, -1], v)


def put_wrapped(a, v):
    np.put(a, [7, 2], v, mode="wrap")


def put_by_method(a, v):
    a.put([1, 3], v)


def putmask(a, v):
    np.putmask(a, a > 0.5, v)


def place(a, v):
    np.place(a, a > 0.3, v)


def put_along_axis(a, v):
    np.put_along_axis(a, np.array([[1], [0]]), v[0], 1)


def put_along_all(a, v):
    np.put_along_axis(a, np.array([1, 4]), v, None)


def fill_diagonal(a, v):
    np.fill_diagonal(a, v[1])


def fill_with_several(a, v):
    np.fill_diagonal(a, v)


def partition(a, v):
    a[0] *= v[0]
    a.partition(1)


def copyto(a, v):
    np.copyto(a[:, :2], v)


@pytest.mark.parametrize(
    "change",
    [
        *(put, put_wrapped, put_by_method, putmask, place, put_along_axis, put_along_all),
        *(fill_diagonal, fill_with_several, partition, copyto),
    ],
)
def test_change(change):
    def f(x, v):
        a = x * x
        change(a, v)
        return np.sum(a * a * np.arange(1.0, 7.0).reshape(2, 3)) + np.sum(a[0] * x[1])

    x, v = np.array([[0.3, 0.9, 0.7], [0.8, 0.2, 0.5]]), np.array([0.6, 0.4])
    zyg.check_grads(f, x, v, order=1)

    def by_argument(x, v):
        change(x, v)
        return np.sum(x * x)

    mine, theirs = x.copy(), x.copy()
    change(theirs, v)
    value, _ = zyg.withgradient(by_argument, mine, v)
    assert value == np.sum(theirs * theirs)
    np.testing.assert_array_equal(mine, theirs)


def filled_behind_a_product(x):
    y = x * 1.0
    np.fill_diagonal(x, 0.1)
    return np.sum(np.cos(np.diff(y, axis=0))) + np.sum(x)


def filled_behind_a_mean(x):
    y = np.fmax(x, 0.2)
    np.fill_diagonal(x, 0.1)
    return np.mean(y) * np.sum(np.diff(y, axis=0)) + np.sum(x)


@pytest.mark.parametrize("f", [filled_behind_a_product, filled_behind_a_mean])
def test_shapes_are_read_of_arrays_that_a_call_changes(f):
    check_gradient(f, (np.array([[0.3, -0.7], [1.1, 0.6], [0.4, 2.0]]),), zyg.pullback)


def changed_and_doubled(a):
    for i in range(2):
        a[i] = 1.0
    return a * 2.0


def test_a_function_that_changes_an_array_and_gives_another():
    def f(x):
        y = x * 1.5
        z = changed_and_doubled(x)
        return np.mean(y * y) + np.sum(z) + np.sum(np.diff(y) ** 2)

    check_gradient(f, (np.array([0.3, 0.5, 0.9]),), zyg.pullback)


def real_parts_stored(x, z):
    y = z * 1.0
    y.real = x * x
    y[1:].imag = x[0]
    return np.sum(np.abs(y * np.array([1.0, 2.0, 3j])) ** 2)


def all_items_stored(x, z):
    y = np.real(z) * np.ones((2, 3))
    y.T.flat = x
    y.real = y * y
    return np.sum(y * np.arange(6.0).reshape(2, 3) * np.imag(z))


def items_stored_in_flat_order(x, z):
    y = np.outer(x, x)
    y.flat[1:7:2] = x
    for i in range(3):
        y.flat[i] *= x[2 - i]
    return np.sum(y * y * np.imag(z))


def stored_by_another_name_of_all(x, z):
    y = x * x
    whole = y.view()
    whole[0] = x[1] * x[2]
    return np.sum(y * whole * np.imag(z))


@pytest.mark.parametrize("f", [
    real_parts_stored, all_items_stored, items_stored_in_flat_order, stored_by_another_name_of_all,
])
def test_stores_into_parts_of_arrays(f):
    args = np.array([0.3, 0.5, 0.9]), np.array([0.3 + 1j, 0.5 - 0.2j, 0.9j])
    check_gradient(f, args, zyg.pullback)


def test_an_item_that_is_stored_in_flat_order_in_forward_mode():
    def f(x):
        y = np.zeros((2, 2))
        y.flat[1] = x * x
        return np.sum(y * x)

    assert zyg.jvp(f, (2.0,), (1.0,)) == (8.0, 12.0)


@pytest.mark.parametrize("shape", [(6, 3), (7, 2), (3, 4)])
def test_diagonals_that_begin_again(shape):
    def f(x):
        a = np.ones(shape) * x[0]
        np.fill_diagonal(a, x, wrap=True)
        return np.sum(a * a * np.arange(a.size).reshape(shape))

    check_gradient(f, (np.array([0.3, 0.5, 0.9]),), zyg.pullback)
