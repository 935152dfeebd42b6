"""Seeds of results that are objects, or hold some: dicts of those of their attributes."""

from __future__ import annotations

import dataclasses
import types

import numpy as np
import pytest

import zyg


class Pair:
    def __init__(self, a, b=0.0):
        self.a = a
        self.b = b


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: float


class Tree:
    def __init__(self, root):
        self.root = root
        self.rows = [root.a * 2.0, root.b]
        self.parts = (Pair(root.a), [root])


SEED = {"a": 1.0, "b": 10.0}


def made(x):
    return Pair(x * x, np.sin(x))


def made_with_memory(x):
    return Pair(np.stack([x, x * x]), [x])


def of_slots(x):
    return Slots(x * x, x)


def of_a_frozen_class(x):
    return Frozen(x * x, x)


def of_a_namespace(x):
    return types.SimpleNamespace(a=x * x, b=x)


def beside_a_number(x):
    return Pair(x * x, x), x * 3.0


def in_a_list(x):
    return [Pair(x * x), Pair(x)]


def in_a_dict(x):
    return {"key": Pair(x * x, x)}


def twice(x):
    pair = Pair(x * x, x)
    return pair, pair


def holds_itself(x):
    pair = Pair(x * x, x)
    pair.me = pair
    return pair


def of_objects_in_each_other(x):
    return Tree(Pair(x * x, x))


def changed_behind(x):
    pair = Pair([x, x], x)
    pair.a[0] = pair.a[0] * x
    pair.a.append(pair.b)
    return pair


def changed_in_an_array(x):
    pair = Pair(np.stack([x, x]))
    pair.a *= x
    return pair


@pytest.mark.parametrize(
    ("f", "seed", "expected"),
    [
        (made, SEED, 4.0 + 10.0 * np.cos(2.0)),
        (made, {"a": 1.0}, 4.0),
        (made, {"a": None, "b": 1.0}, np.cos(2.0)),
        (made, {}, 0.0),
        (made, None, 0.0),
        (made_with_memory, {"a": np.ones(2), "b": [10.0]}, 15.0),
        (made_with_memory, {"b": [10.0]}, 10.0),
        (of_slots, SEED, 14.0),
        (of_a_frozen_class, SEED, 14.0),
        (of_a_namespace, SEED, 14.0),
        (beside_a_number, (SEED, 100.0), 314.0),
        (beside_a_number, (None, 100.0), 300.0),
        (in_a_list, [SEED, {"a": 3.0}], 7.0),
        (in_a_dict, {"key": SEED}, 14.0),
        (twice, (SEED, SEED), 28.0),
        (holds_itself, {"a": 1.0, "me": SEED}, 18.0),
        (of_objects_in_each_other, {"root": SEED, "rows": [1.0, 1.0]}, 23.0),
        (of_objects_in_each_other, {"parts": ({"a": 1.0}, [SEED])}, 18.0),
        (changed_behind, {"a": [1.0, 10.0, 100.0], "b": 1000.0}, 1114.0),
        (changed_in_an_array, {"a": np.array([1.0, 10.0])}, 44.0),
    ],
)
def test_seeds(f, seed, expected):
    y, back = zyg.pullback(f, 2.0)
    for _ in range(2):
        assert back(seed)[0] == pytest.approx(expected, rel=1e-14)
    if isinstance(y, Pair):
        y.a = y.b = None  # what the result holds later is nothing to it
        assert back(seed)[0] == pytest.approx(expected, rel=1e-14)
    assert zyg._pullback(f, 2.0)[1](seed)[-1] == pytest.approx(expected, rel=1e-14) or not seed


def scaled(pair, x):
    pair.a = pair.a * x
    return pair


def doubled(pair):
    pair.a *= 2.0
    return pair


def test_objects_that_were_given():
    _, back = zyg.pullback(scaled, Pair(3.0, 2.0), 2.0)
    assert back(SEED) == ({"a": 2.0, "b": 10.0}, 3.0)
    _, back = zyg.pullback(doubled, Pair(np.ones(2)))
    seed = {"a": np.ones(2)}
    (gradient,) = back(seed)
    np.testing.assert_array_equal(gradient["a"], [2.0, 2.0])
    np.testing.assert_array_equal(seed["a"], [1.0, 1.0])


def generates(x):
    yield x * x


def maps(x):
    return map(np.sin, [x])


def bound(x):
    return Pair(x * x).__init__


def captures(x):
    return lambda y: x * x * y


@pytest.mark.parametrize(
    ("f", "seed", "match"),
    [
        (made, 1.0, "the result is a Pair, but the seed is no dict"),
        (made, Pair(1.0), "no dict of the cotangents of its attributes, but a Pair"),
        (made, {"c": 1.0}, "the Pair has no attribute 'c'"),
        (made, {"a": np.ones(2)}, "the result is a number"),
        (made_with_memory, {"a": np.ones(3)}, r"the shape \(2,\)"),
        (beside_a_number, (1.0, 1.0), "the result is a Pair"),
        (generates, 1.0, "an iterator, which takes no seed"),
        (maps, [1.0], "an iterator, which takes no seed"),
        (bound, 1.0, "a method, which takes no seed"),
        (captures, 1.0, "the result is a function, but the seed is no dict"),
    ],
)
def test_seeds_that_do_not_fit(f, seed, match):
    _, back = zyg.pullback(f, 2.0)
    with pytest.raises(ValueError, match=match):
        back(seed)
