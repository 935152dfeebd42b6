"""Rules of functions that join arrays into one, or split one into several.

The cotangent of the sequence of arrays is a sequence of the same kind, of slices of the cotangent.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from zyg.cotangents.cotangent import filled, prototype, rebuilt, unbroadcast
from zyg.rules.creation import rounds
from zyg.rules.indexing import unordered
from zyg.rules.registry import adjoint, constant


def likes_of(arrays):
    """What is asked of the arrays in the reverse pass: their shapes, dtypes and kinds."""
    if isinstance(arrays, (list, tuple)):
        return rebuilt(arrays, [prototype(array) for array in arrays])
    return prototype(arrays)


constant(likes_of)


def pieces(z_bar, arrays, lengths, axis):
    """Cuts `z_bar` into pieces of these lengths, each brought into the shape of its array."""
    ends = list(itertools.accumulate(lengths))
    before = (slice(None),) * (axis % np.ndim(z_bar))
    bars = [
        piece_for(z_bar[(*before, slice(end - length, end))], array)
        for array, length, end in zip(arrays, lengths, ends, strict=True)
    ]
    return rebuilt(arrays, bars) if isinstance(arrays, (list, tuple)) else np.stack(bars)


def piece_for(bar, array):
    """A piece of the cotangent, in the shape and realness of the array that it belongs to."""
    return unbroadcast(np.reshape(bar, np.shape(array)), array)


@adjoint(np.concatenate)
def concatenate(arrays, axis=0, *, dtype=None, casting="same_kind"):
    likes = likes_of(arrays)
    has_rounded = dtype is not None and any_rounds(arrays, dtype)
    z = np.concatenate(arrays, axis, dtype=dtype, casting=casting)
    return z, lambda z_bar: (
        None if has_rounded else concatenate_bar(z_bar, likes, axis),
    )


def any_rounds(arrays, dtype):
    """Whether joining makes integers of inexact numbers."""
    return any(rounds(x, dtype) for x in arrays)


constant(any_rounds)


def concatenate_bar(z_bar, arrays, axis):
    """The cotangent of the arrays that `np.concatenate` joined."""
    if axis is None:
        return pieces(z_bar, arrays, [np.size(array) for array in arrays], 0)
    return pieces(z_bar, arrays, [np.shape(array)[axis] for array in arrays], axis)


@adjoint(np.stack)
def stack(arrays, axis=0, *, dtype=None, casting="same_kind"):
    likes = likes_of(arrays)
    has_rounded = dtype is not None and any_rounds(arrays, dtype)
    z = np.stack(arrays, axis, dtype=dtype, casting=casting)
    return z, lambda z_bar: (
        None if has_rounded else stack_bar(z_bar, likes, axis),
    )


def stack_bar(z_bar, arrays, axis):
    """The cotangent of the arrays that `np.stack` joined."""
    if isinstance(arrays, (list, tuple)):
        return pieces(z_bar, arrays, [1 for _ in arrays], axis)
    return np.moveaxis(z_bar, axis, 0)


@adjoint(np.vstack, getattr(np, "row_stack", np.vstack))
def vstack(tup):
    likes = likes_of(tup)
    return np.vstack(tup), lambda z_bar: (vstack_bar(z_bar, likes),)


def vstack_bar(z_bar, arrays):
    """The cotangent of the arrays that `np.vstack` joined."""
    return pieces(z_bar, arrays, [np.atleast_2d(array).shape[0] for array in arrays], 0)


@adjoint(np.hstack)
def hstack(tup):
    likes = likes_of(tup)
    return np.hstack(tup), lambda z_bar: (hstack_bar(z_bar, likes),)


def hstack_bar(z_bar, arrays):
    """The cotangent of the arrays that `np.hstack` joined."""
    axis = 1 if np.ndim(arrays[0]) > 1 else 0
    return pieces(z_bar, arrays, [hstack_length(array) for array in arrays], axis)


def hstack_length(array):
    """How many columns, or items of the one dimension, `np.hstack` takes from an array."""
    return np.shape(array)[1] if np.ndim(array) > 1 else np.size(array)


@adjoint(np.column_stack)
def column_stack(tup):
    likes = likes_of(tup)
    return np.column_stack(tup), lambda z_bar: (column_stack_bar(z_bar, likes),)


def column_stack_bar(z_bar, arrays):
    """The cotangent of the arrays that `np.column_stack` joined."""
    return pieces(z_bar, arrays, [np.shape(a)[1] if np.ndim(a) > 1 else 1 for a in arrays], 1)


@adjoint(np.dstack)
def dstack(tup):
    likes = likes_of(tup)
    return np.dstack(tup), lambda z_bar: (
        pieces(z_bar, likes, [np.atleast_3d(array).shape[2] for array in likes], 2),
    )


@adjoint(np.append)
def append(arr, values, axis=None):
    def back(z_bar):
        return (
            concatenate_bar(z_bar, (arr, values), axis)[0],
            concatenate_bar(z_bar, (arr, values), axis)[1],
        )

    return np.append(arr, values, axis), back


@adjoint(np.insert)
def insert(arr, obj, values, axis=None):
    shape, has_rounded = np.shape(arr), rounds(values, np.asarray(arr).dtype)

    def back(z_bar):
        old, _, new = inserted_bars(z_bar, shape, obj, values, axis)
        return old, None, None if has_rounded else new

    return np.insert(arr, obj, values, axis), back


def inserted_bars(z_bar, shape, obj, values, axis):
    """The cotangents of the items that were there, and of those that were put between them."""
    along = 0 if axis is None else axis % len(shape)
    length = math.prod(shape) if axis is None else shape[along]
    more = np.shape(z_bar)[along] - length
    marks = np.insert(np.arange(more, more + length), obj, np.arange(more))
    order = unordered(np.arange(len(marks)), marks, 0)
    old = np.reshape(np.take(z_bar, order[more:], along), shape)
    new = np.take(z_bar, order[:more], along)
    # For a single place NumPy reads the values along their first axis.
    new = np.moveaxis(new, along, 0) if np.ndim(obj) == 0 and not isinstance(obj, slice) else new
    return old, None, unbroadcast(new, values)


@adjoint(np.split)
def split(ary, indices_or_sections, axis=0):
    parts = np.split(ary, indices_or_sections, axis)
    likes = likes_of(parts)
    return parts, lambda y_bar: (np.concatenate(filled(y_bar, likes), axis), None)


@adjoint(np.array_split)
def array_split(ary, indices_or_sections, axis=0):
    parts = np.array_split(ary, indices_or_sections, axis)
    likes = likes_of(parts)
    return parts, lambda y_bar: (np.concatenate(filled(y_bar, likes), axis), None)


@adjoint(np.vsplit)
def vsplit(ary, indices_or_sections):
    parts = np.vsplit(ary, indices_or_sections)
    likes = likes_of(parts)
    return parts, lambda y_bar: (np.concatenate(filled(y_bar, likes), 0), None)


@adjoint(np.hsplit)
def hsplit(ary, indices_or_sections):
    parts = np.hsplit(ary, indices_or_sections)
    likes = likes_of(parts)
    return parts, lambda y_bar: (
        np.concatenate(filled(y_bar, likes), min(1, np.ndim(ary) - 1)),
        None,
    )


@adjoint(np.dsplit)
def dsplit(ary, indices_or_sections):
    parts = np.dsplit(ary, indices_or_sections)
    likes = likes_of(parts)
    return parts, lambda y_bar: (np.concatenate(filled(y_bar, likes), 2), None)


if hasattr(np, "unstack"):

    @adjoint(np.unstack)
    def unstack(x, *, axis=0):
        parts = np.unstack(x, axis=axis)
        likes = likes_of(parts)
        return parts, lambda y_bar: np.stack(filled(y_bar, likes), axis)
