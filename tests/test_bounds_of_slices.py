"""Numbers that are handed on as the bounds of slices: grids, and items that objects compute."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient

held = {"x": 0.7, "name": "x"}


class Line:
    def __init__(self, slope):
        self.slope = slope

    def __getitem__(self, part):
        return self.slope * (part.stop - part.start) ** 2 + (part.step or 0.0)


def made_apart(x, y):
    part = slice(x, x * y)
    return part.stop * part.start


def handed_on(x, y):
    return Line(x)[y : x * y : x] + Line(y)[0.0:x]


def of_unknown_type(x, y):
    bound = [held["x"], x, held["name"]][1]
    return Line(y)[bound : 2 * bound]


def one_range(x, y):
    return np.mgrid[y : x + 2 : 4j] ** 2 + np.r_[0:x:3j, y] * y


def dense(x, y):
    rows, columns = np.mgrid[-1:x:4j, 0:y:0.25]
    return np.exp(-(rows**2)) * columns * x


def sparse(x, y):
    rows, columns = np.ogrid[0:x:3j, :4]
    return rows * columns**2 + y


def of_counts(x, y):
    i, j = np.mgrid[0:2, 1:4]
    return i * x + j * y + np.mgrid[:3]


PROGRAMS = [made_apart, handed_on, of_unknown_type, one_range, dense, sparse, of_counts]


@pytest.mark.parametrize("program", PROGRAMS)
def test_bounds_of_slices(program):
    def f(x, y):
        return np.sum(program(x, y) ** 2)

    check_gradient(f, (1.3, 0.9), zyg.pullback)
    y_dot = zyg.jvp(f, (1.3, 0.9), (1.0, 2.0))[1]
    np.testing.assert_allclose(y_dot, np.dot(zyg.gradient(f, 1.3, 0.9), (1.0, 2.0)))


@pytest.mark.parametrize("key", [
    np.s_[0:3], np.s_[0:3, 1:2], np.s_[0:1:5j], np.s_[0:1:5j, 0:3:2], np.s_[:2, 0.5:1:0.1],
    np.s_[0:1:1j], (np.s_[1:4],),
])  # fmt: skip
def test_grids_are_those_of_numpy(key):
    for grid in (np.mgrid, np.ogrid):
        expected = grid[key]
        found = zyg.pullback(lambda x, grid=grid: (grid[key], x), 1.0)[0][0]
        made = zyg.pullback(type(grid).__getitem__, grid, key)[0]
        for y in (found, made):
            assert type(y) is type(expected)
            for a, b in zip(y, expected, strict=True):
                assert np.result_type(a) == np.result_type(b)
                np.testing.assert_allclose(a, b, rtol=1e-14)


def length_of_a_part(x):
    part = slice(x, x * x)
    return part.stop - part.start


def test_the_slice_is_gone_in_the_adjoint():
    _, back = zyg.code_adjoint(length_of_a_part, 2.0).source.split("def length_of_a_part_back")
    assert "x_bar = y_bar * 2.0 * x - y_bar" in back and len(back.splitlines()) == 3
