"""Densities and distribution functions of `scipy.stats`, written out.

    stats.norm.logpdf(x, mu, sigma)         ->  norm_logpdf(x, mu, sigma)
    stats.gamma.pdf(x, a, scale=2.0)        ->  np.exp(gamma_logpdf(x, a, scale=2.0))

The formulas are those of `stats_formulas` and `stats_counts`.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from ir import facts, primitives
from ir.core import Const, Location, Operand, type_of
from ir.inference.special_calls import Folded, special
from ir.types import TOP, Scalar, Tuple
from zyg.array_type import Array, One, is_big
from zyg.arrays.selections import below_infinity
from zyg.errors import NotDifferentiable
from zyg.rules import (
    stats_counts,
    stats_formulas,
    stats_of_intervals,
    stats_of_positives,
    stats_of_reals,
)
from zyg.rules.registry import adjoint, constant, substitute
from zyg.rules.stats_formulas import log_of_power, power_itself

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

# Which formula stands for which method

MODULES = stats_formulas, stats_of_positives, stats_of_reals, stats_of_intervals, stats_counts
METHODS = ("logpdf", "logpmf", "power", "cdf", "sf", "logcdf", "logsf")
NAMES = tuple(dict.fromkeys(
    name.rpartition("_")[0]
    for module in MODULES
    for name, formula in vars(module).items()
    if name.endswith(("_logpdf", "_logpmf", "_power")) and formula.__module__ == module.__name__
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
    return log_density(self, "logpdf", x, args, kwds)


@substitute(stats.rv_continuous.pdf)
def pdf(self, x, *args, **kwds):
    if has_formula(self, "power"):
        return flat_far_away(density_of_power, formula_of(self, "power"), x, args, kwds)
    return flat_far_away(density, formula_of(self, "logpdf"), x, args, kwds)


def density(logarithm, x, *args, **kwds):
    return np.exp(logarithm(x, *args, **kwds))


def density_of_power(formula, x, *args, **kwds):
    return power_itself(*formula(x, *args, **kwds))


def log_density(distribution, method, x, args, kwds):
    if has_formula(distribution, "power"):
        return log_of_power(*formula_of(distribution, "power")(x, *args, **kwds))[()]
    return formula_of(distribution, method)(x, *args, **kwds)[()]


def probability(formula, x, *args, **kwds):
    return formula(x, *args, **kwds)


def flat_far_away(function, formula, x, args, kwds):
    """A density or probability, which has no slopes at infinity, where formulas have 0 times that.

    A few operations in a row, which are inlined, so that each of `args` is a value by itself.
    """
    near = function(formula, below_infinity(x, 1.0), *args, **kwds)
    is_far = np.isinf(x)
    return with_limits(near, is_far, limits(is_far, function, formula, x, args, kwds))[()]


def limits(is_far, function, formula, x, args, kwds):
    """The value at infinity, where there are such places."""
    return function(formula, x, *args, **kwds) if np.any(is_far) else None


def with_limits(near, is_far, far):
    return near if far is None else np.where(is_far, far, near)


@adjoint(with_limits)
def with_limits_rule(near, is_far, far):
    y = with_limits(near, is_far, far)
    return y, lambda y_bar: (np.where(is_far, 0, y_bar), None, None)


constant(limits)
facts.pure(limits)
facts.fresh(limits)
facts.total(with_limits)


@facts.result(with_limits)
def type_with_limits(args, kwargs):
    return args[0]


@substitute(stats.rv_discrete.logpmf)
def logpmf(self, k, *args, **kwds):
    return log_density(self, "logpmf", k, args, kwds)


@substitute(stats.rv_discrete.pmf)
def pmf(self, k, *args, **kwds):
    if has_formula(self, "power"):
        return power_itself(*formula_of(self, "power")(k, *args, **kwds))[()]
    return np.exp(formula_of(self, "logpmf")(k, *args, **kwds))[()]


@substitute(stats.rv_continuous.cdf, stats.rv_discrete.cdf)
def cdf(self, x, *args, **kwds):
    return flat_far_away(probability, formula_of(self, "cdf"), x, args, kwds)


@substitute(stats.rv_continuous.sf, stats.rv_discrete.sf)
def sf(self, x, *args, **kwds):
    return flat_far_away(probability, formula_of(self, "sf"), x, args, kwds)


# The parameters of shape, `loc` and `scale`, some of which may be given by keyword


def names_of(distribution):
    """The names of the parameters, in their order."""
    shapes = [] if distribution.shapes is None else distribution.shapes.split(", ")
    is_continuous = isinstance(distribution, stats.rv_continuous)
    return (*shapes, "loc", "scale") if is_continuous else (*shapes, "loc")


DEFAULTS = {"loc": 0, "scale": 1}


def in_places(distribution, *args, **kwds):
    """The arguments of a distribution as a tuple in the order of its parameters."""
    names = names_of(distribution)
    unknown = [name for name in kwds if name not in names[len(args) :]]
    if len(args) > len(names) or len(unknown) > 0:
        raise TypeError(f"{distribution.name} takes {names}")
    kwds = {**DEFAULTS, **kwds}
    return (*args, *[kwds[name] for name in names[len(args) :]])


@special(in_places)
def known_places(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """Each argument in its place, where the distribution is known when code is generated."""
    distribution, *given = args
    if not isinstance(distribution, Const):
        return None
    left = names_of(distribution.value)[len(given) :]
    named = {name: Const(value) for name, value in DEFAULTS.items() if name in left} | kwargs
    if named.keys() != set(left):
        return None
    in_order = [*given, *[named[name] for name in left]]
    return [self.call(primitives.build_tuple, *in_order, name=names[0], loc=loc)]


constant(names_of)


# Quantiles: what SciPy finds, as a constant, and two of Newton's steps behind it, which have the
# first three derivatives of the root (`zyg.inside.solvers_inside` tells why).


@substitute(stats.rv_continuous.ppf)
def ppf(self, q, *args, **kwds):
    args = in_places(self, *args, **kwds)
    x = found_quantiles(self, "ppf", q, args)
    y = x - (cdf(self, x, *args) - q) / pdf(self, x, *args)
    y = y - (cdf(self, y, *args) - q) / pdf(self, y, *args)
    return with_value(x, y)


@substitute(stats.rv_continuous.isf)
def isf(self, q, *args, **kwds):
    args = in_places(self, *args, **kwds)
    x = found_quantiles(self, "isf", q, args)
    y = x + (sf(self, x, *args) - q) / pdf(self, x, *args)
    y = y + (sf(self, y, *args) - q) / pdf(self, y, *args)
    return with_value(x, y)


def found_quantiles(distribution, method, q, args):
    return getattr(distribution, method)(q, *args)


def with_value(x, y):
    """The derivatives of `y` at the value `x`; none where that is infinite."""
    return np.where(np.isfinite(x), x + (y - settled(y)), x)[()]


def settled(y):
    return np.asarray(y)


constant(found_quantiles, settled)
facts.pure(found_quantiles)
facts.fresh(found_quantiles)


@facts.result(found_quantiles)
def type_of_quantiles(args, kwargs):
    """Double precision, of the shape of all arguments together; the code of `ppf` can't tell."""
    _, _, q, given = args
    if not isinstance(given, Tuple):
        return TOP
    add = facts.result_of(operator.add)
    found = Scalar(np.float64)
    for type_ in (q, *given.items):
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
    apart = np.asarray(x) if mean is None else np.subtract(x, mean)
    is_vector = np.ndim(apart) == 0 or (np.ndim(apart) == 1 and not is_single(factor))
    rows = vectors_in(apart, size, is_vector)
    whitened = np.linalg.solve(factor, np.transpose(rows))
    square = np.sum(whitened * whitened, 0)
    log_det = np.sum(np.log(np.diagonal(factor)))
    y = -0.5 * (square + size * 1.8378770664093453) - log_det
    return y[0] if is_vector else batch_of(y, apart)


def batch_of(y, apart):
    """One number for each vector; SciPy leaves out dimensions of size 1."""
    return np.squeeze(y if np.ndim(apart) < 3 else np.reshape(y, np.shape(apart)[:-1]))[()]


def vectors_in(apart, size, is_vector):
    """The vectors as rows of a matrix."""
    if np.ndim(apart) == 2:
        return apart
    return np.reshape(apart, (-1, size)) if is_vector or np.ndim(apart) > 1 else (
        np.expand_dims(apart, 1)
    )


def is_single(factor):
    """Whether vectors have one component: an array of them may be one of numbers."""
    return np.shape(factor)[0] == 1


constant(is_single)


@facts.fold(is_single)
def known_to_be_single(call):
    type_ = type_of(call.args[0])
    if not isinstance(type_, Array) or not type_.dims:
        return None
    is_one = isinstance(type_.dims[0], One)
    return Const(is_one) if is_one or is_big(type_.dims[0]) else None


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
