"""Masses and distribution functions of counts: formulas that stand for methods of `scipy.stats`.

    poisson_logpmf(k, mu, loc)        log of the probability of `k` events

As in SciPy, parameters for which there is no distribution give NaN. Source: N. Johnson, A. Kemp and
S. Kotz, "Univariate Discrete Distributions" (2005).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from zyg.rules.stats_formulas import inside, positive


def poisson_power(k, mu, loc=0):
    k, mu = np.subtract(k, loc), np.where(np.greater_equal(mu, 0), mu, np.nan)
    is_count = (k >= 0) & (k == np.floor(k))
    count = np.where(is_count, k, 0.0)
    return is_count, k + 0 * mu, count, mu, -special.gammaln(count + 1) - mu


def poisson_cdf(k, mu, loc=0):
    k, mu = np.floor(np.subtract(k, loc)), np.where(np.greater_equal(mu, 0), mu, np.nan)
    return inside(k >= 0, special.gammaincc(np.maximum(k, 0.0) + 1, mu), 0.0, k + 0 * mu)


def poisson_sf(k, mu, loc=0):
    k, mu = np.floor(np.subtract(k, loc)), np.where(np.greater_equal(mu, 0), mu, np.nan)
    return inside(k >= 0, special.gammainc(np.maximum(k, 0.0) + 1, mu), 1.0, k + 0 * mu)


def probability(p):
    return np.where(np.greater_equal(p, 0) & np.less_equal(p, 1), p, np.nan)


def probability_of_each(n, p):
    """The probability in each of `n` trials, and NaN where that is no number of trials."""
    is_number = np.greater_equal(n, 0) & np.equal(n, np.floor(n))
    return np.where(is_number, probability(p), np.nan)


def binom_power(k, n, p, loc=0):
    k, p = np.subtract(k, loc), probability_of_each(n, p)
    is_count = (k >= 0) & (k <= n) & (k == np.floor(k))
    count = np.where(is_count, k, 0.0)
    rest = np.subtract(n, count)
    choices = special.gammaln(np.add(n, 1)) - special.gammaln(count + 1) - special.gammaln(rest + 1)
    return is_count, k + 0 * p, count, p, choices, rest


# A distribution function is defined for whole numbers `n` only: `floor` leaves no gradient in them.


def binom_cdf(k, n, p, loc=0):
    k, p, n = np.floor(np.subtract(k, loc)), probability_of_each(n, p), np.floor(n)
    count = np.clip(k, 0.0, n - 1.0)
    value = special.betainc(n - count, count + 1, 1 - p)
    return inside((k >= 0) & (k < n), value, np.where(k < 0, 0.0, 1.0), k + 0 * p)


def binom_sf(k, n, p, loc=0):
    k, p, n = np.floor(np.subtract(k, loc)), probability_of_each(n, p), np.floor(n)
    count = np.clip(k, 0.0, n - 1.0)
    value = special.betainc(count + 1, n - count, p)
    return inside((k >= 0) & (k < n), value, np.where(k < 0, 1.0, 0.0), k + 0 * p)


def bernoulli_power(k, p, loc=0):
    return binom_power(k, 1, p, loc)


def bernoulli_cdf(k, p, loc=0):
    return binom_cdf(k, 1, p, loc)


def bernoulli_sf(k, p, loc=0):
    return binom_sf(k, 1, p, loc)


def geom_power(k, p, loc=0):
    k, p = np.subtract(k, loc), positive(probability(p))
    is_count = (k >= 1) & (k == np.floor(k))
    return is_count, k + 0 * p, 1.0, p, 0.0, np.where(is_count, k, 1.0) - 1


def geom_cdf(k, p, loc=0):
    return -np.expm1(geom_logsf(k, p, loc))


def geom_sf(k, p, loc=0):
    return np.exp(geom_logsf(k, p, loc))


def geom_logsf(k, p, loc=0):
    k, p = np.floor(np.subtract(k, loc)), positive(probability(p))
    return special.xlog1py(np.maximum(k, 0.0), -p)


def probability_with(n, p):
    return np.where(np.greater(n, 0), positive(probability(p)), np.nan)


def nbinom_power(k, n, p, loc=0):
    k, p = np.subtract(k, loc), probability_with(n, p)
    is_count = (k >= 0) & (k == np.floor(k))
    count = np.where(is_count, k, 0.0)
    choices = special.gammaln(np.add(n, count)) - special.gammaln(count + 1) - special.gammaln(n)
    return is_count, k + 0 * p, np.multiply(n, 1.0), p, choices, count


def nbinom_cdf(k, n, p, loc=0):
    k, p = np.floor(np.subtract(k, loc)), probability_with(n, p)
    value = special.betainc(np.asarray(n), np.maximum(k, 0.0) + 1, p)
    return inside(k >= 0, value, 0.0, k + 0 * p)


def nbinom_sf(k, n, p, loc=0):
    k, p = np.floor(np.subtract(k, loc)), probability_with(n, p)
    value = special.betainc(np.maximum(k, 0.0) + 1, np.asarray(n), 1 - p)
    return inside(k >= 0, value, 1.0, k + 0 * p)


def betabinom_logpmf(k, n, a, b, loc=0):
    k, a, b = np.subtract(k, loc), positive(a), positive(b)
    is_count = (k >= 0) & (k <= n) & (k == np.floor(k))
    count = np.where(is_count, k, 0.0)
    rest = np.subtract(n, count)
    value = special.betaln(count + a, rest + b) - special.betaln(a, b)
    value = value - np.log(np.add(n, 1.0)) - special.betaln(rest + 1, count + 1)
    return inside(is_count, value, -np.inf, k + 0 * (a + b))


def betanbinom_logpmf(k, n, a, b, loc=0):
    k, a, b = np.subtract(k, loc), positive(a), positive(b)
    is_count = (k >= 0) & (k == np.floor(k))
    count = np.where(is_count, k, 0.0)
    value = special.betaln(np.add(a, n), b + count) - special.betaln(a, b)
    value = value - np.log(np.add(n, count)) - special.betaln(np.add(n, 0.0), count + 1)
    return inside(is_count, value, -np.inf, k + 0 * (a + b))


def logser_logpmf(k, p, loc=0):
    k, p = np.subtract(k, loc), np.where(np.greater(p, 0) & np.less(p, 1), p, np.nan)
    is_count = (k >= 1) & (k == np.floor(k))
    count = np.where(is_count, k, 1.0)
    value = count * np.log(p) - np.log(count) - np.log(-np.log1p(-p))
    return inside(is_count, value, -np.inf, k + 0 * p)


def zipf_logpmf(k, a, loc=0):
    k, a = np.subtract(k, loc), np.where(np.greater(a, 1), a, np.nan)
    is_count = (k >= 1) & (k == np.floor(k))
    value = -a * np.log(np.where(is_count, k, 1.0)) - np.log(special.zeta(a, 1.0))
    return inside(is_count, value, -np.inf, k + 0 * a)


def hypergeom_logpmf(k, M, n, N, loc=0):
    """Of `M` objects `n` are of one kind, and `N` are drawn."""
    k, of = np.subtract(k, loc), np.where(are_numbers_of_draws(M, n, N), 0.0, np.nan)
    least, most = np.maximum(0, np.add(N, n) - M), np.minimum(n, N)
    is_count = (k >= least) & (k <= most) & (k == np.floor(k)) & (of == 0)
    count = np.where(is_count, k, 1.0 * least)
    others, left = np.subtract(M, n), np.subtract(N, count)
    value = special.betaln(np.add(n, 1), 1) + special.betaln(others + 1, 1)
    value = value + special.betaln(np.subtract(M, N) + 1, np.add(N, 1))
    value = value - special.betaln(count + 1, np.subtract(n, count) + 1)
    value = value - special.betaln(left + 1, others - left + 1) - special.betaln(np.add(M, 1), 1)
    return inside(is_count, value, -np.inf, k + of)


def are_numbers_of_draws(M, n, N):
    are_whole = (np.floor(M) == M) & (np.floor(n) == n) & (np.floor(N) == N)
    return are_whole & np.greater_equal(M, np.maximum(n, N)) & (np.minimum(n, N) >= 0)


def planck_logpmf(k, lambda_, loc=0):
    k, rate = np.subtract(k, loc), positive(lambda_)
    is_count = (k >= 0) & (k == np.floor(k))
    value = np.log(-np.expm1(-rate)) - rate * np.where(is_count, k, 0.0)
    return inside(is_count, value, -np.inf, k + 0 * rate)


def planck_cdf(k, lambda_, loc=0):
    return -np.expm1(planck_logsf(k, lambda_, loc))


def planck_sf(k, lambda_, loc=0):
    return np.exp(planck_logsf(k, lambda_, loc))


def planck_logsf(k, lambda_, loc=0):
    k = np.floor(np.subtract(k, loc))
    return -positive(lambda_) * np.maximum(k + 1, 0.0)


def dlaplace_logpmf(k, a, loc=0):
    k, a = np.subtract(k, loc), positive(a)
    value = np.log(np.tanh(0.5 * a)) - a * np.abs(k)
    return inside(k == np.floor(k), value, -np.inf, k + 0 * a)


def yulesimon_logpmf(k, alpha, loc=0):
    k, alpha = np.subtract(k, loc), positive(alpha)
    is_count = (k >= 1) & (k == np.floor(k))
    value = np.log(alpha) + special.betaln(np.where(is_count, k, 1.0), alpha + 1)
    return inside(is_count, value, -np.inf, k + 0 * alpha)


def skellam_logpmf(k, mu1, mu2, loc=0):
    """By a Bessel function (J. Skellam, 1946), scaled against overflow."""
    k, first, second = np.subtract(k, loc), positive(mu1), positive(mu2)
    is_count = k == np.floor(k)
    count = np.where(is_count, k, 0.0).astype(int)
    product = 2 * np.sqrt(first * second)
    value = np.log(special.ive(np.abs(count), product)) + product - first - second
    value = value + 0.5 * count * (np.log(first) - np.log(second))
    return inside(is_count, value, -np.inf, k + 0 * (first + second))
