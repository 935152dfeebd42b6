"""Loops that test whether they go on before anything else keep no record of the last test."""

import inspect
import math

import pytest

import zyg


def doubled(x):
    y = x
    while y < 100.0:
        y = y * y + x
    return y


def nested(x, n):
    total = x
    k = 0
    while k < n:
        y = total
        j = 0
        while j < k:
            y = math.sin(y) * x
            j += 1
        total += y * y
        k += 1
    return total


def with_break_first(x, n):
    y = x
    for i in range(n):
        if i * i > n:
            break
        y = y * y * 0.3 + x
    return y


def with_break_behind(x, n):
    y = x
    for i in range(n):
        y = y * y * 0.3 + x
        if i * i > n:
            break
        y = y * x
    return y


def with_two_ways_out(x, n):
    y = x
    k = 0
    while k < n:
        k += 1
        if y > 1.6:
            break
        if k % 2:
            continue
        y = y * y + 0.1 * x
    return y


def with_else(x, n):
    y = x
    k = 0
    while k < n:
        y = y * x
        k += 1
    else:
        y = y * y
    return y


def of_branches(x, n):
    y = x
    k = 0
    while k < n:
        if k % 3 == 0:
            y = y * x
        elif k % 3 == 1:
            y = math.sin(y)
        k += 1
    return y


def returned_from_within(x, n):
    y = x
    k = 0
    while k < n:
        y = y * x + 0.1
        if y > 4.0:
            return y * y
        k += 1
    return y


def until_it_is_close(x, n):
    y = x
    while abs(y - math.cos(y)) > 10.0**-n:
        y = y - (y - math.cos(y)) / (1.0 + math.sin(y)) * x
    return y


def called(x, n):
    return nested(x, n) * doubled(x)


def in_a_list(x, n):
    items = [x]
    while len(items) < n:
        items.append(items[-1] * x)
    return sum(items)


def spliced(x, n):
    items = [x]
    k = 0
    while True:
        k += 1
        if k > n:
            break
        items[::-1] = [x * k] * k
        items.append(items[0] * x)
    return sum(items)


def nested_with_two_ways_out(x, n):
    total = x
    k = 0
    while k < n:
        if total > 2.0:
            break
        if k == 4:
            break
        y = total
        for i in range(k + 2):
            if i * i > k:
                break
            j = 0
            while j < i:
                if y > 3.0:
                    break
                y = y * y * x
                j += 1
            y = math.sin(y)
        total += y * x
        k += 1
    return total


def in_objects(x, n):
    point = Point(x)
    while point.x < n:
        if point.count == 3:
            break
        point.x = point.x * point.x + x
        point.count += 1
    return point.x * x


class Point:
    def __init__(self, x):
        self.x = x
        self.count = 0


def counted(x, n):
    """What the last test is of is in no record: the reversal reads only how many there are."""
    a = x
    b = x * 0.5
    k = 0
    while k < n:
        k += 1
        if a > 4.0:
            break
        if b > 0.4:
            if b < 0.44:
                break
        a += b
    return a


PROGRAMS = [
    nested, counted, spliced, nested_with_two_ways_out, in_objects, with_break_first,
    with_break_behind, with_two_ways_out, with_else, of_branches, returned_from_within,
    until_it_is_close, called, in_a_list,
]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f, n):
    zyg.check_grads(lambda x: f(x, n), 0.9, order=2)
    y, back = zyg.pullback(f, 0.9, n)
    assert y == f(0.9, n)
    assert back(1.0) == back(1.0) == zyg.gradient(f, 0.9, n)


@pytest.mark.parametrize(
    "f", [nested, of_branches, with_else, with_two_ways_out, nested_with_two_ways_out]
)
def test_nothing_is_kept_of_the_last_test(f):
    text = str(zyg.code_gradient(f, 0.9, 3))
    assert "while k < n:" in text
    assert "while True" not in text
    forward, adjoint = text.split("reversed(", 1)
    assert "stop" not in forward
    assert forward.count("break") == inspect.getsource(f).count("break")
    assert "if k < n" not in adjoint


def test_there_are_as_many_records_as_iterations():
    _, back = zyg.pullback(with_else, 0.9, 3)
    (records,) = [part for part in back._saved if isinstance(part, list)]
    assert records == [0.9, 0.9**2, 0.9 * 0.9 * 0.9]


def test_a_loop_that_does_something_before_it_stops_keeps_a_record_of_that():
    assert "while True" in str(zyg.code_gradient(advanced, 2.0))
    zyg.check_grads(advanced, 2.0, order=2)


def powers(x):
    y = x
    while y < 40.0:
        yield y
        y = y * x


def advanced(x):
    total = 0.0
    for y in powers(x):
        total += y * y
    return total


def in_two_gradients(x, n):
    """The inner loop's lists are walked over by the gradient inside, and by that of it."""

    def inner(x):
        y = x
        k = 0
        while k < n:
            j = 0
            while j < 2:
                y = math.sin(y) * x
                j += 1
            y = y * y + x
            k += 1
        return y

    return zyg.gradient(inner, x)[0] * x


def test_records_that_derivatives_of_a_gradient_read_as_well():
    for n in range(4):
        zyg.check_grads(lambda x, n=n: in_two_gradients(x, n), 0.8, order=2)
