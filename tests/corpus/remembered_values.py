"""Functions and methods that remember their values."""

import functools
from functools import cache, lru_cache

import numpy as np

from tests.corpus.registry import program


class Series:
    def __init__(self, x):
        self.x = x
        self.memo = {}

    @functools.lru_cache(maxsize=None)
    def term(self, n):
        return self.x if n < 2 else self.term(n - 1) * 0.5 + self.term(n - 2) * self.x

    @functools.lru_cache(maxsize=None)
    def square(self):
        return self.x**2

    @functools.lru_cache(maxsize=None)
    def scaled(self, t):
        return self.x * t

    @functools.lru_cache(maxsize=None)
    def pair(self, t):
        return np.array([self.x * t, t])

    def kept(self, n):
        if n in self.memo:
            return self.memo[n]
        value = self.x if n < 2 else self.kept(n - 1) * 0.5 + self.kept(n - 2) * self.x
        self.memo[n] = value
        return value


@program((1.3, 40))
def recursion_in_many_ways(x, n):
    @cache
    def term(n):
        return x if n < 2 else term(n - 1) * 0.5 + term(n - 2) * 0.6

    return term(n)


@functools.lru_cache(maxsize=None)
def term_of(n, x):
    return x if n < 2 else term_of(n - 1, x) * 0.5 + term_of(n - 2, x) * 0.6


@program((1.3, 40))
def recursion_of_a_number_in_many_ways(x, n):
    term_of.cache_clear()
    return term_of(n, x)


@program((1.3,))
def method_that_remembers(x):
    return Series(x).term(30)


@program((1.3,))
def method_with_a_table(x):
    return Series(x).kept(12)


@program((1.5,))
def object_that_changes_behind(x):
    series = Series(x)
    first = series.square()
    series.x = x * 3
    return first * series.square()


@program((1.5,))
def object_that_changes_behind_a_call_with_a_number(x):
    series = Series(x)
    first, pair = series.scaled(x), series.pair(x)
    series.x = x * 3
    return first * series.scaled(x) + np.sum(pair * series.pair(x))


class Holder:
    pass


@program((1.5,))
def array_that_an_object_keeps(x):
    series, holder = Series(x), Holder()
    holder.pair = series.pair(x)
    series.x = x * 3
    return np.sum(holder.pair * series.pair(x) * series.pair(x * 1.0))


@program((1.5,))
def number_that_is_not_used_at_first(x):
    series = Series(x)
    series.scaled(x)
    series.x = x * 3
    return series.scaled(x) * x


@program((1.5,))
def captured_object_that_changes_behind(x):
    series = Series(x)

    @cache
    def power(n):
        return series.x**n

    first = power(2)
    series.x = x * 3
    return first * power(2) + power(3)


@program((1.5,))
def value_that_is_not_used_at_first(x):
    series = Series(x)
    series.square()
    series.x = x * 3
    return series.square() * x


@functools.lru_cache(maxsize=None)
def times_square(t, series):
    return t * series.square()


@program((1.5,))
def remembered_in_what_is_remembered(x):
    series = Series(x)
    first = series.square()
    return times_square(x, series) * times_square(x, series) * times_square(x, series) + first


@program((0.7, 0.9), (0.7, 0.7))
def equal_numbers(x, y):
    @lru_cache(maxsize=None)
    def square(t):
        return t * t

    return square(x) * square(y) * square(x)


@program((0.7,))
def defaults_and_keywords(x):
    @lru_cache
    def power(n, p=2, *, q=1):
        return x**n * p * q

    return power(2) + power(2, 3) + power(2, q=4) + power(n=2)


@program((0.7,))
def made_in_a_loop(x):
    total = 0.0
    for i in range(3):
        @cache
        def power(n, scale=i + 1):
            return x**n * scale

        total = total + power(2) * power(2)
    return total


@program((0.7,))
def handed_on(x):
    @cache
    def power(n):
        return x**n

    return sum(map(power, [1, 2, 3, 2])) * functools.reduce(lambda a, n: a + power(n), [2, 3], x)


@program((0.7,))
def asked_for_its_cache(x):
    @cache
    def power(n):
        return x**n

    first = power(2)
    power.cache_clear()
    return first * power(2) + power.cache_info().hits


@program((0.7,))
def list_that_is_remembered(x):
    @cache
    def row(n):
        return [x * n, x**n]

    first, second = row(2), row(2)
    second[0] = 5.0
    return first[0] * first[1] * x


@program((np.array([0.3, 0.7, -0.2]),))
def arrays_that_are_remembered(x):
    @cache
    def state(t):
        if t == 0:
            return x * 1.0
        return np.tanh(state(t - 1)) * np.roll(state(t - 1), 1)

    return np.sum(state(6))


@program((1.3,))
def called_as_often_as_it_should(x):
    calls = []

    @cache
    def power(n):
        calls.append(n)
        return x**n

    total = power(2) * power(3) + power(2)
    return total * len(calls)


@program((1.3, 12))
def table_of_an_outer_function(x, n):
    memo = {}

    def term(n):
        if n not in memo:
            memo[n] = x if n < 2 else term(n - 1) * 0.5 + term(n - 2) * x
        return memo[n]

    return term(n)


@program((1.3, 12))
def list_of_an_outer_function(x, n):
    memo = [None] * (n + 1)

    def term(n):
        if memo[n] is None:
            memo[n] = x if n < 2 else term(n - 1) * 0.5 + term(n - 2) * x
        return memo[n]

    return term(n)


@program((np.array([0.3, 0.7, -0.2]), 5))
def table_of_arrays(x, n):
    memo = {0: x * 1.0}

    def state(t):
        if t not in memo:
            memo[t] = np.tanh(state(t - 1)) * np.roll(state(t - 1), 1)
        return memo[t]

    return np.sum(state(n)) + np.sum(state(2))


@program((1.3, 0.7), (0.4, 2.0))
def cleared_in_between(x, y):
    factors = [x]

    @lru_cache(maxsize=2)
    def scaled(n):
        return factors[0] * n

    total = scaled(1) + scaled(2)
    factors[0] = y
    total = total * scaled(1) + scaled(3)
    scaled.cache_clear()
    return total + scaled(2) * scaled(1)
