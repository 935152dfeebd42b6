"""Methods that make texts of objects, and functions of `np.piecewise`, which change something.

Their callers are written in C, or stand for such: what they change has the right derivative, or is
refused.
"""

import numpy as np
import pytest

import zyg


class Counting:
    """Its texts count how often they were asked for, in a number that is differentiated."""

    def __init__(self, v):
        self.v = v
        self.n = 1.0

    def __str__(self):
        return self.counted()

    def __format__(self, spec):
        return self.counted()

    def counted(self):
        self.n = self.n * self.v
        return "counted"


JOURNAL = [1.0]


class Noted:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        JOURNAL.append(self.v)
        return "noted"


class Shown:
    """Changes what is its own only, while a text is put together."""

    def __init__(self, v):
        self.v = v

    def __repr__(self):
        parts = []
        parts.append(f"{self.v:.1f}")
        text = "Shown("
        text += ", ".join(parts)
        return text + ")"


class Box:
    def __init__(self, a):
        self.a = a

    def doubling(self, u):
        self.a = self.a * 2.0
        return u * self.a


def formatted(x):
    p = Counting(x)
    return len(f"{p}") * p.n


def converted(x):
    p = Counting(x)
    return len(f"{p!s:>10}") * p.n


def by_format(x):
    p = Counting(x)
    return len(format(p, "")) * p.n


def by_template(x):
    p = Counting(x)
    return len("{}".format(p)) * p.n


def by_percent(x):
    p = Counting(x)
    return len("%s" % p) * p.n


def in_a_list(x):
    p = Noted(x)
    return len(f"{[p]}") * JOURNAL[-1]


def printed(x):
    p = Counting(x)
    print(p)
    return p.n


def mapped(x):
    ps = [Counting(x), Counting(2.0 * x)]
    return len([*map(str, ps)]) * ps[1].n


def of_unknown_class(x, makers):
    p = makers["one"](x)
    return len(f"{p}") * p.n


@pytest.mark.parametrize(
    "program",
    [formatted, converted, by_format, by_template, by_percent, in_a_list, printed],
)
def test_texts_that_change_objects_are_refused(program):
    with pytest.raises(zyg.NotDifferentiable, match="changes objects"):
        zyg.gradient(program, 1.5)


def test_texts_of_each_are_calls():
    assert zyg.gradient(mapped, 1.5) == (4.0,)


def test_texts_of_objects_of_unknown_class():
    with pytest.raises(zyg.NotDifferentiable, match="changes objects"):
        zyg.gradient(lambda x: of_unknown_class(x, {"one": Counting}), 1.5)


def as_called(x):
    p = Counting(x)
    return len(str(p)) * p.n


def shown(x):
    p = Shown(x)
    text = f"{p} {p!r} {[p]}" + "%s" % p
    return len(text) * p.v


def test_texts_whose_methods_are_called_or_change_nothing_else():
    assert zyg.gradient(as_called, 1.5) == (7.0,)
    assert zyg.gradient(shown, 1.5) == (4 * len("Shown(1.5)") + 4.0,)


X = np.array([-1.0, -2.0, 1.5, 0.5])


def by_method(x, a):
    box = Box(a)
    y = np.piecewise(x, [x < 0, x >= 0], [box.doubling, box.doubling])
    return np.sum(y) * box.a


def by_closure(x, a):
    box = Box(a)

    def left(u):
        box.a = box.a * 2.0
        return u * box.a

    y = np.piecewise(x, [x < 0, x >= 0], [left, lambda u: u * box.a])
    return np.sum(y) * box.a


def by_nonlocal(x, a):
    total = a

    def left(u):
        nonlocal total
        total = total + a
        return u * total

    return np.sum(np.piecewise(x, [x < 0, x >= 0], [left, left])) * total


@pytest.mark.parametrize("program", [by_method, by_closure, by_nonlocal])
def test_pieces_that_change_objects_are_refused(program):
    with pytest.raises(zyg.UnsupportedSyntax, match="may change objects"):
        zyg.gradient(program, X, 3.0)


def test_no_piece_is_called_for_no_elements():
    def first(u):
        return u * u[0]

    def program(x):
        return np.sum(np.piecewise(x, [x < 0, x > 9, x >= 0], [first, first, 3.0]))

    (bar,) = zyg.gradient(program, X)
    np.testing.assert_array_equal(bar, [-4.0, -1.0, 0.0, 0.0])


def test_pieces_have_the_type_of_the_argument():
    count = np.array([1, 2, 3])

    def program(a):
        return np.sum(np.piecewise(count, [count > 1], [lambda u: u * a]))

    assert zyg.withgradient(program, 0.7) == (program(0.7), (0.0,))


def largest(a):
    box = Box(a)

    def key(t):
        box.a = box.a * 2.0
        return t

    return max([1.0, 3.0, a], key=key) * box.a


def sorted_in_place(a):
    box = Box(a)

    def key(t):
        box.a = box.a * 2.0
        return t

    items = [1.0, 3.0, a]
    items.sort(key=key)
    return items[-1] * box.a


@pytest.mark.parametrize("program", [largest, sorted_in_place])
def test_keys_that_change_objects_are_refused(program):
    with pytest.raises(zyg.UnsupportedSyntax, match="may change objects"):
        zyg.gradient(program, 3.5)
