"""Tangents of solutions of ordinary differential equations: the equation of their sensitivities.

For `y' = f(t, y, p)` the tangent `s` of the state runs forwards in time, beside the state:

    s' = (df/dy) s + (df/dp) p_dot + (df/dt) 0        s(t0) = y0_dot - f(t0, y0) t0_dot

The right-hand side is a `jvp` of `f`. So all states that are read cost one more integration,
whatever their number. Source: E. Hairer, S. Nørsett and G. Wanner, "Solving Ordinary Differential
Equations I" (1993), section I.14.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

from zyg.errors import NotDifferentiable
from zyg.rules.scipy_integrate import TOLERANCE, numbers_of, solution_of, solution_of_odeint
from zyg.rules.tangent_registry import by_jvp
from zyg.tangents.tangent import zero_tangent


@by_jvp(integrate.odeint)
def odeint(jvp, dots, func, y0, t, args=(), *, tfirst=False, **options):
    y = solution_of_odeint(func, y0, t, args, tfirst=tfirst, **options)
    slopes = joint_slopes(jvp, func, dots.get("func"), args, dots.get("args"), tfirst)
    times = np.array(t, dtype=float)
    times_dot = _numbers_like(dots.get("t"), times)
    return y, sensitivities(slopes, times, times_dot, y0, dots.get("y0"))


@by_jvp(integrate.solve_ivp)
def solve_ivp(jvp, dots, fun, t_span, y0, method="RK45", t_eval=None, args=None, **options):
    y = solution_of(fun, t_span, y0, method, t_eval, args=args, **options)
    if not y.success:
        raise NotDifferentiable("solve_ivp has failed, so that there is no solution")
    rest = () if args is None else args
    slopes = joint_slopes(jvp, fun, dots.get("fun"), rest, dots.get("args"), True)
    span_dot = _numbers_like(dots.get("t_span"), np.array(t_span, dtype=float))
    times, times_dot = np.copy(y.t), _numbers_like(dots.get("t_eval"), y.t)
    t_dot = times_dot if t_eval is not None else np.concatenate(
        [span_dot[:1], np.zeros(len(times) - 2), span_dot[1:]]
    )
    has_start = times[0] == t_span[0]
    if not has_start:
        times = np.concatenate([[t_span[0]], times])
        times_dot = np.concatenate([[0.0], times_dot])
    times_dot = np.concatenate([span_dot[:1], times_dot[1:]])
    if t_eval is None:
        times_dot[-1] = span_dot[1]
    found = sensitivities(slopes, times, times_dot, y0, dots.get("y0"))
    return y, {**zero_tangent(y), "t": t_dot, "y": (found if has_start else found[1:]).T}


def joint_slopes(jvp, function, function_dot, rest, rest_dot, is_time_first):
    """What the right-hand side gives at a time and a state, and its tangent."""
    rest_dots = (None,) * len(rest) if rest_dot is None else tuple(rest_dot)

    def slopes(t, state, state_dot):
        places = (t, state) if is_time_first else (state, t)
        of_places = (0.0, state_dot) if is_time_first else (state_dot, 0.0)
        value, dot = jvp((function, *places, *rest), (function_dot, *of_places, *rest_dots))
        return numbers_of(value), _numbers_like(dot, state)

    return slopes


def sensitivities(slopes, times, times_dot, first, first_dot):
    """The tangents of the states at the times, in rows."""
    first = numbers_of(first)
    count = len(first)
    first_dot = _numbers_like(first_dot, first)
    found = np.zeros((len(times), count))
    at_start, _ = slopes(times[0], first, first_dot)
    begun = first_dot - at_start * times_dot[0]
    found[0] = first_dot
    if len(times) == 1 or times[-1] == times[0]:
        found[1:] = begun + np.multiply.outer(times_dot[1:], at_start)
        return found

    def joint_slope(t, joint):
        return np.concatenate(slopes(t, joint[:count], joint[count:]))

    solved = integrate.solve_ivp(
        joint_slope, (times[0], times[-1]), np.concatenate([first, begun]), rtol=TOLERANCE,
        atol=TOLERANCE, method="DOP853", dense_output=True,
    )
    if not solved.success:
        raise NotDifferentiable("the equation of the sensitivities can't be solved")
    for k in range(1, len(times)):
        joint = solved.sol(times[k])
        found[k] = joint[count:]
        if times_dot[k] != 0.0:
            found[k] += times_dot[k] * slopes(times[k], joint[:count], joint[count:])[0]
    return found


def _numbers_like(dot, like):
    """A tangent as an array of numbers; zeros where there is none."""
    if dot is None:
        return np.zeros(np.size(like))
    if isinstance(dot, list | tuple):
        parts = zip(dot, like, strict=True)
        return np.concatenate([np.zeros(0), *[_numbers_like(part, x) for part, x in parts]])
    return np.array(numbers_of(dot))
