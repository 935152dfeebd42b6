"""Forward passes compute a number once that the program computes twice by equal operations."""

import math

import zyg
from tests.differences import check_gradient


class Pair:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def pulled(size, weight):
    pair = Pair(size, 2.0 * size)
    pair.x += weight * size * 3.0
    pair.y -= weight * size * 5.0
    return pair.x * pair.y


def test_a_product_is_computed_once_though_attributes_are_stored_in_between():
    code = str(zyg.code_adjoint(pulled, 2.0, 3.0))
    forward = code.partition("_back(")[0]
    assert forward.count("weight * size") == 1
    assert zyg.gradient(pulled, 2.0, 3.0) == (-520.0, -356.0)


def arms(x, y):
    if x > y:
        z = math.sin(x * y)
    else:
        z = math.cos(x * y)
    return z + x * y


def test_what_an_arm_computes_has_no_name_behind_it():
    for args in ((1.0, 2.0), (2.0, 1.0)):
        check_gradient(arms, args, zyg.pullback)


def failing(x, y):
    total = 0.0
    try:
        total += 1.0 / y
        total += x * x
    except ZeroDivisionError:
        total += 2.0 * x * x
    return total + x * x


def test_what_a_body_computes_that_fails_has_no_name_behind_it():
    assert zyg.gradient(failing, 3.0, 0.0) == (18.0, 0.0)
    assert zyg.gradient(failing, 3.0, 2.0) == (12.0, -0.25)


def constants(x):
    return math.copysign(x, 0.0 * x) + math.copysign(x, -0.0 * x) + x**2 + x**2.0


def test_numbers_of_different_types_and_zeros_of_different_signs_are_not_equal():
    assert zyg.withgradient(constants, 3.0)[0] == constants(3.0) == 18.0


def test_a_loop_reads_what_was_computed_before_it():
    def repeated(x, n):
        total = math.exp(x)
        for i in range(n):
            total += i * math.exp(x)
        return total

    code = str(zyg.code_adjoint(repeated, 0.5, 3))
    assert code.partition("_back(")[0].count("math.exp(") == 1
    check_gradient(repeated, (0.5, 3), zyg.pullback)
