"""Functions that remember their values, which are lowered to tables: as often as Python calls
them, and no more is remembered than Python does."""

import functools
import itertools

import pytest

import zyg
from tests.round_trip import rebuilt


def counted(n):
    calls = []

    @functools.cache
    def power(k):
        "What is counted."
        calls.append(k)
        return n**k

    return power(2) + power(3) + power(2), calls


def renamed(n):
    @functools.lru_cache
    def total(k):
        rest = k
        while k > 0:
            k -= 1
            rest += k
        return rest * n

    return [total(3), total(0), total(3)]


def lost_in_the_end(n):
    @functools.cache
    def power(k):
        try:
            return n**k
        finally:
            if k == 3:
                raise KeyError(k)

    found = []
    for k in (2, 3, 3, 2):
        try:
            found.append(power(k))
        except KeyError:
            found.append(None)
    return found


def of_few(n):
    calls = []

    @functools.lru_cache(maxsize=1)
    def power(k):
        calls.append(k)
        return n**k

    return power(2) + power(3) + power(2), calls


@pytest.mark.parametrize("f", [counted, renamed, lost_in_the_end, of_few], ids=lambda f: f.__name__)
def test_it_is_called_as_by_python(f):
    assert rebuilt(f)(3) == f(3)


def deep(x, n):
    @functools.cache
    def term(k):
        return x if k < 2 else term(k - 1) * 0.5 + term(k - 2) * 0.6

    return term(n)


def can_come(depth):
    try:
        deep(1.3, depth)
    except RecursionError:
        return False
    return True


def test_a_gradient_comes_as_deep_as_python_does():
    """A frame for each call, as Python has: it reaches nine tenths of the depth at least."""
    depth = next(n for n in itertools.count(100, 20) if not can_come(n))
    zyg.gradient(deep, 1.3, int(0.9 * (depth - 20)))


def test_another_function_under_the_name_of_the_decorator_is_refused(monkeypatch):
    zyg.gradient(deep, 1.3, 5)
    monkeypatch.setattr(functools, "cache", lambda f: f)
    with pytest.raises(zyg.ZygError, match="given to something else"):
        zyg.gradient(deep, 1.3, 5)


@functools.cache
def square(x):
    return x * x


def counted_calls(x):
    square.cache_clear()
    y = square(x) + square(x) + square(x + 1)
    return y * square.cache_info().hits + square.cache_info().currsize


def test_counts_of_a_cache_are_those_of_plain_calls():
    y = counted_calls(3.0)
    assert zyg.withgradient(counted_calls, 3.0) == (y, (20.0,))
    assert zyg.jvp(counted_calls, (3.0,), (1.0,)) == (y, 20.0)


def test_counts_of_differentiated_and_plain_calls_are_refused():
    square.cache_clear()
    square(2.0)
    with pytest.raises(zyg.NotDifferentiable, match="`cache_info` of square, of which some calls"):
        zyg.gradient(lambda x: square(x) + square.cache_info().hits, 3.0)
