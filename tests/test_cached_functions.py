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


def least_recently_used(n):
    calls = []

    @functools.lru_cache(maxsize=2)
    def power(k):
        calls.append(k)
        return n**k

    found = [power(k) for k in (1, 2, 1, 3, 1, 2, 3, 3, 2, 1)]
    return found, calls


def recursion_in_few(n):
    calls = []

    @functools.lru_cache(2)
    def term(k):
        calls.append(k)
        return n if k < 2 else term(k - 1) + term(k - 2)

    return term(6), term(5), calls


def stored_by_what_it_calls(n):
    calls = []

    @functools.lru_cache(maxsize=1)
    def once(k):
        calls.append(k)
        if len(calls) < 3:
            return once(k) + len(calls)
        return n

    return once(1), once(1), once(2), once(1), calls


def cleared(n):
    calls = []

    @functools.cache
    def power(k):
        calls.append(k)
        return n**k

    def again(k):
        nothing = power.cache_clear()
        return power(k), nothing

    return power(2), again(2), power(2), power.__wrapped__(2), power(2), calls


def cleared_by_another_of_its_name(n):
    calls = []

    @functools.lru_cache(maxsize=3)
    def power(k):
        calls.append(k)
        return n**k

    def other(power):
        power.cache_clear()
        return power(2)

    return power(2), other(power), power(2), calls


AS_BY_PYTHON = [
    counted, renamed, lost_in_the_end, of_few, least_recently_used, recursion_in_few,
    stored_by_what_it_calls, cleared, cleared_by_another_of_its_name,
]


@pytest.mark.parametrize("f", AS_BY_PYTHON, ids=lambda f: f.__name__)
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


@functools.cache
def pair(x, y):
    return x * y, x**2 * y


@functools.cache
def of_a_tuple(p):
    return p[0] ** 2 * p[1] ** 3


@functools.cache
def term(n, x, y=1.5):
    return x * y if n < 2 else term(n - 1, x, y) * 0.5 + term(n - 2, x, y) * x


@functools.cache
def cube_or_none(x):
    return None if x < 0 else x**3


factor = 2.0


@functools.cache
def times_factor(x):
    return x**3 * factor


def of_pairs(x):
    return pair(x, x * 1.0)[0] * pair(x, x * 1.0)[1]


def of_tuples(x):
    return of_a_tuple((x, x * x)) * of_a_tuple((x * x, x))


def of_recursions(x):
    """Two raised to the sixtieth calls, were nothing remembered."""
    return term(60, x * 0.5, x) + term(n=4, x=x, y=x * 2)


def of_cubes(x):
    return cube_or_none(x) * (1.0 if cube_or_none(-1) is None else 3.0)


def of_what_a_global_is_when_it_is_computed(x):
    global factor
    times_factor.cache_clear()
    factor = 2.0
    first = times_factor(x)
    factor = 5.0
    second = times_factor(x)
    times_factor.cache_clear()
    third = times_factor(x)
    factor = 2.0
    return first * second * third


class Held:
    def __init__(self, x):
        self.x = x


def beside_objects(x):
    held = Held(x)
    held.x = held.x * 2
    return term(3, held.x) * held.x


def handed_to_others(x):
    total = sum(map(times_factor, [x, x * 2, x])) + sorted([x * 3, x], key=times_factor)[0] ** 3
    return total * functools.reduce(lambda a, n: a + times_factor(x * n), [2, 3], x)


OF_A_NUMBER = [
    of_pairs, of_tuples, of_recursions, of_cubes, of_what_a_global_is_when_it_is_computed,
    beside_objects, handed_to_others,
]


def backwards(f):
    return lambda x: zyg.gradient(f, x)[0]


def forwards(f):
    return lambda x: zyg.jvp(f, (x,), (1.0,))[1]


@pytest.mark.parametrize("inner", [backwards, forwards])
@pytest.mark.parametrize("outer", [backwards, forwards])
@pytest.mark.parametrize("f", OF_A_NUMBER, ids=lambda f: f.__name__)
def test_second_derivatives(f, outer, inner):
    step, x = 1e-5, 1.3
    slope = inner(f)
    expected = (slope(x + step) - slope(x - step)) / (2 * step)
    assert outer(slope)(x) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("f", OF_A_NUMBER, ids=lambda f: f.__name__)
def test_values_and_slopes(f):
    step, x = 1e-5, 1.3

    def plain(x):
        for cached in (pair, of_a_tuple, term, cube_or_none, times_factor):
            cached.cache_clear()
        return f(x)

    y, (slope,) = zyg.withgradient(f, x)
    assert y == pytest.approx(plain(x), rel=1e-14)
    assert slope == pytest.approx((plain(x + step) - plain(x - step)) / (2 * step), rel=1e-7)
    assert zyg.jvp(f, (x,), (1.0,)) == pytest.approx((y, slope), rel=1e-13)


@functools.cache
def printed(n, x):
    print(n)
    return x if n == 0 else printed(n - 1, x) * x


def test_second_derivatives_compute_each_value_once(capsys):
    backwards(backwards(lambda x: printed(3, x) * printed(3, x)))(2.0)
    assert capsys.readouterr().out == "3\n2\n1\n0\n"
