"""Further families of `scipy.stats`: values as SciPy has them, gradients by differences."""

from __future__ import annotations

import types

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

import scipy
from scipy import stats

METHODS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")
# Parameters of shape, with fixed ones in which distribution functions have no derivatives apart.
SHAPES = {
    "genpareto": [(0.3,), (-0.3,), (0.0,), (0.02,)], "genextreme": [(0.3,), (-0.3,), (0.0,)],
    "burr12": [(1.3, 0.8)], "burr": [(1.4, 0.9)], "johnsonsu": [(0.3, 1.4)],
    "johnsonsb": [(0.3, 1.4)], "loguniform": [(0.3, 1.8)], "reciprocal": [(0.3, 1.8)],
    "triang": [(0.3,), (0.9,)], "truncexpon": [(1.4,)],
    **{name: [()] for name in (
        "maxwell", "halfcauchy", "halflogistic", "wald", "gibrat", "levy", "hypsecant", "moyal",
        "semicircular", "arcsine",
    )},
    **{name: [(1.4,)] for name in (
        "gompertz", "invgauss", "rice", "lomax", "fisk", "invweibull", "loglaplace", "exponnorm",
        "dweibull", "weibull_max", "genlogistic", "laplace_asymmetric", "powerlaw",
    )},
}
FIXED = {
    "f": (2.3, 3.4), "chi": (2.3,), "nakagami": (1.3,), "erlang": (2,), "gennorm": (1.3,),
    "loggamma": (1.4,), "betaprime": (1.4, 2.3),
}
CASES = [(name, shapes) for name, all_shapes in SHAPES.items() for shapes in all_shapes]
X = np.array([0.35, 0.6, 0.81])
EDGES = np.array([-np.inf, -2.0, -1.0, -0.3, 0.0, 0.5, 1.0, 2.0, np.inf, np.nan])


def by_all(name, methods=METHODS):
    """All methods of a family at once."""
    chosen = [getattr(getattr(stats, name), method) for method in methods]
    first, second, *others = chosen * 3
    third, fourth, fifth, sixth = others[:4]

    def f(x, shapes, loc, scale):
        return np.stack([
            first(x, *shapes, loc, scale), second(x, *shapes, loc, scale),
            third(x, *shapes, loc, scale), fourth(x, *shapes, loc, scale),
            fifth(x, *shapes, loc, scale), sixth(x, *shapes, loc, scale),
        ])

    return f


@pytest.mark.parametrize(("name", "shapes"), CASES, ids=str)
def test_family(name, shapes):
    f = by_all(name)
    x = -X if name == "weibull_max" else X
    zyg.check_grads(f, x, shapes, -0.05 if name != "weibull_max" else 0.05, 1.3, order=1)


METHOD = stats.norm.pdf  # in the programs, which are given globals of their own, another one
PROGRAMS = (
    lambda x, loc, scale: METHOD(x, loc, scale),
    lambda x, loc, scale, a: METHOD(x, a, loc, scale),
    lambda x, loc, scale, a, b: METHOD(x, a, b, loc, scale),
)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "shapes"), CASES, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_second_order_of_a_family(name, shapes, method):
    """The method is a global of the program, as it mostly is."""
    program = types.FunctionType(
        PROGRAMS[len(shapes)].__code__, {"METHOD": getattr(getattr(stats, name), method)}
    )
    x, loc = (-X, 0.05) if name == "weibull_max" else (X, -0.05)
    zyg.check_grads(program, x, loc, 1.3, *shapes)


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.filterwarnings("ignore")
def test_densities_in_all_parameters(name):
    f = by_all(name, ("pdf", "logpdf"))
    zyg.check_grads(f, X, FIXED[name], -0.05, 1.3, order=1)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, loc: (
            stats.f.cdf(x, 2.3, 3.4, loc=loc) + stats.f.logsf(x, 2.3, 3.4, loc=loc)
        ),
        lambda x, loc: (
            stats.chi.cdf(x, 2.3, loc=loc) + stats.chi.logsf(x, 2.3, loc=loc)
        ),
        lambda x, loc: (
            stats.nakagami.logcdf(x, 1.3, loc=loc) + stats.nakagami.sf(x, 1.3, loc=loc)
        ),
        lambda x, loc: (
            stats.erlang.logcdf(x, 2, loc=loc) + stats.erlang.sf(x, 2, loc=loc)
        ),
        lambda x, loc: (
            stats.gennorm.logcdf(x, 1.3, loc=loc) + stats.gennorm.sf(x, 1.3, loc=loc)
        ),
        lambda x, loc: (
            stats.loggamma.logcdf(x, 1.3, loc=loc) + stats.loggamma.sf(x, 1.3, loc=loc)
        ),
        lambda x, loc: (
            stats.betaprime.cdf(x, 1.4, 2.3, loc=loc) + stats.betaprime.sf(x, 1, 2, loc=loc)
        ),
    ],
)
def test_distribution_functions_with_fixed_shapes(f):
    zyg.check_grads(f, X, -0.05, order=1)
    np.testing.assert_allclose(zyg.pullback(f, X, 0.1)[0], f(X, 0.1), rtol=1e-12)


# Older versions of SciPy subtract from 1 for some tails.
IS_NEW = np.lib.NumpyVersion(scipy.__version__) >= "1.15.0"
METHODS_WITH_TAILS = {
    **({} if IS_NEW else dict.fromkeys(("truncexpon", "genextreme"), METHODS[:2])),
}


@pytest.mark.parametrize(
    ("name", "shapes"), [*CASES, *FIXED.items()], ids=str
)
@pytest.mark.parametrize("scale", [1.0, 1.7, -1.0])
@pytest.mark.filterwarnings("ignore")
def test_edges(name, shapes, scale):
    f = by_all(name, METHODS_WITH_TAILS.get(name, METHODS))
    # At infinity, SciPy's densities of these are NaN.
    edges = EDGES[np.inf > EDGES] if name in ("burr12", "f") else EDGES
    y, _ = zyg.pullback(lambda x: f(x, shapes, 0.1, scale), edges)
    np.testing.assert_allclose(y, f(edges, shapes, 0.1, scale), rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("name", [name for name, shapes in SHAPES.items() if shapes[0]])
@pytest.mark.filterwarnings("ignore")
def test_without_a_distribution_all_is_nan(name):
    for shape in (-1.0, 0.0, np.nan):
        shapes = (shape, *SHAPES[name][0][1:])
        for method in ("pdf", "cdf", "sf"):
            f = getattr(getattr(stats, name), method)
            x = np.array([-0.7, 0.3, 1.0])
            y, _ = zyg.pullback(lambda x, f=f, shapes=shapes: f(x, *shapes), x)
            np.testing.assert_allclose(y, f(x, *shapes), rtol=1e-11)


@pytest.mark.parametrize(
    "f",
    [
        lambda q, loc: stats.genextreme.ppf(q, 0.3, loc) + stats.genpareto.isf(q, 0.3, loc),
        lambda q, loc: stats.invgauss.ppf(q, 0.8, loc) + stats.levy.ppf(q, loc),
        lambda q, loc: stats.triang.ppf(q, 0.3, loc) + stats.maxwell.isf(q, loc),
        lambda q, loc: stats.johnsonsu.ppf(q, loc, 1.2) + stats.lomax.ppf(q, 1.3, loc),
    ],
)
def test_quantiles(f):
    zyg.check_grads(f, np.array([0.3, 0.72]), 0.2, order=1)


K = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 6.0])
COUNTS = [
    (lambda k, a, b: stats.betabinom.logpmf(k, 5, a, b), (1.3, 2.1)),
    (lambda k, p: stats.logser.logpmf(k, p), (0.4,)),
    (lambda k, a: stats.zipf.logpmf(k, a), (2.4,)),
    (lambda k, a: stats.zipf.pmf(k, a), (1.3,)),
    (lambda k, rate: stats.planck.logpmf(k, rate), (0.7,)),
    (lambda k, rate: stats.planck.cdf(k, rate), (0.7,)),
    (lambda k, rate: stats.planck.logsf(k, rate), (0.7,)),
    (lambda k, a: stats.dlaplace.logpmf(k, a), (0.7,)),
    (lambda k, alpha: stats.yulesimon.pmf(k, alpha), (1.7,)),
    (lambda k, first, second: stats.skellam.logpmf(k, first, second), (1.3, 0.8)),
]
if hasattr(stats, "betanbinom"):  # since SciPy 1.12
    COUNTS.append((lambda k, a, b: stats.betanbinom.pmf(k, 5, a, b), (1.3, 2.1)))


@pytest.mark.parametrize(("f", "shapes"), COUNTS)
@pytest.mark.filterwarnings("ignore")
def test_counts(f, shapes):
    counts = np.array([1, 2, 4])
    if len(shapes) == 1:
        zyg.check_grads(lambda a: f(counts, a), *shapes)
        y, _ = zyg.pullback(lambda a: f(K, a), *shapes)
    else:
        zyg.check_grads(lambda a, b: f(counts, a, b), *shapes)
        y, _ = zyg.pullback(lambda a, b: f(K, a, b), *shapes)
    np.testing.assert_allclose(y, f(K, *shapes), rtol=1e-10, atol=1e-300)


COUNTED = np.array([[1, 2, 1], [0, 3, 1]])
SHARES = np.array([0.2, 0.5, 0.3])
COV = np.array([[1.0, 0.2], [0.2, 0.5]])
PLACES = np.array([[0.3, -0.4], [0.8, 0.2], [-0.5, 1.1]])


@pytest.mark.parametrize(
    "f",
    [
        lambda p: stats.multinomial.logpmf(COUNTED, 4, p),
        lambda p: stats.multinomial.pmf(COUNTED[0], 4, p),
        lambda p: stats.multinomial.logpmf([2, 1, 2], 4, p),
        lambda p: stats.dirichlet.logpdf(SHARES, 1 + p),
        lambda p: stats.dirichlet.pdf(np.stack([SHARES, SHARES[::-1]], 1), 1 + p),
        lambda p: stats.dirichlet.logpdf(SHARES[:2] * (1 + 0.1 * p[0]), 2 * p),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_vectors(f):
    y, _ = zyg.pullback(f, SHARES)
    np.testing.assert_allclose(y, f(SHARES), rtol=1e-12)
    assert np.shape(y) == np.shape(f(SHARES))
    if np.all(np.isfinite(y)):
        zyg.check_grads(lambda p: f(p / np.sum(p)), SHARES)


@pytest.mark.parametrize("method", ["logpdf", "pdf"])
def test_multivariate_t(method):
    density = getattr(stats.multivariate_t, method)

    def f(x, loc, shape, df):
        return density(x, loc, shape, df)

    for x in (PLACES, PLACES[0]):
        zyg.check_grads(f, x, np.array([0.1, 0.2]), COV, 2.5, order=1)
        args = x, np.array([0.1, 0.2]), COV, 2.5
        np.testing.assert_allclose(zyg.pullback(f, *args)[0], f(*args), rtol=1e-12)
    zyg.check_grads(lambda x: density(x, None, 0.7, 1), PLACES[0][:1], order=1)


@pytest.mark.parametrize("draws", [(20, 7, 12), (20, 15, 12), (5, 5, 3), (5, 6, 3), (5, 2.5, 3)])
@pytest.mark.filterwarnings("ignore")
def test_draws_without_replacement(draws):
    """A constant: of whole numbers there is no derivative, but for what `loc` is computed from."""
    k = np.arange(-1.0, 14.0)
    for method in (stats.hypergeom.logpmf, stats.hypergeom.pmf):
        y, _ = zyg.pullback(lambda x, f=method: x * f(k, *draws), 1.0)
        np.testing.assert_allclose(y, method(k, *draws), rtol=1e-10, atol=1e-300)
        y, _ = zyg.pullback(lambda k, f=method: f(k, *draws), k)
        np.testing.assert_allclose(y, method(k, *draws), rtol=1e-10, atol=1e-300)
