"""Functions that change what they are given, called where nothing is differentiated."""

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient


def scramble(a):
    a[0] = 100.0
    return a.sum()


def grow(items):
    part = items
    part.append(1.0)
    return len(items)


def filled(n):
    a = np.zeros(n)
    for i in range(n):
        a[i] = i
    return a


def reads_scrambled(x, a):
    y = np.sum(x * a)
    scramble(zyg.dropgrad(a))
    return y


def reads_grown(x):
    items = [2.0]
    return x * items[0] * grow(items) * items[-1]


def test_memory_that_is_changed_is_not_hidden_from_derivatives():
    a = np.array([3.0, 4.0])
    with pytest.raises(zyg.NotDifferentiable, match="may be changed in place"):
        zyg.gradient(reads_scrambled, np.array([1.5, 2.0]), a)
    np.testing.assert_array_equal(a, [3.0, 4.0])


def test_change_of_a_list_by_a_call_is_seen():
    assert zyg.withgradient(reads_grown, 3.0) == (12.0, (4.0,))


def powered(a, n):
    result = a
    while n > 1:
        result = result * a
        n -= 1
    return result


def test_counting_down_is_no_change():
    data = np.array([1.0, 2.0])
    (gradient,) = zyg.gradient(lambda x: np.sum(x * powered(data, 3)), np.ones(2))
    np.testing.assert_array_equal(gradient, [1.0, 8.0])


def test_change_of_own_array_is_allowed():
    (gradient,) = zyg.gradient(lambda x: np.sum(x * filled(3)), np.ones(3))
    np.testing.assert_array_equal(gradient, [0.0, 1.0, 2.0])


def squared_again_and_again(v, times):
    v[1] = 1.0
    while times:
        times -= 1
        v *= v


def squared_where_errors_are_caught(x):
    try:
        squared_again_and_again(x, 2)
    except ValueError:
        return 0.0
    return x.sum()


def test_change_that_an_error_may_hide():
    # The loop hands `v` on, or nothing where it fails: which memory that is isn't known behind it.
    check_gradient(squared_where_errors_are_caught, (np.array([1.5, 2.0, 0.5]),), zyg.pullback)
    (gradient,) = zyg.gradient(lambda x: squared_again_and_again(x, 2) or x.sum(), np.full(3, 2.0))
    np.testing.assert_array_equal(gradient, [32.0, 0.0, 32.0])


def part_replaced_in_one_arm(a):
    parts = {"first": np.full(2, a)}
    first = parts["first"]
    if a < 0:
        parts["first"] = 1.0
    else:
        first[1] = a * a
    return first.sum()


def part_changed_in_an_arm_that_returns(a):
    parts = {"first": np.full(2, a)}
    first = parts["first"]
    if a > 0:
        parts["first"] = 1.0
    else:
        first[1] = a * a
        return first.sum()
    return first.sum() * a


def test_part_that_one_arm_replaces_and_another_one_changes():
    for a in (2.0, -2.0):
        check_gradient(part_replaced_in_one_arm, (a,), zyg.pullback)
    for a, bar in ((2.0, 8.0), (-2.0, -3.0)):
        assert zyg.gradient(part_changed_in_an_arm_that_returns, a) == (bar,)


class Doubling:
    def __init__(self, a):
        self.a = a

    def __len__(self):
        self.a = self.a * 2.0
        return 3


class Constant:
    def __init__(self, a):
        self.a = a

    def __len__(self):
        return 2


def of_lengths(x, count):
    total = 0.0
    for item in [Constant(x), Doubling(x), [x, x]][:count]:
        total += len(item) * x
    return total


def of_known_class(x):
    doubling = Doubling(x)
    return len(doubling) * doubling.a


def test_what_len_changes_in_objects_of_no_known_class_is_refused():
    assert zyg.gradient(of_known_class, 2.0) == (6.0,)
    assert zyg.gradient(of_lengths, 2.0, 1)[0] == 2.0
    for find in (zyg.gradient, lambda f, *args: zyg.jvp(f, args, (1.0, None))):
        with pytest.raises(zyg.NotDifferentiable, match="`len` calls a method of Doubling"):
            find(of_lengths, 2.0, 2)
