"""Distributions of `scipy.stats`: values as SciPy has them, gradients by differences."""

from __future__ import annotations

import numpy as np
import pytest

import zyg
from zyg import tape, tracker
from zyg.rules import registry

pytest.importorskip("scipy")

from scipy import stats

from tests.rule_rows_stats import (
    ANYWHERE,
    COUNTS,
    METHODS,
    POSITIVE,
    K,
    continuous,
    discrete,
    vectors,
)
from tests.scipy_check import check_row

registry.register_imported()


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
    # Before 1.12, SciPy's `nbinom.logcdf` takes arrays of parameters only.
    parameters = [np.full(k.shape, value) for value in (*others, p)]
    np.testing.assert_allclose(y, f(k, *parameters), rtol=1e-11, atol=1e-300)


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


def test_truncated_normal_far_from_its_center():
    zyg.check_grads(lambda a: stats.truncnorm.logpdf(12.3, a, 14.0), 12.0)
    zyg.check_grads(lambda b: stats.truncnorm.logcdf(-12.3, -14.0, b), -12.0)
    y, _ = zyg.pullback(lambda a: stats.truncnorm.logpdf(12.3, a, np.inf), 12.0)
    np.testing.assert_allclose(y, stats.truncnorm.logpdf(12.3, 12.0, np.inf), rtol=1e-12)


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


NORMAL, SHARES = stats.multivariate_normal([0.1, 0.3], 2.0), stats.dirichlet([1.5, 2.0])
STUDENTS, DRAWN = stats.multivariate_t([0.1, 0.3], df=4), stats.multinomial(5, [0.2, 0.8])


@pytest.mark.parametrize(
    ("frozen", "plain"),
    [
        (
            lambda x: stats.multivariate_normal(x, np.diag(x)).logpdf(x * x),
            lambda x: stats.multivariate_normal.logpdf(x * x, x, np.diag(x)),
        ),
        (
            lambda x: stats.multivariate_normal(cov=np.diag(x)).pdf(x) * NORMAL.logpdf(x)
            * NORMAL.pdf(x),
            lambda x: stats.multivariate_normal.pdf(x, None, np.diag(x))
            * stats.multivariate_normal.logpdf(x, [0.1, 0.3], 2.0)
            * stats.multivariate_normal.pdf(x, [0.1, 0.3], 2.0),
        ),
        (
            lambda x: np.sum(stats.multivariate_normal(mean=x[0]).logpdf(x)),
            lambda x: np.sum(stats.norm.logpdf(x, x[0])),
        ),
        (
            lambda x: stats.multivariate_t(x, df=x[0]).logpdf([0, 1]) + STUDENTS.pdf(x),
            lambda x: stats.multivariate_t.logpdf([0, 1], x, df=x[0])
            + stats.multivariate_t.pdf(x, [0.1, 0.3], df=4),
        ),
        (
            lambda x: stats.dirichlet(x).logpdf([0.3, 0.7]) * SHARES.pdf([x[0], 1 - x[0]]),
            lambda x: stats.dirichlet.logpdf([0.3, 0.7], x)
            * stats.dirichlet.pdf([x[0], 1 - x[0]], [1.5, 2.0]),
        ),
        (
            lambda x: stats.multinomial(5, [x[0], 1 - x[0]]).logpmf([2, 3]) * DRAWN.pmf([1, 4]),
            lambda x: stats.multinomial.logpmf([2, 3], 5, [x[0], 1 - x[0]])
            * stats.multinomial.pmf([1, 4], 5, [0.2, 0.8]),
        ),
    ],
)
def test_frozen_distributions_of_vectors(frozen, plain):
    x, direction = np.array([0.4, 0.7]), np.array([1.0, -0.5])
    expected = zyg.gradient(plain, x)[0]
    np.testing.assert_allclose(zyg.gradient(frozen, x)[0], expected, rtol=1e-12)
    np.testing.assert_allclose(zyg.jvp(frozen, (x,), (direction,))[1], expected @ direction)
    np.testing.assert_allclose(frozen(x), zyg.pullback(frozen, x)[0], rtol=1e-12)


def test_parameters_of_frozen_distributions_of_vectors():
    def f(x):
        normal = stats.multivariate_normal(x, np.eye(2))
        return normal.mean[0] * normal.cov[1, 1] * NORMAL.mean[1] * NORMAL.entropy()

    bar = zyg.gradient(f, np.array([0.4, 0.7]))[0]
    np.testing.assert_allclose(bar, [0.3 * NORMAL.entropy(), 0.0])
    with pytest.raises(zyg.NotDifferentiable, match="cdf has no rule"):
        zyg.gradient(lambda x: stats.multivariate_normal(x, np.eye(2)).cdf(x), np.ones(2))


@pytest.mark.parametrize("cov", [[[1.0, 0.2], [0.2, 2.0]], [1.0, 2.0]])
def test_vectors_and_their_means_may_be_lists(cov):
    zyg.check_grads(
        lambda a, b: stats.multivariate_normal.logpdf([a, b], [b, 0.5], cov), 0.4, 0.7, order=1
    )
    zyg.check_grads(
        lambda a, b: stats.multivariate_t.logpdf([a, b], [b, 0.5], cov, 3.0), 0.4, 0.7, order=1
    )


@pytest.mark.parametrize("method", ["logpdf", "pdf", "cdf", "ppf", "logsf"])
def test_tangents_of_frozen(method):
    def f(x, mu, sigma):
        return getattr(stats.norm(mu, scale=sigma), method)(x)

    def g(k, mu):
        return stats.poisson(mu).logpmf(k)

    args, dots = (np.array([0.3, 0.7]), 0.4, 1.2), (np.array([1.0, -0.5]), 0.5, 2.0)
    bars = zyg.gradient(lambda *args: np.sum(f(*args)), *args)
    y_dot = zyg.jvp(f, args, dots)[1]
    expected = sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))
    np.testing.assert_allclose(np.sum(y_dot), expected)
    np.testing.assert_allclose(zyg.jvp(g, (3, 1.5), (0, 1.0))[1], 3 / 1.5 - 1)


def test_frozen_counts():
    bars = zyg.gradient(lambda n, p: np.sum(stats.binom(n, p).logpmf(K)), 4, 0.3)
    expected = zyg.gradient(lambda p: np.sum(stats.binom.logpmf(K, 4, p)), 0.3)
    np.testing.assert_allclose(bars[1], expected[0])


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: stats.ncx2.logpdf(x, 1.5, 2.0), "ncx2.logpdf has no rule"),
        (lambda x: stats.poisson.ppf(0.3, x), "rv_discrete.ppf has no rule"),
        (lambda x: stats.norm(x).mean(), "rv_frozen.mean has no rule"),
        (lambda x: stats.gamma.cdf(0.3, x), "no derivative in `a`"),
        (lambda x: stats.ttest_1samp([x, 2 * x], 0.0)[0], "ttest_1samp has no rule"),
        (lambda x: stats.gaussian_kde([x, 2.0, 3.0])(1.0)[0], "gaussian_kde has no rule"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, 1.4)


def density(call, frozen):
    """The same log-density by the method of a distribution, or of a frozen one."""

    def program(x, mu, sigma):
        if frozen:
            return np.sum(call(stats.norm(mu, scale=sigma).logpdf, x))
        return np.sum(call(stats.norm.logpdf, x, mu, sigma))

    return program


@pytest.mark.parametrize("frozen", [False, True])
def test_methods_are_recorded_by_tracker_and_tape(frozen):
    args = np.array([0.3, -0.4]), 0.2, 1.3
    expected = zyg.gradient(density(lambda f, *xs: f(*xs), frozen), *args)
    by_tracker = tracker.gradient(density(tracker.track, frozen), *args)
    by_tape = tape.gradient(density(tape.record, frozen), *args)
    for found in (map(tracker.data, by_tracker), by_tape):
        for bar, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(bar, other, rtol=1e-12)
    x = args[0]
    (bar,) = tape.gradient(lambda m: np.sum(tape.record(stats.norm(m, 1.3).logpdf, x)), 0.2)
    np.testing.assert_allclose(bar, expected[1], rtol=1e-12)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (stats.norm.logpdf, r"call it by NAME\(norm.logpdf, ...\)"),
        (stats.norm(0.0, 1.0).cdf, r"call it by NAME\(norm\(...\).cdf, ...\)"),
        (stats.norm.entropy, r"call it by NAME\(norm.entropy, ...\)"),
    ],
)
def test_plain_calls_on_wrappers_say_how_to_record_them(method, message):
    with pytest.raises(zyg.NotDifferentiable, match=message.replace("NAME", "tracker.track")):
        tracker.gradient(method, 0.4)
    with pytest.raises(zyg.NotDifferentiable, match=message.replace("NAME", "tape.record")):
        tape.gradient(method, 0.4)


@pytest.mark.parametrize(
    "program",
    [
        lambda m: np.sum(stats.norm.logpdf([0.1, 2.0, 3.0], m, 1.0)),
        lambda m: np.sum(stats.norm.cdf([0.1, 2.0], [m, 1.0], [1.0, m])),
        lambda m: np.sum(stats.gamma.pdf([0.1, 2.0], m)),
        lambda m: np.sum(stats.poisson.logpmf([0, 2, 3], m)),
        lambda m: np.sum(stats.binom.pmf([0, 2, 3], 5, m)),
        lambda m: np.sum(stats.norm(m, 1.0).logpdf([0.1, 2.0])),
    ],
)
def test_places_and_parameters_in_lists(program):
    zyg.check_grads(program, 0.7, order=1)


def test_slope_of_the_laplace_distribution_at_its_median():
    for x in (0.3, np.array([0.3, 0.4])):
        value, slope = 0.5 * np.ones_like(x), stats.laplace.pdf(x, x, 1.7)
        for method, sign in ((stats.laplace.cdf, 1), (stats.laplace.sf, -1)):
            y, back = zyg.pullback(method, x, x, 1.7)
            np.testing.assert_allclose(y, value)
            np.testing.assert_allclose(back(np.ones_like(x))[0], sign * slope)


IMPOSSIBLE = {
    "gamma": [(0.0,), (-1.0,)], "invgamma": [(0.0,), (-1.0,)], "chi2": [(0.0,)], "t": [(-1.0,)],
    "truncnorm": [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0)],
    "binom": [(-1, 0.3), (2.5, 0.3), (3, 1.3)], "geom": [(0.0,)], "nbinom": [(0, 0.3), (2, 0.0)],
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.filterwarnings("ignore")
def test_without_a_distribution_all_is_nan(name):
    distribution = getattr(stats, name)
    for shapes in IMPOSSIBLE[name]:
        for method in ("pdf" if hasattr(distribution, "pdf") else "pmf", "cdf", "sf"):
            f = getattr(distribution, method)
            y, _ = zyg.pullback(lambda x, f=f, shapes=shapes: f(x, *shapes), np.arange(4.0))
            assert np.all(np.isnan(y)), (shapes, method)


@pytest.mark.parametrize("method", [stats.lognorm.logsf, stats.lognorm.logcdf])
def test_tails_of_the_lognormal_distribution(method):
    x = 1e30 if method.__name__ == "logsf" else 1e-30
    y, back = zyg.pullback(method, x, 0.7)
    np.testing.assert_allclose(y, method(x, 0.7), rtol=1e-13)
    slope = (method(x * (1 + 1e-5), 0.7) - method(x * (1 - 1e-5), 0.7)) / (2e-5 * x)
    np.testing.assert_allclose(back(1.0)[0], slope, rtol=1e-5)


@pytest.mark.parametrize("df", [1e8, 1e14, 1e300, np.inf])
def test_many_degrees_of_freedom(df):
    y, back = zyg.pullback(stats.t.logpdf, 0.5, df)
    # SciPy's own value of 1e300 is wrong in its last digits.
    expected = stats.t.logpdf(0.5, df) if df < 1e100 else stats.norm.logpdf(0.5)
    np.testing.assert_allclose(y, expected, rtol=1e-14)
    np.testing.assert_allclose(back(1.0)[0], -0.5, rtol=1e-7)
    (slope,) = zyg.gradient(lambda x: stats.t.cdf(x, df), 0.5)
    np.testing.assert_allclose(slope, stats.norm.pdf(0.5), rtol=1e-7)


def test_a_truncated_normal_distribution_with_an_open_end():
    zyg.check_grads(lambda m: stats.truncnorm.logpdf(0.3, -np.inf, 2.0 - m, m), 0.2)
    (bar,) = zyg.gradient(lambda m: stats.truncnorm.logpdf(0.3, -np.inf - m, 2.0 - m, m), 0.2)
    (same,) = zyg.gradient(lambda m: stats.truncnorm.logpdf(0.3, -1e9, 2.0 - m, m), 0.2)
    assert bar == same


@pytest.mark.parametrize("method", [stats.gumbel_l.logcdf, stats.gumbel_r.logsf])
def test_probabilities_that_are_nearly_one(method):
    sign = 1 if method.__name__ == "logcdf" else -1
    for x in (-50.0, 3.0, 4.0, 6.0):
        y, back = zyg.pullback(method, sign * x)
        rest = np.exp(-np.exp(x))
        value, slope = (x, 1.0) if x < 0 else (np.log1p(-rest), np.exp(x) * rest / (1 - rest))
        np.testing.assert_allclose([y, back(1.0)[0]], [value, sign * slope], rtol=1e-12)


@pytest.mark.parametrize("method", ["pmf", "logpmf", "cdf", "sf"])
def test_counts_in_lists(method):
    for distribution in (stats.binom, stats.nbinom):
        f = getattr(distribution, method)
        zyg.check_grads(lambda p, f=f: f([0, 1, 3], [4, 5, 6], p), 0.3, order=1)
        zyg.check_grads(lambda p, f=f: f(2, [4, 5, 6], p), np.array([[0.3], [0.4]]), order=1)


@pytest.mark.parametrize("method", ["ppf", "isf"])
@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("norm", ()), ("expon", ()), ("uniform", ()), ("lognorm", (0.8,)),
        ("cauchy", ()), ("laplace", ()), ("logistic", ()), ("weibull_min", (1.4,)),
        ("rayleigh", ()), ("halfnorm", ()), ("pareto", (1.8,)), ("gumbel_r", ()), ("gumbel_l", ()),
        ("truncnorm", (-0.5, 1.5)),
    ],
)
def test_quantiles(name, shapes, method):
    quantile = getattr(getattr(stats, name), method)
    q, loc, scale = np.array([[0.3, 0.7], [1e-3, 0.55]]), np.array([0.1, -0.4]), 1.3
    zyg.check_grads(lambda q, loc, scale: quantile(q, *shapes, loc, scale), q, loc, scale, order=1)
    np.testing.assert_array_equal(zyg.pullback(quantile, q, *shapes)[0], quantile(q, *shapes))


def test_quantiles_of_shapes_and_of_frozen_distributions():
    q = np.array([0.3, 0.7])
    zyg.check_grads(lambda q, mu, sigma: stats.norm.ppf(q, mu, sigma), q, 0.3, 1.2)
    zyg.check_grads(lambda q, mu, scale: stats.gumbel_r.isf(q, mu, scale=scale), q, 0.3, 1.2)
    zyg.check_grads(lambda q, scale: stats.gamma.ppf(q, 1.5, scale=scale), q, 1.2)
    zyg.check_grads(lambda s: stats.lognorm.ppf(0.3, s), 0.8)
    zyg.check_grads(lambda c: stats.weibull_min.isf(0.3, c), 1.8)
    zyg.check_grads(lambda q, mu: stats.norm(mu, 2.0).ppf(q), 0.3, 0.1, order=1)
    ends = np.array([0.0, 1.0, 0.5])
    y, _ = zyg.pullback(stats.norm.ppf, ends)
    np.testing.assert_array_equal(y, stats.norm.ppf(ends))


@pytest.mark.parametrize("method", ["pdf", "cdf", "sf"])
def test_densities_and_probabilities_are_flat_at_infinity(method):
    f = {
        "pdf": lambda x, mu, sigma: stats.norm.pdf(x, mu, sigma),
        "cdf": lambda x, mu, sigma: stats.norm.cdf(x, mu, sigma),
        "sf": lambda x, mu, sigma: stats.norm.sf(x, mu, sigma),
    }[method]
    ends, inner = np.array([np.inf, -np.inf, 0.3]), np.array([0.3])
    for of in (zyg.gradient, lambda f, *xs: zyg.gradient(zyg.grad(lambda *xs: f(*xs), 1), *xs)):
        x_bar, *bars = of(lambda *xs: np.sum(f(*xs)), ends, 0.1, 1.2)
        (inner_bar,), *expected = of(lambda *xs: np.sum(f(*xs)), inner, 0.1, 1.2)
        np.testing.assert_array_equal(x_bar, [0.0, 0.0, inner_bar])
        assert bars == expected
    dots = np.ones(3), 1.0, 1.0
    _, y_dot = zyg.jvp(f, (ends, 0.1, 1.2), dots)
    assert y_dot[:2].tolist() == [0.0, 0.0]
    assert np.isfinite(y_dot[2])


AT_0 = [
    *[("gamma", (a,)) for a in (1.0, 2.0, 3.0)], *[("chi2", (df,)) for df in (2.0, 4.0, 6.0)],
    *[("beta", shapes) for shapes in ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (2.0, 3.0))],
    *[("weibull_min", (c,)) for c in (1.0, 2.0)], ("burr12", (1.0, 2.0)), ("burr", (1.0, 2.0)),
    ("f", (2.0, 3.0)), ("f", (4.0, 3.0)), ("chi", (1.0,)), ("chi", (2.0,)), ("nakagami", (0.5,)),
    ("nakagami", (1.0,)), ("maxwell", ()), ("rayleigh", ()), ("powerlaw", (2.0,)), ("rice", (0.8,)),
    ("fisk", (1.0,)), ("fisk", (2.0,)), ("triang", (0.3,)), ("betaprime", (2.0, 3.0)),
    ("erlang", (2,)), ("expon", ()), ("halfnorm", ()), ("lomax", (1.4,)),
]


@pytest.mark.parametrize(("name", "shapes"), AT_0)
@pytest.mark.filterwarnings("ignore")
def test_slopes_at_the_edge_are_those_inside(name, shapes):
    """Of densities and, where these are finite, of their logarithms; on the right, and beyond."""
    for method in ("pdf", "logpdf"):
        f, step = getattr(getattr(stats, name), method), 1e-7
        (slope,) = zyg.gradient(lambda x, f=f: f(x, *shapes), 0.0)
        expected = (f(step, *shapes) - f(0.0, *shapes)) / step
        np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-5)
    f = getattr(stats, name).pdf
    *bars, loc_bar, scale_bar = zyg.gradient(
        lambda *args: f(0.0, *args), *map(float, shapes), 0.0, 1.0
    )
    assert not np.any(np.isnan([*bars, loc_bar, scale_bar]))
    np.testing.assert_allclose(loc_bar, -zyg.gradient(lambda x: f(x, *shapes), 0.0)[0])


@pytest.mark.parametrize("shapes", [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (2.0, 3.0)])
@pytest.mark.filterwarnings("ignore")
def test_slopes_at_the_upper_edge(shapes):
    (slope,) = zyg.gradient(lambda x: stats.beta.pdf(x, *shapes), 1.0)
    inside = (stats.beta.pdf(1.0, *shapes) - stats.beta.pdf(1 - 1e-7, *shapes)) / 1e-7
    np.testing.assert_allclose(slope, inside, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "f",
    [
        *[lambda p, k=k: stats.binom.pmf(k, 4, p) for k in (0, 1, 2, 4)],
        *[lambda p, k=k: stats.nbinom.pmf(k, 4, p) for k in (0, 1, 2, 4)],
        *[lambda p, k=k: stats.poisson.pmf(k, p) for k in (0, 1, 2, 3)],
        *[lambda p, k=k: stats.bernoulli.pmf(k, p) for k in (0, 1)],
        *[lambda p, k=k: stats.geom.pmf(k, p) for k in (1, 2, 3)],
        lambda p: stats.binom.logpmf(0, 4, p), lambda p: stats.poisson.logpmf(0, p),
        lambda p: stats.binom.logpmf(4, 4, p), lambda p: stats.geom.logpmf(1, p),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_slopes_of_certain_and_impossible_events(f):
    """Second ones as well: the masses are polynomials."""
    for p, step in ((0.0, 1e-4), (1.0, -1e-4)):
        here, *ahead = [f(p + i * step) for i in range(3)]
        if not np.all(np.isfinite([here, *ahead])):
            continue
        (slope,) = zyg.gradient(f, p)
        np.testing.assert_allclose(
            slope, (4 * ahead[0] - 3 * here - ahead[1]) / (2 * step), rtol=1e-4, atol=1e-4
        )
        (second,) = zyg.gradient(lambda x: zyg.gradient(f, x)[0], p)
        np.testing.assert_allclose(
            second, (here - 2 * ahead[0] + ahead[1]) / step**2, rtol=1e-2, atol=1e-2
        )
