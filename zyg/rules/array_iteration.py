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
    """The elements as views without dimensions: they change with the array."""
    unless_plain(op, flags, order)
    return [op[(*index, ...)] for index in np.ndindex(np.shape(op))]


def unless_plain(op, flags, order):
    if not isinstance(op, np.ndarray) or flags is not None or (
        order != "C" and not op.flags.c_contiguous
    ):
        raise NotDifferentiable(
            "np.nditer has derivatives for one array in the order of its indices, and without "
            "flags; loop over np.ndindex"
        )
    if not op.size:
        np.nditer(op)  # which raises
