"""Distributions of `scipy.stats`: values as SciPy has them, gradients by differences."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from zyg.rules import registry

pytest.importorskip("scipy")

from scipy import stats

from tests.rule_row import Options, cases, real, signed
from tests.scipy_check import check_row

registry.register_imported()

ANYWHERE = {"norm": (), "t": (3,), "cauchy": (), "laplace": (), "logistic": ()}
POSITIVE = {
    "expon": (), "gamma": (2,), "chi2": (3,), "beta": (2, 3), "uniform": (), "lognorm": (0.7,),
}
COUNTS = {"poisson": (1.3,), "binom": (4, 0.3)}
# Distribution functions have no derivatives in these parameters of shape.
FIXED = ("t", "gamma", "chi2", "beta")
METHODS = ("cdf", "sf", "logcdf", "logsf")
K = np.array([0, 1, 3])


def method_of(name, method, shapes):
    """A method, and the parameters of shape in which it is differentiated."""
    f = getattr(getattr(stats, name), method)
    if method in METHODS and name in FIXED:
        return with_shapes(f, shapes), ()
    return f, tuple(map(float, shapes))


def with_shapes(f, shapes):
    def fixed(x, loc=0.0, scale=1.0):
        return f(x, *shapes, loc, scale)

    fixed.__qualname__ = f"{f.__self__.name}.{f.__name__}"
    return fixed


def continuous():
    for name, shapes in ANYWHERE.items():
        for method in ("pdf", "logpdf", *METHODS):
            f, floats = method_of(name, method, shapes)
            yield from cases(f, (signed(2, 3), *floats, signed(3), real(2, 1)))
            yield from cases(f, (0.4, *floats), (signed(3), *floats, 0.2, 1.3))
            yield from cases(f, (signed(3), *floats, Options(scale=0.7)))
    for name, shapes in POSITIVE.items():
        for method in ("pdf", "logpdf", *(METHODS if name != "chi2" else ())):
            f, floats = method_of(name, method, shapes)
            yield from cases(f, (real(2, 3), *floats, -real(3), 2 * real(2, 1) + 1))
            yield from cases(f, (0.4, *floats), (real(3), *floats, Options(loc=-0.1, scale=2.3)))


def discrete():
    for method in ("pmf", "logpmf", *METHODS):
        for k in (K, 1):
            poisson, binom = getattr(stats.poisson, method), getattr(stats.binom, method)
            yield from cases(partial(poisson, k), (1.3,), (real(2, 1),))
            yield from cases(partial(binom, k, 4), (0.3,), (real(2, 1),))


def partial(f, *first):
    def called(p):
        return f(*first, p)

    called.__qualname__ = f"{f.__self__.name}.{f.__name__}"
    return called


def vectors():
    cov = np.array([[1.0, 0.2], [0.2, 0.5]])
    for method in ("logpdf", "pdf"):
        yield from cases(
            getattr(stats.multivariate_normal, method),
            *((signed(2), signed(2), cov), (signed(4, 2), signed(2), cov), (signed(2), None, cov)),
            *((signed(2), signed(2), real(2)), (signed(3, 2), signed(2), 0.7), (0.3, 0.1, 0.8)),
        )


@pytest.mark.parametrize("row", [*continuous(), *discrete(), *vectors()], ids=str)
def test_method(row):
    check_row(row)


EDGES = np.array([-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, np.inf, np.nan])


@pytest.mark.parametrize("name", [*ANYWHERE, *POSITIVE])
@pytest.mark.parametrize("method", ["pdf", "logpdf", *METHODS])
@pytest.mark.parametrize("scale", [1.0, -1.0])
@pytest.mark.filterwarnings("ignore")
def test_edges(name, method, scale):
    shapes = {**ANYWHERE, **POSITIVE}[name]
    f = getattr(getattr(stats, name), method)
    y, _ = zyg.pullback(lambda x: f(x, *shapes, scale=scale), EDGES)
    np.testing.assert_allclose(y, f(EDGES, *shapes, scale=scale), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("method", ["pmf", "logpmf", *METHODS])
@pytest.mark.filterwarnings("ignore")
def test_edges_of_counts(name, method):
    *others, p = COUNTS[name]
    k = np.array([-1.0, 0.0, 0.5, 2.0, 4.0, 5.0])
    f = getattr(getattr(stats, name), method)
    y, _ = zyg.pullback(lambda p: f(k, *others, p), p)
    np.testing.assert_allclose(y, f(k, *others, p), rtol=1e-11, atol=1e-300)


def test_outside_of_the_support_the_gradient_is_finite():
    (bar,) = zyg.gradient(lambda x: np.sum(stats.gamma.pdf(x, 2.5)), np.array([-1.0, 0.5]))
    assert bar[0] == 0 and np.isfinite(bar[1])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(stats.norm.logpdf(x, x[0], x[1])),
        lambda x: np.sum(stats.gamma.logpdf(x, x[0], scale=x[1])),
        lambda x: np.sum(stats.t.logpdf(x, x[0])) + np.sum(stats.beta.logpdf(0.3, x, x[0])),
        lambda x: np.sum(stats.norm.logcdf(x)) + np.sum(stats.logistic.logsf(x)),
        lambda x: np.sum(stats.poisson.logpmf(K, x)) + np.sum(stats.gamma.cdf(x, 2)),
        lambda x: stats.multivariate_normal.logpdf(x, x * x, np.diag(x)),
    ],
)
def test_second_order(f):
    zyg.check_grads(f, np.array([0.4, 0.9, 0.6]))


def test_chi2():
    zyg.check_grads(lambda x: np.sum(stats.chi2.cdf(x, 3)), np.array([0.4, 1.9]), order=1)
    zyg.check_grads(lambda x: np.sum(stats.chi2.logsf(x, 2.5)), np.array([0.4, 1.9]), order=1)


@pytest.mark.parametrize("method", ["pdf", "logpdf", *METHODS])
def test_frozen(method):
    def frozen(x, mu, sigma):
        return np.sum(getattr(stats.norm(mu, scale=sigma), method)(x))

    def plain(x, mu, sigma):
        return np.sum(getattr(stats.norm, method)(x, mu, sigma))

    args = np.array([0.3, -0.4]), 0.2, 1.3
    for bar, expected in zip(zyg.gradient(frozen, *args), zyg.gradient(plain, *args), strict=True):
        np.testing.assert_allclose(bar, expected, rtol=1e-12)
    outside = stats.norm(0.2, 1.3)
    (bar,) = zyg.gradient(lambda x: np.sum(getattr(outside, method)(x)), args[0])
    np.testing.assert_allclose(bar, zyg.gradient(plain, *args)[0], rtol=1e-12)


def test_frozen_counts():
    bars = zyg.gradient(lambda n, p: np.sum(stats.binom(n, p).logpmf(K)), 4, 0.3)
    expected = zyg.gradient(lambda p: np.sum(stats.binom.logpmf(K, 4, p)), 0.3)
    np.testing.assert_allclose(bars[1], expected[0])


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: stats.weibull_min.logpdf(x, 1.5), "weibull_min.logpdf has no rule"),
        (lambda x: stats.norm.ppf(0.3, x), "rv_continuous.ppf has no rule"),
        (lambda x: stats.norm(x).mean(), "rv_frozen.mean has no rule"),
        (lambda x: stats.gamma.cdf(0.3, x), "no derivative in `a`"),
        (lambda x: stats.ttest_1samp([x, 2 * x], 0.0)[0], "ttest_1samp has no rule"),
        (lambda x: stats.gaussian_kde([x, 2.0, 3.0])(1.0)[0], "gaussian_kde has no rule"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, 1.4)
