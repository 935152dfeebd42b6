"""Arrays that are overwritten as a whole are new ones, if an adjoint reads what stood there, and
nobody else knows the memory."""

import math

import numpy as np
import pytest

import zyg

X, Y = np.array([0.5, -0.3, 1.2]), np.array([1.5, 0.7, 0.4])


def normalised(x, y):
    w = np.exp(x)
    w *= y
    w /= w.sum()
    return np.sum(w * w * y)


def filtered(x, y):
    w = np.ones(3) / 3.0
    total = 0.0
    for o in y:
        w *= np.exp(-((o - x) ** 2))
        total += math.log(w.sum())
        w /= w.sum()
    return total


def softmax(x):
    w = np.exp(x - np.max(x))
    w /= w.sum()
    return w


def by_a_function(x, y):
    total = 0.0
    for _ in range(2):
        p = softmax(x * total + y)
        total += np.sum(p * x)
    return total


def in_an_arm(x, y):
    w = np.sin(x)
    if w[0] > 0.0:
        w *= y
    else:
        w -= y
    return np.sum(w * w)


ALONE = [normalised, filtered, by_a_function, in_an_arm]


def by_a_view(x, y):
    w = np.exp(x)
    first = w[:2]
    w *= y
    return np.sum(first * first) + np.sum(w)


def under_two_names(x, y):
    w = np.exp(x)
    v = w
    w *= y
    return np.sum(v * w)


def in_a_list(x, y):
    w = np.exp(x)
    held = [w]
    w *= y
    return np.sum(held[0] * w)


def by_a_closure(x, y):
    w = np.exp(x)

    def read():
        return np.sum(w * y)

    w *= y
    return read() * np.sum(w)


def by_an_iterator(x, y):
    w = np.exp(x)
    total = 0.0
    for item in w:
        total += item * np.sum(w)
        w *= y
    return total


def when_it_fails(x, y):
    w = np.exp(x)
    try:
        w *= y
        total = math.sqrt(-np.sum(w * w))
    except ValueError:
        total = np.sum(w * w)
    return total


def remember(memory, w):
    memory.append(w)


def by_a_callee(x, y):
    memory = []
    w = np.exp(x)
    remember(memory, w)
    w *= y
    return np.sum(memory[0] * w)


def of_an_argument(x, y):
    x *= y
    return np.sum(x * x)


def of_a_row(x, y):
    m = np.outer(x, y)
    row = m[1]
    row *= y
    row *= row
    return np.sum(m * m)


def swapped(x, y):
    a, b = np.exp(x), np.sin(y)
    for _ in range(3):
        b *= a
        a, b = b, a
    return np.sum(a * b + b)


def kept_from_before(x, y):
    w = np.exp(x)
    before = w
    total = 0.0
    for _ in range(2):
        w *= y
        total += np.sum(before * before)
    return total


SHARED = [
    by_a_view, under_two_names, in_a_list, by_a_closure, by_an_iterator, when_it_fails, by_a_callee,
    of_a_row, swapped, kept_from_before,
]


@pytest.mark.parametrize("function", [*ALONE, *SHARED], ids=lambda f: f.__name__)
def test_derivatives(function):
    y, back = zyg.pullback(function, X.copy(), Y.copy())
    assert y == function(X.copy(), Y.copy())
    first, again = back(1.0), back(1.0)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    zyg.check_grads(function, X.copy(), Y.copy(), order=1)


@pytest.mark.parametrize("function", ALONE, ids=lambda f: f.__name__)
def test_nothing_is_copied(function):
    code = str(zyg.code_adjoint(function, X, Y))
    assert ".copy()" not in code and "[...]" not in code


@pytest.mark.parametrize("function", ALONE, ids=lambda f: f.__name__)
def test_second_derivatives(function):
    zyg.check_grads(function, X.copy(), Y.copy(), order=2)


def test_what_the_user_gave_is_changed_as_in_a_call():
    ours, theirs = X.copy(), X.copy()
    zyg.gradient(of_an_argument, ours, Y)
    of_an_argument(theirs, Y)
    np.testing.assert_array_equal(ours, theirs)


def test_what_no_adjoint_reads_is_changed_in_place():
    def momentum(x, g):
        v = np.zeros(3)
        for _ in range(3):
            v *= 0.9
            v += g * x
            x = x - 0.1 * v
        return np.sum(x * x)

    code = str(zyg.code_adjoint(momentum, X, Y))
    assert "v *= 0.9" in code and "v += g * x" in code


def test_a_shape_that_does_not_fit_raises_as_in_a_call():
    def grown(x, y):
        w = np.exp(x)
        w *= y
        return np.sum(w * y)

    with pytest.raises(ValueError, match="broadcast"):
        zyg.gradient(grown, X[:1], Y)
    with pytest.raises(ValueError, match="broadcast"):
        zyg.gradient(grown, X, np.ones((2, 3)))


def convolved(image, kernel):
    (h, w), (m, n) = image.shape, kernel.shape
    out = np.zeros((h - m + 1, w - n + 1))
    for i in range(m):
        for j in range(n):
            out += kernel[i, j] * image[i : i + h - m + 1, j : j + w - n + 1]
    return np.sum(out * out)


def test_what_is_added_to_keeps_its_shape():
    image, kernel = np.arange(20.0).reshape(4, 5) / 10.0, np.arange(6.0).reshape(2, 3) - 2.0
    code = str(zyg.code_adjoint(convolved, image, kernel))
    assert "prototype(out)" not in code and code.count("unbroadcast(") == 1
    zyg.check_grads(convolved, image, kernel)


def test_rows_that_are_added_to_all_rows():
    def shifted(x, y):
        m = np.outer(x, x)
        for _ in range(2):
            m += y
            m *= m
        return np.sum(m)

    zyg.check_grads(shifted, X, Y)
    with pytest.raises(ValueError, match="broadcast"):
        zyg.gradient(shifted, X, np.ones((2, 3, 3)))
