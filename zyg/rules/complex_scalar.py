"""Rules of the module `cmath`: the conjugate of the complex derivative times the cotangent.

Those of inverse functions read the result: it knows the side of a cut that the operand is on.
"""

from __future__ import annotations

import cmath
import math

from zyg.cotangents.cotangent import unbroadcast
from zyg.rules.registry import adjoint, constant

constant(cmath.isfinite, cmath.isinf, cmath.isnan, cmath.isclose)


def holomorphic(y_bar, slope, x):
    """The cotangent of `x`, whose real part alone remains where `x` is real."""
    return unbroadcast(y_bar * slope.conjugate(), x)


@adjoint(cmath.sin)
def sin(x):
    return cmath.sin(x), lambda y_bar: holomorphic(y_bar, cmath.cos(x), x)


@adjoint(cmath.cos)
def cos(x):
    return cmath.cos(x), lambda y_bar: holomorphic(-y_bar, cmath.sin(x), x)


@adjoint(cmath.tan)
def tan(x):
    y = cmath.tan(x)
    return y, lambda y_bar: holomorphic(y_bar, 1 + y * y, x)


@adjoint(cmath.asin)
def asin(x):
    y = cmath.asin(x)
    return y, lambda y_bar: holomorphic(y_bar, 1 / cmath.cos(y), x)


@adjoint(cmath.acos)
def acos(x):
    y = cmath.acos(x)
    return y, lambda y_bar: holomorphic(-y_bar, 1 / cmath.sin(y), x)


@adjoint(cmath.atan)
def atan(x):
    return cmath.atan(x), lambda y_bar: holomorphic(y_bar, 1 / (1 + x * x), x)


@adjoint(cmath.sinh)
def sinh(x):
    return cmath.sinh(x), lambda y_bar: holomorphic(y_bar, cmath.cosh(x), x)


@adjoint(cmath.cosh)
def cosh(x):
    return cmath.cosh(x), lambda y_bar: holomorphic(y_bar, cmath.sinh(x), x)


@adjoint(cmath.tanh)
def tanh(x):
    y = cmath.tanh(x)
    return y, lambda y_bar: holomorphic(y_bar, 1 - y * y, x)


@adjoint(cmath.asinh)
def asinh(x):
    y = cmath.asinh(x)
    return y, lambda y_bar: holomorphic(y_bar, 1 / cmath.cosh(y), x)


@adjoint(cmath.acosh)
def acosh(x):
    y = cmath.acosh(x)
    return y, lambda y_bar: holomorphic(y_bar, 1 / cmath.sinh(y), x)


@adjoint(cmath.atanh)
def atanh(x):
    return cmath.atanh(x), lambda y_bar: holomorphic(y_bar, 1 / ((1 - x) * (1 + x)), x)


@adjoint(cmath.exp)
def exp(x):
    y = cmath.exp(x)
    return y, lambda y_bar: holomorphic(y_bar, y, x)


@adjoint(cmath.log)
def log(x, base=None):
    y = cmath.log(x) if base is None else cmath.log(x, base)

    def back(y_bar):
        return (
            holomorphic(y_bar, 1 / (x if base is None else x * cmath.log(base)), x),
            None if base is None else holomorphic(-y_bar, y / (base * cmath.log(base)), base),
        )

    return y, back


@adjoint(cmath.log10)
def log10(x):
    return cmath.log10(x), lambda y_bar: holomorphic(y_bar, 1 / (x * math.log(10)), x)


@adjoint(cmath.sqrt)
def sqrt(x):
    y = cmath.sqrt(x)
    return y, lambda y_bar: holomorphic(y_bar, 0.5 / y if y != 0 else complex(math.inf), x)


@adjoint(cmath.phase)
def phase(x):
    return cmath.phase(x), lambda y_bar: unbroadcast(y_bar * angular(x), x)


def angular(x):
    """`i x / |x|^2`, the gradient of the angle of `x`; 0 at 0, and of real numbers."""
    if not isinstance(x, complex):
        return 0.0
    return 1j * x / abs(x) ** 2 if x != 0 else 0j


@adjoint(cmath.polar)
def polar(x):
    return cmath.polar(x), lambda y_bar: unbroadcast(polar_bar(y_bar, x), x)


def polar_bar(y_bar, x):
    """The cotangent of `x`, from those of its size and of its angle."""
    outwards = 0j if y_bar[0] is None or x == 0 else y_bar[0] * x / abs(x)
    around = 0j if y_bar[1] is None else y_bar[1] * angular(x)
    return outwards + around


@adjoint(cmath.rect)
def rect(r, phi):
    y = cmath.rect(r, phi)

    def back(y_bar):
        return (y_bar.conjugate() * cmath.rect(1, phi)).real, (y_bar.conjugate() * y * 1j).real

    return y, back
