"""Rules of the operators, as the module `operator` names them, on scalars, arrays and containers.

The compiler turns `a * b` into `operator.mul(a, b)`, and `a[i]` into `operator.getitem(a, i)`.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from ir.fact_rules import always
from ir.types import Scalar
from zyg.cotangent import accumulate, conj, unbroadcast
from zyg.cotangent_items import first_part, last_part, one_hot
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
    return x - y, lambda z_bar: (unbroadcast(z_bar, x), unbroadcast(-z_bar, y))


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
    return x % y, lambda z_bar: (unbroadcast(z_bar, x), unbroadcast(-z_bar * (x // y), y))


@adjoint(operator.pow)
def power(x, y):
    z = x**y

    def back(z_bar):
        is_exact = is_in_range(z, x) if np.ndim(z) > 0 else False
        return (
            unbroadcast(z_bar * conj(power_slope(x, y, z, is_exact)), x),
            None
            if is_count(y)
            else unbroadcast(z_bar * conj(power_growth(x, y, z, is_exact)), y),
        )

    return z, back


def is_count(y):
    """Whether an exponent is a Python int: a number of factors, which has no derivative."""
    return isinstance(y, int)


def power_slope(x, y, z, is_exact):
    """The derivative of `z = x ** y` in `x`: `y x ** (y - 1)`, and 0 for `y == 0` also at `x == 0`.

    A quotient takes a tenth of the time of another power. The formula is kept wherever it is
    defined, also for `y` of 0 or 1: it has a derivative in `y`.
    """
    if np.ndim(y) > 0 or (np.ndim(x) > 0 and y == 0):
        if is_exact:
            return y * (z / x)
        return y * x ** np.where(vanishing(x, y), 1, np.subtract(y, 1))
    if isinstance(x, (int, float)) and y.real < 1 and x == 0:
        return 0 if y == 0 else math.inf
    return y * x ** (y - 1)


def is_in_range(z, divisor):
    """Whether no item has overflowed, or lost digits close to 0; nor is a divisor 0."""
    if np.result_type(z).kind not in "fc" or np.result_type(divisor).kind not in "fciu":
        return False
    limits = np.finfo(np.result_type(z))
    smallest = limits.smallest_normal / limits.eps
    # Most powers are positive: a reduction takes half of the time of the absolute values.
    is_positive = limits.dtype == np.result_type(z) and np.min(z, initial=1) > smallest
    size = z if is_positive else np.abs(z)
    if not (is_positive or np.min(size, initial=1) > smallest):
        return False
    return bool(np.max(size, initial=1) < np.inf and is_without_zeros(divisor))


def is_without_zeros(x):
    is_real = np.isrealobj(x)
    return bool(is_real and np.min(x, initial=1) > 0) or bool(np.all(x))


constant(is_in_range)
always(Scalar(bool), is_in_range)


def vanishing(x, y):
    """Where `x ** (y - 1)` fails though `y` makes the slope 0."""
    if np.result_type(x).kind in "iu":
        return np.equal(y, 0)
    return np.logical_and(np.equal(x, 0), np.equal(y, 0))


def power_growth(x, y, z, is_exact):
    """The derivative of `z = x ** y` in `y`: `z log(x)`; 0 at `x == 0`, NaN for negative `x`."""
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return z * math.log(x) if x > 0 else 0.0 if x == 0 else math.nan
    return z * np.log(x if is_exact else np.where(x == 0, 1, x))


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
