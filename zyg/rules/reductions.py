"""Rules of reductions and cumulations: products, extrema, moments; `zyg.rules.sums` has the sums.

The helpers give the cotangent of the operand as a function of the cotangent of the result; the
methods of arrays share them.
"""

from __future__ import annotations

import math

import numpy as np

from zyg.arrays.selections import selected
from zyg.cotangents.cotangent import conj, inexact_dtype, subtract, unbroadcast
from zyg.rules.registry import adjoint, constant
from zyg.rules.sums import count_along, makes_whole, restored, spread

constant(
    *(np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.argpartition),
    *(np.all, np.any, np.count_nonzero, np.argwhere, np.nonzero, np.flatnonzero),
    *(np.searchsorted, np.digitize, np.lexsort),
)


@adjoint(np.average)
def average(a, axis=None, weights=None, *, keepdims=False):
    y = np.average(a, axis=axis, weights=weights, keepdims=keepdims)

    def back(y_bar):
        return (
            weighted(y_bar, a, axis, weights, keepdims),
            None,
            None if weights is None else weighting(y_bar, y, a, axis, weights, keepdims),
        )

    return y, back


def aligned(weights, a, axis):
    """Weights in a shape that broadcasts against `a`: that of the axes `axis`, or of all."""
    if axis is None or np.shape(weights) == np.shape(a):
        return weights
    if not isinstance(axis, tuple):
        lengths = [-1 if i == axis % np.ndim(a) else 1 for i in range(np.ndim(a))]
        return np.reshape(weights, lengths)
    axes = [i % np.ndim(a) for i in axis]
    lengths = [n if i in axes else 1 for i, n in enumerate(np.shape(a))]
    return np.reshape(np.transpose(weights, np.argsort(axes)), lengths)


def weighted(y_bar, a, axis, weights, keepdims):
    """The cotangent of the items of an average."""
    shape = np.shape(a)
    if weights is None:
        return spread(y_bar / count_along(shape, axis), shape, axis, keepdims)
    full = np.broadcast_to(aligned(weights, a, axis), shape)
    total = np.sum(full, axis=axis, keepdims=True)
    return restored(y_bar, shape, axis, keepdims) * conj(full / total)


def weighting(y_bar, y, a, axis, weights, keepdims):
    """The cotangent of the weights of an average `y`."""
    shape = np.shape(a)
    lined_up = aligned(weights, a, axis)
    total = np.sum(np.broadcast_to(lined_up, shape), axis=axis, keepdims=True)
    deviation = (a - restored(y, shape, axis, keepdims)) / total
    bar = restored(y_bar, shape, axis, keepdims) * conj(deviation)
    return aligned_back(unbroadcast(bar, lined_up), weights, a, axis)


def aligned_back(bar, weights, a, axis):
    """Undoes `aligned`."""
    if not isinstance(axis, tuple) or np.shape(weights) == np.shape(a):
        return np.reshape(bar, np.shape(weights))
    axes = [i % np.ndim(a) for i in axis]
    in_order = np.reshape(bar, [np.shape(a)[i] for i in sorted(axes)])
    return np.transpose(in_order, place_in(axes))


def place_in(axes):
    """For each axis its place among them in ascending order."""
    return np.argsort(np.argsort(axes))


@adjoint(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    y = np.var(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)
    return y, lambda y_bar: (
        var_bar(y_bar, a, axis, ddof, keepdims), None, None, None,
        freedom_bar(y_bar * y, a, axis, ddof),
    )


def var_bar(y_bar, a, axis, ddof, keepdims):
    """The cotangent of `a`, where `y_bar` is that of its variance: `2 (a - mean) / (n - ddof)`."""
    shape = np.shape(a)
    freedom = count_along(shape, axis) - ddof
    # Without degrees of freedom NumPy divides by 0.
    scale = 2 / freedom if freedom > 0 else math.inf
    return restored(y_bar * scale, shape, axis, keepdims) * (a - np.mean(a, axis, keepdims=True))


@adjoint(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    y = np.std(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)
    return y, lambda y_bar: (
        std_bar(y_bar, y, a, axis, ddof, keepdims), None, None, None,
        freedom_bar(0.5 * y_bar * y, a, axis, ddof),
    )


def freedom_bar(part, a, axis, ddof):
    """The cotangent of `ddof`, by which a sum of squares is divided: `part / (n - ddof)`."""
    return unbroadcast(part / (count_along(np.shape(a), axis) - ddof), ddof)


def std_bar(y_bar, y, a, axis, ddof, keepdims):
    """The cotangent of `a`, where `y_bar` is that of its deviation `y`; 0 where `y` is 0."""
    return var_bar(y_bar * inverse_or_zero(2 * y), a, axis, ddof, keepdims)


def inverse_or_zero(y):
    """`1 / y`, and 0 where `y` is 0."""
    return np.where(y == 0, 0, 1 / np.where(y == 0, 1, y))


@adjoint(np.max, np.amax)
def max_(a, axis=None, out=None, keepdims=False, initial=None):
    y = np.max(a, axis=axis, keepdims=keepdims, initial=initial)

    def back(y_bar):
        return (
            extremum_bar(y_bar, y, a, axis, keepdims, initial),
            None,
            None,
            None,
            None if initial is None else initial_bar(y_bar, y, a, axis, keepdims, initial),
        )

    return y, back


@adjoint(np.min, np.amin)
def min_(a, axis=None, out=None, keepdims=False, initial=None):
    y = np.min(a, axis=axis, keepdims=keepdims, initial=initial)

    def back(y_bar):
        return (
            extremum_bar(y_bar, y, a, axis, keepdims, initial),
            None,
            None,
            None,
            None if initial is None else initial_bar(y_bar, y, a, axis, keepdims, initial),
        )

    return y, back


@adjoint(np.nanmax)
def nanmax(a, axis=None, out=None, keepdims=False, initial=None):
    y = np.nanmax(a, axis=axis, keepdims=keepdims, initial=initial)

    def back(y_bar):
        return (
            extremum_bar(y_bar, y, a, axis, keepdims, initial),
            None,
            None,
            None,
            None if initial is None else initial_bar(y_bar, y, a, axis, keepdims, initial),
        )

    return y, back


@adjoint(np.nanmin)
def nanmin(a, axis=None, out=None, keepdims=False, initial=None):
    y = np.nanmin(a, axis=axis, keepdims=keepdims, initial=initial)

    def back(y_bar):
        return (
            extremum_bar(y_bar, y, a, axis, keepdims, initial),
            None,
            None,
            None,
            None if initial is None else initial_bar(y_bar, y, a, axis, keepdims, initial),
        )

    return y, back


def extremum_bar(y_bar, y, a, axis, keepdims, initial=None):
    """The cotangent of `a`, where `y` is its maximum or minimum; ties share equally."""
    shape = np.shape(a)
    winners = np.equal(a, restored(y, shape, axis, keepdims))
    part = restored(y_bar, shape, axis, keepdims)
    # Counted in the dtype of the operand: an int64 would make single precision double.
    ties = int(np.count_nonzero(winners)) if axis is None else (
        np.sum(winners, axis=axis, dtype=inexact_dtype(a), keepdims=True)
    )
    if initial is None:
        return selected(part / ties, winners)
    ties = ties + restored(np.equal(y, initial), shape, axis, keepdims)
    return selected(part / np.where(ties == 0, 1, ties).astype(inexact_dtype(a)), winners)


def initial_bar(y_bar, y, a, axis, keepdims, initial):
    """The cotangent of the value with which a search for an extremum `y` of `a` starts."""
    winners = np.equal(a, restored(y, np.shape(a), axis, keepdims))
    ties = 1 + np.sum(winners, axis=axis, keepdims=keepdims)
    return unbroadcast(np.where(np.equal(y, initial), y_bar / ties, 0), initial)


@adjoint(np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    top = np.max(a, axis=axis, keepdims=keepdims)
    bottom = np.min(a, axis=axis, keepdims=keepdims)

    def back(y_bar):
        of_top = extremum_bar(y_bar, top, a, axis, keepdims)
        return (subtract(of_top, extremum_bar(y_bar, bottom, a, axis, keepdims)),)

    return np.subtract(top, bottom), back


@adjoint(np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=0):
    y = np.nansum(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial)
    shape = np.shape(a)

    return y, lambda y_bar: (
        np.where(np.isnan(a), 0, spread(y_bar, shape, axis, keepdims)),
        None, None, None, None,
        unbroadcast(y_bar, initial),
    )


@adjoint(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    y = np.nanmean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    return y, lambda y_bar: (nanmean_bar(y_bar, a, axis, keepdims),)


def nanmean_bar(y_bar, a, axis, keepdims):
    """The cotangent of `a`, where `y_bar` is that of the mean of its items that are not NaN."""
    shape = np.shape(a)
    present = np.logical_not(np.isnan(a))
    part = restored(y_bar, shape, axis, keepdims)
    count = np.count_nonzero(present, axis=axis, keepdims=True)
    return np.where(present, part / np.asarray(count).astype(np.result_type(part)), 0)


@adjoint(np.prod)
def prod(a, axis=None, dtype=None, out=None, keepdims=False):
    y = np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims)
    has_rounded = dtype is not None and makes_whole(a, dtype)
    return y, lambda y_bar: (None if has_rounded else prod_bar(y_bar, y, a, axis, keepdims),)


def prod_bar(y_bar, y, a, axis, keepdims):
    """The cotangent of `a`, where `y` is its product: exact also where items are 0."""
    shape = np.shape(a)
    part = restored(y_bar, shape, axis, keepdims)
    if np.all(y) or np.all(a):
        return part * conj(restored(y, shape, axis, keepdims)) / conj(a)
    axes = (
        range(len(shape))
        if axis is None
        else [i % len(shape) for i in (axis if isinstance(axis, tuple) else (axis,))]
    )
    order = [i for i in range(len(shape)) if i not in axes] + list(axes)
    moved = np.transpose(a, order)
    flat = np.reshape(moved, (*moved.shape[: len(shape) - len(axes)], -1))
    others = np.transpose(np.reshape(products_of_others(flat), moved.shape), np.argsort(order))
    return part * conj(others)


def products_of_others(a):
    """For each item the product of all others along the last axis, without a division."""
    ones = np.ones_like(a[..., :1])
    before = np.cumprod(np.concatenate([ones, a[..., :-1]], axis=-1), axis=-1)
    behind = np.cumprod(np.concatenate([ones, a[..., :0:-1]], axis=-1), axis=-1)
    return before * behind[..., ::-1]


@adjoint(np.cumsum)
def cumsum(a, axis=None, dtype=None, out=None):
    shape = np.shape(a)
    y = np.cumsum(a, axis=axis, dtype=dtype)
    has_rounded = dtype is not None and makes_whole(a, dtype)
    return y, lambda y_bar: (None if has_rounded else cumsum_bar(y_bar, shape, axis),)


def cumsum_bar(y_bar, shape, axis):
    """The cotangent of the operand of a cumulative sum: the cumulative sum from behind."""
    return np.reshape(reversed_cumsum(y_bar, 0 if axis is None else axis), shape)


def reversed_cumsum(y_bar, axis):
    """The cumulative sum from the last item to the first."""
    return np.flip(np.cumsum(np.flip(y_bar, axis), axis), axis)


@adjoint(np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    y = np.cumprod(a, axis=axis, dtype=dtype)
    has_rounded = dtype is not None and makes_whole(a, dtype)
    return y, lambda y_bar: (None if has_rounded else cumprod_bar(y_bar * conj(y), y_bar, a, axis),)


def cumprod_bar(terms, y_bar, a, axis):
    """The cotangent of `a`, where `terms` are those of `y` times `y`, the cumulative product of
    `a`: exact also where items are 0.

    Without zeros `sum(y_bar[j] y[j] for j >= i) / a[i]`; else the product of what stands before the
    item times `sum(y_bar[j] a[i + 1] ... a[j] for j >= i)`.
    """
    if np.all(a):
        flat = np.reshape(a, np.shape(terms))
        bar = reversed_cumsum(terms, 0 if axis is None else axis) / conj(flat)
        return np.reshape(bar, np.shape(a))
    y = np.cumprod(a, axis=axis)
    last = np.reshape(a, -1) if axis is None else np.moveaxis(a, axis, -1)
    last_bar = y_bar if axis is None else np.moveaxis(y_bar, axis, -1)
    products = y if axis is None else np.moveaxis(y, axis, -1)
    before = np.concatenate([np.ones_like(products[..., :1]), products[..., :-1]], -1)
    bar = conj(before) * discounted_sums(last_bar, conj(last))
    return np.reshape(bar, np.shape(a)) if axis is None else np.moveaxis(bar, -1, axis)


def discounted_sums(b, a):
    """`s[i] = b[i] + a[i + 1] s[i + 1]` along the last axis, by doubling the number of terms."""
    length = np.shape(b)[-1]
    factor = np.concatenate([a[..., 1:], np.zeros_like(a[..., :1])], -1)
    for k in range((length - 1).bit_length()):
        nothing = np.zeros_like(b[..., : 2**k])
        rest = np.concatenate([b[..., 2**k :], nothing], -1)
        further = np.concatenate([factor[..., 2**k :], nothing], -1)
        b, factor = b + factor * rest, factor * further
    return b


TRAPEZOID = np.trapezoid if hasattr(np, "trapezoid") else getattr(np, "trapz")  # noqa: B009


@adjoint(TRAPEZOID)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    def back(z_bar):
        return (
            trapezoid_heights_bar(z_bar, y, x, dx, axis),
            None if x is None else trapezoid_grid_bar(z_bar, y, x, axis),
            None if x is not None else trapezoid_widths_bar(z_bar, y, dx, axis),
        )

    return TRAPEZOID(y, x, dx, axis), back


def trapezoid_heights_bar(z_bar, y, x, dx, axis):
    """Each height counts with half the widths of the two intervals that it bounds."""
    if x is None and np.ndim(dx) == 0:
        heights = np.moveaxis(y, axis, -1)
        full = np.broadcast_to(np.asarray(z_bar * conj(dx))[..., None], np.shape(heights))
        return unbroadcast(np.moveaxis(halved_ends(full), -1, axis), y)
    widths = dx if x is None else widths_of(x, np.ndim(y), axis)
    means = mean_heights(y, axis)
    bars = np.expand_dims(z_bar, axis) * conj(0.5 * widths)
    shape = np.broadcast_shapes(np.shape(bars), np.shape(means))
    halves = unbroadcast(np.broadcast_to(bars, shape), means)
    nothing = np.zeros_like(np.take(y, [0], axis), dtype=np.result_type(halves))
    return np.concatenate([nothing, halves], axis) + np.concatenate([halves, nothing], axis)


def halved_ends(a):
    """Half of the first and of the last item along the last axis: nothing of an only one."""
    if np.shape(a)[-1] < 2:
        return np.zeros_like(a)
    return np.concatenate([0.5 * a[..., :1], a[..., 1:-1], 0.5 * a[..., -1:]], -1)


def widths_of(x, ndim, axis):
    """The widths of the intervals between places `x`, which broadcast against heights."""
    if np.ndim(x) != 1:
        return np.diff(x, axis=axis)
    return np.reshape(np.diff(x), [-1 if i == axis % ndim else 1 for i in range(ndim)])


def mean_heights(y, axis):
    heights = np.moveaxis(y, axis, 0)
    return np.moveaxis(0.5 * (heights[1:] + heights[:-1]), 0, axis)


def trapezoid_widths_bar(z_bar, y, dx, axis):
    if np.ndim(dx) == 0:
        return unbroadcast(z_bar * conj(TRAPEZOID(y, axis=axis)), dx)
    return unbroadcast(np.expand_dims(z_bar, axis) * conj(mean_heights(y, axis)), dx)


def trapezoid_grid_bar(z_bar, y, x, axis):
    """The end of an interval moves the integral by the mean height, its start by minus that."""
    widths = widths_of(x, np.ndim(y), axis)
    means = unbroadcast(np.expand_dims(z_bar, axis) * conj(mean_heights(y, axis)), widths)
    if np.ndim(x) == 1:
        means, axis = np.reshape(means, -1), 0
    nothing = np.zeros_like(np.take(x, [0], axis), dtype=np.result_type(means))
    return np.concatenate([nothing, means], axis) - np.concatenate([means, nothing], axis)


@adjoint(np.trace)
def trace(a, offset=0, axis1=0, axis2=1):
    shape = np.shape(a)
    y = np.trace(a, offset, axis1, axis2)
    return y, lambda y_bar: (trace_bar(y_bar, shape, offset, axis1, axis2),)


def trace_bar(y_bar, shape, offset, axis1, axis2):
    """The cotangent of an array whose trace has `y_bar`: `y_bar` on the diagonal, else 0."""
    eye = np.eye(shape[axis1], shape[axis2], offset, dtype=np.result_type(y_bar))
    bar = np.asarray(y_bar)[..., None, None] * eye
    return np.moveaxis(bar, (-2, -1), (axis1, axis2))
