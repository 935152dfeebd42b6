"""Rules of NumPy's ufuncs of one argument: trigonometry, exponentials, rounding, parts.

Each cotangent is `y_bar` times the conjugate of the derivative, so that the same rule serves real
and complex arrays; `conj` disappears where the argument is known to be real.
"""

from __future__ import annotations

import math

import numpy as np

from zyg.arrays.quotients import in_floats
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.facts.numpy_missing import replaced
from zyg.rules.operators import direction, unless_zero
from zyg.rules.registry import adjoint, constant

constant(
    *(np.rint, np.floor, np.ceil, np.trunc, np.signbit, np.spacing, np.invert),
    *(np.isfinite, np.isinf, np.isnan, np.isnat, np.logical_not, np.round, np.around, np.fix),
    *(np.iscomplex, np.isreal, np.iscomplexobj, np.isrealobj, np.isneginf, np.isposinf),
    *((np.bitwise_count,) if hasattr(np, "bitwise_count") else ()),
)


@adjoint(np.negative)
def negative(x):
    return np.negative(x), lambda y_bar: -y_bar


@adjoint(np.positive)
def positive(x):
    return np.positive(x), lambda y_bar: y_bar


@adjoint(np.absolute)
def absolute(x):
    y = np.absolute(x)
    return y, lambda y_bar: y_bar * (direction(x) if np.isrealobj(x) else x / unless_zero(y))


@adjoint(np.sign)
def sign(x):
    y = np.sign(x)
    return y, lambda y_bar: (None if np.isrealobj(x) else turned(y_bar, y, x),)


def turned(y_bar, y, z):
    """The cotangent of `z` in `y = z / abs(z)`, which only turns; 0 at 0.

    In NumPy 1 the sign of a complex number is that of a part, which is constant.
    """
    if IS_SIGN_OF_PART:
        return None
    return 1j * y * (np.imag(y_bar * conj(y)) / unless_zero(np.abs(z)))


IS_SIGN_OF_PART = bool(np.sign(3 + 4j) == 1)


@adjoint(np.fabs)
def fabs(x):
    return np.fabs(x), lambda y_bar: y_bar * np.sign(x)


@adjoint(np.conjugate)
def conjugate(x):
    return np.conjugate(x), lambda y_bar: conj(y_bar)


@adjoint(np.sin)
def sin(x):
    return np.sin(x), lambda y_bar: y_bar * conj(np.cos(x))


@adjoint(np.cos)
def cos(x):
    return np.cos(x), lambda y_bar: -y_bar * conj(np.sin(x))


@adjoint(np.tan)
def tan(x):
    y = np.tan(x)
    return y, lambda y_bar: y_bar * conj(1 + y * y)


@adjoint(np.arcsin)
def arcsin(x):
    y = np.arcsin(x)
    return y, lambda y_bar: y_bar / conj(np.cos(y) if np.iscomplexobj(y) else cosine(x))


def cosine(x):
    """The cosine of `arcsin(x)`; that of complex numbers has several branches, which `y` tells."""
    return np.sqrt(np.subtract(1, x) * np.add(1, x))


@adjoint(np.arccos)
def arccos(x):
    y = np.arccos(x)
    return y, lambda y_bar: -y_bar / conj(np.sin(y) if np.iscomplexobj(y) else cosine(x))


@adjoint(np.arctan)
def arctan(x):
    return np.arctan(x), lambda y_bar: y_bar / conj(1 + np.square(in_floats(x)))


@adjoint(np.sinh)
def sinh(x):
    return np.sinh(x), lambda y_bar: y_bar * conj(np.cosh(x))


@adjoint(np.cosh)
def cosh(x):
    return np.cosh(x), lambda y_bar: y_bar * conj(np.sinh(x))


@adjoint(np.tanh)
def tanh(x):
    y = np.tanh(x)
    return y, lambda y_bar: y_bar * conj(1 - y * y)


@adjoint(np.arcsinh)
def arcsinh(x):
    y = np.arcsinh(x)
    return y, lambda y_bar: y_bar / conj(
        np.cosh(y) if np.iscomplexobj(y) else np.sqrt(1 + np.square(in_floats(x)))
    )


@adjoint(np.arccosh)
def arccosh(x):
    y = np.arccosh(x)
    return y, lambda y_bar: y_bar / conj(np.sinh(y) if np.iscomplexobj(y) else sine(x))


def sine(x):
    """The hyperbolic sine of `arccosh(x)`."""
    return np.sqrt(np.subtract(x, 1)) * np.sqrt(np.add(x, 1))


def in_numpy(x):
    """A divisor where NumPy has given infinity: numbers of Python raise at 0."""
    return np.float64(x) if type(x) is float or type(x) is int else x


@adjoint(np.arctanh)
def arctanh(x):
    return np.arctanh(x), lambda y_bar: y_bar / in_numpy((1 - conj(x)) * (1 + conj(x)))


@adjoint(np.exp)
def exp(x):
    y = np.exp(x)
    return y, lambda y_bar: y_bar * conj(y)


@adjoint(np.exp2)
def exp2(x):
    y = np.exp2(x)
    return y, lambda y_bar: y_bar * (math.log(2) * conj(y))


@adjoint(np.expm1)
def expm1(x):
    y = np.expm1(x)
    return y, lambda y_bar: y_bar * conj(y + 1)


@adjoint(np.log)
def log(x):
    return np.log(x), lambda y_bar: y_bar / in_numpy(conj(x))


@adjoint(np.log2)
def log2(x):
    return np.log2(x), lambda y_bar: y_bar / in_numpy(math.log(2) * conj(x))


@adjoint(np.log10)
def log10(x):
    return np.log10(x), lambda y_bar: y_bar / in_numpy(math.log(10) * conj(x))


@adjoint(np.log1p)
def log1p(x):
    return np.log1p(x), lambda y_bar: y_bar / in_numpy(1 + conj(x))


@adjoint(np.sqrt)
def sqrt(x):
    y = np.sqrt(x)
    return y, lambda y_bar: y_bar * (0.5 / conj(y))


@adjoint(np.square)
def square(x):
    return np.square(x), lambda y_bar: y_bar * (2 * conj(x))


@adjoint(np.cbrt)
def cbrt(x):
    y = np.cbrt(x)
    return y, lambda y_bar: y_bar / (3 * (y * y))


@adjoint(np.reciprocal)
def reciprocal(x):
    return np.reciprocal(x), lambda y_bar: -y_bar / conj(np.square(x))


@adjoint(np.degrees, np.rad2deg)
def degrees(x):
    return np.degrees(x), lambda y_bar: y_bar * (180 / math.pi)


@adjoint(np.radians, np.deg2rad)
def radians(x):
    return np.radians(x), lambda y_bar: y_bar * (math.pi / 180)


@adjoint(np.modf)
def modf(x):
    return np.modf(x), lambda y_bar: y_bar[0]


@adjoint(np.frexp)
def frexp(x):
    mantissa, exponent = np.frexp(x)

    def back(y_bar):
        return None if y_bar[0] is None else np.ldexp(y_bar[0], -exponent)

    return (mantissa, exponent), back


@adjoint(np.real)
def real(val):
    return np.real(val), lambda y_bar: y_bar


@adjoint(np.imag)
def imag(val):
    return np.imag(val), lambda y_bar: y_bar * 1j if np.iscomplexobj(val) else None


@adjoint(np.angle)
def angle(z, deg=False):
    scale = 180 / math.pi if deg else 1.0

    def back(y_bar):
        return (y_bar * (scale * 1j) * angular(z) if np.iscomplexobj(z) else None,)

    return np.angle(z, deg), back


def angular(z):
    """`z / |z|^2`, and 0 at 0: times `i`, the gradient of the angle of `z`."""
    size = np.square(np.real(z)) + np.square(np.imag(z))
    return z / np.where(size == 0, 1, size)


@adjoint(np.sinc)
def sinc(x):
    return np.sinc(x), lambda y_bar: y_bar * conj(sinc_slope(x))


def sinc_slope(x):
    """The derivative of `sin(pi x) / (pi x)`: close to 0, where the quotient loses digits, the
    first terms of its series.
    """
    is_small = np.less(np.abs(x), 0.1)
    if not np.any(is_small):
        return sinc_slope_by_quotient(x)
    return np.where(
        is_small,
        np.multiply(x, sinc_series(np.where(is_small, np.square(np.multiply(x, math.pi)), 0))),
        sinc_slope_by_quotient(np.where(is_small, 1, x)),
    )


def sinc_slope_by_quotient(x):
    angle = np.multiply(math.pi, x)
    return (np.cos(angle) - np.sin(angle) / angle) / x


def sinc_series(t):
    """The derivative over `x` in terms of `t = (pi x)**2`."""
    inner = t * (1 / 45360 - t * (1 / 3991680 - t / 518918400))
    return math.pi**2 * (-1 / 3 + t * (1 / 30 - t * (1 / 840 - inner)))


constant(replaced)


@adjoint(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        raise NotDifferentiable("np.nan_to_num(copy=False) writes to its argument: leave copy out")
    y = np.nan_to_num(x, copy, nan, posinf, neginf)

    def back(y_bar):
        return (
            np.where(np.isfinite(x), y_bar, 0),
            None,
            unbroadcast(np.where(np.isnan(x), y_bar, 0), nan),
            None if posinf is None else unbroadcast(np.where(np.isposinf(x), y_bar, 0), posinf),
            None if neginf is None else unbroadcast(np.where(np.isneginf(x), y_bar, 0), neginf),
        )

    return y, back
