"""Cotangents of tuples and dicts of parameters that are read by their places and keys."""

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

W, B, X = np.arange(6.0).reshape(3, 2) / 6.0, np.array([0.3, -0.2]), np.array([0.5, -1.0, 2.0])


def by_place(p, x):
    return np.sum(np.tanh(x @ p[0] + p[1]) * p[-1])


def by_place_twice(p, x):
    return np.sum((x @ p[0]) * (p[1] + x @ p[0]) * p[1])


def nested_places(p, x):
    return np.sum((x @ p[0][0] + p[0][1]) ** 2) * p[1][0]


def one_place(p, x):
    return np.sum(x @ p[0])


def in_a_branch(p, x):
    return np.sum(x @ p[0]) if x[0] > 0 else np.sum(p[1] * p[1])


def in_a_loop(p, x):
    total = 0.0
    for _ in range(2):
        total = total + np.sum(np.tanh(x @ p[0] + p[1]))
    return total * np.sum(p[1])


def unpacked_too(p, x):
    w, *rest = p
    return np.sum(x @ w) * np.sum(p[1]) + np.sum(rest[0] * p[0][0])


def by_key(p, x):
    return np.sum(np.tanh(x @ p["w"] + p["b"]) * p["s"])


def by_key_twice(p, x):
    return np.sum((x @ p["w"]) * (p["b"] + x @ p["w"])) * p["s"] * p["s"]


def some_keys(p, x):
    return np.sum(x @ p["w"])


def key_in_a_branch(p, x):
    return np.sum(x @ p["w"]) * p["s"] if x[0] > 0 else np.sum(p["b"] * p["b"])


def key_in_a_loop(p, x):
    total = np.sum(p["b"]) + p["s"]
    for _ in range(2):
        total = total + np.sum(np.tanh(x @ p["w"] + p["b"])) * p["s"]
    return total


def changed_key(p, x):
    p = dict(p)
    p["w"] = p["w"] * p["s"]
    p["new"] = p["b"] * 2.0
    return np.sum(x @ p["w"] + p["new"])


def given_on(p, x):
    return by_key(p, x) * by_key_twice({**p, "s": 2.0}, x)


def tuple_in_a_dict(p, x):
    return np.sum((x @ p["layer"][0] + p["layer"][1]) ** 2) * p["s"]


TUPLE, DICT = (W, B, 2.0), {"w": W, "b": B, "s": 2.0}
PROGRAMS = [
    *[(f, TUPLE) for f in (by_place, by_place_twice, one_place, in_a_branch, in_a_loop)],
    *[(f, DICT) for f in (by_key, by_key_twice, some_keys, key_in_a_branch, key_in_a_loop)],
    (changed_key, DICT), (given_on, DICT), (nested_places, ((W, B), (2.0, 1.0))),
    (unpacked_too, (W, B)), (tuple_in_a_dict, {"layer": (W, B), "s": 2.0}),
    (by_key, {"s": 2.0, "unused": [1.0], "b": B, "w": W, "name": "net"}),
]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("f", "p"), PROGRAMS)
def test_gradient(f, p, sign):
    check_gradient(f, (p, sign * X), zyg.pullback)
    p_bar, _ = zyg.gradient(f, p, sign * X)
    assert type(p_bar) is type(p)
    assert len(p_bar) == len(p)
    if isinstance(p, dict):
        assert list(p_bar) == list(p)


@pytest.mark.parametrize(("f", "p"), PROGRAMS)
def test_hvp(f, p):
    v, step = zyg.flatten(p)[1](np.cos(np.arange(zyg.flatten(p)[0].size))), 1e-6

    def moved(by):
        vector, unflatten = zyg.flatten(p)
        gradient, _ = zyg.gradient(f, unflatten(vector + by * zyg.flatten(v)[0]), X)
        return zyg.flatten(gradient)[0]

    expected = (moved(step) - moved(-step)) / (2 * step)
    found = zyg.flatten(zyg.hvp(lambda q: f(q, X), p, v))[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("f", "p"),
    [
        (by_place, TUPLE), (by_place_twice, TUPLE[:2]), (nested_places, ((W, B), (2.0, 1.0))),
        (by_key, DICT), (by_key_twice, DICT), (one_place, TUPLE),
    ],
)
def test_nothing_is_left_to_the_run_time(f, p):
    text = str(zyg.code_adjoint(f, p, X))
    assert not any(word in text for word in ("one_hot", "accumulate", "completed"))
