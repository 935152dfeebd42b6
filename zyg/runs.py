"""Runs: places along an axis that never fall, so that equal ones stand in a row.

    x                                   [3, 1, 4, 1]
    last_best(np.maximum, x, 0)         [0, 0, 2, 2]
    np.maximum.accumulate(x)            [3, 3, 4, 4]
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def last_best(ufunc: np.ufunc, array: Array, axis: int) -> Array:
    """For each place the last one up to it where the largest (smallest) item so far stands."""
    best: Array = np.equal(array, ufunc.accumulate(array, axis))
    best |= np.not_equal(array, array)  # NaN is what all behind it are
    best = np.moveaxis(best, axis, -1)
    if not best.size:
        return np.zeros(np.shape(array), np.intp)
    rows = best.reshape(-1, best.shape[-1])
    starts = np.flatnonzero(rows)
    places = np.repeat(starts, np.diff(starts, append=rows.size)).reshape(rows.shape)
    if len(rows) > 1:
        places -= _first_places(rows)
    found: Array = np.moveaxis(places.reshape(best.shape), -1, axis)
    return found


def _first_places(rows: Array) -> Array:
    """The place of the first item of each row, where one row stands behind the other."""
    first: Array = rows.shape[1] * np.arange(len(rows))[:, None]
    return first


def at_runs(items: Array, places: Array, axis: int) -> Array:
    """The items at places that never fall along the axis."""
    return np.take_along_axis(items, places, axis)


def sums_of_runs(bars: Array, places: Array, axis: int) -> Array:
    """The sum of each run of one place, at that place; 0 elsewhere."""
    rows = np.moveaxis(bars, axis, -1)
    if not rows.size:
        return np.zeros(np.shape(bars), bars.dtype)
    by_row: Array = np.moveaxis(places, axis, -1).reshape(-1, rows.shape[-1])
    at = (by_row + _first_places(by_row) if len(by_row) > 1 else by_row).reshape(-1)
    starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
    sums = np.zeros(at.shape, bars.dtype)
    sums[at[starts]] = np.add.reduceat(rows.reshape(-1), starts)
    return np.moveaxis(sums.reshape(rows.shape), -1, axis)
