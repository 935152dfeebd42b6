"""Functions that only read a variable which other ones change: each is told, however it is reached.

Every program gets functions of its own, so that nothing is known of their variables before.
"""

import sys

import numpy as np
import pytest

import zyg
from zyg.errors import NotDifferentiable, UnsupportedSyntax

X = 1.3


def functions():
    is_set, count, last, scale, log = False, 0, 0.0, 1.0, []

    def turn_on():
        nonlocal is_set
        is_set = True

    def is_on():
        return is_set

    def step():
        nonlocal count
        count += 1

    def steps():
        return count

    def put(value):
        nonlocal last
        last = value

    def look():
        return last

    def double():
        nonlocal scale
        scale = scale * 2

    def scaled(x):
        return scale * x

    def note(value):
        log.append(value)

    def total():
        return sum(log)

    def yields():
        yield last
        yield 2 * last

    class Reader:
        def read(self):
            return last

    def forget():
        nonlocal is_set, count, last, scale
        is_set, count, last, scale = False, 0, 0.0, 1.0
        log.clear()

    return (
        turn_on, is_on, step, steps, put, look, double, scaled, note, total, yields, Reader,
        forget,
    )


@pytest.fixture(autouse=True)
def fresh():
    global turn_on, is_on, step, steps, put, look, double, scaled, note, total, yields, Reader
    global forget, LISTED, HELD
    (
        turn_on, is_on, step, steps, put, look, double, scaled, note, total, yields, Reader,
        forget,
    ) = functions()
    LISTED, HELD = [look, total, is_on], Holder(look)


class Holder:
    def __init__(self, f):
        self.f = f


def apply(f, *args):
    return f(*args)


def flag(x):
    turn_on()
    return x * 2 if is_on() else x


def counter(x):
    total = 0.0
    for _ in range(3):
        step()
        total = total + x * steps()
    return total


def number(x):
    put(x * x)
    return look() * x


def factor(x):
    before = apply(scaled, x)
    double()
    return before + apply(scaled, x)


def memory(x):
    note(x)
    note(x * x)
    return total()


def of_an_object(x):
    holder = Holder(look)
    put(x * x)
    return holder.f() * x


def of_a_global_object(x):
    put(x * x)
    return HELD.f() * x


def of_a_list(x):
    put(x * x)
    note(x)
    turn_on()
    return LISTED[0]() * x + LISTED[1]() + (x if LISTED[2]() else 0.0)


NAME = "look"


def by_name(x):
    put(x * x)
    return getattr(sys.modules[__name__], NAME)() * x


def of_a_generator(x):
    put(x * x)
    return sum(yields())


def of_a_class(x):
    put(x * x)
    return Reader().read() * x


def of_a_branch(x):
    put(x * x)
    f = look if x > 0 else lambda: 0.0
    return f() * x


def mapped(x):
    double()
    return sum(map(scaled, [1.0, x]))


PROGRAMS = [
    flag, counter, number, factor, memory, of_an_object, of_a_global_object, of_a_list, by_name,
    of_a_generator, of_a_class, of_a_branch, mapped,
]


def with_a_flag(x, read):
    turn_on()
    return x * 2 if read() else x


def with_a_number(x, read):
    put(x * x)
    return read() * x


def with_memory(x, read):
    note(x)
    note(x * x)
    return read()


GIVEN = [(with_a_flag, "is_on"), (with_a_number, "look"), (with_memory, "total")]


def fresh_call(f, *args):
    forget()
    return f(*args)


def check(f, *args):
    slope = (fresh_call(f, X + 1e-6, *args) - fresh_call(f, X - 1e-6, *args)) / 2e-6
    assert np.isclose(fresh_call(zyg.gradient, f, X, *args)[0], slope)
    assert np.isclose(fresh_call(zyg.gradient, f, X, *args)[0], slope)
    along = fresh_call(zyg.jvp, f, (X, *args), (1.0, *(None for _ in args)))
    assert np.isclose(along[1], slope)


def read_alone():
    """Code for the readers that knows of no change."""
    zyg.gradient(lambda x: x * 2 if is_on() else x * steps() + look() * scaled(x) + total(), X)


@pytest.mark.parametrize("is_read_before", [False, True])
@pytest.mark.parametrize("f", PROGRAMS)
def test_called_by_name(f, is_read_before):
    if is_read_before:
        read_alone()
    check(f)


@pytest.mark.parametrize("is_read_before", [False, True])
@pytest.mark.parametrize(("f", "name"), GIVEN)
def test_given_as_an_argument(f, name, is_read_before):
    if is_read_before:
        read_alone()
    check(f, globals()[name])


@pytest.mark.parametrize(("f", "name"), GIVEN[:2])
def test_captured(f, name):
    read = globals()[name]
    check(lambda x: f(x, read))


def test_another_function_of_the_same_code():
    other = functions()
    check(with_a_number, look)

    def unchanged(x, read):
        put(x * x)
        return read() * x

    assert fresh_call(zyg.gradient, unchanged, X, other[5])[0] == 0.0
    check(unchanged, look)


def test_taken_out_of_a_list():
    changes = [turn_on, put]

    def f(x):
        changes[0]()
        return x * 2 if is_on() else x

    def g(x):
        changes[1](x * x)
        return look() * x

    check(f)
    check(g)


def test_found_at_run_time_for_the_first_time():
    LISTED.append(put)

    def f(x):
        LISTED[int(x) + 2](x * x)
        return look() * x

    with pytest.raises((NotDifferentiable, UnsupportedSyntax)):
        fresh_call(zyg.gradient, f, X)


GLOBAL = 0.0


class Shared:
    value = 0.0


def put_global(value):
    global GLOBAL
    GLOBAL = value


def summed_global():
    total = 0.0
    for _ in range(2):
        total = total + GLOBAL
    return total


def put_in_class(value):
    Shared.value = value


def in_class():
    return Shared.value


STORE = READ = DERIVATIVE = None


def derived_inside(x):
    STORE(x * x)
    return DERIVATIVE(lambda y: READ() * y, x) * x


INNER = [
    lambda f, x: zyg.gradient(f, x)[0],
    lambda f, x: zyg.jvp(f, (x,), (1.0,))[1],
    lambda f, x: zyg.pullback(f, x)[1](1.0)[0],
    lambda f, x: zyg.withgradient(f, x)[1][0],
    lambda f, x: zyg.grad(f)(x),
    lambda f, x: zyg.hvp(lambda y: f(y) * y, x, 1.0) / 2,
]


@pytest.mark.parametrize("place", range(len(INNER)))
@pytest.mark.parametrize("names", ["put look", "put_global summed_global", "put_in_class in_class"])
def test_derivatives_inside_are_right_or_refused(monkeypatch, names, place):
    found = dict(zip(("STORE", "READ"), names.split(), strict=True))
    for name, function in found.items():  # what programs change is followed by global names
        monkeypatch.setitem(globals(), name, globals()[function])
    monkeypatch.setitem(globals(), "DERIVATIVE", INNER[place])
    is_refused = place in (2, 5)  # by `pullback`, which `hvp` calls, too
    factor = 6 if found["READ"] == "summed_global" else 3
    for derivative in (
        lambda: zyg.gradient(derived_inside, X)[0], lambda: zyg.jvp(derived_inside, (X,), (1.0,))[1]
    ):
        if is_refused:
            with pytest.raises((NotDifferentiable, UnsupportedSyntax)):
                derivative()
        else:
            assert np.isclose(derivative(), factor * X**2)
