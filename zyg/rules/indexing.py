"""Rules of functions that select items: by index, by condition, by order."""

from __future__ import annotations

import math

import numpy as np

from ir import facts
from ir.library.fact_rules import declare
from ir.types import TOP, Scalar
from zyg.array_type import ANY, Array, rank_of
from zyg.arrays.selections import is_finite, selected
from zyg.arrays.transposes import differences_back
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.cotangents.cotangent_items import scatter
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, stand_in

constant(
    *(np.indices, np.unravel_index, np.ravel_multi_index, np.tril_indices),
    *(np.triu_indices, np.diag_indices, np.isin),
)


@adjoint(np.ix_)
def ix_(*args):
    # What isn't positions, but numbers, is only reshaped.
    def back(y_bar):
        return tuple([None if bar is None else np.reshape(bar, -1) for bar in y_bar])

    return np.ix_(*args), back


@adjoint(np.take)
def take(a, indices, axis=None, *, mode="raise"):
    shape = np.shape(a)
    y = np.take(a, indices, axis, mode=mode)
    return y, lambda y_bar: (take_bar(y_bar, shape, indices, axis, mode), None)


def take_bar(y_bar, shape, indices, axis, mode):
    """Adds the cotangent of each item taken to where it came from."""
    if axis is None:
        flat = scatter(y_bar, (math.prod(shape),), legal(indices, math.prod(shape), mode))
        return np.reshape(flat, shape)
    before = [slice(None)] * (axis % len(shape))
    return scatter(y_bar, shape, (*before, legal(indices, shape[axis], mode)))


def legal(indices, length, mode):
    """Indices as `np.take` understands them: out of range they fail, wrap or are clipped."""
    if mode == "raise":
        return np.asarray(indices)
    return np.mod(indices, length) if mode == "wrap" else np.clip(indices, 0, length - 1)


@adjoint(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    shape = np.shape(arr)

    def back(y_bar):
        return along_axis_bar(y_bar, shape, indices, axis), None

    return np.take_along_axis(arr, indices, axis), back


def along_axis_bar(y_bar, shape, indices, axis):
    """Adds each cotangent to where `np.take_along_axis` read."""
    if axis is None:
        return np.reshape(scatter(y_bar, (math.prod(shape),), (indices,)), shape)
    return scatter(y_bar, shape, along_axis(shape, indices, axis % len(shape)))


def along_axis(shape, indices, axis):
    """The index of all dimensions by which `np.take_along_axis` reads; others broadcast."""
    # The places on the axis itself are given.
    grid = np.ix_(*[np.arange(1 if i == axis else shape[i]) for i in range(len(shape))])
    return tuple([indices if i == axis else grid[i] for i in range(len(shape))])


@adjoint(np.compress)
def compress(condition, a, axis=None):
    shape = np.shape(a)

    def back(y_bar):
        return None, take_bar(y_bar, shape, np.flatnonzero(condition), axis, "raise")

    return np.compress(condition, a, axis), back


@adjoint(np.extract)
def extract(condition, arr):
    return np.extract(condition, arr), lambda y_bar: (
        None,
        take_bar(y_bar, np.shape(arr), np.flatnonzero(condition), None, "raise"),
    )


@adjoint(np.delete)
def delete(arr, obj, axis=None):
    shape = np.shape(arr)

    def back(y_bar):
        return take_bar(y_bar, shape, kept_after(shape, obj, axis), axis, "raise"), None

    return np.delete(arr, obj, axis), back


def kept_after(shape, obj, axis):
    """The positions that `np.delete` leaves."""
    length = math.prod(shape) if axis is None else shape[axis]
    return np.delete(np.arange(length), obj)


@adjoint(np.where)
def where(condition, x=None, y=None):
    z = np.where(condition) if x is None else np.where(condition, x, y)

    def back(z_bar):
        return (
            None,
            None if x is None else unbroadcast(np.where(condition, z_bar, 0), x),
            None if x is None else unbroadcast(np.where(condition, 0, z_bar), y),
        )

    return z, back


@adjoint(np.select)
def select(condlist, choicelist, default=0):
    def back(z_bar):
        return (
            None,
            select_bars(z_bar, condlist, choicelist),
            unbroadcast(np.select(condlist, [0 for _ in condlist], z_bar), default),
        )

    return np.select(condlist, choicelist, default), back


def select_bars(z_bar, condlist, choicelist):
    """The first true condition takes the cotangent."""
    firsts = first_true(condlist)
    is_regular = is_finite(z_bar)
    return [
        unbroadcast(z_bar * first if is_regular else np.where(first, z_bar, 0), choice)
        for first, choice in zip(firsts, choicelist, strict=True)
    ]


def first_true(conditions):
    """For each of several masks where it is true, and none before it."""
    found = [conditions[0]]
    before = conditions[0]
    for condition in conditions[1:]:
        found = [*found, np.greater(condition, before)]
        before = np.logical_or(before, condition)
    return found


constant(first_true, is_finite)
facts.pure(is_finite)
facts.result(is_finite)(lambda args, kwargs: Scalar(bool))


@adjoint(np.clip)
def clip(a, a_min=None, a_max=None):
    def back(z_bar):
        return clip_bars(z_bar, a, a_min, a_max)

    return np.clip(a, a_min, a_max), back


@stand_in(np.clip)
def clip_by_new_names(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **options):
    if options:
        raise NotDifferentiable(f"the rule for np.clip does not cover `{next(iter(options))}`")
    if a_min is not None or a_max is not None:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    return np.clip(a, min, max)


def clip_bars(z_bar, a, low, high):
    """The cotangents of `minimum(maximum(a, low), high)`; on a bound all goes to `a`."""
    return (
        unbroadcast(selected(z_bar, inside(a, low, high)), a),
        None if low is None else unbroadcast(np.where(below(a, low, high), z_bar, 0), low),
        None if high is None else unbroadcast(np.where(above(a, low, high), z_bar, 0), high),
    )


def inside(a, low, high):
    """Where `np.clip` lets `a` through, bounds included."""
    if low is None:
        return np.less_equal(a, high) if high is not None else True
    is_above = np.greater_equal(a, low)
    return is_above if high is None else is_above & np.less_equal(a, high)


def below(a, low, high):
    """Where the lower bound is the result."""
    return np.less(a, low) if high is None else np.less(a, low) & np.less_equal(low, high)


def above(a, low, high):
    """Where the upper bound is the result, which wins if the bounds cross."""
    return np.greater(a if low is None else np.maximum(a, low), high)


@adjoint(np.sort)
def sort(a, axis=-1, kind=None):
    order = np.argsort(a, axis, kind)
    return np.sort(a, axis, kind), lambda y_bar: (sort_bar(y_bar, order, np.shape(a), axis),)


def sort_bar(y_bar, order, shape, axis):
    """Takes each cotangent back to where its item stood."""
    return np.reshape(unordered(y_bar, order, -1 if axis is None else axis), shape)


def unordered(y, order, axis):
    """The array of which `np.take_along_axis(x, order, axis)` is `y`, for permutations `order`."""
    x = np.empty(np.shape(order), np.result_type(y))
    np.put_along_axis(x, order, y, axis)
    return x


@adjoint(unordered)
def unordered_(y, order, axis):
    return unordered(y, order, axis), lambda x_bar: (
        np.take_along_axis(x_bar, order, axis), None, None
    )


@adjoint(np.partition)
def partition(a, kth, axis=-1):
    order = np.argpartition(a, kth, axis)
    return np.partition(a, kth, axis), lambda y_bar: (
        sort_bar(y_bar, order, np.shape(a), axis),
        None,
    )


@adjoint(np.unique)
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    y = np.unique(ar, return_index, return_inverse, return_counts, axis)
    several = return_index or return_inverse or return_counts
    return y, lambda y_bar: (unique_bar(y_bar[0] if several else y_bar, ar, axis),)


def unique_bar(y_bar, ar, axis):
    """The first of equal items receives the cotangent."""
    if y_bar is None:
        return None
    first = np.unique(ar, return_index=True, axis=axis)[1]
    return take_bar(y_bar, np.shape(ar), first, axis, "raise")


@adjoint(np.diff)
def diff(a, n=1, axis=-1):
    shape = np.shape(a)

    return np.diff(a, n, axis), lambda y_bar: (diff_bar(y_bar, shape, n, axis),)


def diff_bar(y_bar, shape, n, axis):
    """The transpose of each of the differences, the last one first."""
    if n > shape[axis] - 1:
        return np.zeros(shape, np.result_type(y_bar))  # all differences are empty
    for _ in range(n):
        y_bar = differences_back(y_bar, axis)
    return y_bar


@adjoint(differences_back)
def differences_back_(bar, axis):
    return differences_back(bar, axis), lambda x_bar: (np.diff(x_bar, 1, axis), None)


facts.fresh(differences_back)


@declare(differences_back)
def type_of_differences_back(args, kwargs):
    """As many dimensions as the differences have."""
    rank = rank_of(args[0])
    return TOP if rank is None else Array(args[0].dtype, (ANY,) * rank)


@adjoint(np.ediff1d)
def ediff1d(ary):
    shape = np.shape(ary)
    size = math.prod(shape)
    return np.ediff1d(ary), lambda y_bar: np.reshape(diff_bar(y_bar, (size,), 1, 0), shape)


@adjoint(np.bincount)
def bincount(x, weights=None, minlength=0):
    y = np.bincount(x, weights, minlength)
    return y, lambda y_bar: (None, None if weights is None else unbroadcast(y_bar[x], weights))


@adjoint(np.interp)
def interp(x, xp, fp, left=None, right=None):
    def back(y_bar):
        return (
            unbroadcast(y_bar * conj(interp_slope(x, xp, fp)), x),
            unbroadcast(interp_grid_bar(y_bar, x, xp, fp), xp),
            interp_values_bar(y_bar, x, xp, fp, left, right),
            None if left is None else np.sum(np.where(np.less(x, xp[0]), y_bar, 0)),
            None if right is None else np.sum(np.where(np.greater(x, xp[-1]), y_bar, 0)),
        )

    return np.interp(x, xp, fp, left, right), back


@stand_in(np.interp)
def periodic_interp(x, xp, fp, left=None, right=None, period=None):
    """As NumPy does: the grid in one period, with a point more at both ends."""
    if period is None:
        return np.interp(x, xp, fp, left, right)
    if np.ndim(xp) != 1 or np.ndim(fp) != 1:
        raise ValueError("Data points must be 1-D sequences")
    period = abs(period)
    grid = np.remainder(xp, period)
    order = np.argsort(grid)
    grid, values = grid[order], np.asarray(fp)[order]
    grid = np.concatenate((grid[-1:] - period, grid, grid[:1] + period))
    values = np.concatenate((values[-1:], values, values[:1]))
    return np.interp(np.remainder(x, period), grid, values)


def interp_interval(x, xp):
    """For each `x` the number of the interval of the grid that it lies in."""
    return np.clip(np.searchsorted(xp, x, side="right") - 1, 0, np.size(xp) - 2)


def within(x, xp):
    """Where `x` lies in the range of the grid; outside `np.interp` is constant."""
    return np.logical_and(np.greater_equal(x, np.min(xp)), np.less_equal(x, np.max(xp)))


def interp_place(x, xp):
    """For each `x` the interval that it lies in, and how far in it; integers would overflow."""
    i, grid = interp_interval(x, xp), np.multiply(xp, 1.0)
    return i, (x - np.take(grid, i)) / np.take(np.diff(grid), i)


def interp_slope(x, xp, fp):
    """The derivative of `np.interp` in `x`; on a point of the grid that to its right."""
    i = interp_interval(x, xp)
    slopes = np.diff(np.multiply(fp, 1.0)) / np.diff(np.multiply(xp, 1.0))
    return np.where(within(x, xp), slopes[i], 0)


def interp_grid_bar(y_bar, x, xp, fp):
    """Moving a point of the grid tilts the two intervals that it bounds."""
    i, t = interp_place(x, xp)
    bar = y_bar * conj(interp_slope(x, xp, fp))
    return scatter(-bar * (1 - t), np.shape(xp), i) + scatter(-bar * t, np.shape(xp), i + 1)


def interp_values_bar(y_bar, x, xp, fp, left, right):
    """Each value at a grid point counts with the weight that it has at `x`."""
    i, t = interp_place(x, xp)
    t = np.clip(t, 0, 1)
    bar = y_bar if left is None else np.where(np.less(x, xp[0]), 0, y_bar)
    bar = bar if right is None else np.where(np.greater(x, xp[-1]), 0, bar)
    return scatter(bar * (1 - t), np.shape(fp), i) + scatter(bar * t, np.shape(fp), i + 1)
