"""Declared tangents of NumPy's functions: linear ones, and those of linear algebra."""

from __future__ import annotations

import operator

import numpy as np

from zyg.arrays.joined_arrays import joined
from zyg.cotangents import cotangent
from zyg.held import keeping
from zyg.rules.tangent_registry import linear, linear_in_operands, only_in_modes, tangent

# Linear in the first argument: the function itself, applied to the tangent.
for _callee in (
    np.sum, np.mean, np.cumsum, np.trace, np.diff, np.ediff1d, np.reshape, np.ravel, np.transpose,
    np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.broadcast_to,
    np.atleast_1d, np.atleast_2d, np.atleast_3d, np.repeat, np.tile, np.flip, np.fliplr, np.flipud,
    np.rot90, np.roll, np.triu, np.tril, np.diagonal, np.diag, np.diagflat, np.split,
    np.array_split, np.vsplit, np.hsplit, np.dsplit, np.take, np.take_along_axis, np.delete,
    np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack, np.copy,
    np.ascontiguousarray, np.real, np.imag, np.conjugate, np.negative, np.positive, np.degrees,
    np.radians, np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.fft2, np.fft.ifft2,
    np.fft.fftn, np.fft.ifftn, np.fft.fftshift, np.fft.ifftshift, np.fft.rfft2, np.fft.irfft2,
    np.fft.rfftn, np.fft.irfftn, np.fft.hfft, np.fft.ihfft,
    np.ndarray.sum, np.ndarray.mean, np.ndarray.cumsum, np.ndarray.trace, np.ndarray.diagonal,
    np.ndarray.reshape, np.ndarray.transpose, np.ndarray.ravel, np.ndarray.flatten,
    np.ndarray.squeeze, np.ndarray.swapaxes, np.ndarray.repeat, np.ndarray.take, np.ndarray.copy,
    np.ndarray.conj, np.ndarray.conjugate, np.ndarray.item, np.ndarray.tolist,
    operator.getitem, operator.neg, operator.pos, cotangent.conj, keeping.kept,
    keeping.shell,
):
    linear(_callee, 0)

# A dtype by position may round, which is linear in none.
for _callee in (
    np.sum, np.mean, np.cumsum, np.ndarray.sum, np.ndarray.mean, np.ndarray.cumsum,
):
    only_in_modes(_callee, 2, ())

linear(cotangent.rebuilt, 1)
linear(np.compress, 1)
linear(np.extract, 1)
linear(np.where, (1, 2))
linear(np.select, (1, 2))
linear(np.append, (0, 1))
linear(np.linspace, (0, 1))
linear(np.pad, 0)
only_in_modes(np.pad, 2, ("constant", "edge", "wrap", "reflect", "symmetric", "mean"))

# Linear in each of two arguments: the product rule.
for _callee in (
    operator.matmul, np.matmul, np.dot, np.vdot, np.inner, np.outer, np.kron, np.tensordot,
    np.cross, np.convolve, np.correlate, np.ndarray.dot,
    *(getattr(np, name) for name in ("vecdot", "matvec", "vecmat") if hasattr(np, name)),
):
    linear(_callee, 0, 1)
linear_in_operands(np.einsum)


@tangent(np.ndarray.T)
def transposed(y, x, x_dot):
    return x_dot.T


@tangent(np.array, np.asfortranarray)
def array(y, object, *rest, dtype=None, copy=None, order=None, ndmin=0):
    return joined(rest[len(rest) // 2], object, y)


@tangent(np.asarray, np.asanyarray)
def asarray(y, a, *rest, dtype=None, order=None):
    if len(rest) == 1 and dtype is None and isinstance(a, np.ndarray):
        return rest[0]
    return joined(rest[len(rest) // 2], a, y)


@tangent(np.linalg.inv)
def inv(y, a, a_dot):
    return -(y @ a_dot @ y)


@tangent(np.linalg.solve)
def solve(y, a, b, a_dot, b_dot):
    if np.ndim(b) > 1 or np.ndim(a) == 2:
        return np.linalg.solve(a, b_dot - a_dot @ y)
    column = np.expand_dims(b_dot, 1) - a_dot @ np.expand_dims(y, -1)
    return np.squeeze(np.linalg.solve(a, column), -1)
