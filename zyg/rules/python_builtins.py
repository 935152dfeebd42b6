"""Rules of the built-in functions that compute with numbers."""

from __future__ import annotations

from collections import deque

import numpy as np

from ir import facts
from ir.types import TOP, Sequence
from zyg.cotangent import conj, rebuilt, unbroadcast, zeros_like
from zyg.cotangent_facts import is_numeric
from zyg.iterators import items_of, of_items, readable_again
from zyg.rules.operators import is_count, is_in_range, power_growth, power_slope
from zyg.rules.registry import adjoint, constant

constant(
    *(int, bool, str, bytes, bytearray, repr, ascii, format, chr, ord, bin, hex, oct, hash, id),
    *(len, range, slice, type, isinstance, issubclass, callable, hasattr, any, all, round, dir),
    *(print, input, open),
)


@adjoint(pow)
def pow_(base, exp, mod=None):
    z = pow(base, exp) if mod is None else pow(base, exp, mod)

    def back(z_bar):
        is_exact = is_in_range(z, base) if np.ndim(z) > 0 else False
        return (
            None
            if mod is not None
            else unbroadcast(z_bar * conj(power_slope(base, exp, z, is_exact)), base),
            None
            if mod is not None or is_count(exp)
            else unbroadcast(z_bar * conj(power_growth(base, exp, z, is_exact)), exp),
        )

    return z, back


@adjoint(float)
def float_(x=0.0):
    return float(x), lambda y_bar: unbroadcast(y_bar, x)


@adjoint(complex)
def complex_(real=0, imag=0):
    def back(z_bar):
        return unbroadcast(z_bar, real), unbroadcast(z_bar * -1j, imag)

    return complex(real, imag), back


@adjoint(complex.real, float.real, int.real)
def real(self):
    return self.real, lambda y_bar: y_bar


@adjoint(complex.imag, float.imag, int.imag)
def imag(self):
    return self.imag, lambda y_bar: y_bar * 1j if isinstance(self, complex) else None


@adjoint(complex.conjugate, float.conjugate, int.conjugate)
def conjugate(self):
    return self.conjugate(), lambda y_bar: conj(y_bar)


@adjoint(divmod)
def divmod_(x, y):
    quotient, remainder = divmod(x, y)

    def back(z_bar):
        return (
            None if z_bar[1] is None else unbroadcast(z_bar[1], x),
            None if z_bar[1] is None else unbroadcast(-z_bar[1] * quotient, y),
        )

    return (quotient, remainder), back


@adjoint(sum)
def sum_(iterable, start=0):
    xs = items_of(iterable)
    y = sum(xs, start)

    def back(y_bar):
        return of_items(share_among(y_bar, xs, start), iterable), first_share(y_bar, start)

    return y, back


def share_among(y_bar, xs, start):
    """The cotangent of the items of a sum: each item receives the cotangent of the sum.

    Lists and tuples are joined by `sum(xs, [])`: there each receives its own part.
    """
    if isinstance(start, (list, tuple)):
        ends = [len(start) + sum([len(x) for x in xs[: i + 1]]) for i in range(len(xs))]
        return rebuilt(xs, [y_bar[end - len(x) : end] for x, end in zip(xs, ends, strict=True)])
    if isinstance(xs, (list, tuple)):
        return rebuilt(xs, [unbroadcast(y_bar, x) for x in xs])
    if isinstance(xs, deque):
        return [unbroadcast(y_bar, x) for x in xs]
    return np.broadcast_to(y_bar, np.shape(xs))


@facts.result(share_among)
def type_of_shares(args, kwargs):
    """Known of numbers."""
    y_bar, xs, start = args
    if not isinstance(xs, Sequence) or not all(map(is_numeric, (y_bar, xs.item, start))):
        return TOP
    unbroadcast_type = facts.result_of(unbroadcast)
    return Sequence(tuple if xs.cls is tuple else list, unbroadcast_type((y_bar, xs.item), {}))


facts.pure(share_among)
facts.fresh(share_among)


def first_share(y_bar, start):
    """The cotangent of the `start` of a sum."""
    if isinstance(start, (list, tuple)):
        return y_bar[: len(start)]
    return unbroadcast(y_bar, start)


@adjoint(max)
def max_(*candidates):
    xs = readable_again(candidates)
    y = max(*xs)
    place = place_of(y, xs) if isinstance(y, (list, tuple)) else None
    return y, lambda y_bar: share_among_winners(y_bar, y, place, xs, candidates)


@adjoint(min)
def min_(*candidates):
    xs = readable_again(candidates)
    y = min(*xs)
    place = place_of(y, xs) if isinstance(y, (list, tuple)) else None
    return y, lambda y_bar: share_among_winners(y_bar, y, place, xs, candidates)


def place_of(y, xs):
    """Which of its arguments, or of the items of its only one, `max` or `min` has returned."""
    places = [i for i, x in enumerate(xs[0] if len(xs) == 1 else xs) if x is y]
    return places[0]


def share_among_winners(y_bar, y, place, xs, candidates):
    """The cotangents of the arguments of `max` or `min`; ties of numbers share equally."""
    if len(xs) == 1:
        return (of_items(share_among_equal(y_bar, y, place, xs[0]), candidates[0]),)
    return share_among_equal(y_bar, y, place, xs)


def share_among_equal(y_bar, y, place, xs):
    """Gives `y_bar` to the items of `xs` that equal `y`, in equal parts, and 0 to the others.

    Lists and tuples may hold arrays, which can't be compared: they have a place. `max` and `min`
    return NaN where it comes first, and it equals nothing.
    """
    if place is not None:
        return rebuilt(xs, [y_bar if i == place else zeros_like(x) for i, x in enumerate(xs)])
    if y != y:
        return rebuilt(xs, [unbroadcast(y_bar if i == 0 else 0.0, x) for i, x in enumerate(xs)])
    if isinstance(xs, np.ndarray):
        equal = xs == y
        return np.where(equal, y_bar / np.count_nonzero(equal), 0)
    winners = sum([1 for x in xs if x == y])
    part = y_bar if winners == 1 else y_bar / winners
    return rebuilt(xs, [unbroadcast(part, x) if x == y else zeros_like(x) for x in xs])
