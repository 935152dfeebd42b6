"""Rules of `scipy.integrate`: quadrature, and the adjoint equation of ordinary differential ones.

The derivative of an integral in a parameter is the integral of the derivative. For `y' = f(t, y,
p)` the cotangent `w` of the state runs backwards in time, and gathers on its way those of `p`:

    w' = -(df/dy)^T w        p_bar = integral of (df/dp)^T w

with jumps where the solution is read. The states come from a second forward integration. Source:
Y. Cao, S. Li, L. Petzold and R. Serban, "Adjoint sensitivity analysis for
differential-algebraic equations" (2003).
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint
from zyg.rules.scipy_optimize import as_tuple, like_args, matters, seed_like

TOLERANCE = 1e-10


def numbers_of(bars):
    """The numbers in cotangents, one after another."""
    if bars is None:
        return np.zeros(0)
    if isinstance(bars, dict):
        bars = list(bars.values())
    if isinstance(bars, (list, tuple)):
        return np.concatenate([np.zeros(0), *[numbers_of(bar) for bar in bars]])
    if np.iscomplexobj(bars):
        raise NotDifferentiable("scipy.integrate has no rules for complex parameters")
    return np.reshape(np.asarray(bars, dtype=float), -1)


def with_numbers(bars, numbers):
    """Cotangents of the same structure with other numbers, and the numbers that are left."""
    if bars is None:
        return None, numbers
    if isinstance(bars, (dict, list, tuple)):
        items = []
        for bar in bars.values() if isinstance(bars, dict) else bars:
            item, numbers = with_numbers(bar, numbers)
            items.append(item)
        if isinstance(bars, dict):
            return dict(zip(bars, items, strict=True)), numbers
        return type(bars)(items), numbers
    count = np.size(bars)
    return seed_like(bars, numbers[:count]), numbers[count:]


def parameter_bars(bars, at):
    """The cotangents of a function and of its arguments, but for those that stand at `at`."""
    return [bar for i, bar in enumerate(bars) if i not in at]


@adjoint(integrate.quad)
def quad(
    func, a, b, args=(), *, pullback=None, epsabs=1.49e-8, epsrel=1.49e-8, limit=50, points=None
):
    y = integrate.quad(
        func, a, b, args, epsabs=epsabs, epsrel=epsrel, limit=limit, points=points
    )

    def back(bars):
        y_bar, error_bar = bars
        y_bar = 0.0 if y_bar is None else y_bar
        if matters(error_bar):
            raise NotDifferentiable("the error of scipy.integrate.quad has no derivative")
        rest = as_tuple(args)

        def bars_at(t):
            _, back = pullback(func, t, *rest)
            return parameter_bars(back(1.0), (1,))

        inside = 0.5 * (np.clip(a, -1e3, 1e3) + np.clip(b, -1e3, 1e3))
        like = bars_at(inside)
        total = numbers_of(like)
        if np.size(total):
            total = y_bar * integrate.quad_vec(
                lambda t: numbers_of(bars_at(t)), a, b, epsabs=epsabs, epsrel=epsrel, limit=10000,
                points=points,
            )[0]
        (f_bar, *others), _ = with_numbers(like, total)
        a_bar = -y_bar * func(a, *rest) if np.isfinite(a) else None
        b_bar = y_bar * func(b, *rest) if np.isfinite(b) else None
        return f_bar, a_bar, b_bar, like_args(others, args)

    return y, back


def adjoint_integral(pullback, slope, states, times, y_bar):
    """Cotangents of the parameters, of the first state, and of the times.

    `slope(t, y)` gives the arguments of a call, and the positions of `t` and `y` among its
    cotangents; `states(t)` is the solution, `y_bar[k]` the cotangent of the state at `times[k]`.
    """

    def bars_at(t, y, weights):
        arguments, places = slope(t, y)
        value, back = pullback(*arguments)
        bars = back(seed_like(value, weights))
        y_part = bars[places[1]]
        state_bar = np.zeros(np.size(y)) if y_part is None else numbers_of(y_part)
        return parameter_bars(bars, places), state_bar, numbers_of(list(value))

    size = np.size(y_bar[0])
    like, _, _ = bars_at(times[0], states(times[0]), np.ones(size))
    count = np.size(numbers_of(like))
    joint = np.zeros(size + count)
    times_bar = np.zeros(len(times))

    def backwards(t, joint):
        parts, state_bar, _ = bars_at(t, states(t), joint[:size])
        return -np.concatenate([state_bar, numbers_of(parts)])

    for k in range(len(times) - 1, 0, -1):
        times_bar[k] = y_bar[k] @ bars_at(times[k], states(times[k]), np.ones(size))[2]
        joint[:size] += y_bar[k]
        if times[k] != times[k - 1]:
            joint = integrate.solve_ivp(
                backwards, (times[k], times[k - 1]), joint, rtol=TOLERANCE, atol=TOLERANCE,
                method="DOP853",
            ).y[:, -1]
    times_bar[0] = -joint[:size] @ bars_at(times[0], states(times[0]), np.ones(size))[2]
    joint[:size] += y_bar[0]
    bars, _ = with_numbers(like, joint[size:])
    return bars, joint[:size], times_bar


def dense(slope_value, times, y0):
    """The solution as a function of time, more precise than any cotangent has to be."""
    return integrate.solve_ivp(
        slope_value, (times[0], times[-1]), y0, rtol=TOLERANCE, atol=TOLERANCE, method="DOP853",
        dense_output=True,
    ).sol


@adjoint(integrate.odeint)
def odeint(func, y0, t, args=(), *, pullback=None, tfirst=False, rtol=None, atol=None, mxstep=0):
    y = integrate.odeint(func, y0, t, args, tfirst=tfirst, rtol=rtol, atol=atol, mxstep=mxstep)

    def back(y_bar):
        def slope(at, state):
            return (func, *((at, state) if tfirst else (state, at)), *args), (
                (1, 2) if tfirst else (2, 1)
            )

        def value(at, state):
            (function, *arguments), _ = slope(at, state)
            return function(*arguments)

        states = dense(value, t, np.reshape(np.asarray(y0, dtype=float), -1))
        bars, y0_bar, t_bar = adjoint_integral(pullback, slope, states, t, y_bar)
        return bars[0], seed_like(y0, y0_bar), t_bar, tuple(bars[1:])

    return y, back


@adjoint(integrate.solve_ivp)
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None,
    vectorized=False, args=None, *, pullback=None, **options,
):
    if dense_output or events is not None or vectorized:
        raise NotDifferentiable(
            "scipy.integrate.solve_ivp has no rule for dense_output, events and vectorized: read "
            "the solution at t_eval"
        )
    if np.iscomplexobj(y0):
        raise NotDifferentiable("scipy.integrate.solve_ivp has no rule for complex states")
    y = integrate.solve_ivp(fun, t_span, y0, method, t_eval, args=args, **options)

    def back(bars):
        unknown = [name for name, bar in bars.items() if name != "y" and matters(bar)]
        if unknown:
            raise NotDifferentiable(f"`{unknown[0]}` of what solve_ivp returns has no derivative")
        if not y.success:
            raise NotDifferentiable("solve_ivp has failed, so that there is no solution")
        rest = () if args is None else args

        def slope(at, state):
            return (fun, at, state, *rest), (1, 2)

        def value(at, state):
            return fun(at, state, *rest)

        # The states are read at y.t; the integral starts at t_span[0].
        is_first = y.t[0] == t_span[0]
        times = y.t if is_first else np.concatenate([[t_span[0]], y.t])
        columns = np.zeros_like(y.y) if bars.get("y") is None else bars["y"]
        columns = np.transpose(columns)
        columns = columns if is_first else np.concatenate([np.zeros_like(columns[:1]), columns])
        states = dense(value, times, np.asarray(y0, dtype=float))
        found, y0_bar, times_bar = adjoint_integral(pullback, slope, states, times, columns)
        span_bar, t_eval_bar = time_bars(times_bar, is_first, t_eval)
        return (
            found[0], span_bar, seed_like(y0, y0_bar), None, t_eval_bar, None, None, None,
            None if args is None else tuple(found[1:]),
        )

    return y, back


def time_bars(times_bar, is_first, t_eval):
    """The cotangents of `t_span` and `t_eval`."""
    if t_eval is None:  # the solver chooses the times between the ends
        return (times_bar[0], times_bar[-1]), None
    if is_first:
        return (times_bar[0], None), np.concatenate([[0.0], times_bar[1:]])
    return (times_bar[0], None), times_bar[1:]
