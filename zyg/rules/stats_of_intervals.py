"""Densities and distribution functions of families of the numbers of an interval.

    triang_logpdf(x, c, loc, scale)         log density of the triangular distribution

All are functions of the standardised variable `(x - loc) / scale`; parameters for which there is
no distribution give NaN, as in `stats_formulas`. Source: N. Johnson, S. Kotz and N. Balakrishnan,
"Continuous Univariate Distributions" (1994), and the documentation of `scipy.stats`.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.rules.stats_formulas import (
    inside,
    norm_logpdf,
    positive,
    scale_if,
    standard,
)


def loguniform_logpdf(x, a, b, loc=0, scale=1):
    is_within, within, of, _ = between(x, a, b, loc, scale)
    value = -np.log(within) - np.log(np.log(b) - np.log(a)) - np.log(scale)
    return inside(is_within, value, -np.inf, of)


def loguniform_cdf(x, a, b, loc=0, scale=1):
    is_within, within, of, is_above = between(x, a, b, loc, scale)
    value = (np.log(within) - np.log(a)) / (np.log(b) - np.log(a))
    return inside(is_within, value, is_above, of)


def loguniform_sf(x, a, b, loc=0, scale=1):
    is_within, within, of, is_above = between(x, a, b, loc, scale)
    value = (np.log(b) - np.log(within)) / (np.log(b) - np.log(a))
    return inside(is_within, value, 1 - is_above, of)


def between(x, a, b, loc, scale):
    z = standard(x, loc, scale_if(np.greater(a, 0) & np.greater(b, a), scale))
    is_within = (z >= a) & (z <= b)
    return is_within, np.where(is_within, z, 1.0), z, np.where(z > b, 1.0, 0.0)


def triang_power(x, c, loc=0, scale=1):
    is_within, _is_left, z, part, width = sides_of_triangle(x, c, loc, scale)
    return is_within, z, 1.0, part, np.log(2 / width) - np.log(scale)


def triang_cdf(x, c, loc=0, scale=1):
    is_within, is_left, z, part, width = sides_of_triangle(x, c, loc, scale)
    area = part * part / width
    return inside(is_within, np.where(is_left, area, 1 - area), np.where(z > 0.5, 1.0, 0.0), z)


def triang_sf(x, c, loc=0, scale=1):
    is_within, is_left, z, part, width = sides_of_triangle(x, c, loc, scale)
    area = part * part / width
    return inside(is_within, np.where(is_left, 1 - area, area), np.where(z > 0.5, 0.0, 1.0), z)


def sides_of_triangle(x, c, loc, scale):
    """The distance from the end of the side that a point is on, and the width of that side."""
    z = standard(x, loc, scale_if(np.greater_equal(c, 0) & np.less_equal(c, 1), scale))
    is_within = (z >= 0) & (z <= 1)
    within = np.where(is_within, z, 0.5)
    is_left = (within < c) | np.equal(c, 1)
    part = np.where(is_left, within, 1 - within)
    return is_within, is_left, z, part, np.where(is_left, c, np.subtract(1, c))


def powerlaw_power(x, a, loc=0, scale=1):
    z, a = standard(x, loc, scale), positive(a)
    is_within = (z >= 0) & (z <= 1)
    within = np.where(is_within, z, 0.5)
    return is_within, z + 0 * a, a - 1, within, np.log(a) - np.log(scale)


def powerlaw_cdf(x, a, loc=0, scale=1):
    return np.exp(powerlaw_logcdf(x, a, loc, scale))


def powerlaw_logcdf(x, a, loc=0, scale=1):
    z, a = standard(x, loc, scale), positive(a)
    is_within = (z > 0) & (z < 1)
    value = a * np.log(np.where(is_within, z, 0.5))
    return inside(is_within, value, np.where(z > 0, 0.0, -np.inf), z + 0 * a)


def powerlaw_sf(x, a, loc=0, scale=1):
    return -np.expm1(powerlaw_logcdf(x, a, loc, scale))


def semicircular_power(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    is_within = (z >= -1) & (z <= 1)
    within = np.where(is_within, z, 0.0)
    return is_within, z, 0.5, (1 - within) * (1 + within), np.log(2 / np.pi) - np.log(scale)


def semicircular_cdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    is_within = (z > -1) & (z < 1)
    within = np.where(is_within, z, 0.0)
    value = 0.5 + (within * np.sqrt(1 - within * within) + np.arcsin(within)) / np.pi
    return inside(is_within, value, np.where(z > 0, 1.0, 0.0), z)


def semicircular_sf(x, loc=0, scale=1):
    return semicircular_cdf(-standard(x, loc, scale))


def arcsine_power(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    is_within = (z >= 0) & (z <= 1)
    within = np.where(is_within, z, 0.5)
    return is_within, z, -0.5, within, -np.log(np.pi) - np.log(scale), -0.5


def arcsine_cdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    is_within = (z > 0) & (z < 1)
    value = 2 / np.pi * np.arcsin(np.sqrt(np.where(is_within, z, 0.5)))
    return inside(is_within, value, np.where(z > 0, 1.0, 0.0), z)


def arcsine_sf(x, loc=0, scale=1):
    return arcsine_cdf(1 - standard(x, loc, scale))


def johnsonsb_logpdf(x, a, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    is_within = (z > 0) & (z < 1)
    within = np.where(is_within, z, 0.5)
    value = norm_logpdf(a + b * special.logit(within)) + np.log(b) - np.log(scale)
    value = value - np.log(within * (1 - within))
    return inside(is_within, value, -np.inf, z + 0 * (a + b))


def johnsonsb_cdf(x, a, b, loc=0, scale=1):
    return np.exp(johnsonsb_logcdf(x, a, b, loc, scale))


def johnsonsb_logcdf(x, a, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    is_within = (z > 0) & (z < 1)
    value = special.log_ndtr(a + b * special.logit(np.where(is_within, z, 0.5)))
    return inside(is_within, value, np.where(z > 0, 0.0, -np.inf), z + 0 * (a + b))


def johnsonsb_sf(x, a, b, loc=0, scale=1):
    return np.exp(johnsonsb_logsf(x, a, b, loc, scale))


def johnsonsb_logsf(x, a, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    is_within = (z > 0) & (z < 1)
    value = special.log_ndtr(-a - b * special.logit(np.where(is_within, z, 0.5)))
    return inside(is_within, value, np.where(z > 0, -np.inf, 0.0), z + 0 * (a + b))


def truncexpon_logpdf(x, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    is_within = (z >= 0) & (z <= b)
    value = -np.where(is_within, z, 0.0) - np.log(-np.expm1(-b)) - np.log(scale)
    return inside(is_within, value, -np.inf, z + 0 * b)


def truncexpon_cdf(x, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    return np.expm1(-np.clip(z, 0.0, b)) / np.expm1(-b)


def truncexpon_sf(x, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    return (np.exp(-b) - np.exp(-np.clip(z, 0.0, b))) / np.expm1(-b)
