"""Forward mode through `odeint` and `solve_ivp`: the equation of the sensitivities."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from zyg.errors import NotDifferentiable

pytest.importorskip("scipy")

from scipy import integrate

TIMES = np.array([0.0, 0.4, 1.0])
B = np.array([0.4, 1.2])
PRECISE = {"rtol": 1e-11, "atol": 1e-11}


def lotka(y, t, p, scale=1.0):
    return [p[0] * y[0] - y[0] * y[1] + 0.1 * t, scale * y[0] * y[1] - p[1] * y[1]]


def decay(t, y, a):
    return -a * y + np.sin(t)


class Oscillator:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def slope(self, t, y):
        return np.array([y[1], -self.stiffness * y[0]])


def of_object(k):
    model = Oscillator(k)
    return integrate.solve_ivp(model.slope, (0.0, 1.0), [1.0, 0.0], t_eval=TIMES, **PRECISE).y


def until(stop):
    return integrate.solve_ivp(decay, (0.2, stop), [1.0, 2.0], args=(0.7,), **PRECISE).y[:, -1]


PROGRAMS = [
    (lambda p, y0: integrate.odeint(lotka, y0, TIMES, (p,), **PRECISE), (B, B + 0.3)),
    (lambda p, y0: integrate.odeint(lambda y, t: lotka(y, t, p), y0, TIMES, **PRECISE), (B, B)),
    (lambda a: integrate.odeint(decay, [1.0, 2.0], TIMES, (a,), tfirst=True, **PRECISE), (0.7,)),
    (lambda a, y0: integrate.odeint(decay, y0, TIMES, (a,), tfirst=True, **PRECISE), (0.7, 2.0)),
    (lambda t: integrate.odeint(lotka, B, t, (B,), **PRECISE), (TIMES + 0.1,)),
    (lambda t: integrate.odeint(lotka, B, t[::-1], (B,), **PRECISE), (TIMES + 0.1,)),
    (lambda p: integrate.odeint(lotka, [p[0], 1.0], [0.0, 0.5, 0.5], (p, 2.0), **PRECISE), (B,)),
    (lambda p: integrate.odeint(lotka, p, [0.5], (p, 2.0), **PRECISE), (B,)),
    (lambda a, y0: integrate.solve_ivp(
        decay, (0.0, 1.0), y0, t_eval=TIMES, args=(a,), **PRECISE).y, (0.7, B)),
    (lambda a: integrate.solve_ivp(
        decay, (0.0, 1.0), B, "LSODA", t_eval=TIMES[1:], args=(a,), **PRECISE)["y"], (0.7,)),
    (lambda a: integrate.solve_ivp(
        decay, (1.0, a), B, t_eval=[0.8, 0.6], args=(a,), **PRECISE).y, (0.2,)),
    (lambda t: integrate.solve_ivp(
        decay, (t[0], 2.0), B, t_eval=t, args=(0.3,), **PRECISE).y, (TIMES + 0.1,)),
    (lambda t: integrate.solve_ivp(
        decay, (0.0, 2.0), B, t_eval=t, args=(0.3,), **PRECISE).y, (TIMES + 0.1,)),
    (lambda t: integrate.solve_ivp(
        decay, (0.0, 2.0), B, t_eval=t, args=(0.3,), **PRECISE).t ** 2, (TIMES + 0.1,)),
    (lambda a: integrate.solve_ivp(
        decay, (a, a * a), B, args=(a,), **PRECISE).t[[0, -1]] ** 2, (1.5,)),
    (until, (1.5,)),
    (of_object, (2.0,)),
]


def direction_of(arg):
    return np.random.default_rng(2).normal(size=np.shape(arg))[()]


def along(f, args, step):
    return f(*(arg + step * direction_of(arg) for arg in args))


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_tangents(f, args):
    y, y_dot = zyg.jvp(f, args, tuple(map(direction_of, args)))
    assert np.allclose(y, f(*args), rtol=1e-12)
    expected = (along(f, args, 1e-4) - along(f, args, -1e-4)) / 2e-4
    assert np.allclose(y_dot, expected, rtol=1e-5, atol=1e-6)
    weights = np.random.default_rng(3).normal(size=y.shape)

    def loss(*args):
        return np.sum(weights * f(*args))

    if f is not of_object:
        bars = zyg.gradient(loss, *args)
        product = sum(np.sum(bar * direction_of(arg)) for bar, arg in zip(bars, args, strict=True))
        assert np.isclose(product, np.sum(weights * y_dot), rtol=1e-6)


def test_cost_does_not_grow_with_the_times_that_are_read():
    calls = []

    def solved(k, count):
        def slope(y, t):
            calls.append(t)
            return -k * y

        return integrate.odeint(slope, [1.0], np.linspace(0, 1, count))

    def slopes(count):
        calls.clear()
        zyg.jvp(lambda k: solved(zyg.dropgrad(k), count), (2.0,), (1.0,))
        return len(calls)

    assert slopes(200) < 2 * slopes(10)


def test_jacobian_of_a_fit():
    def model(p):
        found = integrate.odeint(lotka, B, np.linspace(0, 1, 20), (p,), **PRECISE)
        return np.reshape(found, -1)

    (jacobian,) = zyg.jacobian(model, B)
    columns = [(model(B + h) - model(B - h)) / 2e-5 for h in 1e-5 * np.eye(2)]
    assert np.allclose(jacobian, np.transpose(columns), rtol=1e-5, atol=1e-6)


def test_products_with_the_hessian():
    def loss(p):
        return np.sum(integrate.odeint(lotka, p, TIMES, (p,), **PRECISE) ** 2)

    v = np.array([0.5, -1.0])
    found = zyg.hvp(loss, B, v)
    before, behind = (zyg.gradient(loss, B + h * v)[0] for h in (-1e-5, 1e-5))
    assert np.allclose(found, (behind - before) / 2e-5, rtol=1e-5)


def test_what_has_no_tangent():
    def dense(a):
        return integrate.solve_ivp(decay, (0.0, 1.0), B, dense_output=True, args=(a,)).y

    def unsolved(a):
        def blow_up(t, y):
            return a * y**2

        return integrate.solve_ivp(blow_up, (0.0, 2.0), [1.0]).y

    for f in dense, unsolved:
        with pytest.raises(NotDifferentiable), np.errstate(all="ignore"):
            zyg.jvp(lambda a, f=f: f(a) * 1.0, (1.0,), (1.0,))


def test_right_hand_sides_that_store():
    class Log:
        total = 0.0

    def logged(a):
        log = Log()

        def slope(t, y):
            log.total = log.total + a
            return -a * y

        found = integrate.solve_ivp(slope, (0.0, 1.0), [1.0])
        return found.y[0, -1] + log.total

    with pytest.raises(NotDifferentiable, match="stores"):
        zyg.jvp(logged, (1.0,), (1.0,))
