"""Transposes of functions that read items of arrays: cotangents are stored into zeros.

    np.diff(x)            differences_back([a, b], 0)           [-a, a - b, b]
    np.diagonal(x)        diagonal_back([a, b], (2, 2), 0, 0, 1)     [[a, 0], [0, b]]
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def differences_back(bar: Array, axis: int) -> Array:
    """The cotangent of `x` in `np.diff(x, axis=axis)`."""
    shape = list(bar.shape)
    shape[axis] += 1
    found = np.zeros(shape, bar.dtype)
    items, differences = np.moveaxis(found, axis, -1), np.moveaxis(bar, axis, -1)
    items[..., 1:] = differences
    items[..., :-1] -= differences
    return found


def diagonal_back(
    bar: Array, shape: tuple[int, ...], offset: int, axis1: int, axis2: int
) -> Array:
    """An array of the given shape with a cotangent on its diagonal and 0 elsewhere."""
    found = np.zeros(shape, bar.dtype)
    diagonal = np.diagonal(found, offset, axis1, axis2)
    diagonal.flags.writeable = True
    diagonal[...] = bar
    return found
