"""Gradients, inside of differentiated code, of functions that change what they are given in place
and store into objects: in both modes, and by differences."""

import numpy as np
import pytest

import zyg


class Cell:
    def __init__(self, value):
        self.value = value


def scale(x, a):
    factor = a * a

    def scaled(u):
        nonlocal factor
        factor = factor * u
        return factor * u

    x[0] = x[0] * scaled(a)
    return x.sum() * factor


def array_and_variable(a):
    x = np.array([a, a * a, 3.0])
    by_x, by_a = zyg.gradient(scale, x, a)
    return by_x[0] * by_a + by_x.sum() * x[0]


def lengthen(x, a):
    cell = Cell(a)
    x.append(cell.value * x[0])
    cell.value = cell.value * x[1]
    x[0] = cell.value
    return x[0] * x[1] * x[-1] * cell.value


def list_that_grows(a):
    x = [a, a * a]
    by_x, by_a = zyg.gradient(lengthen, x, a)
    return by_x[0] * by_a + x[0] * x[-1]


def work_on_both(cell, x):
    cell.value = cell.value * x[0]
    x[1] = cell.value * x[1]
    return cell.value * x[1]


def array_and_object(a):
    x, cell = np.array([a, a * a]), Cell(a)
    by_cell, by_x = zyg.gradient(work_on_both, cell, x)
    return by_cell["value"] * by_x[1] + x[1] * cell.value


def object_that_is_captured(a):
    x, cell = np.array([a, a * a]), Cell(a)
    (by_x,) = zyg.gradient(lambda x: work_on_both(cell, x), x)
    return by_x.sum() + x[1] * cell.value


def put_into(named, a):
    cell = Cell(a)
    named["a"] = named["a"] * cell.value
    cell.value = cell.value * named["b"]
    named["c"] = cell.value
    return named["a"] * named["b"] * named["c"] * cell.value


def dict_with_the_value(a):
    named = {"a": a, "b": a * a}
    value, (by_named, by_a) = zyg.withgradient(put_into, named, a)
    return value * by_a * by_named["a"] * named["c"] + named["a"]


def changed_again_and_again(a):
    x, total = [a, a * a, 2.0], 0.0

    def extend(x, count):
        cell = Cell(a)
        for i in range(count):
            cell.value = cell.value * x[i]
            x.append(cell.value)
        return sum(x) * cell.value

    for count in (1, 2):
        by_x, _ = zyg.gradient(extend, x, count)
        total += by_x[0] * x[-1]
    return total


def fail_midway(x, cell):
    try:
        x[0] = x[0] * cell.value
        if x[0] > 1.0:
            raise ValueError
        x[1] = 5.0
    except ValueError:
        cell.value = cell.value * x[1]
    return x[0] * x[1] * cell.value


def changed_where_it_fails(a):
    x, cell = [a, a * a], Cell(a)
    by_x, by_cell = zyg.gradient(fail_midway, x, cell)
    return by_x[0] * by_x[1] * by_cell["value"] * cell.value * x[0]


def leave_early(x, cell):
    if x[0] > 1.3:
        return cell.value * x[1]
    cell.value = cell.value * x[0]
    x[0] = cell.value
    if x[1] > 1.0:
        x[1] *= cell.value
        return x[1] * x[0]
    return x[0]


def several_exits(a):
    x, cell = [a, a * a], Cell(a)
    (by_x,) = zyg.gradient(lambda x: leave_early(x, cell), x)
    return (by_x[0] + 2.0) * (by_x[1] + 3.0) * cell.value * x[1]


def step_down(x, cell, n):
    if n == 0:
        return cell.value * x[0]
    cell.value = cell.value * x[1]
    x[0] = x[0] * cell.value
    return step_down(x, cell, n - 1) * x[0]


def recursion(a):
    x, cell = [a, a * a], Cell(a)
    (by_x,) = zyg.gradient(lambda x: step_down(x, cell, 3), x)
    return by_x[0] * by_x[1] * cell.value * x[0]


PROGRAMS = [
    array_and_variable, list_that_grows, array_and_object, object_that_is_captured,
    dict_with_the_value, changed_again_and_again, changed_where_it_fails, several_exits, recursion,
]


@pytest.mark.parametrize("a", [0.8, 1.2, 1.4])
@pytest.mark.parametrize("program", PROGRAMS)
def test_second_derivative(program, a):
    step = 1e-5
    expected = (program(a + step) - program(a - step)) / (2 * step)
    assert zyg.gradient(program, a)[0] == pytest.approx(expected, rel=1e-6)
    y, along = zyg.jvp(program, (a,), (1.0,))
    assert y == pytest.approx(program(a), rel=1e-12)
    assert along == pytest.approx(expected, rel=1e-6)
