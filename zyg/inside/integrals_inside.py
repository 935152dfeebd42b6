"""What stands for calls of `scipy.integrate.quad` in programs with derivatives of derivatives.

    y, error = integrate.quad(f, a, b)        y = integral_of(integrand, a, b, settings, (f, ()))[0]

The derivative of an integral in a parameter is the integral of the derivative, which is one of the
same kind: its integrand is what the pullback of the first integrand gives, its parameters are those
of the first and the cotangent. So derivatives of any order are integrated for themselves, as
precisely as is asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import integrate

from ir import facts
from ir.core import Const, Location, Operand, type_of
from ir.errors import Unsupported
from ir.types import Instance, Method, Type
from zyg.array_type import AnySize, Array
from zyg.compiler.nested.inner_gradients import expansions
from zyg.compiler.run_time.dynamic import pullback_call
from zyg.errors import NotDifferentiable
from zyg.held.shadows import apart
from zyg.inside.solvers_inside import as_tuple, called, flat, stands_for
from zyg.rules import scipy_integrate as first_order
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import tangent
from zyg.tangents.no_tangent import NoTangent


def unless_on_objects(f: Any, t: Any, rest: Any) -> None:
    """Stands for nothing: where `f(t, *rest)` may read objects, the call is refused."""


def refuse_objects(
    specialiser: Any, inference: Any, args: list[Operand], kwargs: Any, loc: Location | None
) -> Operand:
    f = type_of(args[0])
    made = called(specialiser, *map(type_of, args))
    if made is not None:
        is_plain = not (made.updates or made.works_on_objects)
    else:  # the run time looks, but for what a program on objects has made
        is_plain = specialiser.fields is None and not isinstance(f, Method | Instance)
    if not is_plain:
        raise Unsupported(
            "the second derivative of an integral or solution whose function works on objects, "
            "or on variables that are assigned or changed elsewhere",
            None if made is None else made.source.loc,
            advice="pass their values by `args`",
        )
    return Const(None)


expansions[id(unless_on_objects)] = refuse_objects

# Rules have no types.
numbers_of: Any = first_order.numbers_of
with_numbers: Any = first_order.with_numbers
integral_bar: Any = first_order.integral_bar
cotangents: Any = first_order.cotangents
jump_at: Any = first_order.jump_at


class Settings(NamedTuple):
    epsabs: float
    epsrel: float
    points: Any


def integrand(t: Any, f: Any, rest: Any) -> Any:
    """A function of a number as one that gives an array, whose parameters are all arguments."""
    return flat(f(t, *rest))


def pulled(function: Any) -> Any:
    """The pullback of an integrand: the cotangents of its parameters as one array."""

    def slopes(t: Any, y_bar: Any, *operands: Any) -> Any:
        back = pullback_call(function, t, *operands)[1]
        return numbers_in(back(y_bar)[2:])

    return slopes


def integral_of(function: Any, a: Any, b: Any, settings: Any, operands: Any) -> Any:
    """The integral of an array."""

    def value(t: Any) -> Any:
        with apart() as shadows:
            y = function(t, *operands)
        if not shadows.is_empty():
            raise NotDifferentiable(first_order.READS_OBJECTS)
        return y

    total, _, info = integrate.quad_vec(value, a, b, **settings._asdict(), full_output=True)
    if not info.success:
        raise NotDifferentiable("an integral, or one of its derivatives, doesn't converge")
    return total


@adjoint(integral_of)
def integral_rule(function: Any, a: Any, b: Any, settings: Any, operands: Any) -> Any:
    values = values_along(function, a, b, operands)

    def back(y_bar: Any) -> Any:
        unless_changed(values, values_along(function, a, b, operands))
        total = integral_of(pulled(function), a, b, settings, (y_bar, *operands))
        bars = with_structure(total, structure_of(function, a, b, operands, y_bar))
        points_bar = None if settings.points is None else [
            np.sum(y_bar * jump_at(function, p, a, b, operands)) for p in settings.points
        ]
        return (
            None, -np.sum(y_bar * at_end(function, a, operands)),
            np.sum(y_bar * at_end(function, b, operands)), (None, None, points_bar), bars,
        )

    return integral_of(function, a, b, settings, operands), back


def values_along(function: Any, a: Any, b: Any, operands: Any) -> Any:
    """Some values of an integrand."""
    with apart():
        return [function(t, *operands) for t in points_between(a, b)]


def points_between(a: Any, b: Any) -> Any:
    parts = np.array([0.11, 0.29, 0.52, 0.73, 0.97])
    if np.isfinite(a) and np.isfinite(b):
        return a + parts * (b - a)
    if np.isfinite(a):
        return a + np.sign(b) * parts / (1.0 - parts)
    if np.isfinite(b):
        return b + np.sign(a) * parts / (1.0 - parts)
    return 4.0 * parts - 2.0


def unless_changed(before: Any, now: Any) -> None:
    if not np.array_equal(before, now, equal_nan=True):
        raise NotDifferentiable(
            "what an integrand reads has changed since it was integrated; pass a copy to it"
        )


constant(values_along, unless_changed)
facts.effect(unless_changed)


def error_of(f: Any, a: Any, b: Any, settings: Any, rest: Any) -> Any:
    """The estimate of the error that `quad` gives."""
    return integrate.quad(f, a, b, rest, **settings._asdict())[1]


@adjoint(error_of)
def error_rule(f: Any, a: Any, b: Any, settings: Any, rest: Any) -> Any:
    return error_of(f, a, b, settings, rest), lambda y_bar: refuse_error(y_bar)


def refuse_error(y_bar: Any) -> Any:
    integral_bar(None, y_bar)
    return None, None, None, None, None


@tangent(error_of)
def error_tangent(
    y: Any, f: Any, a: Any, b: Any, settings: Any, rest: Any, f_dot: Any, a_dot: Any, b_dot: Any,
    settings_dot: Any, rest_dot: Any,
) -> Any:
    return no_error_dot(y)


def no_error_dot(y: Any) -> Any:
    return NoTangent(NotDifferentiable("the error of scipy.integrate.quad has no derivative"))


constant(refuse_error, no_error_dot)
facts.pure(no_error_dot)
facts.effect(refuse_error)
facts.pure(error_of)


def at_end(function: Any, t: Any, operands: Any) -> Any:
    return function(t, *operands) if np.isfinite(t) else 0.0


def structure_of(function: Any, a: Any, b: Any, operands: Any, y_bar: Any) -> Any:
    """Cotangents of the parameters at one point: what structure they have."""
    back = pullback_call(function, points_between(a, b)[2], *operands)[1]
    return cotangents(back, y_bar)[2:]


constant(structure_of)


def numbers_in(bars: Any) -> Any:
    """The numbers in cotangents, one after another."""
    return numbers_of(bars)


def with_structure(numbers: Any, like: Any) -> Any:
    """Cotangents of a structure, with these numbers."""
    return with_numbers(like, numbers)[0]


def numbers_like(bars: Any, like: Any) -> Any:
    """The numbers in cotangents, with zeros for those that are missing."""
    if like is None:
        return np.zeros(0)
    if isinstance(like, dict):
        parts = [numbers_like(None if bars is None else bars.get(n), x) for n, x in like.items()]
        return np.concatenate([np.zeros(0), *parts])
    if isinstance(like, list | tuple):
        given = [None] * len(like) if bars is None else bars
        parts = [numbers_like(bar, x) for bar, x in zip(given, like, strict=True)]
        return np.concatenate([np.zeros(0), *parts])
    return np.zeros(np.size(like)) if bars is None else numbers_of(bars)


@adjoint(numbers_in)
def numbers_in_rule(bars: Any) -> Any:
    return numbers_in(bars), lambda numbers_bar: (with_structure(numbers_bar, bars),)


@adjoint(with_structure)
def with_structure_rule(numbers: Any, like: Any) -> Any:
    return with_structure(numbers, like), lambda bars_bar: (numbers_like(bars_bar, like), None)


@adjoint(numbers_like)
def numbers_like_rule(bars: Any, like: Any) -> Any:
    return numbers_like(bars, like), lambda numbers_bar: (with_structure(numbers_bar, like), None)


@facts.result(integral_of, numbers_in, numbers_like)
def _type_of_array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Array(np.dtype(float), (AnySize(),))


@stands_for(integrate.quad)
def quad(
    func: Any, a: Any, b: Any, args: Any = (), full_output: int = 0, epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8, limit: int = 50, points: Any = None,
) -> Any:
    rest = as_tuple(args)
    unless_on_objects(func, 0.5, rest)
    settings = Settings(epsabs, epsrel, points)
    y = integral_of(integrand, a, b, settings, (func, rest))[0]
    return y, error_of(func, a, b, settings, rest)
