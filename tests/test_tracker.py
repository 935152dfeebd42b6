"""The tracker: the examples of its sources with their numbers, and what it must never do."""

from __future__ import annotations

import copy
import functools
import gc
import math
import numbers
import operator
import pickle
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest

import zyg
from zyg import tracker
from zyg.tracker import (
    Call,
    Grads,
    Params,
    Tracked,
    TrackedArray,
    TrackedMatrix,
    TrackedReal,
    TrackedVector,
    back,
    data,
    forward,
    grad,
    gradient,
    istracked,
    param,
    track,
)

# The documents


def test_multiplication_of_parameters():
    W, x = param([[1, 2], [3, 4]]), param([5, 6])
    assert repr(W) == "Tracked 2x2 Array{float64,2}:\n[[1., 2.],\n [3., 4.]]"
    assert repr(x) == "Tracked 2-element Array{float64,1}:\n[5., 6.]"
    y = W @ x
    np.testing.assert_array_equal(data(y), [17.0, 39.0])
    back(y, [1, -1])
    np.testing.assert_array_equal(W.grad, [[5.0, 6.0], [-5.0, -6.0]])
    np.testing.assert_array_equal(x.grad, [-2.0, -2.0])
    assert isinstance(x.tracker, Tracked)
    assert (x.tracker.ref, x.tracker.f, x.tracker.isleaf) == (0, Call(), True)
    np.testing.assert_array_equal(x.tracker.data, [5.0, 6.0])
    np.testing.assert_array_equal(x.tracker.grad, [-2.0, -2.0])
    assert y.tracker.f == Call(operator.matmul, (W, x))
    assert repr(y.tracker.f) == (
        "Call(matmul, (param([[1.0, 2.0], [3.0, 4.0]]), param([5.0, 6.0])))"
    )
    np.testing.assert_array_equal(y.tracker.f(), [17.0, 39.0])


def test_a_call():
    call = Call(operator.add, (1, 2))
    assert call() == 3
    assert call == Call(operator.add, (1, 2)) != Call(operator.add, (1, 3))
    assert repr(call) == "Call(add, (1, 2))"


def test_a_back_function_in_the_older_style():
    def minus(a, b):
        return track(minus, a, b) if istracked(a) or istracked(b) else a - b

    @tracker.defback(minus)
    def _(delta, a, b):
        tracker.propagate(a, delta)
        tracker.propagate(b, -delta)

    a, b = param([6, 5, 4]), param([1, 2, 3])
    c = minus(a, b)
    np.testing.assert_array_equal(data(c), [5.0, 3.0, 1.0])
    assert c.tracker.f == Call(minus, (a, b))
    back(c, 1)
    np.testing.assert_array_equal(a.grad, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(b.grad, [-1.0, -1.0, -1.0])
    back(minus(a, np.ones(3)), 2)
    np.testing.assert_array_equal(a.grad, [3.0, 3.0, 3.0])
    back(minus(a, a), 1)
    np.testing.assert_array_equal(a.grad, [3.0, 3.0, 3.0])


def test_a_rule():
    def minus(a, b):
        return track(minus, a, b) if istracked(a) or istracked(b) else a - b

    @tracker.rule(minus)
    def _(a, b):
        return minus(data(a), data(b)), lambda delta: (delta, -delta)

    a, b = param([1, 2, 3]), param([3, 2, 1])
    c = minus(a, b)
    np.testing.assert_array_equal(data(c), [-2.0, 0.0, 2.0])
    back(c, 1)
    np.testing.assert_array_equal(grad(a), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(grad(b), [-1.0, -1.0, -1.0])


def test_a_rule_is_differentiated_again():
    def times(a, b):
        return track(times, a, b)

    @tracker.rule(times)
    def _(a, b):
        return data(a) * data(b), lambda delta: (delta * b, a * delta)

    second = gradient(lambda x: gradient(lambda y: times(y, y * y), x, nest=True)[0], 3.0)
    assert data(second[0]) == 18.0


def test_gradients_and_backpropagators():
    assert repr(gradient(lambda a, b: a * b, 2, 3)) == "(3.0 (tracked), 2.0 (tracked))"
    y, pull = forward(lambda a, b: a * b, 2, 3)
    assert repr(y) == "6.0 (tracked)"
    assert repr(pull(1)) == "(3.0 (tracked), 2.0 (tracked))"
    y, pull = forward(lambda a, b: a * b, [1, 2, 3], [4, 5, 6])
    np.testing.assert_array_equal(data(y), [4.0, 10.0, 18.0])
    a_bar, b_bar = pull([1, 1, 1])
    np.testing.assert_array_equal(data(a_bar), [4.0, 5.0, 6.0])
    np.testing.assert_array_equal(data(b_bar), [1.0, 2.0, 3.0])
    a, b = param(2), param(3)
    c = a * b
    assert repr(c) == "6.0 (tracked)"
    back(c)
    assert (grad(a), grad(b)) == (3.0, 2.0)


def test_a_loop_of_training(capsys):
    W, seen = param([0.0, 0.0]), []
    pairs = [(np.array([1.0, 2.0]), 3.0), (np.array([2.0, 1.0]), 3.0)] * 200

    def opt():
        tracker.update(W, -0.05 * W.grad)

    tracker.train(lambda x, y: (W @ x - y) ** 2, pairs, opt, cb=lambda: seen.append(1))
    np.testing.assert_allclose(data(W), [1.0, 1.0], atol=1e-6)
    assert len(seen) == 400
    np.testing.assert_array_equal(W.grad, [0.0, 0.0])


def test_an_interrupt_ends_the_training():
    W = param(1.0)

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        tracker.train(lambda x: W * x, [1.0, 2.0], stop)
    assert caught.value.__cause__ is None and W.grad == 1.0


# Leaves and results


def test_parameters_are_floats():
    assert param(3).data == 3.0 and type(param(3).data) is float
    assert param(np.array([1, 2])).data.dtype == float
    assert param(np.float32(1)).data.dtype == np.float32
    assert isinstance(param(np.ones(2)), TrackedVector)
    assert isinstance(param(np.ones((2, 2))), TrackedMatrix)
    assert isinstance(param(np.ones((2, 2))), TrackedArray)
    assert isinstance(param(2), TrackedReal) and param(2).grad == 0.0
    assert data(5) == 5 and grad(5) is None and not istracked(5)
    x = param(2.0)
    back(param(x) * 3)
    assert x.grad == 3.0
    for wrong in ("text", None, [1, "a"], np.array([None])):
        with pytest.raises(TypeError):
            param(wrong)


def test_leaves_accumulate_and_intermediate_values_start_anew():
    x = param(3.0)
    y = x * x
    z = y * y + y
    for times in (1, 2, 3):
        back(z)
        assert x.grad == times * (4 * 27 + 6)
        assert y.grad == 2 * 9 + 1
        assert [v.tracker.ref for v in (x, y, z)] == [0, 0, 0]


def test_scan_counts_uses():
    x = param(3.0)
    y = x * x
    z = y * y
    tracker.scan(z)
    assert (x.tracker.ref, y.tracker.ref, z.tracker.ref) == (0, 2, 1)


def test_sensitivities():
    x = param(np.ones((2, 3)))
    back(x * 2.0, 3)
    np.testing.assert_array_equal(x.grad, np.full((2, 3), 6.0))
    with pytest.raises(ValueError, match=r"shape \(3,\) for a value of shape \(2, 3\)"):
        back(x * 2.0, [1, 2, 3])
    back(np.ones(3), 1)  # not tracked: nothing happens
    back(x, np.ones((2, 3)))  # a leaf itself
    np.testing.assert_array_equal(x.grad, np.full((2, 3), 7.0))


@pytest.mark.parametrize(
    ("value", "message"), [(math.inf, "Loss is Inf"), (math.nan, "Loss is NaN")]
)
def test_losses_that_have_no_gradient(value, message):
    x = param(1.0)
    with pytest.raises(tracker.LossError, match=message):
        back(x * value)
    with pytest.raises(tracker.LossError, match=message):
        gradient(lambda x: x * value, 1.0)
    with pytest.raises(tracker.LossError, match="not scalar"):
        gradient(lambda x: x * value, [1.0, 2.0])


def test_a_gradient_that_is_no_tuple():
    def pair(a, b):
        return a

    for bars in (1.0, (1.0,), [1.0, 2.0]):
        tracker.rule(pair)(lambda a, b, bars=bars: (a, lambda delta: bars))
        with pytest.raises(TypeError, match="Gradient is not a tuple of length 2"):
            back(track(pair, param(1.0), param(2.0)))


def test_propagate_exactly_once():
    def f(a, b):
        return a * b

    @tracker.defback(f)
    def _(delta, a, b):
        tracker.propagate(a, delta)

    with pytest.raises(TypeError, match="left one out"):
        back(track(f, param(1.0), param(2.0)))
    back(track(f, param(1.0), 2.0))

    @tracker.defback(f)
    def _(delta, a, b):
        for x in (a, b, b):
            tracker.propagate(x, delta)

    with pytest.raises(TypeError, match="more often"):
        back(track(f, param(1.0), param(2.0)))
    with pytest.raises(RuntimeError):
        tracker.propagate(param(1.0), 1.0)


def test_an_exception_in_back_leaves_all_as_it_was():
    fails = [True]

    def fragile(x):
        return x

    @tracker.rule(fragile)
    def _(x):
        def pull(delta):
            if fails[0]:
                raise RuntimeError("no gradient today")
            return (delta,)

        return data(x), pull

    x, w = param(2.0), param(5.0)
    y = x * x
    z = w * y + track(fragile, y) * y
    with pytest.raises(RuntimeError, match="today"):
        back(z)
    assert (x.grad, w.grad) == (0.0, 0.0)
    assert [v.tracker.ref for v in (y, z)] == [0, 0]
    fails[0] = False
    back(z)
    assert (x.grad, w.grad) == (5 * 4 + 4 * 8, 4.0)


def test_back_once():
    x = param(2.0)
    y = x * x
    z = y * y
    back(z, once=True)
    assert x.grad == 32.0
    with pytest.raises(RuntimeError, match="already used"):
        back(z)
    with pytest.raises(RuntimeError, match="already used"):
        back(y + 1.0)
    assert x.grad == 32.0


# Operators and functions


def test_mixed_operands_on_either_side():
    a, x = np.array([1.0, 2.0]), param([3.0, 4.0])
    s = param(2.0)
    for y in (
        a * x, x * a, np.float64(2) * x, 2 * x, x * [1, 2], [1, 2] * x, a @ x, x @ a, a - x, x / a,
        a ** x, x ** 2, np.add(a, x), np.dot(a, x), np.where(a > 1, x, a), s * a, a * s, s * x,
        np.float32(2) * s, np.concatenate([a, x]), np.stack([s, 2.0, s]), np.add.reduce(x),
        np.multiply.outer(a, x), divmod(x, 2.0)[1], sum(x), max(x), sum(x * s), np.sum(a=x),
        np.clip(x, a_min=s, a_max=None), abs(-x), x.T @ x, x.reshape(2, 1).sum(axis=0), x[0] * x[1],
    ):  # fmt: skip
        assert istracked(y), y
        assert istracked(np.sum(y))


def test_values_without_derivative_are_plain():
    x = param([3.0, 4.0])
    assert (x > 3.5).tolist() == [False, True]
    assert x.shape == (2,) and x.ndim == 1 and len(x) == 2 and x.dtype == float
    assert np.argmax(x) == 1 and np.shape(x) == (2,) and not np.isnan(x).any()
    assert param(2.0) == 2.0 and param(2.0) < 3 and bool(param(1.0))
    assert param(2.0) == pytest.approx(2.0)
    assert int(param(2.5)) == 2 and round(param(2.6)) == 3 and math.floor(param(2.6)) == 2
    assert f"{param(2.0):.1f}" == "2.0 (tracked)"


def test_nothing_is_silently_untracked():
    x, s, a = param([1.0, 2.0]), param(2.0), np.zeros(2)
    attempts = [
        lambda: float(s), lambda: complex(s), lambda: math.sin(s), lambda: np.asarray(x),
        lambda: np.array([s, s]), lambda: np.array(x), lambda: a.__setitem__(0, s),
        lambda: a.__setitem__(slice(None), x), lambda: operator.iadd(a, x),
        lambda: operator.setitem(x, 0, 1.0), lambda: operator.iadd(x, 1.0),
        lambda: np.add(a, x, out=a), lambda: np.sum(x, out=a), lambda: x.fill(0), lambda: x.sort(),
        lambda: np.copyto(a, x), lambda: np.fill_diagonal(param(np.eye(2)), 1.0),
        lambda: a.dot(x),
        lambda: operator.index(s), lambda: np.full(2, s), lambda: np.add.at(a, [0], s),
        lambda: track(lambda x: x, s), lambda: np.float64(s),
    ]  # fmt: skip
    for attempt in attempts:
        with pytest.raises((TypeError, ValueError)):
            attempt()
    assert a.tolist() == [0.0, 0.0]


def test_copies():
    x = param([1.0, 2.0])
    back(x * 3, 1)
    twin = copy.deepcopy(x)
    back(twin * 1, 1)
    assert twin.grad.tolist() == [4.0, 4.0] and x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(zyg.NotDifferentiable, match="deep copy"):
        copy.deepcopy(x * 2)
    with pytest.raises(TypeError, match="a tuple of them"):
        back((x, x))


def test_several_results():
    x = param([1.0, 2.0, 3.0, 4.0])
    first, _, last = np.split(x, [1, 3])
    back(np.sum(first * last) + np.sum(last))
    np.testing.assert_array_equal(x.grad, [4.0, 0.0, 0.0, 2.0])
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    values, _ = np.linalg.eigh(param(a))
    w, vectors = np.linalg.eigh(param(a))
    assert istracked(values) and istracked(w) and istracked(vectors)


def test_reading_items_costs_as_much_as_there_are_items():
    x = param(np.arange(1000.0))
    total = 0.0
    for item in x:
        total = total + item * item
    back(total)
    np.testing.assert_array_equal(x.grad, 2 * np.arange(1000.0))


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
