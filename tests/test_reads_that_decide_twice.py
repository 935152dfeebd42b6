"""Second derivatives of programs on objects whose calls, errors and loops were refused once.

Methods that only compare what objects hold, values of StopIteration, tuples of objects, views that
loops and calls give, and `map` in loops, comprehensions, `zip` and `enumerate`.
"""

import math
import operator

import numpy as np
import pytest

import zyg
from tests import differences
from tests.corpus.abstract_collections import Row
from tests.derivatives_twice import MODES
from zyg.errors import NotDifferentiable

X = 1.37


class Box:
    def __init__(self, value):
        self.value = value

    def level(self, limit):
        return 2.0 if self.value > limit else 1.0

    def times(self, factor):
        return self.value * factor

    def is_above(self, limit):
        for _ in range(2):
            if self.value > limit:
                return 3
        return 1


class Node:
    def __init__(self, value, before=()):
        self.value = value
        self.before = before


class Stop(StopIteration):
    def __init__(self, x):
        self.x = x


class MayStop(StopIteration):
    def __init__(self, x):
        if x > 0:
            super().__init__(x * x)
        else:
            super().__init__()
        self.x = x


def decided_by_methods(x):
    box = Box(x * x)
    box.value = box.value * x
    return box.level(1.0) * box.is_above(x) * box.value * x


def decided_before_a_change(x):
    box = Box(x)
    total = 0.0
    for limit in (1.0, 3.0):
        if box.is_above(limit) > 1:
            box.value = box.value * x
        total += box.level(limit) * box.value
    return total


def found_in_a_sequence(x):
    row = Row([x, x * x, 3.0])
    return row[row.index(x * x)] * x + (row.index(3.0) if x in row else 0) * x * x


def tuples_of_objects(x):
    first = Node(x * x)
    last = Node(x, (first, Node(x, (first,))))
    total = 0.0
    for node in last.before:
        node.value = node.value * x
        for other in node.before:
            total += other.value * node.value
    return total + first.value


def value_of_a_generator(x):
    def steps():
        yield x * x
        return x**3

    items, total = steps(), 0.0
    try:
        while True:
            total += next(items)
    except StopIteration as stop:
        return total * stop.value


def no_value(x):
    def steps():
        yield x * x

    items = steps()
    y = next(items)
    try:
        next(items)
    except StopIteration as stop:
        return y * x if stop.value is None else stop.value


def error_without_a_value(x):
    try:
        raise Stop(x * x)
    except StopIteration as stop:
        return stop.x * x if stop.value is None else stop.value


def error_with_a_value_or_none(x):
    try:
        raise MayStop(x)
    except StopIteration as stop:
        return stop.x * x * x if stop.value is None else stop.value * stop.x


def rows_of_a_held_array(x):
    box, total = Box(np.arange(1.0, 7.0).reshape(2, 3) * x), 0.0
    for row in box.value:
        box.value[1, :] += row * x
        total += np.sum(row * row)
    return total


def rows_from_a_generator(x):
    def rows(table):
        yield from table

    table, total = np.array([[x, 2.0 * x], [x * x, x]]), 0.0
    for row in rows(table):
        row *= x
        total += row[0]
    return total + np.sum(table**2)


def diagonal_by_einsum(x):
    box = Box(np.array([[x, 2.0], [x * x, 3.0 * x]]))
    diagonal = np.einsum("ii->i", box.value)
    diagonal[1] = x**3
    return np.sum(box.value**2) * diagonal[0]


def mapped_in_comprehensions(x):
    xs = [x, x * x, 2.0]
    scaled = [math.exp(a) * a for a in map(Box(x).times, xs) if a > 0.1]
    pairs = {i + 1: a * a for i, a in enumerate(map(math.sin, xs), start=1)}
    return sum(scaled) * pairs[3] + sum(a * b for a, b in zip(xs, map(math.exp, xs), strict=True))


def mapped_in_loops(x):
    xs, total = [x, x * x, 2.0], 0.0
    for a, b in zip(xs, map(math.sin, xs), strict=False):
        total += a * b
    for i, b in enumerate(map(math.sin, xs)):
        total += i * b * b
    for a in map(operator.mul, xs, [x, 2.0, x]):
        total += a * x
    return total


PROGRAMS = [
    decided_by_methods, decided_before_a_change, found_in_a_sequence, tuples_of_objects,
    value_of_a_generator, no_value, error_without_a_value, error_with_a_value_or_none,
    rows_of_a_held_array, rows_from_a_generator, diagonal_by_einsum, mapped_in_comprehensions,
    mapped_in_loops,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_first_derivative(f):
    differences.check_gradient(f, (X,), zyg.pullback, may_round=True)


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivative(f, outer):
    def slope(x):
        return zyg.gradient(f, x)[0]

    step = 1e-5
    expected = (slope(X + step) - slope(X - step)) / (2 * step)
    assert outer(slope)(X) == pytest.approx(expected, rel=1e-7)
    assert zyg.hvp(f, X, 1.0) == pytest.approx(expected, rel=1e-7)


def kept_iterator(x):
    items, total = map(math.sin, [x, x * x]), 0.0
    for item in items:
        total += item * x
    return total


def test_iterators_that_call_functions_are_refused():
    with pytest.raises(NotDifferentiable, match="an iterator that calls functions"):
        zyg.gradient(lambda x: zyg.gradient(kept_iterator, x)[0], X)


def test_function_of_a_map_is_called_as_python_does():
    """In turns with what stands beside it, and not for what a shorter one leaves out."""
    calls = []

    def noted(v):
        calls.append(v)
        return v * v

    def f(x):
        return sum([a * b for a, b in zip([x], map(noted, [x, 5.0]), strict=False)])

    y = f(X)
    plainly, calls[:] = list(calls), []
    assert zyg.withgradient(f, X) == (y, (pytest.approx(3 * X * X),))
    assert calls == plainly == [X]


def matched(x):
    def evaluate(tree):
        match tree:
            case ("*", a, b):
                return evaluate(a) * evaluate(b)
            case {"name": name}:
                return {"x": x, "y": x * x}[name]
            case [*terms]:
                return sum(map(evaluate, terms))

    return evaluate([("*", {"name": "x"}, {"name": "y"}), {"name": "x"}])


def test_calls_beside_which_memory_is_looked_at():
    differences.check_gradient(lambda x: zyg.gradient(matched, x)[0], (X,), zyg.pullback)
