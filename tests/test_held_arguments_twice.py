"""Second derivatives by memory whose contents objects may stand for when a gradient begins."""

import copy

import numpy as np
import pytest

import zyg
from tests import differences
from tests.differences import floats


def chosen_array(a, b, x):
    chosen = a if x > 1.0 else b
    chosen[0] = x * x
    chosen *= 1.5
    return np.sum(a * a * b)


def buckets(xs, x):
    small, large = [], []
    for y in xs:
        bucket = small if y < x else large
        bucket.append(y * y * x)
    return sum(small) + 2.0 * sum(large) * small[0]


def history(a, x):
    past = []
    for i in range(3):
        a *= a + i * x
        past.append(a)
    return np.sum(past[0] * past[2])


def list_or_other(xs, ys, x):
    chosen = xs if x > 1.0 else ys
    chosen.append(x * chosen[0])
    chosen[0] = chosen[1] * x
    return xs[0] * xs[-1] * ys[0] + sum(ys) ** 2


def dict_or_other(p, q, x):
    chosen = p if x > 1.0 else q
    chosen["a"] = x * chosen["b"]
    other = chosen
    other["b"] *= chosen["a"]
    return p["a"] * q["b"] ** 2 * p["b"]


def read_before(a, b, x):
    start = np.sum(a**3)
    chosen = a if x > 1.0 else b
    chosen += x * b
    return start * np.sum(a * b)


ARGUMENTS = {
    chosen_array: (np.array([1.0, 2.0]), np.array([3.0, 4.0]), 1.5),
    buckets: ([0.5, 2.0, 1.0, 3.0], 1.5),
    history: (np.array([0.8, 0.7]), 0.3),
    list_or_other: ([1.0, 2.0], [0.5, 3.0], 1.5),
    dict_or_other: ({"a": 1.0, "b": 2.0}, {"a": 0.5, "b": 3.0}, 1.5),
    read_before: (np.array([1.0, 2.0]), np.array([3.0, 4.0]), 1.5),
}
CASES = [
    (f, args if which else (*args[:-1], 0.75)) for f, args in ARGUMENTS.items()
    for which in (True, False)
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradient_of_a_gradient(f, args):
    differences.check_gradient(lambda *args: zyg.gradient(f, *args), args, zyg.pullback)


@pytest.mark.parametrize(("f", "args"), CASES)
def test_forward_mode_gives_the_same(f, args):
    def slopes(*args):
        return zyg.gradient(f, *args)

    ones = differences.with_floats(args, np.ones(floats(args).size))
    y, back = zyg.pullback(slopes, *copy.deepcopy(args))
    seed = differences.seed_like(y, np.random.default_rng(0))
    bars = back(copy.deepcopy(seed))
    _, dots = zyg.jvp(slopes, copy.deepcopy(args), ones)
    assert floats(dots) @ floats(seed) == pytest.approx(np.sum(floats(bars)))


def test_what_the_caller_does_before_and_behind():
    def slopes(a, b, x):
        a = a * x
        before = a
        a[1] = a[0] * x
        first, second, third = zyg.gradient(chosen_array, a, b, x)
        return np.sum(first * before) * third + np.sum(second**2) * b[0]

    def by_copies(a, b, x):
        a = a * x
        a[1] = a[0] * x
        first, second, third = zyg.gradient(chosen_array, a.copy(), b.copy(), x)
        after = a * 1.0
        after[0] = x * x
        after = after * 1.5
        return np.sum(first * after) * third + np.sum(second**2) * b[0]

    args = ARGUMENTS[chosen_array]
    found = zyg.gradient(slopes, *copy.deepcopy(args))
    expected = zyg.gradient(by_copies, *copy.deepcopy(args))
    assert floats(found) == pytest.approx(floats(expected))


def test_memory_that_is_given_twice():
    def twice(a, x):
        return np.sum(zyg.gradient(chosen_array, a, a, x)[0])

    with pytest.raises(zyg.ZygError):
        zyg.gradient(twice, np.array([1.0, 2.0]), 1.5)
