"""Distributions of vectors of `scipy.stats`, written out.

    stats.dirichlet.logpdf(x, alpha)        of vectors along the first axis
    stats.multinomial.logpmf(x, n, p)       of vectors along the last one

Source: N. Johnson, S. Kotz and N. Balakrishnan, "Discrete Multivariate Distributions" (1997) and
"Continuous Multivariate Distributions" (2000).
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_stats import batch_of, is_single, vectors_in

COUNTS, SHARES = type(stats.multinomial), type(stats.dirichlet)
STUDENTS = type(stats.multivariate_t)


@substitute(COUNTS.logpmf)
def multinomial_logpmf(self, x, n, p):
    """The last probability is what the others leave, as SciPy has it."""
    refuse_dimensions(x)
    x, p = np.asarray(x), np.asarray(p)
    p = np.concatenate([p[..., :-1], 1 - np.sum(p[..., :-1], -1, keepdims=True)], -1)
    parts = special.xlogy(x, p) - special.gammaln(np.asarray(x, float) + 1)
    value = special.gammaln(np.add(n, 1.0)) + np.sum(parts, -1)
    is_count = np.all(np.greater_equal(x, 0), -1) & np.equal(np.sum(x, -1), n)
    value = np.where(is_count, value, -np.inf)
    return np.where(np.all(np.greater_equal(p, 0) & np.less_equal(p, 1), -1), value, np.nan)[()]


@substitute(COUNTS.pmf)
def multinomial_pmf(self, x, n, p):
    return np.exp(multinomial_logpmf(self, x, n, p))


def refuse_dimensions(x):
    if np.ndim(x) == 0:
        raise ValueError("x must be an array.")


@substitute(SHARES.logpdf)
def dirichlet_logpdf(self, x, alpha):
    x, alpha = np.asarray(x), np.asarray(alpha)
    refuse_parameters(alpha)
    if len(x) == len(alpha) - 1:
        x = np.concatenate([x, 1 - np.sum(x, 0, keepdims=True)])
    refuse_shares(x)
    exponents = np.reshape(alpha - 1, (-1,) + (1,) * (np.ndim(x) - 1))
    constant_part = special.gammaln(np.sum(alpha)) - np.sum(special.gammaln(alpha))
    value = constant_part + np.sum(special.xlogy(exponents, x), 0)
    return value if np.ndim(x) == 1 else np.squeeze(value)[()]  # as SciPy does


@substitute(SHARES.pdf)
def dirichlet_pdf(self, x, alpha):
    return np.exp(dirichlet_logpdf(self, x, alpha))


def refuse_parameters(alpha):
    if np.min(alpha) <= 0:
        raise ValueError("All parameters must be greater than 0")


def refuse_shares(x):
    if np.min(x) < 0 or np.max(x) > 1 or np.any(np.abs(np.sum(x, 0) - 1) > 1e-9):
        raise ValueError("The input vector 'x' must lie within the normal simplex.")


@substitute(STUDENTS.logpdf)
def multivariate_t_logpdf(self, x, loc=None, shape=1, df=1):
    refuse_infinity(df)
    loc = np.zeros(1) if loc is None and np.ndim(shape) < 2 else loc
    size = np.shape(shape)[0] if loc is None else np.size(loc)
    factor = np.linalg.cholesky(matrix(shape, size))
    apart = np.asarray(x) if loc is None else np.subtract(x, loc)
    is_vector = np.ndim(apart) == 0 or (np.ndim(apart) == 1 and not is_single(factor))
    rows = vectors_in(apart, size, is_vector)
    whitened = np.linalg.solve(factor, np.transpose(rows))
    half, order = 0.5 * df, 0.5 * (df + size)
    value = special.gammaln(order) - special.gammaln(half) - 0.5 * size * np.log(df * np.pi)
    value = value - np.sum(np.log(np.diagonal(factor)))
    value = value - order * np.log1p(np.sum(whitened * whitened, 0) / df)
    return value[0] if is_vector else batch_of(value, apart)


def matrix(shape, size):
    if np.ndim(shape) == 2:
        return shape
    if np.ndim(shape) == 1:
        return np.diag(shape)
    return shape * np.eye(size)


@substitute(STUDENTS.pdf)
def multivariate_t_pdf(self, x, loc=None, shape=1, df=1, allow_singular=False):
    if allow_singular:
        raise NotDifferentiable("scipy.stats.multivariate_t has a rule for regular shapes only")
    return np.exp(multivariate_t_logpdf(self, x, loc, shape, df))


def refuse_infinity(df):
    if df == np.inf:
        raise NotDifferentiable("with df=inf, use scipy.stats.multivariate_normal")


constant(refuse_dimensions, refuse_parameters, refuse_shares, refuse_infinity)
