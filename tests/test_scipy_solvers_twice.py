"""Second and third derivatives of what solvers of `scipy.optimize` find."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import optimize

from tests.derivatives_twice import (
    MODES,
    along,
    check_second_derivatives,
    dot_of,
    slope_along,
    slope_by_pullback,
    slope_of,
    two_directions,
)
from tests.test_scipy_solvers import with_history

A = np.array([[2.0, 0.3], [0.1, 1.5]])
B = np.array([0.4, 1.2])


def system(x, a, b):
    return a @ x + 0.1 * x**3 - b


def curved(x, c):
    return [x[0] ** 3 - c * x[1], x[1] ** 2 - c]


def well(x, a, b):
    return np.sum((x - b) ** 2) + 0.2 * np.sum((a @ x) ** 4)


def slope_of_well(x, a, b):
    return 2.0 * (x - b) + 0.8 * (a @ x) ** 3 @ a


def by_condition(c):
    found = optimize.root_scalar(lambda x: x**3 - c, bracket=[0.0, 3.0])
    return found.root * c if found.converged else 0.0


def within_another(c):
    def inner(c, x):
        return optimize.brentq(lambda y: y**3 - c - 0.1 * x, 0.0, 3.0)

    return optimize.brentq(lambda x: x - inner(c, x), 0.0, 3.0)


SETTINGS = {"xtol": 1e-13, "maxiter": 60}
EQUATIONS = [lambda x, c: x**3 - c]

ROOTS = [
    (lambda c: optimize.brentq(lambda x: x**3 - c, 0.0, 3.0) ** 2, (2.0,)),
    (lambda c: optimize.brentq(lambda x, c: x**3 - c, 0.0, 3.0, args=(c,)), (2.0,)),
    (lambda c: optimize.brenth(lambda x, c: x**3 - c, 0.0, 3.0, args=c), (2.0,)),
    (lambda c: optimize.ridder(lambda x: x**3 - c, 0.0, 3.0, **SETTINGS), (2.0,)),
    (lambda c: optimize.toms748(lambda x: x**3 - c, -c, 2 * c), (2.0,)),
    (lambda c: optimize.bisect(lambda x: np.sum(c * c) * x - 1.0, 0.0, 3.0), (B,)),
    (lambda c: optimize.newton(lambda x: x**3 - c, 1.0), (2.0,)),
    (lambda c: np.sum(optimize.newton(lambda x: x**3 - c, np.ones(2))), (B,)),
    (lambda c: optimize.brentq(EQUATIONS[len(SETTINGS) - 2], 0.0, 3.0, args=(c,)), (2.0,)),
    (lambda p: optimize.brentq(lambda x, a, b: a * x**3 - b, 0.0, 3.0, args=tuple(p)), (B,)),
    (by_condition, (2.0,)),
    (within_another, (2.0,)),
    (lambda a, b: np.sum(optimize.fsolve(system, B, (a, b)) ** 2), (A, B)),
    (lambda c: optimize.fsolve(curved, [1.0, 1.0], args=(c,))[0], (2.0,)),
    (lambda c: optimize.fsolve(lambda x: x**3 - c, 1.0)[0], (2.0,)),
    (lambda a, b: np.sum(optimize.root(lambda x: system(x, a, b), np.ones(2)).x ** 2), (A, B)),
    (lambda c: optimize.fixed_point(lambda x: np.cos(c * x), 0.6), (0.8,)),
    (lambda c: np.sum(optimize.fixed_point(lambda x, c: np.cos(c * x), B, (c,))), (0.8 * B,)),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("f", "args"), ROOTS)
def test_second_derivatives(f, args):
    check_second_derivatives(f, args, step=1e-5, tolerance=1e-6)


def well_and_slope(x, a, b):
    return well(x, a, b), slope_of_well(x, a, b)


def argmin_by_root(a, b):
    return np.sum(optimize.fsolve(slope_of_well, np.ones(2), (a, b)) ** 2)


def least_by_root(a, b):
    return well(optimize.fsolve(slope_of_well, np.ones(2), (a, b)), a, b)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda a, b: np.sum(optimize.minimize(
            well, np.ones(2), (a, b), jac=slope_of_well).x ** 2), argmin_by_root),
        (lambda a, b: np.sum(optimize.minimize(
            well_and_slope, np.ones(2), (a, b), jac=True).x ** 2), argmin_by_root),
        (lambda a, b: np.sum(
            optimize.minimize(lambda x: well(x, a, b), np.ones(2)).x ** 2), argmin_by_root),
        (lambda a, b: optimize.minimize(
            well, np.ones(2), (a, b), method="Nelder-Mead").fun, least_by_root),
    ],
)
def test_minima_are_roots_of_the_gradient(f, expected):
    first, second = two_directions((A, B))
    found, known = [zyg.gradient(slope_along(f, first), A, B) for f in (f, expected)]
    assert along(found, second) == pytest.approx(along(known, second), rel=1e-9)


@pytest.mark.thorough
def test_minimum_with_a_slope_of_its_own():
    """The arm for a slope by differences, which isn't taken, saves something else."""
    def quartic(c):
        return optimize.minimize(
            lambda x: (x[0] - c) ** 4 + (x[0] - c**2) ** 2, [0.5],
            jac=lambda x: 4.0 * (x - c) ** 3 + 2.0 * (x - c**2), options={"gtol": 1e-11},
        ).x[0]

    step = 1e-4
    difference = (slope_of(quartic)(1.3 + step) - slope_of(quartic)(1.3 - step)) / (2 * step)
    for inner in MODES:
        assert slope_of(inner(quartic))(1.3) == pytest.approx(difference, rel=1e-5)


def cube_root(c):
    return optimize.brentq(lambda x: x**3 - c, 0.0, 3.0, xtol=1e-5)


def cube_roots(c):
    return optimize.root(lambda x: x**3 - c, [1.0]).x[0]


@pytest.mark.thorough
@pytest.mark.parametrize("f", [cube_root, cube_roots])
def test_nested_modes(f):
    second, third = -2 / 9 * 2 ** (-5 / 3), 10 / 27 * 2 ** (-8 / 3)
    for inner in MODES:
        for outer in MODES:
            assert outer(inner(f))(2.0) == pytest.approx(second, rel=1e-9)
    assert zyg.hessian(f, 2.0) == pytest.approx(second, rel=1e-9)
    assert zyg.hvp(f, 2.0, 1.0) == pytest.approx(second, rel=1e-9)
    for outer in (slope_of, dot_of):
        assert outer(slope_of(slope_of(f)))(2.0) == pytest.approx(third, rel=1e-9)


def test_the_fourth_derivative_is_refused():
    with pytest.raises(zyg.NotDifferentiable, match="the fourth derivative"):
        slope_of(slope_of(slope_of(slope_of(cube_root))))(2.0)


class Cubic:
    def __init__(self, slope):
        self.slope = slope
        self.last = 0.0

    def residual(self, x):
        return x**3 - self.slope

    def root(self):
        return optimize.brentq(self.residual, 0, 2)


def with_a_buffer(c):
    out = np.zeros(1)

    def equation(x):
        out[0] = x[0] ** 3 - c
        return out

    return optimize.fsolve(equation, [1.0])[0]


def with_a_shared_variable(c):
    last = c

    def equation(x):
        nonlocal last
        last = x * c
        return x**3 - c

    return optimize.brentq(equation, 0, 3) * last


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (with_history, "changes objects or"),
        (with_a_buffer, "changes objects or"),
        (with_a_shared_variable, "changes objects or"),
        (lambda c: optimize.root(
            functools.partial(Cubic.residual, Cubic(c)), [1.0]).x[0], "objects"),
        (lambda c: optimize.root(lambda x: (x - c) ** 2, [1.0]).x[0], "no simple one"),
        (lambda c: optimize.root(lambda x: x * x + c, 1.0).x[0], "not converged"),
        (lambda c: optimize.brentq(
            lambda x: x - c, 0, 3, maxiter=1, disp=False), "not converged"),
        (lambda c: optimize.brentq(lambda x: x - c, 0, 3, full_output=True)[0], "full_output"),
        (lambda c: optimize.newton(lambda x: x**2 + c, 1j), "real numbers"),
        (lambda c: optimize.root(lambda x: x - c, [1.0]).fun[0], "`fun` of the result"),
        (lambda c: optimize.minimize(
            lambda x: (x[0] - c) ** 2, [0.0]).hess_inv[0, 0], "`hess_inv` of the result"),
        (lambda c: optimize.minimize(
            lambda x: (x[0] - c) ** 2, [0.0], bounds=[(0, 1)]).x[0], "bounds"),
    ],
)
def test_refused(f, message):
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax), match=message):
        slope_of(slope_of(f))(1.5)
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        slope_of(slope_by_pullback(f))(1.5)


def test_second_derivative_through_a_method():
    def root(c):
        return Cubic(c).root()

    step = 1e-5
    difference = (slope_of(root)(1.5 + step) - slope_of(root)(1.5 - step)) / (2 * step)
    assert slope_of(slope_of(root))(1.5) == pytest.approx(difference, rel=1e-6)
    with pytest.raises(zyg.UnsupportedSyntax, match="may store into objects"):
        slope_of(slope_by_pullback(root))(1.5)
