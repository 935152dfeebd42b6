"""`np.r_[...]` and `np.c_[...]`: arrays, numbers and ranges laid end to end.

    np.r_[x, 0.0, 1:3]   ->  np.concatenate([x, [0.0], np.arange(1, 3)])
    np.c_[x, y]          ->  np.concatenate([x[:, None], y[:, None]], axis=-1)
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
