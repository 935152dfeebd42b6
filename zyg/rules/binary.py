"""Rules of NumPy's ufuncs of two arguments; both operands broadcast, both get their own shape."""

from __future__ import annotations

import numpy as np

from zyg.arrays.quotients import over_length, over_square, power_part, weight_of_two
from zyg.arrays.selections import selected
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.operators import (
    number,
    power_base_bar,
    power_exponent_bar,
    power_growth,
)
from zyg.rules.registry import adjoint, constant

constant(
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and, np.bitwise_or),
    *(np.bitwise_xor, np.left_shift, np.right_shift, np.floor_divide, np.gcd, np.lcm),
    *(np.isclose, np.allclose, np.array_equal, np.array_equiv),
)


@adjoint(np.add)
def add(x, y):
    return np.add(x, y), lambda z_bar: (unbroadcast(z_bar, x), unbroadcast(z_bar, y))


@adjoint(np.subtract)
def subtract(x, y):
    return np.subtract(x, y), lambda z_bar: (unbroadcast(z_bar, x), unbroadcast(-z_bar, y))


@adjoint(np.multiply)
def multiply(x, y):
    def back(z_bar):
        return unbroadcast(z_bar * conj(y), x), unbroadcast(z_bar * conj(x), y)

    return np.multiply(x, y), back


@adjoint(np.divide)
def divide(x, y):
    z = np.divide(x, y)

    def back(z_bar):
        return (
            unbroadcast(np.divide(z_bar, conj(y)), x),
            unbroadcast(-(np.divide(z_bar, conj(y)) * conj(z)), y),
        )

    return z, back


@adjoint(np.power)
def power(x, y):
    z = np.power(x, y)

    def back(z_bar):
        part = power_part(z, z_bar) if np.ndim(z) > 0 else None
        return (
            unbroadcast(power_base_bar(z_bar, part if np.ndim(y) > 0 else None, x, y), x),
            unbroadcast(power_exponent_bar(part, z_bar, x, y, number(z)), y),
        )

    return z, back


@adjoint(np.float_power)
def float_power(x, y):
    z = np.float_power(x, y)

    def back(z_bar):
        return (
            unbroadcast(z_bar * conj(float_power_slope(x, y)), x),
            unbroadcast(z_bar * conj(power_growth(x, y, z)), y),
        )

    return z, back


def float_power_slope(x, y):
    """The derivative of `np.float_power(x, y)` in `x`; 0 for `y == 0` also at `x == 0`."""
    vanishing = np.logical_and(np.equal(x, 0), np.equal(y, 0))
    return y * np.float_power(x, np.where(vanishing, 1, np.subtract(y, 1)))


@adjoint(np.remainder)
def remainder(x, y):
    def back(z_bar):
        return unbroadcast(z_bar, x), unbroadcast(-z_bar * np.floor_divide(x, y), y)

    return np.remainder(x, y), back


@adjoint(np.fmod)
def fmod(x, y):
    def back(z_bar):
        return unbroadcast(z_bar, x), unbroadcast(-z_bar * np.trunc(np.divide(x, y)), y)

    return np.fmod(x, y), back


@adjoint(np.divmod)
def divmod_(x, y):
    quotient, remainder = np.divmod(x, y)

    def back(z_bar):
        return (
            None if z_bar[1] is None else unbroadcast(z_bar[1], x),
            None if z_bar[1] is None else unbroadcast(-z_bar[1] * quotient, y),
        )

    return (quotient, remainder), back


@adjoint(np.maximum)
def maximum(x, y):
    def back(z_bar):
        return unbroadcast(where_greater(z_bar, x, y), x), unbroadcast(
            where_greater(z_bar, y, x), y
        )

    return np.maximum(x, y), back


@adjoint(np.minimum)
def minimum(x, y):
    def back(z_bar):
        return unbroadcast(where_greater(z_bar, y, x), x), unbroadcast(
            where_greater(z_bar, x, y), y
        )

    return np.minimum(x, y), back


def where_greater(z_bar, x, y):
    """`z_bar` where `x > y`, half of it where they are equal, 0 elsewhere; ties are rare."""
    ties = np.equal(x, y)
    if np.any(ties):
        return np.where(ties, 0.5 * z_bar, np.where(np.greater(x, y), z_bar, 0))
    return selected(z_bar, np.greater(x, y))


@adjoint(np.fmax)
def fmax(x, y):
    def back(z_bar):
        return (
            unbroadcast(where_chosen(z_bar, x, y, np.greater(x, y)), x),
            unbroadcast(where_chosen(z_bar, y, x, np.greater(y, x)), y),
        )

    return np.fmax(x, y), back


@adjoint(np.fmin)
def fmin(x, y):
    def back(z_bar):
        return (
            unbroadcast(where_chosen(z_bar, x, y, np.less(x, y)), x),
            unbroadcast(where_chosen(z_bar, y, x, np.less(y, x)), y),
        )

    return np.fmin(x, y), back


def where_chosen(z_bar, x, y, better):
    """`z_bar` where `x` is better or `y` is NaN, half of it where they are equal, else 0."""
    chosen = np.logical_or(better, np.isnan(y))
    ties = np.equal(x, y)
    if np.any(ties):
        return np.where(ties, 0.5 * z_bar, np.where(chosen, z_bar, 0))
    return selected(z_bar, chosen)


@adjoint(np.hypot)
def hypot(x, y):
    z = np.hypot(x, y)

    def back(z_bar):
        scale, size = over_length(z_bar, z)
        return unbroadcast(scale * share(x, size), x), unbroadcast(scale * share(y, size), y)

    return z, back


def share(x, size):
    """The other half of the division."""
    return x if size is None else x / size


@adjoint(np.arctan2)
def arctan2(y, x):
    def back(z_bar):
        part, rest = over_square(z_bar, x, y)
        return (
            unbroadcast(over_rest(part * x, rest), y),
            unbroadcast(-over_rest(part * y, rest), x),
        )

    return np.arctan2(y, x), back


def over_rest(bar, rest):
    """The other half of the division."""
    return bar if rest is None else bar / rest


@adjoint(np.logaddexp)
def logaddexp(x, y):
    def back(z_bar):
        return (
            unbroadcast(z_bar * weight_of_two(x, y), x),
            unbroadcast(z_bar * weight_of_two(y, x), y),
        )

    return np.logaddexp(x, y), back


def weight(x, z):
    """`exp(x - z)`, and 0 where both are `-inf`."""
    return np.exp(np.where(np.isneginf(x), x, x - z))


def weight2(x, z):
    """`2 ** (x - z)`, and 0 where both are `-inf`."""
    return np.exp2(np.where(np.isneginf(x), x, x - z))


@adjoint(np.logaddexp2)
def logaddexp2(x, y):
    z = np.logaddexp2(x, y)

    def back(z_bar):
        return unbroadcast(z_bar * weight2(x, z), x), unbroadcast(z_bar * weight2(y, z), y)

    return z, back


@adjoint(np.heaviside)
def heaviside(x, at_zero):
    def back(z_bar):
        return None, unbroadcast(np.where(np.equal(x, 0), z_bar, 0), at_zero)

    return np.heaviside(x, at_zero), back


@adjoint(np.copysign)
def copysign(x, y):
    def back(z_bar):
        return unbroadcast(z_bar * np.sign(x) * np.copysign(np.ones_like(z_bar), y), x), None

    return np.copysign(x, y), back


@adjoint(np.ldexp)
def ldexp(x, i):
    return np.ldexp(x, i), lambda y_bar: (unbroadcast(np.ldexp(y_bar, i), x), None)


@adjoint(np.nextafter)
def nextafter(x, y):
    return np.nextafter(x, y), lambda z_bar: (unbroadcast(z_bar, x), None)
