"""Rows for the methods of the distributions of `scipy.stats`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import stats

from tests.rule_row import Options, Row, cases, real, signed, table

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


@table
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
