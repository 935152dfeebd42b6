"""What stands for `solve_ivp` and `odeint` in programs with derivatives of derivatives.

    y = flow(slope, start, stop, y0, (f, ()))        from one time to the next one that is read

The cotangents of a flow are a flow of the same kind, backwards in time: of the state, of its
cotangent, and of what has been gathered for the parameters. So it is differentiated to any order
that the run time can find. The state runs backwards as well there, which is unstable for some
equations: one that doesn't come back to where it began is refused. Source: R. Chen, Y. Rubanova, J.
Bettencourt and D. Duvenaud, "Neural Ordinary Differential Equations" (2018), appendix C.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import integrate

from ir import facts
from ir.types import Type
from zyg.api import dropgrad
from zyg.array_type import AnySize, Array
from zyg.compiler.run_time.dynamic import pullback_call
from zyg.errors import NotDifferentiable
from zyg.held.shadows import apart
from zyg.inside.integrals_inside import (
    cotangents,
    numbers_in,
    numbers_like,
    unless_changed,
    unless_on_objects,
    with_structure,
)
from zyg.inside.solvers_inside import as_tuple, entry, flat, stands_for
from zyg.rules import scipy_integrate as first_order
from zyg.rules import scipy_integrate_tangents as forward
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import by_jvp

# Rules have no types.
joint_slopes: Any = forward.joint_slopes
sensitivities: Any = forward.sensitivities


def slope(t: Any, y: Any, f: Any, rest: Any) -> Any:
    return flat(f(t, y, *rest))


def slope_of_odeint(t: Any, y: Any, f: Any, rest: Any) -> Any:
    return flat(f(y, t, *rest))


def backwards(function: Any, count: int) -> Any:
    """The slope of the state, its cotangent, and the cotangents of the parameters."""

    def slopes(t: Any, joint: Any, *operands: Any) -> Any:
        state = joint[:count]
        value, back = pullback_call(function, t, state, *operands)
        bars = back(joint[count : 2 * count])
        return np.concatenate([
            numbers_like(value, state), -numbers_like(bars[2], state), -numbers_in(bars[3:])
        ])

    return slopes


def flow(function: Any, start: Any, stop: Any, first: Any, operands: Any) -> Any:
    """The state at `stop`."""
    if start == stop:
        return np.array(first)

    def value(t: Any, y: Any) -> Any:
        with apart() as shadows:
            slopes = function(t, y, *operands)
        if not shadows.is_empty():
            raise NotDifferentiable(first_order.READS_OBJECTS)
        return slopes

    found = integrate.solve_ivp(
        value, (start, stop), first, rtol=first_order.TOLERANCE, atol=first_order.TOLERANCE,
        method="DOP853",
    )
    if not found.success:
        raise NotDifferentiable("an initial value problem, or its adjoint, can't be solved")
    return found.y[:, -1]


@adjoint(flow)
def flow_rule(function: Any, start: Any, stop: Any, first: Any, operands: Any) -> Any:
    last = flow(function, start, stop, first, operands)
    values = values_at(function, start, stop, first, last, operands)

    def back(y_bar: Any) -> Any:
        unless_changed(values, values_at(function, start, stop, first, last, operands))
        like = structure_of(function, stop, last, operands, y_bar)
        count = np.size(first)
        begun = np.concatenate([last, y_bar, np.zeros(size_of(like))])
        joint = flow(backwards(function, count), stop, start, begun, operands)
        unless_far(joint[:count], first)
        first_bar = joint[count : 2 * count]
        return (
            None, -np.sum(first_bar * function(start, first, *operands)),
            np.sum(y_bar * function(stop, last, *operands)), first_bar,
            with_structure(joint[2 * count :], like),
        )

    return last, back


@by_jvp(flow)
def flow_and_tangent(
    jvp: Any, dots: Any, function: Any, start: Any, stop: Any, first: Any, operands: Any
) -> Any:
    """The value, and the tangent by the equation of the sensitivities."""
    y = flow(function, start, stop, first, operands)
    slopes = joint_slopes(
        jvp, function, dots.get("function"), operands, dots.get("operands"), True
    )
    times_dot = np.array([dots.get("start") or 0.0, dots.get("stop") or 0.0])
    return y, sensitivities(slopes, np.array([start, stop]), times_dot, first, dots.get("first"))[1]


def values_at(
    function: Any, start: Any, stop: Any, first: Any, last: Any, operands: Any
) -> Any:
    with apart():
        return [function(start, first, *operands), function(stop, last, *operands)]


def structure_of(function: Any, t: Any, y: Any, operands: Any, y_bar: Any) -> Any:
    """Cotangents of the parameters at one time: what structure they have."""
    return cotangents(pullback_call(function, t, y, *operands)[1], y_bar)[3:]


def size_of(like: Any) -> int:
    return int(np.size(numbers_in(like)))


def unless_far(found: Any, first: Any) -> None:
    """Raises where the way back has not led to where the way there began."""
    if not np.allclose(found, first, rtol=1e-6, atol=1e-6 * np.max(np.abs(first), initial=1e-3)):
        raise NotDifferentiable(
            "the second derivative of the solution of a differential equation that is unstable "
            "backwards in time; read the solution at more times, by `t_eval`"
        )


constant(values_at, structure_of, size_of, unless_far)
facts.effect(unless_far)


@facts.result(flow)
def _type_of_array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Array(np.dtype(float), (AnySize(),))


def along(function: Any, start: Any, times: Any, first: Any, operands: Any) -> Any:
    """The states at times, in rows; where the first time is the start, the state is known."""
    rows = np.zeros((len(times), np.size(first)))
    state, before = first, start
    for k in range(len(times)):
        if k > 0 or is_later(times[k], start):
            state = flow(function, before, times[k], state, operands)
            before = times[k]
        rows[k] = state
    return rows


def is_later(t: Any, start: Any) -> bool:
    return bool(t != start)


def as_found(found: Any, precise: Any) -> Any:
    """What the solver has found, with the derivatives of what was computed more precisely."""
    return found + (precise - dropgrad(precise))


def found_by_odeint(f: Any, y0: Any, t: Any, args: Any, options: Any) -> Any:
    refuse_complex(y0)
    return integrate.odeint(f, y0, t, args, **options)


def found_by_solve_ivp(f: Any, y0: Any, span: Any, t_eval: Any, args: Any, options: Any) -> Any:
    """The solution, which has to be one."""
    refuse_complex(y0)
    found = integrate.solve_ivp(f, span, y0, t_eval=t_eval, args=args, **options)
    if not found.success:
        raise NotDifferentiable("solve_ivp has failed, so that there is no solution")
    return found


def refuse_complex(y0: Any) -> None:
    if np.iscomplexobj(y0):
        raise NotDifferentiable("scipy.integrate has no rules for complex states")


def times_of(found: Any) -> Any:
    return np.array(found.t, dtype=float)


def states_of(found: Any) -> Any:
    return np.array(found.y, dtype=float)


constant(is_later, found_by_odeint, found_by_solve_ivp, times_of, states_of)


@facts.result(times_of)
def _type_of_times(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Array(np.dtype(float), (AnySize(),))


@facts.result(found_by_odeint, states_of)
def _type_of_states(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Array(np.dtype(float), (AnySize(), AnySize()))


@stands_for(integrate.odeint)
def odeint(
    func: Any, y0: Any, t: Any, args: Any = (), *, tfirst: bool = False, rtol: Any = None,
    atol: Any = None, mxstep: int = 0,
) -> Any:
    rest = as_tuple(args)
    first = flat(y0) * 1.0
    options = {"tfirst": tfirst, "rtol": rtol, "atol": atol, "mxstep": mxstep}
    found = found_by_odeint(func, y0, t, args, options)
    if tfirst:
        unless_on_objects(func, (0.5, first), rest)
        precise = along(slope, t[0], t, first, (func, rest))
    else:
        unless_on_objects(func, (first, 0.5), rest)
        precise = along(slope_of_odeint, t[0], t, first, (func, rest))
    return as_found(found, precise)


class Solution(NamedTuple):
    """What `solve_ivp` returns in such a program."""

    t: Any
    y: Any
    success: bool
    status: int
    message: str
    nfev: int


@stands_for(integrate.solve_ivp)
def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None,
    dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None,
    **options: Any,
) -> Solution:
    if dense_output or events is not None or vectorized:
        raise NotDifferentiable(first_order.NO_DENSE_OUTPUT)
    rest = () if args is None else args
    first = flat(y0) * 1.0
    unless_on_objects(fun, (0.5, first), rest)
    found = found_by_solve_ivp(fun, y0, t_span, t_eval, args, {"method": method, **options})
    times = with_ends(times_of(found), *t_span) if t_eval is None else t_eval
    precise = along(slope, t_span[0], times, first, (fun, rest))
    return Solution(
        times, as_found(states_of(found), precise.T), True, entry(found, "status"),
        entry(found, "message"), entry(found, "nfev"),
    )


def with_ends(times: Any, start: Any, stop: Any) -> Any:
    """Times that the solver has chosen, but for where it had to begin and to stop."""
    moved = np.zeros_like(times)
    moved[0] = start - dropgrad(start)
    moved[-1] = stop - dropgrad(stop)
    return times + moved
