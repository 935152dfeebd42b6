"""Rules of `scipy.special`: Struve and Kelvin functions, scaled and spherical Bessel functions,
spherical harmonics.

    special.jvp(v, z, n)        slope jvp(v, z, n + 1)
    special.hankel1e(v, z)      hankel1(v, z) exp(-1j z)

Source of formulas: NIST Digital Library of Mathematical Functions, sections 10.6, 10.51, 10.61,
11.4, 13.3 and 14.30.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.registry import adjoint, constant
from zyg.rules.special_parameters import without_formula


def derivatives(function):
    """The rule of a function that is given how often it is to be differentiated."""
    name = function.__name__

    def rule(v, z, n=1):
        return function(v, z, n), lambda y_bar: (
            without_formula(v, "v", name),
            unbroadcast(y_bar * conj(function(v, z, n + 1)), z),
        )

    return rule


for _function in (
    special.jvp, special.yvp, special.ivp, special.kvp, special.h1vp, special.h2vp
):
    adjoint(_function)(derivatives(_function))


# The factor `exp(-abs(z.imag))` is no analytic function.


@adjoint(special.jve)
def jve(v, z):
    y = special.jve(v, z)

    def back(y_bar):
        slope = 0.5 * (special.jve(v - 1, z) - special.jve(v + 1, z))
        of_factor = 1j * np.sign(np.imag(z)) * np.real(y_bar * conj(y))
        return without_formula(v, "v", "jve"), unbroadcast(y_bar * conj(slope) - of_factor, z)

    return y, back


@adjoint(special.yve)
def yve(v, z):
    y = special.yve(v, z)

    def back(y_bar):
        slope = 0.5 * (special.yve(v - 1, z) - special.yve(v + 1, z))
        of_factor = 1j * np.sign(np.imag(z)) * np.real(y_bar * conj(y))
        return without_formula(v, "v", "yve"), unbroadcast(y_bar * conj(slope) - of_factor, z)

    return y, back


@adjoint(special.hankel1e)
def hankel1e(v, z):
    y = special.hankel1e(v, z)

    def back(y_bar):
        slope = 0.5 * (special.hankel1e(v - 1, z) - special.hankel1e(v + 1, z)) - 1j * y
        return without_formula(v, "v", "hankel1e"), unbroadcast(y_bar * conj(slope), z)

    return y, back


@adjoint(special.hankel2e)
def hankel2e(v, z):
    y = special.hankel2e(v, z)

    def back(y_bar):
        slope = 0.5 * (special.hankel2e(v - 1, z) - special.hankel2e(v + 1, z)) + 1j * y
        return without_formula(v, "v", "hankel2e"), unbroadcast(y_bar * conj(slope), z)

    return y, back


def struve_part(v, x):
    """What recurrences of Struve functions have beside those of Bessel functions."""
    return (0.5 * x) ** v * special.rgamma(np.add(v, 1.5)) / np.sqrt(np.pi)


@adjoint(special.struve)
def struve(v, x):
    def back(y_bar):
        others = special.struve(v - 1, x) - special.struve(v + 1, x)
        return (
            without_formula(v, "v", "struve"),
            unbroadcast(y_bar * 0.5 * (others + struve_part(v, x)), x),
        )

    return special.struve(v, x), back


@adjoint(special.modstruve)
def modstruve(v, x):
    def back(y_bar):
        others = special.modstruve(v - 1, x) + special.modstruve(v + 1, x)
        return (
            without_formula(v, "v", "modstruve"),
            unbroadcast(y_bar * 0.5 * (others + struve_part(v, x)), x),
        )

    return special.modstruve(v, x), back


# Kelvin functions: `w = ber(x) + 1j bei(x)` has `w'' + w' / x = 1j w`.


@adjoint(special.ber)
def ber(x):
    return special.ber(x), lambda y_bar: y_bar * special.berp(x)


@adjoint(special.bei)
def bei(x):
    return special.bei(x), lambda y_bar: y_bar * special.beip(x)


@adjoint(special.ker)
def ker(x):
    return special.ker(x), lambda y_bar: y_bar * special.kerp(x)


@adjoint(special.kei)
def kei(x):
    return special.kei(x), lambda y_bar: y_bar * special.keip(x)


@adjoint(special.berp)
def berp(x):
    y = special.berp(x)
    return y, lambda y_bar: y_bar * -(special.bei(x) + over(y, x, 0.0))


@adjoint(special.beip)
def beip(x):
    y = special.beip(x)
    return y, lambda y_bar: y_bar * (special.ber(x) - over(y, x, 0.5))


@adjoint(special.kerp)
def kerp(x):
    y = special.kerp(x)
    return y, lambda y_bar: y_bar * -(special.kei(x) + y / x)


@adjoint(special.keip)
def keip(x):
    y = special.keip(x)
    return y, lambda y_bar: y_bar * (special.ker(x) - y / x)


def over(y, x, limit):
    is_zero = np.equal(x, 0)
    return np.where(is_zero, limit, y / np.where(is_zero, 1.0, x))


@adjoint(special.hyperu)
def hyperu(a, b, x):
    return special.hyperu(a, b, x), lambda y_bar: (
        without_formula(a, "a", "hyperu"),
        without_formula(b, "b", "hyperu"),
        unbroadcast(-y_bar * a * special.hyperu(np.add(a, 1), np.add(b, 1), x), x),
    )


# Spherical functions


def spherical(function, below, above):
    """The rule of a spherical Bessel function, whose slope is the mean of its neighbours with
    these signs (DLMF 10.51.2 and 10.51.5); of its derivative, that of theirs."""

    def rule(n, z, derivative=False):
        y = function(n, z, derivative)

        def back(y_bar):
            slope = neighbours(function, n, z, below, above) if derivative else function(n, z, True)
            return None, unbroadcast(y_bar * conj(slope), z), None

        return y, back

    return rule


def neighbours(function, n, z, below, above):
    lower = np.where(np.greater(n, 0), below * n * function(order_next(n, -1), z, True), 0)
    return (lower + above * (n + 1.0) * function(order_next(n, 1), z, True)) / (2.0 * n + 1)


def order_next(n, step):
    """The next order, not below 0; a short integer might have no place for it."""
    return np.maximum(np.asarray(n).astype(int) + step, 0)


for _function, _below, _above in (
    (special.spherical_jn, 1, -1), (special.spherical_yn, 1, -1),
    (special.spherical_in, 1, 1), (special.spherical_kn, -1, -1),
):
    adjoint(_function)(spherical(_function, _below, _above))


def harmonic_slope(harmonic, n, m, theta, phi):
    """The slope in the polar angle, by the ladder operators of the order."""
    turn = np.exp(1j * np.asarray(phi))
    above, below = order_beside(n, m, 1), order_beside(n, m, -1)
    return 0.5 * (
        ladder(n, m, above) * harmonic(above, theta, phi) / turn
        - ladder(n, m, below) * harmonic(below, theta, phi) * turn
    )


def ladder(n, m, other):
    return np.sqrt(np.where(np.equal(m, other), 0.0, n * np.add(n, 1.0) - np.multiply(m, other)))


def order_beside(n, m, step):
    return np.clip(np.add(m, step), np.negative(n), n)


if hasattr(special, "sph_harm_y"):  # since SciPy 1.15

    @adjoint(special.sph_harm_y)
    def sph_harm_y(n, m, theta, phi):
        y = special.sph_harm_y(n, m, theta, phi)

        def back(y_bar):
            slope = harmonic_slope(
                lambda order, theta, phi: special.sph_harm_y(n, order, theta, phi),
                n, m, theta, phi,
            )
            return (
                None, None, unbroadcast(y_bar * conj(slope), theta),
                unbroadcast(y_bar * conj(1j * m * y), phi),
            )

        return y, back


if hasattr(special, "sph_harm"):  # before SciPy 1.17; here `theta` is the azimuth

    @adjoint(special.sph_harm)
    def sph_harm(m, n, theta, phi):
        y = special.sph_harm(m, n, theta, phi)

        def back(y_bar):
            slope = harmonic_slope(
                lambda order, polar, azimuth: special.sph_harm(order, n, azimuth, polar),
                n, m, phi, theta,
            )
            return (
                None, None, unbroadcast(y_bar * conj(1j * m * y), theta),
                unbroadcast(y_bar * conj(slope), phi),
            )

        return y, back


constant(ladder, order_beside, order_next)
