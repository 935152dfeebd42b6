"""Rules, seeds and hooks may give whole numbers as cotangents: what is added to them isn't cut."""

import numpy as np
import pytest

import zyg
from tests.fuzz.check import check
from tests.fuzz.program import Program

X = np.array([1.0, 2.0, 3.0])


def positive_part(x):
    return np.maximum(x, 0).sum()


@zyg.adjoint(positive_part)
def _(x):
    return positive_part(x), lambda y_bar: (x > 0).astype(int)


def rounded(x):
    return round(x)


@zyg.adjoint(rounded)
def _(x):
    return rounded(x), lambda y_bar: y_bar


def stored_before(x):
    y = x * 1.0
    y[0] = y[0] * 0.5
    return positive_part(y)


def stored_in_a_loop(x):
    y = x * 1.0
    for i in range(1):
        y[i] = y[i] * 0.5
    return positive_part(y)


def stored_through_a_list(x):
    ys = [x * 1.0]
    ys[0][:1] *= 0.5
    return positive_part(ys[0])


class Holder:
    def __init__(self, values):
        self.values = values


def stored_through_an_object(x):
    holder = Holder(x * 1.0)
    holder.values[0] = holder.values[0] * 0.5
    return positive_part(holder.values)


def by_an_unknown_call(x):
    y = x * 1.0
    y[0] *= 0.5
    return [positive_part, len][int(x[0] > 100)](y)


def number_of_an_unknown_call(x):
    total = [np.sum, len][int(x[0] > 100)](x * 1.0)
    return [positive_part, len][int(x[0] > 100)](total) - 0.5 * x[0]


def read_elsewhere(x):
    y = x * 1.0
    return positive_part(y) - 0.5 * y[0]


@pytest.mark.parametrize("f", [
    stored_before, stored_in_a_loop, stored_through_a_list, stored_through_an_object,
    by_an_unknown_call, number_of_an_unknown_call, read_elsewhere,
], ids=lambda f: f.__name__)
def test_rules_that_give_whole_numbers(f):
    for differentiate in (zyg.gradient, lambda f, x: zyg.pullback(f, x)[1](1.0)):
        (x_bar,) = differentiate(f, X)
        assert x_bar.tolist() == [0.5, 1.0, 1.0]


# Rules give integers for integers. The attribute is never read: its cotangent is the zero of one.
UNREAD_ATTRIBUTE = """
class Holder:
    def __init__(self, u):
        self.u = u

def program(a, b, c):
    x = np.array([a], dtype=float)
    x[:] -= times(x, x)
    Holder(add(x.sum(), 1))
    return mul(a, 3)
"""


def test_zeros_of_integers():
    assert check(Program(UNREAD_ATTRIBUTE, ((2, 3, 5),))) is None


def test_integers_stay_exact():
    big = 2**62 + 1
    (bar,) = zyg.pullback(rounded, big)[1](big)
    assert bar == big and type(bar) is int


def total_and_first(x):
    y = x * 1.0
    return 2.5 * y[0], y.sum()


def halved(x):
    y = x * 1.0
    y[0] *= 0.5
    return y


def test_seeds_of_whole_numbers():
    back = zyg.pullback(total_and_first, X)[1]
    assert back((1, 1))[0].tolist() == back((np.int64(1), True))[0].tolist() == [3.5, 1.0, 1.0]
    back = zyg.pullback(halved, X)[1]
    assert back(np.array([1, 2, 3]))[0].tolist() == [0.5, 2.0, 3.0]
    assert back([1, 2, 3])[0].tolist() == [0.5, 2.0, 3.0]


def inner_seed(x):
    back = zyg.pullback(total_and_first, x)[1]
    return np.sum(x * back((1, 1))[0])


def test_seeds_inside_of_differentiated_code():
    assert zyg.gradient(inner_seed, X)[0].tolist() == [3.5, 1.0, 1.0]


def test_hooks_that_give_whole_numbers():
    def of_array(x):
        y = x * 1.0
        y[0] *= 0.5
        return zyg.hook(lambda bar: np.sign(bar).astype(int), y).sum()

    def of_number(x):
        return zyg.hook(lambda bar: 1, x.sum()) * 7.0 - 0.5 * x[0]

    for f in (of_array, of_number):
        assert zyg.gradient(f, X)[0].tolist() == [0.5, 1.0, 1.0]


def weighted(x):
    return np.sum(x * x * np.arange(3))


@zyg.adjoint(weighted)
def _(x):
    def back(y_bar):
        gradient = [2 * y_bar * x[i] * i for i in range(3)]
        return np.array(gradient)

    return weighted(x), back


def test_second_derivatives_go_through():
    assert np.allclose(zyg.hessian(weighted, X), np.diag([0.0, 2.0, 4.0]))
