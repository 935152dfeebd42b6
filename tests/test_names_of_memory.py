"""Several names of memory that changes in place, where a program says which one it is, and where it
doesn't."""

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

X = np.array([1.0, 2.0, 3.0, 4.0])
Y = np.array([0.5, -1.0, 2.0, 1.5])


def time_steps(a, x, y):
    u, v = np.zeros(4), np.zeros(4)
    u[0] = a
    for _ in range(3):
        v[1:] = u[:-1] * x[1:]
        v[0] = a * y[0]
        u, v = v, u
    return np.sum(u * x) + np.sum(v)


def steps_of_arguments(a, x, y):
    x, y = x.copy(), y.copy()
    x[0] = a
    for i in range(4):
        if i % 3:
            x[1] = x[0] * y[1]
            x, y = y, x
    return np.sum(x * y) + x[1]


def swapped_in_inner_loops(a, x, y):
    u, v = x * a, y * 1.0
    n = 3
    while n:
        n -= 1
        for _ in range(2):
            u[0] = u[1] * v[0]
            u, v = v, u
        if n == 1:
            continue
        v[2] = u[2] * a
    return np.sum(u) + v[0]


def rows_with_positions(a, x, y):
    table = np.array([[a, x[0]], [y[1], 2.0]])
    for i, row in enumerate(table):
        row[1] += i * x[i]
    return np.sum(table * table)


def new_in_each_iteration(a, x, y):
    total = 0.0
    for i in range(2):
        table = np.zeros((2, 2))
        for row in table:
            row[i] = a * x[i]
        total += np.sum(table * table)
    return total


def name_of_an_iteration(a, x, y):
    u = x * 1.0
    n = 0
    while True:
        n += 1
        if n > 3:
            break
        w = u
        u[0] = u[0] * a
        w[1] = u[0]
    return np.sum(u)


def merged_dicts(a, x, y):
    state = {"a": a}
    for i in range(3):
        state = {**state, "b": state["a"] * x[i]}
        state["a"] = state["b"] * a
    return state["a"] + state["b"]


def list_made_anew_in_an_arm(a, x, y):
    items = [a, x[0]]
    for i in range(3):
        if i % 2:
            items = [x[1], *items][:4]
        else:
            items[-1] = items[0] * a
    return sum(items)


def parts_of_unknown_rank(a, x, y):
    table = np.array([list(x), list(y)], dtype=float)
    table[:, 1] *= a
    table[1:] += table[:1]
    return np.sum(table * table)


def read_before_swaps(a, x, y):
    first = x[1] * a
    for _ in range(3):
        y, x = x, y
    return first + y.sum()


def swapped_in_arms_and_a_loop(a, x, y):
    x, y = x.copy(), y.copy()
    if a > 1:
        if y[2] > 5:
            pass
        else:
            y, x = x, y
    for _ in range(2):
        y[1] = a
        x, y = y, x
    if a > 3:
        return a
    y[[0]] += 1
    return np.sum(y)


FOLLOWED = [
    read_before_swaps, swapped_in_arms_and_a_loop,
    time_steps, steps_of_arguments, swapped_in_inner_loops, rows_with_positions,
    new_in_each_iteration, name_of_an_iteration, merged_dicts, list_made_anew_in_an_arm,
    parts_of_unknown_rank,
]


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_gradient(f):
    check_gradient(f, (1.5, X, Y), zyg.pullback)


def changed_in_a_branch(a, x, y):
    if a > 0:
        z = x if a > 1 else y
        z[0] = a * z[1]
    return np.sum(x)


def changed_in_a_loop(a, x, y):
    for _ in range(2):
        z = x if a > 1 else y
        z[0] = a * z[1]
    return np.sum(x)


def read_in_the_next_iteration(a, x, y):
    total = 0.0
    for i in range(2):
        total += x[0] * i
        z = x if a > 1 else y
        z[0] = a * z[1]
    return total


def change(v, w, a):
    z = v if a > 1 else w
    for i in range(2):
        z[i] = a
    return 0.0


def changed_by_a_call(a, x, y):
    change(x, y, a)
    return np.sum(x)


def swap_and_change(x, y, a):
    for _ in range(3):
        x[0] = x[0] * a
        x, y = y, x
    return np.sum(x)


def swapped_by_a_call(a, x, y):
    return swap_and_change(x, y, a) + np.sum(x)


def kept_around_a_loop(a, x, y):
    total = 0.0
    for _ in range(2):
        w = x
        for _ in range(3):
            x[0] = x[0] * y[1]
            x, y = y, x
        total += w[0]
    return total


def merged_before(a, x, y):
    m = x if a > 1 else y
    for _ in range(3):
        x[0] = x[0] * y[1]
        x, y = y, x
    return np.sum(m)


def view_from_before(a, x, y):
    v = x[1:]
    if a > 0:
        z = x if a > 1 else y
        z[1] = a * z[1]
    return np.sum(v)


def lists(a, x, y):
    first, second = [a], [2 * a]
    for i in range(3):
        z = first if i % 2 else second
        z.append(z[0] * a)
    return sum(first)


UNTOLD = [
    changed_in_a_branch, changed_in_a_loop, read_in_the_next_iteration, changed_by_a_call,
    swapped_by_a_call, kept_around_a_loop, merged_before, view_from_before, lists,
]


@pytest.mark.parametrize("f", UNTOLD, ids=lambda f: f.__name__)
def test_reading_another_name(f):
    check_gradient(f, (1.5, X.copy(), Y.copy()), zyg.pullback)


def inverse(x):
    for _ in range(1):
        y = np.linalg.inv(np.array([[2.0, x], [x, 3.0 + x]]))
    return y


def test_what_a_function_returned_and_saved_is_changed_by_its_caller():
    def f(x):
        y = inverse(x)
        y[0, 0] = 3.0
        return np.sum(y * np.array([[1.0, 2.0], [3.0, 4.0]]))

    zyg.check_grads(f, 0.3)


def test_a_branch_changes_two_arrays_that_an_adjoint_reads_later():
    def f(u, m, s):
        if s > 0.1:
            u[0] = s
        else:
            m[0] = np.tanh(m[1])
            u[1] = m[0, 0]
        t = np.sin(u)
        m[2] = u * t
        row = m.T[0]
        row[-1] = 0.5 * u[2]
        return np.sum(t) + np.sum(m * m)

    def of_copies(u, m, s):
        return f(u * 1.0, m * 1.0, s)

    random = np.random.default_rng(0)
    for s in (0.4, -0.4):
        zyg.check_grads(of_copies, random.uniform(size=4), random.uniform(size=(4, 4)), s)
