"""What inference knows about NumPy's reductions and shape functions.

    np.sum        (float64[N1, N2], axis=0)        -> float64[N2]

Most is found by example (`zyg.facts.numpy_example`). Functions that drop dimensions of size 1, or
take sizes as arguments, have rules, which are imported late (`zyg.facts.numpy_arrangements`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const, type_of
from ir.inference import special_calls
from ir.library.fact_rules import declare, is_int
from ir.types import TOP, Known, Tuple, Type, class_of
from zyg.array_type import (
    ANY,
    Array,
    Dim,
    Dims,
    array_of,
    as_array,
    broadcast,
    dims_of,
    size_dim,
)
from zyg.facts.numpy_example import COUNTS, by_example


def methods(*names: str) -> list[Any]:
    """The functions of these names, and the methods of arrays and of NumPy's scalars."""
    owners = (np, np.ndarray, np.generic)
    return [getattr(owner, name) for name in names for owner in owners if hasattr(owner, name)]


REDUCTIONS = methods("sum", "prod", "mean", "std", "var", "all", "any", "trace")
# They refuse empty arrays, for which they have no value.
EXTREMES = methods("max", "min", "argmax", "argmin", "ptp", "amax", "amin")
COPIES = methods("cumsum", "cumprod", "diff", "flip", "roll", "tril", "triu", "repeat", "argsort")
COPIES += methods("fliplr", "flipud", "tile", "sort", "rot90", "zeros_like", "ones_like", "copy")
COPIES += methods("median", "average", "nansum", "nanmean", "nanstd", "nanvar", "nanprod")
COPIES += methods("nanmax", "nanmin", "count_nonzero", "empty_like")
IN_PLACE = (np.ndarray.sort, np.generic.sort)
VIEWS = methods(
    "transpose", "swapaxes", "ravel", "diagonal", "moveaxis", "rollaxis", "real_if_close"
)
VIEWS += methods("expand_dims", "diag", "angle", "round", "around", "permute_dims")
VIEWS += methods("matrix_transpose", "atleast_1d", "atleast_2d", "atleast_3d", "flatten", "astype")
VIEWS += [np.real, np.imag, np.ndarray.conj, np.ndarray.conjugate]
VIEWS += [np.generic.conj, np.generic.conjugate]

OF_VALUES = [*REDUCTIONS, *EXTREMES, *COPIES]
BY_EXAMPLE = [f for f in (*OF_VALUES, *VIEWS) if f not in (*IN_PLACE, np.real_if_close)]
# These return views, or for some arguments the array itself.
NOT_NEW = (*IN_PLACE, np.flip, np.fliplr, np.flipud, np.rot90, np.diff)

facts.pure(*BY_EXAMPLE)
facts.result_made_by(by_example, *BY_EXAMPLE)
facts.fresh(*(f for f in OF_VALUES if f not in NOT_NEW))
facts.result_made_by(
    partial(by_example, counts=COUNTS), np.roll, np.repeat, np.ndarray.repeat, np.tile
)
facts.total(np.tril, np.triu, np.flip, np.fliplr, np.flipud, np.roll, np.tile, np.diag, np.diagonal)
facts.total(np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.moveaxis)
facts.total(np.nansum, np.nanmean, np.nanprod, np.diff, np.median, np.sort)
facts.total(*REDUCTIONS, np.cumsum, np.cumprod, np.transpose, np.ndarray.transpose)
facts.total(np.zeros_like, np.ones_like, np.copy, np.ndarray.copy, np.real, np.imag, np.ravel)
facts.fresh(np.ndarray.flatten)
facts.fresh(np.diff, when=lambda call: len(call.args) == 1 and "n" not in call.kwargs)


def _of_vector(call: Call) -> bool:
    """Whether `np.diag` makes a matrix; of one it gives a view."""
    items = type_of(call.args[0]) if call.args else TOP
    return isinstance(items, Array) and items.dims is not None and len(items.dims) == 1


facts.fresh(np.diag, when=_of_vector)


def copies(call: Call) -> bool:
    """Whether a call is free of `copy=False`: the array itself may be what it wants."""
    copy = call.kwargs.get("copy", Const(True))
    return len(call.args) <= 2 and isinstance(copy, Const) and copy.value is True


def is_of_items(call: Call) -> bool:
    """Whether a call makes an array of a list or tuple: that is none yet."""
    return bool(call.args) and class_of(type_of(call.args[0])) in (list, tuple)


facts.fresh(np.ndarray.astype, when=copies)


def argument(
    args: tuple[Type, ...], kwargs: dict[str, Type], index: int, name: str, default: Type
) -> Type:
    """An argument that may be given by position or by name."""
    return args[index] if index < len(args) else kwargs.get(name, default)


def dim_of(size: Type) -> Dim:
    """The dimension of a size given as an argument; -1 asks NumPy to find it."""
    if isinstance(size, Known) and type(size.value) in (int, bool) and size.value >= 0:
        return size_dim(int(size.value))
    return ANY


def dims_from(shape: Type) -> Dims | None:
    """The dimensions of a shape given as an argument: an int or a tuple of ints."""
    if isinstance(shape, Tuple) and all(map(is_int, shape.items)):
        return tuple(map(dim_of, shape.items))
    return (dim_of(shape),) if is_int(shape) else None


@declare(np.broadcast_to)
def broadcast_to(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    operand = as_array(args[0]) if len(args) == 2 and not kwargs else None
    dims = dims_from(args[1]) if operand is not None else None
    if operand is None:
        return TOP
    dtype = operand.dtype if isinstance(operand, Array) else np.result_type(class_of(operand))
    if dims is None:
        return Array(dtype, None)
    # The given shape has the last word: a big dimension of the operand stays.
    known = broadcast((dims_of(operand), dims))
    return TOP if known is None else array_of(dtype, known)


RESHAPING = (np.reshape, np.ndarray.reshape, np.squeeze, np.ndarray.squeeze)
MAKERS = (
    np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.tri, np.arange, np.linspace,
)
CONVERTING = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)
JOINING = (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)
ITEM = (np.ndarray.item, np.generic.item)
facts.late(
    "zyg.facts.numpy_arrangements", *RESHAPING, *MAKERS, *CONVERTING, *JOINING, *ITEM, np.logspace,
    np.geomspace, np.full_like, np.asfortranarray, np.split, np.array_split, np.hsplit, np.vsplit,
    np.dsplit,
)
special_calls.LATE["zyg.rules.joining"] = "zyg.rules.joined_pieces"
special_calls.late(
    "zyg.facts.numpy_displays", np.array, np.asarray, np.asanyarray, np.ascontiguousarray,
    np.asfortranarray, np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack,
    np.choose, np.tensordot, np.linalg.multi_dot,
)
special_calls.late("zyg.facts.numpy_changes", np.ndarray.fill, np.ndarray.sort, np.copyto)
special_calls.late("zyg.facts.numpy_missing", np.nansum, np.nanmean, np.nan_to_num)
special_calls.late("zyg.facts.numpy_selections", np.select, np.ndarray.view)
facts.pure(*RESHAPING, np.broadcast_to, np.full_like, *CONVERTING, *ITEM)
facts.pure(*(maker for maker in MAKERS if maker is not np.empty), np.logspace, np.geomspace)
facts.pure(*JOINING, np.dstack, np.block)
facts.pure(np.split, np.array_split, np.unique, np.searchsorted, np.nonzero, np.flatnonzero)
facts.total(np.reshape, np.ndarray.reshape, np.broadcast_to)
facts.fresh(*MAKERS, np.logspace, np.geomspace, np.full_like)
facts.fresh(np.array, when=copies)
facts.fresh(np.asarray, np.asanyarray, np.ascontiguousarray, when=is_of_items)
facts.fresh(*JOINING, np.dstack, np.block)
facts.joining(*JOINING, np.dstack, np.array, np.asarray)
