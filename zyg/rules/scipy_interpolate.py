"""Rules of `scipy.interpolate`: what `interp1d` and `CubicSpline` make, as functions.

    interp1d(x, y)(points)      ->  linear(points, x, y, ...)
    CubicSpline(x, y)(points)   ->  spline(points, 0, x, y, slopes, ...)

At a knot of `interp1d`, the slope is that of the piece in front of it. Source of the equation of
cubic splines: C. de Boor, "A Practical Guide to Splines" (1978), chapter IV.
"""

from __future__ import annotations

import numpy as np
from scipy import interpolate, linalg

from zyg.cotangents.cotangent import unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, substitute


@substitute(interpolate.interp1d)
def interp1d(
    x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan,
    assume_sorted=False,
):
    refuse_kind(x, y, kind, axis, fill_value, bounds_error)
    return lambda points: linear(points, x, y, bounds_error, fill_value)


def refuse_kind(x, y, kind, axis, fill_value, bounds_error):
    if kind not in ("linear", 1) or np.ndim(y) != 1 or np.any(np.diff(x) <= 0):
        raise NotDifferentiable(
            "scipy.interpolate.interp1d has a rule for kind='linear', one-dimensional values and "
            "rising x only: use CubicSpline, or sort"
        )
    if not (isinstance(fill_value, str) or np.ndim(fill_value) == 0 or len(fill_value) == 2):
        raise NotDifferentiable("scipy.interpolate.interp1d has no rule for this fill_value")


def linear(points, x, y, bounds_error, fill_value):
    x, points = np.asarray(x), np.asarray(points)
    above = piece(x, points)
    low, high = x[above - 1], x[above]
    weight = (points - low) / (high - low)
    y = np.asarray(y)
    inner = (1 - weight) * y[above - 1] + weight * y[above]
    if isinstance(fill_value, str):
        return inner
    check_bounds(points, x, bounds_error, fill_value)
    below_value, above_value = (
        (fill_value[0], fill_value[1]) if np.ndim(fill_value) else (fill_value, fill_value)
    )
    inner = np.where(points < x[0], below_value, inner)
    return np.where(points > x[-1], above_value, inner)


def piece(x, points):
    """The knot behind each point."""
    return np.clip(np.searchsorted(x, points), 1, len(x) - 1)


def check_bounds(points, x, bounds_error, fill_value):
    is_open = np.ndim(fill_value) > 0 or not np.isnan(fill_value)
    if (bounds_error is None and is_open) or bounds_error is False:
        return
    if np.any(points < x[0]) or np.any(points > x[-1]):
        raise ValueError("A value in x_new is outside the interpolation range.")


constant(refuse_kind, piece, check_bounds)


# Cubic splines


@substitute(interpolate.CubicSpline)
def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    refuse_ends(x, axis, bc_type)
    slopes = knot_slopes(x, y, bc_type)
    return lambda points, nu=0: spline(points, nu, x, y, slopes, extrapolate)


def refuse_ends(x, axis, bc_type):
    known = isinstance(bc_type, str) and bc_type in ("not-a-knot", "natural", "clamped")
    if axis != 0 or not known or len(x) < 4 or np.any(np.diff(x) <= 0):
        raise NotDifferentiable(
            "scipy.interpolate.CubicSpline has a rule for axis=0, four or more rising x, and "
            "bc_type 'not-a-knot', 'natural' or 'clamped' only"
        )


def knot_slopes(x, y, bc_type):
    """The slopes at the knots, from the banded equation that `CubicSpline` solves."""
    y = np.asarray(y)
    widths = np.diff(x)
    column = np.reshape(widths, (-1, *[1 for _ in np.shape(y)[1:]]))
    secants = np.diff(y, axis=0) / column
    inner = 3 * (column[1:] * secants[:-1] + column[:-1] * secants[1:])
    first, last = end_rows(widths, secants, bc_type)
    diagonals = [
        [np.zeros(1), first[1], widths[:-1]],
        [first[0], 2 * (widths[:-1] + widths[1:]), last[0]],
        [widths[1:], last[1], np.zeros(1)],
    ]
    band = np.stack([np.concatenate(row) for row in diagonals])
    right = np.concatenate([first[2], inner, last[2]])
    flat = np.reshape(right, (len(right), -1))
    return np.reshape(linalg.solve_banded((1, 1), band, flat), np.shape(right))


def end_rows(widths, secants, bc_type):
    """Of the first and the last equation: the diagonal, what stands beside it, the right side."""
    if bc_type == "not-a-knot":
        return not_a_knot(widths, secants), not_a_knot(widths[::-1], secants[::-1])
    first, last = widths[:1], widths[-1:]
    if bc_type == "natural":
        return (
            (2 * first, first, 3 * first[0] * secants[:1]),
            (2 * last, last, 3 * last[0] * secants[-1:]),
        )
    return (np.ones(1), np.zeros(1), 0 * secants[:1]), (np.ones(1), np.zeros(1), 0 * secants[-1:])


def not_a_knot(widths, secants):
    """The third derivative is the same in the first two pieces."""
    near, far = widths[0], widths[1]
    both = near + far
    right = ((near + 2 * both) * far * secants[:1] + near**2 * secants[1:2]) / both
    return widths[1:2], widths[:1] + widths[1:2], right


def spline(points, nu, x, y, slopes, extrapolate):
    x, y, points = np.asarray(x), np.asarray(y), np.asarray(points)
    at = last_knot(x, points)
    trailing = (*np.shape(points), *[1 for _ in np.shape(y)[1:]])
    width = np.reshape(x[at + 1] - x[at], trailing)
    t = np.reshape(points - x[at], trailing)
    secant = (y[at + 1] - y[at]) / width
    bend = (slopes[at] + slopes[at + 1] - 2 * secant) / width
    cubic, square = bend / width, (secant - slopes[at]) / width - bend
    if nu == 0:
        value = ((cubic * t + square) * t + slopes[at]) * t + y[at]
    elif nu == 1:
        value = (3 * cubic * t + 2 * square) * t + slopes[at]
    elif nu == 2:
        value = 6 * cubic * t + 2 * square
    else:
        raise NotDifferentiable("CubicSpline has a rule for nu=0, 1 and 2 only")
    if extrapolate is None or extrapolate:
        return value
    return np.where(np.reshape((points < x[0]) | (points > x[-1]), trailing), np.nan, value)


def last_knot(x, points):
    """The knot in front of each point."""
    return np.clip(np.searchsorted(x, points, side="right") - 1, 0, len(x) - 2)


constant(refuse_ends, last_knot)


# Of a spline that was made elsewhere, the values at the knots are constant.
@adjoint(interpolate.CubicSpline.__call__)
def evaluated(self, x, nu=0, extrapolate=None):
    return self(x, nu, extrapolate), lambda bar: (
        None,
        unbroadcast(points_bar(bar * self(x, nu + 1, extrapolate), np.ndim(x)), x),
    )


def points_bar(slopes, ndim):
    """The sum over all axes but the first `ndim`, which are those of the points."""
    others = tuple(range(ndim, np.ndim(slopes)))
    return np.sum(slopes, others) if others else slopes

