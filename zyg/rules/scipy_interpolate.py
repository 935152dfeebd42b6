"""Rules of `scipy.interpolate`: what `CubicSpline` and its kin make, as Python code.

    CubicSpline(x, y)                   ->  Pieces(coefficients, x, ...)
    PchipInterpolator(x, y)(points, 1)  ->  Pieces(coefficients, x, ...)(points, 1)

At a knot, the slope is that of the piece behind it. Source of the equation of cubic splines: C. de
Boor, "A Practical Guide to Splines" (1978), chapter IV.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate, linalg

from ir import facts
from ir.types import TOP, Known
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute
from zyg.rules.scipy_objects import stands_in
from zyg.signature import abstract

# Piecewise polynomials


class Pieces(NamedTuple):
    """Polynomials between knots, by the coefficients that `scipy.interpolate.PPoly` has."""

    c: Any
    x: Any
    extrapolate: Any
    axis: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else pieces_of(made)

    def __call__(self, x, nu=0, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        value = evaluated_pieces(x, differentiated(self.c, nu), self.x, beyond)
        return on_axis(value, np.ndim(x), self.axis)

    def derivative(self, nu=1):
        if nu < 0:
            return self.antiderivative(-nu)
        return Pieces(differentiated(self.c, nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        if nu < 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            c = integrated(c, self.x)
        beyond = False if self.extrapolate == "periodic" else self.extrapolate
        return Pieces(c, self.x, beyond, self.axis)

    def integrate(self, a, b, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        if beyond == "periodic":
            raise NotDifferentiable("integrals of periodic splines have no rule: add up periods")
        c = integrated(self.c, self.x)
        return evaluated_pieces(b, c, self.x, beyond) - evaluated_pieces(a, c, self.x, beyond)

    def roots(self, discontinuity=True, extrapolate=None):
        raise NotDifferentiable("`roots` and `solve` of splines have no rule: use optimize.brentq")

    def solve(self, y=0.0, discontinuity=True, extrapolate=None):
        raise NotDifferentiable("`roots` and `solve` of splines have no rule: use optimize.brentq")


def evaluated_pieces(points, c, x, extrapolate):
    """By Horner's scheme in the distance from the knot in front of each point."""
    points = np.asarray(points)
    if isinstance(extrapolate, str):
        points = x[0] + (points - x[0]) % (x[-1] - x[0])
    at = last_knot(x, points)
    trailing = np.shape(points) + (1,) * (np.ndim(c) - 2)
    t = np.reshape(points - x[at], trailing)
    value = c[0][at]
    for row in c[1:]:
        value = value * t + row[at]
    if extrapolate is True:
        return value
    return np.where(np.reshape(is_beyond(points, x), trailing), np.nan, value)


def last_knot(x, points):
    """The knot in front of each point."""
    return np.clip(np.searchsorted(x, points, side="right") - 1, 0, len(x) - 2)


def is_beyond(points, x):
    return (points < x[0]) | (points > x[-1])


def on_axis(value, count, axis):
    """The `count` axes of points, which come first, where the axis of knots was."""
    if axis == 0:
        return value
    first, others = tuple(range(count)), tuple(range(count, np.ndim(value)))
    return np.transpose(value, (*others[:axis], *first, *others[axis:]))


def differentiated(c, nu):
    """The coefficients of a derivative."""
    if nu == 0:
        return c
    if nu >= len(c):
        return 0.0 * c[:1]
    factors = falling_factorials(len(c), nu)
    return c[:-nu] * column(factors, c)


def falling_factorials(count, nu):
    powers = np.arange(count - 1.0, nu - 1.0, -1.0)
    return np.prod([powers - i for i in range(nu)], axis=0)


def integrated(c, x):
    """The coefficients of the integral from the first knot on."""
    higher = c / column(np.arange(1.0 * len(c), 0.0, -1.0), c)
    t = column(np.diff(x), c[0])
    areas = higher[0]
    for row in higher[1:]:
        areas = areas * t + row
    before = np.cumsum(areas * t, axis=0)
    start = np.concatenate([0.0 * before[:1], before[:-1]])
    return np.concatenate([higher, start[None]])


def hermite(x, y, slopes):
    """The coefficients of cubic polynomials with these values and slopes at the knots."""
    width = column(np.diff(x), y)
    secant = np.diff(y, axis=0) / width
    bend = (slopes[:-1] + slopes[1:] - 2 * secant) / width
    return np.stack([bend / width, (secant - slopes[:-1]) / width - bend, slopes[:-1], y[:-1]])


def column(widths, y):
    return np.reshape(widths, (-1,) + (1,) * (np.ndim(y) - 1))


def in_double(y, axis=0):
    """Numbers of double precision, along the first axis."""
    y = np.asarray(y)
    return np.moveaxis(y.astype(np.result_type(y, float)), axis, 0)


def refuse_order(x):
    if np.any(np.diff(x) <= 0):
        raise ValueError("`x` must be strictly increasing sequence.")


constant(last_knot, is_beyond, falling_factorials, refuse_order)


# Cubic splines


@substitute(interpolate.CubicSpline)
def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    refuse_order(x)
    x, y = np.asarray(x), in_double(y, axis)
    slopes = knot_slopes(x, y, bc_type)
    beyond = "periodic" if extrapolate is None and is_periodic(bc_type) else extrapolate
    return Pieces(hermite(x, y, slopes), x, extended(beyond), axis % np.ndim(y))


def extended(extrapolate):
    """Whether there are values beyond the last knots, or the word for those of another period."""
    if extrapolate is None:
        return True
    return extrapolate if isinstance(extrapolate, str) else bool(extrapolate)


def is_periodic(bc_type):
    return isinstance(bc_type, str) and bc_type == "periodic"


def knot_slopes(x, y, bc_type):
    """The slopes at the knots, from the banded equation that `CubicSpline` solves."""
    if is_periodic(bc_type):
        return periodic_slopes(x, y)
    if isinstance(bc_type, str):
        return slopes_with_ends(x, y, bc_type, bc_type)
    return slopes_with_ends(x, y, bc_type[0], bc_type[1])


def slopes_with_ends(x, y, start, end):
    widths = np.diff(x)
    wide = column(widths, y)
    secants = np.diff(y, axis=0) / wide
    backwards, last_secants = widths[::-1], secants[::-1]
    if len(x) == 3 and is_not_a_knot(start) and is_not_a_knot(end):
        first, last = row_of_parabola(secants), row_of_parabola(last_secants)
    else:
        first = end_row(widths, secants, start, 1.0)
        last = end_row(backwards, last_secants, end, -1.0)
    inner = 3 * (wide[1:] * secants[:-1] + wide[:-1] * secants[1:])
    diagonals = [
        [np.zeros(1), first[1], widths[:-1]],
        [first[0], 2 * (widths[:-1] + widths[1:]), last[0]],
        [widths[1:], last[1], np.zeros(1)],
    ]
    band = np.stack([np.concatenate(row) for row in diagonals])
    return banded(band, np.concatenate([first[2], inner, last[2]]))


def banded(band, right):
    flat = np.reshape(right, (len(right), -1))
    return np.reshape(linalg.solve_banded((1, 1), band, flat), np.shape(right))


def end_row(widths, secants, condition, direction):
    """Of the equation of an end: the diagonal, what stands beside it, the right side."""
    if is_not_a_knot(condition):
        return not_a_knot(widths, secants)
    if isinstance(condition, str):
        return end_row_of(order_of(condition), 0.0, widths, secants, direction)
    return end_row_of(condition[0], condition[1], widths, secants, direction)


def is_not_a_knot(condition):
    return isinstance(condition, str) and condition == "not-a-knot"


def end_row_of(order, value, widths, secants, direction):
    refuse_order_of_end(order)
    width = widths[:1]
    if order == 1:
        return np.ones(1), np.zeros(1), 0 * secants[:1] + value
    bend = 0.5 * direction * widths[0] ** 2 * value
    return 2 * width, width, 3 * widths[0] * secants[:1] - bend


def order_of(condition):
    """Of the derivative that is 0 at an end."""
    if condition == "clamped":
        return 1
    if condition == "natural":
        return 2
    raise ValueError(f"bc_type={condition} is not allowed.")


def refuse_order_of_end(order):
    if order not in (1, 2):
        raise ValueError("The specified derivative order must be 1 or 2.")


def row_of_parabola(secants):
    """Of three knots, where nothing is given at the ends."""
    return np.ones(1), np.ones(1), 2 * secants[:1]


def not_a_knot(widths, secants):
    """The third derivative is the same in the first two pieces; a single one is straight."""
    if len(widths) == 1:
        return np.ones(1), np.zeros(1), secants[:1]
    near, far = widths[0], widths[1]
    both = near + far
    right = ((near + 2 * both) * far * secants[:1] + near**2 * secants[1:2]) / both
    return widths[1:2], widths[:1] + widths[1:2], right


def refuse_different_ends(y):
    if not np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
        raise ValueError(
            "The first and last `y` point must be identical (within machine precision) when "
            "bc_type='periodic'."
        )


def periodic_slopes(x, y):
    """The slopes of a periodic spline: the last unknown one is found behind the others."""
    refuse_different_ends(y)
    widths = np.diff(x)
    wide = column(widths, y)
    secants = np.diff(y, axis=0) / wide
    if len(widths) < 3:
        mean = np.sum(secants / wide, axis=0) / np.sum(1 / wide, axis=0)
        return np.stack([mean for _ in range(len(widths) + 1)])
    # Row i: widths[i] s[i - 1] + 2 (widths[i - 1] + widths[i]) s[i] + widths[i - 1] s[i + 1].
    before, wide_before = np.roll(widths, 1), np.roll(wide, 1, axis=0)
    right = 3 * (wide * np.roll(secants, 1, axis=0) + wide_before * secants)
    diagonal, zero = 2 * (before + widths), np.zeros(1)
    band = np.stack([
        np.concatenate([zero, before[:-2]]), diagonal[:-1], np.concatenate([widths[1:-1], zero])
    ])
    to_last = np.concatenate([-widths[:1], np.zeros(len(widths) - 3), -before[-2:-1]])
    inner, along = banded(band, right[:-1]), column(banded(band, to_last), secants)
    last = (right[-1:] - wide_before[-1:] * inner[:1] - wide[-1:] * inner[-1:]) / (
        diagonal[-1] + before[-1] * along[:1] + widths[-1] * along[-1:]
    )
    found = inner + last * along
    return np.concatenate([found, last, found[:1]])


constant(refuse_order_of_end, refuse_different_ends)


# Other piecewise cubic polynomials


@substitute(interpolate.CubicHermiteSpline)
def cubic_hermite_spline(x, y, dydx, axis=0, extrapolate=None):
    refuse_order(x)
    x, y, slopes = np.asarray(x), in_double(y, axis), in_double(dydx, axis)
    beyond = extended(extrapolate)
    return Pieces(hermite(x, y, slopes), x, beyond, axis % np.ndim(y))


@substitute(interpolate.PchipInterpolator)
def pchip_interpolator(x, y, axis=0, extrapolate=None):
    refuse_order(x)
    x, y = np.asarray(x), in_double(y, axis)
    beyond = extended(extrapolate)
    return Pieces(hermite(x, y, pchip_slopes(x, y)), x, beyond, axis % np.ndim(y))


@substitute(interpolate.pchip_interpolate)
def pchip_interpolate(xi, yi, x, der=0, axis=0):
    pieces = pchip_interpolator(xi, yi, axis)
    return pieces(x, der) if np.ndim(der) == 0 else [pieces(x, nu) for nu in der]


def pchip_slopes(x, y):
    """Weighted harmonic means of the secants; 0 where these have different signs.

    Source: F. Fritsch and J. Butland, "A method for constructing local monotone piecewise cubic
    interpolants" (1984); at the ends C. Moler, "Numerical Computing with Matlab" (2004).
    """
    width = column(np.diff(x), y)
    secants = np.diff(y, axis=0) / width
    if len(x) == 2:
        return np.concatenate([secants, secants])
    is_flat = np.sign(secants[1:]) * np.sign(secants[:-1]) <= 0
    before, behind = np.where(is_flat, 1.0, secants[:-1]), np.where(is_flat, 1.0, secants[1:])
    first, second = 2 * width[1:] + width[:-1], width[1:] + 2 * width[:-1]
    means = (first + second) / (first / before + second / behind)
    start = end_slope(width[:2], secants[:2])
    end = end_slope(width[:-3:-1], secants[:-3:-1])
    return np.concatenate([start, np.where(is_flat, 0.0, means), end])


def end_slope(width, secants):
    """That of a parabola, within limits; of an end and the two pieces next to it."""
    near, far = secants[:1], secants[1:]
    slope = ((2 * width[:1] + width[1:]) * near - width[:1] * far) / (width[:1] + width[1:])
    is_steep = (np.sign(near) != np.sign(far)) & (np.abs(slope) > 3 * np.abs(near))
    slope = np.where(is_steep, 3 * near, slope)
    return np.where(np.sign(slope) != np.sign(near), 0.0, slope)


@substitute(interpolate.Akima1DInterpolator)
def akima_interpolator(x, y, axis=0, *, method="akima", extrapolate=None):
    refuse_order(x)
    x, y = np.asarray(x), in_double(y, axis)
    beyond = extended(False if extrapolate is None else extrapolate)
    slopes = akima_slopes(x, y, method)
    return Pieces(hermite(x, y, slopes), x, beyond, axis % np.ndim(y))


def akima_slopes(x, y, method):
    """Source: H. Akima, "A new method of interpolation and smooth curve fitting" (1970)."""
    secants = np.diff(y, axis=0) / column(np.diff(x), y)
    if len(x) == 2:
        return np.concatenate([secants, secants])
    left = 2 * secants[:1] - secants[1:2]
    right = 2 * secants[-1:] - secants[-2:-1]
    m = np.concatenate([
        2 * left - secants[:1], left, secants, right, 2 * right - secants[-1:]
    ])
    changes = np.abs(np.diff(m, axis=0))
    if method == "makima":
        changes = changes + 0.5 * np.abs(m[1:] + m[:-1])
    behind, before = changes[2:], changes[:-2]
    both = behind + before
    is_defined = both > 1e-9 * np.max(both)
    share = before / np.where(is_defined, both, 1.0)
    weighted = m[1:-2] + share * (m[2:-1] - m[1:-2])
    return np.where(is_defined, weighted, 0.5 * (m[3:] + m[:-3]))


# Of a spline that was made elsewhere, the values at the knots are constant.


def pieces_of(spline):
    if isinstance(spline, interpolate.BPoly):
        spline = interpolate.PPoly.from_bernstein_basis(spline)
    return Pieces(spline.c, spline.x, spline.extrapolate, spline.axis)


@facts.result(pieces_of)
def type_of_pieces(args, kwargs):
    return abstract(pieces_of(args[0].value)) if isinstance(args[0], Known) else TOP


constant(pieces_of)
stands_in(Pieces)


@substitute(interpolate.PPoly.__call__)
def evaluated(self, x, nu=0, extrapolate=None):
    return pieces_of(self)(x, nu, extrapolate)


@substitute(interpolate.PPoly.derivative)
def derivative(self, nu=1):
    return pieces_of(self).derivative(nu)


@substitute(interpolate.PPoly.antiderivative)
def antiderivative(self, nu=1):
    return pieces_of(self).antiderivative(nu)


@substitute(interpolate.PPoly.integrate)
def integral(self, a, b, extrapolate=None):
    return pieces_of(self).integrate(a, b, extrapolate)
