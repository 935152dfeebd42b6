"""Rules of `np.lib.stride_tricks.sliding_window_view`, which shows each window of an array."""

from __future__ import annotations

import numpy as np

from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import linear

sliding_window_view = np.lib.stride_tricks.sliding_window_view


@adjoint(sliding_window_view)
def windows(x, window_shape, axis=None):
    shape = np.shape(x)
    sizes, axes = windows_and_axes(window_shape, axis, len(shape))
    return sliding_window_view(x, window_shape, axis), lambda y_bar: (
        windows_bar(y_bar, shape, sizes, axes),
        None,
        None,
    )


def windows_and_axes(window_shape, axis, ndim):
    """The lengths of a window, and the axes that it slides along, as tuples."""
    sizes = (window_shape,) if np.ndim(window_shape) == 0 else tuple(window_shape)
    if axis is None:
        return sizes, tuple(range(ndim))
    return sizes, (axis,) if np.ndim(axis) == 0 else tuple(axis)


constant(windows_and_axes)


def windows_bar(y_bar, shape, sizes, axes):
    """The sum of what each place of an array has in all windows."""
    counts = np.shape(y_bar)[: len(shape)]
    total = np.zeros(shape, y_bar.dtype)
    for place in np.ndindex(*sizes):
        starts = [0] * len(shape)
        for axis, step in zip(axes, place, strict=True):
            starts[axis] += step
        region = tuple([slice(k, k + n) for k, n in zip(starts, counts, strict=True)])
        total[region] += y_bar[(..., *place)]
    return total


@adjoint(windows_bar)
def total_of_windows(y_bar, shape, sizes, axes):
    return windows_bar(y_bar, shape, sizes, axes), lambda bar: (
        sliding_window_view(bar, sizes, axes),
        None,
        None,
        None,
    )


linear(sliding_window_view, 0)
linear(windows_bar, 0)
