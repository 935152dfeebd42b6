"""The tracker: the examples of its sources with their numbers, and what it must never do."""

from __future__ import annotations

import copy
import math
import operator
import sys
import types

import numpy as np
import pytest

import zyg
from zyg import tracker
from zyg.tracker import (
    Call,
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


def test_a_loop_of_training():
    W, seen = param([0.0, 0.0]), []
    pairs = [(np.array([1.0, 2.0]), 3.0), (np.array([2.0, 1.0]), 3.0)] * 200

    def opt():
        tracker.update(W, -0.05 * W.grad)

    tracker.train(lambda x, y: (W @ x - y) ** 2, pairs, opt, cb=lambda: seen.append(1))
    np.testing.assert_allclose(data(W), [1.0, 1.0], atol=1e-6)
    assert len(seen) == 400
    np.testing.assert_array_equal(W.grad, [0.0, 0.0])


def test_progress_is_shown_where_tqdm_is_installed(monkeypatch):
    shown, w = [], param(1.0)

    def bar(data):
        for item in data:
            shown.append(item)
            yield item

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=bar))
    tracker.train(lambda x: w * x, [1.0, 2.0], lambda: None)
    assert shown == [1.0, 2.0] and w.grad == 3.0
    tracker.train(lambda x: w * x, [1.0, 2.0], lambda: None, progress=False)
    assert shown == [1.0, 2.0] and w.grad == 6.0


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


def test_complex_results_need_a_sensitivity():
    for x in (param(2.0), param([2.0])):
        with pytest.raises(tracker.LossError, match="not real"):
            back(x * 1j)
        back(x * 1j, 1j)
        assert x.grad == 1.0


def test_wrappers_are_made_of_data_and_a_place_in_the_graph():
    x = TrackedReal(3.0, Tracked(0, Call(), True, 0.0))
    a = TrackedArray(Tracked(0, Call(), True, None), np.ones(2), np.zeros(2))
    back(np.sum(a * x))
    assert x.grad == 2.0 and a.grad.tolist() == [3.0, 3.0]


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


def test_an_interrupt_in_any_walk_leaves_all_as_it_was():
    is_interrupted = [True]

    def square(x):
        return track(square, x)

    @tracker.rule(square)
    def _(x):
        def pull(delta):
            if is_interrupted[0]:
                raise KeyboardInterrupt
            return (2 * delta * x,)

        return data(x) ** 2, pull

    x, w = param(2.0), param(3.0)
    y = x * w
    z = square(y) + y * y
    walks = [
        lambda: back(z), lambda: forward(lambda: z, tracker.Params([x, w]))[1](1.0),
        lambda: gradient(lambda a: square(a * w) + a, 2.0),
        lambda: gradient(lambda a: square(a * w) + a, 2.0, nest=True),
    ]  # fmt: skip
    for walk in walks:
        with pytest.raises(KeyboardInterrupt):
            walk()
        assert [v.tracker.ref for v in (x, w, y, z)] == [0, 0, 0, 0]
        assert (x.grad, w.grad) == (0.0, 0.0)
    is_interrupted[0] = False
    back(z)
    assert (x.grad, w.grad) == (72.0, 48.0)


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


@pytest.mark.parametrize("name", ["real", "imag", "shape"])
def test_attributes_of_arrays_are_not_stored(name):
    with pytest.raises(zyg.NotDifferentiable, match="written in place"):
        setattr(tracker.param(np.ones(2)), name, 1.0)
