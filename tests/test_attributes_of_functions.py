"""Attributes that programs give functions: counters, what was found last, memos."""

import functools
import time
import types

import numpy as np
import pytest

import zyg
from tests.scalar_checks import check_first, check_hvp

X = 1.3


def counted(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


def timed(f):
    @functools.wraps(f)
    def wrapper(*args):
        start = time.perf_counter()
        value = f(*args)
        wrapper.elapsed = time.perf_counter() - start
        return value

    return wrapper


def remembering_last(f):
    @functools.wraps(f)
    def wrapper(x):
        wrapper.last = f(x)
        return wrapper.last

    wrapper.last = 0.0
    return wrapper


def memoised(f):
    @functools.wraps(f)
    def wrapper(x, n):
        if n not in wrapper.memo:
            wrapper.memo[n] = f(x, n)
        return wrapper.memo[n]

    wrapper.memo = {}
    return wrapper


@counted
def cube(x):
    return x**3


@counted
def square(x):
    return x * x


@timed
def quartic(x):
    return x**4


@remembering_last
def sine(x):
    return np.sin(x)


def objective(x):
    objective.evaluations += 1
    return np.sum(x**2) * objective.scale


objective.evaluations, objective.scale = 0, 3.0


def kept(x):
    kept.last = x * x
    return kept.last * x


kept.last = 0.0


def power(x, n):
    if n not in power.memo:
        power.memo[n] = x**n
    return power.memo[n]


power.memo = {}


@memoised
def power_of(x, n):
    return x**n


def counts(x):
    return cube(x) * square(2 * x) + cube(x * x)


def times(x):
    return quartic(x) * 2


def remembers(x):
    return sine(x) * x + sine.last**2


def evaluates(x):
    return objective(x) + objective(np.array([x, x * x]))


def keeps(x):
    return kept(x) + kept.last


def memoises(x):
    power.memo = {}
    return power(x, 3) * power(x, 3) + power(x, 2)


def memoises_by_a_decorator(x):
    power_of.memo = {}
    return power_of(x, 3) * power_of(x, 3) + power_of(x, 2)


def asks(x):
    if not hasattr(asks, "state"):
        asks.state = x
    else:
        asks.state = asks.state * x
    found = getattr(asks, "state", 0.0) * getattr(asks, "absent", 2.0)
    del asks.state
    return found


PROGRAMS = [
    counts, times, evaluates, keeps, memoises, asks, remembers, memoises_by_a_decorator,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    # Of `asks` the second derivative is refused: what may be missing is found at run time.
    (check_first if f is asks else check_hvp)(f, X)


def test_calls_are_counted_once():
    cube.calls = square.calls = 0
    zyg.gradient(counts, X)
    assert (cube.calls, square.calls) == (2, 1)
    before = objective.evaluations
    zyg.gradient(evaluates, X)
    assert objective.evaluations == before + 2


def test_what_was_stored_is_left():
    zyg.gradient(keeps, X)
    assert kept.last == X * X
    zyg.gradient(times, X)
    assert quartic.elapsed > 0


def test_settings_are_read_in_each_call():
    def f(x):
        return objective(x)

    assert zyg.gradient(f, X) == (2 * X * objective.scale,)
    objective.scale = 5.0
    try:
        assert zyg.gradient(f, X) == (2 * X * 5.0,)
    finally:
        objective.scale = 3.0


def test_attributes_that_are_not_there():
    def f(x):
        return x * objective.absent

    with pytest.raises(AttributeError, match="absent"):
        zyg.gradient(f, X)


def test_the_attributes_of_functions_themselves():
    def f(x):
        f.__name__ = "other"
        return x

    with pytest.raises(zyg.UnsupportedSyntax):
        zyg.gradient(f, X)


settings = types.ModuleType("settings")


def scaled_by_settings(x):
    settings.scale = 2.0
    return x if settings.scale is None else x * settings.scale


def test_attributes_of_modules_that_are_stored_by_the_name_of_the_module():
    for _ in range(2):
        settings.scale = None
        assert zyg.gradient(scaled_by_settings, X) == (2.0,)


def storing(owner):
    def f(x):
        owner.last = x * x
        return owner.last * x

    return f


def test_functions_of_one_code_are_told_apart_where_their_attributes_are_stored():
    def made():
        def owner(x):
            return x

        return owner

    first, second = made(), made()
    for _ in range(8):
        assert np.isclose(zyg.gradient(lambda x, f: f(x), 2.0, storing(first))[0], 12.0)
        assert np.isclose(zyg.gradient(lambda x, f: f(x), 3.0, storing(second))[0], 27.0)
        assert (first.last, second.last) == (4.0, 9.0)
