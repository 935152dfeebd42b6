"""Runs: the items along an axis that have one item as the largest so far, or the smallest.

    x                                   [3, 1, 4, 1]
    y = running(np.maximum, x, 0)       [3, 3, 4, 4]
    begins(x, y, 0)                     [True, False, True, False]

A run begins where its item stands, the last one of equal items; so the first item of a row does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def running(ufunc: np.ufunc, items: Array, axis: int) -> Array:
    """The largest (smallest) item so far."""
    best: Array = ufunc.accumulate(items, axis)
    return best


def begins(items: Array, best: Array, axis: int) -> Array:
    """Where a run begins."""
    found: Array = np.equal(items, best)
    if np.isnan(np.moveaxis(best, axis, -1)[..., -1:]).any():
        found |= np.not_equal(items, items)  # NaN is what all behind it are
    return found


def at_runs(items: Array, begins: Array, axis: int) -> Array:
    """For each item the one where its run begins."""
    rows = np.moveaxis(items, axis, -1)
    starts = _starts(begins, axis)
    lengths = np.diff(starts, append=items.size)
    spread: Array = np.repeat(rows.reshape(-1)[starts], lengths).reshape(rows.shape)
    return np.moveaxis(spread, -1, axis)


def sums_of_runs(bars: Array, begins: Array, axis: int) -> Array:
    """The sum of each run, where it begins; 0 elsewhere."""
    rows = np.moveaxis(bars, axis, -1)
    sums = np.zeros(bars.size, bars.dtype)
    starts = _starts(begins, axis)
    if starts.size:
        sums[starts] = np.add.reduceat(rows.reshape(-1), starts)
    return np.moveaxis(sums.reshape(rows.shape), -1, axis)


def _starts(begins: Array, axis: int) -> Array:
    """The places where runs begin, where one row stands behind the other."""
    return np.flatnonzero(np.moveaxis(begins, axis, -1))
