"""Sums over windows of arrays: where each window of a view has its cotangent back."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Counts = tuple[int, ...]


def windows_and_axes(window_shape: Any, axis: Any, ndim: int) -> tuple[Counts, Counts]:
    """The lengths of a window, and the axes that it slides along."""
    sizes = (window_shape,) if np.ndim(window_shape) == 0 else tuple(window_shape)
    if axis is None:
        return sizes, tuple(range(ndim))
    return sizes, (axis,) if np.ndim(axis) == 0 else tuple(axis)


def windows_bar(y_bar: Array, shape: Counts, sizes: Counts, axes: Counts) -> Array:
    """The sum of what each place of an array has in all windows that show it."""
    counts = np.shape(y_bar)[: len(shape)]
    total = np.zeros(shape, y_bar.dtype)
    for place in np.ndindex(*sizes):
        starts = [0] * len(shape)
        for axis, step in zip(axes, place, strict=True):
            starts[axis] += step
        region = tuple([slice(k, k + n) for k, n in zip(starts, counts, strict=True)])
        total[region] += y_bar[(..., *place)]
    return total
