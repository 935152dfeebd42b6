"""`np.linalg`: functions that are made of others, and the names of the array API standard."""

from __future__ import annotations

import math

import numpy as np

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.factorisations import svd_values_bar
from zyg.rules.linalg import CUT_OFF, ROUNDING, adjoint_of, pinv_bar
from zyg.rules.registry import adjoint, constant, stand_in, substitute


@stand_in(np.linalg.svd)
def svd_of_hermitian(a, full_matrices=True, compute_uv=True, hermitian=False):
    """As NumPy does: the eigenvalues without their signs, which the right vectors get."""
    if not hermitian:
        return np.linalg.svd(a, full_matrices, compute_uv)
    if not compute_uv:
        return np.sort(np.abs(np.linalg.eigvalsh(a)), axis=-1)[..., ::-1]
    values, vectors = np.linalg.eigh(a)
    order = np.argsort(np.abs(values), axis=-1)[..., ::-1]
    values = np.take_along_axis(values, order, -1)
    u = np.take_along_axis(vectors, np.expand_dims(order, -2), -1)
    vh = adjoint_of(u * np.expand_dims(np.sign(values), -2))
    return SVD((u, np.abs(values), vh))


SVD = type(np.linalg.svd(np.eye(1)))._make


@adjoint(np.linalg.lstsq)
def lstsq(a, b, rcond=None):
    y = np.linalg.lstsq(a, b, rcond)
    if are_cut_off(y[2], y[3]):
        raise NotDifferentiable(CUT_OFF)
    return y, lambda y_bar: lstsq_bars(y_bar, y, a, b)


def lstsq_bars(y_bar, y, a, b):
    """With `p` the pseudoinverse, `x = p b`; the residuals are the squares of `b - a x`."""
    x_bar, residuals_bar, _, values_bar = y_bar
    x, residuals = y[0], y[1]
    columns_x = x if np.ndim(b) == 2 else np.expand_dims(x, 1)
    columns_b = b if np.ndim(b) == 2 else np.expand_dims(b, 1)
    a_bar, b_bar = np.zeros_like(a), np.zeros_like(columns_b)
    if x_bar is not None:
        inverse = np.linalg.pinv(a, between(y[2], y[3]))
        bar = np.reshape(x_bar, np.shape(columns_x))
        b_bar = b_bar + adjoint_of(inverse) @ bar
        a_bar = a_bar + pinv_bar(bar @ adjoint_of(columns_b), inverse, a)
    if residuals_bar is not None and np.size(residuals) > 0:
        rest = (columns_b - a @ columns_x) * (2 * residuals_bar)
        b_bar = b_bar + rest
        a_bar = a_bar - rest @ adjoint_of(columns_x)
    if values_bar is not None:
        a_bar = a_bar + svd_values_bar(values_bar, a)
    return unbroadcast(a_bar, a), unbroadcast(np.reshape(b_bar, np.shape(b)), b)


def are_cut_off(rank, values):
    """Whether more singular values were taken for zeros than those that rounding has left."""
    return rank < len(values) and values[rank] > ROUNDING * values[0]


def between(rank, values):
    """A limit, relative to the largest singular value, that so many are above."""
    if rank in (0, len(values)):
        return 0.0
    return 0.5 * (values[rank - 1] + values[rank]) / values[0]


constant(are_cut_off, between)


@stand_in(np.linalg.pinv)
def pinv_with_options(a, rcond=None, hermitian=False, *, rtol=None):
    """Of a Hermitian matrix, NumPy reads the lower triangle."""
    full = from_lower(a) if hermitian else a
    limit = rcond if rtol is None else rtol
    return np.linalg.pinv(full) if limit is None else np.linalg.pinv(full, limit)


def from_lower(a):
    diagonal = np.real(np.diagonal(a, axis1=-2, axis2=-1))
    below = np.tril(a, -1)
    return below + adjoint_of(below) + np.eye(np.shape(a)[-1]) * np.expand_dims(diagonal, -1)


@stand_in(np.linalg.cholesky)
def cholesky_with_options(a, *, upper=False):
    """An upper factor is made of the upper triangle."""
    factor = np.linalg.cholesky(adjoint_of(a) if upper else a)
    return adjoint_of(factor) if upper else factor


@adjoint(np.linalg.multi_dot)
def multi_dot(arrays):
    return np.linalg.multi_dot(arrays), lambda y_bar: (multi_dot_bars(y_bar, arrays),)


def multi_dot_bars(y_bar, arrays):
    """Each factor gets the products of what stands before and behind it, around the cotangent."""
    first = np.atleast_2d(arrays[0])
    last = np.expand_dims(arrays[-1], 1) if np.ndim(arrays[-1]) == 1 else arrays[-1]
    factors = [first, *arrays[1:-1], last]
    bar = np.reshape(y_bar, (np.shape(first)[0], np.shape(last)[1]))
    found = []
    for i in range(len(factors)):
        part = bar if i == 0 else adjoint_of(chained(factors[:i])) @ bar
        part = part if i == len(factors) - 1 else part @ adjoint_of(chained(factors[i + 1 :]))
        found = [*found, unbroadcast(np.reshape(part, np.shape(arrays[i])), arrays[i])]
    return found


def chained(factors):
    return factors[0] if len(factors) == 1 else np.linalg.multi_dot(factors)


@substitute(np.linalg.cond)
def cond(x, p=None):
    if p is None or p == 2 or p == -2:
        values = np.linalg.svd(x, compute_uv=False)
        if p == -2:
            return values[..., -1] / values[..., 0]
        return values[..., 0] / values[..., -1]
    size = np.linalg.norm(x, p, axis=(-2, -1))
    return size * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))


@substitute(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    shape = np.shape(a)
    inverse = np.linalg.inv(np.reshape(a, (math.prod(shape[:ind]), -1)))
    return np.reshape(inverse, (*shape[ind:], *shape[:ind]))


@substitute(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    ndim = np.ndim(a)
    if axes is not None:
        behind = [int(axis) % ndim for axis in axes]
        before = [i for i in range(ndim) if i not in behind]
        a = np.transpose(a, [*before, *behind])
    shape = np.shape(a)[np.ndim(b) :]
    size = math.prod(shape)
    return np.reshape(np.linalg.solve(np.reshape(a, (size, size)), np.ravel(b)), shape)


# NumPy 2 has these names of the array API standard.

if hasattr(np.linalg, "matmul"):

    @substitute(np.linalg.matmul)
    def matmul(x1, x2, /):
        return np.matmul(x1, x2)

    @substitute(np.linalg.outer)
    def outer(x1, x2, /):
        return np.outer(x1, x2)

    @substitute(np.linalg.tensordot)
    def tensordot(x1, x2, /, *, axes=2):
        return np.tensordot(x1, x2, axes)

    @substitute(np.linalg.vecdot)
    def vecdot(x1, x2, /, *, axis=-1):
        return np.sum(conj(np.moveaxis(x1, axis, -1)) * np.moveaxis(x2, axis, -1), axis=-1)

    @substitute(np.linalg.cross)
    def cross(x1, x2, /, *, axis=-1):
        return np.cross(x1, x2, axis, axis, axis)

    @substitute(np.linalg.diagonal)
    def diagonal(x, /, *, offset=0):
        return np.diagonal(x, offset, -2, -1)

    @substitute(np.linalg.trace)
    def trace(x, /, *, offset=0, dtype=None):
        return np.trace(x if dtype is None else np.asarray(x, dtype), offset, -2, -1)

    @substitute(np.linalg.matrix_transpose)
    def matrix_transpose(x, /):
        return np.swapaxes(x, -1, -2)

    @substitute(np.linalg.svdvals)
    def svdvals(x, /):
        return np.linalg.svd(x, compute_uv=False)

    @substitute(np.linalg.matrix_norm)
    def matrix_norm(x, /, *, keepdims=False, ord="fro"):
        return np.linalg.norm(x, ord, (-2, -1), keepdims)

    @substitute(np.linalg.vector_norm)
    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
        if axis is None:
            y = np.linalg.norm(np.ravel(x), ord)
            return np.reshape(y, [1 for _ in range(np.ndim(x))]) if keepdims else y
        if np.ndim(axis) == 0:
            return np.linalg.norm(x, ord, axis, keepdims)
        ndim = np.ndim(x)
        gone = [int(i) % ndim for i in axis]
        kept = [i for i in range(ndim) if i not in gone]
        rows = np.reshape(np.transpose(x, [*kept, *gone]), [*[np.shape(x)[i] for i in kept], -1])
        y = np.linalg.norm(rows, ord, -1)
        return np.expand_dims(y, tuple(gone)) if keepdims else y
