"""Rules of `scipy.special` for functions that are known by series: zeta functions, Kolmogorov's.

    special.zeta(x, q)          slope zeta_slope(x, q) in x
    special.kolmogorov(x)       slope minus the density of that distribution

Source: NIST Digital Library of Mathematical Functions, 25.2, 25.4 and 25.11; G. Marsaglia, W. Tsang
and J. Wang, "Evaluating Kolmogorov's distribution" (2003).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.cotangents.cotangent import unbroadcast
from zyg.rules.registry import adjoint, constant

# Bernoulli's numbers of even order `2 j`, over the factorial of that.
WEIGHTS = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
    1 / 74724249600, -3617 / 10670622842880000,
)


def zeta_slope(x, q):
    """The derivative in `x` of the sum of `(q + k)**-x`, by Euler's and Maclaurin's formula."""
    total = 0.0
    for k in range(12):
        term = np.add(q, 1.0 * k)
        total = total - np.log(term) * term ** np.negative(x)
    term = np.add(q, 12.0)
    log, power, pole = np.log(term), term ** np.negative(x), np.subtract(x, 1.0)
    total = total - power * (term / pole * (log + 1 / pole) + 0.5 * log)
    product, slope, power = 1.0 * x, 1.0, power / term
    for j, weight in enumerate(WEIGHTS):
        total = total + weight * power * (slope - product * log)
        for step in (2 * j + 1.0, 2 * j + 2.0):
            slope = slope * (x + step) + product
            product = product * (x + step)
        power = power / (term * term)
    return total


def riemann_slope(x):
    """The same for `q = 1`, by reflection where the series of powers grows; not close to 0, where
    reflection has the difference of two large numbers."""
    is_left = np.less(x, -0.5)
    right = zeta_slope(np.where(is_left, 2.0, x), 1.0)
    at = np.where(is_left, x, -1.0)
    other, angle = 1 - at, 0.5 * np.pi * at
    value, slope = special.zeta(other, 1.0), zeta_slope(other, 1.0)
    parts = np.sin(angle) * ((np.log(2 * np.pi) - special.psi(other)) * value - slope)
    left = (2 * np.pi) ** at / np.pi * special.gamma(other) * (
        parts + 0.5 * np.pi * np.cos(angle) * value
    )
    return np.where(is_left, left, right)


@adjoint(special.zeta)
def zeta(x, q=None):
    def back(y_bar):
        slope = riemann_slope(x) if q is None or is_one(q) else zeta_slope(x, q)
        return (
            unbroadcast(y_bar * slope, x),
            None if q is None else unbroadcast(-y_bar * x * special.zeta(np.add(x, 1), q), q),
        )

    return special.zeta(x, q), back


def is_one(q):
    return bool(np.all(np.equal(q, 1)))


constant(is_one)


@adjoint(special.zetac)
def zetac(x):
    return special.zetac(x), lambda y_bar: y_bar * riemann_slope(x)


@adjoint(special.kolmogorov)
def kolmogorov(x):
    return special.kolmogorov(x), lambda y_bar: y_bar * kolmogorov_slope(x)


@adjoint(special.kolmogi)
def kolmogi(p):
    x = special.kolmogi(p)
    return x, lambda x_bar: x_bar / kolmogorov_slope(x)


def kolmogorov_slope(x):
    """By one of two series of theta functions, each of which converges fast on its side of 1."""
    is_left, is_zero = np.less(x, 1), np.less(x, 0.04)
    left, right = np.where(is_left & ~is_zero, x, 1.0), np.where(is_left, 1.0, x)
    of_left, of_right = 0.0, 0.0
    for k in range(1, 6):
        rate = (2 * k - 1) ** 2 * np.pi**2 / 8
        inverse = 1 / (left * left)
        of_left = of_left + np.exp(-rate * inverse) * (inverse - 2 * rate * inverse * inverse)
        sign = 8.0 if k % 2 == 0 else -8.0
        of_right = of_right + sign * k * k * right * np.exp(-2 * k * k * right * right)
    slope = np.where(is_left, np.sqrt(2 * np.pi) * of_left, of_right)
    return np.where(is_zero, 0.0, slope)
