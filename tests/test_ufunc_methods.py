"""`reduce`, `accumulate`, `reduceat`, `outer` and `at` of ufuncs."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
import zyg.tracker as tracker

A = np.array([[0.41, 0.87, 0.29, 0.63], [0.55, 0.33, 0.78, 0.92], [0.71, 0.24, 0.49, 0.36]])
Z = np.where(A > 0.8, 0.0, A)
R = np.array([0.5, 0.8, 0.3, 0.6])
M = A > 0.35
ANY_ORDER = (
    np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin, np.logaddexp, np.logaddexp2,
    np.hypot,
)
IN_ORDER = (np.subtract, np.divide, np.power, np.arctan2, np.fmod)
UFUNCS = [*ANY_ORDER, *IN_ORDER]
FUNCTIONS = [np.add, np.hypot]


def along_both_axes(ufunc, x):
    first = ufunc.reduce(x * x)
    return first, ufunc.reduce(x * x, axis=-1, keepdims=True, initial=0.6)


def all_on_the_way(ufunc, x):
    return ufunc.accumulate(x * x), ufunc.accumulate(x * x, axis=1)


def parts(ufunc, x):
    return ufunc.reduceat(x * x, [0, 2, 1]), ufunc.reduceat(x * x, [3, 0], axis=1)


def table(ufunc, x):
    return ufunc.outer(x[:2] * x[1], x[2, :2])


def once_for_each(ufunc, x):
    y = x * x
    ufunc.at(y, [2, 0], x[0])
    ufunc.at(y, ([1, 1, 1], [0, 0, 3]), x[0, :3] * x[1, :3])
    return y


def step_by_step(ufunc):
    """The ufunc as NumPy describes its methods: `reduce` of `power` and `arctan2` of NumPy 2.4 and
    2.5 gives other values along the last axis, where the processor has AVX-512."""
    return np.frompyfunc(ufunc, 2, 1)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
@pytest.mark.parametrize(
    "program", [along_both_axes, all_on_the_way, parts, table, once_for_each]
)
def test_values_and_gradients(program, ufunc):
    def expected(x):
        return np.concatenate([np.ravel(y) for y in program(step_by_step(ufunc), x)]).astype(float)

    y, back = zyg.pullback(lambda x: program(ufunc, x), A)
    np.testing.assert_allclose(np.concatenate([np.ravel(part) for part in y]), expected(A), 1e-12)
    weights = tuple(np.cos(np.arange(1.0, part.size + 1)).reshape(part.shape) for part in y)
    bars = weights if isinstance(y, tuple) else np.stack(weights)
    along_weights = np.concatenate([np.ravel(part) for part in weights])
    differences = [
        along_weights @ (expected(A + step) - expected(A - step)) / 2e-6
        for step in 1e-6 * np.eye(A.size).reshape(-1, *A.shape)
    ]
    np.testing.assert_allclose(back(bars)[0].ravel(), differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.logaddexp.reduce(x * x, axis=(0, 1)),
        lambda x: np.hypot.reduce(x, axis=None),
        lambda x: np.multiply.reduce(x, axis=(1, 0)),
        lambda x: np.add.reduce(x * x, where=M),
        lambda x: np.multiply.reduce(x, axis=1, where=M, initial=2.0),
        lambda x: np.maximum.accumulate(x * x, axis=1),
        lambda x: np.minimum.accumulate(x * x),
        lambda x: np.add.reduceat(x * x, [0, 2, 1]),
        lambda x: np.power.reduce(x),
        lambda x: np.arctan2.accumulate(x[:2]),
        lambda x: np.add.reduce(x * x, 0, None, np.zeros(4)),
        lambda x: np.where(np.logical_or.reduce(x > 0.8), x, x * x),
    ],
)
def test_second_derivatives(program):
    zyg.check_grads(program, A)


def test_products_with_zeros():
    (bar,) = zyg.gradient(lambda x: np.sum(np.multiply.reduce(x, axis=1)), Z)
    np.testing.assert_allclose(bar[0], [0.0, 0.41 * 0.29 * 0.63, 0.0, 0.0])


def test_ties_on_the_way_go_to_the_last():
    x = np.array([1.0, 1.0, 0.5, 1.0])
    (bar,) = zyg.gradient(lambda x: np.sum(np.maximum.accumulate(x) * np.arange(4.0)), x)
    np.testing.assert_array_equal(bar, [0.0, 3.0, 0.0, 3.0])


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (1,), (5, 1), (2, 3, 4)])
@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum], ids=["maximum", "minimum"])
def test_running_extrema_of_arrays_of_all_shapes(ufunc, shape):
    x = np.random.default_rng(2).normal(size=shape)
    weights = np.random.default_rng(3).normal(size=shape)

    def f(x, axis):
        return np.sum(weights * ufunc.accumulate(x, axis) ** 2)

    for axis in range(-1, x.ndim):
        bar, _ = zyg.gradient(f, x, axis)
        rows, found = np.moveaxis(x, axis, -1), np.zeros(shape)
        bars = np.moveaxis(2 * weights * ufunc.accumulate(x, axis), axis, -1)
        for place in np.ndindex(rows.shape):
            so_far = rows[place[:-1]][: place[-1] + 1]
            best = len(so_far) - 1 - np.argmax((so_far == ufunc.reduce(so_far))[::-1])
            np.moveaxis(found, axis, -1)[(*place[:-1], best)] += bars[place]
        np.testing.assert_allclose(bar, found, rtol=1e-12)


def test_a_running_extremum_that_is_nan_stays_so():
    x = np.array([[np.nan, 1.0, 2.0], [1.0, np.nan, 3.0]])
    y, back = zyg.pullback(lambda x: np.maximum.accumulate(x, axis=1), x)
    np.testing.assert_array_equal(y, np.maximum.accumulate(x, axis=1))
    np.testing.assert_array_equal(back(np.ones((2, 3)))[0], [[3.0, 0.0, 0.0], [1.0, 2.0, 0.0]])


def test_a_logarithm_of_sums_does_not_overflow():
    x = np.array([1000.0, 1000.0, -np.inf])
    (bar,) = zyg.gradient(np.logaddexp.reduce, x)
    np.testing.assert_allclose(bar, [0.5, 0.5, 0.0])


def test_order_counts_along_one_axis_only():
    with pytest.raises(ValueError, match="not reorderable"):
        zyg.pullback(lambda x: np.subtract.reduce(x, axis=(0, 1)), A)


def test_options_of_products():
    zyg.check_grads(lambda x: np.multiply.outer(x[0], x[1], dtype=complex), A, order=1)
    zyg.check_grads(lambda x: np.where(M[0], np.add.outer(x, x[1], where=M[0]), 0), A, order=1)


def test_functions_that_are_known_at_run_time_only():
    zyg.check_grads(lambda x: FUNCTIONS[1 + int(x[0, 0])].reduce(x, axis=1), A, order=1)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_the_tracker_has_them(ufunc):
    def program(x):
        reduced = ufunc.reduce(x * x, axis=1) * ufunc.reduceat(x * x, [0, 2])[0, 1]
        return np.sum(reduced * ufunc.outer(x[0], x[1])[:, :3])

    (bar,) = tracker.gradient(program, A)
    np.testing.assert_allclose(bar.data, zyg.gradient(program, A)[0])


@pytest.mark.parametrize("where", [[True, False, True], [[True], [False]], [False, False, False]])
@pytest.mark.parametrize("ufunc", [
    np.logaddexp, np.logaddexp2, np.hypot, np.subtract, np.divide, np.float_power,
])
def test_reductions_of_what_a_mask_lets_through(ufunc, where):
    def f(x):
        over = ufunc.reduce(x, axis=1, where=where, initial=0.4, keepdims=True)
        return over + ufunc.reduce(x, axis=0, where=where, initial=0.4)

    x = np.arange(1.0, 7.0).reshape(2, 3) / 5
    zyg.check_grads(f, x)
    np.testing.assert_allclose(zyg.jvp(f, (x,), (x,))[0], f(x), rtol=1e-14, atol=1e-15)
    single = x.astype(np.float32)
    assert zyg.gradient(lambda x: np.sum(f(x)), single)[0].dtype == np.float32
    if ufunc.identity is None:
        with pytest.raises(ValueError, match="does not have an identity"):
            zyg.pullback(lambda x: ufunc.reduce(x, where=where), x)
