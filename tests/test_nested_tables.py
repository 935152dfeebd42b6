"""Second derivatives where objects hold what holds memory itself: rows of a table, lists in a dict,
arrays in a list, which are changed in place."""

import copy
from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

import zyg
from tests.orders_of_modes import MODES, check_second_derivative, forward

X = 1.3


class Table:
    def __init__(self, rows):
        self.rows = rows

    def add(self, *items):
        self.rows.append([*items])
        return self.rows[-1]

    def total(self):
        return sum(sum(row) for row in self.rows)


def pair(x):
    return Table([[x], [x * x]])


# Programs


def grown_and_changed(x):
    table = Table([])
    for k in range(3):
        table.add(x + k, x * x * k)
    table.rows[1][0] = table.rows[0][0] * table.rows[2][1]
    table.rows[0].append(x**3)
    total = 0.0
    for row in table.rows:
        for value in row:
            total = total + value * value
    return total


def made_an_array(x):
    table = Table([])
    for k in range(3):
        table.add(x + k, x * x * k)
    table.rows[1][0] *= x
    array = np.array(table.rows)
    return np.sum(array * array)


def arrays_in_a_list(x):
    table = Table([np.array([x, x * x]), np.array([1.0, x])])
    for i in range(2):
        table.rows[i] -= 0.1 * table.rows[1 - i] * x
    table.rows[0][1] = table.rows[1][0] * x
    return np.sum(table.rows[0] * table.rows[1])


def lists_in_a_dict(x):
    table = Table({"a": [x], "b": [x * x, 1.0]})
    table.rows["a"].append(x * table.rows["b"][0])
    table.rows["c"] = [x**3]
    table.rows["c"][0] = table.rows["c"][0] * x
    return sum(row[0] * row[-1] for row in table.rows.values())


def under_other_names(x):
    rows = [[x, 1.0], [x * x, 2.0]]
    table = Table(rows)
    rows[0][0] = rows[1][0] * x
    table.rows[1][1] = table.rows[0][0] * 2
    row = rows.pop()
    row[0] = row[0] * x
    return row[0] * row[1] * table.rows[0][0]


def one_row_twice(x):
    table = Table([[x] * 2 for _ in range(2)])
    row = table.rows[0]
    row[1] = x * x
    table.rows[1] = row
    table.rows[1][0] = row[1] * x
    first, second = table.rows
    return first[0] * second[1] * len(table.rows)


def all_ways_to_grow(x):
    table = Table([])
    table.rows.extend([[x, x * x], [x]])
    table.rows.insert(0, [x**3])
    table.rows += [[x]]
    table.rows[1:2] = [[x * 2], [x * 3]]
    for i, row in enumerate(table.rows):
        row.append(row[0] * i)
    return table.total() * table.rows[0][0]


def three_deep(x):
    table = Table([[[x], [x * x]], [[1.0]]])
    table.rows[0][1].append(table.rows[0][0][0] * x)
    table.rows[1][0][0] = x
    return sum(sum(cell) for row in table.rows for cell in row) * table.rows[0][1][1]


def lists_by_default(x):
    table = Table({})
    for k in range(3):
        table.rows.setdefault(k % 2, []).append(x * (k + 1))
    return sum(row[0] * row[-1] for row in table.rows.values())


class Momentum:
    def __init__(self, weights):
        self.weights = weights
        self.means = [np.zeros_like(w) for w in weights]

    def step(self, slopes):
        for w, mean, slope in zip(self.weights, self.means, slopes, strict=True):
            mean *= 0.9
            mean += 0.1 * slope
            w -= 0.5 * mean


def optimiser(x):
    found = Momentum([np.array([x, 1.0]), np.array([x * x])])
    for _ in range(2):
        found.step([w * w * x for w in found.weights])
    return sum(np.sum(w) for w in found.weights) + np.sum(found.means[0])


def weights_by_name(x):
    table = Table({"w": np.array([x, x * x]), "b": np.array([1.0, x])})
    means = {name: np.zeros(2) for name in table.rows}
    for _ in range(2):
        for name in table.rows:
            slope = table.rows[name] * table.rows["w"] * 0.1
            means[name] = 0.9 * means[name] + slope
            table.rows[name] -= means[name]
    return sum(np.sum(w * w) for w in table.rows.values())


def shared_by_closures(x):
    table = []

    def put(value):
        table.append([value, value * x])
        return table[-1]

    def change(i):
        table[i][0] *= x

    row = put(x)
    put(x * x)
    change(0)
    change(1)
    return row[0] * table[1][0] + table[0][1]


def fails_midway(x):
    table = Table([[x], [2.0]])
    table.rows[0], table.rows[1] = table.rows[1], table.rows[0]
    table.rows[0][0] *= x
    try:
        table.rows[1].append(table.rows[0][0])
        table.rows[5][0] = 1.0
    except IndexError:
        table.rows.append([x * table.rows[1][1]])
    return table.rows[2][0] * table.rows[1][0]


def table_of_a_recurrence(x):
    table = Table([[0.0] * 3 for _ in range(3)])
    for i in range(3):
        for j in range(3):
            above = table.rows[i - 1][j] * x if i else 0.0
            beside = table.rows[i][j - 1] if j else j
            table.rows[i][j] = x * (i + 1) + above + beside
    return table.rows[2][2]


PROGRAMS = [
    grown_and_changed, made_an_array, arrays_in_a_list, lists_in_a_dict, under_other_names,
    one_row_twice, all_ways_to_grow, three_deep, lists_by_default, optimiser, weights_by_name,
    shared_by_closures, fails_midway, table_of_a_recurrence,
]


@pytest.mark.thorough
@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f, inner, outer):
    check_second_derivative(f, inner, outer, X)


# Names of rows that were there before a change


def list_of_the_rows(x):
    table = pair(x)
    rows = list(table.rows)
    table.rows[0][0] = x**3
    return rows[0][0] * rows[1][0]


def slice_of_the_rows(x):
    table = pair(x)
    rows = table.rows[:1]
    table.rows[0][0] = x**3
    return rows[0][0] * x


def longer_list(x):
    table = pair(x)
    more = [[x]]
    rows = table.rows + more
    table.rows[0][0] = x**3
    return rows[0][0] * rows[2][0] * rows[1][0]


def copies_of_rows(x):
    table = pair(x)
    rows = [row[:] for row in table.rows]
    table.rows[0][0] = x**3
    return rows[0][0] * rows[1][0]


def deep_copy(x):
    table = pair(x)
    rows = copy.deepcopy(table.rows)
    table.rows[0][0] = x**3
    return rows[0][0] * rows[1][0]


def list_of_rows_as_an_array(x):
    table = Table([[x, 1.0], [2.0, x]])
    rows = [table.rows[0], table.rows[1]]
    table.rows[0][0] = x * x
    return np.sum(np.array(rows)) * x


def rows_of_two_objects(x):
    first, second = Table([x * 2]), Table([x])
    rows = [first.rows, second.rows]
    first.rows[0] = x**3
    return np.sum(np.array(rows) ** 2) * rows[0][0]


def merged_dicts(x):
    table = Table({"a": [x]})
    merged = {**table.rows, "b": [x * x]}
    table.rows["a"][0] = x**3
    return merged["a"][0] * merged["b"][0]


def plain_copy_of_a_dict(x):
    table = Table({"a": [x]})
    rows = dict(table.rows)
    rows["c"] = [x]
    table.rows["a"][0] = x**3
    return rows["a"][0] * rows["c"][0]


def missing_and_there(x):
    table = Table({"a": [x]})
    return table.rows.get("q", [x * x])[0] * table.rows.get("a", [x])[0]


def starred_and_reversed(x):
    table = pair(x)
    rows = [*table.rows, [x]]
    table.rows[0][0] = x**3
    first, *rest = table.rows
    rest[0][0] *= x
    return rows[0][0] * rows[2][0] + table.rows[::-1][0][0] * first[0] * list(reversed(rows))[1][0]


def changed_by_callees(x):
    table = pair(x)

    def grow(rows):
        rows.append([x * x])
        rows[0] = [x]

    def change(row):
        row[0] = row[0] * x
        row.append(x)

    grow(table.rows)
    change(table.rows[2])
    for row in table.rows:
        change(row)
    return table.rows[2][0] * table.rows[0][1] + table.total()


def cleared(x):
    rows = pair(x).rows
    table = Table(rows)
    rows.append([x])
    rows[2][0] = x * x
    last = rows[1:]
    last[0][0] = x**3
    rows[:] = [[x]]
    return last[0][0] * last[1][0] * len(table.rows) * table.rows[0][0]


def held_twice(x):
    table = pair(x)
    other = Table(table.rows)
    other.rows.append(table.rows[0])
    other.rows[2][0] = x**3
    table.first = table.rows[0]
    table.first.append(x * x)
    return table.rows[0][0] * table.rows[2][0] * table.rows[0][1]


def largest_row(x):
    table = pair(x)
    row = max(table.rows, key=lambda row: row[0])
    row[0] = row[0] * x
    return table.rows[1][0] * row[0]


def arrays_joined(x):
    table = Table([np.array([x, 1.0]), np.array([x * x])])
    table.rows[1][0] = table.rows[0][0] * x
    joined = np.concatenate(table.rows)
    again = np.concatenate((table.rows[0], table.rows[1]))
    table.rows[0] *= 2
    return np.sum(joined * again) * table.rows[0][0] + np.sum(np.hstack(table.rows))


def row_of_a_tuple(x):
    table = Table(([x], [x * x]))
    table.rows[0].append(x)
    return table.rows[0][1] * table.rows[1][0]


def updated_dict(x):
    table = Table({"a": [x]})
    table.rows.update({"z": [x * x]})
    table.rows["z"][0] *= x
    return table.rows["z"][0]


def deque_of_rows(x):
    table = Table(deque([[x], [x * x]]))
    table.rows.append([x])
    row = table.rows.popleft()
    row[0] = row[0] * x
    return row[0] * table.rows[0][0]


def deque_of_states(x):
    table = Table(deque([np.array([x, 1.0])]))
    first = np.array([x, x])
    table.rows.appendleft(first)
    first[0] = x**3
    table.rows.rotate(1)
    table.rows.extend([first * x])
    table.rows[2][0] = x**2
    last = table.rows.pop()
    last[0] *= x
    return np.sum(table.rows[0] * table.rows[1] * last)


def queue_that_is_worked_off(x):
    table = Table(deque([[x], [x * x]]))
    copied = list(table.rows)
    while table.rows:
        row = table.rows.popleft()
        row[0] *= x
        if len(row) < 3:
            row.append(x)
            table.rows.append(row)
    return row[0] * row[1] * copied[0][0]


def ordered_dict_of_arrays(x):
    table = Table(OrderedDict({"p": [np.array([x])], "q": [np.array([2 * x])]}))
    for rows in table.rows.values():
        for array in rows:
            array *= x
    table.rows.move_to_end("p")
    return table.rows["p"][0][0] * table.rows["q"][0][0]


NAMES = [
    list_of_the_rows, slice_of_the_rows, longer_list, copies_of_rows, deep_copy,
    list_of_rows_as_an_array, rows_of_two_objects, merged_dicts, plain_copy_of_a_dict,
    missing_and_there, starred_and_reversed, changed_by_callees, cleared, held_twice, largest_row,
    arrays_joined, row_of_a_tuple, updated_dict, deque_of_rows, deque_of_states,
    queue_that_is_worked_off, ordered_dict_of_arrays,
]


@pytest.mark.thorough
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", NAMES, ids=lambda f: f.__name__)
def test_names_of_rows(f, mode):
    check_second_derivative(f, mode, mode, X)


# Refused, or right


def rows_made_by_a_factory(x):
    table = Table(defaultdict(list))
    table.rows["a"].append(x * x)
    table.rows["a"].append(table.rows["a"][0] * x)
    return table.rows["a"][1]


def numbers_beside_rows(x):
    table = Table([x, [x * x]])
    table.rows[1].append(x)
    return table.rows[0] * table.rows[1][1]


@pytest.mark.parametrize("mode", MODES)
def test_rows_made_by_a_factory(mode):
    second = mode(mode(rows_made_by_a_factory))(X)
    assert second == pytest.approx(6 * X)


@pytest.mark.parametrize("mode", MODES)
def test_numbers_beside_rows_are_refused(mode):
    with pytest.raises(zyg.ZygError):
        mode(mode(numbers_beside_rows))(X)


def test_rows_of_an_argument():
    table = pair(X)

    def program(t):
        table.rows[0][0] = t * t
        return table.rows[0][0] * t

    def slope(given, x):
        return zyg.gradient(lambda s: given.total() * s * program(s), x)[0]

    # The slope is 4 x^3 (a + b), by what the rows hold at first.
    rows_bar = pytest.approx([4 * X**3])
    assert zyg.gradient(slope, table, X) == (
        {"rows": [rows_bar, rows_bar]}, pytest.approx(12 * X * X * (X + X * X))
    )
    assert forward(program)(X) == pytest.approx(3 * X * X)
