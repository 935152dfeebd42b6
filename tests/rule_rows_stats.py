"""Rows for the methods of the distributions of `scipy.stats`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import stats

from tests.rule_row import Options, Row, cases, real, signed, table

ANYWHERE = {
    "norm": (), "t": (3,), "cauchy": (), "laplace": (), "logistic": (), "gumbel_r": (),
    "gumbel_l": (),
}
POSITIVE = {
    "expon": (), "gamma": (2,), "chi2": (3,), "beta": (2, 3), "uniform": (), "lognorm": (0.7,),
    "weibull_min": (1.5,), "rayleigh": (), "halfnorm": (), "invgamma": (2,),
}
COUNTS = {
    "poisson": (1.3,), "binom": (4, 0.3), "bernoulli": (0.3,), "geom": (0.3,), "nbinom": (4, 0.3),
}
# Distribution functions have no derivatives in these parameters of shape.
FIXED = ("t", "gamma", "chi2", "beta", "invgamma")
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
    fixed.stands_for = f, lambda x, *others: (x, *shapes, *others)
    return fixed


@table
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
    for method in ("pdf", "logpdf", *METHODS):
        pareto, truncnorm = getattr(stats.pareto, method), getattr(stats.truncnorm, method)
        yield from cases(pareto, (1 + real(2, 3), 1.5, -0.2, real(2, 1)), (2.0, 0.7))
        yield from cases(
            truncnorm, (real(2, 3), -0.3, 1.5), (0.4, 0.2, 1.5, -0.1, 1.3),
            (signed(3), -5.0, -real(3) + 2.5, 0.1, 1.2), (real(3), 0.1, 1.5),
        )
    for method in ("pdf", "logpdf"):
        yield from cases(
            getattr(stats.skewnorm, method), (signed(2, 3), signed(3), 0.1, real(2, 1)), (0.4, -1.2)
        )
        yield from cases(
            getattr(stats.vonmises, method), (signed(2, 3), real(3), 0.1), (0.4, 1.2, 0.3, 1.1)
        )


@table
def discrete():
    for method in ("pmf", "logpmf", *METHODS):
        for k in (K, 1):
            for name, (*others, p) in COUNTS.items():
                if method.startswith("log") and name in ("bernoulli", "geom"):
                    k = 1 if method != "logsf" or name == "geom" else 0  # where it is finite
                called = partial(getattr(getattr(stats, name), method), k, *others)
                yield from cases(called, (p,), (real(2, 1),))
    for method in ("pmf", "logpmf"):
        yield from cases(
            getattr(stats.nbinom, method), (K, 2.5, 0.3), (1, real(2, 1), real(3)),
        )


def partial(f, *first):
    def called(p):
        return f(*first, p)

    called.__qualname__ = f"{f.__self__.name}.{f.__name__}"
    called.stands_for = f, lambda p: (*first, p)
    return called


@table
def vectors():
    cov = np.array([[1.0, 0.2], [0.2, 0.5]])
    for method in ("logpdf", "pdf"):
        yield from cases(
            getattr(stats.multivariate_normal, method),
            *((signed(2), signed(2), cov), (signed(4, 2), signed(2), cov), (signed(2), None, cov)),
            *((signed(2), signed(2), real(2)), (signed(3, 2), signed(2), 0.7), (0.3, 0.1, 0.8)),
            # SciPy leaves out batches of one.
            *((signed(1, 2), signed(2), cov), (signed(2, 1, 2), signed(2), cov)),
            *((signed(1), 0.1, 0.8), (signed(3), 0.1, 0.8), (signed(3, 1), real(1), real(1, 1))),
            (signed(2, 3, 2), None, cov),
        )


@table
def as_methods() -> Iterator[tuple[Row, Row]]:
    """Each row, and the same call of the method itself, with all parameters in their places."""
    for row in (*continuous(), *discrete(), *vectors()):
        method, arguments = getattr(row.callee, "stands_for", (row.callee, None))
        if arguments is None:
            yield row, row
        else:
            yield row, replace(row, callee=method, args=arguments(*row.args), kwargs=row.kwargs)
