"""What inference knows of NumPy's functions that make arrays, reshape them, join and split them.

    np.reshape    (float64[N1], =(-1, 1))          -> float64[N1, 1]
    np.stack      ((float64[N1], float64[N1]))     -> float64[N, N1]
    np.zeros      ((int, =1))                      -> float64[?, 1]

Imported by the first program that calls one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts
from ir.late import late
from ir.library.fact_rules import declare, distributed, is_int
from ir.types import TOP, Known, Scalar, Sequence, Tuple, Type, class_of, join, join_all, members_of
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
    derived_dim,
    dims_of,
    dtypes_in,
    equal_dim,
    is_big,
    is_named,
    is_number,
    possible_dtypes,
    size_dim,
)
from zyg.facts.numpy_example import Unknown, by_example, call, setting, with_dims
from zyg.facts.numpy_shapes import argument, dim_of, dims_from

if TYPE_CHECKING:
    from zyg.facts import example_calls
else:
    example_calls = late("zyg.facts.example_calls")


def item_type(type_: Type) -> Type:
    """The Python number that an element converts to."""
    if isinstance(type_, Array):
        return Scalar(type(np.ones((), type_.dtype).item()))
    cls = class_of(type_)
    return Scalar(type(cls(1).item())) if cls in NUMPY_SCALARS else TOP


@declare(np.ndarray.item, np.generic.item)
def item(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return item_type(args[0]) if args else TOP


def like(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """`full_like(x, value)`: the value has no part in the result type."""
    return by_example(np.zeros_like)((args[0], *args[2:]), kwargs) if len(args) > 1 else TOP


declare(np.full_like)(like)


@declare(np.squeeze, np.ndarray.squeeze)
def squeeze(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Without an axis, the dimensions that are 1 are gone, where that is known of all. Of an axis
    that isn't known one dimension is, of what may be several or none, any number."""
    if not args or not isinstance(args[0], Array) or args[0].dims is None:
        return TOP
    dims = args[0].dims
    axis = argument(args, kwargs, 1, "axis", Known(None))
    if axis == Known(None):
        decided = all(isinstance(dim, One) or is_big(dim) for dim in dims)
        kept = tuple(dim for dim in dims if not isinstance(dim, One))
        return Array(args[0].dtype, kept if decided else None)
    if is_int(axis) and not isinstance(axis, Known) and dims:
        return Array(args[0].dtype, (ANY,) * (len(dims) - 1))
    try:
        axes = setting(axis)
        dropped = {range(len(dims))[i] for i in (axes if isinstance(axes, tuple) else (axes,))}
    except Unknown:
        return Array(args[0].dtype, None)
    except (LookupError, TypeError):
        return TOP
    return Array(args[0].dtype, tuple(d for i, d in enumerate(dims) if i not in dropped))


@declare(np.reshape, np.ndarray.reshape)
def reshape(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) < 2 or not kwargs.keys() <= {"order", "copy"}:
        return TOP
    # np.reshape takes an order as its third argument.
    if class_of(args[-1]) is str:
        args = args[:-1]
    operand, shape = as_array(args[0]), args[1] if len(args) == 2 else Tuple(args[1:])
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


def filled(callee: Callable[..., Any], example: Callable[[Type], Any] | None) -> facts.ResultOf:
    """`zeros(shape, dtype)` and, with a value as the second argument, `full`."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        shape = argument(args, kwargs, 0, "shape", TOP)
        dims = dims_from(shape)
        if dims is None and isinstance(shape, Tuple) and all(
            is_int(size) or size == TOP for size in shape.items
        ):
            dims = tuple(dim_of(size) if is_int(size) else ANY for size in shape.items)
        values: tuple[Any, ...] = ()
        settings = args[1:]
        keywords = {name: type_ for name, type_ in kwargs.items() if name != "shape"}
        try:
            if example is not None:
                values = (example(argument(args, kwargs, 1, "fill_value", TOP)),)
                settings = args[2:]
                keywords.pop("fill_value", None)
            named = {name: setting(type_) for name, type_ in keywords.items()}
            one = (1,) * (1 if dims is None else len(dims))
            result = call(callee, (one, *values, *map(setting, settings)), named)
        except Unknown:
            return TOP
        return with_dims(result, dims)

    return result_of


def number_example(type_: Type) -> Any:
    """A number, or one item of an array that is spread."""
    cls = class_of(type_)
    array = as_array(type_)
    if isinstance(array, Array):
        return np.ones((), array.dtype)
    if cls is None or not is_number(type_):
        raise Unknown
    return cls(1)


declare(np.zeros)(filled(np.zeros, None))
declare(np.ones)(filled(np.ones, None))
declare(np.empty)(filled(np.empty, None))
declare(np.full)(filled(np.full, number_example))


@declare(np.eye, np.identity)
def eye(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Matrices of n rows and as many columns, of floats where no dtype is given."""
    dtype = kwargs.get("dtype", Known(float))
    is_covered = len(args) in (1, 2) and kwargs.keys() <= {"dtype"} and all(map(is_int, args))
    if not is_covered or not isinstance(dtype, Known) or not isinstance(dtype.value, type):
        return TOP
    made = np.dtype(dtype.value)
    return Array(made, (dim_of(args[0]), dim_of(args[-1]))) if made.kind in "biufc" else TOP


@declare(np.tri)
def tri(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Ones below a diagonal, of double precision where no dtype is given."""
    if not 1 <= len(args) <= 3 or not kwargs.keys() <= {"k"} or not all(map(is_int, args)):
        return TOP
    return Array(np.dtype(np.float64), (dim_of(args[0]), dim_of(args[min(1, len(args) - 1)])))


@declare(np.arange)
def arange(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args or not kwargs.keys() <= {"dtype"} or not all(map(is_number, args)):
        return TOP
    try:
        options = {name: setting(type_) for name, type_ in kwargs.items()}
        dtype = call(np.arange, tuple(map(number_example, args)), options).dtype
    except Unknown:
        return TOP
    only = args[0] if len(args) == 1 and class_of(args[0]) is int else None
    return array_of(dtype, (ANY if only is None else dim_of(only),))


def spaced(callee: Callable[..., Any]) -> facts.ResultOf:
    """Between two real numbers of double precision, or others by example."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        count = argument(args, kwargs, 2, "num", Known(50))
        known = kwargs.keys() <= {"num", "endpoint"} and 2 <= len(args) <= 4 and is_int(count)
        if not known or any(class_of(end) not in (int, float, np.float64) for end in args[:2]):
            return example_calls.by_calls(callee, 2)(args, kwargs)
        return Array(np.dtype(np.float64), (dim_of(count),))

    return distributed(result_of)


facts.result_made_by(spaced, np.linspace, np.logspace, np.geomspace)


@declare(np.asanyarray)
def any_array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The same as `array`, but an object of a subclass of arrays stays what it is."""
    is_known = args[:1] and isinstance(args[0], Array | Scalar | Known | Tuple | Sequence)
    return array(args, kwargs) if is_known else TOP


def with_dimension(callee: Callable[..., Any]) -> facts.ResultOf:
    """The same, where a result without dimensions gets one, in some versions of NumPy."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        found = array(args, kwargs)
        if not isinstance(found, Array) or found.dims:
            return found
        return TOP if found.dims is None else example_calls.by_calls(callee)(args, kwargs)

    return distributed(result_of)


facts.result_made_by(with_dimension, np.ascontiguousarray, np.asfortranarray)


@declare(np.array, np.asarray)
def array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """An array of an array, a number, or nested tuples; a list may be empty, then of float64."""
    if not args or len(args) > 3 or not kwargs.keys() <= {"dtype", "copy", "ndmin", "order"}:
        return TOP
    dtype = argument(args, kwargs, 1, "dtype", Known(None))
    least = kwargs.get("ndmin", Known(0))
    operand = as_array(args[0])
    if not isinstance(dtype, Known) or not isinstance(least, Known):
        return TOP
    if operand is None:
        return array_of_list(args[0], dtype) if least == Known(0) else TOP
    dims = dims_of(operand)
    if dims is not None:
        dims = (ONE,) * (least.value - len(dims)) + dims
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
    is_row = all(map(is_number, members_of(item)))
    if dtype.value is not None:
        try:
            return array_of(np.dtype(dtype.value), (ANY,) if is_row else None)
        except TypeError:
            return TOP
    if not is_row:
        # As many dimensions as there are brackets, but where a list is empty: then of float64.
        is_double = dtypes_in(type_) == {np.dtype(np.float64)}
        return array_of(np.dtype(np.float64), None) if is_double else TOP
    items = join_all(array_of(kind, (ANY,)) for kind in possible_dtypes(type_))
    if class_of(type_) is range:
        return items
    return join(items, Array(np.dtype(np.float64), (ANY,)))


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
    callee: Callable[..., Any], prepare: Callable[[Dims], Dims],
    axis_of: Callable[[int, int], int], default: int | None,
) -> facts.ResultOf:
    """`concatenate` and its kin: the parts get new dimensions, then are laid along an axis.

    Parts of several ranks, the rows of an array and other arguments are left to examples.
    """

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        found = of_parts(args, kwargs)
        return example_calls.by_calls(callee)(args, kwargs) if found == TOP else found

    def of_parts(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
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
    found = _stacked(args, kwargs)
    return example_calls.by_calls(np.stack)(args, kwargs) if found == TOP else found


def _stacked(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    axis = argument(args, kwargs, 1, "axis", Known(0))
    pieces = parts(args[0]) if args else None
    if not pieces or len(args) > 2 or not kwargs.keys() <= {"axis"}:
        return TOP
    if not isinstance(axis, Known) or type(axis.value) is not int:
        return TOP
    position = axis.value
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


declare(np.concatenate)(joining(np.concatenate, lambda dims: dims, lambda rank, axis: axis, 0))
declare(np.vstack)(joining(np.vstack, as_row, lambda rank, axis: 0, None))
declare(np.column_stack)(joining(np.column_stack, as_column, lambda rank, axis: 1, None))
declare(np.hstack)(joining(
    np.hstack, lambda dims: dims or (ONE,), lambda rank, axis: 0 if rank <= 1 else 1, None
))


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


def split_along(axis: int) -> facts.ResultOf:
    """`vsplit` and its kin, whose axis is fixed."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) != 2 or kwargs:
            return TOP
        rank = len(dims_of(args[0]) or ())
        along = 0 if rank == 1 and axis == 1 else axis
        return split((*args, Known(along)), {}) if rank > along else TOP

    return distributed(result_of)


facts.result(np.vsplit)(split_along(0))
facts.result(np.hsplit)(split_along(1))
facts.result(np.dsplit)(split_along(2))


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
