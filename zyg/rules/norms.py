"""The rule of `np.linalg.norm`: all orders of vectors and matrices, along any axes."""

from __future__ import annotations

import math

import numpy as np

from zyg.rules.operators import direction
from zyg.rules.reductions import extremum_bar, inverse_or_zero
from zyg.rules.registry import adjoint
from zyg.rules.sums import restored


@adjoint(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    y = np.linalg.norm(x, ord, axis, keepdims)

    def back(y_bar):
        return (
            norm_bar(y_bar, None if ord == "nuc" else y, x, ord, axis, keepdims),
            order_bar(y_bar, y, x, ord, axis),
        )

    return y, back


def order_bar(y_bar, y, x, ord, axis):
    """The cotangent of a fractional order `p` of vectors, where `y = sum(|x|^p)^(1/p)`."""
    if not isinstance(ord, float) or math.isinf(ord) or (np.ndim(x) > 1 and np.ndim(axis) > 0):
        return None
    size = np.reshape(np.abs(x), -1) if axis is None else np.moveaxis(np.abs(x), axis, -1)
    weights = size**ord
    total = np.sum(weights, axis=-1)
    logs = np.sum(weights * np.log(np.where(size == 0, 1, size)), axis=-1)
    slope = np.reshape(logs / (ord * total) - np.log(total) / ord**2, np.shape(y))
    return np.sum(y_bar * y * slope)


def norm_bar(y_bar, y, x, ord, axis, keepdims):
    """The cotangent of `x`, where `y` is its norm, and 0 where that is 0; "nuc" doesn't need it."""
    if ord == "nuc":
        return nuclear_norm_bar(y_bar, x, axis, keepdims)
    shape = np.shape(x)
    if axis is None and (ord is None or ord == "fro" or (ord == 2 and len(shape) == 1)):
        return np.multiply(x, y_bar * inverse_or_zero(y))  # of a list, too
    if axis is None:
        axes = tuple(range(len(shape)))
        part, length = np.reshape(y_bar, [1 for _ in axes]), np.reshape(y, [1 for _ in axes])
    else:
        axes = tuple([i % len(shape) for i in (axis if isinstance(axis, tuple) else (axis,))])
        part = restored(y_bar, shape, axes, keepdims)
        length = restored(y, shape, axes, keepdims)
    if len(axes) == 1:
        return vector_norm_bar(part, length, x, 2 if ord is None else ord, axes[0])
    return matrix_norm_bar(part, length, x, "fro" if ord is None else ord, axes)


def vector_norm_bar(y_bar, y, x, ord, axis):
    """The cotangent of the vectors along `axis`; `y_bar` and the norms `y` keep that axis."""
    if ord == 2:
        return x * (y_bar * inverse_or_zero(y))
    if ord == 1:
        return y_bar * direction(x)
    if ord == 0:
        return np.zeros_like(y_bar * x)
    if ord in (math.inf, -math.inf):
        return extremum_bar(y_bar, y, np.abs(x), axis, True) * direction(x)
    size = np.abs(x)
    ratio = np.where(size == 0, 0 if ord > 1 else 1, size) * inverse_or_zero(y)
    return y_bar * direction(x) * ratio ** (ord - 1)


def matrix_norm_bar(y_bar, y, x, ord, axes):
    """The cotangent of the matrices in the two `axes`; `y_bar` and `y` keep both."""
    row, column = axes
    if ord == "fro":
        return x * (y_bar * inverse_or_zero(y))
    if ord in (1, -1):
        sums = np.sum(np.abs(x), axis=row, keepdims=True)
        return extremum_bar(y_bar, y, sums, column, True) * direction(x)
    if ord in (math.inf, -math.inf):
        sums = np.sum(np.abs(x), axis=column, keepdims=True)
        return extremum_bar(y_bar, y, sums, row, True) * direction(x)
    u, s, vh = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
    s_bar = extremum_bar(1.0, s[..., :1] if ord == 2 else s[..., -1:], s, -1, True).astype(s.dtype)
    return np.moveaxis((u * s_bar[..., None, :]) @ vh, (-2, -1), axes) * y_bar


def nuclear_norm_bar(y_bar, x, axis, keepdims):
    """The cotangent of matrices whose singular values are summed."""
    axes = (0, 1) if axis is None else axis
    u, s, vh = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
    shares = np.where(s > 0, 1, np.zeros_like(s))
    part = restored(y_bar, np.shape(x), tuple([i % np.ndim(x) for i in axes]), keepdims)
    return np.moveaxis((u * shares[..., None, :]) @ vh, (-2, -1), axes) * part
