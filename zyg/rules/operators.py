"""Rules of the operators, as the module `operator` names them, on scalars, arrays and containers.

The compiler turns `a * b` into `operator.mul(a, b)`, and `a[i]` into `operator.getitem(a, i)`.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from zyg.arrays.quotients import power_part, product_over, times_log, times_log_into
from zyg.cotangents.cotangent import accumulate, conj, unbroadcast
from zyg.cotangents.cotangent_items import difference_bar, first_part, last_part, one_hot
from zyg.rules.registry import adjoint, constant

constant(
    *(operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge),
    *(operator.not_, operator.truth, operator.is_, operator.is_not, operator.contains),
    *(operator.inv, operator.invert),
    *(operator.lshift, operator.rshift, operator.index, operator.floordiv),
    *(operator.countOf, operator.indexOf, operator.length_hint),
)


@adjoint(operator.add)
def add(x, y):
    def back(z_bar):
        return (
            first_part(z_bar, len(x))
            if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple))
            else unbroadcast(z_bar, x),
            last_part(z_bar, len(x))
            if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple))
            else unbroadcast(z_bar, y),
        )

    return x + y, back


@adjoint(operator.concat)
def concat(x, y):
    def back(z_bar):
        return first_part(z_bar, len(x)), last_part(z_bar, len(x))

    return operator.concat(x, y), back


@adjoint(operator.sub)
def sub(x, y):
    z = x - y
    return z, lambda z_bar: (
        difference_bar(z_bar, z, x)
        if isinstance(x, (set, frozenset))
        else unbroadcast(z_bar, x),
        None if isinstance(x, (set, frozenset)) else unbroadcast(-z_bar, y),
    )


@adjoint(operator.mul)
def mul(x, y):
    def back(z_bar):
        return (
            sequence_factor_bar(z_bar, x, y)
            if isinstance(x, (list, tuple)) or isinstance(y, (list, tuple))
            else unbroadcast(z_bar * conj(y), x),
            sequence_factor_bar(z_bar, y, x)
            if isinstance(x, (list, tuple)) or isinstance(y, (list, tuple))
            else unbroadcast(z_bar * conj(x), y),
        )

    return x * y, back


def sequence_factor_bar(z_bar, x, y):
    """The cotangent of `x` in `x * y` or `y * x`, where one of the two is a list or tuple.

    An integer repeats the sequence, whose copies are summed; an array multiplies its items.
    """
    if isinstance(x, int) or z_bar is None:
        return None
    if not isinstance(y, int):
        return unbroadcast(z_bar * conj(y), x)
    x_bar = None
    for i in range(y):
        x_bar = accumulate(x_bar, z_bar[i * len(x) : (i + 1) * len(x)])
    return x_bar


@adjoint(operator.truediv)
def truediv(x, y):
    z = x / y

    def back(z_bar):
        # Both have the quotient, which generated code computes once.
        return unbroadcast(z_bar / conj(y), x), unbroadcast(-(z_bar / conj(y) * conj(z)), y)

    return z, back


@adjoint(operator.mod)
def mod(x, y):
    return x % y, lambda z_bar: (
        unbroadcast(z_bar, x),
        None if isinstance(x, (str, bytes)) else unbroadcast(-z_bar * (x // y), y),  # a text
    )


@adjoint(operator.pow)
def power(x, y):
    z = x**y

    def back(z_bar):
        part = power_part(z, z_bar) if np.ndim(z) > 0 else None
        return (
            unbroadcast(power_base_bar(z_bar, part if np.ndim(y) > 0 else None, x, y), x),
            None
            if is_count(y)
            else unbroadcast(power_exponent_bar(part, z_bar, x, y, number(z)), y),
        )

    return z, back


def is_count(y):
    """Whether an exponent is a Python int: a number of factors, which has no derivative."""
    return isinstance(y, int)


def power_base_bar(z_bar, part, x, y):
    """The cotangent of `x` in `z = x ** y`, where `part` is `z_bar * conj(z)` if that is exact.

    A quotient takes a tenth of the time of another power.
    """
    if part is not None:
        bar = product_over(part, conj(y), conj(x))
        if bar is not None:
            return bar
    return z_bar * conj(power_slope(x, y))


def power_slope(x, y):
    """The derivative of `x ** y` in `x`: `y x ** (y - 1)`, and 0 for `y == 0` also at `x == 0`.

    The formula is kept wherever it is defined, also for `y` of 0 or 1: it has a derivative in `y`.
    """
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    if np.ndim(y) > 0 or (np.ndim(x) > 0 and y == 0):
        return y * x ** np.where(vanishing(x, y), 1, np.subtract(y, 1))
    if isinstance(x, (int, float)) and y.real < 1 and x == 0:
        return 0 if y == 0 else math.inf
    return y * x ** (y - 1)


def vanishing(x, y):
    """Where `x ** (y - 1)` fails though `y` makes the slope 0."""
    if np.result_type(x).kind in "iu":
        return np.equal(y, 0)
    return np.logical_and(np.equal(x, 0), np.equal(y, 0))


def power_exponent_bar(part, z_bar, x, y, z):
    """The cotangent of `y` in `z = x ** y`, where `part` is `z_bar * conj(z)` if that is exact."""
    bar = None if part is None else times_log(part, x)
    return z_bar * conj(power_growth(x, y, x**y if z is None else z)) if bar is None else bar


def power_exponent_bar_into(part, z_bar, x, y, z):
    """The same, in the memory of `part`."""
    bar = None if part is None else times_log_into(part, x)
    return z_bar * conj(power_growth(x, y, x**y if z is None else z)) if bar is None else bar


def number(z):
    """A power that is no array, which is kept; arrays are computed again where `part` fails."""
    return None if np.ndim(z) > 0 else z


def power_growth(x, y, z):
    """The derivative of `z = x ** y` in `y`: `z log(x)`; 0 at `x == 0`, NaN for negative `x`."""
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return z * math.log(x) if x > 0 else 0.0 if x == 0 else math.nan
    base = np.where(np.equal(x, 0), 1.0, x)  # the logarithm of a small integer has few digits
    return z * np.log(base if np.isrealobj(y) else base + 0j)


@adjoint(operator.neg)
def neg(x):
    return -x, lambda y_bar: -y_bar


@adjoint(operator.pos)
def pos(x):
    return +x, lambda y_bar: y_bar


@adjoint(operator.abs, abs)
def abs_(x):
    return abs(x), lambda y_bar: y_bar * direction(x)


def direction(x):
    """`x / abs(x)`, and 0 at 0: the gradient of `abs` for real and complex, scalar and array."""
    if isinstance(x, (int, float)):
        return 1 if x > 0 else -1 if x < 0 else 0
    if np.isrealobj(x):
        return np.sign(x)
    return x / unless_zero(np.abs(x))


def unless_zero(size):
    """What to divide by, so that 0 divided by 0 is 0."""
    return np.where(size == 0, 1, size)


@adjoint(operator.getitem)
def getitem(x, index):
    return x[index], lambda y_bar: (one_hot(y_bar, x, index), None)
