"""What stands for calls of `scipy.integrate.quad` in programs with derivatives of derivatives.

    y, error = integrate.quad(f, a, b)        y = integral_of(integrand, a, b, settings, (f,))[0]

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
from ir.types import Type
from zyg.array_type import AnySize, Array
from zyg.compiler.dynamic import pullback_call
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant
from zyg.rules.scipy_integrate import READS_OBJECTS, numbers_of, with_numbers
from zyg.shadows import apart
from zyg.solvers_inside import as_tuple, stands_for, unless_changing


class Settings(NamedTuple):
    epsabs: float
    epsrel: float
    points: Any


def integrand(t: Any, f: Any, *rest: Any) -> Any:
    """A function of a number as one that gives an array, whose parameters are all arguments."""
    return np.array([f(t, *rest)])


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
            raise NotDifferentiable(READS_OBJECTS)
        return y

    total, _, info = integrate.quad_vec(
        value, a, b, epsabs=settings.epsabs, epsrel=settings.epsrel, points=settings.points,
        full_output=True,
    )
    if not info.success:
        raise NotDifferentiable("an integral, or one of its derivatives, doesn't converge")
    return total


@adjoint(integral_of)
def integral_rule(function: Any, a: Any, b: Any, settings: Any, operands: Any) -> Any:
    def back(y_bar: Any) -> Any:
        total = integral_of(pulled(function), a, b, settings, (y_bar, *operands))
        bars = with_structure(total, structure_of(function, a, b, operands, y_bar))
        return (
            None, -np.sum(y_bar * at_end(function, a, operands)),
            np.sum(y_bar * at_end(function, b, operands)), None, bars,
        )

    return integral_of(function, a, b, settings, operands), back


def at_end(function: Any, t: Any, operands: Any) -> Any:
    return function(t, *operands) if np.isfinite(t) else 0.0


def structure_of(function: Any, a: Any, b: Any, operands: Any, y_bar: Any) -> Any:
    """Cotangents of the parameters at one point: what structure they have."""
    middle = 0.5 * (np.clip(a, -1e3, 1e3) + np.clip(b, -1e3, 1e3))
    return pullback_call(function, middle, *operands)[1](y_bar)[2:]


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
    func: Any, a: Any, b: Any, args: Any = (), *, epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8, limit: int = 50, points: Any = None,
) -> Any:
    rest = as_tuple(args)
    unless_changing(func, 0.5, rest)
    settings = Settings(epsabs, epsrel, points)
    return integral_of(integrand, a, b, settings, (func, *rest))[0], 0.0
