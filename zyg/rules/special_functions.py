"""Rules of `scipy.special`: error functions, entropies, logistic and elliptic functions.

Registered, with `special_gamma` and `special_bessel`, when `scipy.special` has been imported.
Source of formulas: NIST Digital Library of Mathematical Functions, sections 6 (exponential
integrals), 7 (error functions) and 19 (elliptic integrals).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ir import facts
from zyg.arrays.selections import below_infinity
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.facts.example_calls import broadcasting
from zyg.facts.numpy_example import by_example, elementwise
from zyg.rules.elementwise import in_numpy
from zyg.rules.options import of_one, of_two
from zyg.rules.registry import adjoint, constant, stand_in
from zyg.rules.special_parameters import without_formula
from zyg.rules.sums import restored

constant(special.gammasgn, special.round)

UFUNCS = [f for f in vars(special).values() if isinstance(f, np.ufunc) and f.nout == 1]
for _ufunc in UFUNCS:
    facts.pure(_ufunc)
    facts.fresh(_ufunc)
    facts.total(_ufunc)
    facts.result(_ufunc)(elementwise(_ufunc, _ufunc.nin))
    if _ufunc.nin < 3:
        stand_in(_ufunc)(of_one if _ufunc.nin == 1 else of_two)
for _function in vars(special).values():
    if isinstance(_function, np.ufunc) and _function.nout > 1:
        facts.pure(_function)
        facts.result(_function)(elementwise(_function, _function.nin))
# These are Python, and give a number for those of each argument.
facts.result_made_by(
    broadcasting, special.factorial, special.comb, special.perm, special.zeta, special.lambertw,
    special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn,
    special.jvp, special.yvp, special.ivp, special.kvp, special.h1vp, special.h2vp,
)
facts.result(special.multigammaln)(broadcasting(special.multigammaln, start=40))
for _function in (special.logsumexp, special.softmax, special.log_softmax):
    facts.pure(_function)
    facts.total(_function)
    facts.fresh(_function)
    facts.result(_function)(by_example(_function))


# The numbers are 2 / sqrt(pi), sqrt(2 pi) and 1 over it, sqrt(2 / pi), sqrt(1 / 2) and pi / 180.


@adjoint(special.erf)
def erf(x):
    return special.erf(x), lambda y_bar: y_bar * conj(1.1283791670955126 * np.exp(-x * x))


@adjoint(special.erfc)
def erfc(x):
    return special.erfc(x), lambda y_bar: y_bar * conj(-1.1283791670955126 * np.exp(-x * x))


@adjoint(special.erfcx)
def erfcx(x):
    y = special.erfcx(x)
    return y, lambda y_bar: y_bar * conj(2 * x * y - 1.1283791670955126)


@adjoint(special.erfi)
def erfi(x):
    return special.erfi(x), lambda y_bar: y_bar * conj(1.1283791670955126 * np.exp(x * x))


@adjoint(special.erfinv)
def erfinv(x):
    y = special.erfinv(x)
    return y, lambda y_bar: y_bar * conj(np.exp(y * y) / 1.1283791670955126)


@adjoint(special.erfcinv)
def erfcinv(x):
    y = special.erfcinv(x)
    return y, lambda y_bar: y_bar * conj(-np.exp(y * y) / 1.1283791670955126)


@adjoint(special.dawsn)
def dawsn(x):
    y = special.dawsn(x)
    return y, lambda y_bar: y_bar * conj(1 - 2 * x * y)


@adjoint(special.expit)
def expit(x):
    y = special.expit(x)
    return y, lambda y_bar: y_bar * conj(y * (1 - y))


@adjoint(special.logit)
def logit(x):
    return special.logit(x), lambda y_bar: y_bar / in_numpy(conj(x * (1 - x)))


@adjoint(special.log_expit)
def log_expit(x):
    return special.log_expit(x), lambda y_bar: y_bar * conj(special.expit(-x))


@adjoint(special.ndtr)
def ndtr(x):
    return special.ndtr(x), lambda y_bar: y_bar * conj(normal_density(x))


def normal_density(x):
    """At infinity it is 0 with all its derivatives, as it is, but for rounding, at 40."""
    return 0.3989422804014327 * np.exp(-0.5 * x * x)


@adjoint(normal_density)
def normal_density_rule(x):
    y = normal_density(x)
    return y, lambda y_bar: y_bar * conj(-below_infinity(x, 40.0) * y)


facts.pure(normal_density)
facts.fresh(normal_density)
facts.total(normal_density)
facts.result(normal_density)(elementwise(np.exp, 1))


@adjoint(special.log_ndtr)
def log_ndtr(x):
    y = special.log_ndtr(x)
    return y, lambda y_bar: y_bar * conj(log_ndtr_slope(x, y))


def log_ndtr_slope(x, y):
    """The density over the distribution function, by a quotient of large numbers where both are
    close to 0: `erfcx(x)` is `exp(x**2) erfc(x)`."""
    is_negative = np.real(x) < 0
    scaled = special.erfcx(np.where(is_negative, -0.7071067811865476 * x, 0.0))
    density = np.exp(np.where(is_negative, 0.0, -0.5 * x * x - y)) / 2.5066282746310002
    return np.where(is_negative, 0.7978845608028654 / scaled, density)


@adjoint(special.ndtri)
def ndtri(x):
    y = special.ndtri(x)
    return y, lambda y_bar: y_bar * conj(2.5066282746310002 * np.exp(0.5 * y * y))


@adjoint(special.entr)
def entr(x):
    return special.entr(x), lambda y_bar: y_bar * conj(-np.log(x) - 1)


@adjoint(special.exp10)
def exp10(x):
    y = special.exp10(x)
    return y, lambda y_bar: y_bar * conj(np.log(10.0) * y)


@adjoint(special.exp2)
def exp2(x):
    y = special.exp2(x)
    return y, lambda y_bar: y_bar * conj(np.log(2.0) * y)


@adjoint(special.expm1)
def expm1(x):
    y = special.expm1(x)
    return y, lambda y_bar: y_bar * conj(y + 1)


@adjoint(special.log1p)
def log1p(x):
    return special.log1p(x), lambda y_bar: y_bar / in_numpy(conj(1 + x))


@adjoint(special.cbrt)
def cbrt(x):
    y = special.cbrt(x)
    return y, lambda y_bar: y_bar * conj(1 / (3 * y * y))


@adjoint(special.cosm1)
def cosm1(x):
    return special.cosm1(x), lambda y_bar: y_bar * conj(-np.sin(x))


@adjoint(special.exp1)
def exp1(x):
    return special.exp1(x), lambda y_bar: y_bar * conj(-np.exp(-x) / x)


@adjoint(special.expi)
def expi(x):
    return special.expi(x), lambda y_bar: y_bar * conj(np.exp(x) / x)


@adjoint(special.exprel)
def exprel(x):
    y = special.exprel(x)
    return y, lambda y_bar: y_bar * conj(exprel_slope(x, y))


@adjoint(special.sindg)
def sindg(x):
    return special.sindg(x), lambda y_bar: y_bar * conj(0.017453292519943295 * special.cosdg(x))


@adjoint(special.cosdg)
def cosdg(x):
    return special.cosdg(x), lambda y_bar: y_bar * conj(-0.017453292519943295 * special.sindg(x))


@adjoint(special.tandg)
def tandg(x):
    y = special.tandg(x)
    return y, lambda y_bar: y_bar * conj(0.017453292519943295 * (1 + y * y))


@adjoint(special.cotdg)
def cotdg(x):
    y = special.cotdg(x)
    return y, lambda y_bar: y_bar * conj(-0.017453292519943295 * (1 + y * y))


@adjoint(special.spence)
def spence(x):
    return special.spence(x), lambda y_bar: y_bar * conj(spence_slope(x))


@adjoint(special.ellipk)
def ellipk(x):
    y = special.ellipk(x)
    return y, lambda y_bar: y_bar * conj(ellipk_slope(x, y))


@adjoint(special.ellipe)
def ellipe(x):
    y = special.ellipe(x)
    return y, lambda y_bar: y_bar * conj(ellipe_slope(x, y))


# Slopes with a quotient 0/0: hypergeometric series around that point, whose derivatives of all
# orders are right there (DLMF 13.6.1, 15.4.1 and 19.5.1-2), and closed forms elsewhere.


def exprel_slope(x, y):
    """The slope of `(exp(x) - 1) / x`."""
    is_near = np.less(np.abs(x), 0.5)
    series = 0.5 * special.hyp1f1(2.0, 3.0, np.where(is_near, x, 0.0))
    return np.where(is_near, series, (np.exp(x) - y) / np.where(is_near, 1.0, x))


def spence_slope(x):
    is_near = np.less(np.abs(1 - x), 0.5)
    series = -special.hyp2f1(1.0, 1.0, 2.0, np.where(is_near, 1 - x, 0.0))
    return np.where(is_near, series, np.log(x) / np.where(is_near, 1.0, 1 - x))


def ellipk_slope(x, y):
    is_near = np.less(np.abs(x), 0.5)
    series = np.pi / 8 * special.hyp2f1(1.5, 1.5, 2.0, np.where(is_near, x, 0.0))
    slope = (special.ellipe(x) / (1 - x) - y) / np.where(is_near, 1.0, 2 * x)
    return np.where(is_near, series, slope)


def ellipe_slope(x, y):
    is_near = np.less(np.abs(x), 0.5)
    series = -np.pi / 8 * special.hyp2f1(0.5, 1.5, 2.0, np.where(is_near, x, 0.0))
    slope = (y - special.ellipk(x)) / np.where(is_near, 1.0, 2 * x)
    return np.where(is_near, series, slope)


# Entropies and the like


@adjoint(special.xlogy)
def xlogy(x, y):
    def back(z_bar):
        return (
            unbroadcast(z_bar * conj(np.log(y)), x),
            unbroadcast(z_bar * conj(ratio_or_zero(x, y)), y),
        )

    return special.xlogy(x, y), back


@adjoint(special.xlog1py)
def xlog1py(x, y):
    def back(z_bar):
        return (
            unbroadcast(z_bar * conj(np.log1p(y)), x),
            unbroadcast(z_bar * conj(ratio_or_zero(x, np.add(y, 1.0))), y),
        )

    return special.xlog1py(x, y), back


def ratio_or_zero(x, y):
    """`x / y`, and 0 for 0 / 0, where the function is 0 whatever `y` is."""
    is_unknown = np.equal(x, 0) & np.equal(y, 0)
    return np.where(is_unknown, 0.0, x / np.where(is_unknown, 1.0, y))


def log_ratio(x, y):
    """`log(x / y)`, by two logarithms where their ratio is 0, of which that has the slopes."""
    is_zero = np.equal(x, 0)
    apart = np.log(np.where(is_zero, x, 1.0)) - np.log(np.where(is_zero, y, 1.0))
    return np.where(is_zero, apart, np.log(np.where(is_zero, 1.0, np.true_divide(x, y))))


@adjoint(special.rel_entr)
def rel_entr(x, y):
    def back(z_bar):
        return (
            unbroadcast(z_bar * (log_ratio(x, y) + 1), x),
            unbroadcast(-z_bar * ratio_or_zero(x, y), y),
        )

    return special.rel_entr(x, y), back


@adjoint(special.kl_div)
def kl_div(x, y):
    def back(z_bar):
        return (
            unbroadcast(z_bar * log_ratio(x, y), x),
            unbroadcast(z_bar * (1 - ratio_or_zero(x, y)), y),
        )

    return special.kl_div(x, y), back


@adjoint(special.huber)
def huber(delta, r):
    def back(y_bar):
        is_inner = np.abs(r) <= delta
        return (
            unbroadcast(y_bar * np.where(is_inner, 0.0, np.abs(r) - delta), delta),
            unbroadcast(y_bar * np.where(is_inner, r, delta * np.sign(r)), r),
        )

    return special.huber(delta, r), back


@adjoint(special.pseudo_huber)
def pseudo_huber(delta, r):
    def back(y_bar):
        length = np.hypot(delta, r)
        length = np.where(np.equal(length, 0), 1.0, length)
        rest = r * r / (length + delta)
        return (
            unbroadcast(y_bar * rest * rest / length, delta),
            unbroadcast(y_bar * delta * r / length, r),
        )

    return special.pseudo_huber(delta, r), back


@adjoint(special.boxcox)
def boxcox(x, lmbda):
    def back(y_bar):
        return (
            unbroadcast(y_bar * np.power(x, np.subtract(lmbda, 1.0)), x),
            unbroadcast(y_bar * boxcox_slope(x, lmbda), lmbda),
        )

    return special.boxcox(x, lmbda), back


def boxcox_slope(x, lmbda):
    """The slope of `(x**lmbda - 1) / lmbda` in `lmbda`, which is an ordinary one at 0."""
    is_zero = np.equal(x, 0) & np.greater(lmbda, 0)
    log = np.log(np.where(is_zero, 1.0, x))
    power = lmbda * log
    limit = 1 / np.where(is_zero, lmbda, 1.0) ** 2
    return np.where(is_zero, limit, log * log * exprel_slope(power, special.exprel(power)))


@adjoint(special.stdtr)
def stdtr(df, t):
    def back(y_bar):
        n = np.minimum(df, 1e200)  # infinitely many degrees of freedom are no more than these
        factor = special.poch(0.5 * n, 0.5) / np.sqrt(n * np.pi)
        slope = factor * np.exp(-0.5 * (n + 1) * np.log1p(t * t / n))
        return without_formula(df, "df", "stdtr"), unbroadcast(y_bar * slope, t)

    return special.stdtr(df, t), back


@adjoint(special.logsumexp)
def logsumexp(a, axis=None, b=None, keepdims=False):
    y = special.logsumexp(a, axis, b, keepdims)

    def back(y_bar):
        return (
            restored(y_bar, np.shape(a), axis, keepdims) * conj(special.softmax(a, axis))
            if b is None
            else unbroadcast(weighted_parts(y_bar, y, a, b, axis, keepdims) * conj(b), a),
            None,
            None if b is None else unbroadcast(weighted_parts(y_bar, y, a, b, axis, keepdims), b),
        )

    return y, back


@stand_in(special.logsumexp)
def logsumexp_with_sign(a, axis=None, b=None, keepdims=False, return_sign=False):
    if not return_sign:
        return special.logsumexp(a, axis, b, keepdims)
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        raise NotDifferentiable("logsumexp has no rule for return_sign=True and complex numbers")
    sign = sign_of_sum(a, axis, b)
    weights = sign if b is None else b * sign
    sign = sign if keepdims else np.squeeze(sign, axis)
    return special.logsumexp(a, axis, weights, keepdims), sign[()]


def sign_of_sum(a, axis, b):
    largest = np.max(a, axis, keepdims=True)
    parts = np.exp(a - np.where(np.isfinite(largest), largest, 0))
    return np.sign(np.sum(parts if b is None else parts * b, axis, keepdims=True))


constant(sign_of_sum)


def weighted_parts(y_bar, y, a, b, axis, keepdims):
    """The cotangent of the weights `b` of a logarithm of a sum of exponentials."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    shares = np.exp(a - restored(y, shape, axis, keepdims))
    return restored(y_bar, shape, axis, keepdims) * conj(shares)


@adjoint(special.softmax)
def softmax(x, axis=None):
    y = special.softmax(x, axis)

    def back(y_bar):
        return (conj(y) * (y_bar - np.sum(y_bar * conj(y), axis, keepdims=True)),)

    return y, back


@adjoint(special.log_softmax)
def log_softmax(x, axis=None):
    y = special.log_softmax(x, axis)

    def back(y_bar):
        return (y_bar - conj(np.exp(y)) * np.sum(y_bar, axis, keepdims=True),)

    return y, back
