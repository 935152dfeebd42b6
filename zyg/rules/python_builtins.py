"""Rules of the built-in functions that compute with numbers."""

from __future__ import annotations

import numpy as np

from zyg.arrays.quotients import power_part
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.operators import is_count, number, power_base_bar, power_exponent_bar
from zyg.rules.registry import adjoint, constant

constant(
    *(int, bool, str, bytes, bytearray, repr, ascii, format, chr, ord, bin, hex, oct, hash, id),
    *(len, range, type, isinstance, issubclass, callable, hasattr, any, all, round, dir),
    *(print, input, open),
)
# Methods of numbers and sets that give texts, counts and truth values.
DISCRETE = (
    *("__repr__", "__str__", "__format__", "__bool__", "__len__", "__contains__"),
    *("__int__", "__round__", "__trunc__", "__floor__", "__ceil__", "is_integer", "hex"),
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
    *("isdisjoint", "issubset", "issuperset"),
)
for _class in (float, complex, np.generic, np.float64, np.float32, np.ndarray, set, frozenset):
    constant(*(vars(_class)[name] for name in DISCRETE if name in vars(_class)))


@adjoint(pow)
def pow_(base, exp, mod=None):
    z = pow(base, exp) if mod is None else pow(base, exp, mod)

    def back(z_bar):
        part = power_part(z, z_bar) if np.ndim(z) > 0 else None
        base_part = part if np.ndim(exp) > 0 else None
        return (
            None
            if mod is not None
            else unbroadcast(power_base_bar(z_bar, base_part, base, exp), base),
            None
            if mod is not None or is_count(exp)
            else unbroadcast(power_exponent_bar(part, z_bar, base, exp, number(z)), exp),
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
