"""Second derivatives of programs on objects of which little is known before they run."""

import math

import numpy as np
import pytest

import zyg
from tests import random_followed
from tests.random_checks import second_outcomes
from tests.random_followed import Holder


class Lazy:
    """Objects whose attributes are None at first."""

    def __init__(self):
        self.xs = self.w = self.v = None

    def push(self, x):
        if self.xs is None:
            self.xs = []
        self.xs.append(x * x)


def memory_that_is_made_later(x):
    lazy = Lazy()
    for i in range(3):
        lazy.push(x * i)
        if i == 1:
            lazy.v = x * lazy.xs[-1]
    lazy.xs[0] += x * x * x
    return (sum(lazy.xs) + (0.0 if lazy.v is None else lazy.v * lazy.v)) * x


def array_that_is_made_later(x):
    lazy = Lazy()
    for _ in range(3):
        if lazy.w is None:
            lazy.w = np.array([x, 2.0 * x])
        else:
            lazy.w[0] = lazy.w[1] * x * lazy.w[0]
    before = lazy.w
    lazy.w[1] *= x
    return np.sum(lazy.w * lazy.w) * before[1]


def read_before_it_is_changed(x):
    lazy = Lazy()
    for i in range(3):
        read = lazy.xs
        if i == 1:
            lazy.xs = [x, x * x]
        if i == 2:
            lazy.xs[0] *= x
            return read[0] * read[1]
    return x


class Counter:
    def __init__(self, x):
        self.total = x

    def add(self, x):
        self.total = self.total * x + x * x
        return self.total

    def __call__(self, x):
        return self.add(x * 0.5)


def one_of_several_functions(x):
    counter = Counter(x)

    def note(y):
        counter.total *= y
        return y

    functions = note, lambda y: counter.add(y) * x, counter, note
    calls = [call(x) for call in functions]
    return counter.total * calls[1] + calls[2]


def attributes_with_defaults(x):
    counter = Counter(x)
    for _ in range(3):
        counter.product = getattr(counter, "product", x) * counter.add(x)
    return counter.product + getattr(counter, "nothing", x * x)


def steps_of_iterators(x):
    counter = Counter(x)
    pairs = enumerate(reversed([x, x * x, 2.0]), 1)
    i, first = next(pairs)
    for k, y in pairs:
        counter.add(y * k)
    return counter.total * first * i


class Dual:
    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        if not isinstance(other, Dual | float | int):
            return NotImplemented
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(
            self.value * other.value, self.value * other.slope + self.slope * other.value
        )


def operators_that_may_decline(x):
    y = Dual(x, 1.0)
    for _ in range(3):
        y = 0.5 + y * Dual(x * x, x) + 1
    return y.slope * y.value


SHARED = Counter(1.0)


def object_in_a_global(x):
    SHARED.total = x
    SHARED.add(x)
    return SHARED(x * x) * x


BY_NAME = {"a": Counter(4.0)}


def captured(counter):
    return lambda x: counter.total * x * x


WEIGHTED = captured(Counter(1.5))


def objects_that_globals_lead_to(x):
    lazy = Lazy()
    lazy.push(x)
    lazy.push(x * x)
    return BY_NAME["a"].total * WEIGHTED(x) * lazy.xs[1]


PROGRAMS = [
    memory_that_is_made_later, array_that_is_made_later, read_before_it_is_changed,
    one_of_several_functions, attributes_with_defaults, steps_of_iterators,
    operators_that_may_decline, object_in_a_global, objects_that_globals_lead_to,
]


@pytest.mark.thorough
@pytest.mark.parametrize("f", PROGRAMS)
def test_each_mode_gives_the_second_derivative(f):
    assert list(second_outcomes(f)) == [True] * 3


def test_object_in_a_global_that_holds_something_else_meanwhile():
    def f(x):
        SHARED.total = SHARED.total * x * x
        return SHARED.total * 1.0

    def second(x):
        return zyg.gradient(lambda x: zyg.gradient(f, x)[0], x)[0]

    SHARED.total = 2.0
    assert second(3.0) == 4.0
    SHARED.total = np.float64(3.0)
    assert second(3.0) == 6.0
    SHARED.total = 5
    assert second(3.0) == 10.0


class Meter:
    """Adding is another function from the left than from the right."""

    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return self.x + 2 * other

    def __radd__(self, other):
        return 3 * other + self.x


def test_sum_of_objects_that_a_generator_gives():
    def meters(x):
        yield Meter(x)
        yield Meter(x * x)

    try:
        found = zyg.withgradient(lambda x: sum(meters(x)), 2.0)
    except zyg.NotDifferentiable:
        return  # nothing is known of the items
    assert found == (10.0, (7.0,))


# What arguments hold


def holders(values):
    """A number and two holders, of numbers in a row."""
    found = [values[0]]
    for at in (1, 8):
        holder = Holder(1.0)
        holder.xs, holder.d = [values[at], values[at + 1]], {"a": values[at + 2]}
        holder.w, holder.v = np.array(values[at + 3 : at + 6]), values[at + 6]
        found.append(holder)
    return tuple(found)


def numbers(gradients):
    """The gradients of these in the same order; what isn't there is zero."""
    found = [gradients[0] or 0.0]
    for held in gradients[1:]:
        held = held or {}
        found += [*held.get("xs", (0.0, 0.0)), held.get("d", {}).get("a") or 0.0]
        found += [*held.get("w", np.zeros(3)), held.get("v", 0.0)]
    return np.array(found, float)


def tangents(direction, like=None):
    """A direction as tangents, or as cotangents of what gradients hold (`like`)."""
    x, *held = holders(list(direction))
    parts = [{name: vars(one)[name] for name in ("xs", "d", "w", "v")} for one in held]
    if like is not None:
        parts = [
            {name: part[name] for name in part if name in (known or {})} or None
            for part, known in zip(parts, like[1:], strict=True)
        ]
    return x, *parts


POINT = np.array([
    1.3, 1.17, 1.37, 0.58, 1.01, 2.02, 0.53, 1.2, 0.73, 0.53, 0.36, 1.04, 2.05, 0.57, 0.7,
])


def check_given(seed):
    """Whether there are second derivatives, which are right, of a random function of holders."""
    f = random_followed.random_function(seed, is_given=True)

    def slopes(*args):
        return zyg.gradient(f, *args)

    def along(direction, step):
        before, after = (
            numbers(slopes(*holders(list(POINT + sign * step * direction)))) for sign in (-1, 1)
        )
        return (after - before) / (2.0 * step)

    direction = np.random.default_rng(seed).uniform(-1.0, 1.0, POINT.size)
    try:
        f(*holders(list(POINT)))
        expected, again = along(direction, 1e-6), along(direction, 3e-6)
    except (zyg.ZygError, ArithmeticError, LookupError, ValueError, TypeError):
        return None
    bound = 1e-4 * (1e-2 + np.max(np.abs(expected)))
    if np.max(np.abs(again - expected)) > bound:
        return None  # a kink is near
    try:
        _, dots = zyg.jvp(slopes, holders(list(POINT)), tangents(direction))
        found, back = zyg.pullback(slopes, *holders(list(POINT)))
    except zyg.ZygError:
        return False
    assert np.max(np.abs(numbers(dots) - expected)) < bound, seed
    whole = np.ones(POINT.size)
    kept = numbers(tangents(whole, found)) * direction
    bars = back(tangents(kept, found))
    assert np.max(np.abs(numbers(bars) - along(kept, 1e-6))) < bound, seed
    return True


def check_batch(seeds):
    found = [check_given(seed) for seed in seeds]
    assert found.count(True) > 2 * found.count(False)


@pytest.mark.thorough
@pytest.mark.one_version
def test_random_functions_of_holders():
    check_batch(range(20, 24))


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(30, 50, 10))
def test_more_random_functions_of_holders(start):
    check_batch(range(start, start + 10))


def test_memory_by_which_it_is_differentiated_and_that_an_object_holds():
    """The list is both an argument and what the object holds: two gradients would be of one."""

    def f(holder, xs, x):
        xs[0] = xs[1] * x
        return holder.xs[0] * math.sin(x)

    def second(x):
        holder = Holder(x)
        return zyg.gradient(f, holder, holder.xs, x)[2]

    with pytest.raises(zyg.ZygError):
        zyg.gradient(second, 1.3)
