"""Ways to give a distribution of `scipy.stats` its parameters: in places, by keyword, frozen."""

from __future__ import annotations

import types

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import stats

# Their distribution functions have no derivative in the parameter of shape, a constant here.
OF_ONE_SHAPE = {
    "gamma": "a", "chi2": "df", "t": "df", "chi": "df", "nakagami": "nu", "gennorm": "beta",
    "loggamma": "c", "invgamma": "a", "lognorm": "s", "genpareto": "c", "skewnorm": "a",
}
METHODS = "pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"
METHOD, DISTRIBUTION = stats.norm.pdf, stats.norm  # the programs are given globals of their own


def with_star(x, *parameters):
    return METHOD(x, *parameters)


def by_the_rest(x, *parameters, **others):
    return METHOD(x, *parameters, **others)


PROGRAMS = {
    "in places": lambda x, loc, scale: METHOD(x, 2.3, loc, scale),
    "mixed": lambda x, loc, scale: METHOD(x, 2.3, scale=scale, loc=loc),
    "of a tuple": lambda x, loc, scale: METHOD(x, *(2.3, loc), scale=scale),
    "of two tuples": lambda x, loc, scale: METHOD(x, *(2.3,), *(loc, scale)),
    "of a function": lambda x, loc, scale: with_star(x, 2.3, loc, scale),
    "of a function's rest": lambda x, loc, scale: by_the_rest(x, 2.3, loc, scale=scale),
}
BY_NAME = {
    "a": lambda x, loc, scale: METHOD(x, a=2.3, loc=loc, scale=scale),
    "df": lambda x, loc, scale: METHOD(x, scale=scale, df=2.3, loc=loc),
    "nu": lambda x, loc, scale: METHOD(x, loc=loc, nu=2.3, scale=scale),
    "beta": lambda x, loc, scale: by_the_rest(x, beta=2.3, loc=loc, scale=scale),
    "c": lambda x, loc, scale: METHOD(x, c=2.3, loc=loc, scale=scale),
    "s": lambda x, loc, scale: METHOD(x, s=2.3, loc=loc, scale=scale),
}
FROZEN = {
    "": lambda x, loc, scale: DISTRIBUTION(2.3, loc, scale).cdf(x) + DISTRIBUTION(2.3, loc).ppf(x),
    "a": lambda x, loc, scale: DISTRIBUTION(a=2.3, loc=loc, scale=scale).logcdf(x),
    "df": lambda x, loc, scale: DISTRIBUTION(scale=scale, df=2.3, loc=loc).sf(x),
    "nu": lambda x, loc, scale: DISTRIBUTION(nu=2.3, loc=loc, scale=scale).ppf(x),
    "beta": lambda x, loc, scale: DISTRIBUTION(beta=2.3, loc=loc, scale=scale).logsf(x),
    "c": lambda x, loc, scale: DISTRIBUTION(c=2.3, loc=loc, scale=scale).cdf(x),
    "s": lambda x, loc, scale: DISTRIBUTION(s=2.3, loc=loc, scale=scale).cdf(x),
}


def globals_of(name, method):
    distribution = getattr(stats, name)
    given = {"DISTRIBUTION": distribution, "METHOD": getattr(distribution, method)}
    for function in (with_star, by_the_rest):
        given[function.__name__] = with_globals(function, given)
    return given


def with_globals(function, given):
    return types.FunctionType(function.__code__, given)


def methods_of(name):
    return METHODS if name != "skewnorm" else METHODS[:2]


@pytest.mark.parametrize("name", OF_ONE_SHAPE)
def test_all_ways_to_give_the_parameters(name):
    x, loc, scale = 0.65, -0.1, 1.3
    for method in methods_of(name):
        given = globals_of(name, method)
        expected = zyg.gradient(with_globals(PROGRAMS["in places"], given), x, loc, scale)
        f, step = getattr(getattr(stats, name), method), 1e-5
        slopes = [
            (f(x + a, 2.3, loc + b, scale + c) - f(x - a, 2.3, loc - b, scale - c)) / (2 * step)
            for a, b, c in step * np.eye(3)
        ]
        np.testing.assert_allclose(expected, slopes, rtol=1e-5, atol=1e-8)
        for way, program in {**PROGRAMS, "by name": BY_NAME[OF_ONE_SHAPE[name]]}.items():
            bars = zyg.gradient(with_globals(program, given), x, loc, scale)
            np.testing.assert_allclose(bars, expected, rtol=1e-12, err_msg=f"{method}, {way}")


@pytest.mark.parametrize("name", [name for name in OF_ONE_SHAPE if name != "skewnorm"])
def test_frozen_distributions(name):
    for key in ("", OF_ONE_SHAPE[name]):
        program = with_globals(FROZEN[key], globals_of(name, "cdf"))
        zyg.check_grads(program, 0.65, -0.1, 1.3, order=1)


@pytest.mark.parametrize("method", ["cdf", "ppf", "logsf"])
@pytest.mark.parametrize(
    "program",
    [
        lambda x, a: METHOD(x, a, 0.3),
        lambda x, a: METHOD(x, a=a),
        lambda x, a: METHOD(x, *(a, 0.3)),
        lambda x, a: DISTRIBUTION(a, 0.3).logcdf(x),
        lambda x, a: DISTRIBUTION(a=a).isf(x),
    ],
)
def test_parameters_without_a_derivative_are_refused_by_name(program, method):
    program = with_globals(program, globals_of("gamma", method))
    with pytest.raises(zyg.NotDifferentiable, match="has no derivative in `a`"):
        zyg.gradient(program, 0.6, 2.3)


class Prior:
    def __init__(self, location):
        self.distribution = stats.norm(location, scale=1.3)

    def log_density(self, x):
        return self.distribution.logpdf(x)


def chosen(name, parameter):
    return stats.norm(parameter, 1.2) if name == "norm" else stats.gamma(2.3, scale=parameter)


@pytest.mark.parametrize(
    "program",
    [
        lambda x, m: Prior(m).log_density(x),
        lambda x, m: sum(d.pdf(x) for d in [stats.norm(m, 1.1), stats.norm(0.2, scale=m)]),
        lambda x, m: chosen("norm", m).cdf(x) + chosen("gamma", m).logpdf(x),
        lambda x, m: stats.gamma(a=m, loc=-m).logpdf(x) + stats.t.freeze(3, m).sf(x),
        lambda x, m: stats.poisson(m).logpmf(3) * x + stats.binom(n=5, p=m).pmf(2),
        lambda x, m: stats.norm(m).args[0] * x * stats.norm(0.5, 2.0).mean(),
    ],
)
def test_frozen_distributions_are_values(program):
    """Second derivatives as well, and in forward mode."""
    zyg.check_grads(program, 0.4, 0.7)
    slopes = zyg.gradient(program, 0.4, 0.7)
    np.testing.assert_allclose(zyg.jvp(program, (0.4, 0.7), (1.0, 0.0))[1], slopes[0], rtol=1e-9)
    np.testing.assert_allclose(zyg.jvp(program, (0.4, 0.7), (0.0, 1.0))[1], slopes[1], rtol=1e-9)


@pytest.mark.parametrize(
    "program", [lambda x: stats.norm(x, 1.0, 3.0).pdf(x), lambda x: stats.gamma(x, b=x).pdf(x)]
)
def test_arguments_that_a_distribution_does_not_take(program):
    with pytest.raises(TypeError):
        zyg.gradient(program, 0.4)
