"""Functions that have captured memory which an object holds, and changes before they are called."""

import functools

import numpy as np
import pytest

import zyg
from tests.random_checks import POINT, is_followed


class Holder:
    pass


def held(x):
    holder = Holder()
    holder.a = np.array([x, x * x])
    return holder


def of_an_array(x):
    q = held(x)
    a = q.a
    look = lambda s: a[0] * s
    q.a[0] = x**3
    return look(x)


def of_a_list(x):
    q = held(x)
    w = [q.a]

    def look(s):
        return np.sum(w[-1]) * s

    np.multiply(q.a, 0.7, out=q.a)
    return look(x) + q.a[0]


def of_a_dict(x):
    q = held(x)
    u = {"a": q.a}
    look = lambda s: u["a"][0] * s
    q.a *= x
    return look(x)


def of_a_tuple(x):
    q = held(x)
    t = (q.a, x)
    look = lambda s: t[0][0] * s
    q.a[0] = x**3
    return look(x)


def of_a_list_of_numbers(x):
    q = Holder()
    q.a = [x, x * x]
    w = [q.a]
    look = lambda s: w[0][0] * s
    q.a[0] = x**3
    return look(x)


def by_a_default(x):
    q = held(x)

    def look(s, a=q.a, *, rows=(q.a,)):
        return a[0] * s + rows[0][1]

    q.a[:] = q.a * x
    return look(x)


def in_a_list(x):
    q = held(x)
    w = [q.a]
    looks = [lambda s: w[0][0] * s, lambda s: w[0][1] * s]
    q.a[0] = x**3
    return looks[0](x) * looks[1](x)


def in_an_attribute(x):
    q = held(x)
    w = [q.a]
    q.look = lambda s: w[0][0] * s
    q.a[0] = x**3
    return q.look(x)


def from_a_call(x):
    q = held(x)

    def made(rows):
        return lambda s: rows[0][0] * s

    look = made([q.a])
    q.a[0] = x**3
    return look(x)


def given_to_a_call(x):
    q = held(x)
    w = [q.a]

    def changed_and_called(f, s):
        q.a[0] = x**3
        return f(s)

    return changed_and_called(lambda s: w[0][0] * s, x)


def in_another_one(x):
    q = held(x)
    w = [q.a]
    inner = lambda s: w[0][0] * s
    outer = lambda s: inner(s) * s
    q.a[0] = x**3
    return outer(x)


def in_a_loop(x):
    q = held(x)
    w = [q.a]
    look = lambda s: w[0][0] * s
    total = 0.0
    for _ in range(3):
        total = total + look(x)
        q.a[0] = q.a[0] * x
    return total


def in_a_partial(x):
    q = held(x)
    w = [q.a]
    look = functools.partial(lambda rows, s: rows[0][0] * s, w)
    q.a[0] = x**3
    return look(x)


def with_keywords_in_a_partial(x):
    q = held(x)
    look = functools.partial(lambda s, row: row[0] * s, row=q.a)
    q.a[0] = x**3
    return look(x)


def remembered(x):
    q = held(x)
    w = [q.a]

    @functools.lru_cache
    def look(i):
        return w[0][i]

    q.a[0] = x**3
    return look(0) * look(1)


def mapped(x):
    q = held(x)
    w = [q.a]
    look = lambda s: w[0][0] * s
    q.a[0] = x**3
    return sum(map(look, [x, 2.0])) + functools.reduce(lambda s, t: s * look(t), [x, 1.0])


def of_one_of_two(x):
    q = held(x)
    w, v = [q.a], [q.a, q.a]
    look = (lambda s: w[0][0] * s) if x > 1.0 else (lambda s: v[1][1] * s)
    q.a[0] = x**3
    return look(x)


def read_with_the_keys_of_a_table(x):
    q = held(x)
    look = lambda s: q.a[0] * s
    names = {look: x}
    q.a[0] = x**3
    return look(x) * names[look]


def of_a_gradient(x):
    q = held(x)
    w = [q.a]
    q.a[0] = x**3
    return zyg.gradient(lambda s: np.sum(w[0] * s * s), x)[0]


def of_a_gradient_by_a_name(x):
    q = held(x)
    w = [q.a]
    look = lambda s: np.sum(w[0] * s * s)
    q.a[0] = x**3
    return zyg.gradient(look, x)[0]


def of_a_checkpointed_call(x):
    q = held(x)
    w = [q.a]
    q.a[0] = x**3
    return zyg.checkpointed(lambda s: np.sum(w[0] * s * s), x)


PROGRAMS = [
    of_an_array, of_a_list, of_a_dict, of_a_tuple, of_a_list_of_numbers, by_a_default, in_a_list,
    in_an_attribute, from_a_call, given_to_a_call, in_another_one, in_a_loop, in_a_partial,
    with_keywords_in_a_partial, remembered, mapped, of_one_of_two, read_with_the_keys_of_a_table,
    of_a_gradient, of_a_gradient_by_a_name, of_a_checkpointed_call,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_was_captured_is_read_as_it_is(program):
    assert is_followed(program)


def that_call_themselves(x):
    q = held(x)
    w = [q.a]

    def even(n):
        return w[0][0] if n == 0 else odd(n - 1) * x

    def odd(n):
        return w[0][1] if n == 0 else even(n - 1) * x

    looks = [even, odd]
    q.a[0] = x**3
    return looks[int(x)](2) + looks[0](2)


def made_to_call_itself(rows):
    def look(n):
        return rows[0][0] if n == 0 else look(n - 1) * 2.0

    return look


SHARED = Holder()
SHARED.a = np.array([1.0, 2.0])
SHARED.xs = [1.0, 2.0]
MADE_BEFORE = made_to_call_itself([SHARED.a])


def look_at_numbers(n, xs=SHARED.xs):
    return xs[n]


def called_by_its_name(x):
    SHARED.a[0] = x**3
    return MADE_BEFORE(2)


def with_a_default(x):
    SHARED.xs[0] = x**3
    return look_at_numbers(0) * x


def given_as_an_argument(x, look=MADE_BEFORE):
    SHARED.a[0] = x**3
    return sum(map(look, [1, 2]))


@pytest.mark.parametrize("program", [that_call_themselves, given_as_an_argument])
def test_functions_that_call_themselves(program):
    assert is_followed(program)


@pytest.mark.parametrize("program", [called_by_its_name, with_a_default])
def test_functions_that_were_made_before_the_program_are_refused(program):
    with pytest.raises(zyg.NotDifferentiable, match="has captured what an object holds"):
        zyg.gradient(program, 1.3)
    with pytest.raises(zyg.NotDifferentiable, match="has captured what an object holds"):
        zyg.jvp(program, (1.3,), (1.0,))


def slope(f):
    return lambda y: zyg.gradient(f, y)[0]


def tangent(f):
    return lambda y: zyg.jvp(f, (y,), (1.0,))[1]


@pytest.mark.thorough
@pytest.mark.parametrize("outer", [slope, tangent])
@pytest.mark.parametrize("inner", [slope, tangent])
@pytest.mark.parametrize("program", PROGRAMS)
def test_second_derivative(program, inner, outer):
    step = 1e-4
    values = [program(POINT + k * step) for k in (-1, 0, 1)]
    expected = (values[0] - 2.0 * values[1] + values[2]) / step**2
    try:
        found = outer(inner(program))(POINT)
    except zyg.ZygError:
        assert program.__name__ in REFUSED_TWICE
        return
    assert program.__name__ not in REFUSED_TWICE
    assert found == pytest.approx(expected, rel=1e-4)


REFUSED_TWICE = {
    "of_one_of_two", "of_a_checkpointed_call",
}
