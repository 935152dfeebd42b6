"""Rules of `scipy.interpolate`: what `interp1d` makes, as Python code.

    interp1d(x, y)(points)      ->  Line(x, y, "linear", ...)(points)

At a knot, the slope is that of the piece in front of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate

from ir import facts
from ir.types import TOP, Known
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_interpolate import pieces_of
from zyg.rules.scipy_objects import stands_in
from zyg.signature import abstract


@substitute(interpolate.interp1d)
def interp1d(
    x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan,
    assume_sorted=False,
):
    refuse_kind(x, y, kind, fill_value)
    is_spline = kind not in PIECEWISE
    spline = interpolate.make_interp_spline(x, y, degree(kind)) if is_spline else None
    return Line(np.asarray(x), np.asarray(y), kind, spline, bounds_error, fill_value)


class Line(NamedTuple):
    """What is made of points, as `scipy.interpolate.interp1d`."""

    x: Any
    y: Any
    kind: Any
    spline: Any
    bounds_error: Any
    fill_value: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else line_of(made)

    def __call__(self, x):
        if self.kind in LINES:
            inner = linear(np.asarray(x), self.x, self.y)
        elif self.spline is None:
            inner = self.y[nearest(np.asarray(x), self.x, self.kind)]
        else:
            inner = self.spline(x)
        return filled(inner, x, self.x, self.bounds_error, self.fill_value)


LINES = ("linear", "slinear", 1)
PIECEWISE = (*LINES, "nearest", "nearest-up", "previous", "next", "zero", 0)


def refuse_kind(x, y, kind, fill_value):
    if np.ndim(y) != 1 or np.any(np.diff(x) <= 0):
        raise NotDifferentiable(
            "scipy.interpolate.interp1d has a rule for one-dimensional values and rising x only: "
            "use CubicSpline or make_interp_spline, or sort"
        )
    if not (isinstance(fill_value, str) or np.ndim(fill_value) == 0 or len(fill_value) == 2):
        raise NotDifferentiable("scipy.interpolate.interp1d has no rule for this fill_value")


def degree(kind):
    if kind == "cubic":
        return 3
    return 2 if kind == "quadratic" else kind


def linear(points, x, y):
    above = piece(x, points)
    low, high = x[above - 1], x[above]
    weight = (points - low) / (high - low)
    return (1 - weight) * y[above - 1] + weight * y[above]


def filled(inner, points, x, bounds_error, fill_value):
    """The values, with those that are given for points beyond the ends."""
    if isinstance(fill_value, str):
        return inner
    check_bounds(points, x, bounds_error, fill_value)
    below_value, above_value = (
        (fill_value[0], fill_value[1]) if np.ndim(fill_value) else (fill_value, fill_value)
    )
    inner = np.where(np.less(points, x[0]), below_value, inner)
    return np.where(np.greater(points, x[-1]), above_value, inner)


def nearest(points, x, kind):
    """The knot whose value is taken."""
    if kind == "nearest":
        return np.clip(np.searchsorted(0.5 * (x[1:] + x[:-1]), points), 0, len(x) - 1)
    if kind == "nearest-up":
        places = np.searchsorted(0.5 * (x[1:] + x[:-1]), points, side="right")
        return np.clip(places, 0, len(x) - 1)
    if kind == "next":
        return np.clip(np.searchsorted(x, points), 0, len(x) - 1)
    return np.clip(np.searchsorted(x, points, side="right") - 1, 0, len(x) - 1)


def piece(x, points):
    """The knot behind each point."""
    return np.clip(np.searchsorted(x, points), 1, len(x) - 1)


def check_bounds(points, x, bounds_error, fill_value):
    is_open = np.ndim(fill_value) > 0 or not np.isnan(fill_value)
    if (bounds_error is None and is_open) or bounds_error is False:
        return
    if np.any(np.less(points, x[0])) or np.any(np.greater(points, x[-1])):
        raise ValueError("A value in x_new is outside the interpolation range.")


constant(refuse_kind, piece, nearest, check_bounds)


# Of what was made elsewhere, the values are constant.


def line_of(made):
    if not isinstance(made, interpolate.interp1d):
        raise NotDifferentiable(
            f"scipy.interpolate.{type(made).__name__} has no rule: use CubicSpline or "
            "make_interp_spline"
        )
    spline, kind = None, made._kind
    refuse_kind(made.x, made.y, kind, made.fill_value)
    if kind == "spline":
        b_spline = made._spline
        plain = interpolate.BSpline(b_spline.t, np.ravel(b_spline.c), b_spline.k)
        spline = pieces_of(interpolate.PPoly.from_spline(plain))
    return Line(made.x, made.y, kind, spline, made.bounds_error, made.fill_value)


@facts.result(line_of)
def type_of_line(args, kwargs):
    is_line = isinstance(args[0], Known) and isinstance(args[0].value, interpolate.interp1d)
    return abstract(line_of(args[0].value)) if is_line else TOP


constant(line_of)
stands_in(Line)


@substitute(interpolate.interp1d.__call__)
def evaluated_line(self, x):
    return line_of(self)(x)
