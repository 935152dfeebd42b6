"""Frozen distributions of vectors of `scipy.stats`: their parameters, and their densities.

    stats.multivariate_normal(mean, cov).logpdf(x)
        ->  stats.multivariate_normal.logpdf(x, mean, cov)

One that is made in differentiated code is a NamedTuple, whose items are values like any others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from ir import facts
from ir.types import TOP, Known
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_objects import stands_in
from zyg.rules.scipy_stats import VECTORS, covariance, multivariate_logpdf, multivariate_pdf
from zyg.rules.scipy_stats_vectors import (
    COUNTS,
    SHARES,
    STUDENTS,
    dirichlet_logpdf,
    dirichlet_pdf,
    matrix,
    multinomial_logpmf,
    multinomial_pmf,
    multivariate_t_logpdf,
    multivariate_t_pdf,
)
from zyg.signature import abstract

FROZEN = type(stats.multivariate_normal())
FROZEN_STUDENTS = type(stats.multivariate_t())
FROZEN_SHARES = type(stats.dirichlet([1.0, 1.0]))
FROZEN_COUNTS = type(stats.multinomial(1, [0.5, 0.5]))


class FrozenNormal(NamedTuple):
    """As `multivariate_normal_frozen` of SciPy's."""

    dist: Any
    mean: Any
    cov: Any
    allow_singular: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else normal_of(made)

    def logpdf(self, x):
        return multivariate_logpdf(self.dist, x, self.mean, self.cov, self.allow_singular)

    def pdf(self, x):
        return multivariate_pdf(self.dist, x, self.mean, self.cov, self.allow_singular)

    # What has no rule is refused where the parameters vary, and else is what SciPy says.

    def cdf(self, x):
        return self.dist.cdf(x, self.mean, self.cov, self.allow_singular)

    def logcdf(self, x):
        return self.dist.logcdf(x, self.mean, self.cov, self.allow_singular)

    def rvs(self, size=1, random_state=None):
        return self.dist.rvs(self.mean, self.cov, size, random_state)

    def entropy(self):
        return self.dist.entropy(self.mean, self.cov)


class FrozenStudents(NamedTuple):
    """As `multivariate_t_frozen` of SciPy's."""

    dist: Any
    loc: Any
    shape: Any
    df: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else students_of(made)

    def logpdf(self, x):
        return multivariate_t_logpdf(self.dist, x, self.loc, self.shape, self.df)

    def pdf(self, x):
        return multivariate_t_pdf(self.dist, x, self.loc, self.shape, self.df)

    def rvs(self, size=1, random_state=None):
        return self.dist.rvs(self.loc, self.shape, self.df, size, random_state)


class FrozenShares(NamedTuple):
    """As `dirichlet_frozen` of SciPy's."""

    dist: Any
    alpha: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else shares_of(made)

    def logpdf(self, x):
        return dirichlet_logpdf(self.dist, x, self.alpha)

    def pdf(self, x):
        return dirichlet_pdf(self.dist, x, self.alpha)

    def rvs(self, size=1, random_state=None):
        return self.dist.rvs(self.alpha, size, random_state)

    def mean(self):
        return self.dist.mean(self.alpha)

    def var(self):
        return self.dist.var(self.alpha)

    def entropy(self):
        return self.dist.entropy(self.alpha)


class FrozenCounts(NamedTuple):
    """As `multinomial_frozen` of SciPy's."""

    dist: Any
    n: Any
    p: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else counts_of(made)

    def logpmf(self, x):
        return multinomial_logpmf(self.dist, x, self.n, self.p)

    def pmf(self, x):
        return multinomial_pmf(self.dist, x, self.n, self.p)

    def rvs(self, size=1, random_state=None):
        return self.dist.rvs(self.n, self.p, size, random_state)

    def cov(self):
        return self.dist.cov(self.n, self.p)

    def entropy(self):
        return self.dist.entropy(self.n, self.p)


def normal_of(made):
    return FrozenNormal(stats.multivariate_normal, made.mean, made.cov, made.allow_singular)


def students_of(made):
    return FrozenStudents(stats.multivariate_t, made.loc, made.shape, made.df)


def shares_of(made):
    return FrozenShares(stats.dirichlet, made.alpha)


def counts_of(made):
    return FrozenCounts(stats.multinomial, made.n, made.p)


for _parts_of in (normal_of, students_of, shares_of, counts_of):
    def _type_of_parts(args, kwargs, parts_of=_parts_of):
        return abstract(parts_of(args[0].value)) if isinstance(args[0], Known) else TOP

    facts.result(_parts_of)(_type_of_parts)
    constant(_parts_of)
for _class in (FrozenNormal, FrozenStudents, FrozenShares, FrozenCounts):
    stands_in(_class)


def center(mean, spread):
    """The center of a distribution as an array of one dimension: of zeros where none is given."""
    if mean is None:
        return np.zeros(np.shape(spread)[0] if np.ndim(spread) else 1)
    return np.atleast_1d(mean)


@substitute(VECTORS.__call__)
def freeze_normal(self, mean=None, cov=1, allow_singular=False, seed=None):
    mean = center(mean, cov)
    return FrozenNormal(self, mean, covariance(np.asarray(cov), mean, None), allow_singular)


@substitute(STUDENTS.__call__)
def freeze_students(self, loc=None, shape=1, df=1, allow_singular=False, seed=None):
    loc = center(loc, shape)
    return FrozenStudents(self, loc, matrix(np.asarray(shape), np.size(loc)), df)


@substitute(SHARES.__call__)
def freeze_shares(self, alpha, seed=None):
    return FrozenShares(self, np.asarray(alpha))


@substitute(COUNTS.__call__)
def freeze_counts(self, n, p, seed=None):
    return FrozenCounts(self, n, np.asarray(p))


# Frozen distributions that were made elsewhere.


@substitute(FROZEN.logpdf)
def frozen_logpdf(self, x):
    return normal_of(self).logpdf(x)


@substitute(FROZEN.pdf)
def frozen_pdf(self, x):
    return normal_of(self).pdf(x)


@substitute(FROZEN_STUDENTS.logpdf)
def frozen_students_logpdf(self, x):
    return students_of(self).logpdf(x)


@substitute(FROZEN_STUDENTS.pdf)
def frozen_students_pdf(self, x):
    return students_of(self).pdf(x)


@substitute(FROZEN_SHARES.logpdf)
def frozen_shares_logpdf(self, x):
    return shares_of(self).logpdf(x)


@substitute(FROZEN_SHARES.pdf)
def frozen_shares_pdf(self, x):
    return shares_of(self).pdf(x)


@substitute(FROZEN_COUNTS.logpmf)
def frozen_counts_logpmf(self, x):
    return counts_of(self).logpmf(x)


@substitute(FROZEN_COUNTS.pmf)
def frozen_counts_pmf(self, x):
    return counts_of(self).pmf(x)
