"""Rules of `scipy.special`: gamma and beta functions, complete and incomplete.

Source of formulas: NIST Digital Library of Mathematical Functions, sections 5, 8 and 25.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ir import facts
from zyg.arrays.polygamma import complex_polygamma
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.facts.numpy_example import elementwise
from zyg.rules.registry import adjoint
from zyg.rules.special_parameters import without_formula

facts.result(special.polygamma)(elementwise(special.polygamma, 2))
facts.fresh(special.polygamma)


@adjoint(special.gamma)
def gamma(x):
    y = special.gamma(x)
    return y, lambda y_bar: y_bar * conj(y * special.psi(x))


@adjoint(special.gammaln)
def gammaln(x):
    return special.gammaln(x), lambda y_bar: y_bar * conj(special.psi(x))


@adjoint(special.loggamma)
def loggamma(x):
    return special.loggamma(x), lambda y_bar: y_bar * conj(special.psi(x))


@adjoint(special.rgamma)
def rgamma(x):
    y = special.rgamma(x)
    return y, lambda y_bar: y_bar * conj(rgamma_slope(x, y))


def rgamma_slope(x, y):
    """On the left `gamma(1 - x) sin(pi x) / pi` (DLMF 5.5.3) is differentiated: it has no poles."""
    is_left = np.real(x) < 0.5
    left, right = np.where(is_left, x, 0.0), np.where(is_left, 1.0, x)
    sine, cosine = np.sin(np.pi * left) / np.pi, np.cos(np.pi * left)
    of_left = special.gamma(1.0 - left) * (cosine - special.psi(1.0 - left) * sine)
    return np.where(is_left, of_left, -y * special.psi(right))


@adjoint(special.psi)
def psi(x):
    return special.psi(x), lambda y_bar: y_bar * conj(psi_slope(x))


def psi_slope(x):
    return complex_polygamma(1, x) if np.iscomplexobj(x) else special.polygamma(1, x)


@adjoint(complex_polygamma)
def complex_polygamma_rule(n, z):
    return complex_polygamma(n, z), lambda y_bar: (
        None, unbroadcast(y_bar * conj(complex_polygamma(n + 1, z)), z)
    )


facts.total(complex_polygamma)
facts.fresh(complex_polygamma)
facts.result(complex_polygamma)(lambda args, kwargs: args[1])


@adjoint(special.polygamma)
def polygamma(n, x):
    return special.polygamma(n, x), lambda y_bar: (
        without_formula(n, "n", "polygamma"),
        unbroadcast(y_bar * special.polygamma(n + 1, x), x),
    )


@adjoint(special.multigammaln)
def multigammaln(a, d):
    return special.multigammaln(a, d), lambda y_bar: (y_bar * sum_of_psi(a, d), None)


def sum_of_psi(a, d):
    """The derivative of a product of gamma functions of `a`, `a - 1 / 2` and so on, over it."""
    total = special.psi(a)
    for i in range(1, d):
        total = total + special.psi(np.asarray(a) - 0.5 * i)
    return total


@adjoint(special.beta)
def beta(a, b):
    y = special.beta(a, b)

    def back(y_bar):
        both = special.psi(a + b)
        return (
            unbroadcast(y_bar * y * (special.psi(a) - both), a),
            unbroadcast(y_bar * y * (special.psi(b) - both), b),
        )

    return y, back


@adjoint(special.betaln)
def betaln(a, b):
    def back(y_bar):
        both = special.psi(a + b)
        return (
            unbroadcast(y_bar * (special.psi(a) - both), a),
            unbroadcast(y_bar * (special.psi(b) - both), b),
        )

    return special.betaln(a, b), back


@adjoint(special.binom)
def binom(x, y):
    z = special.binom(x, y)

    def back(z_bar):
        rest, above = np.subtract(x, y) + 1.0, np.add(y, 1.0)
        whole, part = special.psi(np.add(x, 1.0)), of_reciprocal(z, rest, special.gamma(x + 1.0) * (
            special.rgamma(above)
        ))
        other = of_reciprocal(z, above, special.gamma(x + 1.0) * special.rgamma(rest))
        return (
            unbroadcast(z_bar * (z * whole + part), x),
            unbroadcast(z_bar * (other - part), y),
        )

    return z, back


# SciPy's functions of counts are those of real numbers where these aren't whole.


@adjoint(special.factorial)
def factorial(n, exact=False):
    y = special.factorial(n, exact)

    def back(y_bar):
        return (
            None if exact else unbroadcast(y_bar * y * psi_where(np.greater_equal(n, 0), n), n),
            None,
        )

    return y, back


@adjoint(special.comb)
def comb(N, k, *, exact=False, repetition=False):
    y = special.comb(N, k, exact=exact, repetition=repetition)

    def back(y_bar):
        n = N + k - 1.0 if repetition else N
        is_inside = np.not_equal(y, 0)
        above, below = psi_where(is_inside, n), psi_where(is_inside, np.subtract(n, k))
        top = above if repetition else below
        return (
            None if exact else unbroadcast(y_bar * y * (above - below), N),
            None if exact else unbroadcast(y_bar * y * (top - psi_where(is_inside, k)), k),
        )

    return y, back


@adjoint(special.perm)
def perm(N, k, exact=False):
    y = special.perm(N, k, exact)

    def back(y_bar):
        is_inside = np.not_equal(y, 0)
        below = psi_where(is_inside, np.subtract(N, k))
        return (
            None if exact else unbroadcast(y_bar * y * (psi_where(is_inside, N) - below), N),
            None if exact else unbroadcast(y_bar * y * below, k),
            None,
        )

    return y, back


def psi_where(is_inside, count):
    """`psi(count + 1)`, and 0 where the function of counts is 0 on both sides."""
    return np.where(is_inside, special.psi(np.where(is_inside, count, 0) + 1.0), 0)


@adjoint(special.poch)
def poch(z, m):
    y = special.poch(z, m)

    def back(y_bar):
        both = y * special.psi(np.add(z, m))
        return (
            unbroadcast(y_bar * (both + of_reciprocal(y, z, special.gamma(np.add(z, m)))), z),
            unbroadcast(y_bar * both, m),
        )

    return y, back


def of_reciprocal(whole, x, factor):
    """The slope in `x` of `whole = factor * rgamma(x)`, which is `-whole * psi(x)` but at a pole of
    that, where `rgamma(x)` is 0."""
    is_pole = np.less_equal(x, 0) & np.equal(x, np.floor(x))
    slope = rgamma_slope(np.where(is_pole, x, 0.0), 0.0)
    return np.where(
        is_pole, np.where(is_pole, factor, 0.0) * slope,
        -whole * special.psi(np.where(is_pole, 1.0, x)),
    )


# Powers that vanish at an edge: the logarithm is infinite there, and has infinite slopes.


def power_times_exp(power, base, rest):
    return np.exp(special.xlogy(power, base) + rest)


@adjoint(power_times_exp)
def power_times_exp_rule(power, base, rest):
    y = power_times_exp(power, base, rest)

    def back(y_bar):
        is_edge, is_constant = np.equal(base, 0), np.equal(power, 0)
        log = np.log(np.where(is_edge & np.greater(power, 0), 1.0, base))
        slope = power * power_times_exp(
            np.where(is_constant, 1.0, np.subtract(power, 1.0)), base, rest
        )
        return (
            unbroadcast(y_bar * y * log, power),
            unbroadcast(y_bar * np.where(is_constant, 0.0, slope), base),
            unbroadcast(y_bar * y, rest),
        )

    return y, back


facts.total(power_times_exp)
facts.fresh(power_times_exp)
facts.result(power_times_exp)(elementwise(special.betainc, 3))


def powers_times_exp(power, base, rest, other):
    """`base**power * (1 - base)**other * exp(rest)` in the unit interval, by the nearer edge."""
    is_near = np.less(base, 0.5)
    rest = rest + np.where(
        is_near, special.xlog1py(other, np.negative(np.where(is_near, base, 0.0))),
        special.xlogy(power, np.where(is_near, 1.0, base)),
    )
    return power_times_exp(
        np.where(is_near, power, other), np.where(is_near, base, np.subtract(1, base)), rest
    )


def gamma_density(a, x):
    """The density of the gamma distribution of shape `a`."""
    return power_times_exp(np.subtract(a, 1.0), x, np.negative(x) - special.gammaln(a))


@adjoint(special.gammainc)
def gammainc(a, x):
    return special.gammainc(a, x), lambda y_bar: (
        without_formula(a, "a", "gammainc"),
        unbroadcast(y_bar * gamma_density(a, x), x),
    )


@adjoint(special.gammaincc)
def gammaincc(a, x):
    return special.gammaincc(a, x), lambda y_bar: (
        without_formula(a, "a", "gammaincc"),
        unbroadcast(-y_bar * gamma_density(a, x), x),
    )


@adjoint(special.gammaincinv)
def gammaincinv(a, y):
    x = special.gammaincinv(a, y)
    return x, lambda x_bar: (
        without_formula(a, "a", "gammaincinv"),
        unbroadcast(x_bar / gamma_density(a, x), y),
    )


def beta_density(a, b, x):
    """The density of the beta distribution."""
    return powers_times_exp(
        np.subtract(a, 1.0), x, np.negative(special.betaln(a, b)), np.subtract(b, 1.0)
    )


@adjoint(special.betainc)
def betainc(a, b, x):
    return special.betainc(a, b, x), lambda y_bar: (
        without_formula(a, "a", "betainc"),
        without_formula(b, "b", "betainc"),
        unbroadcast(y_bar * beta_density(a, b, x), x),
    )


@adjoint(special.betaincinv)
def betaincinv(a, b, y):
    x = special.betaincinv(a, b, y)
    return x, lambda x_bar: (
        without_formula(a, "a", "betaincinv"),
        without_formula(b, "b", "betaincinv"),
        unbroadcast(x_bar / beta_density(a, b, x), y),
    )


@adjoint(special.expn)
def expn(n, x):
    y = special.expn(n, x)
    return y, lambda y_bar: (
        without_formula(n, "n", "expn"),
        unbroadcast(-y_bar * expn_of_order_below(n, x, y), x),
    )


def expn_of_order_below(n, x, y):
    """SciPy has no exponential integral of the order -1: by recurrence (DLMF 8.19.12)."""
    below = special.expn(np.maximum(n - 1, 0), x)
    return np.where(np.equal(n, 0), (np.exp(-x) + y) / x, below)
