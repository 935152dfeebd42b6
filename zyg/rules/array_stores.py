"""Substitutes of NumPy's functions that write into an array, in terms of stores by an index.

    np.subtract.at(x, i, v)         np.add.at(x, i, -v)
    np.maximum.at(x, i, v)          x[i] = np.maximum(x[i], v), one after the other if i repeats
"""

from __future__ import annotations

import numpy as np

from zyg.rules.indexing import along_axis
from zyg.rules.registry import constant, of_ufuncs, rule_of, substitute


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
    if wrap and len(shape) == 2:
        places = np.arange(0, np.size(a), shape[1] + 1)
        a[np.unravel_index(places, shape)] = np.resize(val, len(places))
    else:
        places = np.arange(min(shape))
        a[tuple([places for _ in shape])] = np.resize(val, len(places))


def store_real(array, value):
    """`array.real = value`, for arrays of both kinds."""
    array[...] = value + 1j * np.imag(array) if np.iscomplexobj(array) else value


def store_imag(array, value):
    if np.isrealobj(array):
        raise TypeError("array does not have imaginary part to set")
    array[...] = np.real(array) + 1j * np.asarray(value)


def store_flat(array, value):
    array[...] = np.resize(value, np.shape(array))


SETTERS = {"real": store_real, "imag": store_imag, "flat": store_flat}


@substitute(np.ndarray.partition)
def partition(self, kth, axis=-1):
    self[...] = np.partition(self, kth, axis)


@substitute(np.ndarray.choose)
def choose(self, choices, *, mode="raise"):
    return np.choose(self, choices, mode=mode)


# Methods of ufuncs; that of `np.add` has a meaning of its own.


@of_ufuncs("at", np.subtract)
def subtract_at(ufunc, a, indices, b):
    np.add.at(a, indices, np.negative(b))


def at_of_two(ufunc, a, indices, b):
    """One call for each index, in their order: also where an index is repeated."""
    places = np.reshape(np.arange(np.size(a)), np.shape(a))[indices]
    if is_repeating(places):
        operands = np.ravel(np.broadcast_to(b, np.shape(places)))
        for i, place in enumerate(np.ravel(places)):
            index = np.unravel_index(place, np.shape(a))
            a[index] = ufunc(a[index], operands[i])
    else:
        a[indices] = ufunc(a[indices], b)


def at_of_one(ufunc, a, indices):
    places = np.reshape(np.arange(np.size(a)), np.shape(a))[indices]
    if is_repeating(places):
        for place in np.ravel(places):
            index = np.unravel_index(place, np.shape(a))
            a[index] = ufunc(a[index])
    else:
        a[indices] = ufunc(a[indices])


def all_on_the_way(ufunc, rows):
    """The results of `ufunc.accumulate` along the first axis, one after the other."""
    y = np.array(rows)
    for i in range(1, len(rows)):
        y[i] = ufunc(y[i - 1], rows[i])
    return y


def is_repeating(places):
    return np.size(np.unique(places)) < np.size(places)


constant(is_repeating)

for _ufunc in vars(np).values():
    if isinstance(_ufunc, np.ufunc) and rule_of(_ufunc) is not None and _ufunc.nout == 1:
        if _ufunc.signature is None and _ufunc is not np.add:
            of_ufuncs("at", _ufunc, replace=False)(at_of_one if _ufunc.nin == 1 else at_of_two)
