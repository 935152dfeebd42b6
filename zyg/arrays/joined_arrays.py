"""Tangents of the arrays that `np.array` and the like make of numbers, arrays and nested lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir import facts
from ir.types import TOP, Type
from zyg.array_type import Array
from zyg.unusual_arrays import refuse_to_hold


def joined(dot: Any, like: Any, y: Any) -> Any:
    """The tangent of the array `y` that was made of `like`, whose tangent is `dot`.

    Zero where numbers were rounded. Raises for arrays of objects and records.

    >>> joined([[1.0], [None]], [[0.5], [True]], np.zeros((2, 1)))
    array([[1.],
           [0.]])
    """
    if y.dtype.kind not in "fc":
        refuse_to_hold(y.dtype)
        return np.zeros(y.shape)
    whole = np.asarray(_numbers(dot, like))
    if whole.dtype.kind == "c" and y.dtype.kind == "f":
        whole = whole.real
    found = np.empty(y.shape, y.dtype)
    found[...] = np.reshape(whole, y.shape)
    return found


def _numbers(dot: Any, like: Any) -> Any:
    """The same with zeros where there is no tangent, of the shape of what it belongs to."""
    if dot is None:
        return np.zeros(np.shape(like))
    if isinstance(like, list | tuple):
        return [
            part if type(part) is float else _numbers(part, of_part)
            for part, of_part in zip(dot, like, strict=True)
        ]
    shape = np.shape(like)
    return dot if np.shape(dot) == shape else np.broadcast_to(dot, shape)


facts.pure(joined)
facts.fresh(joined)


@facts.result(joined)
def _like_array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    y = args[2]
    return y if isinstance(y, Array) and y.dtype.kind in "fc" else TOP
