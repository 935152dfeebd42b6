"""Shapes of results from the shapes of operands, for what is computed for its shape alone.

    np.shape(np.diff(x))              diff_shape(np.shape(x))
    np.shape(np.fft.irfft(x, 100))    irfft_shape(np.shape(x), 100)

Of elementwise functions `np.broadcast_shapes` tells; `SHAPES` has the others: which function takes
the place, and how many operands it takes the shapes of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir import facts

Shape = tuple[int, ...]


def with_size(shape: Shape, axis: int, size: int) -> Shape:
    axis = axis % len(shape)
    return (*shape[:axis], size, *shape[axis + 1 :])


def diff_shape(shape: Shape, n: int = 1, axis: int = -1) -> Shape:
    return with_size(shape, axis, max(shape[axis] - n, 0)) if n else shape


def convolve_shape(a: Shape, v: Shape, mode: str | int = "full") -> Shape:
    longer, shorter = max(a[0], v[0]), min(a[0], v[0])
    if mode in ("same", 1):
        return (longer,)
    return (longer + shorter - 1 if mode in ("full", 2) else longer - shorter + 1,)


def fft_shape(shape: Shape, n: int | None = None, axis: int = -1, norm: Any = None) -> Shape:
    return shape if n is None else with_size(shape, axis, n)


def rfft_shape(shape: Shape, n: int | None = None, axis: int = -1, norm: Any = None) -> Shape:
    return with_size(shape, axis, (shape[axis] if n is None else n) // 2 + 1)


def irfft_shape(shape: Shape, n: int | None = None, axis: int = -1, norm: Any = None) -> Shape:
    return with_size(shape, axis, 2 * (shape[axis] - 1) if n is None else n)


def svd_shape(
    shape: Shape, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Shape:
    """Of the singular values alone."""
    return (*shape[:-2], min(shape[-2:]))


def tile_shape(shape: Shape, reps: Any) -> Shape:
    times = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    ndim = max(len(times), len(shape))
    times = (1,) * (ndim - len(times)) + times
    full = (1,) * (ndim - len(shape)) + shape
    return tuple([k * n for k, n in zip(times, full, strict=True)])


SHAPES: dict[Callable[..., Any], tuple[Callable[..., Shape], int]] = {
    np.diff: (diff_shape, 1),
    np.convolve: (convolve_shape, 2),
    np.linalg.svd: (svd_shape, 1),
    np.tile: (tile_shape, 1),
}
OF_RESULTS = (
    diff_shape, convolve_shape, fft_shape, rfft_shape, irfft_shape, svd_shape, tile_shape,
)
facts.pure(*OF_RESULTS)
facts.total(*OF_RESULTS)
