"""`np.r_[...]` and its kin: arrays, numbers and ranges laid end to end, or spanning a grid.

    np.r_[x, 0.0, 1:3]      ->  np.concatenate([x, [0.0], np.arange(1, 3)])
    np.c_[x, y]             ->  np.concatenate([x[:, None], y[:, None]], axis=-1)
    np.ogrid[0:2, 0:x:5j]   ->  (np.arange(0.0, 2)[:, None], np.linspace(0, x, 5)[None, :])
    np.mgrid[0:2, 0:x:5j]   ->  np.stack(np.broadcast_arrays(*np.ogrid[0:2, 0:x:5j]))
"""

from __future__ import annotations

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute


@substitute(type(np.r_).__getitem__)  # both classes have it of the same base
def concatenated(self, key):
    pieces = key if isinstance(key, tuple) else (key,)
    axis = axis_of(self)
    unless_directed(pieces, axis)
    pieces = [range_of(piece) if isinstance(piece, slice) else piece for piece in pieces]
    dtype = common_dtype(pieces)
    arrays = [
        np.asarray(piece, dtype) if is_number(piece) else np.asarray(piece) for piece in pieces
    ]
    if axis == 0:
        return np.concatenate([np.reshape(x, 1) if np.ndim(x) == 0 else x for x in arrays])
    return np.concatenate([np.reshape(x, (-1, 1)) if np.ndim(x) < 2 else x for x in arrays], -1)


def is_number(piece):
    return isinstance(piece, (bool, int, float, complex, np.generic))


def common_dtype(pieces):
    """The dtype of the result, to which Python's numbers add their kind alone."""
    return np.result_type(*[
        piece if is_number(piece) else np.asarray(piece).dtype for piece in pieces
    ])


def axis_of(joiner):
    return joiner.axis


constant(common_dtype, axis_of)


@substitute(type(np.mgrid).__getitem__)  # that of `np.ogrid`, too
def grid(self, key):
    if not isinstance(key, tuple):
        return range_of(key)
    dtype = grid_dtype(key)
    ranges = [range_of(part).astype(dtype) for part in key]
    sparse = [
        np.reshape(x, [-1 if i == axis else 1 for i in range(len(ranges))])
        for axis, x in enumerate(ranges)
    ]
    return tuple(sparse) if is_sparse(self) else np.stack(np.broadcast_arrays(*sparse))


def grid_dtype(parts):
    """That of all bounds and steps together; the number of a complex step counts as a float."""
    steps = [abs(p.step) if isinstance(p.step, complex) else p.step for p in parts]
    bounds = [bound for p in parts for bound in (p.start, p.stop)]
    return np.result_type(0, *[x for x in [*bounds, *steps] if x is not None])


def is_sparse(grids):
    return grids.sparse


constant(grid_dtype, is_sparse)


def range_of(part):
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, complex):
        return np.linspace(start, part.stop, int(abs(step)))
    return np.arange(start, part.stop, step)


def unless_directed(pieces, axis):
    if axis not in (0, -1) or any(isinstance(piece, str) for piece in pieces):
        raise NotDifferentiable(
            "np.r_ and np.c_ have derivatives without directives such as '0,2'; use np.concatenate"
        )
