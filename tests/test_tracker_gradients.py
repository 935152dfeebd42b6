"""Gradients of functions by the tracker, nested ones too; their memory, depth and parameters."""

from __future__ import annotations

import copy
import functools
import gc
import math
import numbers
import pickle
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest

import zyg
from zyg import tracker
from zyg.tracker import (
    Grads,
    Params,
    TrackedArray,
    TrackedReal,
    back,
    data,
    forward,
    gradient,
    param,
    track,
)

# Gradients of functions


def test_nested_gradients():
    def derivative(f):
        return lambda x: gradient(f, x, nest=True)[0]

    assert data(derivative(derivative(derivative(lambda x: x**4)))(2.0)) == 48.0
    confused = gradient(
        lambda x: x * gradient(lambda y: x + y, 1.0, nest=True)[0], 3.0, nest=True
    )
    assert data(confused[0]) == 1.0
    hessian_column = gradient(
        lambda x: gradient(lambda y: np.sum(np.sin(y) * y**2), x, nest=True)[0][1],
        np.array([1.0, 2.0]),
        nest=True,
    )[0]
    expected = 2 * np.sin(2) + 8 * np.cos(2) - 4 * np.sin(2)
    np.testing.assert_allclose(data(hessian_column), [0.0, expected])


def test_nesting_without_nest_raises():
    with pytest.raises(zyg.NotDifferentiable, match=r"Use `gradient\(...; nest = true\)`"):
        gradient(lambda x: gradient(lambda y: y**3, x)[0], 2.0)
    w = param(2.0)
    (inner,) = gradient(lambda y: w * y, 1.0)
    with pytest.raises(zyg.NotDifferentiable, match="nest"):
        back(inner)
    with pytest.raises(zyg.NotDifferentiable):
        float(inner)
    assert float(gradient(lambda y: 2 * y, 1.0)[0]) == 2.0
    assert w.grad == 0.0


def test_params_and_grads():
    W, b, other = param([1.0, 2.0]), param(3.0), param(1.0)
    params = Params([W, b, W])
    assert len(params) == 2 and W in params and other not in params
    y, pull = forward(lambda: np.sum(W * W) * b, params)
    grads = pull(1)
    assert data(y) == 15.0 and isinstance(grads, Grads)
    np.testing.assert_array_equal(data(grads[W]), [6.0, 12.0])
    assert data(grads[b]) == 5.0
    assert W.grad.tolist() == [0.0, 0.0]
    for wrong in (other, 3.0):
        with pytest.raises(KeyError, match="Object not tracked"):
            grads[wrong]
    back(grads[b], 1.0)
    np.testing.assert_array_equal(W.grad, [2.0, 4.0])
    assert data(forward(lambda: W[0], params)[1](1)[b]) == 0.0


def test_hook_and_checkpoint():
    assert data(gradient(lambda x: tracker.hook(lambda d: -d, x) * 2, 3.0)[0]) == -2.0
    runs = []

    def cube(x):
        runs.append(1)
        return x**3

    x = param(2.0)
    y = tracker.checkpoint(cube, x)
    assert data(y) == 8.0 and len(runs) == 1
    back(y)
    assert x.grad == 12.0 and len(runs) == 2
    second = gradient(
        lambda x: gradient(lambda y: tracker.checkpoint(cube, y), x, nest=True)[0], 2.0
    )
    assert data(second[0]) == 12.0
    with pytest.raises(zyg.NotDifferentiable, match="refers to a tracked value"):
        tracker.checkpoint(lambda y: x * y, 2.0 * x)


def test_hooks_and_checkpoints_of_plain_values():
    assert tracker.hook(lambda d: -d, 3.0) == 3.0
    assert tracker.checkpoint(lambda x: x**3, 2.0) == 8.0
    nested = gradient(lambda x: tracker.checkpoint(
        lambda y: tracker.checkpoint(lambda z: z**3, y) * y, x
    ), 2.0)  # fmt: skip
    assert data(nested[0]) == 32.0
    x = param(2.0)
    with pytest.raises(zyg.NotDifferentiable, match="refers to a tracked value"):
        tracker.checkpoint(lambda y: x * y, 3.0)


def test_several_values_of_a_function():
    def f(a, b):
        return a * b, np.sum(b * b), 3.0, [a, 2]

    (a, b), deltas = np.array([[1.0, 2.0], [3.0, 4.0]]), (np.ones(2), 2.0, None, [np.ones(2), None])
    _, pull = forward(f, a, b)
    a_bar, b_bar = pull(deltas)
    np.testing.assert_array_equal(data(a_bar), b + 1.0)
    np.testing.assert_array_equal(data(b_bar), a + 4 * b)
    with pytest.raises(ValueError, match="4 values takes as many sensitivities"):
        pull(np.ones(2))

    def slope(x):
        _, pull = forward(lambda x: (x**3, x**2), x)
        return pull((1.0, 1.0))[0]

    assert data(gradient(slope, 2.0, nest=True)[0]) == 6 * 2 + 2
    parts = gradient(lambda x: np.prod(np.stack(tracker.checkpoint(lambda x: (x, x * x), x))), 2.0)
    assert data(parts[0]) == 12.0


def test_gradients_share_no_memory():
    _, pull = forward(lambda a, b: a + b, np.ones(2), np.ones(2))
    a_bar, b_bar = pull(np.ones(2))
    data(a_bar)[:] = 5.0
    assert data(b_bar).tolist() == [1.0, 1.0]


def test_update():
    x = param([1.0, 2.0])
    y = x * x
    back(y, 1)
    tracker.update(x, [1.0, 1.0])
    assert x.data.tolist() == [2.0, 3.0] and x.grad.tolist() == [0.0, 0.0]
    back(y, 1)  # recorded before the step
    assert x.grad.tolist() == [2.0, 4.0]
    with pytest.raises(TypeError):
        tracker.update(y, 1.0)


def test_rules_of_the_table_by_track():
    x = param(0.5)
    back(track(math.sin, x) * track(math.exp, x))
    assert x.grad == pytest.approx(math.exp(0.5) * (math.sin(0.5) + math.cos(0.5)))


def test_functions_of_scipy():
    special = pytest.importorskip("scipy.special")
    optimize = pytest.importorskip("scipy.optimize")
    x = param(0.5)
    back(special.gamma(x))
    assert x.grad == pytest.approx(special.gamma(0.5) * special.digamma(0.5))
    a = param(2.0)
    back(track(optimize.brentq, lambda x, a: x * x - a, 0.0, 5.0, (a,)))
    assert a.grad == pytest.approx(0.5 / math.sqrt(2))


def test_a_change_before_a_nested_back_raises():
    w, scale = param([1.0, 2.0]), np.array([3.0, 4.0])
    _, pull = forward(lambda: w * w, Params([w]))
    tracker.update(w, [1.0, 1.0])
    with pytest.raises(RuntimeError, match="was changed"):
        pull(1)
    _, pull = forward(lambda: w * scale, Params([w]))
    scale[:] = 0.0
    with pytest.raises(RuntimeError, match="was changed"):
        pull(1)


# Memory and depth


def test_a_long_chain():
    x = param(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    back(y)
    assert x.grad == 1.0
    _, pull = forward(lambda: y, Params([x]))
    assert data(pull(1)[x]) == 1.0


def test_memory_is_freed_as_back_consumes_it():
    def chain(x):
        for _ in range(100):
            x = np.sin(x)
        return np.sum(x)

    x = np.ones(100_000)
    gc.collect()
    tracemalloc.start()
    y = chain(param(x))
    recorded, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    back(y, once=True)
    after, peak = tracemalloc.get_traced_memory()
    del y
    gradient(chain, x)
    _, peak_of_gradient = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.1 * recorded
    assert after < 0.1 * recorded
    assert peak_of_gradient < 1.1 * recorded


def test_operators_of_named_tuples_are_their_own():
    class Dual(NamedTuple):
        value: float
        slope: float

        def __rmul__(self, x):
            return Dual(self.value * x, self.slope * x)

    (g,) = gradient(lambda x: (x * Dual(2.0, 3.0)).slope * x, 5.0)
    assert data(g) == 30.0


def test_classes_are_those_of_plain_values():
    def f(x, a):
        assert isinstance(x, float) and isinstance(a, np.ndarray) and not isinstance(x, int)
        assert isinstance(x, numbers.Real) and np.isscalar(x) and kind_of(x) == "number"
        match x:
            case float(number):
                return number * np.sum(a)
        return 100.0 * x

    assert gradient(f, 2.0, np.ones(2))[0] == 2.0
    assert isinstance(param(1j), complex) and not isinstance(param(1j), float)
    assert isinstance(param(2.0), TrackedReal) and isinstance(param(np.ones(2)), TrackedArray)


@functools.singledispatch
def kind_of(x):
    return "unknown"


@kind_of.register
def _(x: float):
    return "number"


def test_parameters_can_be_pickled_and_copied():
    W, b = param(np.ones((2, 2))), param(0.5)
    for again in (pickle.loads(pickle.dumps([W, b])), copy.copy([W, b])):
        assert [type(x) for x in again] == [TrackedArray, TrackedReal]
        again[1].grad = 0.0
        back(np.sum(again[0]) * again[1])
        assert again[1].grad == 4.0
    assert copy.copy(W).tracker is W.tracker
    with pytest.raises(pickle.PicklingError, match=r"tracker.data\(x\)"):
        pickle.dumps(W * 2.0)
    assert data(pickle.loads(pickle.dumps(gradient(lambda x: x * x, 2.0)[0]))) == 4.0
