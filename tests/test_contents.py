"""Elements of containers that have other names."""

import copy

import numpy as np
import pytest

import zyg
from tests.corpus import memory_in_containers as corpus
from tests.differences import check_gradient

ROWS = corpus.ROWS
VECTOR = np.array([1.0, 2.0])


def shallow_copy(rows, x):
    other = rows[:]
    other[0][0] = x
    return rows[0][0]


def appended_element(rows, x):
    rows.append(rows[0])
    rows[0][0] = x
    return rows[3][0] * x


def appended_in_a_loop(rows, x):
    for _ in range(2):
        rows[0][0] *= x
        rows.append(rows[0])
    return rows[3][0] * x


def element_behind_an_insertion(rows, x):
    row = rows[0]
    rows.insert(0, [x, 1.0])
    rows[1][0] *= x
    return row[0]


def element_behind_a_deletion(rows, x):
    row = rows[1]
    del rows[0]
    rows[0][0] = x
    return row[0]


def names_of_swapped_elements(rows, x):
    a, b = rows[0], rows[1]
    rows[0], rows[1] = b, a
    rows[0][0] = x
    return b[0] * a[0]


def element_in_a_closure(rows, x):
    row = rows[0]
    read = lambda: row[0] * x
    rows[0][0] = x
    return read() * rows[1][0]


def filtered(rows, x):
    some = [row for row in rows if row[0] > 2]
    some[0][0] = x
    return rows[1][0]


def pop_and_change(rows, x):
    last = rows.pop()
    last[0] = x
    for _ in range(2):
        last[0] *= x
    return last[0]


def element_popped_by_a_helper(rows, x):
    last = rows[2]
    found = pop_and_change(rows, x)
    return last[0] * found


def same_row_twice(rows, x):
    corpus.add_multiple(rows[0], rows[0], x)
    return rows[0][0]


def extended_by_elements(rows, x):
    more = []
    more.extend(rows)
    rows[0][0] = x
    return more[0][0]


def element_of_a_stack(rows, x):
    stack = [rows]
    while stack:
        top = stack.pop()
        for row in top:
            row[0] *= x
    return rows[0][0] * rows[1][0]


def container_made_in_a_loop(rows, x):
    for _ in range(2):
        some = [rows[0]]
        some[0][0] *= x
    return rows[0][0]


def rows_of_an_array(x):
    m = np.ones((2, 2)) * x
    rows = list(m)
    rows[0][0] = x * x
    return m[0, 0]


def kept_of_a_loop(rows, x):
    saved = None
    for row in rows:
        if row[0] > 2:
            saved = row
        row[0] = x * row[1]
    return saved[0]


def two_containers(x):
    a = VECTOR * 1.0
    first, second = [a], [a]
    first[0][0] = x
    return second[0][0]


def list_and_dict(x):
    a = VECTOR * 1.0
    first, second = [a], {"k": a}
    a[0] = x
    return second["k"][0] * first[0][1]


def twice_in_a_list(x):
    a = np.zeros(2)
    rows = [a, a]
    rows[0][0] = x
    return sum((row * row).sum() for row in rows)


def repeated_list(x):
    grid = [[0.0] * 3] * 3
    grid[0][0] = x
    return grid[1][0] * grid[0][0]


def comprehension_of_one_row(x):
    row = [0.0, 1.0]
    grid = [row for _ in range(3)]
    grid[0][0] = x
    return grid[1][0]


def one_array_in_all_of_a_history(x):
    a, history = np.zeros(2), []
    for _ in range(3):
        history.append(a)
        a += x
    return sum((b * b).sum() for b in history)


def in_a_tuple_in_a_list(x):
    a = VECTOR * 1.0
    pairs = [(a, x)]
    a[0] = x
    return pairs[0][0][0]


def put_in_a_branch(x):
    a, held = [0.0], []
    if x > 1.0:
        held.append(a)
    held[0][0] = x
    return a[0]


def list_of_an_arm(x):
    a, b = VECTOR * 1.0, VECTOR * 2.0
    rows = [a] if x > 1.0 else [b]
    rows[0][0] = x
    return a[0]


def put_and_bound_in_a_branch(x):
    rows, row = [[1.0]], [0.0]
    if x > 1.0:
        row = [x]
        rows.append(row)
    rows[-1][0] = x * x
    return row[0]


def list_of_the_last_iteration(x):
    a, rows = VECTOR * 1.0, []
    for _ in range(2):
        rows = [a]
    rows[0][0] = x
    return a[0]


def name_of_the_last_iteration(x):
    rows, row = [], [0.0]
    for _ in range(2):
        row = [x]
        rows.append(row)
    rows[-1][0] = x * x
    return row[0]


def carried_to_the_next_iteration(x):
    rows, previous, other = [], [x], [x]
    for i in range(3):
        other = previous
        rows.append(previous)
        rows[-1][0] *= x
        previous = [x * i]
    return other[0]


def detached_in_a_loop(x):
    rows = [[1.0, 2.0], [3.0, 4.0]]
    row = rows[0]
    for i in range(3):
        row[0] *= x
        rows[0] = [x, x * i]
    return row[0] * rows[0][1] * x


def chosen_of_a_tuple(x, i=0):
    a, b = VECTOR * 1.0, VECTOR * 2.0
    chosen = (a, b)[i]
    a[0] = x
    return chosen[0]


OF_ROWS = [
    shallow_copy, appended_element, appended_in_a_loop, element_behind_an_insertion,
    element_behind_a_deletion, names_of_swapped_elements, element_in_a_closure, filtered,
    element_popped_by_a_helper, same_row_twice, extended_by_elements, element_of_a_stack,
    kept_of_a_loop,
]
OF_NUMBERS = [
    two_containers, list_and_dict, twice_in_a_list, repeated_list, comprehension_of_one_row,
    one_array_in_all_of_a_history, in_a_tuple_in_a_list, put_in_a_branch, list_of_an_arm,
    put_and_bound_in_a_branch, list_of_the_last_iteration, name_of_the_last_iteration,
    carried_to_the_next_iteration, rows_of_an_array, detached_in_a_loop, chosen_of_a_tuple,
]


def test_container_that_no_later_iteration_reads():
    rows, x = copy.deepcopy(ROWS), 2.0
    by_rows, by_x = zyg.gradient(container_made_in_a_loop, rows, x)
    assert by_x == 2 * x * ROWS[0][0]
    assert by_rows[0][0] == x * x


@pytest.mark.parametrize("f", OF_ROWS)
def test_other_names_of_elements(f):
    check_gradient(f, (ROWS, 2.0), zyg.pullback)


@pytest.mark.parametrize("f", OF_NUMBERS)
def test_other_names_of_local_elements(f):
    check_gradient(f, (2.0,), zyg.pullback)
    _, dot = zyg.jvp(f, (2.0,), (1.0,))
    assert dot == pytest.approx(zyg.gradient(f, 2.0)[0] or 0.0)


def same_rows(row, x):
    return corpus.item_of_row([row, row, [5.0, 6.0]], x)


def views_that_overlap(whole, x):
    return corpus.item_of_row([whole[:2], whole[1:3], np.ones(2)], x)


def one_array_in_a_list(whole, x):
    return corpus.arguments_in_a_list(whole, whole, x)


def weights_that_are_slopes(whole, x):
    corpus.descends_along_lists([whole], [whole[:]], x)
    return np.sum(whole**3)


@pytest.mark.parametrize(
    ("f", "memory"),
    [
        (same_rows, [1.0, 2.0]), (views_that_overlap, np.array([1.0, 2.0, 4.0, 3.0])),
        (one_array_in_a_list, np.array([1.0, 2.0, 4.0])),
        (weights_that_are_slopes, np.array([1.0, 2.0])),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_containers_that_hold_the_same_memory(f, memory):
    check_gradient(f, (memory, 0.1), zyg.pullback)


def test_arguments_that_hold_the_same_memory():
    """Whatever the call is given, the second one as the first, each part has one gradient."""
    whole = np.array([1.0, 2.0, 4.0, 3.0])
    for rows in ([whole[:2], whole[2:]], [whole[:2], whole[1:3]], [whole[:2], whole[2:]]):
        before = whole.copy()
        by_rows, by_x = zyg.gradient(corpus.item_of_row, [*rows, np.ones(2)], 2.0)
        whole[:] = before
        step = 1e-6
        above = corpus.item_of_row([*rows, np.ones(2)], 2.0 + step)
        whole[:] = before
        below = corpus.item_of_row([*rows, np.ones(2)], 2.0 - step)
        whole[:] = before
        assert by_x == pytest.approx((above - below) / (2 * step))
        assert [row.shape for row in by_rows] == [(2,), (2,), (2,)]


def stack_behind_a_change(rows, a):
    a[0] = 5.0
    return np.sum(np.stack(rows))


class Held:
    def __init__(self, a):
        self.a = a


def total_of(held):
    total = 0.0
    for i in range(2):
        total += held.a[i]
    return total


def object_behind_a_change(held, a, x):
    a[0] = x
    return total_of(held)


def test_what_containers_and_objects_hold_is_compared_with_what_is_changed():
    a = np.ones(2)
    assert zyg.gradient(stack_behind_a_change, [np.ones(2)], a)[0][0].tolist() == [1.0, 1.0]
    ((found,), bar) = zyg.gradient(stack_behind_a_change, [a], a)
    assert (found + bar).tolist() == [0.0, 1.0]
    a[:] = 1.0
    by_object, by_array, by_x = zyg.gradient(object_behind_a_change, Held(a), a, 2.0)
    assert by_object["a"].tolist() == by_array.tolist() == [0.0, 1.0] and by_x == 1.0


def set_of_numbers(x):
    members, total = set(), 0.0
    members.add(x * x)
    members.update([x * x, 1.0])
    members.discard(1.0)
    for member in members:
        total += member
    return total


def set_of_keys(x):
    members, total = {1, 2}, 0.0
    members.add(3)
    for member in members:
        total += member * x
    return total


def test_members_of_sets_that_are_changed():
    assert zyg.gradient(set_of_numbers, 2.0) == (4.0,)
    assert zyg.gradient(set_of_keys, 2.0) == (6.0,)


def fill_table(x, n):
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            table[i][j] = x * table[i - 1][j] + 1.0
    return table[-1][-1]


def test_no_version_of_a_table_is_copied_for_its_lengths():
    assert "kept" not in str(zyg.code_gradient(fill_table, 2.0, 3))


def changes_one_of_two(x, y):
    a, b = [x], [y]
    for i in range(3):
        c = a if i % 2 else b
        c[0] *= y
    return a[0] * b[0]


def changes_a_view_or_all_of_it(x, y):
    a = np.array([x, y])
    for k in (x, y):
        b = a[1:] if k == y else a
        b *= k
    return np.sum(a)


def changes_what_it_was_first(x, y):
    a = [x, y]
    b = a
    for i in range(4):
        if i == 2:
            b = [x]
        b.append(x * y)
    return sum(a) + sum(b)


def change_one(a, b, n):
    if n > 1:
        c = a if n % 2 else b
        c[0] *= 2.0


def calls_what_changes_one_of_two(x, y):
    a, b = [x], [y]
    change_one(a, b, 3)
    return a[0] * b[0]


@pytest.mark.parametrize("f", [
    changes_one_of_two, changes_a_view_or_all_of_it, changes_what_it_was_first,
    calls_what_changes_one_of_two,
])
def test_a_change_of_one_of_several_in_a_block(f):
    check_gradient(f, (0.7, 1.3), zyg.pullback)


def replaced_and_changed(x, y):
    a = np.array([x, y])
    for i in range(4):
        if i == 2:
            a = a * 2.0
        a[0] += x
    return np.sum(a)


def test_what_a_loop_replaces_and_changes():
    assert zyg.gradient(replaced_and_changed, 0.7, 1.3) == (8.0, 2.0)


def descended(params, gradients, rate):
    for i, (param, slope) in enumerate(zip(params, gradients, strict=False)):
        param -= rate * slope * (i + 1)
    return sum(np.sum(param**3) for param in params)


def scaled_by_numbers(rows, factors):
    for i, (row, factor, other) in enumerate(zip(rows, factors, rows, strict=False)):
        row[0] *= factor * other[1]
        if i > 1:
            break
    return rows[0][0] * rows[1][0]


def test_a_loop_with_numbers_over_what_it_changes():
    given = [np.array([[0.5, 1.0]]), np.array([2.0]), np.array([3.0])]
    slopes = [np.array([[0.1, 0.2]]), np.array([0.3])]  # the shorter one decides
    check_gradient(descended, (given, slopes, 0.5), zyg.pullback)
    check_gradient(scaled_by_numbers, ([[1.0, 2.0], [3.0, 4.0]], [0.5, 0.7, 0.9]), zyg.pullback)
    check_gradient(scaled_by_numbers, (np.arange(1.0, 7.0).reshape(3, 2), (2.0, 3.0)), zyg.pullback)


def pairs_of_a_way(x, dt):
    way, t = [], 0.0
    for _ in range(4):
        way.append((t, x))
        x = x + dt * np.sin(x) * t
        t += dt
    return sum(time * np.sum(place**2) for time, place in way)


def lists_of_a_way(x, y):
    way = []
    for _ in range(3):
        way.append([x, y])
        x = x * 2.0
    return sum(np.sum(a * a) * np.sum(b) for a, b in way)


def dicts_of_a_way(x, y):
    way = []
    for i in range(4):
        way.append({"x": x, "i": i})
        x = x + y * np.sin(x)
        if i == 2:
            way[0]["x"][0] = 3.0
    return sum(np.sum(found["x"] ** 2) for found in way)


@pytest.mark.parametrize("f", [pairs_of_a_way, lists_of_a_way, dicts_of_a_way])
def test_what_a_loop_puts_into_containers_and_makes_anew(f):
    check_gradient(f, (np.array([0.3, -0.7]), 0.5), zyg.pullback)
    check_gradient(f, (np.array([0.3, -0.7, 2.0]), 0.1), zyg.pullback)
