"""Rules of `scipy.special`: Carlson's symmetric elliptic integrals, and parameters of Legendre's.

    special.elliprf(x, y, z)     slope -special.elliprd(y, z, x) / 6 in x
    special.ellipkinc(phi, m)    slope elliptic_moment(phi, m, 1, 3) / 2 in m

Their derivatives, of all orders, are integrals of one form, `carlson_integral`, which are ordinary
numbers at equal arguments, where the formulas in terms of the functions themselves are 0 / 0.
Source: NIST Digital Library of Mathematical Functions, sections 19.16, 19.18 and 19.25.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ir import facts
from zyg.arrays.carlson import carlson_integral
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.registry import adjoint


@adjoint(carlson_integral)
def carlson_integral_rule(x, y, z, p, halves):
    a, b, c, d = halves

    def back(bar):
        return (
            None if a == 0 else unbroadcast(
                bar * conj(-0.5 * a * carlson_integral(x, y, z, p, (a + 2, b, c, d))), x
            ),
            None if b == 0 else unbroadcast(
                bar * conj(-0.5 * b * carlson_integral(x, y, z, p, (a, b + 2, c, d))), y
            ),
            None if c == 0 else unbroadcast(
                bar * conj(-0.5 * c * carlson_integral(x, y, z, p, (a, b, c + 2, d))), z
            ),
            None if d == 0 else unbroadcast(
                bar * conj(-0.5 * d * carlson_integral(x, y, z, p, (a, b, c, d + 2))), p
            ),
            None,
        )

    return carlson_integral(x, y, z, p, halves), back


facts.pure(carlson_integral)
facts.fresh(carlson_integral)


@adjoint(special.elliprf)
def elliprf(x, y, z):
    return special.elliprf(x, y, z), lambda w_bar: (
        unbroadcast(w_bar * conj(-special.elliprd(y, z, x) / 6), x),
        unbroadcast(w_bar * conj(-special.elliprd(z, x, y) / 6), y),
        unbroadcast(w_bar * conj(-special.elliprd(x, y, z) / 6), z),
    )


@adjoint(special.elliprd)
def elliprd(x, y, z):
    return special.elliprd(x, y, z), lambda w_bar: (
        unbroadcast(w_bar * conj(-0.75 * carlson_integral(x, y, z, 1.0, (3, 1, 3, 0))), x),
        unbroadcast(w_bar * conj(-0.75 * carlson_integral(x, y, z, 1.0, (1, 3, 3, 0))), y),
        unbroadcast(w_bar * conj(-2.25 * carlson_integral(x, y, z, 1.0, (1, 1, 5, 0))), z),
    )


@adjoint(special.elliprg)
def elliprg(x, y, z):
    def back(w_bar):
        whole = special.elliprf(x, y, z)
        return (
            unbroadcast(w_bar * conj(0.25 * whole - without_pole(x, y, z) / 12), x),
            unbroadcast(w_bar * conj(0.25 * whole - without_pole(y, z, x) / 12), y),
            unbroadcast(w_bar * conj(0.25 * whole - without_pole(z, x, y) / 12), z),
        )

    return special.elliprg(x, y, z), back


def without_pole(x, y, z):
    """`x R_D(y, z, x)`, which is 0 at `x = 0`."""
    is_zero = np.equal(x, 0)
    return np.where(is_zero, 0.0, x * special.elliprd(y, z, np.where(is_zero, 1.0, x)))


# Where the last argument is negative these are principal values, not integrals, and that argument
# is none of the others: there the closed forms have no quotient 0 / 0.


def is_principal_value(y):
    return np.isrealobj(y) & np.less(np.real(y), 0)


@adjoint(special.elliprc)
def elliprc(x, y):
    w = special.elliprc(x, y)

    def back(w_bar):
        is_principal = is_principal_value(y)
        inner = np.where(is_principal, 1.0, y)
        root = np.sqrt(np.where(is_principal, x, 1.0))
        outer = np.where(is_principal, y, -1.0)
        of_x = (w - 1 / root) / (2 * (outer - x))
        of_y = -(0.5 * w + x * of_x) / outer
        x_slope = -0.25 * carlson_integral(x, inner, 1.0, 1.0, (3, 2, 0, 0))
        y_slope = -0.5 * carlson_integral(x, inner, 1.0, 1.0, (1, 4, 0, 0))
        return (
            unbroadcast(w_bar * conj(np.where(is_principal, of_x, x_slope)), x),
            unbroadcast(w_bar * conj(np.where(is_principal, of_y, y_slope)), y),
        )

    return w, back


@adjoint(special.elliprj)
def elliprj(x, y, z, p):
    w = special.elliprj(x, y, z, p)

    def back(w_bar):
        slopes = slopes_of_third(x, y, z, p, w)
        return (
            unbroadcast(w_bar * conj(slopes[0]), x),
            unbroadcast(w_bar * conj(slopes[1]), y),
            unbroadcast(w_bar * conj(slopes[2]), z),
            unbroadcast(w_bar * conj(slopes[3]), p),
        )

    return w, back


def slopes_of_third(x, y, z, p, w):
    """By partial fractions of `1 / ((t + x) (t + p))`, and as the function is homogeneous."""
    is_principal = is_principal_value(p)
    inner, outer = np.where(is_principal, 1.0, p), np.where(is_principal, p, -1.0)
    by_x = (w - special.elliprd(y, z, x)) / (2 * (outer - x))
    by_y = (w - special.elliprd(z, x, y)) / (2 * (outer - y))
    by_z = (w - special.elliprd(x, y, z)) / (2 * (outer - z))
    by_p = -(1.5 * w + x * by_x + y * by_y + z * by_z) / outer
    return (
        np.where(is_principal, by_x, -0.75 * carlson_integral(x, y, z, inner, (3, 1, 1, 2))),
        np.where(is_principal, by_y, -0.75 * carlson_integral(x, y, z, inner, (1, 3, 1, 2))),
        np.where(is_principal, by_z, -0.75 * carlson_integral(x, y, z, inner, (1, 1, 3, 2))),
        np.where(is_principal, by_p, -1.5 * carlson_integral(x, y, z, inner, (1, 1, 1, 4))),
    )


# Legendre's integrals


def elliptic_moment(phi, m, j, k):
    """The integral of `sin(t)**(2 j) (1 - m sin(t)**2)**(-k / 2)` from 0 to `phi`."""
    turns = np.round(np.divide(phi, np.pi))
    sine, cosine = np.sin(phi - np.pi * turns), np.cos(phi - np.pi * turns)
    halves = (1, 2 * j + 2 - k, k, 0)
    part = sine ** (2 * j + 1) * carlson_integral(
        cosine * cosine, 1.0, 1 - m * sine * sine, 1.0, halves
    )
    if np.any(turns):
        part = part + 2 * turns * carlson_integral(0.0, 1.0, np.subtract(1, m), 1.0, halves)
    return (0.5 * part)[()]


@adjoint(elliptic_moment)
def elliptic_moment_rule(phi, m, j, k):
    def back(bar):
        sine = np.sin(phi)
        slope = sine ** (2 * j) * (1 - m * sine * sine) ** (-0.5 * k)
        return (
            unbroadcast(bar * slope, phi),
            unbroadcast(bar * 0.5 * k * elliptic_moment(phi, m, j + 1, k + 2), m),
            None,
            None,
        )

    return elliptic_moment(phi, m, j, k), back


facts.pure(elliptic_moment)
facts.fresh(elliptic_moment)


@adjoint(special.ellipkinc)
def ellipkinc(phi, m):
    def back(y_bar):
        return (
            unbroadcast(y_bar / np.sqrt(1 - m * np.sin(phi) ** 2), phi),
            unbroadcast(y_bar * 0.5 * elliptic_moment(phi, m, 1, 3), m),
        )

    return special.ellipkinc(phi, m), back


@adjoint(special.ellipeinc)
def ellipeinc(phi, m):
    def back(y_bar):
        return (
            unbroadcast(y_bar * np.sqrt(1 - m * np.sin(phi) ** 2), phi),
            unbroadcast(y_bar * -0.5 * elliptic_moment(phi, m, 1, 1), m),
        )

    return special.ellipeinc(phi, m), back
