"""Second derivatives where a function takes rows out of a table that an object holds, and changes
them."""

import numpy as np
import pytest

from tests.orders_of_modes import check_second_derivative, forward, reverse


class Table:
    def __init__(self, rows):
        self.rows = rows


def take_last(rows, value):
    row = rows.pop()
    row[0] = value * value
    return row[1]


def rotate(rows, value):
    rows.append(rows.pop(0))
    rows[-1][0] *= value
    rows[0][1] += rows[-1][0]


def refill(rows, value):
    first = rows[0]
    rows.clear()
    rows.append([value, value])
    first[0] = value**3
    rows.append(first)


def row_that_is_taken(x):
    table = Table([[x, x * x], [1.0, x]])
    last = table.rows[1]
    return take_last(table.rows, x) * last[0] * table.rows[0][1] * len(table.rows)


def array_that_is_taken(x):
    table = Table([np.array([x, x * x]), np.array([1.0, x])])
    last = table.rows[1]
    return take_last(table.rows, x) * last[0] * table.rows[0][1]


def rows_that_turn(x):
    table = Table([[x, x * x], [1.0, x], [2 * x, x]])
    first = table.rows[0]
    for _ in range(4):
        rotate(table.rows, x)
    return sum(row[0] * row[1] for row in table.rows) + first[0] * first[1]


def row_that_stays(x):
    table = Table([[x, x * x], [1.0, x]])
    first = table.rows[0]
    refill(table.rows, x)
    first[1] *= x
    return table.rows[1][0] * table.rows[1][1] * table.rows[0][0]


def row_of_two_tables(x):
    row = [x, 1.0]
    table, other = Table([row, [x * x, 2.0]]), Table([[1.0, x], row])
    first = take_last(other.rows, x)
    second = take_last(table.rows, first * x)
    return row[0] * first * second + other.rows[0][1] * table.rows[0][0]


def row_that_stands_twice(x):
    row = [x, 1.0]
    table = Table([row, [x * x, 2.0], row])
    table.rows[0][1] = take_last(table.rows, x) * x
    return row[0] * row[1] * table.rows[0][0]


def item_of_a_dict(x):
    def take(rows, key, value):
        row = rows.pop(key)
        row[0] = value * row[1]
        rows["c"] = row
        return row[0]

    table = Table({"a": [x, x * x], "b": [1.0, x]})
    row = table.rows["b"]
    taken = take(table.rows, "b", x * x)
    return taken * row[0] * table.rows["c"][0] + table.rows["a"][1]


@pytest.mark.parametrize("f", [
    row_that_is_taken, array_that_is_taken, rows_that_turn, row_that_stays, row_of_two_tables,
    row_that_stands_twice, item_of_a_dict,
])
@pytest.mark.parametrize("inner", [forward, reverse])
@pytest.mark.parametrize("outer", [forward, reverse])
def test_second_derivative(f, inner, outer):
    check_second_derivative(f, inner, outer, 1.3)


class Stop(Exception):
    """Holds what it is made with under `args` alone."""


def array_that_a_handler_changes(x):
    y = np.array([x, x * x]) * 2.0
    try:
        raise Stop(y, "rows")
    except Stop as stopped:
        stopped.args[0][0] = x**3
    return np.sum(y * y)


def list_that_a_handler_changes(x):
    values = [x, x * x]
    try:
        raise Stop(values)
    except Stop as stopped:
        held = stopped.args[0]
        held[0] = x**3
        held.append(x)
    return values[0] * values[1] * values[2]


@pytest.mark.parametrize("f", [array_that_a_handler_changes, list_that_a_handler_changes])
@pytest.mark.parametrize("inner", [forward, reverse])
@pytest.mark.parametrize("outer", [forward, reverse])
def test_memory_that_exceptions_hold(f, inner, outer):
    check_second_derivative(f, inner, outer, 1.3)
