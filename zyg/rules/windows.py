"""Rules of `np.lib.stride_tricks.sliding_window_view`, which shows each window of an array."""

from __future__ import annotations

import numpy as np

from zyg.arrays.windows import windows_and_axes, windows_bar
from zyg.errors import NotDifferentiable
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


constant(windows_and_axes)


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


@adjoint(np.lib.stride_tricks.as_strided)
def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    return refuse_strides(), lambda y_bar: None


def refuse_strides():
    raise NotDifferentiable(
        "np.lib.stride_tricks.as_strided has no rule: use sliding_window_view, or an index"
    )


constant(refuse_strides)
