"""Second and third derivatives of solutions of differential equations by `scipy.integrate`."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import integrate

from tests.derivatives_twice import MODES, check_second_derivatives, slope_by_pullback, slope_of

A = np.array([[2.0, 0.3], [0.1, 1.5]])
B = np.array([0.4, 1.2])
TIMES = np.array([0.0, 0.4, 1.0])
EPS = 1e-11


def decay(t, y, a):
    return -a @ y + np.sin(t)


def lotka(y, t, p):
    return [p[0] * y[0] - y[0] * y[1], y[0] * y[1] - p[1] * y[1]]


FLOWS = [
    (lambda a, y0: np.sum(integrate.solve_ivp(
        decay, (0.0, 1.0), y0, args=(a,), t_eval=TIMES, rtol=EPS, atol=EPS).y ** 2), (A, B)),
    (lambda a, y0: np.sum(integrate.solve_ivp(
        lambda t, y: decay(t, y, a), (0.0, 1.0), y0, t_eval=[0.5, 1.0], rtol=EPS, atol=EPS
    ).y[:, -1] ** 2), (A, B)),
    (lambda c: integrate.solve_ivp(
        lambda t, y: -y * y, (0.0, c), [c], method="LSODA", rtol=EPS, atol=EPS).y[0, -1], (1.3,)),
    (lambda c: np.sum(integrate.solve_ivp(
        lambda t, y: -y * y * t, (c[0], c[1]), [1.0], t_eval=c, rtol=EPS, atol=EPS
    ).y[0, 1:]), (np.array([0.1, 0.5]),)),
    (lambda p, y0: np.sum(
        integrate.odeint(lotka, y0, TIMES, (p,), rtol=EPS, atol=EPS) ** 2), (B, B + 0.3)),
    (lambda p: integrate.solve_ivp(
        lambda t, y, a, b: [b - a * y[0]], (0.0, 1.0), [1.0], args=tuple(p), rtol=EPS, atol=EPS
    ).y[0, -1], (B,)),
    (lambda a, y0: np.sum(integrate.odeint(
        lambda t, y: decay(t, y, a), y0, TIMES, tfirst=True, rtol=EPS, atol=EPS) ** 2), (A, B)),
    (lambda t: np.sum(
        integrate.odeint(lotka, B, t, (B,), rtol=EPS, atol=EPS) ** 2), (TIMES + 0.1,)),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("f", "args"), FLOWS)
def test_second_derivatives(f, args):
    check_second_derivatives(f, args, step=1e-4, tolerance=1e-5)


def decayed(c):
    return integrate.solve_ivp(lambda t, y: -c * y, (0.0, 1.0), [1.0], rtol=1e-8).y[0, -1]


@pytest.mark.thorough
def test_nested_modes():
    expected = pytest.approx(np.exp(-1.3), rel=1e-7)
    for inner in MODES:
        for outer in MODES:
            assert outer(inner(decayed))(1.3) == expected
    assert zyg.hessian(decayed, 1.3) == expected
    assert -slope_of(slope_of(slope_of(decayed)))(1.3) == expected
    assert zyg.withgradient(lambda c: decayed(c) + 0.0 * slope_of(decayed)(c), 1.3)[0] == (
        decayed(1.3)
    )


class Rate:
    def __init__(self, rate):
        self.rate = rate

    def slope(self, t, y):
        return -self.rate * y


def rebound(c):
    level = c
    y = integrate.solve_ivp(lambda t, y: -level * y, (0, 1.0), [1.0], t_eval=[1.0]).y[0, 0]
    level = 50 * c
    return y


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda c: integrate.solve_ivp(Rate(c).slope, (0, 1.0), [1.0]).y[0, -1], "objects"),
        (rebound, "assigned or changed elsewhere"),
        (lambda c: integrate.solve_ivp(
            lambda t, y: -50 * c * y, (0.0, 1.0), [1.0], t_eval=[1.0]
        ).y[0, -1], "unstable backwards"),
        (lambda c: integrate.solve_ivp(
            lambda t, y: c * y, (0, 1), [1.0], dense_output=True).y[0, -1], "dense_output"),
        (lambda c: integrate.solve_ivp(
            lambda t, y: c * y, (0, 1), [1j]).y[0, -1].imag, "complex"),
    ],
)
def test_refused(f, message):
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax), match=message):
        slope_of(slope_of(f))(1.5)
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        slope_of(slope_by_pullback(f))(1.5)


@pytest.mark.thorough
def test_the_fourth_derivative_is_refused():
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        slope_of(slope_of(slope_of(slope_of(decayed))))(1.3)
