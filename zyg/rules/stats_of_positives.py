"""Densities and distribution functions of families of positive numbers.

    genpareto_logpdf(x, c, loc, scale)      log density of the generalised Pareto distribution

All are functions of the standardised variable `(x - loc) / scale`; parameters for which there is
no distribution give NaN, as in `stats_formulas`. Source: N. Johnson, S. Kotz and N. Balakrishnan,
"Continuous Univariate Distributions" (1994), and the documentation of `scipy.stats`.
1.8378770664093453 is log(2 pi).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ir import facts
from zyg.cotangents.cotangent import unbroadcast
from zyg.facts.numpy_example import elementwise
from zyg.rules.registry import adjoint
from zyg.rules.stats_formulas import (
    gamma_cdf,
    gamma_power,
    gamma_sf,
    inside,
    lognorm_cdf,
    lognorm_logcdf,
    lognorm_logpdf,
    lognorm_logsf,
    lognorm_sf,
    positive,
    scale_if,
    standard,
)


def f_power(x, dfn, dfd, loc=0, scale=1):
    z, n, m = standard(x, loc, scale), 0.5 * positive(dfn), 0.5 * positive(dfd)
    is_within = (z >= 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    rest = m * np.log(m) + n * np.log(n) - special.betaln(n, m) - np.log(scale)
    return is_within, z + 0 * (n + m), n - 1, within, rest - (n + m) * np.log(m + n * within)


def f_cdf(x, dfn, dfd, loc=0, scale=1):
    z, n, m = standard(x, loc, scale), 0.5 * positive(dfn), 0.5 * positive(dfd)
    is_within = (z > 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    value = special.betainc(n, m, n * within / (m + n * within))
    return inside(is_within, value, np.where(z > 0, 1.0, 0.0), z + 0 * (n + m))


def f_sf(x, dfn, dfd, loc=0, scale=1):
    z, n, m = standard(x, loc, scale), 0.5 * positive(dfn), 0.5 * positive(dfd)
    is_within = (z > 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    value = special.betainc(m, n, m / (m + n * within))
    return inside(is_within, value, np.where(z > 0, 0.0, 1.0), z + 0 * (n + m))


def chi_power(x, df, loc=0, scale=1):
    z, df = standard(x, loc, scale), positive(df)
    within = np.where(z >= 0, z, 1.0)
    rest = (1 - 0.5 * df) * np.log(2.0) - special.gammaln(0.5 * df) - np.log(scale)
    return z >= 0, z + 0 * df, df - 1, within, rest - 0.5 * within**2


def chi_cdf(x, df, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(df, 0), scale))
    value = special.gammainc(0.5 * df, 0.5 * np.where(z > 0, z, 1.0) ** 2)
    return inside(z > 0, value, 0.0, z)


def chi_sf(x, df, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(df, 0), scale))
    value = special.gammaincc(0.5 * df, 0.5 * np.where(z > 0, z, 1.0) ** 2)
    return inside(z > 0, value, 1.0, z)


def maxwell_power(x, loc=0, scale=1):
    return chi_power(x, 3.0, loc, scale)


def maxwell_cdf(x, loc=0, scale=1):
    return chi_cdf(x, 3, loc, scale)


def maxwell_sf(x, loc=0, scale=1):
    return chi_sf(x, 3, loc, scale)


def nakagami_power(x, nu, loc=0, scale=1):
    z, nu = standard(x, loc, scale), positive(nu)
    within = np.where(z >= 0, z, 1.0)
    rest = np.log(2.0) + nu * np.log(nu) - special.gammaln(nu) - nu * within**2 - np.log(scale)
    return z >= 0, z + 0 * nu, 2 * nu - 1, within, rest


def nakagami_cdf(x, nu, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(nu, 0), scale))
    value = special.gammainc(nu, nu * np.where(z > 0, z, 1.0) ** 2)
    return inside(z > 0, value, 0.0, z)


def nakagami_sf(x, nu, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(nu, 0), scale))
    value = special.gammaincc(nu, nu * np.where(z > 0, z, 1.0) ** 2)
    return inside(z > 0, value, 1.0, z)


def erlang_power(x, a, loc=0, scale=1):
    return gamma_power(x, a, loc, scale)


def erlang_cdf(x, a, loc=0, scale=1):
    return gamma_cdf(x, a, loc, scale)


def erlang_sf(x, a, loc=0, scale=1):
    return gamma_sf(x, a, loc, scale)


def gompertz_logpdf(x, c, loc=0, scale=1):
    z, c = standard(x, loc, scale), positive(c)
    within = np.where(z >= 0, z, 1.0)
    value = np.log(c) + within - c * np.expm1(within) - np.log(scale)
    return inside(z >= 0, value, -np.inf, z + 0 * c)


def gompertz_cdf(x, c, loc=0, scale=1):
    return -np.expm1(gompertz_logsf(x, c, loc, scale))


def gompertz_sf(x, c, loc=0, scale=1):
    return np.exp(gompertz_logsf(x, c, loc, scale))


def gompertz_logsf(x, c, loc=0, scale=1):
    return -positive(c) * np.expm1(np.maximum(standard(x, loc, scale), 0.0))


def halfcauchy_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    value = np.log(2 / np.pi) - np.log1p(z * z) - np.log(scale)
    return inside(z >= 0, value, -np.inf, z)


def halfcauchy_cdf(x, loc=0, scale=1):
    return 2 / np.pi * np.arctan(np.maximum(standard(x, loc, scale), 0.0))


def halfcauchy_sf(x, loc=0, scale=1):
    return 2 / np.pi * np.arctan2(1.0, np.maximum(standard(x, loc, scale), 0.0))


def halflogistic_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    value = np.log(2.0) + special.log_expit(z) + special.log_expit(-z) - np.log(scale)
    return inside(z >= 0, value, -np.inf, z)


def halflogistic_cdf(x, loc=0, scale=1):
    return np.tanh(0.5 * np.maximum(standard(x, loc, scale), 0.0))


def halflogistic_sf(x, loc=0, scale=1):
    return 2 * special.expit(-np.maximum(standard(x, loc, scale), 0.0))


def invgauss_logpdf(x, mu, loc=0, scale=1):
    z, mu = standard(x, loc, scale), positive(mu)
    is_within = (z > 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    value = -0.5 * 1.8378770664093453 - 1.5 * np.log(within) - np.log(scale)
    value = value - (within / mu - 1) ** 2 / (2 * within)
    return inside(is_within, value, -np.inf, z + 0 * mu)


def invgauss_cdf(x, mu, loc=0, scale=1):
    return np.exp(invgauss_logcdf(x, mu, loc, scale))


# G. Giner and G. Smyth, "statmod: Probability Calculations for the Inverse Gaussian Distribution"
# (2016).


def invgauss_logcdf(x, mu, loc=0, scale=1):
    z, mu = standard(x, loc, scale), positive(mu)
    is_within = (z > 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    root = np.sqrt(within)
    first = special.log_ndtr((within / mu - 1) / root)
    second = 2 / mu + special.log_ndtr(-(within / mu + 1) / root)
    value = first + np.log1p(np.exp(second - first))
    return inside(is_within, value, np.where(z > 0, 0.0, -np.inf), z + 0 * mu)


def invgauss_sf(x, mu, loc=0, scale=1):
    return np.exp(invgauss_logsf(x, mu, loc, scale))


def invgauss_logsf(x, mu, loc=0, scale=1):
    z, mu = standard(x, loc, scale), positive(mu)
    is_within = (z > 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    root = np.sqrt(within)
    first = special.log_ndtr(-(within / mu - 1) / root)
    second = 2 / mu + special.log_ndtr(-(within / mu + 1) / root)
    value = first + np.log1p(-np.exp(second - first))
    return inside(is_within, value, np.where(z > 0, -np.inf, 0.0), z + 0 * mu)


def wald_logpdf(x, loc=0, scale=1):
    return invgauss_logpdf(x, 1.0, loc, scale)


def wald_logcdf(x, loc=0, scale=1):
    return invgauss_logcdf(x, 1.0, loc, scale)


def wald_cdf(x, loc=0, scale=1):
    return np.exp(invgauss_logcdf(x, 1.0, loc, scale))


def wald_logsf(x, loc=0, scale=1):
    return invgauss_logsf(x, 1.0, loc, scale)


def wald_sf(x, loc=0, scale=1):
    return np.exp(invgauss_logsf(x, 1.0, loc, scale))


def gibrat_logpdf(x, loc=0, scale=1):
    return lognorm_logpdf(x, 1.0, loc, scale)


def gibrat_cdf(x, loc=0, scale=1):
    return lognorm_cdf(x, 1.0, loc, scale)


def gibrat_logcdf(x, loc=0, scale=1):
    return lognorm_logcdf(x, 1.0, loc, scale)


def gibrat_sf(x, loc=0, scale=1):
    return lognorm_sf(x, 1.0, loc, scale)


def gibrat_logsf(x, loc=0, scale=1):
    return lognorm_logsf(x, 1.0, loc, scale)


def levy_logpdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    within = np.where(z > 0, z, 1.0)
    value = -0.5 * (1.8378770664093453 + 1 / within) - 1.5 * np.log(within) - np.log(scale)
    return inside(z > 0, value, -np.inf, z)


def levy_cdf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return inside(z > 0, special.erfc(np.sqrt(0.5 / np.where(z > 0, z, 1.0))), 0.0, z)


def levy_sf(x, loc=0, scale=1):
    z = standard(x, loc, scale)
    return inside(z > 0, special.erf(np.sqrt(0.5 / np.where(z > 0, z, 1.0))), 1.0, z)


def lomax_logpdf(x, c, loc=0, scale=1):
    z, c = standard(x, loc, scale), positive(c)
    value = np.log(c) - (c + 1) * np.log1p(np.where(z >= 0, z, 1.0)) - np.log(scale)
    return inside(z >= 0, value, -np.inf, z + 0 * c)


def lomax_cdf(x, c, loc=0, scale=1):
    return -np.expm1(lomax_logsf(x, c, loc, scale))


def lomax_sf(x, c, loc=0, scale=1):
    return np.exp(lomax_logsf(x, c, loc, scale))


def lomax_logsf(x, c, loc=0, scale=1):
    return -positive(c) * np.log1p(np.maximum(standard(x, loc, scale), 0.0))


def burr12_power(x, c, d, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0) & np.greater(d, 0), scale))
    is_within = (z >= 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    rest = np.log(c) + np.log(d) - np.log(scale) - (d + 1) * np.log1p(within**c)
    return is_within, z, np.subtract(c, 1), within, rest


def burr12_cdf(x, c, d, loc=0, scale=1):
    return -np.expm1(burr12_logsf(x, c, d, loc, scale))


def burr12_sf(x, c, d, loc=0, scale=1):
    return np.exp(burr12_logsf(x, c, d, loc, scale))


def burr12_logsf(x, c, d, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0) & np.greater(d, 0), scale))
    value = -d * np.log1p(np.where(z > 0, z, 1.0) ** c)
    return inside(z > 0, value, 0.0, z)


def burr_power(x, c, d, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0) & np.greater(d, 0), scale))
    is_within = (z >= 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    rest = np.log(c) + np.log(d) - np.log(scale) - (d + 1) * np.log1p(within**c)
    return is_within, z, np.multiply(c, d) - 1, within, rest


def burr_cdf(x, c, d, loc=0, scale=1):
    return np.exp(burr_logcdf(x, c, d, loc, scale))


def burr_sf(x, c, d, loc=0, scale=1):
    return -np.expm1(burr_logcdf(x, c, d, loc, scale))


def burr_logcdf(x, c, d, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0) & np.greater(d, 0), scale))
    value = -d * np.log1p(np.where(z > 0, z, 1.0) ** -c)
    return inside(z > 0, value, -np.inf, z)


def fisk_power(x, c, loc=0, scale=1):
    return burr_power(x, c, 1.0, loc, scale)


def fisk_cdf(x, c, loc=0, scale=1):
    return np.exp(burr_logcdf(x, c, 1.0, loc, scale))


def fisk_logcdf(x, c, loc=0, scale=1):
    return burr_logcdf(x, c, 1.0, loc, scale)


def fisk_sf(x, c, loc=0, scale=1):
    return np.exp(burr12_logsf(x, c, 1.0, loc, scale))


def fisk_logsf(x, c, loc=0, scale=1):
    return burr12_logsf(x, c, 1.0, loc, scale)


def betaprime_power(x, a, b, loc=0, scale=1):
    z, a, b = standard(x, loc, scale), positive(a), positive(b)
    is_within = (z >= 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    rest = -special.xlog1py(a + b, within) - special.betaln(a, b) - np.log(scale)
    return is_within, z + 0 * (a + b), a - 1, within, rest


def betaprime_cdf(x, a, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0) & np.greater(b, 0), scale))
    is_within = (z > 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    value = special.betainc(a, b, within / (1 + within))
    return inside(is_within, value, np.where(z > 0, 1.0, 0.0), z)


def betaprime_sf(x, a, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(a, 0) & np.greater(b, 0), scale))
    is_within = (z > 0) & (z < np.inf)
    within = np.where(is_within, z, 1.0)
    value = special.betainc(b, a, 1 / (1 + within))
    return inside(is_within, value, np.where(z > 0, 0.0, 1.0), z)


def invweibull_logpdf(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    within = np.where(z > 0, z, 1.0)
    value = np.log(c) - (c + 1) * np.log(within) - within**-c - np.log(scale)
    return inside(z > 0, value, -np.inf, z)


def invweibull_cdf(x, c, loc=0, scale=1):
    return np.exp(invweibull_logcdf(x, c, loc, scale))


def invweibull_sf(x, c, loc=0, scale=1):
    return -np.expm1(invweibull_logcdf(x, c, loc, scale))


def invweibull_logcdf(x, c, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater(c, 0), scale))
    return inside(z > 0, -(np.where(z > 0, z, 1.0) ** -c), -np.inf, z)


def loglaplace_logpdf(x, c, loc=0, scale=1):
    z, c = standard(x, loc, scale), positive(c)
    log = np.log(np.where(z > 0, z, 1.0))
    value = np.log(0.5 * c) - log - c * np.abs(log) - np.log(scale)
    return inside(z > 0, value, -np.inf, z + 0 * c)


def loglaplace_cdf(x, c, loc=0, scale=1):
    z, c = standard(x, loc, scale), positive(c)
    log = c * np.log(np.where(z > 0, z, 1.0))
    tail = 0.5 * np.exp(np.where(log > 0, -log, log))
    return inside(z > 0, np.where(log > 0, 1 - tail, tail), 0.0, z + 0 * c)


def loglaplace_sf(x, c, loc=0, scale=1):
    z, c = standard(x, loc, scale), positive(c)
    log = c * np.log(np.where(z > 0, z, 1.0))
    tail = 0.5 * np.exp(np.where(log > 0, -log, log))
    return inside(z > 0, np.where(log > 0, tail, 1 - tail), 1.0, z + 0 * c)


def rice_power(x, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater_equal(b, 0), scale))
    within = np.where(z >= 0, z, 1.0)
    rest = np.log(special.i0e(within * b)) - 0.5 * (within - b) ** 2 - np.log(scale)
    return z >= 0, z, 1.0, within, rest


def rice_cdf(x, b, loc=0, scale=1):
    z = standard(x, loc, scale_if(np.greater_equal(b, 0), scale))
    return inside(z > 0, rice_probability(np.where(z > 0, z, 1.0), b), 0.0, z)


def rice_sf(x, b, loc=0, scale=1):
    return 1 - rice_cdf(x, b, loc, scale)


def rice_probability(z, b):
    """By the noncentral distribution of chi-squared; its slopes are those of Marcum's function."""
    return special.chndtr(z * z, 2, np.multiply(b, b))


@adjoint(rice_probability)
def rice_probability_rule(z, b):
    def back(bar):
        bell = z * np.exp(-0.5 * np.subtract(z, b) ** 2)
        return (
            unbroadcast(bar * bell * special.i0e(z * b), z),
            unbroadcast(-bar * bell * special.i1e(z * b), b),
        )

    return rice_probability(z, b), back


facts.total(rice_probability)
facts.fresh(rice_probability)
facts.result(rice_probability)(elementwise(special.xlogy, 2))


def genpareto_logpdf(x, c, loc=0, scale=1):
    is_within, log, z = box_of_tail(x, c, loc, scale)
    is_end = np.equal(c, -1) & np.equal(z, 1)  # of a uniform distribution
    return inside(is_within | is_end, -(c + 1) * log - np.log(scale), -np.inf, z)


def genpareto_cdf(x, c, loc=0, scale=1):
    return -np.expm1(genpareto_logsf(x, c, loc, scale))


def genpareto_sf(x, c, loc=0, scale=1):
    return np.exp(genpareto_logsf(x, c, loc, scale))


def genpareto_logsf(x, c, loc=0, scale=1):
    is_within, log, z = box_of_tail(x, c, loc, scale)
    return inside(is_within, -log, np.where(z > 0, -np.inf, 0.0), z)


def box_of_tail(x, c, loc, scale):
    """`log1p(c z) / c` where that is defined, with its limit `z` and all slopes at `c = 0`."""
    z = standard(x, loc, scale_if(np.isfinite(c), scale))
    is_within = (z >= 0) & (c * z > -1) & (z < np.inf)
    return is_within, log1p_over(c, np.where(is_within, z, 0.0)), z


def log1p_over(c, z):
    """`log1p(c z) / c`; a hypergeometric function (DLMF 15.4.1) close to `c z = 0`."""
    product = c * z
    is_near = np.less(np.abs(product), 0.1)
    series = z * special.hyp2f1(1.0, 1.0, 2.0, -np.where(is_near, product, 0.0))
    far = np.log1p(np.where(is_near, 1.0, product)) / np.where(is_near, 1.0, c)
    return np.where(is_near, series, far)
