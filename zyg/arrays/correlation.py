"""Correlations of `scipy.ndimage`, and what is linear beside them in their three operands.

With the filled array `X`, which continues `x` across its ends, a correlation is

    correlated(x, w)[i] = sum over k of w[k] X[i + k - front]

and `sum(u * correlated(x, w))` is linear in `u`, in `w` and in `x`. The functions here are the
derivatives of this sum, so that each is a derivative of the others:

    by u: correlated(x, w)      by x: transposed(u, w)      by w: lagged(u, x)

They go along some axes: the weights have one dimension for each, and `modes` and `origins` one
entry. `front` elements in front of an element are read for it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from scipy import ndimage

from ir import facts
from ir.types import TOP, Type
from zyg.array_type import Array

Axes: TypeAlias = tuple[int, ...]
Modes: TypeAlias = tuple[str, ...]

PADDING = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge",
    "wrap": "wrap", "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant",
}


def correlated(x: Any, weights: Any, axes: Axes, modes: Modes, cval: Any, origins: Axes) -> Any:
    """What `scipy.ndimage` gives: along one axis, or along all."""
    if np.ndim(weights) == 1:
        return ndimage.correlate1d(x, weights, axes[0], None, modes[0], cval, origins[0])
    if len(set(modes)) == 1:
        return ndimage.correlate(x, weights, None, modes[0], cval, origins)
    return ndimage.correlate(x, weights, None, modes, cval, origins)


def transposed(u: Any, weights: Any, axes: Axes, modes: Modes, origins: Axes) -> Any:
    """The cotangent of the array, of whose correlation `u` is the cotangent.

    The full convolution of `u`, of which the parts beyond the ends are added to the elements that
    they were copied from.
    """
    u = np.asarray(u)
    sizes = np.shape(weights)
    if len(axes) == 1 and u.shape[axes[0]] >= sizes[0]:
        return _transposed_along(u, weights, axes[0], modes[0], origins[0])
    full = _full(u, weights, axes)
    for axis, size, mode, origin in zip(axes, sizes, modes, origins, strict=True):
        full = _folded(full, axis, u.shape[axis], size // 2 + origin, mode)
    return full


def _full(u: Any, weights: Any, axes: Axes) -> Any:
    """The full convolution, longer than `u` by the weights but one."""
    sizes = np.shape(weights)
    shape = list(u.shape)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] += size - 1
    padded = np.zeros(shape, u.dtype)
    padded[tuple(map(slice, u.shape))] = u
    last = tuple((size - 1) // 2 for size in sizes)
    zeros = ("constant",) * len(axes)
    return correlated(padded, np.flip(weights), axes, zeros, 0.0, last)


def _folded(full: Any, axis: int, length: int, front: int, mode: str) -> Any:
    """The transpose of a continuation across both ends of an axis."""
    along = np.moveaxis(full, axis, 0)
    inner = along[front : front + length].copy()
    behind = len(along) - length - front
    _add_beyond(inner, along[:front], along[front + length :], front, behind, mode)
    return np.moveaxis(inner, 0, axis)


def _transposed_along(u: Any, weights: Any, axis: int, mode: str, origin: int) -> Any:
    """As `transposed`, where the convolution beyond an end comes from a strip at this end."""
    size = len(weights)
    front, shifted = size // 2 + origin, -origin if size % 2 else -1 - origin
    y = ndimage.correlate1d(u, np.flip(weights), axis, None, "constant", 0.0, shifted)
    if PADDING[mode] != "constant" and size > 1:
        along, inner = np.moveaxis(u, axis, 0), np.moveaxis(y, axis, 0)
        head, tail = (_full(strip, weights, (0,)) for strip in (along[:size], along[-size:]))
        behind = size - 1 - front
        _add_beyond(inner, head[:front], tail[len(tail) - behind :], front, behind, mode)
    return y


def _add_beyond(inner: Any, head: Any, tail: Any, front: int, behind: int, mode: str) -> None:
    """Adds what lies beyond the ends of the first axis to the elements that it was copied from."""
    if PADDING[mode] == "constant":
        return
    before, after = _sources(len(inner), front, behind, mode)
    for targets, beyond in ((before, head), (after, tail)):
        if len(set(targets)) == len(targets):
            inner[list(targets)] += beyond
        else:
            for target, row in zip(targets, beyond, strict=True):
                inner[target] += row


@lru_cache(maxsize=256)
def _sources(length: int, front: int, behind: int, mode: str) -> tuple[Axes, Axes]:
    """Of which elements those in front of an axis and behind it are copies."""
    padding: Any = PADDING[mode]
    sources = np.pad(np.arange(length), (front, behind), padding)
    return tuple(sources[:front].tolist()), tuple(sources[front + length :].tolist())


def lagged(
    u: Any, x: Any, sizes: Axes, axes: Axes, modes: Modes, cval: Any, origins: Axes
) -> Any:
    """The cotangent of weights of these sizes: `u` times the array, for each shift of it."""
    u, x = np.asarray(u), np.asarray(x)
    filled = x
    for axis, size, mode, origin in zip(axes, sizes, modes, origins, strict=True):
        widths = [(0, 0)] * x.ndim
        widths[axis] = (size // 2 + origin, size - 1 - size // 2 - origin)
        padding: Any = PADDING[mode]
        extra = {"constant_values": cval} if padding == "constant" else {}
        filled = np.pad(filled, widths, padding, **extra)
    sums = []
    for shifts in product(*map(range, sizes)):
        window = [slice(None)] * x.ndim
        for axis, shift in zip(axes, shifts, strict=True):
            window[axis] = slice(shift, shift + x.shape[axis])
        sums.append(np.sum(u * filled[tuple(window)]))
    return np.reshape(sums, sizes)


def _like_first(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Real weights keep shape and dtype of the array."""
    if len(args) < 2 or not isinstance(args[0], Array) or not isinstance(args[1], Array):
        return TOP
    return args[0] if args[0].dtype.kind == "f" and args[1].dtype.kind == "f" else TOP


facts.pure(correlated, transposed, lagged)
facts.fresh(correlated, transposed, lagged)
facts.result(correlated, transposed)(_like_first)
