"""Rules of `scipy.special`: integrals with known integrands, and solutions of equations.

    special.fresnel(x)         slopes (sin(pi x^2 / 2), cos(pi x^2 / 2))
    special.lambertw(z)        slope 1 / (z + exp(w)), as w exp(w) = z

Source of formulas: NIST Digital Library of Mathematical Functions, sections 4.13, 6, 7, 9, 18 and
19; D. Owen, "Tables for computing bivariate normal probabilities" (1956).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.cotangents.cotangent import accumulate, conj, unbroadcast
from zyg.rules.registry import adjoint, substitute
from zyg.rules.special_carlson import elliptic_moment
from zyg.rules.special_parameters import without_formula


def sum_of_parts(bars, slopes, x):
    """The cotangent of the operand of a function with several results."""
    total = None
    for bar, slope in zip(bars, slopes, strict=True):
        if bar is not None:
            total = accumulate(total, unbroadcast(bar * conj(slope), x))
    return total


@adjoint(special.fresnel)
def fresnel(z):
    s, c = special.fresnel(z)

    def back(bars):
        angle = 0.5 * np.pi * z * z
        return (sum_of_parts(bars, (np.sin(angle), np.cos(angle)), z),)

    return (s, c), back


def at_pole(bar, y, x):
    """`y / x`; at the pole an ordinary number where nobody asks for it."""
    is_unasked = np.equal(x, 0) & np.equal(0 if bar is None else bar, 0)
    return y / np.where(is_unasked, 1.0, x)


@adjoint(special.sici)
def sici(x):
    si, ci = special.sici(x)

    def back(bars):
        return (sum_of_parts(bars, (np.sinc(x / np.pi), at_pole(bars[1], np.cos(x), x)), x),)

    return (si, ci), back


@adjoint(special.shichi)
def shichi(x):
    shi, chi = special.shichi(x)

    def back(bars):
        slopes = special.spherical_in(0, x), at_pole(bars[1], np.cosh(x), x)
        return (sum_of_parts(bars, slopes, x),)

    return (shi, chi), back


@adjoint(special.airy)
def airy(z):
    ai, aip, bi, bip = special.airy(z)

    def back(bars):
        return (sum_of_parts(bars, (aip, z * ai, bip, z * bi), z),)

    return (ai, aip, bi, bip), back


@adjoint(special.wofz)
def wofz(z):
    w = special.wofz(z)

    def back(w_bar):
        return (unbroadcast(w_bar * conj(faddeeva_slope(z, w)), z),)

    return w, back


# `wofz(z) * sqrt(pi) / 1j` is the sum of these over `z**(2 * n + 1)`, for large `z` in the upper
# half plane. Source: NIST Digital Library of Mathematical Functions, equation 7.12.1.
WEIGHTS = (1.0, 0.5, 0.75, 1.875, 6.5625, 29.53125, 162.421875)


def faddeeva_slope(z, w):
    """The derivative of `w = wofz(z)`: by its series where `2 * z * w` is nearly a constant."""
    is_far, pole = far_away(z)
    series = 0.0
    for n in range(len(WEIGHTS) - 1, -1, -1):
        series = (2 * n + 1) * WEIGHTS[n] + series / (pole * pole)
    return np.where(
        is_far, -1j / 1.772453850905516 * series / (pole * pole),
        2j / 1.772453850905516 - 2 * z * w,
    )


def faddeeva_scaling(z, w):
    """`w + z * w'`, which is the derivative in a factor of `z`, at 1, of `z * wofz(z)`."""
    is_far, pole = far_away(z)
    series = 0.0
    for n in range(len(WEIGHTS) - 1, 0, -1):
        series = 2 * n * WEIGHTS[n] + series / (pole * pole)
    return np.where(
        is_far, -1j / 1.772453850905516 * series / (pole * pole * pole),
        w + z * (2j / 1.772453850905516 - 2 * z * w),
    )


def far_away(z):
    """Where the series serves, and `z` there."""
    is_far = np.greater(np.abs(z), 30) & np.greater(np.imag(z), -1)
    return is_far, np.where(is_far, z, 30.0 + 0j)


@adjoint(special.voigt_profile)
def voigt_profile(x, sigma, gamma):
    # The real part of `wofz(z) / (sqrt(2 pi) sigma)` at `z = (x + i gamma) / (sqrt(2) sigma)`.
    y = special.voigt_profile(x, sigma, gamma)

    def back(y_bar):
        is_narrow = np.equal(sigma, 0)  # of which a Lorentzian is left, and no slope in the width
        width, distance = np.where(is_narrow, 1.0, sigma), x + 1j * np.asarray(gamma)
        z = distance / (1.4142135623730951 * width)
        w = special.wofz(z)
        slope = faddeeva_slope(z, w) / (2 * 1.772453850905516 * width * width)
        of_width = -np.real(faddeeva_scaling(z, w)) / (2.5066282746310002 * width * width)
        pole = np.where(is_narrow, distance, 1.0)
        slope = np.where(is_narrow, -1j / (np.pi * pole * pole), slope)
        return (
            unbroadcast(y_bar * np.real(slope), x),
            unbroadcast(y_bar * np.where(is_narrow, 0.0, of_width), sigma),
            unbroadcast(-y_bar * np.imag(slope), gamma),
        )

    return y, back


@adjoint(special.lambertw)
def lambertw(z, k=0, tol=1e-8):
    w = special.lambertw(z, k, tol)
    return w, lambda w_bar: (unbroadcast(w_bar / conj(z + np.exp(w)), z), None, None)


@adjoint(special.owens_t)
def owens_t(h, a):
    def back(y_bar):
        density = np.exp(-0.5 * h * h) / 2.5066282746310002
        return (
            unbroadcast(y_bar * density * (0.5 - special.ndtr(a * h)), h),
            unbroadcast(
                y_bar * np.exp(-0.5 * h * h * (1 + a * a)) / (6.283185307179586 * (1 + a * a)), a
            ),
        )

    return special.owens_t(h, a), back


@adjoint(special.boxcox1p)
def boxcox1p(x, lmbda):
    def back(y_bar):
        slope = np.power(1 + x, np.subtract(lmbda, 1))
        return unbroadcast(y_bar * slope, x), without_formula(lmbda, "lmbda", "boxcox1p")

    return special.boxcox1p(x, lmbda), back


@adjoint(special.inv_boxcox)
def inv_boxcox(x, lmbda):
    y = special.inv_boxcox(x, lmbda)

    def back(y_bar):
        slope = np.power(y, np.subtract(1, lmbda))
        return unbroadcast(y_bar * slope, x), without_formula(lmbda, "lmbda", "inv_boxcox")

    return y, back


@adjoint(special.hankel1)
def hankel1(v, z):
    def back(y_bar):
        slope = 0.5 * (special.hankel1(np.subtract(v, 1), z) - special.hankel1(np.add(v, 1), z))
        return without_formula(v, "v", "hankel1"), unbroadcast(y_bar * conj(slope), z)

    return special.hankel1(v, z), back


@adjoint(special.hankel2)
def hankel2(v, z):
    def back(y_bar):
        slope = 0.5 * (special.hankel2(np.subtract(v, 1), z) - special.hankel2(np.add(v, 1), z))
        return without_formula(v, "v", "hankel2"), unbroadcast(y_bar * conj(slope), z)

    return special.hankel2(v, z), back


@adjoint(special.ellipkm1)
def ellipkm1(p):
    y = special.ellipkm1(p)
    return y, lambda y_bar: y_bar * -ellipk_slope(1.0 - p, y, p)


def ellipk_slope(m, y, rest):
    """The slope at `m`, with `1 - m`, of which nothing is lost close to 0."""
    is_near = np.less(np.abs(m), 0.5)
    series = np.pi / 8 * special.hyp2f1(1.5, 1.5, 2.0, np.where(is_near, m, 0.0))
    slope = (special.ellipe(m) / rest - y) / np.where(is_near, 1.0, 2 * m)
    return np.where(is_near, series, slope)


@adjoint(special.ellipj)
def ellipj(u, m):
    sn, cn, dn, ph = special.ellipj(u, m)

    def back(bars):
        slopes = cn * dn, -sn * dn, -m * sn * cn, dn
        # The amplitude inverts the integral of the first kind.
        of_ph = -0.5 * dn * elliptic_moment(ph, m, 1, 3)
        of_dn = -sn * (0.5 * sn + m * cn * of_ph) / dn
        return (
            sum_of_parts(bars, slopes, u),
            sum_of_parts(bars, (cn * of_ph, -sn * of_ph, of_dn, of_ph), m),
        )

    return (sn, cn, dn, ph), back


@adjoint(special.wrightomega)
def wrightomega(z):
    w = special.wrightomega(z)
    return w, lambda w_bar: w_bar * conj(w / (1 + w))


@adjoint(special.powm1)
def powm1(x, y):
    z = special.powm1(x, y)
    return z, lambda z_bar: (
        unbroadcast(z_bar * y * np.power(x, np.subtract(y, 1.0)), x),
        # No slope in the exponent at 0, where powers are 0 or infinite.
        unbroadcast(z_bar * (z + 1) * np.log(np.where(np.equal(x, 0), 1.0, x)), y),
    )


if hasattr(special, "softplus"):  # since SciPy 1.16

    @substitute(special.softplus)
    def softplus(x):
        return -special.log_expit(np.negative(x))
