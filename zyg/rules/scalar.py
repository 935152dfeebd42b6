"""Rules of the module `math`: Python floats in, Python floats out, no NumPy in the adjoint."""

from __future__ import annotations

import math
import sys

from zyg.cotangents.cotangent import conj, from_items, unbroadcast
from zyg.held.iterators import items_of, of_items
from zyg.rules.digamma import digamma
from zyg.rules.registry import adjoint, constant

constant(
    *(math.ceil, math.floor, math.trunc, math.isfinite, math.isinf, math.isnan, math.isclose),
    *(math.comb, math.factorial, math.gcd, math.lcm, math.isqrt, math.perm),
    math.ulp,
)


@adjoint(math.sin)
def sin(x):
    return math.sin(x), lambda y_bar: y_bar * math.cos(x)


@adjoint(math.cos)
def cos(x):
    return math.cos(x), lambda y_bar: -y_bar * math.sin(x)


@adjoint(math.tan)
def tan(x):
    y = math.tan(x)
    return y, lambda y_bar: y_bar * (1 + y * y)


@adjoint(math.asin)
def asin(x):
    return math.asin(x), lambda y_bar: y_bar * inverse_sqrt((1 - x) * (1 + x))


@adjoint(math.acos)
def acos(x):
    return math.acos(x), lambda y_bar: -y_bar * inverse_sqrt((1 - x) * (1 + x))


@adjoint(math.atan)
def atan(x):
    return math.atan(x), lambda y_bar: y_bar / (1 + x * x)


@adjoint(math.sinh)
def sinh(x):
    return math.sinh(x), lambda y_bar: y_bar * math.cosh(x)


@adjoint(math.cosh)
def cosh(x):
    return math.cosh(x), lambda y_bar: y_bar * math.sinh(x)


@adjoint(math.tanh)
def tanh(x):
    y = math.tanh(x)
    return y, lambda y_bar: y_bar * (1 - y * y)


@adjoint(math.asinh)
def asinh(x):
    return math.asinh(x), lambda y_bar: y_bar / math.hypot(x, 1)


@adjoint(math.acosh)
def acosh(x):
    return math.acosh(x), lambda y_bar: y_bar * inverse_sqrt((x - 1) * (x + 1))


@adjoint(math.atanh)
def atanh(x):
    return math.atanh(x), lambda y_bar: y_bar / ((1 - x) * (1 + x))


def inverse_sqrt(x):
    """`1 / sqrt(x)`, infinite at 0, where Python would raise ZeroDivisionError."""
    return 1 / math.sqrt(x) if x else math.inf


@adjoint(math.exp)
def exp(x):
    y = math.exp(x)
    return y, lambda y_bar: y_bar * y


@adjoint(math.expm1)
def expm1(x):
    y = math.expm1(x)
    return y, lambda y_bar: y_bar * (y + 1)


@adjoint(math.exp2)
def exp2(x):
    y = math.exp2(x)
    return y, lambda y_bar: y_bar * (y * math.log(2))


@adjoint(math.log)
def log(x, base=None):
    y = math.log(x) if base is None else math.log(x, base)

    def back(y_bar):
        return (
            y_bar / x if base is None else y_bar / (x * math.log(base)),
            None if base is None else -y_bar * y / (base * math.log(base)),
        )

    return y, back


@adjoint(math.log1p)
def log1p(x):
    return math.log1p(x), lambda y_bar: y_bar / (1 + x)


@adjoint(math.log2)
def log2(x):
    return math.log2(x), lambda y_bar: y_bar / (x * math.log(2))


@adjoint(math.log10)
def log10(x):
    return math.log10(x), lambda y_bar: y_bar / (x * math.log(10))


@adjoint(math.sqrt)
def sqrt(x):
    y = math.sqrt(x)
    return y, lambda y_bar: y_bar * (0.5 / y if y else math.inf)


@adjoint(math.cbrt)
def cbrt(x):
    y = math.cbrt(x)
    return y, lambda y_bar: y_bar * (1 / (3 * y * y) if y else math.inf)


@adjoint(math.pow)
def pow_(x, y):
    z = math.pow(x, y)

    def back(z_bar):
        return z_bar * power_slope(x, y), z_bar * power_growth(x, z)

    return z, back


def power_slope(x, y):
    """The derivative of `math.pow(x, y)` in `x`; 0 for `y == 0`, infinite at 0 for `y < 1`."""
    if y == 0:
        return 0.0
    if x == 0 and y < 1:
        return math.inf
    return y * math.pow(x, y - 1)


def power_growth(x, z):
    """The derivative of `z = math.pow(x, y)` in `y`; 0 at `x == 0`, NaN for negative `x`."""
    return z * math.log(x) if x > 0 else 0.0 if x == 0 else math.nan


@adjoint(math.erf)
def erf(x):
    return math.erf(x), lambda y_bar: y_bar * (2 / math.sqrt(math.pi) * math.exp(-x * x))


@adjoint(math.erfc)
def erfc(x):
    return math.erfc(x), lambda y_bar: -y_bar * (2 / math.sqrt(math.pi) * math.exp(-x * x))


@adjoint(math.gamma)
def gamma(x):
    y = math.gamma(x)
    return y, lambda y_bar: y_bar * (y * digamma(x))


@adjoint(math.lgamma)
def lgamma(x):
    return math.lgamma(x), lambda y_bar: y_bar * digamma(x)


@adjoint(math.fabs)
def fabs(x):
    return math.fabs(x), lambda y_bar: y_bar * sign(x)


def sign(x):
    """The derivative of `abs`: 1, -1, or 0 at 0."""
    return 1 if x > 0 else -1 if x < 0 else 0


@adjoint(math.degrees)
def degrees(x):
    return math.degrees(x), lambda y_bar: y_bar * (180 / math.pi)


@adjoint(math.radians)
def radians(x):
    return math.radians(x), lambda y_bar: y_bar * (math.pi / 180)


@adjoint(math.atan2)
def atan2(y, x):
    def back(z_bar):
        return z_bar * x / (x * x + y * y), -z_bar * y / (x * x + y * y)

    return math.atan2(y, x), back


@adjoint(math.copysign)
def copysign(x, y):
    z = math.copysign(x, y)
    return z, lambda z_bar: (z_bar * sign(x) * math.copysign(1, y), None)


@adjoint(math.fmod)
def fmod(x, y):
    return math.fmod(x, y), lambda z_bar: (z_bar, -z_bar * math.trunc(x / y))


@adjoint(math.remainder)
def remainder(x, y):
    z = math.remainder(x, y)
    return z, lambda z_bar: (z_bar, -z_bar * round((x - z) / y))


@adjoint(math.nextafter)
def nextafter(x, y):
    return math.nextafter(x, y), lambda z_bar: (z_bar, None)


@adjoint(math.ldexp)
def ldexp(x, i):
    return math.ldexp(x, i), lambda y_bar: (math.ldexp(y_bar, i), None)


@adjoint(math.frexp)
def frexp(x):
    mantissa, exponent = math.frexp(x)

    def back(y_bar):
        return None if y_bar[0] is None else math.ldexp(y_bar[0], -exponent)

    return (mantissa, exponent), back


@adjoint(math.modf)
def modf(x):
    return math.modf(x), lambda y_bar: y_bar[0]


@adjoint(math.hypot)
def hypot(*coordinates):
    y = math.hypot(*coordinates)
    return y, lambda y_bar: tuple([0.0 if y == 0 else y_bar * x / y for x in coordinates])


@adjoint(math.dist)
def dist(p, q):
    y = math.dist(p, q)
    return y, lambda y_bar: (pull_towards(y_bar, y, p, q), pull_towards(y_bar, y, q, p))


def pull_towards(y_bar, y, p, q):
    """The gradient of the distance `y` of `p` and `q` in `p`; 0 where the points coincide."""
    return [0.0 if y == 0 else y_bar * (a - b) / y for a, b in zip(p, q, strict=True)]


@adjoint(math.fsum)
def fsum(xs):
    items = items_of(xs)
    return math.fsum(items), lambda y_bar: (of_items([y_bar for _ in items], xs),)


@adjoint(math.prod)
def prod(xs, start=1):
    items = xs if isinstance(xs, (list, tuple)) else list(xs)

    def back(y_bar):
        bars = [
            unbroadcast(y_bar * conj(product_without(items, i, start)), item)
            for i, item in enumerate(items)
        ]
        return (
            bars if isinstance(xs, (list, tuple)) else from_items(bars, xs),
            unbroadcast(y_bar * conj(math.prod(items)), start),
        )

    return math.prod(items, start=start), back


def product_without(xs, i, start):
    """The product of `start` and all items of `xs` but the i-th: exact where items are 0."""
    return math.prod(xs[:i], start=start) * math.prod(xs[i + 1 :])


if sys.version_info >= (3, 12):

    @adjoint(math.sumprod)
    def sumprod(p, q):
        def back(y_bar):
            return [unbroadcast(y_bar * conj(b), a) for a, b in zip(p, q, strict=True)], [
                unbroadcast(y_bar * conj(a), b) for a, b in zip(p, q, strict=True)
            ]

        return math.sumprod(p, q), back


if sys.version_info >= (3, 13):

    @adjoint(math.fma)
    def fma(x, y, z):
        return math.fma(x, y, z), lambda w_bar: (w_bar * y, w_bar * x, w_bar)
