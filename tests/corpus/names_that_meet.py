"""Memory that is changed in place and has several names: chosen, linked, grouped, carried from one
iteration to the next, in two containers, of overlapping arguments, held by objects or not."""

import numpy as np

from tests.corpus.registry import program

XS = [1.3, 0.7, 2.1, 1.9]


class Board:
    def __init__(self, rows=()):
        self.rows = list(rows)


def pick(first, second, is_first):
    return first if is_first else second


def fill(row, value):
    row[0] = value
    row[1] *= 2.0


def change_first(a, b):
    a[0] = 2.0 * b[0]
    return np.sum(a * b)


@program((XS,))
def linked_list(xs):
    head = {"value": 0.0, "next": None}
    node = head
    for x in xs:
        node["next"] = {"value": x * x, "next": None}
        node = node["next"]
    total, node, factor = 0.0, head, 1.0
    while node is not None:
        total += node["value"] * factor
        node, factor = node["next"], factor + 1.0
    return total


@program((1.5,))
def cells_of_lists(x):
    head = [x, None]
    cell = head
    for i in range(3):
        cell[1] = [cell[0] * x, None]
        cell = cell[1]
        cell[0] += i
    return head[1][1][0] * head[1][0] + cell[0]


@program((XS,))
def groups_of_two(xs):
    groups, group = [], None
    for x in xs:
        if group is None or len(group) == 2:
            group = []
            groups.append(group)
        group.append(x * x)
    return sum(sum(group) * i for i, group in enumerate(groups, 1))


@program((XS,))
def one_of_two_buckets(xs):
    small, large = [], []
    for x in xs:
        bucket = small if x < 1.5 else large
        bucket.append(x * x)
    return sum(small) + 2.0 * sum(large) * small[0]


@program((np.array([1.0, 2.0]), np.array([3.0, 4.0]), 1.5), (np.ones(2), np.ones(2), 0.5))
def one_of_two_arrays(a, b, x):
    chosen = a if x > 1.0 else b
    chosen[0] = x * x
    chosen *= 1.5
    return np.sum(a * a * b)


@program((1.5,))
def one_that_a_function_picks(x):
    a, b = np.array([x, 1.0]), np.array([2.0, x])
    pick(a, b, x > 1.0)[0] = x * x
    fill(pick(a, b, x > 2.0), x)
    return np.sum(a * b)


@program((1.5,))
def list_in_two_lists(x):
    a = [x, 1.0]
    first, second = [a], [a, [x]]
    first[0][0] = x * x
    second[0].append(x)
    return sum(first[0]) * second[0][0]


@program((1.5,))
def array_under_two_keys(x):
    a = np.array([x, 1.0, 2.0])
    by_name = {"u": a, "v": a, "w": a * 2.0}
    for key in by_name:
        by_name[key][1] += x
    return np.sum(by_name["u"] ** 2) + np.sum(by_name["w"])


@program((1.5,))
def one_row_many_times(x):
    grid = [[0.0, x]] * 3
    for i in range(3):
        grid[i][0] += x * (i + 1)
    return grid[0][0] * grid[2][1]


@program(([[1.0, 2.0], [3.0, 4.0], [0.5, 6.0]], 2.0))
def rows_that_are_filtered(rows, x):
    some = [row for row in rows if row[0] > 2.0]
    some[0][0] = x * some[0][1]
    return rows[1][0] * rows[1][1] + rows[2][0]


@program(([[1.0, 2.0], [3.0, 4.0]], 2.0))
def row_behind_a_deletion(rows, x):
    row = rows[1]
    del rows[0]
    rows[0][0] = x * x
    return row[0] * row[1]


@program((np.array([1.0, 2.0, 4.0, 3.0]),))
def overlapping_arguments(whole):
    w = whole * 1.0
    return change_first(w[:3], w[1:]) + change_first(w, w) + change_first(w[:2], w[2:])


@program((np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),))
def copies_that_look_like_views(a):
    b, c = a * 1.0, a * 1.0
    flat, line = b.T.reshape(-1), c.reshape(-1)
    flat[0] = 3.0 * b[0, 1]
    line[0] = 3.0 * b[0, 2]
    return np.sum(b**2) + np.sum(c**2) + flat[0]


@program((np.array([1.3, 0.7]),))
def history_of_one_array(a):
    history = []
    for i in range(3):
        a *= a + i
        history.append(a)
    return np.sum(history[0] * history[2])


@program((1.5,))
def what_the_last_iteration_has_made(x):
    rows, row, before = [], [x], [x]
    for i in range(3):
        before = row
        row = [x * i, 1.0]
        rows.append(row)
    rows[-1][0] = x * x
    rows[-2][1] = x
    return row[0] * before[1]


@program((1.5,))
def what_the_last_iteration_has_given_to_an_object(x):
    board, row, before = Board(), [x], [x]
    for i in range(3):
        before = row
        row = [x * i, 1.0]
        board.rows.append(row)
    board.rows[-1][0] = x * x
    board.rows[-2][1] = x
    return row[0] * before[1]


@program((1.5, 1), (1.5, 0))
def what_the_last_iteration_has_given_in_try(x, n):
    board, row, before = Board(), [x], [x]
    try:
        for i in range(3):
            before = row
            row = [x * i / n, 1.0]
            board.rows.append(row)
        board.rows[-1][0] = x * x
        board.rows[-2][1] = x
    except ZeroDivisionError:
        return 3.0 * x
    return row[0] * before[1]


@program((1.5, 2), (1.5, 0), (1.5, 9))
def what_an_iteration_before_has_given(x, n):
    board, row, before = Board(), [x, x * x], [x, 1.0]
    for i in range(4):
        if i >= n:
            before = row
        row = [x * i, x + i]
        board.rows.append(row)
    board.rows[-2][1] = x
    board.rows[0][0] = x * x
    return before[1] * row[0] + before[0]


@program((1.5, 2), (1.5, 9))
def what_iterations_swap_where_one_fails(x, n):
    board, first, second, third = Board(), [x], [x], [x]
    for i in range(5):
        try:
            third, second = second, first
            first = [x * i + 1.0]
            board.rows.append(first)
            if i == n:
                raise ValueError
        except ValueError:
            first, second = second, first
    board.rows[2][0] = x**3
    board.rows[3][0] *= x
    return first[0] * second[0] * third[0]


@program((np.array([1.3, 0.7]),))
def arrays_of_an_object_and_of_ones_own(u):
    board, own = Board([u * 2.0]), 0.7 * u
    named = {"p": board.rows[0], "q": own}
    for array in named.values():
        array[1] += u[0]
    pick(board.rows[0], own, u[0] > 3.0)[0] = u[1] ** 2
    return np.sum(board.rows[0] * own)


@program((1.5,))
def function_of_what_changes_later(x):
    a = np.zeros(3)
    total = summing(a)
    a[0] = x * x
    return total() * x


def summing(a):
    return lambda: np.sum(a)


@program((1.5,))
def rows_that_turn(x):
    rows = [[x, 1.0], [2.0, x], [x, x]]
    row = rows[0]
    for i in range(4):
        row[0] += x * i
        rows = rows[1:] + [row]
        row = rows[0]
    return sum(r[0] * r[1] for r in rows)


@program((1.5,))
def walk_up_a_tree(x):
    root = {"sum": x, "parent": None}
    node = root
    for i in range(3):
        node = {"sum": x * i, "parent": node}
    leaf = node
    while node["parent"] is not None:
        node["parent"]["sum"] += node["sum"] * x
        node = node["parent"]
    return root["sum"] + leaf["sum"]
