"""Forward passes compute a number once that the program computes twice by equal operations."""

import math

import numpy as np

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


def queued(start, names):
    waiting = {"desk": start, "test": 0.5 * start}
    total = 0.0
    for name in names:
        waiting[name] += 1.5 * start
        total += waiting[name] * waiting[name]
    return total + waiting["desk"] * waiting["test"]


def test_what_was_just_stored_in_a_dict_is_not_read_again():
    code = str(zyg.code_adjoint(queued, 2.0, ["desk", "test", "desk"]))
    assert code.partition("_back(")[0].count("[name]") == 2  # one read, one store
    check_gradient(queued, (2.0, ["desk", "test", "desk"]), zyg.pullback)


def test_another_store_in_between_counts():
    def moved(x, i, j):
        items = [x, 2.0 * x, 3.0 * x]
        other = items
        items[i] = x * x
        other[j] = 5.0 * x
        first = items[i]
        items[i] = x * x * x
        return first * items[j] + items[i]

    for args in ((2.0, 0, 1), (2.0, 1, 1), (2.0, 1, -2)):
        check_gradient(moved, args, zyg.pullback)


def test_an_array_gives_what_it_holds_of_what_was_stored():
    def rounded(x):
        items = np.zeros(2, np.float32)
        items[0] = x
        return items[0] * 2.0

    y, (x_bar,) = zyg.withgradient(rounded, 1.0 + 1e-9)
    assert float(y) == 2.0 and x_bar == 2.0


def test_the_truth_of_a_number_is_kept_without_a_call():
    def weighted(xs, counts):
        total = 0.0
        for x, count in zip(xs, counts, strict=True):
            total += x * x if count else 2.0 * x
        return total

    code = str(zyg.code_adjoint(weighted, [1.0, 2.0, 3.0], [0, 2, -1]))
    assert "truth" not in code
    assert zyg.gradient(weighted, [1.0, 2.0, 3.0], [0, 2, -1])[0] == [2.0, 4.0, 6.0]
