"""Iteration over the elements of arrays, in the order of their indices."""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import Scalar, Sequence
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute


@substitute(np.ndarray.flat)
def flat(a):
    return np.ravel(a)


@substitute(np.ndenumerate)
def ndenumerate(arr):
    arr = np.asarray(arr)
    return zip(indices(arr), np.ravel(arr), strict=False)


def indices(a):
    """The indices of the elements, in their order."""
    return list(np.ndindex(np.shape(a)))


@facts.result(indices)
def result_of_indices(args, kwargs):
    return Sequence(list, Sequence(tuple, Scalar(int)))


constant(indices)
facts.pure(indices)


@substitute(np.nditer)
def nditer(op, flags=None, order="K"):
    """The elements as views without dimensions, which change with the array; of several arrays,
    that are broadcast together, in tuples."""
    unless_without(flags)
    if isinstance(op, np.ndarray):
        if order == "C" or (order != "F" and op.flags.c_contiguous):
            unless_empty(op)
            return [op[(*index, ...)] for index in np.ndindex(np.shape(op))]
        return [op[(*index, ...)] for index in places(op, order)]
    if not isinstance(op, (list, tuple)):
        return [np.asarray(op)[(*index, ...)] for index in places(op, order)]
    arrays = np.broadcast_arrays(*op)
    return [tuple([array[(*index, ...)] for array in arrays]) for index in places(op, order)]


def unless_without(flags):
    if flags is not None:
        raise NotDifferentiable("np.nditer has no derivatives with flags; loop over np.ndindex")


def unless_empty(op):
    if not op.size:
        np.nditer(op)  # which raises


def places(op, order):
    """The indices of the elements in the order in which NumPy visits them: that of the memory."""
    given = list(op) if isinstance(op, tuple) else op
    iterator = np.nditer(given, flags=["multi_index"], order=order)
    return [iterator.multi_index for _ in iterator]


@facts.result(places)
def result_of_places(args, kwargs):
    return Sequence(list, Sequence(tuple, Scalar(int)))


constant(unless_without, unless_empty, places)
facts.pure(places)
