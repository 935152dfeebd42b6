"""Densities and distribution functions of further families of all real numbers.

    genextreme_logpdf(x, c, loc, scale)     log density of the generalised extreme values

All are functions of the standardised variable `(x - loc) / scale`; parameters for which there is
no distribution give NaN, as in `stats_formulas`. Source: N. Johnson, S. Kotz and N. Balakrishnan,
"Continuous Univariate Distributions" (1994), and the documentation of `scipy.stats`.
1.8378770664093453 is log(2 pi).
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
from zyg.rules.stats_of_positives import log1p_over


def genextreme_logpdf(x, c, loc=0, scale=1):
    is_within, log, z = box_of_extreme(x, c, loc, scale)
    return inside(is_within, -np.exp(-log) - (1 - c) * log - np.log(scale), -np.inf, z)


def genextreme_cdf(x, c, loc=0, scale=1):
    return np.exp(genextreme_logcdf(x, c, loc, scale))


def genextreme_sf(x, c, loc=0, scale=1):
    return -np.expm1(genextreme_logcdf(x, c, loc, scale))


def genextreme_logcdf(x, c, loc=0, scale=1):
    is_within, log, z = box_of_extreme(x, c, loc, scale)
    return inside(is_within, -np.exp(-log), np.where(z > 0, 0.0, -np.inf), z)


def box_of_extreme(x, c, loc, scale):
    """`-log1p(-c z) / c` where that is defined."""
    z = standard(x, loc, scale_if(np.isfinite(c), scale))
    is_within = (c * z < 1) & np.isfinite(z)
    return is_within, log1p_over(np.negative(c), np.where(is_within, z, 0.0)), z


def exponnorm_logpdf(x, K, loc=0, scale=1):
    z, rate = standard(x, loc, scale), 1 / positive(K)
    value = rate * (0.5 * rate - z) + special.log_ndtr(z - rate) + np.log(rate)
    return value - np.log(scale)


def exponnorm_cdf(x, K, loc=0, scale=1):
    is_finite, z, part, of = part_of_exponential(x, K, loc, scale)
    return inside(is_finite, special.ndtr(z) - part, np.where(of > 0, 1.0, 0.0), of)


def exponnorm_sf(x, K, loc=0, scale=1):
    is_finite, z, part, of = part_of_exponential(x, K, loc, scale)
    return inside(is_finite, special.ndtr(-z) + part, np.where(of > 0, 0.0, 1.0), of)


def part_of_exponential(x, K, loc, scale):
    z, rate = standard(x, loc, scale), 1 / positive(K)
    is_finite = np.isfinite(z + rate)
    within = np.where(is_finite, z, 0.0)
    log = rate * (0.5 * rate - within) + special.log_ndtr(within - rate)
    return is_finite, within, np.exp(log), z + 0 * rate


def gennorm_logpdf(x, beta, loc=0, scale=1):
    z, beta = standard(x, loc, scale_if(np.greater(beta, 0), scale)), positive(beta)
    return np.log(0.5 * beta) - special.gammaln(1 / beta) - np.abs(z) ** beta - np.log(scale)


def gennorm_cdf(x, beta, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(beta, 0), scale))
    tail = 0.5 * special.gammaincc(1 / positive(beta), np.abs(z) ** positive(beta))
    return np.where(z > 0, 1 - tail, tail)


def gennorm_sf(x, beta, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(beta, 0), scale))
    tail = 0.5 * special.gammaincc(1 / positive(beta), np.abs(z) ** positive(beta))
    return np.where(z > 0, tail, 1 - tail)


def dweibull_power(x, c, loc=0, scale=1):
    z = np.abs(standard(x, loc, scale_if(np.greater(c, 0), scale)))
    rest = np.log(0.5 * c) - z ** positive(c) - np.log(scale)
    return z >= 0, z, np.subtract(c, 1), z, rest


def dweibull_cdf(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    tail = 0.5 * np.exp(-(np.abs(z) ** positive(c)))
    return np.where(z > 0, 1 - tail, tail)


def dweibull_sf(x, c, loc=0, scale=1):
    return dweibull_cdf(-standard(x, loc, scale), c)


def weibull_max_power(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    within = np.where(z <= 0, -z, 1.0)
    return z <= 0, z, np.subtract(c, 1), within, np.log(c) - within**c - np.log(scale)


def weibull_max_cdf(x, c, loc=0, scale=1):
    return np.exp(weibull_max_logcdf(x, c, loc, scale))


def weibull_max_logcdf(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    return inside(z < 0, -(np.where(z < 0, -z, 1.0) ** c), 0.0, z)


def weibull_max_sf(x, c, loc=0, scale=1):
    return -np.expm1(weibull_max_logcdf(x, c, loc, scale))


def genlogistic_logpdf(x, c, loc=0, scale=1):
    z, c = standard(x, loc, scale), positive(c)
    return np.log(c) + special.log_expit(-z) + c * special.log_expit(z) - np.log(scale)


def genlogistic_cdf(x, c, loc=0, scale=1):
    return np.exp(genlogistic_logcdf(x, c, loc, scale))


def genlogistic_logcdf(x, c, loc=0, scale=1):
    return positive(c) * special.log_expit(standard(x, loc, scale))


def genlogistic_sf(x, c, loc=0, scale=1):
    return -np.expm1(genlogistic_logcdf(x, c, loc, scale))


def hypsecant_logpdf(x, loc=0, scale=1):
    z = np.abs(standard(x, loc, scale))
    return np.log(2 / np.pi) - z - np.log1p(np.exp(-2 * z)) - np.log(scale)


def hypsecant_cdf(x, loc=0, scale=1):
    return 2 / np.pi * np.arctan(np.exp(standard(x, loc, scale)))


def hypsecant_sf(x, loc=0, scale=1):
    return 2 / np.pi * np.arctan(np.exp(-standard(x, loc, scale)))


def moyal_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return -0.5 * (z + np.exp(-z) + 1.8378770664093453) - np.log(scale)


def moyal_cdf(x, loc=0, scale=1):
    return special.erfc(np.exp(-0.5 * standard(x, loc, scale)) / np.sqrt(2.0))


def moyal_sf(x, loc=0, scale=1):
    return special.erf(np.exp(-0.5 * standard(x, loc, scale)) / np.sqrt(2.0))


def loggamma_logpdf(x, c, loc=0, scale=1):
    z, c = standard(x, loc, scale), positive(c)
    return c * z - np.exp(z) - special.gammaln(c) - np.log(scale)


def loggamma_cdf(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    return special.gammainc(c, np.exp(z))


def loggamma_sf(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    return special.gammaincc(c, np.exp(z))


def johnsonsu_logpdf(x, a, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    value = norm_logpdf(a + b * np.arcsinh(z)) + np.log(b) - 0.5 * np.log1p(z * z)
    return value - np.log(scale)


def johnsonsu_cdf(x, a, b, loc=0, scale=1):
    return special.ndtr(a + positive(b) * np.arcsinh(standard(x, loc, scale)))


def johnsonsu_logcdf(x, a, b, loc=0, scale=1):
    return special.log_ndtr(a + positive(b) * np.arcsinh(standard(x, loc, scale)))


def johnsonsu_sf(x, a, b, loc=0, scale=1):
    return special.ndtr(-a - positive(b) * np.arcsinh(standard(x, loc, scale)))


def johnsonsu_logsf(x, a, b, loc=0, scale=1):
    return special.log_ndtr(-a - positive(b) * np.arcsinh(standard(x, loc, scale)))


def laplace_asymmetric_logpdf(x, kappa, loc=0, scale=1):
    z, kappa = standard(x, loc, scale), positive(kappa)
    value = z * np.where(z >= 0, -kappa, 1 / kappa) - np.log(kappa + 1 / kappa)
    return value - np.log(scale)


def laplace_asymmetric_cdf(x, kappa, loc=0, scale=1):
    z = standard(x, loc, scale)
    above, below = tails_of_laplace(z, positive(kappa))
    return inside(z >= 0, 1 - above, below, z)


def laplace_asymmetric_sf(x, kappa, loc=0, scale=1):
    z = standard(x, loc, scale)
    above, below = tails_of_laplace(z, positive(kappa))
    return inside(z >= 0, above, 1 - below, z)


def tails_of_laplace(z, kappa):
    above = np.exp(-np.where(z >= 0, z, 0.0) * kappa) / (1 + kappa * kappa)
    below = np.exp(np.where(z < 0, z, 0.0) / kappa) * (kappa * kappa / (1 + kappa * kappa))
    return above, below
