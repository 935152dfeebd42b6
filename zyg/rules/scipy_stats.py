"""Densities and distribution functions of `scipy.stats`, written out.

    stats.norm.logpdf(x, mu, sigma)         ->  norm_logpdf(x, mu, sigma)
    stats.gamma.pdf(x, a, scale=2.0)        ->  np.exp(gamma_logpdf(x, a, scale=2.0))
    stats.norm(mu, sigma).logpdf(x)         ->  stats.norm.logpdf(x, mu, sigma)

The formulas are those of `stats_formulas` and `stats_counts`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from scipy import stats

from ir import facts
from ir.core import Const
from ir.types import TOP, Dict, Scalar, Tuple
from zyg.errors import NotDifferentiable
from zyg.rules import (
    stats_counts,
    stats_formulas,
    stats_of_intervals,
    stats_of_positives,
    stats_of_reals,
)
from zyg.rules.registry import adjoint, constant, substitute
from zyg.rules.tangent_registry import tangent

GENERIC: Any = type(stats.norm).__mro__[2]  # what continuous and discrete distributions share
FROZEN, FROZEN_DISCRETE = type(stats.norm()), type(stats.poisson(1.0))


# Which formula stands for which method

MODULES = stats_formulas, stats_of_positives, stats_of_reals, stats_of_intervals, stats_counts
METHODS = ("logpdf", "logpmf", "cdf", "sf", "logcdf", "logsf")
NAMES = tuple(dict.fromkeys(
    name.rpartition("_")[0]
    for module in MODULES
    for name, formula in vars(module).items()
    if name.endswith(("_logpdf", "_logpmf")) and formula.__module__ == module.__name__
))
FORMULAS = {
    (type(getattr(stats, name)), method): getattr(module, f"{name}_{method}")
    for module in MODULES
    for name in NAMES
    for method in METHODS
    if hasattr(module, f"{name}_{method}") and hasattr(stats, name)
}


def found_formula(distribution, method):
    """The formula for a method of a distribution, or None; one for cdf serves logcdf."""
    cls = type(distribution)
    return FORMULAS.get((cls, method)) or FORMULAS.get((cls, method.removeprefix("log")))


def formula_of(distribution, method):
    formula = found_formula(distribution, method)
    if formula is None:
        raise NotDifferentiable(
            f"scipy.stats.{distribution.name}.{method} has no rule; write the formula out, or keep "
            "derivatives out of the call with zyg.dropgrad; docs/limits.md lists what has a rule"
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
    return flat_far_away(density, formula_of(self, "logpdf"), x, args, kwds)


def density(logarithm, x, *args, **kwds):
    return np.exp(logarithm(x, *args, **kwds))


def probability(formula, x, *args, **kwds):
    return formula(x, *args, **kwds)


def flat_far_away(function, formula, x, args, kwds):
    """A density or probability, which has no slopes at infinity, where formulas have 0 times that.
    """
    if not np.any(np.isinf(x)):
        return function(formula, x, *args, **kwds)[()]
    is_far = np.isinf(x)
    near = function(formula, np.where(is_far, 1.0, x), *args, **kwds)
    return np.where(is_far, limits(function, formula, x, args, kwds), near)[()]


def limits(function, formula, x, args, kwds):
    return function(formula, x, *args, **kwds)


constant(limits)


@substitute(stats.rv_discrete.logpmf)
def logpmf(self, k, *args, **kwds):
    return formula_of(self, "logpmf")(k, *args, **kwds)[()]


@substitute(stats.rv_discrete.pmf)
def pmf(self, k, *args, **kwds):
    return np.exp(formula_of(self, "logpmf")(k, *args, **kwds))[()]


@substitute(stats.rv_continuous.cdf, stats.rv_discrete.cdf)
def cdf(self, x, *args, **kwds):
    return flat_far_away(probability, formula_of(self, "cdf"), x, args, kwds)


@substitute(stats.rv_continuous.sf, stats.rv_discrete.sf)
def sf(self, x, *args, **kwds):
    return flat_far_away(probability, formula_of(self, "sf"), x, args, kwds)


# Quantiles: what SciPy finds, as a constant, and two of Newton's steps behind it, which have the
# first three derivatives of the root (`zyg.inside.solvers_inside` tells why).


@substitute(stats.rv_continuous.ppf)
def ppf(self, q, *args, **kwds):
    x = found_quantiles(self, "ppf", q, args, kwds)
    y = x - (cdf(self, x, *args, **kwds) - q) / pdf(self, x, *args, **kwds)
    y = y - (cdf(self, y, *args, **kwds) - q) / pdf(self, y, *args, **kwds)
    return with_value(x, y)


@substitute(stats.rv_continuous.isf)
def isf(self, q, *args, **kwds):
    x = found_quantiles(self, "isf", q, args, kwds)
    y = x + (sf(self, x, *args, **kwds) - q) / pdf(self, x, *args, **kwds)
    y = y + (sf(self, y, *args, **kwds) - q) / pdf(self, y, *args, **kwds)
    return with_value(x, y)


def found_quantiles(distribution, method, q, args, kwds):
    return getattr(distribution, method)(q, *args, **kwds)


def with_value(x, y):
    """The derivatives of `y` at the value `x`; none where that is infinite."""
    return np.where(np.isfinite(x), x + (y - settled(y)), x)[()]


def settled(y):
    return np.asarray(y)


constant(found_quantiles, settled)


@facts.result(found_quantiles)
def type_of_quantiles(args, kwargs):
    """Double precision, of the shape of all arguments together; the code of `ppf` can't tell."""
    _, _, q, positional, named = args
    if not isinstance(positional, Tuple) or not isinstance(named, Dict):
        return TOP
    add = facts.result_of(operator.add)
    found = Scalar(np.float64)
    for type_ in (q, *positional.items, *dict(named.items).values()):
        found = add((found, type_), {})
    return found


@substitute(stats.rv_continuous.logcdf, stats.rv_discrete.logcdf)
def logcdf(self, x, *args, **kwds):
    if has_formula(self, "logcdf"):
        return formula_of(self, "logcdf")(x, *args, **kwds)[()]
    if has_formula(self, "logsf"):
        return log_of_rest(formula_of(self, "logsf")(x, *args, **kwds))
    return log_of(formula_of(self, "cdf")(x, *args, **kwds))


@substitute(stats.rv_continuous.logsf, stats.rv_discrete.logsf)
def logsf(self, x, *args, **kwds):
    if has_formula(self, "logsf"):
        return formula_of(self, "logsf")(x, *args, **kwds)[()]
    if has_formula(self, "logcdf"):
        return log_of_rest(formula_of(self, "logcdf")(x, *args, **kwds))
    return log_of(formula_of(self, "sf")(x, *args, **kwds))


def log_of(y):
    """The logarithm of a probability; where it is 0, outside of the support, it stays that."""
    return np.where(y == 0, -np.inf, np.log(np.where(y == 0, 1.0, y)))[()]


def log_of_rest(log):
    """The logarithm of the probability that is left, without cancellation.

    Source: M. Maechler, "Accurately computing log(1 - exp(-|a|))" (2012).
    """
    is_large = (log < 0) & (log > -0.7)
    of_large = np.log(-np.expm1(np.where(is_large, log, -0.7)))
    of_small = np.log1p(-np.exp(np.where(is_large | (log >= 0), -0.7, log)))
    value = np.where(is_large, of_large, of_small)
    return stats_formulas.inside(log < 0, value, -np.inf, log)[()]


# Frozen distributions: objects that hold the arguments


def frozen(distribution, args, kwds):
    return distribution(*args, **kwds)


@adjoint(frozen)
def frozen_rule(distribution, args, kwds):
    def back(bars):
        return None, bars.get("args"), bars.get("kwds")

    return distribution(*args, **kwds), back


@tangent(frozen)
def frozen_tangent(y, distribution, args, kwds, distribution_dot, args_dot, kwds_dot):
    return {"args": args_dot, "kwds": kwds_dot}


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


@substitute(FROZEN.ppf)
def frozen_ppf(self, q):
    return ppf(self.dist, q, *self.args, **self.kwds)


@substitute(FROZEN.isf)
def frozen_isf(self, q):
    return isf(self.dist, q, *self.args, **self.kwds)


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
