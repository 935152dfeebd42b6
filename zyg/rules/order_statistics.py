"""Rules of medians, quantiles and percentiles: weighted sums of items in order.

Where `q` lies between two items, the result is a weighted sum of the two, and each receives its
part of the cotangent. Source: R. Hyndman and Y. Fan, "Sample quantiles in statistical packages"
(1996), whose methods NumPy has.
"""

from __future__ import annotations

import math

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.cotangents.cotangent import unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.indexing import along_axis_bar
from zyg.rules.reductions import extremum_bar
from zyg.rules.registry import adjoint, constant, substitute

# The place of the quantile `q` among `n` items by `n q + alpha + q (1 - alpha - beta) - 1`.
ALPHA_BETA = {
    "linear": (1.0, 1.0), "weibull": (0.0, 0.0), "hazen": (0.5, 0.5),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
    "interpolated_inverted_cdf": (0.0, 1.0),
}


# `overwrite_input` permits to sort the array in place, which no rule makes use of.


@adjoint(np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    y = np.median(a, axis, keepdims=keepdims)
    return y, lambda y_bar: (quantile_bar(y_bar, a, 0.5, axis, "linear", keepdims),)


@adjoint(np.quantile)
def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False,
    weights=None,
):
    y = np.quantile(a, q, axis, method=method, keepdims=keepdims) if weights is None else (
        np.quantile(a, q, axis, method=method, keepdims=keepdims, weights=weights)
    )

    return y, lambda y_bar: (
        (chosen_bar(y_bar, y, a, q, axis, keepdims), None) if weights is not None else (
            quantile_bar(y_bar, a, q, axis, method, keepdims),
            place_bar(y_bar, a, q, axis, method, keepdims),
        )
    )


@adjoint(np.percentile)
def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False,
    weights=None,
):
    y = np.percentile(a, q, axis, method=method, keepdims=keepdims) if weights is None else (
        np.percentile(a, q, axis, method=method, keepdims=keepdims, weights=weights)
    )

    return y, lambda y_bar: (
        (chosen_bar(y_bar, y, a, q, axis, keepdims), None) if weights is not None else (
            quantile_bar(y_bar, a, np.true_divide(q, 100), axis, method, keepdims),
            place_bar(y_bar, a, np.true_divide(q, 100), axis, method, keepdims, 0.01),
        )
    )


def neighbours(q, length, method):
    """The positions of the items on both sides of a quantile, and the weight of the upper one."""
    if method not in ALPHA_BETA:
        # These choose an item, or the middle of two: the same of the items 0, 1, 2, ...
        place = np.quantile(np.arange(float(length)), q, method=method)
    else:
        alpha, beta = ALPHA_BETA[method]
        place = np.clip(length * q + alpha + q * (1 - alpha - beta) - 1, 0, length - 1)
    below = np.floor(place).astype(int)
    return below, np.minimum(below + 1, length - 1), place - below


def as_rows(a, axis):
    """The array with the axes of the quantile made the last one, and the axes that remain."""
    ndim = np.ndim(a)
    axes = range(ndim) if axis is None else np.atleast_1d(axis)
    gone = tuple([int(i) % ndim for i in axes])
    kept = tuple([i for i in range(ndim) if i not in gone])
    rows, sizes = np.transpose(a, (*kept, *gone)), np.shape(a)
    count = math.prod([sizes[i] for i in gone])
    return np.reshape(rows, [*[sizes[i] for i in kept], count]), kept, gone


def spread_bar(y_bar, q, kept, gone, keepdims):
    """The cotangent with the dimensions of `q` made one, which is the last."""
    ndim = np.ndim(q)
    if keepdims:
        y_bar = np.squeeze(y_bar, tuple([ndim + i for i in gone]))
    flat = np.reshape(y_bar, [np.size(q), *np.shape(y_bar)[ndim:]])
    return np.moveaxis(flat, 0, -1)


def quantile_bar(y_bar, a, q, axis, method, keepdims):
    """The cotangent of the items: each of two neighbours receives its weight's part."""
    rows, kept, gone = as_rows(np.asarray(a), axis)
    bars = spread_bar(y_bar, q, kept, gone, keepdims)
    length = np.shape(rows)[-1]
    below, above, weight = neighbours(np.reshape(q, -1), length, method)
    wanted = np.concatenate([below, above])
    order = np.argpartition(rows, np.unique(wanted), -1)
    chosen = np.take(order, wanted, -1)
    parts = np.concatenate([bars * (1 - weight), bars * weight], -1)
    bar = along_axis_bar(parts, np.shape(rows), chosen, -1)
    shape = [np.shape(a)[i] for i in (*kept, *gone)]
    back_order = np.argsort(np.array((*kept, *gone)))
    return unbroadcast(np.transpose(np.reshape(bar, shape), back_order), a)


def chosen_bar(y_bar, y, a, q, axis, keepdims):
    """The cotangent of the items, each result being one of them; equal ones share."""
    if np.ndim(q) == 0:
        return extremum_bar(y_bar, y, a, axis, keepdims)
    rest = np.shape(y)[np.ndim(q) :]
    bars, results = np.reshape(y_bar, (-1, *rest)), np.reshape(y, (-1, *rest))
    parts = [
        extremum_bar(bar, chosen, a, axis, keepdims)
        for bar, chosen in zip(bars, results, strict=True)
    ]
    return np.sum(np.stack(parts), axis=0)


def place_bar(y_bar, a, q, axis, method, keepdims, scale=1.0):
    """The cotangent of `q`: the difference of the neighbours times the number of steps."""
    if method not in ALPHA_BETA:
        return None
    rows, kept, gone = as_rows(np.asarray(a), axis)
    bars = spread_bar(y_bar, q, kept, gone, keepdims)
    length = np.shape(rows)[-1]
    flat = np.reshape(q, -1)
    below, above, _ = neighbours(flat, length, method)
    alpha, beta = ALPHA_BETA[method]
    place = length * flat + alpha + flat * (1 - alpha - beta) - 1
    is_inside = np.logical_and(place > 0, place < length - 1)
    ordered = np.sort(rows, -1)
    steps = np.take(ordered, above, -1) - np.take(ordered, below, -1)
    slope = steps * np.where(is_inside, scale * (length + 1 - alpha - beta), 0.0)
    total = np.sum(bars * slope, tuple(range(np.ndim(rows) - 1)))
    return unbroadcast(np.reshape(total, np.shape(q)), q)


# Without what isn't a number


@substitute(np.nanmedian)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return nanquantile(a, 0.5, axis, keepdims=keepdims)


@substitute(np.nanpercentile)
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False
):
    return nanquantile(a, np.true_divide(q, 100), axis, method=method, keepdims=keepdims)


@substitute(np.nanquantile)
def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False
):
    """Quantiles of the numbers in each row; NaN where there is none."""
    rows, _, gone = as_rows(np.asarray(a), axis)
    lead = np.shape(rows)[:-1]
    flat = np.reshape(rows, (-1, np.shape(rows)[-1]))
    found = []
    for row in flat:
        numbers = row[np.logical_not(np.isnan(row))]
        if len(numbers) == 0:
            found = [*found, np.full(np.shape(q), np.nan)]
        else:
            found = [*found, np.quantile(numbers, q, method=method)]
    y = np.reshape(np.moveaxis(np.stack(found), 0, -1), (*np.shape(q), *lead))
    return np.expand_dims(y, tuple([i + np.ndim(q) for i in gone])) if keepdims else y[()]


# Counts


@adjoint(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    found, edges = np.histogram(a, bins, range, density, weights)
    if density and weights is not None:
        raise NotDifferentiable("np.histogram has no rule for density=True with weights")

    return (found, edges), lambda bars: (
        refuse_items(a),
        edges_bar(bars[1], bins),
        None,
        None,
        None if weights is None or bars[0] is None else bar_by_bin(bars[0], a, edges),
    )


def edges_bar(bar, bins):
    """The cotangent of the edges that were given."""
    if np.ndim(bins) > 0:
        return bar
    if bar is not None and np.any(bar):
        raise NotDifferentiable("the edges that np.histogram chooses have no rule: give `bins`")
    return None


def refuse_items(a):
    if np.asarray(a).dtype.kind in "iu":
        return
    raise NotDifferentiable(
        "np.histogram has no derivative in what it counts: keep that out with zyg.dropgrad"
    )


# Where nobody asks for it, the call goes.
facts.total(refuse_items)
facts.result(refuse_items)(lambda args, kwargs: TOP)
constant(refuse_items)


def bar_by_bin(bar, a, edges):
    """For each item the cotangent of its bin, and 0 outside; the last bin holds its upper edge."""
    place = np.clip(np.searchsorted(edges, a, side="right") - 1, 0, len(edges) - 2)
    return np.where((a >= edges[0]) & (a <= edges[-1]), bar[place], 0)
