"""Rules of `scipy.special`: distribution functions under their short names, and their inverses.

    special.chdtr(v, x)         slope: the density of the chi-squared distribution
    special.chdtri(v, p)        slope: one over it

Source of formulas: NIST Digital Library of Mathematical Functions, sections 8.2 and 8.17.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.rules.registry import adjoint
from zyg.rules.special_gamma import beta_density, gamma_density
from zyg.rules.special_parameters import without_formula

if hasattr(special, "betaincc"):  # since SciPy 1.12

    @adjoint(special.betaincc)
    def betaincc(a, b, x):
        return special.betaincc(a, b, x), lambda y_bar: (
            without_formula(a, "a", "betaincc"),
            without_formula(b, "b", "betaincc"),
            unbroadcast(-y_bar * beta_density(a, b, x), x),
        )

    @adjoint(special.betainccinv)
    def betainccinv(a, b, y):
        x = special.betainccinv(a, b, y)
        return x, lambda x_bar: (
            without_formula(a, "a", "betainccinv"),
            without_formula(b, "b", "betainccinv"),
            unbroadcast(-x_bar / beta_density(a, b, x), y),
        )


@adjoint(special.gammainccinv)
def gammainccinv(a, y):
    x = special.gammainccinv(a, y)
    return x, lambda x_bar: (
        without_formula(a, "a", "gammainccinv"),
        unbroadcast(-x_bar / gamma_density(a, x), y),
    )


def chi_square_density(v, x):
    return 0.5 * gamma_density(np.multiply(0.5, v), 0.5 * x)


@adjoint(special.chdtr)
def chdtr(v, x):
    return special.chdtr(v, x), lambda y_bar: (
        without_formula(v, "v", "chdtr"), unbroadcast(y_bar * chi_square_density(v, x), x)
    )


@adjoint(special.chdtrc)
def chdtrc(v, x):
    return special.chdtrc(v, x), lambda y_bar: (
        without_formula(v, "v", "chdtrc"), unbroadcast(-y_bar * chi_square_density(v, x), x)
    )


@adjoint(special.chdtri)
def chdtri(v, p):
    x = special.chdtri(v, p)
    return x, lambda x_bar: (
        without_formula(v, "v", "chdtri"), unbroadcast(-x_bar / chi_square_density(v, x), p)
    )


def f_density(dfn, dfd, x):
    n, m = np.multiply(0.5, dfn), np.multiply(0.5, dfd)
    total = m + n * x
    return beta_density(n, m, n * x / total) * n * m / (total * total)


@adjoint(special.fdtr)
def fdtr(dfn, dfd, x):
    return special.fdtr(dfn, dfd, x), lambda y_bar: (
        without_formula(dfn, "dfn", "fdtr"),
        without_formula(dfd, "dfd", "fdtr"),
        unbroadcast(y_bar * f_density(dfn, dfd, x), x),
    )


@adjoint(special.fdtrc)
def fdtrc(dfn, dfd, x):
    return special.fdtrc(dfn, dfd, x), lambda y_bar: (
        without_formula(dfn, "dfn", "fdtrc"),
        without_formula(dfd, "dfd", "fdtrc"),
        unbroadcast(-y_bar * f_density(dfn, dfd, x), x),
    )


@adjoint(special.fdtri)
def fdtri(dfn, dfd, p):
    x = special.fdtri(dfn, dfd, p)
    return x, lambda x_bar: (
        without_formula(dfn, "dfn", "fdtri"),
        without_formula(dfd, "dfd", "fdtri"),
        unbroadcast(x_bar / f_density(dfn, dfd, x), p),
    )


@adjoint(special.gdtr)
def gdtr(a, b, x):
    return special.gdtr(a, b, x), lambda y_bar: (
        unbroadcast(y_bar * x * gamma_density(b, np.multiply(a, x)), a),
        without_formula(b, "b", "gdtr"),
        unbroadcast(y_bar * a * gamma_density(b, np.multiply(a, x)), x),
    )


@adjoint(special.gdtrc)
def gdtrc(a, b, x):
    return special.gdtrc(a, b, x), lambda y_bar: (
        unbroadcast(-y_bar * x * gamma_density(b, np.multiply(a, x)), a),
        without_formula(b, "b", "gdtrc"),
        unbroadcast(-y_bar * a * gamma_density(b, np.multiply(a, x)), x),
    )


@adjoint(special.gdtrix)
def gdtrix(a, b, p):
    x = special.gdtrix(a, b, p)
    return x, lambda x_bar: (
        unbroadcast(-x_bar * x / a, a),
        without_formula(b, "b", "gdtrix"),
        unbroadcast(x_bar / (a * gamma_density(b, a * x)), p),
    )


# SciPy takes the whole number of events below `k`.


@adjoint(special.bdtr)
def bdtr(k, n, p):
    def back(y_bar):
        below = np.floor(k)
        density = beta_density(np.subtract(n, below), below + 1.0, np.subtract(1.0, p))
        return (
            without_formula(k, "k", "bdtr"),
            without_formula(n, "n", "bdtr"),
            unbroadcast(-y_bar * density, p),
        )

    return special.bdtr(k, n, p), back


@adjoint(special.bdtrc)
def bdtrc(k, n, p):
    def back(y_bar):
        below = np.floor(k)
        density = beta_density(below + 1.0, np.subtract(n, below), p)
        return (
            without_formula(k, "k", "bdtrc"),
            without_formula(n, "n", "bdtrc"),
            unbroadcast(y_bar * density, p),
        )

    return special.bdtrc(k, n, p), back


@adjoint(special.pdtr)
def pdtr(k, m):
    return special.pdtr(k, m), lambda y_bar: (
        without_formula(k, "k", "pdtr"),
        unbroadcast(-y_bar * gamma_density(np.floor(k) + 1.0, m), m),
    )


@adjoint(special.pdtrc)
def pdtrc(k, m):
    return special.pdtrc(k, m), lambda y_bar: (
        without_formula(k, "k", "pdtrc"),
        unbroadcast(y_bar * gamma_density(np.floor(k) + 1.0, m), m),
    )


@adjoint(special.nbdtr)
def nbdtr(k, n, p):
    return special.nbdtr(k, n, p), lambda y_bar: (
        without_formula(k, "k", "nbdtr"),
        without_formula(n, "n", "nbdtr"),
        unbroadcast(y_bar * beta_density(np.multiply(1.0, n), np.floor(k) + 1.0, p), p),
    )


@adjoint(special.nbdtrc)
def nbdtrc(k, n, p):
    return special.nbdtrc(k, n, p), lambda y_bar: (
        without_formula(k, "k", "nbdtrc"),
        without_formula(n, "n", "nbdtrc"),
        unbroadcast(-y_bar * beta_density(np.multiply(1.0, n), np.floor(k) + 1.0, p), p),
    )


@adjoint(special.stdtrit)
def stdtrit(df, p):
    t = special.stdtrit(df, p)

    def back(t_bar):
        factor = special.poch(0.5 * df, 0.5) / np.sqrt(df * np.pi)
        density = factor * np.exp(-0.5 * (df + 1) * np.log1p(t * t / df))
        return without_formula(df, "df", "stdtrit"), unbroadcast(t_bar / density, p)

    return t, back


@adjoint(special.ndtri_exp)
def ndtri_exp(y):
    x = special.ndtri_exp(y)
    return x, lambda x_bar: x_bar * conj(np.exp(y + 0.5 * (x * x + 1.8378770664093453)))
