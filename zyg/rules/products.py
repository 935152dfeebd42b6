"""Rules of products of arrays: `@`, `dot`, `einsum`, `tensordot`, `outer`, `kron`, `cross`.

The cotangent of an operand is a product of the cotangent of the result with the conjugate of the
other operand. Matrices come first in each helper: `z_bar @ y.T` and `x.T @ z_bar`.
"""

from __future__ import annotations

import operator

import numpy as np

from zyg.cotangents.cotangent import conj, realness_of, unbroadcast
from zyg.cotangents.matrix_bars import is_sparse, product_left, product_right
from zyg.rules.registry import adjoint


@adjoint(operator.matmul)
def matmul_operator(x, y):
    def back(z_bar):
        return matmul_left(z_bar, x, y), matmul_right(z_bar, x, y)

    return x @ y, back


@adjoint(np.matmul)
def matmul(x, y):
    def back(z_bar):
        return matmul_left(z_bar, x, y), matmul_right(z_bar, x, y)

    return np.matmul(x, y), back


def matmul_left(z_bar, x, y):
    """The cotangent of `x` in `z = x @ y`; what isn't a stack of matrices doesn't broadcast."""
    if is_sparse(x):
        return product_left(z_bar, x, y)
    if np.ndim(x) == 2 and np.ndim(y) == 2:
        return realness_of(x, z_bar @ conj(y).T)
    if np.ndim(x) == 1 and np.ndim(y) == 1:
        return realness_of(x, z_bar * conj(y))
    if np.ndim(y) == 1:
        return realness_of(x, np.expand_dims(z_bar, -1) * conj(y))
    if np.ndim(x) == 1 and np.ndim(y) == 2:
        return realness_of(x, conj(y) @ z_bar)  # also for a sparse matrix
    if np.ndim(x) == 1:
        return unbroadcast(np.matmul(conj(y), np.expand_dims(z_bar, -1))[..., 0], x)
    return unbroadcast(np.matmul(z_bar, np.swapaxes(conj(y), -1, -2)), x)


def matmul_right(z_bar, x, y):
    """The cotangent of `y` in `z = x @ y`."""
    if is_sparse(y):
        return product_right(z_bar, x, y)
    if np.ndim(x) == 2 and np.ndim(y) <= 2:
        return realness_of(y, conj(x).T @ z_bar)
    if np.ndim(x) == 1 and np.ndim(y) == 1:
        return realness_of(y, z_bar * conj(x))
    if np.ndim(x) == 1:
        return unbroadcast(np.expand_dims(conj(x), -1) * np.expand_dims(z_bar, -2), y)
    if np.ndim(y) == 1:
        columns = np.matmul(np.swapaxes(conj(x), -1, -2), np.expand_dims(z_bar, -1))
        return unbroadcast(columns[..., 0], y)
    return unbroadcast(np.matmul(np.swapaxes(conj(x), -1, -2), z_bar), y)


@adjoint(np.dot)
def dot(a, b):
    def back(z_bar):
        return dot_left(z_bar, a, b), dot_right(z_bar, a, b)

    return np.dot(a, b), back


def dot_left(z_bar, x, y):
    """The cotangent of `x` in `z = np.dot(x, y)`: a sum over the last axis of `x`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(z_bar * conj(y), x)
    if np.ndim(y) <= 2:
        return matmul_left(z_bar, x, y)
    others = [i for i in range(np.ndim(y)) if i != np.ndim(y) - 2]
    kept = list(range(np.ndim(x) - 1, np.ndim(z_bar)))
    return unbroadcast(np.tensordot(z_bar, conj(y), (kept, others)), x)


def dot_right(z_bar, x, y):
    """The cotangent of `y` in `z = np.dot(x, y)`: a sum over the last axis but one of `y`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(z_bar * conj(x), y)
    if np.ndim(x) <= 2 and np.ndim(y) <= 2:
        return matmul_right(z_bar, x, y)
    free = list(range(np.ndim(x) - 1))
    bar = np.tensordot(conj(x), z_bar, (free, free))
    return unbroadcast(bar if np.ndim(y) == 1 else np.moveaxis(bar, 0, -2), y)
