"""Frozen distributions of `scipy.stats`: the arguments of a distribution, and its methods.

    stats.norm(mu, sigma).logpdf(x)         ->  stats.norm.logpdf(x, mu, sigma)

One that is made in differentiated code is a NamedTuple, whose items are values like any others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy import stats

from ir import facts
from ir.types import TOP, Known
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_objects import stands_in
from zyg.rules.scipy_stats import (
    cdf,
    in_places,
    isf,
    logcdf,
    logpdf,
    logpmf,
    logsf,
    pdf,
    pmf,
    ppf,
    sf,
)
from zyg.signature import abstract

GENERIC: Any = type(stats.norm).__mro__[2]  # what continuous and discrete distributions share
FROZEN, FROZEN_DISCRETE = type(stats.norm()), type(stats.poisson(1.0))


class Frozen(NamedTuple):
    """A distribution and its arguments, as `rv_frozen` of SciPy's."""

    dist: Any
    args: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else parts_of(made)

    def logpdf(self, x):
        return logpdf(self.dist, x, *self.args)

    def pdf(self, x):
        return pdf(self.dist, x, *self.args)

    def logpmf(self, k):
        return logpmf(self.dist, k, *self.args)

    def pmf(self, k):
        return pmf(self.dist, k, *self.args)

    def cdf(self, x):
        return cdf(self.dist, x, *self.args)

    def sf(self, x):
        return sf(self.dist, x, *self.args)

    def logcdf(self, x):
        return logcdf(self.dist, x, *self.args)

    def logsf(self, x):
        return logsf(self.dist, x, *self.args)

    def ppf(self, q):
        return ppf(self.dist, q, *self.args)

    def isf(self, q):
        return isf(self.dist, q, *self.args)

    # What has no rule is refused where the arguments vary, and else is what SciPy says.

    def rvs(self, size=None, random_state=None):
        return self.dist.rvs(*self.args, size=size, random_state=random_state)

    def stats(self, moments="mv"):
        return self.dist.stats(*self.args, moments=moments)

    def moment(self, order):
        return self.dist.moment(order, *self.args)

    def interval(self, confidence):
        return self.dist.interval(confidence, *self.args)

    def expect(self, func=None, lb=None, ub=None, conditional=False, **kwds):
        return whole(self).expect(func, lb, ub, conditional, **kwds)

    def mean(self):
        return self.dist.mean(*self.args)

    def median(self):
        return self.dist.median(*self.args)

    def var(self):
        return self.dist.var(*self.args)

    def std(self):
        return self.dist.std(*self.args)

    def entropy(self):
        return self.dist.entropy(*self.args)

    def support(self):
        return self.dist.support(*self.args)


def whole(self):
    return self.dist(*self.args)


def parts_of(made):
    return Frozen(made.dist, in_places(made.dist, *made.args, **made.kwds))


@facts.result(parts_of)
def type_of_parts(args, kwargs):
    return abstract(parts_of(args[0].value)) if isinstance(args[0], Known) else TOP


constant(whole, parts_of)
stands_in(Frozen)


@substitute(GENERIC.__call__, GENERIC.freeze)
def freeze(self, *args, **kwds):
    return Frozen(self, in_places(self, *args, **kwds))


# Frozen distributions that were made elsewhere. These call the methods by names which tracker and
# tape replace by their own.


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


@substitute(FROZEN.ppf)
def frozen_ppf(self, q):
    return ppf(self.dist, q, *self.args, **self.kwds)


@substitute(FROZEN.isf)
def frozen_isf(self, q):
    return isf(self.dist, q, *self.args, **self.kwds)
