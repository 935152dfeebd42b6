"""Rules of `scipy.interpolate`: FITPACK's splines, as tuples and as `UnivariateSpline`.

    splev(points, (t, c, 3))                ->  spline_values(points, t, c, 3, 0, True)
    InterpolatedUnivariateSpline(x, y)      ->  Univariate(t, c, 3, 0)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate

from ir import facts
from ir.types import TOP, Known
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_objects import stands_in
from zyg.rules.scipy_splines import (
    Spline,
    area_between,
    areas_of,
    least_squares,
    slopes_of,
    spline_of,
    spline_values,
    through_points,
    with_ends,
)
from zyg.signature import abstract

# FITPACK's functions, by tuples of knots, coefficients and degree


@substitute(interpolate.splrep)
def splrep(
    x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1
):
    if xb is not None or xe is not None or full_output or per or task > 0:
        raise NotDifferentiable("scipy.interpolate.splrep has no rule for these options")
    x, y = np.asarray(x), np.asarray(y)
    if t is not None:
        knots = with_ends(np.asarray(t), x, k)
        c = least_squares(x, y, knots, k, w)
    else:
        refuse_smoothing(w, s, "splrep")
        knots, c = through_points(x, y, k, None, None)
    return knots, np.concatenate([c, np.zeros(k + 1)]), k


def refuse_smoothing(w, s, name):
    if (s is None and w is not None) or (s is not None and s != 0):
        raise NotDifferentiable(
            f"scipy.interpolate.{name} has a rule for s=0 or knots `t` that are given: where "
            "smoothing puts the knots has no derivative"
        )


constant(refuse_smoothing)


def parts_of(tck):
    """Knots, coefficients and degree of a tuple or spline, and the axis of a spline."""
    if isinstance(tck, interpolate.BSpline):
        spline = spline_of(tck)
        return spline.t, spline.c, spline.k, spline.axis
    if isinstance(tck, Spline):
        return tck.t, tck.c, tck.k, tck.axis
    t, c, k = tck[0], tck[1], tck[2]
    if isinstance(c, list | tuple):
        raise NotDifferentiable("splines of curves have no rule: use an array of coefficients")
    return t, c[: len(t) - k - 1], k, 0


@substitute(interpolate.splev)
def splev(x, tck, der=0, ext=0):
    t, c, k, _ = parts_of(tck)
    return extended_values(x, t, c, k, der, ext)


def extended_values(x, t, c, k, der, ext):
    """The values as FITPACK has them beyond the ends."""
    if ext in (0, "extrapolate"):
        return spline_values(x, t, c, k, der, True)
    low, high = t[k], t[len(c)]
    if ext in (2, "raise"):
        refuse_beyond(x, low, high)
        return spline_values(x, t, c, k, der, True)
    if ext in (3, "const"):
        return spline_values(np.clip(x, low, high), t, c, k, der, True)
    value = spline_values(x, t, c, k, der, True)
    return np.where(np.less(x, low) | np.greater(x, high), 0.0, value)


def refuse_beyond(x, low, high):
    if np.any(np.less(x, low)) or np.any(np.greater(x, high)):
        raise ValueError("points are beyond the ends of the spline, and ext=2")


constant(refuse_beyond)


@substitute(interpolate.splint)
def splint(a, b, tck, full_output=0):
    if full_output:
        raise NotDifferentiable("scipy.interpolate.splint has no rule for full_output")
    t, c, k, _ = parts_of(tck)
    return area_between(a, b, t, c, k, False)


@substitute(interpolate.splder)
def splder(tck, n=1):
    t, c, k, axis = parts_of(tck)
    t, c, k = slopes_of(t, c, k, n)
    return padded(tck, t, c, k, axis)


@substitute(interpolate.splantider)
def splantider(tck, n=1):
    t, c, k, axis = parts_of(tck)
    t, c, k = areas_of(t, c, k, n)
    return padded(tck, t, c, k, axis)


def padded(tck, t, c, k, axis):
    if not isinstance(tck, Spline) and isinstance(tck, tuple):
        return t, np.concatenate([c, np.zeros(k + 1)]), k
    return Spline(t, c, k, True, axis)


# `UnivariateSpline` and its kin


class Univariate(NamedTuple):
    """A spline of one variable, as `scipy.interpolate.UnivariateSpline`."""

    t: Any
    c: Any
    k: Any
    ext: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else univariate_of(made)

    def __call__(self, x, nu=0, ext=None):
        ext = self.ext if ext is None else ext
        return extended_values(x, self.t, self.c, self.k, nu, ext)

    def derivative(self, n=1):
        t, c, k = slopes_of(self.t, self.c, self.k, n)
        return Univariate(t, c, k, 1 if self.ext == 3 else self.ext)

    def antiderivative(self, n=1):
        t, c, k = areas_of(self.t, self.c, self.k, n)
        return Univariate(t, c, k, self.ext)

    def integral(self, a, b):
        return area_between(a, b, self.t, self.c, self.k, False)

    def get_knots(self):
        return self.t[self.k : len(self.t) - self.k]

    def get_coeffs(self):
        return self.c


@substitute(interpolate.InterpolatedUnivariateSpline)
def interpolated_univariate(
    x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False
):
    refuse_bounds(bbox)
    x, y = np.asarray(x), np.asarray(y)
    t, c = through_points(x, y, k, None, None)
    return Univariate(t, c, k, ext)


@substitute(interpolate.UnivariateSpline)
def univariate(
    x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False
):
    refuse_smoothing(1, s, "UnivariateSpline")
    return interpolated_univariate(x, y, w, bbox, k, ext)


@substitute(interpolate.LSQUnivariateSpline)
def least_squares_univariate(
    x, y, t, w=None, bbox=(None, None), k=3, ext=0, check_finite=False
):
    refuse_bounds(bbox)
    x, y = np.asarray(x), np.asarray(y)
    knots = with_ends(np.asarray(t), x, k)
    return Univariate(knots, least_squares(x, y, knots, k, w), k, ext)


def refuse_bounds(bbox):
    if any(bound is not None for bound in bbox):
        raise NotDifferentiable("scipy.interpolate.UnivariateSpline has no rule for `bbox`")


def univariate_of(spline):
    t, c, k = spline._eval_args
    return Univariate(t, c[: len(t) - k - 1], k, spline.ext)


@facts.result(univariate_of)
def type_of_univariate(args, kwargs):
    return abstract(univariate_of(args[0].value)) if isinstance(args[0], Known) else TOP


constant(refuse_bounds, univariate_of)
stands_in(Univariate)


@substitute(interpolate.UnivariateSpline.__call__)
def univariate_call(self, x, nu=0, ext=None):
    return univariate_of(self)(x, nu, ext)


@substitute(interpolate.UnivariateSpline.derivative)
def univariate_derivative(self, n=1):
    return univariate_of(self).derivative(n)


@substitute(interpolate.UnivariateSpline.antiderivative)
def univariate_antiderivative(self, n=1):
    return univariate_of(self).antiderivative(n)


@substitute(interpolate.UnivariateSpline.integral)
def univariate_integral(self, a, b):
    return univariate_of(self).integral(a, b)
