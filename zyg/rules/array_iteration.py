"""Iteration over the elements of arrays: the list of them, in the order of their indices."""

from __future__ import annotations

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.rules.registry import substitute


@substitute(np.ndarray.flat)
def flat(a):
    return np.ravel(a)


@substitute(np.ndenumerate)
def ndenumerate(arr):
    arr = np.asarray(arr)
    return [(index, arr[index]) for index in np.ndindex(np.shape(arr))]


@substitute(np.nditer)
def nditer(op, flags=None, order="K"):
    unless_plain(op, flags, order)
    return [op[index] for index in np.ndindex(np.shape(op))]


def unless_plain(op, flags, order):
    if not isinstance(op, np.ndarray) or flags is not None or (
        order != "C" and not op.flags.c_contiguous
    ):
        raise NotDifferentiable(
            "np.nditer has derivatives for one array in the order of its indices, and without "
            "flags; loop over np.ndindex"
        )
