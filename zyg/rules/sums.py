"""Rules of sums and means of arrays, which keep the shape of `x` and not `x`."""

from __future__ import annotations

import math

import numpy as np

from zyg.cotangents.cotangent import unbroadcast
from zyg.rules.registry import adjoint, constant


def restored(y, shape, axis, keepdims):
    """The result of a reduction over `axis`, with the reduced dimensions back, of length 1."""
    if axis is None or keepdims:
        return y
    return np.expand_dims(y, axis) if len(shape) > 0 else y


def spread(y_bar, shape, axis, keepdims):
    """The cotangent of the operand of a sum: a read-only view where each item gets `y_bar`."""
    if len(shape) == 0:
        return y_bar
    return np.broadcast_to(restored(y_bar, shape, axis, keepdims), shape)


def count_along(shape, axis):
    """How many items a reduction over `axis` combines."""
    if axis is None:
        return math.prod(shape)
    if isinstance(axis, tuple):
        return math.prod([shape[i] for i in axis])
    return shape[axis] if len(shape) > 0 else 1


@adjoint(np.sum)
def sum_(a, axis=None, dtype=None, out=None, keepdims=False, initial=0):
    shape = np.shape(a)
    has_rounded = dtype is not None and makes_whole(a, dtype)
    y = np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial)

    return y, lambda y_bar: (
        None if has_rounded else spread(y_bar, shape, axis, keepdims),
        None, None, None, None,
        unbroadcast(y_bar, initial),
    )


def makes_whole(a, dtype):
    """Whether inexact numbers are rounded to integers before they are summed or multiplied."""
    return np.dtype(dtype).kind not in "fc" and np.asarray(a).dtype.kind in "fc"


constant(makes_whole)


@adjoint(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    shape = np.shape(a)
    count = count_along(shape, axis)
    has_rounded = dtype is not None and makes_whole(a, dtype)
    y = np.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    return y, lambda y_bar: (
        None if has_rounded else spread(y_bar / count, shape, axis, keepdims),
    )
