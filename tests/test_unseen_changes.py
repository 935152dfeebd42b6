"""Changes that are made where zyg doesn't look: by methods that are handed on, and by functions
that aren't written in Python."""

import functools
import io
import operator
import struct
from contextlib import ExitStack

import numpy as np
import pytest
from scipy import integrate, ndimage, optimize
from scipy.linalg import blas

import zyg
from tests.differences import check_gradient

CALLING = {"with one": [lambda function, value: function(value)], "as it is": [lambda f: f()]}


def emit(function, value):
    function(value)


def by_a_known_function(x):
    seen = []
    emit(seen.append, 2.0)
    emit(seen.append, x)
    return x * sum(seen)


def by_a_function_that_is_found(x):
    seen = []
    CALLING["with one"][0](seen.append, 2.0)
    return x * sum(seen)


def of_a_list_with_derivatives(x):
    seen = [x, 2 * x, 0.5 * x]
    CALLING["as it is"][0](seen.sort)
    CALLING["with one"][0](seen.append, x * x)
    return seen[0] * seen[-1] + x * seen[1]


def of_a_dict(x):
    rates = {"a": x}
    CALLING["with one"][0](rates.update, {"a": 5.0, "b": x})
    return x * rates["a"] + rates["b"] ** 2


@pytest.mark.parametrize("f", [
    by_a_known_function, by_a_function_that_is_found, of_a_list_with_derivatives, of_a_dict,
])
def test_methods_that_change_and_are_handed_on(f):
    check_gradient(f, (3.0,), zyg.pullback)
    _, (gradient,) = zyg.withgradient(f, 3.0)
    y, y_dot = zyg.jvp(f, (3.0,), (1.0,))
    assert (y, y_dot) == (f(3.0), pytest.approx(gradient))


def appended_at_the_end(x):
    seen = []
    with ExitStack() as stack:
        stack.callback(seen.append, 2.0)
    return x * sum(seen)


def items_of_a_dict_at_the_end(x):
    weights = {}
    with ExitStack() as stack:
        stack.callback(weights.update, {"a": 2.0})
    return x * sum(weights.values())


def stored_at_the_end(x):
    weights = [1.0, 2.0]
    with ExitStack() as stack:
        stack.callback(operator.setitem, weights, 0, 5.0)
    return x * weights[0]


def by_a_partial_function(x):
    seen = []
    add = functools.partial(seen.append, 2.0)
    add()
    return x * sum(seen)


def by_a_function_that_has_captured_it(x):
    seen = []
    push = seen.append

    def visit(n):
        push(n)
        if n > 0:
            visit(n - 1)

    visit(3)
    return x * sum(seen)


@pytest.mark.parametrize("f", [
    appended_at_the_end, items_of_a_dict_at_the_end, stored_at_the_end, by_a_partial_function,
    by_a_function_that_has_captured_it,
])
def test_methods_that_are_called_at_some_other_time(f):
    with pytest.raises(zyg.UnsupportedSyntax, match="changed in place under another name"):
        zyg.gradient(f, 3.0)


def scaled_by_a_library(x, w):
    w = w.copy()
    y = np.sum(x * w)
    blas.dscal(2.0, w)
    return y + x[0] * w[1]


def packed(x, w):
    w = w.copy()
    y = np.sum(x * w)
    struct.pack_into("d", w, 8, 7.0)
    return y + x[0] * w[1]


def read_from_a_file(x, w):
    w = w.copy()
    y = np.sum(x * w)
    io.BytesIO(np.array([3.0, 4.0]).tobytes()).readinto(w)
    return y + x[0] * w[1]


def output_of_a_filter(x, w):
    w = w.copy()
    y = np.sum(x * w)
    ndimage.gaussian_filter(np.array([2.0, 5.0]), 1.0, output=w)
    return y + x[0] * w[1]


@pytest.mark.parametrize(
    "f", [scaled_by_a_library, packed, read_from_a_file, output_of_a_filter]
)
def test_arrays_that_a_library_writes_into(f):
    w, x = np.array([0.5, 1.5]), np.array([2.0, 3.0])
    (gradient,) = zyg.gradient(lambda x: f(x, w), x)
    differences = [
        (f(x + step, w) - f(x - step, w)) / 2e-6 for step in 1e-6 * np.eye(2)
    ]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6)


def scaled_twice(w, n):
    for k in range(n):
        if k > 5:
            return
        blas.dscal(2.0, w)


def read_before_a_function_that_scales(x, w):
    w = w.copy()
    y = np.sum(x * w)
    scaled_twice(w, 2)
    return y + np.sum(x**2 * w)


def filled_in_a_loop_and_read_then(x, w):
    w = w.copy()
    for k in range(3):
        blas.dscal(1.0 + k, w)
    return np.sum(x * w)


def in_a_branch(x, w):
    w = w.copy()
    y = np.sum(x * w)
    if x[0] > 0:
        blas.dscal(2.0, w)
    return y + np.sum(x**2 * w)


def rows_that_are_filled(x, w):
    rows = np.zeros((3, 2))
    for k in range(3):
        io.BytesIO((w + k).tobytes()).readinto(rows[k])
    return np.sum(x * rows)


def filled_by_a_local_function(x, w):
    buffer = np.empty(2)

    def fill(k):
        io.BytesIO((w + k).tobytes()).readinto(buffer)

    fill(3)
    return np.sum(x * buffer)


def fill_first(array, value):
    array[0] = value


def by_a_partial_function(x, w):
    w = w.copy()
    y = np.sum(x * w)
    functools.partial(fill_first, w)(5.0)
    return y + np.sum(x * w)


def read_once_before_and_once_behind(x, w):
    w = w.copy()
    y = np.sum(x * w)
    blas.dscal(2.0, w)
    return y + np.sum(x**2 * w)


@pytest.mark.parametrize("f", [
    read_before_a_function_that_scales, filled_in_a_loop_and_read_then, rows_that_are_filled,
    read_once_before_and_once_behind, in_a_branch, filled_by_a_local_function,
    by_a_partial_function,
])
def test_reads_on_both_sides_of_such_a_call(f):
    w, x = np.array([0.5, 1.5]), np.array([2.0, 3.0])
    check_gradient(lambda x: f(x, w), (x,), zyg.pullback)
    _, back = zyg.pullback(lambda x: f(x, w), x)
    (gradient,) = zyg.gradient(lambda x: f(x, w), x)
    np.testing.assert_allclose(gradient, back(1.0)[0])


def one_buffer(x, w):
    y, buffer = 0.0, np.empty(2)
    for k in range(3):
        io.BytesIO((w + k).tobytes()).readinto(buffer)
        y += np.sum(x * buffer)
    return y


def by_another_view(x, w):
    w = w.copy()
    last = w[1:]
    y = np.sum(x[1:] * last)
    blas.dscal(2.0, w)
    return y + np.sum(x[1:] ** 2 * last)


def captured(x, w):
    w = w.copy()
    y = np.sum(x * w)

    def change():
        blas.dscal(2.0, w)

    change()
    return y + np.sum(x**2 * w)


def captured_in_a_branch(x, w):
    w = w.copy()
    y = np.sum(x * w)

    def change():
        if x[0] > 0.0:
            blas.dscal(2.0, w)

    change()
    return y + np.sum(x**2 * w)


def scaled_product(x, w):
    for k in range(len(x)):
        if x[k] > 100.0:
            return x
    blas.dscal(2.0, w)
    return x * w


def by_two_functions(x, w):
    z = scaled_product(x, w)
    for k in range(2):
        z = z + k * x
    return z


def by_a_function_with_derivatives(x, w):
    w = w.copy()
    y = np.sum(x * w)
    z = scaled_product(x, w)
    return y + np.sum(x * z * w)


def by_functions_with_derivatives(x, w):
    w = w.copy()
    y = np.sum(x * w)
    z = by_two_functions(x, w)
    return y + np.sum(x * z * w)


def by_a_function_in_a_loop(x, w):
    w = w.copy()
    y = 0.0
    for _ in range(2):
        y += np.sum(x * w)
        z = scaled_product(x, w)
    return y + np.sum(x * z)


@pytest.mark.parametrize("f", [by_a_function_with_derivatives, by_functions_with_derivatives])
def test_functions_with_derivatives_that_give_an_array_to_such_a_call(f):
    w, x, v = np.array([0.5, 1.5]), np.array([2.0, 3.0]), np.array([1.0, -2.0])

    def g(x):
        return f(x, w)

    check_gradient(g, (x,), zyg.pullback)
    (gradient,) = zyg.gradient(g, x)
    assert zyg.jvp(g, (x,), (v,))[1] == pytest.approx(gradient @ v)
    step = 1e-6 * v
    slope = (zyg.gradient(g, x + step)[0] - zyg.gradient(g, x - step)[0]) / 2e-6
    np.testing.assert_allclose(zyg.hvp(g, x, v), slope, rtol=1e-6)


def by_a_function_in_a_list(x, w):
    w = w.copy()
    y = np.sum(x * w)
    for fill in [lambda value: fill_first(w, value), lambda value: None]:
        CALLING["with one"][0](fill, 5.0)
    return y + np.sum(x * w)


def call_each(functions, *args):
    for function in functions:
        function(*args)


def by_way_of_a_default(x, w):
    w = w.copy()
    y = np.sum(x * w)
    call_each([lambda value, array=w: fill_first(array, value)], 4.0)
    return y + np.sum(x * w)


@pytest.mark.parametrize("f", [
    one_buffer, by_another_view, captured_in_a_branch, by_a_function_in_a_loop,
    by_a_function_in_a_list,
])
def test_reads_that_no_copy_serves_are_refused(f):
    w = np.array([0.5, 1.5])
    with pytest.raises(zyg.NotDifferentiable, match="doesn't look into"):
        zyg.gradient(lambda x: f(x, w), np.array([2.0, 3.0]))


def test_a_change_by_way_of_a_default_is_followed():
    x, w = np.array([2.0, 3.0]), np.array([0.5, 1.5])
    x_bar, w_bar = zyg.gradient(by_way_of_a_default, x, w)
    np.testing.assert_allclose(x_bar, [4.5, 3.0])
    np.testing.assert_allclose(w_bar, [2.0, 6.0])


def test_what_a_small_function_changes_that_is_defined_here():
    w = np.array([0.5, 1.5])
    x = np.array([2.0, 3.0])
    (bar,) = zyg.gradient(lambda x: captured(x, w), x)
    np.testing.assert_allclose(bar, w + 4.0 * x * w)


class Log:
    def __init__(self):
        self.seen = []

    def see(self, value):
        self.seen.append(1.0)
        return value


@pytest.mark.parametrize("solve", [
    lambda log: optimize.minimize(lambda x: log.see((x[0] - 1) ** 2), [0.0]),
    lambda log: optimize.root(lambda x: log.see(x - 1), [0.0]),
    lambda log: optimize.root_scalar(lambda x: log.see(x - 1), bracket=(0.0, 3.0)),
    lambda log: optimize.fsolve(lambda x: log.see(x - 1), [0.0]),
    lambda log: integrate.solve_ivp(lambda t, y: [log.see(-y[0])], (0.0, 1.0), [1.0]),
])
def test_solvers_that_are_called_for_what_they_log(solve):
    def f(x):
        log = Log()
        solve(log)
        return x * len(log.seen) / sum(log.seen)

    assert zyg.gradient(f, 3.0) == (1.0,)


def append(items, value):
    items.append(value)


def put(items, key, value):
    items[key] = value


def reverse(items):
    items.reverse()


# So many that types don't tell which of them is called.
FUNCTIONS = {**{str(k): print for k in range(60)}, "append": append, "put": put, "rev": reverse}


def to_an_empty_list(x):
    seen = []
    FUNCTIONS["append"](seen, 2.0)
    return x * sum(seen)


def under_another_key(x):
    weights = {}
    FUNCTIONS["put"](weights, "a", 2.0)
    return x * sum(weights.values())


def a_number_of_another_kind(x):
    powers = {"p": 1}
    FUNCTIONS["put"](powers, "p", 2.5)
    return x ** powers["p"]


@pytest.mark.parametrize(
    "f", [to_an_empty_list, under_another_key, a_number_of_another_kind]
)
def test_items_of_other_kinds_by_calls_found_at_run_time(f):
    with pytest.raises(zyg.NotDifferentiable, match="items of other kinds"):
        zyg.gradient(f, 3.0)


def of_the_same_kind(x):
    weights = [1.0, 2.0]
    FUNCTIONS["put"](weights, 0, 5.0)
    FUNCTIONS["rev"](weights)
    FUNCTIONS["append"](weights, 3.0)
    return x * weights[0] + x**2 * weights[1] + x**3 * weights[-1]


def order_that_changes(x):
    order = [2, 0, 1]
    weights = np.array([1.0, 2.0, 3.0])
    y = np.sum(x * weights[order])
    FUNCTIONS["rev"](order)
    return y + np.sum(x[order] * weights)


def test_items_of_the_same_kind():
    check_gradient(of_the_same_kind, (3.0,), zyg.pullback)
    check_gradient(order_that_changes, (np.array([0.5, 1.5, 2.5]),), zyg.pullback)
