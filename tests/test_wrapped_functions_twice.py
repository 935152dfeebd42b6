"""Second derivatives of functions that `functools.wraps` has wrapped, and that change objects."""

import functools
from functools import wraps

import pytest

from tests.orders_of_modes import check_second_derivative, forward, reverse


class Box:
    def __init__(self, value):
        self.value = value
        self.log = []


def square(t):
    return t * t


def called_twice(x):
    box = Box(x)

    def counted(f):
        @functools.wraps(f)
        def wrapper(*args):
            box.value = box.value * 1.5
            box.log.append(f(*args))
            return box.log[-1] * box.value

        return wrapper

    @counted
    def scaled(t):
        return t**2 * x

    return scaled(x) + scaled(x * x) * box.value + sum(box.log)


def wrapped_twice(x):
    total = [1.0]

    def counted(f):
        @wraps(f)
        def wrapper(t):
            total[0] = total[0] + t
            return f(t) * total[0]

        return wrapper

    @counted
    @counted
    def cube(t):
        return t**3 * x

    return cube(x) * total[0] * cube(1.0)


def function_of_the_module(x):
    box = Box(x)

    def counted(f):
        @wraps(f)
        def wrapper(t):
            box.value = box.value * t
            return f(t) * box.value

        return wrapper

    counting = counted(square)
    return counting(x) * counting(x * x) * square(x)


def updated_by_hand(x):
    box = Box(x)

    def scaled(t):
        box.value = box.value * t
        return box.value

    found = functools.update_wrapper(scaled, square)
    return found(x) * found(2.0) * scaled(x) * box.value


@pytest.mark.parametrize("f", [
    called_twice, wrapped_twice, function_of_the_module, updated_by_hand,
])
@pytest.mark.parametrize("outer", [forward, reverse])
def test_second_derivative(f, outer):
    check_second_derivative(f, reverse, outer, 1.3)


def past_the_wrapper(x):
    box = Box(x)

    def counted(f):
        @wraps(f)
        def wrapper(t):
            box.value = box.value * 1.5
            return f(t) * box.value

        return wrapper

    @counted
    def scaled(t):
        return t * t * x

    return scaled(x) * scaled.__wrapped__(x * x) * box.value


def test_what_is_wrapped():
    check_second_derivative(past_the_wrapper, reverse, reverse, 1.3)
