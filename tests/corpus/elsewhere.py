"""Functions that programs of other modules call."""

from math import sin

RATE = 0.25


def cube(x):
    return x * x * x


def inner_rate(x):
    return RATE * x


def distant(x, n):
    for _ in range(n):
        x = inner_rate(sin(x)) + x
    return x


def clipped(x):
    if x < 0:
        return 0.1 * x
    if x > 5:
        return 5 + 0.1 * (x - 5)
    return x


OFFSET = 0.0


def set_offset(x):
    global OFFSET
    OFFSET = x
