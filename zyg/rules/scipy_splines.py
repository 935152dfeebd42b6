"""Rules of `scipy.interpolate`: splines by their knots and coefficients, as Python code.

    make_interp_spline(x, y)            ->  Spline(t, c, 3, True, 0)
    splev(points, (t, c, 3))            ->  spline_values(points, t, c, 3, 0, True)

Derivatives go through values, knots and points. Source: C. de Boor, "A Practical Guide to Splines"
(1978), chapters IX to XIII.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate, linalg

from ir import facts
from ir.types import TOP, Known
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_interpolate import extended, in_double
from zyg.rules.scipy_objects import stands_in
from zyg.signature import abstract


class Spline(NamedTuple):
    """A sum of B-splines, as `scipy.interpolate.BSpline`."""

    t: Any
    c: Any
    k: Any
    extrapolate: Any
    axis: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else spline_of(made)

    def __call__(self, x, nu=0, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        value = spline_values(x, self.t, self.c, self.k, nu, beyond)
        return np.moveaxis(value, moved(np.ndim(x), 0), moved(np.ndim(x), self.axis))

    def derivative(self, nu=1):
        t, c, k = slopes_of(self.t, self.c, self.k, nu)
        return Spline(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        t, c, k = areas_of(self.t, self.c, self.k, nu)
        return Spline(t, c, k, False if self.extrapolate == "periodic" else self.extrapolate,
                      self.axis)

    def integrate(self, a, b, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        if isinstance(beyond, str):
            raise NotDifferentiable("integrals of periodic splines have no rule: add up periods")
        return area_between(a, b, self.t, self.c, self.k, beyond)


def moved(count, first):
    return tuple(range(first, first + count))


def spline_values(points, t, c, k, nu, extrapolate):
    points = np.asarray(points)
    low, high = t[k], t[len(c)]
    if isinstance(extrapolate, str):
        points = low + (points - low) % (high - low)
    at = interval(t, points, k, len(c))
    value = combined(c[at - k + offsets(k + 1, at)], points, t, k, at, nu)
    if extrapolate is True or isinstance(extrapolate, str):
        return value
    is_inside = np.reshape((points >= low) & (points <= high), column_of(points, c[0]))
    return np.where(is_inside, value, np.nan)


def combined(local, points, t, k, at, nu):
    """The sum of B-splines with these coefficients, or of their derivatives.

    `local` has those of the `k + 1` B-splines that aren't 0 in the interval of each point.
    """
    if nu > k:
        return 0 * local[0]
    for i in range(nu):
        degree = k - i
        left, right = ends(t, at, degree)
        width = np.reshape((right - left) / degree, (degree, *column_of(points, local[0], at)))
        local = np.diff(local, axis=0) / width
    weights = basis(points, t, k - nu, at)
    column = (k - nu + 1, *column_of(points, local[0], at))
    return np.sum(np.reshape(weights, column) * local, axis=0)


def basis(points, t, k, at):
    """The values of the `k + 1` B-splines that aren't 0 in the interval of each point."""
    values = np.ones((1, *np.shape(points)))
    for degree in range(1, k + 1):
        left, right = ends(t, at, degree)
        share = values / (right - left)
        zero = 0 * share[:1]
        rising = np.concatenate([zero, (points - left) * share])
        values = np.concatenate([(right - points) * share, zero]) + rising
    return values


def ends(t, at, degree):
    """Where the B-splines of the degree below start and end that aren't 0 in an interval."""
    places = at + 1 + offsets(degree, at)
    return t[places - degree], t[places]


def offsets(count, at):
    return np.reshape(np.arange(count), (-1,) + (1,) * np.ndim(at))


def column_of(points, values, at=None):
    """The shape in which numbers for each point broadcast to values."""
    count = np.ndim(values) if at is None else np.ndim(values) - np.ndim(at)
    return np.shape(points) + (1,) * count


def interval(t, points, k, count):
    """The knot in front of each point."""
    return np.clip(np.searchsorted(t, points, side="right") - 1, k, count - 1)


constant(interval)


def slopes_of(t, c, k, nu):
    """Knots, coefficients and degree of a derivative."""
    for _ in range(nu):
        count = len(c)
        width = (t[k + 1 : k + count] - t[1:count]) / k
        is_empty = np.equal(width, 0)
        slopes = np.diff(c, axis=0) / along(np.where(is_empty, 1.0, width), c)
        t, c, k = t[1:-1], np.where(along(is_empty, c), 0.0, slopes), k - 1
    return t, c, k


def areas_of(t, c, k, nu):
    """Knots, coefficients and degree of the integral from the first knot on."""
    for _ in range(nu):
        count = len(c)
        parts = c * along((t[k + 1 : k + 1 + count] - t[:count]) / (k + 1), c)
        sums = np.cumsum(parts, axis=0)
        t, c = np.concatenate([t[:1], t, t[-1:]]), np.concatenate([0 * sums[:1], sums])
        k = k + 1
    return t, c, k


def along(numbers, c):
    return np.reshape(numbers, (-1,) + (1,) * (np.ndim(c) - 1))


def area_between(a, b, t, c, k, extrapolate):
    low, high = t[k], t[len(c)]
    t, c, k = areas_of(t, c, k, 1)
    if not extrapolate:
        a, b = np.clip(a, low, high), np.clip(b, low, high)
    return spline_values(b, t, c, k, 0, True) - spline_values(a, t, c, k, 0, True)


@substitute(interpolate.BSpline)
def b_spline(t, c, k, extrapolate=True, axis=0):
    t, c = np.asarray(t), in_double(c, axis)
    return Spline(t, c[: len(t) - k - 1], k, extended(extrapolate), axis % np.ndim(c))


def spline_of(spline):
    c = spline.c[: len(spline.t) - spline.k - 1]
    return Spline(spline.t, c, spline.k, spline.extrapolate, spline.axis)


@facts.result(spline_of)
def type_of_spline(args, kwargs):
    return abstract(spline_of(args[0].value)) if isinstance(args[0], Known) else TOP


constant(spline_of)
stands_in(Spline)


@substitute(interpolate.BSpline.__call__)
def spline_call(self, x, nu=0, extrapolate=None):
    return spline_of(self)(x, nu, extrapolate)


@substitute(interpolate.BSpline.derivative)
def spline_derivative(self, nu=1):
    return spline_of(self).derivative(nu)


@substitute(interpolate.BSpline.antiderivative)
def spline_antiderivative(self, nu=1):
    return spline_of(self).antiderivative(nu)


@substitute(interpolate.BSpline.integrate)
def spline_integral(self, a, b, extrapolate=None):
    return spline_of(self).integrate(a, b, extrapolate)


# Through points: a banded equation, by which values and slopes are those that are given


@substitute(interpolate.make_interp_spline)
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    x, y = np.asarray(x), in_double(y, axis)
    knots, c = through_points(x, y, k, t, bc_type)
    return Spline(knots, c, k, True, axis % np.ndim(y))


def through_points(x, y, k, t, bc_type):
    refuse_periodic(bc_type)
    if bc_type is None or isinstance(bc_type, str):
        start, end = bc_type, bc_type
    else:
        start, end = bc_type
    if isinstance(start, str) and start == "not-a-knot":
        start, end = None, None
    first, last = conditions(start), conditions(end)
    if t is not None:
        knots = np.asarray(t)
    elif k == 0:
        knots = np.concatenate([x, x[-1:]])
    elif len(first) + len(last) == 0:
        knots = not_a_knot(x, k)
    else:
        knots = np.concatenate([np.repeat(x[:1], k), x, np.repeat(x[-1:], k)])
    band = collocation(x, knots, k, first, last)
    right = np.concatenate([
        *[np.reshape(0 * y[0] + value, (1, *np.shape(y)[1:])) for _, value in first],
        y,
        *[np.reshape(0 * y[0] + value, (1, *np.shape(y)[1:])) for _, value in last],
    ])
    flat = np.reshape(right, (len(right), -1))
    return knots, np.reshape(linalg.solve_banded((k, k), band, flat), np.shape(right))


def refuse_periodic(bc_type):
    if isinstance(bc_type, str) and bc_type == "periodic":
        raise NotDifferentiable(
            "scipy.interpolate.make_interp_spline has no rule for bc_type='periodic': use "
            "CubicSpline"
        )


def conditions(end):
    """Orders of derivatives and their values at an end."""
    if end is None:
        return []
    if isinstance(end, str):
        if end not in ("natural", "clamped"):
            raise ValueError(f"Unknown boundary condition : {end}")
        return [(2 if end == "natural" else 1, 0.0)]
    return list(end)


def not_a_knot(x, k):
    """Knots at the points, or for an even degree between them, but for those next to the ends."""
    inner = x if k % 2 else 0.5 * (x[1:] + x[:-1])
    skipped = (k + 1) // 2
    return with_ends(inner[skipped : len(inner) - skipped], x, k)


def with_ends(inner, x, k):
    return np.concatenate([np.repeat(x[:1], k + 1), inner, np.repeat(x[-1:], k + 1)])


def collocation(x, t, k, first, last):
    """The diagonals of the matrix of all B-splines at all points, and of slopes at the ends."""
    count = len(t) - k - 1
    at = interval(t, x, k, count)
    rows = [
        *[slopes_at(x[:1], t, k, at[:1], order) for order, _ in first],
        basis(x, t, k, at),
        *[slopes_at(x[-1:], t, k, at[-1:], order) for order, _ in last],
    ]
    values = np.concatenate(rows, axis=1)
    starts = np.concatenate([np.repeat(at[:1], len(first)), at, np.repeat(at[-1:], len(last))]) - k
    columns = np.arange(count)
    row = columns + np.arange(-k, k + 1)[:, None]
    within = np.clip(row, 0, count - 1)
    place = columns - starts[within]
    is_there = (row == within) & (place >= 0) & (place <= k)
    return np.where(is_there, values[np.clip(place, 0, k), within], 0.0)


def slopes_at(points, t, k, at, order):
    """The derivatives of the `k + 1` B-splines that aren't 0 in the interval of each point."""
    each = np.reshape(np.eye(k + 1), (k + 1, 1, k + 1)) * np.ones((1, len(points), 1))
    return np.transpose(combined(each, points, t, k, at, order))


constant(refuse_periodic)


# By least squares, with knots that are given


@substitute(interpolate.make_lsq_spline)
def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="norm-eq"):
    x, y, t = np.asarray(x), in_double(y, axis), np.asarray(t)
    return Spline(t, least_squares(x, y, t, k, w), k, True, axis % np.ndim(y))


def least_squares(x, y, t, k, w):
    """The coefficients, from the normal equations."""
    count = len(t) - k - 1
    at = interval(t, x, k, count)
    weights = basis(x, t, k, at)
    if w is not None:
        weights = weights * w
    places = at - k + offsets(k + 1, at)
    diagonals = [
        np.bincount(
            np.ravel(places[: k + 1 - d]), np.ravel(weights[: k + 1 - d] * weights[d:]), count
        )
        for d in range(k + 1)
    ]
    flat = np.reshape(y, (len(y), -1)) if w is None else np.reshape(y, (len(y), -1)) * (
        np.reshape(w, (-1, 1))
    )
    width = np.shape(flat)[1]
    into = places[..., None] * width + np.arange(width)
    right = np.bincount(np.ravel(into), np.ravel(weights[..., None] * flat), count * width)
    c = linalg.solveh_banded(np.stack(diagonals), np.reshape(right, (count, width)), lower=True)
    return np.reshape(c, (count, *np.shape(y)[1:]))
