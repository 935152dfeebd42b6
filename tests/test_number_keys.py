"""Numbers that vary as keys of dicts: read back as numbers, they are refused."""

from collections import Counter

import pytest

import zyg
from tests.scalar_checks import check_first
from zyg.errors import UnsupportedSyntax

X = 1.3


def displayed(x):
    return sum(key * value for key, value in {x: 1.0}.items())


def stored(x):
    d = {}
    d[x * x] = 2.0
    return sum(d) * x


def of_pairs(x):
    pairs = [(x, 1.0), (x * x, 2.0)]
    return max(dict(pairs))


def of_two_lists(x):
    return min(dict(zip([x, x * x], [1, 2], strict=True)).keys())


def in_tuples(x):
    for (u, _), w in {(x, 1): 2.0}.items():
        x = x + u * w
    return x


def without_repetitions(x):
    return sum(list(dict.fromkeys([x, x, 2.0])))


def counted(x):
    return sum(k * n for k, n in Counter([x, x]).items())


def put(d, key):
    d[key] = 1.0


def by_a_function(x):
    d = {}
    put(d, x * x)
    return sum(d)


@pytest.mark.parametrize("f", [
    displayed, stored, of_pairs, of_two_lists, in_tuples, without_repetitions, counted,
    by_a_function,
])
def test_refused(f):
    for call in zyg.gradient, zyg.pullback, lambda f, x: zyg.jvp(f, (x,), (1.0,)):
        with pytest.raises(UnsupportedSyntax, match="keys are read as numbers"):
            call(f, X)


def constants(x):
    d = {k: x * k for k in (0.5, 1.5)}
    return sum(v * k for k, v in d.items())


def powers(ts, x):
    found = {}
    for t in ts:
        found[t] = x**t
    return found


def constants_by_a_function(x):
    return sum(t * v for t, v in powers([0.5, 1.5], x).items())


def looked_up(x):
    memo = {}

    def square(v):
        if v not in memo:
            memo[v] = v * v
        return memo[v]

    return square(x) + square(2 * x) + sum(memo.values())


def items_of_a_set(x):
    return sum({x, x * x}) + max({x, 2 * x})


def from_keys(x):
    d = dict.fromkeys(["u", "v"], x)
    d["u"] += 1.0
    return d["u"] * d["v"] + sum(dict.fromkeys([0.5, 1.5], x))


@pytest.mark.parametrize(
    "f", [constants, constants_by_a_function, looked_up, items_of_a_set, from_keys]
)
def test_followed(f):
    check_first(f, X)
