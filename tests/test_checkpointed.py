"""Calls that are run again for their reversal: how often, and with which derivatives."""

import functools
import math
import operator
import pickle
import tracemalloc

import numpy as np
import pytest

import zyg
from tests.checkpoint_programs import made

RUNS = [0]


@zyg.nograd
def tick():
    RUNS[0] += 1


def f(x):
    tick()
    y = x
    for _ in range(3):
        y = math.sin(y) * x
    return y


def once(x):
    return zyg.checkpointed(f, x)


def twice(x):
    return zyg.checkpointed(once, x)


def three_times(x):
    return zyg.checkpointed(lambda y: zyg.checkpointed(once, y), x)


LEVELS = [f, once, twice, three_times]


def runs_of(call, *args):
    RUNS[0] = 0
    call(*args)
    return RUNS[0]


@pytest.mark.parametrize("levels", range(4))
def test_each_level_runs_the_function_once_more(levels):
    g = LEVELS[levels]
    assert runs_of(g, 1.1) == 1
    assert runs_of(zyg.gradient, g, 1.1) == 1 + levels
    _, back = zyg.pullback(g, 1.1)
    assert runs_of(zyg.pullback, g, 1.1) == 1
    assert runs_of(back, 1.0) == levels
    assert runs_of(back, 1.0) == levels


@pytest.mark.parametrize("levels", range(1, 4))
def test_values_and_derivatives_are_those_of_the_function(levels):
    g = LEVELS[levels]
    assert g(1.1) == f(1.1)
    assert zyg.withgradient(g, 1.1) == zyg.withgradient(f, 1.1)
    y, back = zyg.pullback(g, 1.1)
    assert y == f(1.1)
    assert back(2.0) == zyg.pullback(f, 1.1)[1](2.0)
    assert pickle.loads(pickle.dumps(back))(2.0) == back(2.0)
    assert zyg.jvp(g, (1.1,), (1.0,)) == zyg.jvp(f, (1.1,), (1.0,))
    assert zyg.grad(zyg.grad(g))(1.1) == pytest.approx(zyg.grad(zyg.grad(f))(1.1), rel=1e-14)
    zyg.check_grads(g, 1.1)


def scaled(x, *rest, scale=2.0, **more):
    s = x * scale
    for _ in range(2):
        s = s + math.sin(s)
    for r in rest:
        s = s * r
    return s * more.get("w", 1.0)


def with_everything(call, a, b):
    c = a * b

    def inner(x, y=a):
        for _ in range(2):
            x = x * c + y
        return x

    return call(inner, b) + call(scaled, a, b, b, scale=b, w=a)


def plainly(function, *args, **kwargs):
    return function(*args, **kwargs)


def test_keywords_defaults_stars_and_captured_variables():
    ours, theirs = (functools.partial(with_everything, call)
                    for call in (zyg.checkpointed, plainly))
    assert zyg.gradient(lambda a, b: with_everything(zyg.checkpointed, a, b), 1.2, 0.7) == (
        pytest.approx(zyg.gradient(lambda a, b: with_everything(plainly, a, b), 1.2, 0.7))
    )
    assert ours(1.2, 0.7) == theirs(1.2, 0.7)
    hessians = [
        zyg.hessian(lambda v, call=call: with_everything(call, v[0], v[1]), np.array([1.2, 0.7]))
        for call in (zyg.checkpointed, plainly)
    ]
    assert np.allclose(*hessians, rtol=1e-13)


def test_functions_that_are_found_at_run_time():
    def total(call, functions, x):
        return sum([call(function, x) for function in functions])

    functions = [f, math.sin, functools.partial(scaled, scale=3.0), once]
    ours, theirs = (
        zyg.gradient(lambda x, call=call: total(call, functions, x), 1.1)
        for call in (zyg.checkpointed, plainly)
    )
    assert ours == pytest.approx(theirs, rel=1e-14)
    (bar,) = zyg.gradient(lambda x: zyg.checkpointed(np.sum, x * x), np.ones(3))
    assert bar.tolist() == [2.0] * 3
    one = [f]
    assert runs_of(zyg.gradient, lambda x: sum([zyg.checkpointed(g, x) for g in one]), 1.1) == 2


def test_objects_may_be_read():
    class Model:
        def __init__(self, w):
            self.w = w

        def run(self, x):
            for _ in range(2):
                x = math.tanh(x * self.w)
            return x

    ours, theirs = (
        zyg.gradient(lambda model, x, call=call: call(model.run, x), Model(0.7), 0.3)
        for call in (zyg.checkpointed, plainly)
    )
    assert ours[1] == pytest.approx(theirs[1], rel=1e-14)
    assert ours[0]["w"] == pytest.approx(theirs[0]["w"], rel=1e-14)


def layers(call, x, w, n):
    for _ in range(n):
        x = call(layer, x, w)
    return np.sum(x)


def layer(x, w):
    for _ in range(10):
        x = np.tanh(w * x)
    return x


def test_only_the_arguments_are_kept():
    x, w = np.linspace(0.0, 1.0, 10_000), np.ones(10_000)
    peaks, gradients = [], []
    for call in (zyg.checkpointed, plainly):
        zyg.gradient(lambda x, w, n, call=call: layers(call, x, w, n), x, w, 10)
        tracemalloc.start()
        try:
            gradients.append(
                zyg.gradient(lambda x, w, n, call=call: layers(call, x, w, n), x, w, 10)
            )
            peaks.append(tracemalloc.get_traced_memory()[1] / x.nbytes)
        finally:
            tracemalloc.stop()
    # One argument of each call, and what a call, its adjoint and the caller use.
    assert peaks[0] < 10 + 10 + 10
    assert peaks[1] > 100
    assert all(map(np.array_equal, *gradients))


REFUSED = {
    "changes `a` in place": "zyg.checkpointed(changing, np.zeros(2), x)",
    "changes its arguments in place|changes `a` in place":
        "[zyg.checkpointed(g, np.zeros(2), x) for g in [changing, changing]][0]",
    "something else when it was run again": "zyg.checkpointed(noisy, x)",
    "gave something else": "[zyg.checkpointed(g, x) for g in [noisy, math.sin]][0]",
    "may store into objects": "zyg.checkpointed(Counter().count, x)",
}


def changing(a, x):
    a[0] = x
    for _ in range(2):
        a[1] = a[0] * x
    return a.sum()


def noisy(x):
    for _ in range(2):
        x = x * np.random.normal()
    return x


class Counter:
    def __init__(self):
        self.n = 0.0

    def count(self, x):
        self.n = self.n + x
        return x * self.n


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_run_again_is_refused(reason):
    g = made(f"def f(x):\n    return {REFUSED[reason]}\n",
             changing=changing, noisy=noisy, Counter=Counter)
    with pytest.raises(zyg.ZygError, match=reason):
        zyg.gradient(g, 1.1)


def test_wrong_calls_fail_as_the_plain_call_does():
    for text in ("zyg.checkpointed(x)", "zyg.checkpointed()", "zyg.checkpointed(math.sin, x, x)"):
        with pytest.raises(TypeError):
            zyg.gradient(made(f"def f(x):\n    return {text}\n"), 1.1)


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)

    def forward(self, x):
        return self(x)

    def doubled(self):
        return Layer(2 * self.w, self.b)

    def offset(self):
        return 2 * self.b


class Network:
    def __init__(self, layers):
        self.layers = layers

    def plain(self, x):
        for layer in self.layers:
            x = layer(x)
        return np.sum(x)

    def by_object(self, x):
        for layer in self.layers:
            x = zyg.checkpointed(layer, x)
        return np.sum(x)

    def by_method(self, x):
        for layer in self.layers:
            x = zyg.checkpointed(layer.forward, x)
        return np.sum(x)

    def by_function(self, x):
        for layer in self.layers:
            x = zyg.checkpointed(Layer.forward, layer, x)
        return np.sum(x)

    def by_closure(self, x):
        def run(x):
            for layer in self.layers:
                x = layer(x)
            return x

        return np.sum(zyg.checkpointed(run, x))


def network_of(w, x):
    return Network([Layer(w, 2 * x), Layer(2 * w, 3 * x), Layer(w @ w, 0 * x)])


@pytest.mark.parametrize("name", ["by_object", "by_method", "by_function", "by_closure"])
def test_layers_that_are_objects(name):
    rng = np.random.default_rng(0)
    w, x = rng.normal(size=(3, 3)), rng.normal(size=3)

    def inside(w, x):
        return getattr(Network, name)(network_of(w, x), x)

    plain = zyg.gradient(lambda w, x: network_of(w, x).plain(x), w, x)
    for found, expected in zip(zyg.gradient(inside, w, x), plain, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    slope = zyg.jvp(lambda w, x: network_of(w, x).plain(x), (w, x), (w, x))
    np.testing.assert_allclose(zyg.jvp(inside, (w, x), (w, x)), slope, rtol=1e-13)

    network = network_of(w, x)
    given = zyg.gradient(lambda network: getattr(Network, name)(network, x), network)[0]
    expected = zyg.gradient(lambda network: network.plain(x), network)[0]
    for found, other in zip(given["layers"], expected["layers"], strict=True):
        np.testing.assert_allclose(found["w"], other["w"], rtol=1e-13)
        np.testing.assert_allclose(found["b"], other["b"], rtol=1e-13)


@pytest.mark.parametrize("change", [
    lambda layer: setattr(layer, "w", 2 * layer.w), lambda layer: operator.imul(layer.w, 2),
])
def test_layers_that_have_changed_since(change):
    def f(w, x):
        layer = Layer(w.copy(), x)
        y = zyg.checkpointed(layer.forward, x)
        change(layer)
        return np.sum(y)

    with pytest.raises(zyg.NotDifferentiable, match="reads an object that has been changed since"):
        zyg.gradient(f, np.eye(3), np.ones(3))


class Counting(Layer):
    seen = 0.0

    def forward(self, x):
        self.seen = np.sum(x)
        return self(x)


def test_layers_that_store_what_varies():
    def f(w, x):
        return np.sum(zyg.checkpointed(Counting(w, x).forward, x))

    with pytest.raises(zyg.ZygError, match="which may store into objects"):
        zyg.gradient(f, np.eye(3), np.ones(3))


def test_calls_that_are_given_nothing_but_an_object():
    def f(x):
        layer = Layer(np.eye(3), x)
        return np.sum(zyg.checkpointed(layer.offset) * zyg.checkpointed(lambda: layer.b * x))

    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(zyg.gradient(f, x)[0], 6 * x**2, rtol=1e-13)
    np.testing.assert_allclose(zyg.jvp(f, (x,), (x,))[1], np.sum(6 * x**3), rtol=1e-13)


def test_calls_that_give_objects():
    def f(x):
        return np.sum(zyg.checkpointed(Layer(np.eye(3), x).doubled).b)

    with pytest.raises(zyg.ZygError, match="Layer"):
        zyg.gradient(f, np.ones(3))
