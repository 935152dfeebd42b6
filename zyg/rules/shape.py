"""Rules of functions that rearrange or repeat the items of an array.

Their cotangents rearrange the cotangent back; what is kept is a shape or an axis, never the array.
"""

from __future__ import annotations

import math

import numpy as np

from ir import facts
from ir.library.fact_rules import declare
from ir.types import TOP
from zyg.array_type import Array
from zyg.arrays.transposes import diagonal_back
from zyg.cotangents.cotangent import unbroadcast
from zyg.cotangents.cotangent_items import scatter
from zyg.errors import NotDifferentiable
from zyg.facts.numpy_result_shapes import OF_RESULTS
from zyg.facts.numpy_shapes import dims_from
from zyg.rules.registry import adjoint, constant

constant(*OF_RESULTS)


@adjoint(np.reshape)
def reshape(a, shape, order="C"):
    old = np.shape(a)
    return np.reshape(a, shape, order), lambda y_bar: (reshaped_back(y_bar, old, order), None)


def reshaped_back(y_bar, shape, order):
    """The cotangent in the old shape; orders that depend on the memory layout are refused."""
    if order == "C":
        return np.reshape(y_bar, shape)
    if order != "F":
        raise NotDifferentiable(
            f"order={order!r} depends on how the array lies in memory: use order='C' or 'F'"
        )
    return np.reshape(y_bar, shape, order="F")


@adjoint(np.ravel)
def ravel(a, order="C"):
    shape = np.shape(a)
    return np.ravel(a, order), lambda y_bar: (reshaped_back(y_bar, shape, order),)


@adjoint(np.transpose)
def transpose(a, axes=None):
    def back(y_bar):
        return (np.transpose(y_bar) if axes is None else np.transpose(y_bar, inverse_order(axes)),)

    return np.transpose(a, axes), back


def inverse_order(axes):
    """The permutation that undoes `axes`, whose entries may be negative."""
    return np.argsort([axis % len(axes) for axis in axes])


@adjoint(np.swapaxes)
def swapaxes(a, axis1, axis2):
    return np.swapaxes(a, axis1, axis2), lambda y_bar: (
        np.swapaxes(y_bar, axis1, axis2),
        None,
        None,
    )


if hasattr(np, "matrix_transpose"):

    @adjoint(np.matrix_transpose)
    def matrix_transpose(x):
        return np.matrix_transpose(x), lambda y_bar: np.swapaxes(y_bar, -1, -2)


@adjoint(np.moveaxis)
def moveaxis(a, source, destination):
    return np.moveaxis(a, source, destination), lambda y_bar: (
        np.moveaxis(y_bar, destination, source),
        None,
        None,
    )


@adjoint(np.rollaxis)
def rollaxis(a, axis, start=0):
    ndim = np.ndim(a)
    y = np.rollaxis(a, axis, start)
    return y, lambda y_bar: (np.moveaxis(y_bar, rolled_to(axis, start, ndim), axis), None)


def rolled_to(axis, start, ndim):
    """Where `np.rollaxis` puts the axis that it moves before the axis `start`."""
    start = start + ndim if start < 0 else start
    return start - 1 if axis % ndim < start else start


@adjoint(np.expand_dims)
def expand_dims(a, axis):
    shape = np.shape(a)
    return np.expand_dims(a, axis), lambda y_bar: (np.reshape(y_bar, shape), None)


@adjoint(np.squeeze)
def squeeze(a, axis=None):
    shape = np.shape(a)
    return np.squeeze(a, axis), lambda y_bar: (np.reshape(y_bar, shape),)


@adjoint(np.atleast_1d)
def atleast_1d(a):
    shape = np.shape(a)
    return np.atleast_1d(a), lambda y_bar: np.reshape(y_bar, shape)


@adjoint(np.atleast_2d)
def atleast_2d(a):
    shape = np.shape(a)
    return np.atleast_2d(a), lambda y_bar: np.reshape(y_bar, shape)


@adjoint(np.atleast_3d)
def atleast_3d(a):
    shape = np.shape(a)
    return np.atleast_3d(a), lambda y_bar: np.reshape(y_bar, shape)


@adjoint(np.broadcast_arrays)
def broadcast_arrays(*args):
    def back(y_bar):
        return tuple([unbroadcast(bar, x) for bar, x in zip(y_bar, args, strict=True)])

    return np.broadcast_arrays(*args), back


@adjoint(np.repeat)
def repeat(a, repeats, axis=None):
    shape = np.shape(a)
    return np.repeat(a, repeats, axis), lambda y_bar: (
        repeat_bar(y_bar, shape, repeats, axis),
        None,
    )


def repeat_bar(y_bar, shape, repeats, axis):
    """Sums over the copies of each item."""
    if axis is None or len(shape) == 0:
        return np.reshape(repeat_bar(y_bar, (math.prod(shape),), repeats, 0), shape)
    axis = axis % len(shape)
    if np.ndim(repeats) == 0:
        blocks = (*shape[: axis + 1], repeats, *shape[axis + 1 :])
        return sum_of_few(np.reshape(y_bar, blocks), axis + 1)
    origins = np.repeat(np.arange(shape[axis]), repeats)
    return scatter(y_bar, shape, (*[slice(None)] * axis, origins))


def sum_of_few(a, axis):
    """`np.sum`, which takes ten times as long where it adds few neighbours at a time."""
    count = np.shape(a)[axis]
    if not 0 < count <= 8:
        return np.sum(a, axis=axis)
    parts = np.moveaxis(a, axis, 0)
    total = parts[0]
    for i in range(1, count):
        total = total + parts[i]
    return total


@adjoint(np.tile)
def tile(A, reps):
    shape = np.shape(A)
    return np.tile(A, reps), lambda y_bar: (tile_bar(y_bar, shape, reps), None)


def tile_bar(y_bar, shape, reps):
    """Sums over the copies of the whole array."""
    times = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    ndim = max(len(times), len(shape))
    times = (1,) * (ndim - len(times)) + times
    full = (1,) * (ndim - len(shape)) + tuple(shape)
    blocks = [n for pair in zip(times, full, strict=True) for n in pair]
    summed = np.sum(np.reshape(y_bar, blocks), axis=tuple(range(0, 2 * ndim, 2)))
    return np.reshape(summed, shape)


@adjoint(np.flip)
def flip(m, axis=None):
    return np.flip(m, axis), lambda y_bar: (np.flip(y_bar, axis),)


@adjoint(np.fliplr)
def fliplr(m):
    return np.fliplr(m), lambda y_bar: np.fliplr(y_bar)


@adjoint(np.flipud)
def flipud(m):
    return np.flipud(m), lambda y_bar: np.flipud(y_bar)


@adjoint(np.rot90)
def rot90(m, k=1, axes=(0, 1)):
    return np.rot90(m, k, axes), lambda y_bar: (np.rot90(y_bar, -k, axes),)


@adjoint(np.roll)
def roll(a, shift, axis=None):
    return np.roll(a, shift, axis), lambda y_bar: (np.roll(y_bar, np.negative(shift), axis), None)


@adjoint(np.triu)
def triu(m, k=0):
    shape = np.shape(m)
    return np.triu(m, k), lambda y_bar: (summed_rows(np.triu(y_bar, k), shape),)


@adjoint(np.tril)
def tril(m, k=0):
    shape = np.shape(m)
    return np.tril(m, k), lambda y_bar: (summed_rows(np.tril(y_bar, k), shape),)


def summed_rows(bar, shape):
    """A vector stands for a square matrix whose rows all are that vector."""
    return np.sum(bar, axis=0) if len(shape) == 1 else bar


@adjoint(np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    shape = np.shape(a)
    y = np.diagonal(a, offset, axis1, axis2)
    return y, lambda y_bar: (diagonal_back(y_bar, shape, offset, axis1, axis2),)


@adjoint(diagonal_back)
def diagonal_back_(bar, shape, offset, axis1, axis2):
    def back(x_bar):
        return np.diagonal(x_bar, offset, axis1, axis2), None, None, None, None

    return diagonal_back(bar, shape, offset, axis1, axis2), back


facts.fresh(diagonal_back)


@declare(diagonal_back)
def type_of_diagonal_back(args, kwargs):
    """Of the given shape, in the dtype of what stands on the diagonal."""
    dims = dims_from(args[1])
    return TOP if dims is None or not isinstance(args[0], Array) else Array(args[0].dtype, dims)


@adjoint(np.diag)
def diag(v, k=0):
    shape = np.shape(v)
    return np.diag(v, k), lambda y_bar: (diag_bar(y_bar, shape, k),)


def diag_bar(y_bar, shape, k):
    """`np.diag` both makes a matrix and reads a diagonal; each is the adjoint of the other."""
    return np.diagonal(y_bar, k) if len(shape) == 1 else diagonal_back(y_bar, shape, k, 0, 1)


@adjoint(np.diagflat)
def diagflat(v, k=0):
    shape = np.shape(v)
    return np.diagflat(v, k), lambda y_bar: (np.reshape(np.diagonal(y_bar, k), shape),)


@adjoint(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    # Whole periods are added, which have no derivative in `p`.
    return np.unwrap(p, discont, axis, period=period), lambda y_bar: (unbroadcast(y_bar, p),)
