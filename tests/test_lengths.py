"""Slices with variable bounds, masks, parts: which have one length, and which may broadcast."""

import numpy as np
import pytest

import zyg
from tests.benchmarks.programs.in_place import lu
from tests.differences import check_gradient

VECTOR = np.array([0.5, -0.3, 0.8, 0.2])
SQUARE = np.random.default_rng(5).uniform(0.2, 1.0, (4, 4))


def one_item_broadcasts(a, b):
    """In the last iterations a part of length 1 meets a longer one."""
    total = 0.0
    for k in range(len(a)):
        total += np.sum(a[k:] * b[-1:] + a[k:] * a[3 - k : 4 - k])
    return total


def part_of_the_iteration_before(a, b):
    part = b[3:]
    for k in range(len(a) - 1, -1, -1):
        part = np.sin(a[k:] * part[:1] + part.sum())
    return np.sum(part)


def parts_in_a_list(a, b):
    parts = [np.sin(a[k:]) for k in range(len(a))]
    parts.append(a[2:] * b[2:])
    total = 0.0
    for k in range(len(a)):
        parts.append(a[k:] * 2.0)
        total += np.sum(parts[0] * parts[3]) + np.sum(parts[-1] * parts[3])
    return total


def bound_that_changes(a, b):
    k = 0
    total = 0.0
    while k < 3:
        first = np.cos(a[k:])
        k += 1
        second = first[1:] * a[k:]
        total += np.sum(second * b[k:]) + np.sum(first * b[3:])
    return total


def bounds_by_branches(a, b):
    total = 0.0
    for i in range(4):
        k = i if a[i] > 0 else 3
        column = np.sin(a[k:])
        if i > 1:
            k = 3
        total += np.sum(column * a[k:])
    return total


def given_to_functions(a, b):
    def product(x, y):
        total = 0.0
        for i in range(len(x)):
            total += np.sum(x * y) * x[i]
        return total

    total = 0.0
    for k in range(len(a)):
        total += product(a[k:], b[k:]) + product(a[k:], b[3:])
    return total


def masks_of_several_and_one(a, b):
    """Each mask gives a size of its own, which may be that of one item or not."""
    above, largest = a[a > 0], b[b == np.max(b)]
    again = a[a > 0]
    total = np.sum(above * largest) + np.sum(np.sin(above) * above) + np.sum(above * again)
    for k in range(3):
        found = b[b > 0.2 * k]
        total += np.sum(found * largest) + np.sum(found**2 * a[a == a[k]])
    return total


def searches_by_branches(a, b):
    total, part = 0.0, a[a > 0.6]
    for k in range(3):
        if k == 1:
            part = b[np.flatnonzero(b > 0)]
        other = part if k > 1 else a[a > 0.4]
        total += np.sum(part * other[:1]) + np.sum(part * np.cos(part))
    return total


def joined_to_nothing(a, b):
    """Lengths of parts that follow an empty one."""
    total, nothing = 0.0, a[4:]
    for k in (1, 3):
        for j in (1,):
            long = np.concatenate((nothing, a[:k]))
            short = np.concatenate((nothing, b[:j]))
            total += np.sum(np.sin(long) * short)
    return total


def equal_parts(a, b):
    (left, right), whole = np.split(a, 2), np.split(b, 1)[0]
    quarters = np.split(b, 4)
    rest = np.reshape(a, (-1, 1)) * np.reshape(b, -1)
    return np.sum(left * right) * np.sum(quarters[0] * left) + np.sum(whole * a) + np.sum(rest**3)


def states_of_one_step_and_more(a, b):
    """What a loop begins with is as large as one operand, and what it goes on with as another."""
    state, ones = np.zeros(a.shape), np.ones((len(b), 1))
    for k in range(3):
        state = np.tanh(state * b[k] + a)
        total = np.sum(ones * state + ones * b[:1])
        state = np.full((1, len(b)), total) @ np.diag(a) + b if k == 1 else state
    return np.sum(state * a)


PROGRAMS = [
    states_of_one_step_and_more,
    masks_of_several_and_one, searches_by_branches, joined_to_nothing, equal_parts,
    one_item_broadcasts, part_of_the_iteration_before, parts_in_a_list, bound_that_changes,
    bounds_by_branches, given_to_functions,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradient(program):
    check_gradient(program, (VECTOR, VECTOR[::-1] * 1.5), zyg.pullback)


def sums_of_parts(a):
    """New arrays as large as others, and sums of numbers and parts."""
    n = len(a)
    u = np.zeros(n)
    for k in range(n):
        u[k:] += a[k, k:] * a[k:, k] + a[k, k]
        u[: k + 1] = np.outer(a[: k + 1, 0], u[: k + 1]).sum(axis=0)
    return u @ u


@pytest.mark.parametrize("program", [lu, sums_of_parts])
def test_of_matrices(program):
    check_gradient(lambda a: program(a + 4.0 * np.eye(4)), (SQUARE,), zyg.pullback)


def states(a):
    state = np.zeros(a.shape)
    for row in a:
        state = np.tanh(state @ a + row)
    return np.sum(state * a)


@pytest.mark.parametrize(
    "program", [
        lu,
        states,
        lambda a: np.sum(a[a > 0] ** 2),
        lambda a: np.sum(np.diff(a) ** 2) + np.sum(np.sin(np.tile(a, 2)) ** 2),
    ],
)
def test_no_shapes_are_compared(program):
    assert "unbroadcast" not in str(zyg.code_adjoint(program, SQUARE))


WEIGHTS = np.arange(5.0)


def test_arrays_of_the_module_have_sizes_of_their_own():
    def program(x):
        return np.sum(WEIGHTS[1:] * np.sin(x[1:]))

    (x_bar,) = zyg.gradient(program, np.array([0.3, 0.7]))
    np.testing.assert_allclose(x_bar, [0.0, 10.0 * np.cos(0.7)])


def products_of_rows(a):
    n = len(a)
    factor = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            s = a[i, j] - factor[i, :j] @ factor[j, :j]
            factor[i, j] = s if i == j else s / factor[j, j]
    return factor


def test_a_cotangent_that_a_loop_carries_is_changed_in_place():
    text = str(zyg.code_adjoint(products_of_rows, SQUARE))
    assert "cleared(" not in text
    assert "] = 0\n" in text


def test_items_of_a_list_have_lengths_of_their_own():
    def f(xs):
        return np.sum(xs[0][1:] * xs[1][1:])

    zyg.check_grads(f, [np.arange(2.0), np.arange(5.0)])
    zyg.check_grads(f, [np.arange(5.0), np.arange(5.0)])


def changed_and_counted(v, a):
    v[-1] = 1
    return [a for i, e in enumerate(v)]


def test_arrays_that_swap_their_names_and_are_changed():
    def f(a, x, y):
        for _ in range(2):
            y, x = x, y
            if changed_and_counted(y, a):
                return a * a + x[0]
        return a

    check_gradient(f, (2.0, np.ones(2), np.ones(3)), zyg.pullback)


@pytest.mark.parametrize("reduced", [np.mean, np.var, np.std, np.ndarray.mean, np.ndarray.var])
def test_reductions_of_unknown_sizes_warn_of_nothing(reduced, recwarn):
    def spread(x):
        return np.sum(reduced(x.reshape(2, 2, 4), axis=-1, keepdims=True) ** 2)

    check_gradient(spread, (SQUARE,), zyg.pullback)
    assert not recwarn.list
