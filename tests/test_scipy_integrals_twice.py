"""Second and third derivatives of integrals by `scipy.integrate.quad`."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import integrate, optimize

from tests.derivatives_twice import (
    MODES,
    check_second_derivatives,
    slope_by_pullback,
    slope_of,
)

B = np.array([0.4, 1.2])


def narrow(c):
    """At `c = 0`, the integrand is 0 with its first derivative: the second has a narrow peak."""
    return integrate.quad(lambda t: c**2 * np.exp(-1000 * (t - 0.3) ** 2), 0.0, 1.0)[0]


def by_its_error(c):
    y, error = integrate.quad(lambda t: np.exp(-c * t), 0.0, 1.0)
    return y if error < 1e-6 else 0.0


def in_a_root(c):
    return optimize.brentq(
        lambda x: integrate.quad(lambda t: np.exp(-c * t), 0.0, x)[0] - 0.3, 0.0, 1.0
    )


INTEGRANDS = [lambda t, c: np.exp(-c * t)]

INTEGRALS = [
    (lambda c: integrate.quad(lambda t: np.sin(c * t), 0.0, 1.0)[0], (1.3,)),
    (lambda c: integrate.quad(lambda t, c: np.exp(-c * t), 1.0, 0.0, args=(c,))[0], (1.3,)),
    (lambda c: integrate.quad(lambda t, c: np.exp(-c * t), 0.0, 1.0, args=c)[0], (1.3,)),
    (lambda c: integrate.quad(lambda t: c * np.sin(c * t), 0.0, c)[0] ** 2, (1.3,)),
    (lambda a, b: integrate.quad(lambda x, c: x * x * c**2, a, b, args=(a,))[0], (0.3, 1.7)),
    (lambda c: integrate.quad(
        lambda x: np.sum(c) * np.exp(-c[0] * x * x), 0, np.inf)[0], (B,)),
    (lambda c: integrate.quad(lambda x: np.exp(-c * x * x), -np.inf, np.inf)[0], (1.3,)),
    (lambda a, b: integrate.quad(
        lambda t, a, b: np.exp(-np.sum(a) * t) * b, 0.0, 1.0, args=(a, b))[0], (B, 0.7)),
    (lambda c: integrate.quad(
        lambda t: np.exp(-c * t) if t < 0.5 else 1.0 * t, 0.0, 1.0, points=[0.5])[0], (1.3,)),
    (lambda c: integrate.quad(lambda t: t ** (c - 1.5), 0.0, 1.0)[0], (2.0,)),
    (lambda c: integrate.quad(
        INTEGRANDS[len(INTEGRANDS) - 1], 0.0, 1.0, args=(c,), epsabs=1e-10)[0], (2.0,)),
    (lambda p: integrate.quad(
        lambda t, a, b: a * np.exp(-b * t), 0.0, 1.0, args=tuple(p))[0], (B,)),
    (narrow, (0.0,)),
    (by_its_error, (1.3,)),
    (in_a_root, (1.3,)),
    (lambda c: integrate.fixed_quad(lambda t: np.exp(-c * t), 0.0, 1.0)[0], (1.3,)),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("f", "args"), INTEGRALS)
def test_second_derivatives(f, args):
    check_second_derivatives(f, args, step=1e-4, tolerance=1e-6)


@pytest.mark.parametrize(("f", "args"), [
    (lambda c: integrate.quad(lambda t: c * t if t > c else 2.0, 0.0, 1.0, points=[c])[0], (0.7,)),
    (lambda c: integrate.quad(lambda t: abs(t - c) * t, 0.0, 1.0, points=[c])[0], (0.7,)),
    (lambda a, b: integrate.quad(
        lambda t, b: a * t if t * t > b else b, 1.0, 0.0, (b,), points=(np.sqrt(b), a))[0],
        (0.3, 0.4)),
    (lambda c: integrate.quad(  # a point behind the interval
        lambda t: np.where(t > c, t, c * c), 0, 1, (), 0, 1e-10, 1e-10, 60, [c, 2 * c])[0], (0.7,)),
])
def test_places_where_an_integrand_jumps_or_bends(f, args):
    zyg.check_grads(f, *args, order=1)
    check_second_derivatives(f, args, step=1e-4, tolerance=1e-5)


def decay(c):
    return integrate.quad(lambda t: np.exp(-c * t * t), -np.inf, np.inf)[0]


@pytest.mark.thorough
def test_nested_modes():
    second, third = [
        factor * np.sqrt(np.pi) * 2.0**power for factor, power in ((3 / 4, -2.5), (-15 / 8, -3.5))
    ]
    for inner in MODES:
        for outer in MODES:
            assert outer(inner(decay))(2.0) == pytest.approx(second, rel=1e-9)
    assert zyg.hessian(decay, 2.0) == pytest.approx(second, rel=1e-9)
    assert zyg.hvp(decay, 2.0, 1.0) == pytest.approx(second, rel=1e-9)
    assert slope_of(slope_of(slope_of(decay)))(2.0) == pytest.approx(third, rel=1e-7)
    with pytest.raises(zyg.NotDifferentiable, match="the fourth derivative"):
        slope_of(slope_of(slope_of(slope_of(decay))))(2.0)


WEIGHTS = np.array([2.0, 1.0])


def test_globals_that_change_before_the_reverse_pass():
    def f(c):
        return integrate.quad(lambda t: np.exp(-c * WEIGHTS[0] * t), 0.0, 1.0)[0]

    _, back = zyg.pullback(slope_of(f), 1.3)
    WEIGHTS[0] = 100.0
    try:
        with pytest.raises(zyg.NotDifferentiable, match="has changed since"):
            back(1.0)
    finally:
        WEIGHTS[0] = 2.0


class Rate:
    def __init__(self, rate):
        self.rate = rate

    def decay(self, t):
        return np.exp(-self.rate * t)


def of_an_object(c):
    rate = Rate(c)
    return integrate.quad(lambda t: rate.decay(t), 0, 1)[0]


def rebound(c):
    level = c
    y, _ = integrate.quad(lambda t: level * t, 0, 1)
    level = 50 * c
    return y


def changed(c):
    rates = np.array([c])
    y, _ = integrate.quad(lambda t: np.exp(-rates[0] * t), 0.0, 1.0)
    rates[0] = 50 * c
    return y


def with_a_counter(c):
    calls = []

    def integrand(t):
        calls.append(c)
        return c * c * t

    return integrate.quad(integrand, 0, 1)[0] * len(calls)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (of_an_object, "works on objects"),
        (lambda c: integrate.quad(Rate(c).decay, 0, 1)[0], "works on objects"),
        (rebound, "assigned or changed elsewhere"),
        (changed, "assigned or changed elsewhere"),
        (with_a_counter, "assigned or changed elsewhere"),
        (lambda c: sum(integrate.quad(lambda t: np.exp(-c * t), 0, 1)), "the error of"),
    ],
)
def test_refused(f, message):
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax), match=message):
        slope_of(slope_of(f))(1.5)
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax), match=message):
        zyg.jvp(slope_of(f), (1.5,), (1.0,))
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        slope_of(slope_by_pullback(f))(1.5)
