"""Densities and distribution functions of `scipy.stats`, written out.

    stats.norm.logpdf(x, mu, sigma)         ->  norm_logpdf(x, mu, sigma)
    stats.gamma.pdf(x, a, scale=2.0)        ->  np.exp(gamma_logpdf(x, a, scale=2.0))
    stats.norm(mu, sigma).logpdf(x)         ->  stats.norm.logpdf(x, mu, sigma)

All are functions of the standardised variable `(x - loc) / scale`. Source of formulas: N. Johnson,
S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions" (1994). As in SciPy, parameters
for which there is no distribution give NaN. 1.8378770664093453 is log(2 pi).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from ir import facts
from ir.core import Const
from zyg.cotangent import unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, substitute
from zyg.rules.special_parameters import without_formula

GENERIC: Any = type(stats.norm).__mro__[2]  # what continuous and discrete distributions share
FROZEN, FROZEN_DISCRETE = type(stats.norm()), type(stats.poisson(1.0))


def standard(x, loc, scale):
    return np.subtract(x, loc) / positive(scale)


def positive(parameter):
    return np.where(np.greater(parameter, 0), parameter, np.nan)


def inside(condition, value, outside, of):
    """The value where a condition holds, `outside` elsewhere; NaN where `of` is NaN.

    What the value is computed from should be an ordinary number where the condition doesn't hold:
    its derivatives are multiplied by zero there, which leaves NaN what is infinite.
    """
    return np.where(condition, value, np.where(np.isnan(of), np.nan, outside))


# Continuous distributions


def norm_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return -0.5 * (z * z + 1.8378770664093453) - np.log(scale)


def norm_cdf(x, loc=0, scale=1):
    return special.ndtr(standard(x, loc, scale))


def norm_logcdf(x, loc=0, scale=1):
    return special.log_ndtr(standard(x, loc, scale))


def norm_sf(x, loc=0, scale=1):
    return special.ndtr(-standard(x, loc, scale))


def norm_logsf(x, loc=0, scale=1):
    return special.log_ndtr(-standard(x, loc, scale))


def expon_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return inside(z >= 0, -z - np.log(scale), -np.inf, z)


def expon_cdf(x, loc=0, scale=1):
    return -np.expm1(-np.maximum(standard(x, loc, scale), 0.0))


def expon_sf(x, loc=0, scale=1):
    return np.exp(expon_logsf(x, loc, scale))


def expon_logsf(x, loc=0, scale=1):
    return -np.maximum(standard(x, loc, scale), 0.0)


def gamma_logpdf(x, a, loc=0, scale=1):
    z, a = standard(x, loc, scale), positive(a)
    within = np.where(z >= 0, z, 1.0)
    value = special.xlogy(a - 1, within) - within - special.gammaln(a) - np.log(scale)
    return inside(z >= 0, value, -np.inf, z + 0 * a)


def gamma_cdf(x, a, loc=0, scale=1):
    z = standard(x, loc, scale)
    return inside(z > 0, special.gammainc(a, np.where(z > 0, z, 1.0)), 0.0, z + 0 * positive(a))


def gamma_sf(x, a, loc=0, scale=1):
    z = standard(x, loc, scale)
    return inside(z > 0, special.gammaincc(a, np.where(z > 0, z, 1.0)), 1.0, z + 0 * positive(a))


def chi2_logpdf(x, df, loc=0, scale=1):
    return gamma_logpdf(x, 0.5 * df, loc, 2.0 * scale)


def chi2_cdf(x, df, loc=0, scale=1):
    return gamma_cdf(x, 0.5 * df, loc, 2.0 * scale)


def chi2_sf(x, df, loc=0, scale=1):
    return gamma_sf(x, 0.5 * df, loc, 2.0 * scale)


def beta_logpdf(x, a, b, loc=0, scale=1):
    z, a, b = standard(x, loc, scale), positive(a), positive(b)
    is_within = (z >= 0) & (z <= 1)
    within = np.where(is_within, z, 0.5)
    value = special.xlogy(a - 1, within) + special.xlog1py(b - 1, -within)
    value = value - special.betaln(a, b) - np.log(scale)
    return inside(is_within, value, -np.inf, z + 0 * (a + b))


def beta_cdf(x, a, b, loc=0, scale=1):
    z, shapes = standard(x, loc, scale), positive(a) + positive(b)
    is_within = (z > 0) & (z < 1)
    value = special.betainc(a, b, np.where(is_within, z, 0.5))
    return inside(is_within, value, np.where(z > 0, 1.0, 0.0), z + 0 * shapes)


def beta_sf(x, a, b, loc=0, scale=1):
    z, shapes = standard(x, loc, scale), positive(a) + positive(b)
    is_within = (z > 0) & (z < 1)
    value = special.betainc(b, a, 1 - np.where(is_within, z, 0.5))
    return inside(is_within, value, np.where(z > 0, 0.0, 1.0), z + 0 * shapes)


def t_logpdf(x, df, loc=0, scale=1):
    z, df = standard(x, loc, scale), positive(df)
    factor = special.gammaln(0.5 * (df + 1)) - special.gammaln(0.5 * df)
    factor = factor - 0.5 * np.log(df * np.pi) - np.log(scale)
    return factor - 0.5 * (df + 1) * np.log1p(z * z / df)


def t_cdf(x, df, loc=0, scale=1):
    return special.stdtr(df, standard(x, loc, scale))


def t_sf(x, df, loc=0, scale=1):
    return special.stdtr(df, -standard(x, loc, scale))


@adjoint(special.stdtr)
def stdtr(df, t):
    def back(y_bar):
        slope = np.exp(t_logpdf(t, df))
        return without_formula(df, "df", "stdtr"), unbroadcast(y_bar * slope, t)

    return special.stdtr(df, t), back


def uniform_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return inside((z >= 0) & (z <= 1), -np.log(scale), -np.inf, z)


def uniform_cdf(x, loc=0, scale=1):
    return np.clip(standard(x, loc, scale), 0.0, 1.0)


def uniform_sf(x, loc=0, scale=1):
    return 1 - np.clip(standard(x, loc, scale), 0.0, 1.0)


def lognorm_logpdf(x, s, loc=0, scale=1):
    z, s = standard(x, loc, scale), positive(s)
    log = np.log(np.where(z > 0, z, 1.0))
    value = -0.5 * (log * log / (s * s) + 1.8378770664093453) - np.log(s) - log - np.log(scale)
    return inside(z > 0, value, -np.inf, z + 0 * s)


def lognorm_cdf(x, s, loc=0, scale=1):
    z = standard(x, loc, scale)
    log = np.log(np.where(z > 0, z, 1.0))
    return inside(z > 0, special.ndtr(log / positive(s)), 0.0, z + 0 * positive(s))


def lognorm_sf(x, s, loc=0, scale=1):
    z = standard(x, loc, scale)
    log = np.log(np.where(z > 0, z, 1.0))
    return inside(z > 0, special.ndtr(-log / positive(s)), 1.0, z + 0 * positive(s))


def cauchy_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return -np.log(np.pi) - np.log1p(z * z) - np.log(scale)


def cauchy_cdf(x, loc=0, scale=1):
    return np.arctan2(1.0, -standard(x, loc, scale)) / np.pi


def cauchy_sf(x, loc=0, scale=1):
    return np.arctan2(1.0, standard(x, loc, scale)) / np.pi


def laplace_logpdf(x, loc=0, scale=1):
    return -np.abs(standard(x, loc, scale)) - np.log(2.0 * scale)


def laplace_cdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z > 0, 1.0 - tail, tail)


def laplace_sf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z > 0, tail, 1.0 - tail)


def logistic_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return special.log_expit(z) + special.log_expit(-z) - np.log(scale)


def logistic_cdf(x, loc=0, scale=1):
    return special.expit(standard(x, loc, scale))


def logistic_logcdf(x, loc=0, scale=1):
    return special.log_expit(standard(x, loc, scale))


def logistic_sf(x, loc=0, scale=1):
    return special.expit(-standard(x, loc, scale))


def logistic_logsf(x, loc=0, scale=1):
    return special.log_expit(-standard(x, loc, scale))


# Discrete distributions


def poisson_logpmf(k, mu, loc=0):
    k, mu = np.subtract(k, loc), np.where(np.greater_equal(mu, 0), mu, np.nan)
    is_count = (k >= 0) & (k == np.floor(k))
    value = special.xlogy(k, mu) - special.gammaln(np.where(is_count, k, 0.0) + 1) - mu
    return inside(is_count, value, -np.inf, k + 0 * mu)


def poisson_cdf(k, mu, loc=0):
    k, mu = np.floor(np.subtract(k, loc)), np.where(np.greater_equal(mu, 0), mu, np.nan)
    return inside(k >= 0, special.gammaincc(np.maximum(k, 0.0) + 1, mu), 0.0, k + 0 * mu)


def poisson_sf(k, mu, loc=0):
    k, mu = np.floor(np.subtract(k, loc)), np.where(np.greater_equal(mu, 0), mu, np.nan)
    return inside(k >= 0, special.gammainc(np.maximum(k, 0.0) + 1, mu), 1.0, k + 0 * mu)


def probability(p):
    return np.where(np.greater_equal(p, 0) & np.less_equal(p, 1), p, np.nan)


def binom_logpmf(k, n, p, loc=0):
    k, p = np.subtract(k, loc), probability(p)
    is_count = (k >= 0) & (k <= n) & (k == np.floor(k))
    count = np.where(is_count, k, 0.0)
    value = special.xlogy(count, p) + special.xlog1py(n - count, -p)
    choices = special.gammaln(n + 1) - special.gammaln(count + 1) - special.gammaln(n - count + 1)
    return inside(is_count, value + choices, -np.inf, k + 0 * p)


def binom_cdf(k, n, p, loc=0):
    k, n, p = np.floor(np.subtract(k, loc)), np.floor(n), probability(p)
    count = np.clip(k, 0.0, n - 1.0)
    value = special.betainc(n - count, count + 1, 1 - p)
    return inside((k >= 0) & (k < n), value, np.where(k < 0, 0.0, 1.0), k + 0 * p)


def binom_sf(k, n, p, loc=0):
    k, n, p = np.floor(np.subtract(k, loc)), np.floor(n), probability(p)
    count = np.clip(k, 0.0, n - 1.0)
    value = special.betainc(count + 1, n - count, p)
    return inside((k >= 0) & (k < n), value, np.where(k < 0, 1.0, 0.0), k + 0 * p)


# Which formula stands for which method

NAMES = (
    *("norm", "expon", "gamma", "chi2", "beta", "t", "uniform", "lognorm", "cauchy", "laplace"),
    *("logistic", "poisson", "binom"),
)
FORMULAS = {
    (type(getattr(stats, name)), method): globals()[f"{name}_{method}"]
    for name in NAMES
    for method in ("logpdf", "logpmf", "cdf", "sf", "logcdf", "logsf")
    if f"{name}_{method}" in globals()
}


def found_formula(distribution, method):
    """The formula for a method of a distribution, or None; one for cdf serves logcdf."""
    cls = type(distribution)
    return FORMULAS.get((cls, method)) or FORMULAS.get((cls, method.removeprefix("log")))


def formula_of(distribution, method):
    formula = found_formula(distribution, method)
    if formula is None:
        raise NotDifferentiable(
            f"scipy.stats.{distribution.name}.{method} has no rule; there are rules for "
            f"{', '.join(NAMES)} and multivariate_normal; write the formula out, or keep "
            "derivatives out of the call with zyg.dropgrad"
        )
    return formula


def has_formula(distribution, method):
    return (type(distribution), method) in FORMULAS


constant(formula_of, has_formula)


@facts.fold(formula_of)
def known_formula(call):
    """The formula itself, where the distribution is known when code is generated."""
    if not all(isinstance(arg, Const) for arg in call.args):
        return None
    formula = found_formula(*[arg.value for arg in call.args])
    return None if formula is None else Const(formula)


@facts.fold(has_formula)
def known_presence(call):
    if not all(isinstance(arg, Const) for arg in call.args):
        return None
    return Const(has_formula(*[arg.value for arg in call.args]))


@substitute(stats.rv_continuous.logpdf)
def logpdf(self, x, *args, **kwds):
    return formula_of(self, "logpdf")(x, *args, **kwds)[()]


@substitute(stats.rv_continuous.pdf)
def pdf(self, x, *args, **kwds):
    return np.exp(formula_of(self, "logpdf")(x, *args, **kwds))[()]


@substitute(stats.rv_discrete.logpmf)
def logpmf(self, k, *args, **kwds):
    return formula_of(self, "logpmf")(k, *args, **kwds)[()]


@substitute(stats.rv_discrete.pmf)
def pmf(self, k, *args, **kwds):
    return np.exp(formula_of(self, "logpmf")(k, *args, **kwds))[()]


@substitute(stats.rv_continuous.cdf, stats.rv_discrete.cdf)
def cdf(self, x, *args, **kwds):
    return formula_of(self, "cdf")(x, *args, **kwds)[()]


@substitute(stats.rv_continuous.sf, stats.rv_discrete.sf)
def sf(self, x, *args, **kwds):
    return formula_of(self, "sf")(x, *args, **kwds)[()]


@substitute(stats.rv_continuous.logcdf, stats.rv_discrete.logcdf)
def logcdf(self, x, *args, **kwds):
    y = formula_of(self, "logcdf")(x, *args, **kwds)[()]
    return y if has_formula(self, "logcdf") else np.log(y)


@substitute(stats.rv_continuous.logsf, stats.rv_discrete.logsf)
def logsf(self, x, *args, **kwds):
    y = formula_of(self, "logsf")(x, *args, **kwds)[()]
    return y if has_formula(self, "logsf") else np.log(y)


# Frozen distributions: objects that hold the arguments


def frozen(distribution, args, kwds):
    return distribution(*args, **kwds)


@adjoint(frozen)
def frozen_rule(distribution, args, kwds):
    def back(bars):
        return None, bars.get("args"), bars.get("kwds")

    return distribution(*args, **kwds), back


@substitute(GENERIC.__call__, GENERIC.freeze)
def freeze(self, *args, **kwds):
    return frozen(self, args, kwds)


# These call the functions above by their names, which tracker and tape replace by their own.


@substitute(FROZEN.logpdf)
def frozen_logpdf(self, x):
    return logpdf(self.dist, x, *self.args, **self.kwds)


@substitute(FROZEN.pdf)
def frozen_pdf(self, x):
    return pdf(self.dist, x, *self.args, **self.kwds)


@substitute(FROZEN_DISCRETE.logpmf)
def frozen_logpmf(self, k):
    return logpmf(self.dist, k, *self.args, **self.kwds)


@substitute(FROZEN_DISCRETE.pmf)
def frozen_pmf(self, k):
    return pmf(self.dist, k, *self.args, **self.kwds)


@substitute(FROZEN.cdf)
def frozen_cdf(self, x):
    return cdf(self.dist, x, *self.args, **self.kwds)


@substitute(FROZEN.sf)
def frozen_sf(self, x):
    return sf(self.dist, x, *self.args, **self.kwds)


@substitute(FROZEN.logcdf)
def frozen_logcdf(self, x):
    return logcdf(self.dist, x, *self.args, **self.kwds)


@substitute(FROZEN.logsf)
def frozen_logsf(self, x):
    return logsf(self.dist, x, *self.args, **self.kwds)


# The normal distribution of vectors

VECTORS = type(stats.multivariate_normal)


@substitute(VECTORS.logpdf)
def multivariate_logpdf(self, x, mean=None, cov=1, allow_singular=False):
    if allow_singular or isinstance(cov, stats.Covariance):
        raise NotDifferentiable(
            "scipy.stats.multivariate_normal has a rule for regular covariance matrices only, "
            "given as arrays"
        )
    factor = np.linalg.cholesky(covariance(cov, mean, x))
    size = np.shape(factor)[0]
    apart = x if mean is None else x - mean
    rows = np.reshape(apart, (-1, size))
    whitened = np.linalg.solve(factor, np.transpose(rows))
    square = np.sum(whitened * whitened, 0)
    log_det = np.sum(np.log(np.diagonal(factor)))
    y = -0.5 * (square + size * 1.8378770664093453) - log_det
    shape = np.shape(apart)
    is_batch = len(shape) > 1 or (len(shape) == 1 and size == 1)
    return np.reshape(y, shape if size == 1 and len(shape) < 2 else shape[:-1])[()] if (
        is_batch
    ) else y[0]


def covariance(cov, mean, x):
    """The covariance matrix, as an array of two dimensions."""
    if np.ndim(cov) == 2:
        return cov
    if np.ndim(cov) == 1:
        return np.diag(cov)
    size = np.size(mean) if mean is not None else 1
    return cov * np.eye(size)


@substitute(VECTORS.pdf)
def multivariate_pdf(self, x, mean=None, cov=1, allow_singular=False):
    return np.exp(multivariate_logpdf(self, x, mean, cov, allow_singular))
