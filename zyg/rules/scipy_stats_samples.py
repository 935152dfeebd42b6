"""Functions of samples of `scipy.stats`, written out: their code is differentiated.

    stats.zscore(a)             (a - np.mean(a, 0)) / np.std(a, 0)
    stats.skew(a)               the third central moment over the second one to the power of 3/2

Source: the documentation of `scipy.stats`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_objects import stands_in


def refuse_policy(nan_policy):
    if nan_policy != "propagate":
        raise NotDifferentiable(
            "functions of samples of scipy.stats have rules for nan_policy='propagate' only"
        )


def count_along(a, axis):
    return np.size(a) if axis is None else np.shape(a)[axis]


@substitute(stats.zscore)
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    return zmap(a, a, axis, ddof, nan_policy)


@substitute(stats.zmap)
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    refuse_policy(nan_policy)
    mean = np.mean(compare, axis, keepdims=True)
    return np.subtract(scores, mean) / np.std(compare, axis, ddof=ddof, keepdims=True)


@substitute(stats.gmean)
def gmean(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False):
    refuse_policy(nan_policy)
    return np.exp(averaged(np.log(np.asarray(a, dtype)), axis, weights, keepdims))


@substitute(stats.hmean)
def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False):
    refuse_policy(nan_policy)
    return 1 / averaged(1.0 / np.asarray(a, dtype), axis, weights, keepdims)


@substitute(stats.pmean)
def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    refuse_policy(nan_policy)
    return averaged((1.0 * np.asarray(a, dtype)) ** p, axis, weights, keepdims) ** (1 / p)


def averaged(a, axis, weights, keepdims):
    if weights is None:
        return np.mean(a, axis, keepdims=keepdims)
    total = np.sum(a * weights, axis, keepdims=keepdims)
    return total / np.sum(np.broadcast_to(weights, np.shape(a)), axis, keepdims=keepdims)


@substitute(stats.entropy)
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    refuse_policy(nan_policy)
    pk = pk / np.sum(pk, axis, keepdims=True)
    if qk is None:
        parts = special.entr(pk)
    else:
        parts = special.rel_entr(pk, qk / np.sum(qk, axis, keepdims=True))
    value = np.sum(parts, axis, keepdims=keepdims)
    return value if base is None else value / math.log(base)


def central(a, order, axis, keepdims):
    apart = a - np.mean(a, axis, keepdims=True)
    return np.mean(apart**order, axis, keepdims=keepdims)


@substitute(stats.moment)
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    refuse_policy(nan_policy)
    if np.ndim(order) > 0:
        return np.stack([
            moment(a, one, axis, nan_policy, center=center, keepdims=keepdims) for one in order
        ])
    if center is None:
        return central(a, order, axis, keepdims)
    return np.mean(np.subtract(a, center) ** order, axis, keepdims=keepdims)


@substitute(stats.skew)
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    refuse_policy(nan_policy)
    value = central(a, 3, axis, keepdims) / central(a, 2, axis, keepdims) ** 1.5
    n = count_along(a, axis)
    return value if bias or n < 3 else value * (((n - 1.0) * n) ** 0.5 / (n - 2.0))


@substitute(stats.kurtosis)
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    refuse_policy(nan_policy)
    value = central(a, 4, axis, keepdims) / central(a, 2, axis, keepdims) ** 2
    n = count_along(a, axis)
    if not bias and n > 3:
        value = ((n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3
    return value - 3 if fisher else value


@substitute(stats.sem)
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    refuse_policy(nan_policy)
    return np.std(a, axis, ddof=ddof, keepdims=keepdims) / count_along(a, axis) ** 0.5


@substitute(stats.variation)
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    refuse_policy(nan_policy)
    spread = np.std(a, axis, ddof=ddof, keepdims=keepdims)
    return spread / np.mean(a, axis, keepdims=keepdims)


@substitute(stats.trim_mean)
def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    refuse_policy(nan_policy)
    items = np.ravel(a) if axis is None else np.moveaxis(np.asarray(a), axis, 0)
    cut = count_to_cut(proportiontocut, len(items))
    value = np.mean(np.sort(items, 0)[cut : len(items) - cut], 0)
    if not keepdims:
        return value
    return np.reshape(value, [1 for _ in np.shape(a)]) if axis is None else (
        np.expand_dims(value, axis)
    )


def count_to_cut(proportion, count):
    cut = int(proportion * count)
    if 2 * cut >= count:
        raise ValueError("Proportion too big.")
    return cut


@substitute(stats.iqr)
def iqr(
    x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear",
    keepdims=False,
):
    refuse_policy(nan_policy)
    if isinstance(scale, str):
        scale = 1.3489795003921636  # 2 sqrt(2) erfinv(1 / 2), for 'normal'
    low, high = np.percentile(x, rng, axis, method=interpolation, keepdims=keepdims)
    return (high - low) / scale


@substitute(stats.boxcox_llf)
def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate"):
    refuse_policy(nan_policy)
    data = np.asarray(data)
    variance = np.var(special.boxcox(data, lmb), axis, keepdims=keepdims)
    logs = np.sum(np.log(data), axis, keepdims=keepdims)
    return (lmb - 1) * logs - 0.5 * count_along(data, axis) * np.log(variance)


@substitute(stats.boxcox)
def boxcox(x, lmbda=None, alpha=None, optimizer=None):
    refuse_to_fit(lmbda)
    return special.boxcox(x, lmbda)


def refuse_to_fit(lmbda):
    if lmbda is None:
        raise NotDifferentiable("scipy.stats.boxcox has a rule for `lmbda` that is given only")


# Angles


@substitute(stats.circmean)
def circmean(
    samples, high=2 * np.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False
):
    refuse_policy(nan_policy)
    sines, cosines = directions(samples, high, low, axis, keepdims)
    angle = np.arctan2(sines, cosines)
    angle = np.where(angle < 0, angle + 2 * np.pi, angle)
    return (angle * (high - low) / (2 * np.pi) + low)[()]


@substitute(stats.circvar)
def circvar(
    samples, high=2 * np.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False
):
    refuse_policy(nan_policy)
    return 1 - np.hypot(*directions(samples, high, low, axis, keepdims))


@substitute(stats.circstd)
def circstd(
    samples, high=2 * np.pi, low=0, axis=None, nan_policy="propagate", *, normalize=False,
    keepdims=False,
):
    refuse_policy(nan_policy)
    sines, cosines = directions(samples, high, low, axis, keepdims)
    value = np.sqrt(-2 * np.log(np.hypot(sines, cosines)))
    return value if normalize else value * (high - low) / (2 * np.pi)


def directions(samples, high, low, axis, keepdims):
    """The means of sines and cosines."""
    angles = np.subtract(samples, low) * (2 * np.pi / (high - low))
    return (
        np.mean(np.sin(angles), axis, keepdims=keepdims),
        np.mean(np.cos(angles), axis, keepdims=keepdims),
    )


# Two samples


class Correlation(NamedTuple):
    """What `scipy.stats.pearsonr` gives."""

    statistic: Any
    pvalue: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, Correlation) else Correlation(made.statistic, made.pvalue)


@substitute(stats.pearsonr)
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    refuse_alternative(alternative, method)
    x, y = np.asarray(x), np.asarray(y)
    x, y = x - np.mean(x, axis, keepdims=True), y - np.mean(y, axis, keepdims=True)
    r = np.sum(x * y, axis) / np.sqrt(np.sum(x * x, axis) * np.sum(y * y, axis))
    shape = 0.5 * np.shape(x)[axis] - 1
    return Correlation(r, 2 * special.betainc(shape, shape, 0.5 * (1 - np.abs(r))))


class Regression(NamedTuple):
    """What `scipy.stats.linregress` gives."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, Regression) else Regression(*made)

    @property
    def intercept_stderr(self):
        raise NotDifferentiable("`intercept_stderr` of scipy.stats.linregress has no rule")


@substitute(stats.linregress)
def linregress(x, y, alternative="two-sided"):
    refuse_alternative(alternative, None)
    x, y = np.asarray(x), np.asarray(y)
    x_mean, y_mean, rest = np.mean(x), np.mean(y), np.size(x) - 2
    x, y = x - x_mean, y - y_mean
    of_x, of_y, of_both = np.mean(x * x), np.mean(y * y), np.mean(x * y)
    r, slope = of_both / np.sqrt(of_x * of_y), of_both / of_x
    t = r * np.sqrt(rest / ((1 - r) * (1 + r)))
    error = np.sqrt((1 - r * r) * of_y / of_x / rest)
    return Regression(
        slope, y_mean - slope * x_mean, r, 2 * special.stdtr(rest, -np.abs(t)), error
    )


def refuse_alternative(alternative, method):
    if alternative != "two-sided" or method is not None:
        raise NotDifferentiable(
            "scipy.stats.pearsonr and linregress have rules for alternative='two-sided' only"
        )


constant(refuse_policy, count_to_cut, refuse_to_fit, refuse_alternative)
stands_in(Correlation)
stands_in(Regression)
