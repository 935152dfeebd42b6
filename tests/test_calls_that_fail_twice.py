"""Second derivatives where a call has the wrong arguments: it fails before any of its code runs."""

import pytest

from tests.orders_of_modes import MODES, check_second_derivative, reverse

X = 1.3


class Box:
    def __init__(self, x):
        self.x = x
        self.log = []

    def scale(self, factor, *, offset=0.0):
        self.x = self.x * factor + offset
        self.log.append(self.x)
        return self.x


def too_many_arguments(x):
    box = Box(x)
    try:
        box.x = box.x * x
        box.scale(1.0, 2.0, 3.0)
    except TypeError:
        box.x = box.x + x
    return box.scale(x) * box.x


def unknown_keyword(x):
    box = Box(x)
    for i in range(3):
        try:
            box.scale(x, offset=1.0 * i)
            box.scale(x, ofset=2.0)
            box.scale(7.0)
        except TypeError as error:
            box.log.append(x * len(str(error)))
    return sum(box.log) * box.x


def missing_argument(x):
    box = Box(x)
    try:
        Box()
    except TypeError:
        box.scale(x)
    try:
        box.scale()
    except TypeError:
        box.scale(2.0)
    return box.x * box.log[0]


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("f", [too_many_arguments, unknown_keyword, missing_argument])
def test_derivative_of_a_gradient(f, outer):
    check_second_derivative(f, reverse, outer, X)
