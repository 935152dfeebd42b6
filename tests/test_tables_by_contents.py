"""First derivatives of tables that grow from nothing, whose types don't settle: an object stands
for what each row holds, as in second derivatives, where that asks nothing when it runs."""

from __future__ import annotations

import copy
from collections import defaultdict

import pytest

import zyg
from ir import facts
from zyg.compiler.nested import contents_objects
from zyg.held import held_checks


class Table:
    def __init__(self, rows=None):
        self.rows = [] if rows is None else rows

    def square(self):
        return sum(v * v for row in self.rows for v in row)


class Graph:
    def __init__(self):
        self.edges = defaultdict(list)

    def add(self, a, b, weight):
        self.edges[a].append((b, weight))


def row_that_is_given(table, row, x):
    table.rows.append([])
    table.rows[0].append(x)
    table.rows.append(row)
    table.rows[1].append(x * x)
    row[0] = row[0] * x
    return table.square() + row[0] * row[1]


def row_of_two_tables(table, other, x):
    table.rows.append([])
    table.rows[0].append(x)
    other.rows.append(table.rows[0])
    other.rows[0].append(x * x)
    table.rows[0][0] = table.rows[0][0] * x
    return table.square() + sum(v * v * v for row in other.rows for v in row)


def triangle(table, x):
    for i in range(3):
        table.rows.append([])
        for j in range(i + 1):
            table.rows[i].append(x ** (i + j))
    last = table.rows[-1]
    for row in table.rows:
        row[0] = row[0] + last[0]
    return table.square()


def row_that_fails(table, x):
    table.rows.append([])
    table.rows.append([])
    table.rows[0].append(x)
    try:
        table.rows[1].append(x * x)
        table.rows[1][5] = 1.0
    except IndexError:
        table.rows[1].append(x**3)
    return table.square()


def fill(table, n, x):
    table.rows.append([])
    table.rows[-1].append(x * n)
    if n > 0:
        fill(table, n - 1, x * x)
    table.rows[0].append(table.rows[-1][0] * x)


def by_a_recursion(table, x):
    fill(table, 3, x)
    return table.square()


def replaced(table, x):
    table.rows.append([])
    table.rows[0].append(x)
    old = table.rows
    table.rows = []
    table.rows.append([])
    table.rows[0].append(old[0][0] * x)
    old[0][0] = x**3
    return table.rows[0][0] + old[0][0]


def sorted_and_copied(table, x):
    table.rows.append([])
    table.rows[0].append(x)
    table.rows[0].append(x * x)
    table.rows.append(table.rows[0][:])
    table.rows[1][0] *= x
    table.rows[0].reverse()
    table.rows[0].sort()
    table.rows[1] += [x]
    table.rows.append(sorted(table.rows[1]))
    table.rows[2][0] = x * 5
    return sum(
        v * v * (i + 1) * (j + 2) for i, row in enumerate(table.rows) for j, v in enumerate(row)
    )


def popped(table, x):
    table.rows.append([])
    table.rows.append([])
    table.rows[0].append(x)
    table.rows[1].append(x * x)
    row = table.rows.pop()
    row.append(x**3)
    table.rows.append(row)
    row[0] = row[0] * x
    table.rows.insert(0, row)
    return table.square()


def computed_before_a_change(table, x):
    table.rows.append([])
    table.rows[0].append(x)
    total = sum(table.rows[0]) * x
    table.rows[0].append(x)
    table.rows[0][0] = 5.0
    return total


def shortest_way(table, x):
    graph, ways = Graph(), {0: 0.0}
    for i in range(6):
        graph.add(i, i + 1, x * i)
        graph.add(i, i + 2, x * x)
    for i in range(7):
        for b, weight in graph.edges[i]:
            way = ways[i] + weight
            if b not in ways or way < ways[b]:
                ways[b] = way
    return ways[6] ** 2


PROGRAMS = [
    (row_that_is_given, (Table(), [5.0, 6.0], 0.7)), (row_of_two_tables, (Table(), Table(), 0.7)),
    *((f, (Table(), 0.7)) for f in (
        triangle, row_that_fails, by_a_recursion, replaced, sorted_and_copied, popped,
        computed_before_a_change, shortest_way,
    )),
]


def difference(f, args, step=1e-4):
    def at(t):
        *given, x = copy.deepcopy(args)
        return f(*given, x + t)

    return (8.0 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12.0 * step)


def contents(value):
    return value.rows if isinstance(value, Table) else value


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_gradient(f, args):
    expected = pytest.approx(difference(f, args), rel=1e-7)
    plain, given = copy.deepcopy(args), copy.deepcopy(args)
    value = f(*plain)
    assert zyg.gradient(f, *given)[-1] == expected
    assert list(map(contents, given)) == list(map(contents, plain))
    y, back = zyg.pullback(f, *copy.deepcopy(args))
    assert y == value
    assert back(1.0) == back(1.0)
    assert back(1.0)[-1] == expected


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_forward_mode(f, args):
    *given, x = copy.deepcopy(args)
    y, y_dot = zyg.jvp(lambda x: f(*given, x), (x,), (1.0,))
    assert (y, y_dot) == (f(*copy.deepcopy(args)), pytest.approx(difference(f, args), rel=1e-7))


def test_gradients_of_rows_that_are_given():
    found = zyg.gradient(row_that_is_given, Table(), [5.0, 6.0], 0.7)
    by_row = [2 * 5.0 * 0.7**2 + 0.7 * 6.0, 2 * 6.0 + 5.0 * 0.7]
    assert found[1] == pytest.approx(by_row)


def test_one_table_under_two_names():
    def twice(x):
        table = Table()
        return row_of_two_tables(table, table, x)

    assert zyg.gradient(twice, 0.7) == (pytest.approx(difference(twice, (0.7,)), rel=1e-7),)


@pytest.mark.parametrize("f", [triangle, shortest_way])
def test_objects_stand_for_what_rows_hold(f):
    code = str(zyg.code_adjoint(f, Table(), 0.7))
    assert "list_contents" in code and "pullback_call" not in code


@pytest.mark.parametrize("module", [contents_objects, held_checks])
def test_checks_are_known_by_their_names(module):
    """`asks_nothing` knows what may refuse a program by these."""
    checks = [
        name for name, function in vars(module).items()
        if getattr(function, "__module__", "") == module.__name__ and facts.has_effect(function)
    ]
    assert checks
    assert all(name == "note_captured" or name.startswith("unless_") for name in checks)


def test_what_would_ask_when_it_runs_is_followed_there():
    """The row could be refused, if another one had changed its type."""
    code = str(zyg.code_adjoint(row_that_fails, Table(), 0.7))
    assert "list_contents" not in code
