"""`o.x[i] op= v` where nothing is known of `o.x` when code is made: an array, a list, an object."""

import types

import numpy as np
import pytest

import zyg

X = np.array([1.0, 2.0, 3.0])


class Holder:
    def __init__(self, x):
        self.x = x


# Of a call of this is known only that it has no derivative: it may store into any object.
unknown = zyg.nograd(types.FunctionType((lambda a: None).__code__.replace(co_filename="?"), {}))


def at_an_index_array(a):
    unknown(a)
    holders = [Holder(np.array([a, a, a]))]
    for holder in holders:
        holder.x[[2]] += 1
        holder.x[[0, 2]] *= holder.x[[1, 1]]
    return holders[0].x @ X


def at_a_mask(a):
    unknown(a)
    holders = (Holder(np.array([a, a * a, a])),)
    for holder in holders:
        holder.x[holder.x > a] -= 2 * a
    return holders[0].x @ X


def row_of_a_grid(a):
    unknown(a)
    holders = [Holder(np.ones((2, 3)) * a)]
    row = holders[0].x[0]
    for holder in holders:
        holder.x[0] *= holder.x[1]
        holder.x[1, 1:] += 1
    return holders[0].x[0] @ X + np.sum(row * row)


def numbers_of_a_dict(a):
    unknown(a)
    holders = [Holder({"first": a, "second": 1})]
    for holder in holders:
        holder.x["first"] *= a
        holder.x["second"] += holder.x["first"]
    return holders[0].x["second"] * a


class Table:
    def __init__(self):
        self.written = 1.0

    def __getitem__(self, index):
        return self.written * index

    def __setitem__(self, index, value):
        self.written *= value


def items_of_an_object(a):
    unknown(a)
    holders = [Holder(Table())]
    for holder in holders:
        holder.x[2] += a
        holder.x[3] *= a
    return holders[0].x.written


def in_a_body_that_fails(a):
    unknown(a)
    holders = [Holder(np.array([a, a, a]))]
    for holder in holders:
        try:
            holder.x[[1]] *= a
            holder.x[[7]] += a
        except IndexError:
            holder.x[[0]] += a
    return holders[0].x @ X


PROGRAMS = [
    at_an_index_array, at_a_mask, row_of_a_grid, numbers_of_a_dict,
    items_of_an_object, in_a_body_that_fails,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f):
    expected = (f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6
    assert zyg.gradient(f, 1.5)[0] == pytest.approx(expected)
    y, back = zyg.pullback(f, 1.5)
    assert y == pytest.approx(f(1.5))
    assert back(1.0)[0] == back(1.0)[0] == pytest.approx(expected)
    assert zyg.jvp(f, (1.5,), (1.0,))[1] == pytest.approx(expected)


def rounded(a):
    unknown(a)
    holders = [Holder(np.array([1, 2, 3]))]
    for holder in holders:
        holder.x[[1]] += 0.5
    return a * holders[0].x.sum()


def test_integers_are_not_rounded():
    for call in (rounded, lambda a: zyg.gradient(rounded, a)):
        with pytest.raises(TypeError, match="same_kind"):
            call(2.0)


def local_changed(a):
    unknown(a)
    holders = [Holder(a)]
    for holder in holders:
        pair = np.array([holder.x, 1.0])
        pair += 1
    return pair.sum()


def test_refusals_show_the_line_of_the_program():
    with pytest.raises(zyg.NotDifferentiable) as caught:
        zyg.gradient(local_changed, 2.0)
    message = str(caught.value)
    assert "pair += 1" in message and __file__ in message and "zyg/rules" not in message
