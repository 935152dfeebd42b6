"""What an arm of a branch saves: one tuple, or nothing; and which arm ran is never lost."""

import math

import numpy as np
import pytest

import zyg
from tests import differences


def one_sided(x, y):
    if x > y:
        return x
    z = math.sin(x)
    return z * y * math.exp(z)


def both_sided(x, y):
    z = x * y
    if z > 1.0:
        a, b = math.sin(x), math.cos(y)
        z = a * b
    else:
        c = math.exp(x)
        z = c * c * y + z * c
    return z * x


def constant_in_an_arm(x, y):
    """The factor of the adjoint is a constant in each arm, and there is nothing to save."""
    factor = 2.0 if x > y else 3.0
    for _ in range(2):
        x = x * factor
    return x * y


def nested(x, y):
    if x < 0.0:
        z = x * x
    elif x < y:
        z = 2.0 * x
    else:
        z = 1.0 / x
    return z * y


def repeated_condition(x, y):
    is_greater = x > y
    if is_greater:
        z = math.sin(x)
    else:
        z = y * y
    if is_greater:
        z = z * math.exp(y)
    else:
        z = z * x
    return z


def shape_in_an_arm(x, y):
    if y > 0.0:
        return np.sum(x)
    return np.sum(x * x) * y


FUNCTIONS = [one_sided, both_sided, constant_in_an_arm, nested, repeated_condition]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("args", [(0.5, 1.5), (1.5, 0.5), (-0.5, 2.0), (1.2, 1.3)])
def test_gradients(function, args):
    differences.check_gradient(function, args, zyg.pullback)
    _, back = zyg.pullback(function, *args)
    np.testing.assert_allclose(zyg.gradient(function, *args), back(1.0), rtol=1e-14)


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_an_array_of_which_an_arm_reads_the_shape(y):
    differences.check_gradient(shape_in_an_arm, (np.arange(3.0), y), zyg.pullback)


def test_an_arm_that_saves_nothing_says_so():
    listing = str(zyg.code_adjoint(one_sided, 0.5, 1.5))
    assert "return x, None" in listing
    assert "if saved is None:" in listing


def test_forward_and_adjoint_branch_are_one_in_the_joint_form():
    listing = str(zyg.code_gradient(one_sided, 0.5, 1.5))
    assert listing.count("if ") == 1
    assert "None" not in listing


class Total:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def __call__(self, x):
        return self.first(x) + self.second(x)


class Square:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor**2 * x


class Above:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor**2 * x if x > 1.0 else 0.0


def of_one_of_several(x, y):
    return Total(Total(Square(x), Square(0.3)), Above(y))(2.0) ** 2


def test_what_a_call_has_saved_in_one_of_its_arms_may_be_a_tuple_too():
    """The arm that reads it was told that it is none, and took it for None when typed again."""
    def gradient(x, y):
        return zyg.gradient(of_one_of_several, x, y)

    differences.check_gradient(gradient, (0.8, 0.6), zyg.pullback)
