"""The rules of `scipy.special` against differences; SciPy is loaded only by those who use it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import zyg
from zyg.rules import registry

pytest.importorskip("scipy")

from scipy import special

from tests.rule_check import check_rule
from tests.rule_row import Row
from tests.rule_rows_special import (
    at_edges,
    at_other_places,
    of_one,
    of_one_more,
    of_several,
    with_more_parameters,
    with_parameters,
)

registry.register_imported()


@pytest.mark.parametrize("row", [*of_one(), *of_one_more(), *of_several()], ids=str)
def test_rule(row: Row) -> None:
    rule = registry.rule_of(row.callee)
    assert rule is not None
    check_rule(rule, row.call, row.args, row.kwargs)


@pytest.mark.parametrize("row", [*with_parameters(), *with_more_parameters()], ids=str)
def test_last_argument(row: Row) -> None:
    callee, (*parameters, x), options = row.callee, row.args, row.kwargs
    v, w, u = [*parameters, None, None][:3]
    call = {
        1: lambda x: np.sum(callee(v, x, **options) ** 2),
        2: lambda x: np.sum(callee(v, w, x, **options) ** 2),
        3: lambda x: np.sum(callee(v, w, u, x, **options) ** 2),
    }[len(parameters)]
    zyg.check_grads(call, x, order=1)


@pytest.mark.parametrize(("row", "slopes"), [*at_edges()], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_at_an_edge(row: Row, slopes: tuple[float, ...]) -> None:
    np.testing.assert_allclose(zyg.gradient(row.callee, *row.args), slopes, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: special.expit(x, out=np.empty(3)), lambda x: special.erf(x, dtype=float),
        lambda x: special.erf(x, np.empty(3)), lambda x: special.j0(x, casting="same_kind"),
    ],
)
def test_options_of_ufuncs(f) -> None:
    zyg.check_grads(f, np.array([0.4, 0.9, 1.6]))


def test_masked_calls_of_ufuncs() -> None:
    """Not compared with SciPy: `where=` writes past the end of arrays in some of its versions."""
    x, mask = np.array([0.4, 0.9, 1.6]), np.array([True, False, True])
    y, back = zyg.pullback(lambda x: special.gammaln(x, where=mask, out=np.ones(3)), x)
    np.testing.assert_allclose(y, np.where(mask, special.gammaln(x), 1.0))
    np.testing.assert_allclose(back(np.ones(3))[0], np.where(mask, special.psi(x), 0.0))


def test_sine_and_cosine_integrals_at_0() -> None:
    for callee in (special.sici, special.shichi):
        (slope,) = zyg.gradient(lambda x, f=callee: f(x)[0], 0.0)
        assert slope == 1.0
        (second,) = zyg.gradient(lambda x, f=callee: zyg.gradient(lambda x: f(x)[0], x)[0], 0.0)
        assert second == 0.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: special.gammainc(3.0, x), lambda x: special.betainc(2.0, 3.0, x),
        lambda x: special.pdtr(2, x), lambda x: special.bdtr(2, 5, x),
        lambda x: special.betainc(3.0, 2.0, 1 - x), lambda x: special.chdtr(6, x),
    ],
)
def test_second_order_at_an_edge(f) -> None:
    (second,) = zyg.gradient(lambda x: zyg.gradient(f, x)[0], 0.0)
    np.testing.assert_allclose(second, 2 * (f(1e-5) - f(0.0)) / 1e-10, rtol=1e-3, atol=1e-3)


if hasattr(special, "sph_harm_y"):

    @pytest.mark.parametrize(("n", "m"), [(3, 2), (3, -3), (2, 0), (0, 0), (4, -1)])
    def test_spherical_harmonics(n: int, m: int) -> None:
        def harmonic(theta, phi):
            return special.sph_harm_y(n, m, theta, phi)

        zyg.check_grads(harmonic, np.array([0.4, 1.2, 2.9]), np.array([[0.7], [-1.1]]))
        y, back = zyg.pullback(harmonic, 0.0, 0.3)  # at the pole, where a formula is 0 / 0
        ahead = harmonic(1e-6, 0.3)
        np.testing.assert_allclose(back(1.0)[0], np.real(ahead - y) / 1e-6, atol=1e-5)


if hasattr(special, "sph_harm"):

    def test_spherical_harmonics_of_old() -> None:
        def harmonic(theta, phi):
            return special.sph_harm(2, 3, theta, phi)

        zyg.check_grads(harmonic, np.array([[0.7], [-1.1]]), np.array([0.4, 1.2, 2.9]))


@pytest.mark.parametrize("row", [*at_other_places()], ids=str)
def test_polynomials_at_other_places(row: Row) -> None:
    *parameters, x = row.args
    substitute = registry.substitute_of(row.callee)
    assert substitute is not None
    expected = row.call(*row.args)
    np.testing.assert_allclose(substitute(*row.args), expected, rtol=1e-12, atol=1e-300)
    if len(parameters) < 2:
        zyg.check_grads(
            (lambda x: row.callee(parameters[0], x)) if parameters else row.callee, x, order=1
        )
    else:
        n, p, q = parameters
        zyg.check_grads(lambda x: special.eval_sh_jacobi(n, p, q, x), x, order=1)


def test_slope_of_jacobis_functions_where_they_are_sines():
    for i in range(4):
        at, close = (
            zyg.gradient(lambda m, i=i: special.ellipj(0.8, m)[i], m)[0] for m in (0.0, 1e-5)
        )
        np.testing.assert_allclose(at, close, rtol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("row", [*of_one_more()], ids=str)
def test_second_order_of_more(row: Row) -> None:
    callee = row.callee
    if not np.iscomplexobj(row.args[0]) or callee in (special.elliprf, special.elliprj):
        zyg.check_grads(callee, *row.args)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "row", [*with_parameters(), *with_more_parameters(), *at_other_places()], ids=str
)
def test_second_order_in_the_last_argument(row: Row) -> None:
    *parameters, x = row.args
    v, w, u = [*parameters, None, None, None][:3]
    callee, options = row.callee, row.kwargs
    call = {
        0: lambda x: callee(x, **options), 1: lambda x: callee(v, x, **options),
        2: lambda x: callee(v, w, x, **options), 3: lambda x: callee(v, w, u, x, **options),
    }[len(parameters)]
    if not isinstance(x, int):
        zyg.check_grads(call, x)


def curved(x):
    return np.sum(special.erf(x) * special.j1(x)) + special.logsumexp(x * x)


def test_second_order():
    zyg.check_grads(curved, np.array([0.3, 0.7]))


def test_parameters_that_vary_are_refused():
    with pytest.raises(zyg.NotDifferentiable, match="no derivative in `v`"):
        zyg.gradient(lambda v: special.jv(v, 0.3), 1.5)
    with pytest.raises(zyg.NotDifferentiable, match="no derivative in `a`"):
        zyg.gradient(lambda a: special.gammainc(a, 0.3) * a, 1.5)


LOADED = """
import sys, numpy, zyg
zyg.gradient(lambda x: numpy.sum(numpy.cov(x)), numpy.arange(3.0))
print("scipy" in sys.modules)
"""


def test_scipy_is_loaded_by_its_users_only() -> None:
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.mark.parametrize(
    "program",
    [
        lambda x: special.ellipkinc(x, 0.4) + special.ellipeinc(x, 0.3),
        lambda x: special.boxcox1p(x, 0.3) + special.inv_boxcox(x, 0.5) + special.inv_boxcox(x, 0),
        lambda x: special.logsumexp(x - 0.7, b=[1.0, -2.0, 0.5], return_sign=True),
        lambda x: special.logsumexp(np.outer(x, x), axis=1, return_sign=True, keepdims=True),
        lambda x: special.logsumexp([0.3, 0.2, 0.7], b=-x, return_sign=True),
    ],
)
def test_functions_with_options(program):
    x = np.array([0.3, 0.6, 0.8])
    zyg.check_grads(program, x)
    value, _ = zyg.pullback(program, x)
    for found, expected in zip(value, program(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_probabilities_of_open_intervals():
    """At infinity, where an ordered probit has its last limits, all derivatives are 0."""
    def log_likelihood(shift):
        limits = np.array([-np.inf, -0.5, 0.8, np.inf]) - shift
        return np.sum(np.log(np.diff(special.ndtr(limits))))

    zyg.check_grads(log_likelihood, 0.3)
    assert zyg.hessian(special.ndtr, np.inf) == 0
    zyg.check_grads(special.ndtr, 0.3 + 0.2j)


def test_slope_of_log_ndtr_far_out():
    (bar,) = zyg.gradient(lambda x: np.sum(special.log_ndtr(x)), np.array([-1e8, -1e5, 40.0]))
    np.testing.assert_allclose(bar, [1e8, 1e5 + 1e-5, 0.0], rtol=1e-12, atol=1e-300)
    zyg.check_grads(special.log_ndtr, np.array([-30.0, -7.0, -0.1, 0.1, 5.0]))
    assert zyg.hessian(special.log_ndtr, 40.0) == 0


def test_orders_that_are_short_integers():
    x, long = 0.3, np.array([101, 12])
    for f in (special.eval_hermite, lambda n, x: special.spherical_jn(n, x, True)):
        (expected,) = zyg.gradient(lambda x, f=f: np.sum(f(long, x)), x)
        (found,) = zyg.gradient(lambda x, f=f: np.sum(f(long.astype(np.int8), x)), x)
        assert found == expected


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_second_slope_of_spherical_bessel_functions_at_zero(n):
    slope = {0: -1 / 3, 2: 2 / 15}.get(n, 0.0)
    for x in (0.0, 1e-9):
        (bar,) = zyg.gradient(lambda x: special.spherical_jn(n, x, True), x)
        np.testing.assert_allclose(bar, slope, atol=1e-9)


@pytest.mark.parametrize(
    "f",
    [
        special.rgamma, lambda z: special.ive(2, z), lambda z: special.ive(0.7, z),
        lambda z: special.kve(2, z), lambda z: special.kv(0.7, z),
    ],
)
def test_scaled_functions_of_complex_numbers(f):
    zyg.check_grads(f, np.array([0.3 + 1.1j, 0.8 - 0.2j, 1.9 + 0.1j]), order=1)
    zyg.check_grads(lambda z: f(z), 0.4 - 0.7j, order=1)


def test_slope_of_one_over_gamma_at_its_zeros():
    (bar,) = zyg.gradient(lambda x: np.sum(special.rgamma(x)), -np.arange(4.0))
    np.testing.assert_allclose(bar, [1.0, -1.0, 2.0, -6.0], rtol=1e-13)
    zyg.check_grads(special.rgamma, np.array([-2.0, -0.7, 0.0, 0.45, 0.55, 3.0]))


@pytest.mark.parametrize("x", [(0.3, 1e-6, 0.3), (2.0, 1e-3, 0.5), (0.3, 1e-4, 0.5)])
def test_slopes_of_a_narrow_voigt_profile(x):
    """Which is a Lorentzian, and half a second slope of it times the variance."""
    x, sigma, gamma = x

    def expansion(x, sigma, gamma):
        square = x * x + gamma * gamma
        second = gamma / np.pi * (6 * x * x - 2 * gamma * gamma) / square**3
        return gamma / np.pi / square + 0.5 * sigma * sigma * second

    found = zyg.gradient(special.voigt_profile, x, sigma, gamma)
    near = zyg.gradient(expansion, x, sigma, gamma)
    np.testing.assert_allclose(found, near, rtol=600 * sigma**2 + 1e-11, atol=1e-12)


def test_slope_of_the_zeta_function_next_to_zero():
    slope = -0.5 * np.log(2 * np.pi)
    for x in (-1e-8, -1e-12, 0.0, 1e-8):
        np.testing.assert_allclose(zyg.gradient(special.zetac, x)[0], slope, rtol=1e-7)
    found = [zyg.gradient(special.zetac, x)[0] for x in (-0.5 - 1e-9, -0.5 + 1e-9)]
    np.testing.assert_allclose(*found, rtol=1e-8)


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize("f", [special.kn, special.yn])
def test_orders_are_taken_as_integers(f):
    assert zyg.gradient(f, 1.7, 0.8)[1] == zyg.gradient(f, 1, 0.8)[1]


def test_exponent_of_a_power_of_zero():
    assert zyg.gradient(special.powm1, 0.0, 0.5)[1] == 0.0
    zyg.check_grads(special.powm1, 1.3, 0.5)


@pytest.mark.parametrize("family", [special.eval_chebyc, special.eval_sh_legendre])
def test_polynomials_that_the_run_time_finds(family):
    families, first = {"found": family}, (3,)

    def f(x, name, i):
        return families[name](*first[:i], x, *first[i:]) * x

    zyg.check_grads(lambda x: families["found"](3, x) * x, 0.3)
    expected = zyg.gradient(lambda x: family(3, x) * x, 0.3)
    assert zyg.gradient(f, 0.3, "found", 1)[:1] == expected
