"""Repeated calls of `jvp` take made-to-measure code, which serves what needs no conversion."""

import traceback

import numpy as np
import pytest

import zyg
from tests.test_keys import DISTINCT
from zyg.calls.entry_cache import CALLS_UNTIL_PATH, cache

TURNS = CALLS_UNTIL_PATH + 2


def paths(f):
    return cache.paths["tangent"].by_code.get(id(f.__code__), ())


def warmed(f, primals, tangents):
    for _ in range(TURNS):
        zyg.jvp(f, primals, tangents)
    return paths(f)[0]


def first(x, a):
    return x * x


@pytest.mark.parametrize("i", range(len(DISTINCT)), ids=lambda i: f"{i} {type(DISTINCT[i])}")
def test_a_path_serves_no_argument_with_another_key(i):
    zyg.cache_clear()
    try:
        path = warmed(first, (2.0, DISTINCT[i]), (1.0, None))
    except zyg.ZygError:
        assert isinstance(DISTINCT[i], np.ma.MaskedArray)  # has no gradient, and so no path
        return
    assert path(first, (3.0, DISTINCT[i]), (0.5, None)) == (9.0, 3.0)
    for j, other in enumerate(DISTINCT):
        if j != i:
            assert path(first, (2.0, other), (1.0, None)) is None, (DISTINCT[i], other)


def scaled(x, w):
    return np.sin(x) * w


X, W = np.linspace(0.1, 0.9, 3), np.arange(3.0)
UNLIKE = [
    (1.0, W), (np.ones(2), W), (np.ones((3, 1)), W), (np.ones(3, np.float32), W),
    (np.ones(3, int), W), (np.ones(3, complex), W), ([1.0, 2.0, 3.0], W), (None, W), (X, None),
    (np.ones(3).view(np.recarray), W), (X,), (X, W, W),
]  # fmt: skip


@pytest.mark.parametrize("tangents", UNLIKE, ids=range(len(UNLIKE)))
def test_a_path_serves_no_tangent_of_another_kind(tangents):
    assert warmed(scaled, (X, W), (W, X))(scaled, (X, W), tangents) is None


@pytest.mark.parametrize("tangents", [(W, X), (W, None), (np.ones(3, int), X), (None, None)])
def test_later_calls_give_what_the_first_one_gave(tangents):
    zyg.cache_clear()
    y, y_dot = zyg.jvp(scaled, (X, W), tangents)
    for _ in range(TURNS):
        again, again_dot = zyg.jvp(scaled, [X, W], list(tangents))
        np.testing.assert_array_equal(again, y)
        np.testing.assert_array_equal(again_dot, y_dot)
        assert again_dot.dtype == y_dot.dtype


def test_tangents_that_cannot_be_are_refused_in_every_call():
    for _ in range(TURNS):
        zyg.jvp(scaled, (X, W), (W, X))
        with pytest.raises(TypeError, match="2 arguments and 1 tangents"):
            zyg.jvp(scaled, (X, W), (W,))
        with pytest.raises(Exception, match="shape"):
            zyg.jvp(scaled, (X, W), (np.ones(2), X))
    assert paths(scaled)


SHARING = {
    "the tangent itself": (lambda x: x, (X,), (W,)),
    "a view of it": (lambda x: x[1:], (X,), (W,)),
    "transposed": (lambda x: x.T, (np.ones((3, 2)),), (np.ones((3, 2)),)),
    "new": (lambda x: np.exp(x), (X,), (W,)),
    "two in a tuple": (lambda x: (x, x * 2.0), (X,), (W,)),
    "a number": (lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0)),
}


@pytest.mark.parametrize("name", SHARING)
def test_tangents_own_their_memory(name):
    f, primals, tangents = SHARING[name]
    for _ in range(TURNS):
        y, y_dot = zyg.jvp(f, primals, tangents)
        assert type(y) is type(y_dot)
        for part in y_dot if isinstance(y_dot, tuple) else (y_dot,):
            for other in (*primals, *tangents):
                assert not np.shares_memory(part, other)
    assert paths(f)


def test_functions_without_a_path():
    def collected(*xs):
        return xs[0] * xs[1]

    captured = [2.0]
    for _ in range(TURNS):
        assert zyg.jvp(collected, (2.0, 3.0), (1.0, 1.0)) == (6.0, 5.0)
        assert zyg.jvp(lambda p: p[0] * captured[0], ((2.0, 1.0),), ((1.0, 0.0),)) == (4.0, 2.0)
    assert not paths(collected)


def test_a_rule_that_is_added_later():
    def inner(x):
        return x * x

    def f(x):
        return inner(x)

    path = warmed(f, (3.0,), (1.0,))
    assert path(f, (3.0,), (1.0,)) == (9.0, 6.0)
    zyg.adjoint(inner)(lambda x: (x * x, lambda y_bar: 10.0 * y_bar))
    assert path(f, (3.0,), (1.0,)) is None
    assert zyg.jvp(f, (3.0,), (1.0,)) == (9.0, 10.0)


def test_errors_show_the_users_lines_only():
    def f(x, n):
        return x / n

    warmed(f, (1.0, 2.0), (1.0, 1.0))
    with pytest.raises(ZeroDivisionError) as caught:
        zyg.jvp(f, (1.0, 0.0), (1.0, 1.0))
    names = [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert names == ["test_errors_show_the_users_lines_only", "f"]
