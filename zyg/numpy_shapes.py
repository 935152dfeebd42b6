"""What inference knows about NumPy's reductions, shape functions, and array makers.

    np.sum        (float64[N1, N2], axis=0)        -> float64[N2]
    np.reshape    (float64[N1], =(-1, 1))          -> float64[N1, 1]
    np.stack      ((float64[N1], float64[N1]))     -> float64[N, N1]
    np.zeros      ((int, =1))                      -> float64[?, 1]

Most is found by example (`zyg.numpy_example`); functions that broadcast, that drop dimensions of
size 1, or that take sizes as arguments have rules here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, type_of
from ir.fact_rules import declare, is_int
from ir.types import TOP, Known, Scalar, Sequence, Tuple, Type, Union, class_of, join
from zyg.array_type import (
    ANY,
    BIG,
    NUMPY_SCALARS,
    ONE,
    Array,
    Dim,
    Dims,
    One,
    Symbol,
    array_of,
    as_array,
    broadcast,
    derived_dim,
    dims_of,
    equal_dim,
    is_big,
    is_named,
    is_number,
    size_dim,
)
from zyg.numpy_example import COUNTS, Unknown, by_example, call, setting, with_dims


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
    return len(call.args) <= 2 and "copy" not in call.kwargs


facts.fresh(np.ndarray.astype, when=copies)


def item_type(type_: Type) -> Type:
    """The Python number that an element converts to."""
    if isinstance(type_, Array):
        return Scalar(type(np.ones((), type_.dtype).item()))
    cls = class_of(type_)
    return Scalar(type(cls(1).item())) if cls in NUMPY_SCALARS else TOP


@declare(np.ndarray.item, np.generic.item)
def item(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return item_type(args[0]) if args else TOP


facts.pure(np.ndarray.item, np.generic.item)


def like(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """`full_like(x, value)`: the value has no part in the result type."""
    return by_example(np.zeros_like)((args[0], *args[2:]), kwargs) if len(args) > 1 else TOP


declare(np.full_like)(like)
facts.pure(np.full_like, np.ndarray.squeeze, np.squeeze, np.broadcast_to, np.reshape)
facts.fresh(np.full_like)


def argument(
    args: tuple[Type, ...], kwargs: dict[str, Type], index: int, name: str, default: Type
) -> Type:
    """An argument that may be given by position or by name."""
    return args[index] if index < len(args) else kwargs.get(name, default)


@declare(np.squeeze, np.ndarray.squeeze)
def squeeze(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Without an axis, every dimension must be known to be 1, or not to be."""
    if not args or not isinstance(args[0], Array) or args[0].dims is None:
        return TOP
    dims = args[0].dims
    axis = argument(args, kwargs, 1, "axis", Known(None))
    if axis == Known(None):
        decided = all(isinstance(dim, One) or is_big(dim) for dim in dims)
        kept = tuple(dim for dim in dims if not isinstance(dim, One))
        return Array(args[0].dtype, kept) if decided else TOP
    try:
        axes = setting(axis)
        dropped = {range(len(dims))[i] for i in (axes if isinstance(axes, tuple) else (axes,))}
    except (Unknown, LookupError, TypeError):
        return TOP
    return Array(args[0].dtype, tuple(d for i, d in enumerate(dims) if i not in dropped))


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


@declare(np.reshape, np.ndarray.reshape)
def reshape(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) < 2 or kwargs:
        return TOP
    operand, shape = as_array(args[0]), args[1] if len(args) == 2 else Tuple(args[1:])
    # np.reshape takes an order as its third argument.
    if operand is None or (not (dims := dims_from(shape)) and dims != ()):
        return TOP
    exact = by_example(np.reshape)((operand, shape), {})
    if exact != TOP and not (isinstance(exact, Array) and ANY in (exact.dims or ())):
        return exact
    dtype = operand.dtype if isinstance(operand, Array) else np.result_type(class_of(operand))
    return array_of(dtype, rest_filled(shape, dims, dims_of(operand)))


def rest_filled(shape: Type, dims: Dims, old: Dims | None) -> Dims:
    """Dimensions of which all but one, the rest of the items, are 1: it is not, if one was not."""
    sizes = shape.items if isinstance(shape, Tuple) else (shape,)
    at = [i for i, size in enumerate(sizes) if size == Known(-1)]
    others = [dim for i, dim in enumerate(dims) if i not in at]
    are_ones = all(isinstance(dim, One) for dim in others)
    if len(at) != 1 or old is None or not any(map(is_big, old)) or not are_ones:
        return dims
    return tuple(BIG if i in at else dim for i, dim in enumerate(dims))


facts.pure(np.ndarray.reshape)
facts.total(np.reshape, np.ndarray.reshape, np.broadcast_to)


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


def filled(callee: Callable[..., Any], example: Callable[[Type], Any] | None) -> facts.ResultOf:
    """`zeros(shape, dtype)` and, with a value as the second argument, `full`."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        shape = argument(args, kwargs, 0, "shape", TOP)
        dims = dims_from(shape)
        if dims is None:
            return TOP
        values: tuple[Any, ...] = ()
        settings = args[1:]
        keywords = {name: type_ for name, type_ in kwargs.items() if name != "shape"}
        try:
            if example is not None:
                values = (example(argument(args, kwargs, 1, "fill_value", TOP)),)
                settings = args[2:]
                keywords.pop("fill_value", None)
            named = {name: setting(type_) for name, type_ in keywords.items()}
            result = call(callee, ((1,) * len(dims), *values, *map(setting, settings)), named)
        except Unknown:
            return TOP
        return with_dims(result, dims)

    return result_of


def number_example(type_: Type) -> Any:
    if not is_number(type_):
        raise Unknown
    return class_of(type_)(1)  # type: ignore[misc]


declare(np.zeros)(filled(np.zeros, None))
declare(np.ones)(filled(np.ones, None))
declare(np.empty)(filled(np.empty, None))
declare(np.full)(filled(np.full, number_example))


@declare(np.eye, np.identity)
def eye(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Float matrices of n rows and as many columns, where no dtype is given."""
    if len(args) not in (1, 2) or kwargs or not all(map(is_int, args)):
        return TOP
    return Array(np.dtype(np.float64), (dim_of(args[0]), dim_of(args[-1])))


@declare(np.arange)
def arange(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args or kwargs or not all(map(is_number, args)):
        return TOP
    dtype = call(np.arange, tuple(map(number_example, args)), {}).dtype
    only = args[0] if len(args) == 1 and class_of(args[0]) is int else None
    return array_of(dtype, (ANY if only is None else dim_of(only),))


@declare(np.linspace, np.logspace, np.geomspace)
def linspace(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Between two real numbers of double precision."""
    count = argument(args, kwargs, 2, "num", Known(50))
    known = kwargs.keys() <= {"num"} and 2 <= len(args) <= 3 and is_int(count)
    if not known or any(class_of(end) not in (int, float, np.float64) for end in args[:2]):
        return TOP
    return Array(np.dtype(np.float64), (dim_of(count),))


MAKERS = (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.arange, np.linspace)
facts.pure(*(maker for maker in MAKERS if maker is not np.empty), np.logspace, np.geomspace)
facts.fresh(*MAKERS, np.logspace, np.geomspace)


@declare(np.asanyarray)
def any_array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The same as `array`, but an object of a subclass of arrays stays what it is."""
    is_known = args[:1] and isinstance(args[0], Array | Scalar | Known | Tuple | Sequence)
    return array(args, kwargs) if is_known else TOP


@declare(np.array, np.asarray, np.ascontiguousarray)
def array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """An array of an array, a number, or nested tuples; a list may be empty, then of float64."""
    if not args or len(args) > 2 or not kwargs.keys() <= {"dtype", "copy"}:
        return TOP
    dtype = argument(args, kwargs, 1, "dtype", Known(None))
    operand = as_array(args[0])
    if not isinstance(dtype, Known):
        return TOP
    if operand is None:
        return array_of_list(args[0], dtype)
    dims = dims_of(operand)
    try:
        wanted = np.dtype(dtype.value) if dtype.value is not None else None
    except TypeError:
        return TOP
    if wanted is None:
        kind = operand.dtype if isinstance(operand, Array) else np.dtype(class_of(operand))
        return array_of(kind, dims)
    return array_of(wanted, dims)


def array_of_list(type_: Type, dtype: Known) -> Type:
    """Numbers in a list of unknown length, or anything that is converted to a known dtype."""
    is_list = isinstance(type_, Sequence) and type_.cls in (list, tuple, range)
    item = facts.item_of(type_) if is_list else TOP
    if dtype.value is not None:
        is_row = all(map(is_number, item.members if isinstance(item, Union) else [item]))
        try:
            return array_of(np.dtype(dtype.value), (ANY,) if is_row else None)
        except TypeError:
            return TOP
    if not isinstance(type_, Sequence) or not is_list or not is_number(item):
        return TOP
    items = array_of(np.dtype(class_of(type_.item)), (ANY,))
    if type_.cls is range:
        return items
    return join(items, Array(np.dtype(np.float64), (ANY,)))


facts.pure(np.array, np.asarray, np.asanyarray, np.ascontiguousarray)
facts.fresh(np.array, when=copies)


def parts(type_: Type) -> list[Array] | None:
    """The arrays that are joined; one of them stands for a list of unknown length."""
    items = type_.items if isinstance(type_, Tuple) else (facts.item_of(type_),)
    operands = [as_array(item) for item in items]
    if isinstance(type_, Array) or not operands:
        return None
    arrays = [
        Array(np.result_type(class_of(op)), ()) if op is not None and is_number(op) else op
        for op in operands
    ]
    known = [part for part in arrays if isinstance(part, Array) and part.dims is not None]
    ranks = {len(part.dims or ()) for part in known}
    return known if len(known) == len(arrays) and len(ranks) == 1 else None


def total_dim(dims: list[Dim], several: bool) -> Dim:
    """The size of parts laid end to end."""
    if several:
        return ANY
    if len(dims) == 1:
        return dims[0]
    if all(isinstance(dim, One) for dim in dims):
        return BIG
    if all(map(is_named, dims)):
        # One symbol for the same parts, and no promise that it is not 1: 0 + 1 is.
        first = next(dim for dim in dims if isinstance(dim, Symbol))
        return Symbol((first, ("concatenate", *dims)), False)
    return ANY


def joined(pieces: list[Array], axis: int, several: bool) -> Type:
    shapes = [piece.dims or () for piece in pieces]
    try:
        axis = range(len(shapes[0]))[axis]
    except IndexError:
        return TOP
    dims = list(shapes[0])
    for shape in shapes[1:]:
        dims = list(map(equal_dim, dims, shape))
    dims[axis] = total_dim([shape[axis] for shape in shapes], several)
    return array_of(np.result_type(*(piece.dtype for piece in pieces)), tuple(dims))


def joining(
    prepare: Callable[[Dims], Dims], axis_of: Callable[[int, int], int], default: int | None
) -> facts.ResultOf:
    """`concatenate` and its kin: the parts get new dimensions, then are laid along an axis."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        axis = argument(args, kwargs, 1, "axis", Known(default))
        pieces = parts(args[0]) if args else None
        several = not isinstance(args[0], Tuple) if args else False
        fixed = default is None and (len(args) > 1 or kwargs)
        if not pieces or fixed or len(args) > 2 or not kwargs.keys() <= {"axis"}:
            return TOP
        if default is not None and not (isinstance(axis, Known) and type(axis.value) is int):
            return TOP
        position = axis.value if isinstance(axis, Known) and axis.value is not None else 0
        rank = len(pieces[0].dims or ())
        prepared = [Array(piece.dtype, prepare(piece.dims or ())) for piece in pieces]
        return joined(prepared, axis_of(rank, position), several)

    return result_of


@declare(np.stack)
def stack(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    axis = argument(args, kwargs, 1, "axis", Known(0))
    pieces = parts(args[0]) if args else None
    known = isinstance(axis, Known) and type(axis.value) is int
    if not pieces or not known or len(args) > 2 or not kwargs.keys() <= {"axis"}:
        return TOP
    position = axis.value  # type: ignore[attr-defined]
    dims = list(pieces[0].dims or ())
    for piece in pieces[1:]:
        dims = list(map(equal_dim, dims, piece.dims or ()))
    if not -len(dims) - 1 <= position <= len(dims):
        return TOP
    count = size_dim(len(pieces)) if isinstance(args[0], Tuple) else ANY
    dims.insert(position if position >= 0 else len(dims) + 1 + position, count)
    return array_of(np.result_type(*(piece.dtype for piece in pieces)), tuple(dims))


def as_row(dims: Dims) -> Dims:
    return (ONE, *dims) if len(dims) == 1 else (dims or (ONE, ONE))


def as_column(dims: Dims) -> Dims:
    return (*dims, ONE) if len(dims) == 1 else (dims or (ONE, ONE))


declare(np.concatenate)(joining(lambda dims: dims, lambda rank, axis: axis, 0))
declare(np.vstack)(joining(as_row, lambda rank, axis: 0, None))
declare(np.column_stack)(joining(as_column, lambda rank, axis: 1, None))
declare(np.hstack)(
    joining(lambda dims: dims or (ONE,), lambda rank, axis: 0 if rank <= 1 else 1, None)
)
JOINING = (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack, np.block)
facts.pure(*JOINING)
facts.fresh(*JOINING)
facts.joining(*[function for function in JOINING if function is not np.block], np.array, np.asarray)


@declare(np.array_split)
def split(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """A list of parts, whose sizes along the axis are not followed."""
    return parts_along(args, kwargs, lambda dim: ANY)


@declare(np.split)
def equal_split(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """A number of parts is one of parts of equal sizes."""
    count = argument(args, kwargs, 1, "indices_or_sections", TOP)
    is_number_of_parts = isinstance(count, Known) and type(count.value) is int
    return parts_along(
        args, kwargs, lambda dim: derived_dim(dim, ("part", count)) if is_number_of_parts else ANY
    )


def parts_along(
    args: tuple[Type, ...], kwargs: dict[str, Type], part_of: Callable[[Dim], Dim]
) -> Type:
    axis = argument(args, kwargs, 2, "axis", Known(0))
    operand = args[0] if args else TOP
    if not isinstance(operand, Array) or not operand.dims or not isinstance(axis, Known):
        return TOP
    dims = list(operand.dims)
    try:
        dims[axis.value] = part_of(dims[axis.value])
    except (LookupError, TypeError):
        return TOP
    return Sequence(list, Array(operand.dtype, tuple(dims)))


facts.pure(np.split, np.array_split, np.unique, np.searchsorted, np.nonzero, np.flatnonzero)
