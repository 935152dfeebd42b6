"""Substitutes of NumPy's functions that write into an array, in terms of stores by an index."""

from __future__ import annotations

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.rules.indexing import along_axis
from zyg.rules.registry import substitute


@substitute(np.put, np.ndarray.put)
def put(a, ind, v, mode="raise"):
    places, count = np.ravel(ind), np.size(a)
    if mode == "clip":
        places = np.clip(places, 0, count - 1)
    elif mode == "wrap":
        places = np.mod(places, count)
    else:
        places = np.where(places < 0, places + count, places)
    a[np.unravel_index(places, np.shape(a))] = np.resize(v, len(places))


@substitute(np.putmask)
def putmask(a, mask, values):
    """Values are repeated to the size of the array, and taken where the mask holds."""
    mask = np.reshape(np.asarray(mask, bool), np.shape(a))
    a[mask] = np.resize(values, np.shape(a))[mask]


@substitute(np.place)
def place(arr, mask, vals):
    """Values are taken one after the other, from the first on again where they end."""
    mask = np.reshape(np.asarray(mask, bool), np.shape(arr))
    arr[mask] = np.resize(vals, int(np.sum(mask)))


@substitute(np.put_along_axis)
def put_along_axis(arr, indices, values, axis):
    shape = np.shape(arr)
    if axis is None:
        arr[np.unravel_index(indices, shape)] = values
    else:
        arr[along_axis(shape, indices, axis % len(shape))] = values


@substitute(np.fill_diagonal)
def fill_diagonal(a, val, wrap=False):
    shape = np.shape(a)
    if len(shape) < 2:
        raise ValueError("array must be at least 2-d")
    if len(shape) > 2 and min(shape) != max(shape):
        raise ValueError("All dimensions of input must be of equal length")
    if wrap and shape[0] > shape[1] + 1:
        raise NotDifferentiable("np.fill_diagonal has derivatives for wrap=False only")
    places = np.arange(min(shape))
    a[tuple([places for _ in shape])] = np.resize(val, len(places))


@substitute(np.ndarray.partition)
def partition(self, kth, axis=-1):
    self[...] = np.partition(self, kth, axis)


@substitute(np.ndarray.choose)
def choose(self, choices, *, mode="raise"):
    return np.choose(self, choices, mode=mode)
