"""Optimisers that keep tuples of arrays in a dict of their own, and change a dict of parameters.

The two dicts hold items of other kinds, so that a change of one is none of the other; parameters of
several ranks go through one loop, so that products of them have no known rank.
"""

import numpy as np
import pytest

import zyg
from tests import differences


class Adam:
    def __init__(self, rate):
        self.rate = rate
        self.state = {}
        self.steps = 0

    def scaled(self, m, v):
        self.steps += 1
        first, second = 1 - 0.9**self.steps, 1 - 0.99**self.steps
        return self.rate * (m / first) / (np.sqrt(v / second) + 1e-8)


class ByDefault(Adam):
    def step(self, params, grads):
        for name, g in grads.items():
            m, v = self.state.get(name, (0.0, 0.0))
            m = 0.9 * m + 0.1 * g
            v = 0.99 * v + 0.01 * g * g
            self.state[name] = m, v
            params[name] = params[name] - self.scaled(m, v)


class InPlace(Adam):
    def step(self, params, grads):
        for name, g in grads.items():
            if name not in self.state:
                self.state[name] = (np.zeros_like(g), np.zeros_like(g))
            m, v = self.state[name]
            m = 0.9 * m + 0.1 * g
            v = 0.99 * v + 0.01 * g * g
            self.state[name] = (m, v)
            params[name] -= self.scaled(m, v)


def slopes(p, x, y):
    h = np.tanh(p["W"] @ x + p["b"])
    d = (h - y) * (1 - h * h)
    return {"W": np.outer(d, x), "b": d}


def trained(cls, W, b, rate, x, y):
    p = {"W": W.copy(), "b": b.copy()}
    optimiser = cls(rate)
    for _ in range(3):
        optimiser.step(p, slopes(p, x, y))
    return 0.5 * np.sum((np.tanh(p["W"] @ x + p["b"]) - y) ** 2)


@pytest.mark.parametrize("cls", [ByDefault, InPlace])
def test_training(cls):
    rng = np.random.default_rng(0)
    args = (rng.normal(size=(3, 2)), rng.normal(size=3), 0.05, rng.normal(size=2),
            rng.normal(size=3))

    def f(*args):
        return trained(cls, *args)

    differences.check_gradient(f, args, zyg.pullback)
    slope = sum(np.sum(a * b) for a, b in zip(zyg.gradient(f, *args), args, strict=True))
    assert zyg.jvp(f, args, args)[1] == pytest.approx(slope, rel=1e-10)
    assert "pullback_call" not in str(zyg.code_adjoint(f, *args))


def test_a_product_of_arrays_of_unknown_rank():
    def f(layers, x):
        for name in ("W", "b"):
            layers[name] = layers[name] * 2.0
        return np.sum(np.tanh(layers["W"] @ x + layers["b"]))

    rng = np.random.default_rng(1)
    layers = {"W": rng.normal(size=(3, 2)), "b": rng.normal(size=3)}
    differences.check_gradient(
        lambda W, b, x: f({"W": W, "b": b}, x), (*layers.values(), rng.normal(size=2)),
        zyg.pullback,
    )
