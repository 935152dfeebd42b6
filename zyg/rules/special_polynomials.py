"""Rules of `scipy.special`: orthogonal polynomials, whose derivatives are others of lower degree.

    eval_legendre(n, x)       ->   eval_gegenbauer(n - 1, 3/2, x)
    eval_hermite(n, x)        ->   2 n eval_hermite(n - 1, x)

Source of formulas: NIST Digital Library of Mathematical Functions, section 18.9(iii).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.registry import adjoint, substitute
from zyg.rules.special_parameters import without_formula


def lower(n):
    """The degree of the derivative; that of degree 0 is left out by `unless_constant`."""
    return n - np.not_equal(n, 0)


def unless_constant(n, slope):
    return np.where(np.equal(n, 0), 0, slope)


@adjoint(special.eval_legendre)
def eval_legendre(n, x):
    def back(y_bar):
        slope = special.eval_gegenbauer(lower(n), 1.5, x)
        return (
            without_formula(n, "n", "eval_legendre"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_legendre(n, x), back


@adjoint(special.eval_chebyt)
def eval_chebyt(n, x):
    def back(y_bar):
        slope = n * special.eval_chebyu(lower(n), x)
        return (
            without_formula(n, "n", "eval_chebyt"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_chebyt(n, x), back


@adjoint(special.eval_chebyu)
def eval_chebyu(n, x):
    def back(y_bar):
        slope = 2 * special.eval_gegenbauer(lower(n), 2.0, x)
        return (
            without_formula(n, "n", "eval_chebyu"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_chebyu(n, x), back


@adjoint(special.eval_hermite)
def eval_hermite(n, x):
    def back(y_bar):
        slope = 2 * (n * special.eval_hermite(lower(n), x))
        return (
            without_formula(n, "n", "eval_hermite"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_hermite(n, x), back


@adjoint(special.eval_hermitenorm)
def eval_hermitenorm(n, x):
    def back(y_bar):
        slope = n * special.eval_hermitenorm(lower(n), x)
        return (
            without_formula(n, "n", "eval_hermitenorm"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_hermitenorm(n, x), back


@adjoint(special.eval_laguerre)
def eval_laguerre(n, x):
    def back(y_bar):
        slope = -special.eval_genlaguerre(lower(n), 1.0, x)
        return (
            without_formula(n, "n", "eval_laguerre"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_laguerre(n, x), back


@adjoint(special.eval_gegenbauer)
def eval_gegenbauer(n, alpha, x):
    def back(y_bar):
        slope = 2 * alpha * special.eval_gegenbauer(lower(n), np.add(alpha, 1), x)
        return (
            without_formula(n, "n", "eval_gegenbauer"),
            without_formula(alpha, "alpha", "eval_gegenbauer"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_gegenbauer(n, alpha, x), back


@adjoint(special.eval_genlaguerre)
def eval_genlaguerre(n, alpha, x):
    def back(y_bar):
        slope = -special.eval_genlaguerre(lower(n), np.add(alpha, 1), x)
        return (
            without_formula(n, "n", "eval_genlaguerre"),
            without_formula(alpha, "alpha", "eval_genlaguerre"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_genlaguerre(n, alpha, x), back


@adjoint(special.eval_jacobi)
def eval_jacobi(n, alpha, beta, x):
    def back(y_bar):
        factor = 0.5 * (np.add(n, alpha) + np.add(beta, 1))
        slope = factor * special.eval_jacobi(lower(n), np.add(alpha, 1), np.add(beta, 1), x)
        return (
            without_formula(n, "n", "eval_jacobi"),
            without_formula(alpha, "alpha", "eval_jacobi"),
            without_formula(beta, "beta", "eval_jacobi"),
            unbroadcast(y_bar * conj(unless_constant(n, slope)), x),
        )

    return special.eval_jacobi(n, alpha, beta, x), back


# Others are these at another place. Source: sections 18.1(iii), 18.3 and 18.7(i).


@substitute(special.eval_chebyc)
def eval_chebyc(n, x):
    return 2.0 * special.eval_chebyt(n, np.multiply(0.5, x))


@substitute(special.eval_chebys)
def eval_chebys(n, x):
    return special.eval_chebyu(n, np.multiply(0.5, x))


@substitute(special.eval_sh_chebyt)
def eval_sh_chebyt(n, x):
    return special.eval_chebyt(n, np.multiply(2, x) - 1.0)


@substitute(special.eval_sh_chebyu)
def eval_sh_chebyu(n, x):
    return special.eval_chebyu(n, np.multiply(2, x) - 1.0)


@substitute(special.eval_sh_legendre)
def eval_sh_legendre(n, x):
    return special.eval_legendre(n, np.multiply(2, x) - 1.0)


@substitute(special.eval_sh_jacobi)
def eval_sh_jacobi(n, p, q, x):
    factor = special.binom(2 * np.multiply(1.0, n) + np.subtract(p, 1), n)
    value = special.eval_jacobi(n, np.subtract(p, q), np.subtract(q, 1), np.multiply(2, x) - 1.0)
    return value / factor
