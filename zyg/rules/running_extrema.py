"""`np.maximum.accumulate` and `np.minimum.accumulate`: items taken where the last best one stands.

    x                                   [3, 1, 4, 1]
    last_best(np.maximum, x, 0)         [0, 0, 2, 2]
    np.maximum.accumulate(x)            [3, 3, 4, 4]

These places never fall along the axis, so that the cotangents that belong to one item stand in a
row: they are added run by run.
"""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.array_type import Array, array_of
from zyg.rules.registry import adjoint, constant, of_ufuncs
from zyg.rules.ufunc_methods import as_dtype

SUMS_OF_PARTS = np.add.reduceat


@of_ufuncs("accumulate", np.maximum, np.minimum)
def extremum_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    items = as_dtype(array, dtype)
    return at_runs(items, last_best(ufunc, items, axis), axis)


def last_best(ufunc, array, axis):
    """For each place the last one up to it where the largest (smallest) item so far stands."""
    best = np.equal(array, ufunc.accumulate(array, axis))
    best |= np.not_equal(array, array)  # NaN is what all behind it are
    best = np.moveaxis(best, axis, -1)
    if not best.size:
        return np.zeros(np.shape(array), np.intp)
    rows = best.reshape(-1, best.shape[-1])
    starts = np.flatnonzero(rows)
    places = np.repeat(starts, np.diff(starts, append=rows.size)).reshape(rows.shape)
    if len(rows) > 1:
        places -= first_places(rows)
    return np.moveaxis(places.reshape(best.shape), -1, axis)


def first_places(rows):
    """The place of the first item of each row, where one row stands behind the other."""
    return rows.shape[1] * np.arange(len(rows))[:, None]


constant(last_best)


@facts.result(last_best)
def places_type(args, kwargs):
    """Integers of the shape of the array. (What `last_best` calls stands for its callers.)"""
    array = args[1]
    return array_of(np.dtype(np.intp), array.dims) if isinstance(array, Array) else TOP


def at_runs(items, places, axis):
    """The items at places that never fall along the axis."""
    return np.take_along_axis(items, places, axis)


def sums_of_runs(bars, places, axis):
    """The sum of each run of one place, at that place; 0 elsewhere."""
    rows = np.moveaxis(bars, axis, -1)
    if not rows.size:
        return np.zeros(np.shape(bars), bars.dtype)
    at = np.moveaxis(places, axis, -1).reshape(-1, rows.shape[-1])
    at = (at + first_places(at) if len(at) > 1 else at).reshape(-1)
    starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
    sums = np.zeros(at.shape, bars.dtype)
    sums[at[starts]] = SUMS_OF_PARTS(rows.reshape(-1), starts)
    return np.moveaxis(sums.reshape(rows.shape), -1, axis)


@facts.result(at_runs, sums_of_runs)
def items_type(args, kwargs):
    return args[0] if isinstance(args[0], Array) else TOP


@adjoint(at_runs)
def at_runs_rule(items, places, axis):
    def back(y_bar):
        return sums_of_runs(y_bar, places, axis), None, None

    return at_runs(items, places, axis), back


@adjoint(sums_of_runs)
def sums_of_runs_rule(bars, places, axis):
    def back(y_bar):
        return at_runs(y_bar, places, axis), None, None

    return sums_of_runs(bars, places, axis), back
