"""Second and third derivatives of what solvers of `scipy.optimize` find."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import optimize

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
    (by_condition, (2.0,)),
    (within_another, (2.0,)),
    (lambda a, b: np.sum(optimize.fsolve(system, B, (a, b)) ** 2), (A, B)),
    (lambda c: optimize.fsolve(curved, [1.0, 1.0], args=(c,))[0], (2.0,)),
    (lambda c: optimize.fsolve(lambda x: x**3 - c, 1.0)[0], (2.0,)),
    (lambda a, b: np.sum(optimize.root(lambda x: system(x, a, b), np.ones(2)).x ** 2), (A, B)),
    (lambda c: optimize.fixed_point(lambda x: np.cos(c * x), 0.6), (0.8,)),
    (lambda c: np.sum(optimize.fixed_point(lambda x, c: np.cos(c * x), B, (c,))), (0.8 * B,)),
]


def along(bars, dots):
    return sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))


def directions(args, count):
    rng = np.random.default_rng(1)
    return [
        tuple([rng.normal(size=np.shape(x)) if np.ndim(x) else rng.normal() for x in args])
        for _ in range(count)
    ]


@pytest.mark.parametrize(("f", "args"), ROOTS)
def test_second_derivatives(f, args):
    """The gradient of a slope, and its tangent, are as differences of the slope."""
    first, second = directions(args, 2)

    def slope(*args):
        return along(zyg.gradient(f, *args), first)

    step = 1e-5
    there, back = [
        slope(*[x + sign * step * dot for x, dot in zip(args, second, strict=True)])
        for sign in (1, -1)
    ]
    expected = pytest.approx((there - back) / (2 * step), rel=1e-6)
    assert along(zyg.gradient(slope, *args), second) == expected
    assert zyg.jvp(slope, args, second)[1] == expected


def argmin_by_root(a, b):
    return np.sum(optimize.fsolve(slope_of_well, np.ones(2), (a, b)) ** 2)


def least_by_root(a, b):
    return well(optimize.fsolve(slope_of_well, np.ones(2), (a, b)), a, b)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda a, b: np.sum(optimize.minimize(
            well, np.ones(2), (a, b), jac=slope_of_well).x ** 2), argmin_by_root),
        (lambda a, b: np.sum(
            optimize.minimize(lambda x: well(x, a, b), np.ones(2)).x ** 2), argmin_by_root),
        (lambda a, b: optimize.minimize(
            well, np.ones(2), (a, b), method="Nelder-Mead").fun, least_by_root),
    ],
)
def test_minima_are_roots_of_the_gradient(f, expected):
    first, second = directions((A, B), 2)
    found, known = [
        zyg.gradient(lambda *args: along(zyg.gradient(f, *args), first), A, B)  # noqa: B023
        for f in (f, expected)
    ]
    assert along(found, second) == pytest.approx(along(known, second), rel=1e-9)


def cube_root(c):
    return optimize.brentq(lambda x: x**3 - c, 0.0, 3.0, xtol=1e-5)


def cube_roots(c):
    return optimize.root(lambda x: x**3 - c, [1.0]).x[0]


def slope_of(f):
    return lambda x: zyg.gradient(f, x)[0]


def dot_of(f):
    return lambda x: zyg.jvp(f, (x,), (1.0,))[1]


def slope_by_pullback(f):
    return lambda x: zyg.pullback(f, x)[1](1.0)[0]


@pytest.mark.parametrize("f", [cube_root, cube_roots])
def test_nested_modes(f):
    second, third = -2 / 9 * 2 ** (-5 / 3), 10 / 27 * 2 ** (-8 / 3)
    for inner in (slope_of, dot_of, slope_by_pullback):
        for outer in (slope_of, dot_of):
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


def with_history(c):
    """The last value that the equation has stored has a derivative by way of the root."""
    history = []

    def equation(x):
        history.append(x * c)
        return x**3 - c

    return optimize.brentq(equation, 0, 3) + history[-1]


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
