"""Containers that objects hold, filled or changed under one name, and read by another one.

Of one that is empty, or holds None, the type says nothing of what it will hold.
"""

import operator
from collections import defaultdict, deque

import pytest

import zyg
from tests.scalar_checks import check_first, check_twice
from zyg.errors import NotDifferentiable, UnsupportedSyntax

X = 1.3


class Box:
    def __init__(self):
        self.a, self.b, self.rows, self.d, self.table = [], [], [], {}, [[1.0]]


class Other:
    def __init__(self):
        self.c = []


GLOBAL = Box()


def filled_by_another_object(x):
    box, other = Box(), Other()
    other.c = box.a
    other.c.append(x * x)
    return box.a[0] * x


def dict_filled_by_another_object(x):
    box, other = Box(), Other()
    other.c = box.d
    other.c["k"] = x * x
    return box.d["k"] * x


def dict_in_a_dict(x):
    box, other = Box(), Other()
    box.d = {"k": {}}
    other.c = box.d["k"]
    other.c["u"] = x * x
    return box.d["k"]["u"] * x


def row_of_a_list(x):
    box = Box()
    box.rows = [[]]
    box.b = box.rows[0]
    box.b.append(x * x)
    return box.rows[0][0] * x


def none_is_replaced(x):
    box = Box()
    box.a = [None]
    box.b = box.a
    box.b[0] = x * x
    return box.a[0] * x


def of_a_global(x):
    GLOBAL.a = [0]
    GLOBAL.b = GLOBAL.a
    GLOBAL.b[0] = x * x
    return GLOBAL.a[0] * x


def ints_become_floats(x):
    box = Box()
    box.a = [1, 2]
    box.b = box.a
    box.b.append(x * x)
    return box.a[2] * x


FILLED = [
    filled_by_another_object, dict_filled_by_another_object, dict_in_a_dict, row_of_a_list,
    none_is_replaced, of_a_global, ints_become_floats,
]


@pytest.mark.parametrize("f", FILLED)
def test_filled_by_another_attribute(f):
    check_first(f, X)


def rows_that_grow(x):
    box = Box()
    for _ in range(3):
        box.rows.append([])
    for i in range(3):
        box.rows[i].append(x**i)
    return box.rows[1][0] * box.rows[2][0]


def dicts_that_grow(x):
    box = Box()
    for a, b, value in (("u", "v", x), ("v", "w", x * x), ("u", "w", x**3), ("u", "v", 2 * x)):
        if a not in box.d:
            box.d[a] = {}
        box.d[a][b] = value
    return box.d["u"]["v"] * box.d["v"]["w"] + box.d["u"]["w"]


def dicts_of_a_captured_one(x):
    table = {}

    def put(a, b, value):
        if a not in table:
            table[a] = {}
        table[a][b] = value

    put("u", "v", x * x)
    put("u", "w", x)
    put("v", "w", x**3)
    return table["u"]["v"] * table["v"]["w"]


def add_row(table):
    table.append([])


def row_by_a_function(x):
    box = Box()
    add_row(box.rows)
    box.rows[0].append(x * x)
    return box.rows[0][0] * x


def never_filled(x):
    box = Box()
    box.a.append(x)
    return x**3 * (1 + len(box.b)) + sum(box.b)


class Defaults:
    def __init__(self):
        self.rows, self.named = defaultdict(list), defaultdict(dict)
        self.sums = defaultdict(lambda: [0.0, 0.0])


def lists_that_a_dict_makes(x):
    made = Defaults()
    for i in range(4):
        made.rows[i % 2].append(x * i + x * x)
    made.rows[0][1] *= x
    total = 0.0
    for key, row in made.rows.items():
        for value in row:
            total += value * value * (key + 1)
    return total + len(made.rows[7])


def dicts_that_a_dict_makes(x):
    made = Defaults()
    for a, b, value in (("u", "v", x), ("v", "w", x * x), ("u", "v", x**3)):
        made.named[a][b] = value
    return made.named["u"]["v"] * made.named["v"]["w"] * (1 + len(made.named["z"]))


def sums_that_a_dict_makes(x):
    made = Defaults()
    for key, value in (("u", x), ("v", x * x), ("u", x**3)):
        made.sums[key][0] += value
        made.sums[key][1] += value * value
    return made.sums["u"][1] * made.sums["v"][0]


def put_into_another_table(x):
    box = Box()
    box.rows.append(box.table)
    box.table.append([x * x])
    box.table[0] = [x**3]
    return box.rows[0][1][0] * box.rows[0][0][0]


def inserted_and_taken(x):
    box = Box()
    box.rows.insert(0, box.table)
    place = box.rows.index(box.table)
    taken = box.rows.pop(place)
    taken[0] = [x * x]
    return box.table[0][0] * x


class Queue:
    def __init__(self):
        self.table, self.rows = [[1.0]], deque()


def put_into_a_queue(x):
    box = Queue()
    box.rows.appendleft(box.table)
    box.table[0] = [x * x]
    return box.rows[0][0][0] * x


def put_into_a_dict(x):
    box = Box()
    box.d.setdefault("k", box.table)
    box.table[0] = [x * x]
    return box.d["k"][0][0] * x


def joined(x):
    box = Box()
    box.rows = operator.add(box.rows, [box.table])
    twice = box.rows * 2
    twice[1][0] = [x * x]
    return box.table[0][0] * box.rows[0][0][0]


def by_a_bound_method(x):
    box = Box()
    put = box.rows.append
    put(box.table)
    box.table[0] = [x * x]
    return box.rows[0][0][0] * x


def an_attribute_in_a_table(x):
    box = Box()
    box.rows.append(box.a)
    box.a.append([x * x])
    return box.rows[0][0][0] * x


TWICE = [
    row_of_a_list, an_attribute_in_a_table, rows_that_grow, dicts_that_grow,
    dicts_of_a_captured_one, row_by_a_function, never_filled, lists_that_a_dict_makes,
    dicts_that_a_dict_makes, sums_that_a_dict_makes, put_into_another_table, inserted_and_taken,
    put_into_a_queue, put_into_a_dict, joined, by_a_bound_method,
]


@pytest.mark.parametrize("f", TWICE)
def test_second_derivatives(f):
    check_twice(f, X)


def rows_of_rows(x):
    box = Box()
    box.rows.append([])
    box.rows[0].append([])
    box.rows[0][0].append(x * x)
    return box.rows[0][0][0] * x


def a_local_name(x):
    box, names = Box(), []
    box.a = names
    box.rows = [names]
    box.a.append(x * x)
    return box.rows[0][0] * x


def two_tables(x):
    box = Box()
    for _ in range(2):
        box.rows.append([])
    row = box.rows[1]
    box.b.append(row)
    row.append(x * x)
    box.a = box.b[0]
    box.a.append(x)
    return box.rows[1][1] * box.rows[1][0]


@pytest.mark.parametrize("f", [rows_of_rows, a_local_name, two_tables])
def test_never_wrong(f):
    """Right in first order; refused in second order, where a type can't be told."""
    check_first(f, X)
    for second in lambda: zyg.hvp(f, X, 1.0), lambda: zyg.gradient(zyg.grad(f), X):
        with pytest.raises((NotDifferentiable, UnsupportedSyntax)):
            second()
