"""Second and third derivatives of solutions of differential equations by `scipy.integrate`."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import integrate

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
    (lambda a, y0: np.sum(integrate.odeint(
        lambda t, y: decay(t, y, a), y0, TIMES, tfirst=True, rtol=EPS, atol=EPS) ** 2), (A, B)),
    (lambda t: np.sum(
        integrate.odeint(lotka, B, t, (B,), rtol=EPS, atol=EPS) ** 2), (TIMES + 0.1,)),
]


def along(bars, dots):
    return sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))


@pytest.mark.parametrize(("f", "args"), FLOWS)
def test_second_derivatives(f, args):
    """The gradient of a slope, and its tangent, are as differences of the slope."""
    rng = np.random.default_rng(3)
    first, second = [
        tuple([rng.normal(size=np.shape(x)) if np.ndim(x) else rng.normal() for x in args])
        for _ in range(2)
    ]

    def slope(*args):
        return along(zyg.gradient(f, *args), first)

    step = 1e-4
    there, back = [
        slope(*[x + sign * step * dot for x, dot in zip(args, second, strict=True)])
        for sign in (1, -1)
    ]
    expected = pytest.approx((there - back) / (2 * step), rel=1e-5)
    assert along(zyg.gradient(slope, *args), second) == expected
    assert zyg.jvp(slope, args, second)[1] == expected


def decayed(c):
    return integrate.solve_ivp(lambda t, y: -c * y, (0.0, 1.0), [1.0], rtol=1e-8).y[0, -1]


def slope_of(f):
    return lambda x: zyg.gradient(f, x)[0]


def test_nested_modes():
    expected = pytest.approx(np.exp(-1.3), rel=1e-7)
    assert slope_of(slope_of(decayed))(1.3) == expected
    assert zyg.hessian(decayed, 1.3) == expected
    assert slope_of(lambda x: zyg.pullback(decayed, x)[1](1.0)[0])(1.3) == expected
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
            lambda t, y: c * y, (0, 1), [1.0], dense_output=True).sol(0.3)[0], "dense_output"),
        (lambda c: integrate.solve_ivp(
            lambda t, y: c * y, (0, 1), [1j]).y[0, -1].imag, "complex"),
    ],
)
def test_refused(f, message):
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax), match=message):
        slope_of(slope_of(f))(1.5)
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        slope_of(lambda x: zyg.pullback(f, x)[1](1.0)[0])(1.5)


def test_the_fourth_derivative_is_refused():
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        slope_of(slope_of(slope_of(slope_of(decayed))))(1.3)
