"""Functions that change what they are given, called where nothing is differentiated."""

import numpy as np
import pytest

import zyg


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
    grow(items)
    return x * items[0]


@pytest.mark.parametrize(
    ("f", "args"), [(reads_scrambled, (np.ones(2), np.ones(2))), (reads_grown, (3.0,))]
)
def test_change_of_argument_is_refused(f, args):
    with pytest.raises(zyg.UnsupportedSyntax, match="in place"):
        zyg.pullback(f, *args)


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
