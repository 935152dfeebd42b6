"""Rules of `scipy.special`: Bessel and hypergeometric functions.

Source of formulas: NIST Digital Library of Mathematical Functions, sections 10, 13, 15 and 16.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.registry import adjoint
from zyg.rules.special_parameters import without_formula


@adjoint(special.j0)
def j0(x):
    return special.j0(x), lambda y_bar: y_bar * conj(-special.j1(x))


@adjoint(special.j1)
def j1(x):
    return special.j1(x), lambda y_bar: y_bar * conj(special.j0(x) - j1_over_x(x))


def j1_over_x(x):
    """`j1(x) / x`, and its limit 1 / 2 at 0."""
    is_zero = np.equal(x, 0)
    return np.where(is_zero, 0.5, special.j1(x) / np.where(is_zero, 1, x))


@adjoint(j1_over_x)
def j1_over_x_(x):
    def back(y_bar):
        # It is (j0 + j2) / 2 as well, whose derivative needs no quotient.
        return y_bar * (0.25 * (special.jv(1, x) - special.jv(3, x)) - 0.5 * special.j1(x))

    return j1_over_x(x), back


@adjoint(special.y0)
def y0(x):
    return special.y0(x), lambda y_bar: y_bar * conj(-special.y1(x))


@adjoint(special.y1)
def y1(x):
    return special.y1(x), lambda y_bar: y_bar * conj(special.y0(x) - special.y1(x) / x)


@adjoint(special.i0)
def i0(x):
    return special.i0(x), lambda y_bar: y_bar * conj(special.i1(x))


@adjoint(special.i1)
def i1(x):
    return special.i1(x), lambda y_bar: y_bar * conj(0.5 * (special.i0(x) + special.iv(2, x)))


@adjoint(special.k0)
def k0(x):
    return special.k0(x), lambda y_bar: y_bar * conj(-special.k1(x))


@adjoint(special.k1)
def k1(x):
    return special.k1(x), lambda y_bar: y_bar * conj(-0.5 * (special.k0(x) + special.kv(2, x)))


@adjoint(special.i0e)
def i0e(x):
    y = special.i0e(x)
    return y, lambda y_bar: y_bar * conj(special.i1e(x) - np.sign(x) * y)


@adjoint(special.i1e)
def i1e(x):
    y = special.i1e(x)
    slope = 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * y
    return y, lambda y_bar: y_bar * conj(slope)


@adjoint(special.k0e)
def k0e(x):
    y = special.k0e(x)
    return y, lambda y_bar: y_bar * conj(y - special.k1e(x))


@adjoint(special.k1e)
def k1e(x):
    y = special.k1e(x)
    return y, lambda y_bar: y_bar * conj(y - 0.5 * (special.k0e(x) + special.kve(2, x)))


@adjoint(special.jv)
def jv(v, z):
    return special.jv(v, z), lambda y_bar: (
        without_formula(v, "v", "jv"),
        unbroadcast(y_bar * conj(0.5 * (special.jv(v - 1, z) - special.jv(v + 1, z))), z),
    )


@adjoint(special.yv)
def yv(v, z):
    return special.yv(v, z), lambda y_bar: (
        without_formula(v, "v", "yv"),
        unbroadcast(y_bar * conj(0.5 * (special.yv(v - 1, z) - special.yv(v + 1, z))), z),
    )


@adjoint(special.iv)
def iv(v, z):
    return special.iv(v, z), lambda y_bar: (
        without_formula(v, "v", "iv"),
        unbroadcast(y_bar * conj(0.5 * (special.iv(v - 1, z) + special.iv(v + 1, z))), z),
    )


@adjoint(special.kv)
def kv(v, z):
    return special.kv(v, z), lambda y_bar: (
        without_formula(v, "v", "kv"),
        unbroadcast(y_bar * conj(-0.5 * (special.kv(v - 1, z) + special.kv(v + 1, z))), z),
    )


@adjoint(special.yn)
def yn(n, x):
    def back(y_bar):
        order = np.trunc(n)  # as SciPy takes it
        return None, unbroadcast(
            y_bar * 0.5 * (special.yn(order - 1, x) - special.yn(order + 1, x)), x
        )

    return special.yn(n, x), back


@adjoint(special.kn)
def kn(n, x):
    def back(y_bar):
        order = np.trunc(n)
        return None, unbroadcast(
            -y_bar * 0.5 * (special.kv(order - 1, x) + special.kv(order + 1, x)), x
        )

    return special.kn(n, x), back


@adjoint(special.ive)
def ive(v, z):
    y = special.ive(v, z)

    def back(y_bar):
        slope = 0.5 * (special.ive(v - 1, z) + special.ive(v + 1, z))
        # The factor `exp(-abs(z.real))` is no analytic function.
        of_factor = np.sign(np.real(z)) * np.real(y_bar * conj(y))
        z_bar = unbroadcast(y_bar * conj(slope) - of_factor, z)
        return without_formula(v, "v", "ive"), z_bar

    return y, back


@adjoint(special.kve)
def kve(v, z):
    y = special.kve(v, z)

    def back(y_bar):
        slope = y - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z))
        return without_formula(v, "v", "kve"), unbroadcast(y_bar * conj(slope), z)

    return y, back


# Hypergeometric functions


@adjoint(special.hyp0f1)
def hyp0f1(v, z):
    return special.hyp0f1(v, z), lambda y_bar: (
        without_formula(v, "v", "hyp0f1"),
        unbroadcast(y_bar * conj(special.hyp0f1(v + 1, z) / v), z),
    )


@adjoint(special.hyp1f1)
def hyp1f1(a, b, x):
    return special.hyp1f1(a, b, x), lambda y_bar: (
        without_formula(a, "a", "hyp1f1"),
        without_formula(b, "b", "hyp1f1"),
        unbroadcast(y_bar * conj(a / b * special.hyp1f1(a + 1, b + 1, x)), x),
    )


@adjoint(special.hyp2f1)
def hyp2f1(a, b, c, z):
    return special.hyp2f1(a, b, c, z), lambda y_bar: (
        without_formula(a, "a", "hyp2f1"),
        without_formula(b, "b", "hyp2f1"),
        without_formula(c, "c", "hyp2f1"),
        unbroadcast(y_bar * conj(a / c * b * special.hyp2f1(a + 1, b + 1, c + 1, z)), z),
    )
