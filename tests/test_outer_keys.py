"""Numbers with derivatives as keys of dicts that are older than the program."""

import numpy as np
import pytest

import zyg
from zyg.errors import NotDifferentiable

X = 1.3
MEMO = {}


def remembered(x):
    if x not in MEMO:
        MEMO[x] = x * x
    return MEMO[x]


def remembered_power(x, n):
    key = (x, n)
    try:
        return MEMO[key]
    except KeyError:
        MEMO[key] = x**n
    return MEMO[key]


def cubes(x):
    return remembered_power(x, 3) * 2


class Solver:
    def __init__(self):
        self.memo = {}

    def solve(self, x):
        if x not in self.memo:
            self.memo[x] = x**3
        return self.memo.get(x)

    def solve_by_default(self, x):
        return self.memo.setdefault(x, x**3)


SOLVER = Solver()


def solved(x):
    return SOLVER.solve(x)


def solved_by_default(x):
    return SOLVER.solve_by_default(x)


OUTER = [remembered, cubes, solved, solved_by_default]


@pytest.fixture(autouse=True)
def forgotten():
    MEMO.clear()
    SOLVER.memo.clear()


@pytest.mark.parametrize("f", OUTER)
def test_found_in_the_call_that_has_stored_it(f):
    (slope,) = zyg.gradient(f, X)
    MEMO.clear()
    SOLVER.memo.clear()
    expected = (f(X + 1e-6) - f(X - 1e-6)) / 2e-6
    assert np.isclose(slope, expected)
    assert np.isclose(zyg.jvp(f, (X,), (1.0,))[1], expected)


@pytest.mark.parametrize("f", OUTER)
@pytest.mark.parametrize(
    "derivative",
    [zyg.gradient, lambda f, x: zyg.pullback(f, x)[1](1.0), lambda f, x: zyg.jvp(f, (x,), (1.0,))],
)
def test_found_from_before(f, derivative):
    f(X)
    with pytest.raises(NotDifferentiable, match="held it before"):
        derivative(f, X)


def test_keys_without_derivatives():
    table = {1.0: 2.0, 2.0: 5.0}

    class Table:
        def __init__(self):
            self.items = table

    holder = Table()

    def f(x):
        key = round(x)
        holder.items[3] = x
        return x * holder.items[float(key)] + x * holder.items[zyg.dropgrad(np.floor(x))]

    assert zyg.gradient(f, X) == (4.0,)


def test_dicts_of_the_program():
    def f(x):
        solver = Solver()
        solver.memo[x] = x * x
        return solver.solve(x) + solver.solve(2 * x) + solver.solve(2 * x)

    assert np.isclose(zyg.gradient(f, X)[0], 2 * X + 2 * 3 * (2 * X) ** 2 * 2)
