"""Calls of SciPy's solvers by other arguments than the first ones, and other entries of results."""

from __future__ import annotations

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import integrate, optimize


def check_gradient(f, args, step=1e-3):
    """Against differences along one direction, with a step that forgives a solver's errors."""
    random = np.random.default_rng(1)
    dots = [
        random.normal(size=np.shape(x)) * (1 + 0.5j if np.iscomplexobj(x) else 1) for x in args
    ]
    there, back = [
        f(*[type(x)(x + h * dot) if np.ndim(x) == 0 else x + h * dot
            for x, dot in zip(args, dots, strict=True)])
        for h in (step, -step)
    ]
    bars = zyg.gradient(f, *args)
    along = sum(np.sum(np.real(np.conj(bar) * dot)) for bar, dot in zip(bars, dots, strict=True))
    assert along == pytest.approx((there - back) / (2 * step), rel=1e-4)


def of_several_slopes(x, c):
    return x**3 + c * x - 1, 3 * x * x + c, 6 * x


def exponential(p, t, y, scale=1.0):
    return scale * p[0] * np.exp(-p[1] * t) - y


@pytest.mark.parametrize(("f", "args"), [
    (lambda c: optimize.root_scalar(
        of_several_slopes, (c,), "halley", None, True, True, x0=1.0).root, (0.7,)),
    (lambda c: optimize.root_scalar(
        lambda x: of_several_slopes(x, c)[:2], fprime=True, x0=1.0).root, (0.7,)),
    (lambda c: optimize.newton(lambda z: z**3 + c, 0.5 + 0.5j, tol=1e-14).imag, (0.7,)),
    (lambda c: abs(optimize.newton(lambda z: z**3 + c, 0.5 + 0.5j, tol=1e-14) + c), (0.7 + 0.2j,)),
    (lambda c: optimize.minimize_scalar(lambda x: (x - c) ** 2 + x**4).x, (0.7,)),
    (lambda c: np.prod([getattr(optimize.minimize_scalar(
        lambda x, a, b: np.cosh(x - a) + b * x**2, bounds=(0.0, 1.0), args=(c, c * c),
        method="bounded", options={"xatol": 1e-12}), name) for name in ("x", "fun")]), (0.7,)),
    (lambda y: np.sum(optimize.least_squares(
        exponential, [1.0, 0.5], args=(np.arange(5.0), y), kwargs={"scale": 2.0}, xtol=1e-14,
        ftol=1e-14, gtol=1e-14, method="lm").x ** 2), (np.array([0.9, 0.6, 0.3, 0.25, 0.1]),)),
    (lambda y: optimize.least_squares(
        lambda p, y: p - y**2, [1.0, 0.5], jac=lambda p, y: np.eye(2), args=(y,)).x[1],
        (np.array([0.9, 0.6]),)),
])
def test_other_ways_to_call_solvers(f, args):
    check_gradient(f, args)


def test_times_of_a_solution():
    def f(w, stop, times):
        chosen = integrate.solve_ivp(lambda t, y: -w * y, (w, stop), [1.0], rtol=1e-9, atol=1e-9)
        asked = integrate.solve_ivp(
            lambda t, y: -w * y, (0.0, 1.0), [1.0, w], t_eval=times, rtol=1e-9, atol=1e-9
        )
        area = np.sum(np.diff(asked.t) * asked.y[0, 1:])
        return area + np.interp(0.45, asked.t, asked.y[1]) + chosen.t[-1] ** 2 * chosen.t[0]

    check_gradient(f, (0.5, 1.2, np.array([0.1, 0.4, 0.7])))


@pytest.mark.filterwarnings("ignore")
def test_results_that_hold_sparse_matrices():
    def f(c):
        return optimize.minimize(
            lambda x: (x[0] - 2 * c) ** 2 + (x[1] - c) ** 2 + x[0] * x[1] * c, [0.1, 0.1],
            bounds=[(0.0, 0.5), (None, None)], method="trust-constr",
        ).x

    bar = zyg.pullback(f, 0.7)[1](np.array([0.0, 1.0]))[0]
    assert bar == pytest.approx(0.75, abs=1e-5)
    assert zyg.jvp(f, (0.7,), (1.0,))[1][1] == pytest.approx(0.75, abs=1e-5)
