"""Tangents of the arrays that `np.array` and the like make of numbers, arrays and nested lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const, type_of
from ir.types import TOP, Sequence, Tuple, Type, class_of, members_of
from zyg.array_type import Array, is_number
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


@facts.fold(joined)
def _of_floats(call: Call) -> Call | None:
    """What NumPy makes of the tangents themselves, where there are as many floats as numbers."""
    dot, like, y = map(type_of, call.args)
    if not isinstance(y, Array) or y.dtype != np.float64 or y.dims is None or len(y.dims) != 1:
        return None
    are_floats = all(class_of(type_) in (float, np.float64) for type_ in _types_in(dot))
    if not are_floats or not all(map(is_number, _types_in(like))):
        return None
    return Call(Const(np.array), call.args[:1], {}, call.results, call.loc)


def _types_in(type_: Type) -> list[Type]:
    """The types of what may stand in a list or tuple."""
    if isinstance(type_, Tuple):
        return [member for item in type_.items for member in members_of(item)]
    return list(members_of(type_.item)) if isinstance(type_, Sequence) else [TOP]
