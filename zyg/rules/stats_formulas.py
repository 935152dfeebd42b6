"""Densities and distribution functions: the formulas that stand for methods of `scipy.stats`.

    norm_logpdf(x, loc, scale)        log density of the normal distribution

All are functions of the standardised variable `(x - loc) / scale`. Source: N. Johnson, S. Kotz and
N. Balakrishnan, "Continuous Univariate Distributions" (1994). As in SciPy, parameters for which
there is no distribution give NaN. 1.8378770664093453 is log(2 pi).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.rules.special_gamma import power_times_exp, powers_times_exp


def standard(x, loc, scale):
    return np.subtract(x, loc) / positive(scale)


def positive(parameter):
    return np.where(np.greater(parameter, 0), parameter, np.nan)


def scale_if(is_distribution, scale):
    """The scale, and NaN where parameters of shape leave no distribution: they stay constants."""
    return np.where(is_distribution, scale, np.nan)


def inside(condition, value, outside, of):
    """The value where a condition holds, `outside` elsewhere; NaN where `of` is NaN.

    What the value is computed from should be an ordinary number where the condition doesn't hold:
    its derivatives are multiplied by zero there, which leaves NaN what is infinite.
    """
    return np.where(condition, value, np.where(np.isnan(of), np.nan, outside))


# Densities that are a power at an edge of the support: whether that contains a place, what is NaN
# where a parameter is, the power and its base, and the logarithm of the other factors. In a unit
# interval a last item is the power of the distance from the other end.


def log_of_power(is_within, of, power, base, rest, other=None):
    value = special.xlogy(power, base) + rest
    if other is not None:
        value = value + special.xlog1py(other, -base)
    return inside(is_within, value, -np.inf, of)


def power_itself(is_within, of, power, base, rest, other=None):
    if other is None:
        return inside(is_within, power_times_exp(power, base, rest), 0.0, of)
    return inside(is_within, powers_times_exp(power, base, rest, other), 0.0, of)


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


def gamma_power(x, a, loc=0, scale=1):
    z, a = standard(x, loc, scale), positive(a)
    within = np.where(z >= 0, z, 1.0)
    return z >= 0, z + 0 * a, a - 1, within, -within - special.gammaln(a) - np.log(scale)


def gamma_cdf(x, a, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0), scale))
    return inside(z > 0, special.gammainc(a, np.where(z > 0, z, 1.0)), 0.0, z)


def gamma_sf(x, a, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0), scale))
    return inside(z > 0, special.gammaincc(a, np.where(z > 0, z, 1.0)), 1.0, z)


def chi2_power(x, df, loc=0, scale=1):
    return gamma_power(x, 0.5 * df, loc, 2.0 * scale)


def chi2_cdf(x, df, loc=0, scale=1):
    return gamma_cdf(x, 0.5 * df, loc, 2.0 * scale)


def chi2_sf(x, df, loc=0, scale=1):
    return gamma_sf(x, 0.5 * df, loc, 2.0 * scale)


def beta_power(x, a, b, loc=0, scale=1):
    z, a, b = standard(x, loc, scale), positive(a), positive(b)
    is_within = (z >= 0) & (z <= 1)
    rest = -special.betaln(a, b) - np.log(scale)
    return is_within, z + 0 * (a + b), a - 1, np.where(is_within, z, 0.5), rest, b - 1


def beta_cdf(x, a, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0) & np.greater(b, 0), scale))
    is_within = (z > 0) & (z < 1)
    value = special.betainc(a, b, np.where(is_within, z, 0.5))
    return inside(is_within, value, np.where(z > 0, 1.0, 0.0), z)


def beta_sf(x, a, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0) & np.greater(b, 0), scale))
    is_within = (z > 0) & (z < 1)
    value = special.betainc(b, a, 1 - np.where(is_within, z, 0.5))
    return inside(is_within, value, np.where(z > 0, 0.0, 1.0), z)


def t_logpdf(x, df, loc=0, scale=1):
    # From so many degrees of freedom on, infinity included, it is the normal distribution.
    z, df = standard(x, loc, scale), np.minimum(positive(df), 1e200)
    factor = np.log(special.poch(0.5 * df, 0.5) / np.sqrt(df * np.pi)) - np.log(scale)
    return factor - 0.5 * (df + 1) * np.log1p(z * z / df)


def t_cdf(x, df, loc=0, scale=1):
    return special.stdtr(df, standard(x, loc, scale))


def t_sf(x, df, loc=0, scale=1):
    return special.stdtr(df, -standard(x, loc, scale))


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
    is_within, z, of = standard_log(x, s, loc, scale)
    return inside(is_within, special.ndtr(z), 0.0, of)


def lognorm_logcdf(x, s, loc=0, scale=1):
    is_within, z, of = standard_log(x, s, loc, scale)
    return inside(is_within, special.log_ndtr(z), -np.inf, of)


def lognorm_sf(x, s, loc=0, scale=1):
    is_within, z, of = standard_log(x, s, loc, scale)
    return inside(is_within, special.ndtr(-z), 1.0, of)


def lognorm_logsf(x, s, loc=0, scale=1):
    is_within, z, of = standard_log(x, s, loc, scale)
    return inside(is_within, special.log_ndtr(-z), 0.0, of)


def standard_log(x, s, loc, scale):
    """Where `x` is in the support, the normal variable, and what is NaN where a parameter is."""
    z, s = standard(x, loc, scale), positive(s)
    return z > 0, np.log(np.where(z > 0, z, 1.0)) / s, z + 0 * s


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
    tail = 0.5 * np.exp(np.where(z > 0, -z, z))  # of slope 1/2 at 0, where `abs` has none
    return np.where(z > 0, 1.0 - tail, tail)


def laplace_sf(x, loc=0, scale=1):
    return laplace_cdf(-standard(x, loc, scale))


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


def weibull_min_power(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    within = np.where(z >= 0, z, 1.0)
    return z >= 0, z, np.subtract(c, 1), within, np.log(c) - within**c - np.log(scale)


def weibull_min_cdf(x, c, loc=0, scale=1):
    return -np.expm1(weibull_min_logsf(x, c, loc, scale))


def weibull_min_sf(x, c, loc=0, scale=1):
    return np.exp(weibull_min_logsf(x, c, loc, scale))


def weibull_min_logsf(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    return inside(z > 0, -(np.where(z > 0, z, 1.0) ** c), 0.0, z)


def rayleigh_power(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    is_within = (z >= 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    return is_within, z, 1.0, within, -0.5 * within**2 - np.log(scale)


def rayleigh_cdf(x, loc=0, scale=1):
    return -np.expm1(rayleigh_logsf(x, loc, scale))


def rayleigh_sf(x, loc=0, scale=1):
    return np.exp(rayleigh_logsf(x, loc, scale))


def rayleigh_logsf(x, loc=0, scale=1):
    return -0.5 * np.maximum(standard(x, loc, scale), 0.0) ** 2


def halfnorm_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    value = 0.5 * np.log(2 / np.pi) - 0.5 * z * z - np.log(scale)
    return inside(z >= 0, value, -np.inf, z)


def halfnorm_cdf(x, loc=0, scale=1):
    return special.erf(np.maximum(standard(x, loc, scale), 0.0) / np.sqrt(2.0))


def halfnorm_sf(x, loc=0, scale=1):
    return special.erfc(np.maximum(standard(x, loc, scale), 0.0) / np.sqrt(2.0))


def pareto_logpdf(x, b, loc=0, scale=1):
    z, b = standard(x, loc, scale), positive(b)
    value = np.log(b) - (b + 1) * np.log(np.where(z >= 1, z, 1.0)) - np.log(scale)
    return inside(z >= 1, value, -np.inf, z + 0 * b)


def pareto_cdf(x, b, loc=0, scale=1):
    return -np.expm1(pareto_logsf(x, b, loc, scale))


def pareto_sf(x, b, loc=0, scale=1):
    return np.exp(pareto_logsf(x, b, loc, scale))


def pareto_logsf(x, b, loc=0, scale=1):
    return -positive(b) * np.log(np.maximum(standard(x, loc, scale), 1.0))


def invgamma_logpdf(x, a, loc=0, scale=1):
    z, a = standard(x, loc, scale), positive(a)
    within = np.where(z > 0, z, 1.0)
    value = -(a + 1) * np.log(within) - special.gammaln(a) - 1 / within - np.log(scale)
    return inside(z > 0, value, -np.inf, z + 0 * a)


def invgamma_cdf(x, a, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0), scale))
    value = special.gammaincc(a, 1 / np.where(z > 0, z, 1.0))
    return inside(z > 0, value, 0.0, z)


def invgamma_sf(x, a, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0), scale))
    value = special.gammainc(a, 1 / np.where(z > 0, z, 1.0))
    return inside(z > 0, value, 1.0, z)


def gumbel_r_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return -z - np.exp(-z) - np.log(scale)


def gumbel_r_cdf(x, loc=0, scale=1):
    return np.exp(gumbel_r_logcdf(x, loc, scale))


def gumbel_r_logcdf(x, loc=0, scale=1):
    return -np.exp(-standard(x, loc, scale))


def gumbel_r_sf(x, loc=0, scale=1):
    return -np.expm1(gumbel_r_logcdf(x, loc, scale))


def gumbel_l_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return z - np.exp(z) - np.log(scale)


def gumbel_l_cdf(x, loc=0, scale=1):
    return -np.expm1(gumbel_l_logsf(x, loc, scale))


def gumbel_l_sf(x, loc=0, scale=1):
    return np.exp(gumbel_l_logsf(x, loc, scale))


def gumbel_l_logsf(x, loc=0, scale=1):
    return -np.exp(standard(x, loc, scale))


def skewnorm_logpdf(x, a, loc=0, scale=1):
    z = standard(x, loc, scale)
    return np.log(2.0) + norm_logpdf(z) + special.log_ndtr(a * z) - np.log(scale)


def vonmises_logpdf(x, kappa, loc=0, scale=1):
    z = standard(x, loc, scale)
    value = kappa * special.cosm1(z) - 1.8378770664093453 - np.log(special.i0e(kappa))
    return value - np.log(scale) + 0 * np.where(np.greater_equal(kappa, 0), kappa, np.nan)


def truncnorm_logpdf(x, a, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.less(a, b), scale))
    value = norm_logpdf(z) - log_normal_mass(a, b) - np.log(scale)
    return inside((z >= a) & (z <= b), value, -np.inf, z)


def truncnorm_cdf(x, a, b, loc=0, scale=1):
    return np.exp(truncnorm_logcdf(x, a, b, loc, scale))


def truncnorm_logcdf(x, a, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.less(a, b), scale))
    is_within = (z > a) & (z < b)
    upper = np.where(is_within, z, b)
    value = log_normal_mass(a, upper) - log_normal_mass(a, b)
    return inside(is_within, value, np.where(z >= b, 0.0, -np.inf), z)


def truncnorm_sf(x, a, b, loc=0, scale=1):
    return np.exp(truncnorm_logsf(x, a, b, loc, scale))


def truncnorm_logsf(x, a, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.less(a, b), scale))
    is_within = (z > a) & (z < b)
    lower = np.where(is_within, z, a)
    value = log_normal_mass(lower, b) - log_normal_mass(a, b)
    return inside(is_within, value, np.where(z <= a, 0.0, -np.inf), z)


def log_normal_mass(a, b):
    """The logarithm of the normal distribution's mass between `a < b`.

    On the right of 0 it is that of the mirror image: `ndtr(b) - ndtr(a)` would lose all digits.
    """
    is_right = np.greater(a, 0)
    low, high = np.where(is_right, np.negative(b), a), np.where(is_right, np.negative(a), b)
    low = np.maximum(low, -1e100)  # where the slope of its mass is still a number
    log_high = special.log_ndtr(high)
    return log_high + np.log1p(-np.exp(special.log_ndtr(low) - log_high))
