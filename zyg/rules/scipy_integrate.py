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
from zyg.held.shadows import asked_again
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


def cotangents(back, seed):
    """What a back function returns, which has to be all: it is called at many points."""
    with asked_again() as shadows:
        bars = back(seed)
    if not shadows.is_empty():
        raise NotDifferentiable(READS_OBJECTS)
    return bars


READS_OBJECTS = (
    "an integrand or right-hand side reads attributes of objects, or variables that are "
    "assigned again; pass their values by `args`"
)


@adjoint(integrate.quad)
def quad(
    func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50, points=None,
    *, pullback=None,
):
    if full_output:
        raise NotDifferentiable("scipy.integrate.quad has no rule for full_output")
    y = integrate.quad(
        func, a, b, args, epsabs=epsabs, epsrel=epsrel, limit=limit, points=points
    )
    rest = as_tuple(args)
    # In this pass: what the integrand reads may change before the reverse pass.
    like, total = integrated_bars(pullback, func, a, b, rest, epsabs, epsrel, points)
    at_a = func(a, *rest) if np.isfinite(a) else None
    at_b = func(b, *rest) if np.isfinite(b) else None
    jumps = None if points is None else [jump_at(func, p, a, b, rest) for p in points]

    def back(bars):
        y_bar = integral_bar(*bars)
        (f_bar, *others), _ = with_numbers(like, y_bar * total)
        a_bar = None if at_a is None else -y_bar * at_a
        b_bar = None if at_b is None else y_bar * at_b
        points_bar = None if jumps is None else seed_like(points, y_bar * np.array(jumps))
        return f_bar, a_bar, b_bar, like_args(others, args), None, None, None, None, points_bar

    return y, back


def jump_at(func, point, a, b, args):
    """How much less the integrand is behind a point than in front of it.

    That is what the integral grows by as the point moves on, if the integrand jumps there.
    """
    gap = 1e-9 * (b - a)
    if not 0 < (point - a) / gap < 1e9:
        return 0.0
    return func(point - gap, *args) - func(point + gap, *args)


def integral_bar(y_bar, error_bar):
    if matters(error_bar):
        raise NotDifferentiable("the error of scipy.integrate.quad has no derivative")
    return 0.0 if y_bar is None else y_bar


def integrated_bars(pullback, func, a, b, args, epsabs, epsrel, points):
    """The integrals of the derivatives in the parameters, and the structure of these."""

    def bars_at(t):
        _, back = pullback(func, t, *args)
        return parameter_bars(cotangents(back, 1.0), (1,))

    like = bars_at(0.5 * (np.clip(a, -1e3, 1e3) + np.clip(b, -1e3, 1e3)))
    if np.size(numbers_of(like)) == 0:
        return like, numbers_of(like)
    total, _ = integrate.quad_vec(
        lambda t: numbers_of(bars_at(t)), a, b, epsabs=epsabs, epsrel=epsrel, points=points
    )
    return like, total


def adjoint_integral(pullback, slope, states, times, y_bar):
    """Cotangents of the parameters, of the first state, and of the times.

    `slope(t, y)` gives the arguments of a call, and the positions of `t` and `y` among its
    cotangents; `states(t)` is the solution, `y_bar[k]` the cotangent of the state at `times[k]`.
    """

    def bars_at(t, y, weights):
        arguments, places = slope(t, y)
        value, back = pullback(*arguments)
        bars = cotangents(back, seed_like(value, weights))
        y_part = bars[places[1]]
        state_bar = np.zeros(np.size(y)) if y_part is None else numbers_of(y_part)
        return parameter_bars(bars, places), state_bar, numbers_of(value)

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


def slope_of(function, args, is_time_first):
    """What a right-hand side is called with, and the positions of `t` and `y` among cotangents."""

    def slope(at, state):
        if is_time_first:
            return (function, at, state, *args), (1, 2)
        return (function, state, at, *args), (2, 1)

    return slope


def value_of(slope):
    """The right-hand side as a function of time and state."""

    def value(at, state):
        (function, *arguments), _ = slope(at, state)
        return function(*arguments)

    return value


def record_of(slope, times, states):
    """A solution, and what the right-hand side gives along it."""
    value = value_of(slope)
    slopes = [numbers_of(value(t, y)) for t, y in zip(times, states, strict=True)]
    return times, states, slopes


def solved_again(slope, record, times, first):
    """The solution as a function of time, more precise than any cotangent has to be.

    It is refused where the right-hand side has other values than before along the first solution.
    """
    read, states, before = record
    _, _, now = record_of(slope, read, states)
    if any(np.any(a != b) for a, b in zip(before, now, strict=True)):
        raise NotDifferentiable(
            "what the right-hand side of a differential equation reads has changed since it was "
            "solved; pass a copy to it"
        )
    return integrate.solve_ivp(
        value_of(slope), (times[0], times[-1]), np.reshape(first, -1), rtol=TOLERANCE,
        atol=TOLERANCE, method="DOP853", dense_output=True,
    ).sol


def solution_of_odeint(func, y0, t, args=(), *, tfirst=False, rtol=None, atol=None, mxstep=0):
    return integrate.odeint(func, y0, t, args, tfirst=tfirst, rtol=rtol, atol=atol, mxstep=mxstep)


@adjoint(integrate.odeint)
def odeint(func, y0, t, args=(), *, pullback=None, tfirst=False, rtol=None, atol=None, mxstep=0):
    y = solution_of_odeint(func, y0, t, args, tfirst=tfirst, rtol=rtol, atol=atol, mxstep=mxstep)
    times, first = np.array(t, dtype=float), np.array(y0, dtype=float)
    slope = slope_of(func, as_tuple(args), tfirst)
    record = record_of(slope, times, np.copy(y))

    def back(y_bar):
        states = solved_again(slope, record, times, first)
        bars, y0_bar, t_bar = adjoint_integral(pullback, slope, states, times, y_bar)
        return bars[0], seed_like(y0, y0_bar), t_bar, like_args(bars[1:], args)

    return y, back


NO_DENSE_OUTPUT = (
    "scipy.integrate.solve_ivp has no rule for dense_output, events and vectorized: read the "
    "solution at t_eval"
)


def solution_of(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None,
    vectorized=False, args=None, **options,
):
    """What `solve_ivp` finds, where its rule covers the call."""
    if dense_output or events is not None or vectorized:
        raise NotDifferentiable(NO_DENSE_OUTPUT)
    if np.iscomplexobj(y0):
        raise NotDifferentiable("scipy.integrate.solve_ivp has no rule for complex states")
    return integrate.solve_ivp(fun, t_span, y0, method, t_eval, args=args, **options)


@adjoint(integrate.solve_ivp)
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None,
    vectorized=False, args=None, *, pullback=None, **options,
):
    y = solution_of(
        fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options
    )
    start, success, first = t_span[0], y.success, np.array(y0, dtype=float)
    slope = slope_of(fun, () if args is None else args, True)
    record = record_of(slope, np.copy(y.t), np.transpose(np.copy(y.y)))

    def back(bars):
        times, y_bar = bars_along(bars, record, start, success)
        states = solved_again(slope, record, times, first)
        found, y0_bar, times_bar = adjoint_integral(pullback, slope, states, times, y_bar)
        t_bar = None if bars is None else bars.get("t")
        span_bar, t_eval_bar = time_bars(
            times_bar, 0.0 * record[0] if t_bar is None else t_bar, t_eval
        )
        args_bar = None if args is None else tuple(found[1:])
        return (
            found[0], span_bar, seed_like(y0, y0_bar), None, t_eval_bar, None, None, None, args_bar,
        )

    return y, back


def bars_along(bars, record, start, success):
    """The times from the start on, and the cotangents of the states there; `bars` are None where
    the adjoint is run for what calls of `fun` have changed."""
    bars = {} if bars is None else bars
    unknown = [name for name, bar in bars.items() if name not in ("t", "y") and matters(bar)]
    if unknown:
        raise NotDifferentiable(f"`{unknown[0]}` of what solve_ivp returns has no derivative")
    if not success:
        raise NotDifferentiable("solve_ivp has failed, so that there is no solution")
    read, states, _ = record
    rows = np.zeros_like(states) if bars.get("y") is None else np.transpose(bars["y"])
    if read[0] == start:
        return read, rows
    return np.concatenate([[start], read]), np.concatenate([np.zeros_like(rows[:1]), rows])


def time_bars(times_bar, t_bar, t_eval):
    """The cotangents of `t_span` and `t_eval`: of the times where the solution is read, from the
    start on, and of the times that are returned."""
    if t_eval is None:  # the solver chooses the times between the ends
        return (times_bar[0] + t_bar[0], times_bar[-1] + t_bar[-1]), None
    if len(times_bar) == len(t_bar):
        return (times_bar[0], None), t_bar + np.concatenate([[0.0], times_bar[1:]])
    return (times_bar[0], None), t_bar + times_bar[1:]
