"""Arrays of objects and records inside of programs: what is differentiated isn't lost in them."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

X = np.array([0.5, 0.7, 1.3, 2.0])
RECORD = [("a", float), ("b", float)]


class Point:
    def __init__(self, x):
        self.x = x


class Holder:
    def __init__(self, items):
        self.items = items


def stored_in_a_loop(v):
    items = np.empty(3, dtype=object)
    for i in range(3):
        items[i] = v[i] * v[i + 1]
    return sum(items)


def stored_as_a_slice(v):
    items = np.zeros(4, dtype=object)
    items[:2] = v[0], v[1]
    return items[0] * items[1]


def converted(v):
    items = np.array([v[0] * 2, v[1]]).astype(object)
    return items[0] * items[1]


def seen_as_objects(v):
    items = np.asarray(v, dtype=object)
    return items[0] * items[1]


def made_of_several_kinds(v):
    items = np.array([v[0], v[1], None], dtype=object)
    return items[0] * items[1]


def filled(v):
    return np.full(2, v[0], dtype=object).sum()


def filled_in_place(v):
    items = np.empty(2, dtype=object)
    items.fill(v[0])
    return items[0] * items[1]


def added_in_place(v):
    items = np.zeros(4, dtype=object)
    items += v
    return items[0] * items[1]


def written_by_out(v):
    items = np.zeros(4, dtype=object)
    np.multiply(v, 2, out=items)
    return items[0] * items[1]


def rows_of_unequal_lengths(v):
    rows = np.array([v[:2], v[:3]], dtype=object)
    return sum(np.sum(row * row) for row in rows)


def containers(v):
    items = np.empty(2, dtype=object)
    items[0] = {"a": v[0]}
    items[1] = [v[1]]
    return items[0]["a"] * items[1][0]


def held_by_an_object(v):
    holder = Holder(np.zeros(2, dtype=object))
    holder.items[0] = v[0]
    holder.items[1] = v[1]
    return holder.items[0] * holder.items[1]


def field_of_records(v):
    records = np.zeros(2, dtype=RECORD)
    records["a"] = v[:2]
    return np.sum(records["a"] ** 2)


def whole_records(v):
    records = np.zeros(2, dtype=RECORD)
    for k in range(2):
        records[k] = v[k], v[k] ** 2
    return np.sum(records["a"] * v[1])


def made_of_records(v):
    return np.array([(v[0], 1.0)], dtype=RECORD)["a"][0] ** 2


@pytest.mark.parametrize(
    "program",
    [
        *(stored_in_a_loop, stored_as_a_slice, converted, seen_as_objects, made_of_several_kinds),
        *(filled, filled_in_place, added_in_place, written_by_out, rows_of_unequal_lengths),
        *(containers, held_by_an_object, field_of_records, whole_records, made_of_records),
    ],
)
def test_numbers_in_arrays_of_objects_are_refused(program):
    with pytest.raises(zyg.errors.NotDifferentiable, match="an array of dtype"):
        zyg.gradient(program, X)
    with pytest.raises(zyg.errors.NotDifferentiable, match="an array of dtype"):
        zyg.jvp(program, (X,), (np.ones(4),))


def objects_in_an_array(v):
    points = np.empty(2, dtype=object)
    points[0], points[1] = Point(v[0]), Point(v[1] * v[0])
    return points[0].x * points[1].x + sum(point.x for point in points)


def numbers_without_derivatives(v):
    items = np.empty(2, dtype=object)
    items[0], items[1] = "three", 3.0
    return v[0] * items[1] * len(items[0])


@pytest.mark.parametrize("program", [objects_in_an_array, numbers_without_derivatives])
def test_arrays_of_other_objects_may_be_used(program):
    check_gradient(program, (X,), zyg.pullback)
    dot = np.array([0.3, -0.8, 0.1, 0.4])
    value, derivative = zyg.jvp(program, (X,), (dot,))
    assert value == program(X)
    np.testing.assert_allclose(derivative, zyg.gradient(program, X)[0] @ dot)


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_loops_over_an_array_without_dimensions(rounds):
    """What it gives is a number, its cotangent is an array."""

    def program(x):
        total = 1.0
        for i in range(rounds):
            for j in range(i + 1):
                total = total * x + i * j
        return total + x

    (bar,) = zyg.gradient(program, np.array(1.5))
    assert type(bar) is np.ndarray and bar.shape == ()
    assert bar == zyg.gradient(program, 1.5)[0]
