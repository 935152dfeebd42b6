"""What inference knows about NumPy's factorisations and selections.

Their results are new memory, so that a program may change them in place. Where values decide how
many items there are (`np.unique`), the size along that dimension is unknown.

(np.linalg.qr, float64[N, N])           -> (float64[N, N], float64[N, N])
(np.delete, float64[N, M], int, axis=0) -> float64[?, M]

Imported together with `zyg.facts.numpy_library`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ir import facts
from ir.library.fact_rules import declare, distributed, is_int
from ir.types import TOP, Known, NamedTuple, Sequence, Tuple, Type, join, join_all
from zyg.array_type import (
    ANY,
    Array,
    Dim,
    Dims,
    Symbol,
    array_of,
    broadcast,
    dims_of,
    dtypes_in,
    element_or_array,
    is_big,
    is_named,
    is_number,
    rank_of,
)
from zyg.facts import numpy_composites as numpy_composites  # it is late together with this module
from zyg.facts.example_calls import by_calls
from zyg.facts.numpy_composites import inexact
from zyg.facts.numpy_example import (
    COUNTS,
    Unknown,
    by_example,
    call,
    mixes_by_value,
    number_sample,
    setting,
    shaped_by,
    with_dims,
)
from zyg.facts.numpy_shapes import argument

FACTORISATIONS = (np.linalg.svd, np.linalg.qr)
# The type follows from one array and settings.
OF_ONE = (
    np.diagflat, np.vander, np.unwrap, np.pad, np.partition, np.argpartition,
)
OF_TWO = (np.convolve, np.kron)

facts.result_made_by(by_example, *FACTORISATIONS, *OF_ONE)
facts.result_made_by(partial(by_example, counts=COUNTS), np.pad)
facts.result_made_by(partial(by_example, data=2), *OF_TWO)
facts.fresh(*FACTORISATIONS, *OF_ONE, *OF_TWO)
_pinv = by_example(np.linalg.pinv)


@declare(np.linalg.pinv)
def pinv(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of an empty array of integers it is one of integers."""
    is_inexact = bool(args) and isinstance(args[0], Array) and args[0].dtype.kind in "fc"
    return _pinv(args, kwargs) if is_inexact else TOP


facts.fresh(np.linalg.pinv)


def of_square(callee: Callable[..., Any]) -> facts.ResultOf:
    """The rule of a function that refuses matrices that aren't square."""
    plain = by_example(callee)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        matrix = args[0] if args else TOP
        if not isinstance(matrix, Array) or matrix.dims is None or len(matrix.dims) < 2:
            return TOP
        side = matrix.dims[-1]
        # Whatever is known of the size, it is that of both sides.
        own = side if is_named(side) else Symbol(of_square, is_big(side))
        square = Array(matrix.dtype, (*matrix.dims[:-2], own, own))
        return with_dim(plain((square, *args[1:]), kwargs), own, side)

    return distributed(result_of)


def with_dim(type_: Type, old: Dim, new: Dim) -> Type:
    """A type of arrays with one dimension in the place of another."""
    match type_:
        case Array(dtype, dims) if dims is not None:
            return Array(dtype, tuple(new if dim == old else dim for dim in dims))
        case NamedTuple(cls, _, items):
            found = tuple(with_dim(item, old, new) for item in items)
            return NamedTuple(cls, join_all(found), found)
        case Tuple(items):
            return Tuple(tuple(with_dim(item, old, new) for item in items))
        case _:
            return type_


facts.result_made_by(of_square, np.linalg.eigvalsh, np.linalg.eigh, np.linalg.matrix_power)
facts.fresh(np.linalg.eigvalsh, np.linalg.eigh)  # of a power of 1: the array


ORDER_STATISTICS = np.quantile, np.percentile


def order_statistics(callee: Callable[..., Any]) -> facts.ResultOf:
    """`quantile` and `percentile`: also of several places in a list, or by its name."""
    plain = by_example(callee, 2)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) == 1 and "q" in kwargs:
            args = (*args, kwargs["q"])
            kwargs = {name: type_ for name, type_ in kwargs.items() if name != "q"}
        if len(args) > 1 and isinstance(args[1], Sequence | Tuple):
            if None in dtypes_in(args[1]) or isinstance(facts.item_of(args[1]), Sequence | Tuple):
                return TOP
            args = (args[0], Array(np.dtype(np.float64), (ANY,)), *args[2:])
        return plain(args, kwargs)

    return distributed(result_of)


facts.result_made_by(order_statistics, *ORDER_STATISTICS)
facts.fresh(*ORDER_STATISTICS)


def without_axis(y: Dims, x: Dims, dx: float = 1.0, axis: int = -1) -> Dims | None:
    if len(x) > 1 and x != y:  # which broadcast
        return None
    position = range(len(y))[axis]
    return (*y[:position], *y[position + 1 :])


def apart(y: Type, distances: Array) -> Type:
    """Of heights whose distances are given each: without one dimension."""
    dtype = inexact(y, distances)
    ranks = rank_of(y), rank_of(distances)
    if dtype is None or ranks[0] is None or ranks[1] is None or max(ranks[0], ranks[1]) < 1:
        return TOP
    return element_or_array(dtype, (ANY,) * (max(ranks[0], ranks[1]) - 1))


def trapezoid(callee: Callable[..., Any]) -> facts.ResultOf:
    alone, with_places = by_example(callee), shaped_by(callee, without_axis, 2)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        distances = argument(args, kwargs, 2, "dx", Known(1.0))
        if isinstance(distances, Array):
            return apart(args[0], distances)
        is_placed = len(args) > 1 and isinstance(args[1], Array)
        return (with_places if is_placed else alone)(args, kwargs)

    return distributed(result_of)


for _name in ("trapezoid", "trapz"):
    if _name in vars(np):
        facts.result(vars(np)[_name])(trapezoid(vars(np)[_name]))
        facts.fresh(vars(np)[_name])


@declare(np.select)
def select(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Masks, what they select, and a number for the rest: all broadcast."""
    if len(args) not in (2, 3) or not all(isinstance(arg, Sequence | Tuple) for arg in args[:2]):
        return TOP
    default = argument(args, kwargs, 2, "default", Known(0))
    masks, choices = map(arrays_in, args[:2])
    if not masks or not choices or not is_number(default) or mixes_by_value([*choices, default]):
        return by_calls(np.select, 3)(args, kwargs)
    dims = broadcast(map(dims_of, [*masks, *choices]))
    chosen = [np.ones(1, choice.dtype) for choice in choices]
    try:
        result = call(
            np.select, ([np.ones(1, bool)] * len(chosen), chosen, number_sample(default)), {}
        )
    except Unknown:
        return TOP
    return with_dims(result, dims) if dims else TOP


def arrays_in(container: Type) -> list[Array]:
    """The types of the items of a tuple or list, if all of them are arrays."""
    items = container.items if isinstance(container, Tuple) else (facts.item_of(container),)
    arrays = [item for item in items if isinstance(item, Array)]
    return arrays if len(arrays) == len(items) else []


@facts.quiet(np.select)
def selects_by_masks(args: tuple[Type, ...]) -> bool:
    """Conditions of other dtypes are refused."""
    if len(args) < 2:
        return False
    masks, choices = map(arrays_in, args[:2])
    return bool(choices) and bool(masks) and all(mask.dtype == np.bool_ for mask in masks)


facts.fresh(np.select)


@declare(np.meshgrid)
def meshgrid(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return by_example(np.meshgrid, len(args))(args, kwargs) if args else TOP


facts.fresh(np.meshgrid, when=lambda call: "copy" not in call.kwargs)


def interpolated_dims(x: Dims, xp: Dims, fp: Dims) -> Dims:
    return x


facts.result(np.interp)(shaped_by(np.interp, interpolated_dims, 3))
facts.fresh(np.interp)


def indexed_dims(items: Dims, index: Dims, axis: Any) -> Dims:
    """The sizes that `np.take` gives: those of the index in the place of the axis."""
    if axis is None:
        return index
    position = range(len(items))[axis]
    return (*items[:position], *index, *items[position + 1 :])


def taking(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) not in (2, 3) or not kwargs.keys() <= {"axis", "mode"}:
        return TOP
    items, index = args[0], args[1]
    axis = argument(args, kwargs, 2, "axis", Known(None))
    if isinstance(index, Sequence | Tuple) and is_int(facts.item_of(index)):
        index = Array(np.dtype(np.intp), (ANY,))
    is_place = is_int(index) or (isinstance(index, Array) and index.dtype.kind in "iu")
    places = dims_of(index)
    if not isinstance(items, Array) or items.dims is None or places is None or not is_place:
        return TOP
    try:
        dims = indexed_dims(items.dims, places, setting(axis))
    except (Unknown, LookupError, TypeError):
        return TOP
    return element_or_array(items.dtype, dims)


for _function in (np.take, np.ndarray.take):
    facts.result(_function)(distributed(taking))
    facts.fresh(_function)


def some_along(axis_at: int) -> facts.ResultOf:
    """The rule of functions that keep, take out or add items along an axis, or of all items."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        axis = argument(args, kwargs, axis_at, "axis", Known(None))
        items = args[0] if args else TOP
        if not isinstance(items, Array) or items.dims is None or not isinstance(axis, Known):
            return TOP
        if axis.value is None:
            return array_of(items.dtype, (ANY,))
        try:
            position = range(len(items.dims))[axis.value]
        except (LookupError, TypeError):
            return TOP
        dims = (*items.dims[:position], ANY, *items.dims[position + 1 :])
        return array_of(items.dtype, dims)

    return distributed(result_of)


facts.result(np.delete)(some_along(2))
facts.fresh(np.delete)
facts.result(np.insert)(some_along(3))
facts.fresh(np.insert)
_COMPRESSED = some_along(2)
facts.result(np.ndarray.compress)(_COMPRESSED)
facts.fresh(np.ndarray.compress, when=lambda call: "out" not in call.kwargs)


@declare(np.compress)
def compress(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) < 2 or len(args) > 3 or "out" in kwargs:
        return TOP
    return _COMPRESSED((args[1], args[0], *args[2:]), kwargs)


@declare(np.extract)
def extract(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    is_array = len(args) == 2 and isinstance(args[1], Array)
    return array_of(args[1].dtype, (ANY,)) if is_array else TOP  # type: ignore[attr-defined]


@declare(np.append)
def append(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    axis = argument(args, kwargs, 2, "axis", Known(None))
    if len(args) < 2 or not isinstance(axis, Known) or axis.value is not None:
        return by_calls(np.append, 2)(args, kwargs)
    kinds = set().union(*map(dtypes_in, args[:2]))
    if None in kinds:
        return TOP
    dtype = np.result_type(*kinds)
    may_be_empty = any(isinstance(arg, Sequence) for arg in args[:2])  # then it is of float64
    return TOP if may_be_empty and dtype != np.float64 else array_of(dtype, (ANY,))


@declare(np.take_along_axis)
def take_along_axis(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    is_known = len(args) >= 2 and isinstance(args[0], Array) and isinstance(args[1], Array)
    axis = argument(args, kwargs, 2, "axis", TOP)
    if not is_known or not isinstance(axis, Known):
        return TOP
    dims = (ANY,) if axis.value is None else dims_of(args[1])
    return TOP if dims is None else array_of(args[0].dtype, (ANY,) * len(dims))  # type: ignore[attr-defined]


@declare(np.bincount)
def bincount(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    weighted = len(args) > 1 or "weights" in kwargs
    counts = array_of(np.dtype(np.intp), (ANY,))
    # Weights of nothing are counted.
    return join(counts, array_of(np.dtype(np.float64), (ANY,))) if weighted else counts


@declare(np.ediff1d)
def ediff1d(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    is_plain = len(args) == 1 and not kwargs and isinstance(args[0], Array)
    return array_of(args[0].dtype, (ANY,)) if is_plain else TOP  # type: ignore[attr-defined]


facts.fresh(
    np.compress, np.extract, np.append, np.take_along_axis, np.bincount, np.unique, np.ediff1d,
)

# Computed for their values alone. Those that are total fail where shapes don't fit.
facts.pure(*OF_ONE, *OF_TWO, *ORDER_STATISTICS, np.append, np.insert, np.compress, np.extract)
facts.pure(np.gradient, np.delete)
facts.pure(np.select, np.bincount, np.take, np.take_along_axis, np.interp, np.ediff1d)
facts.total(np.convolve, np.gradient, np.pad, np.interp)
for _name in ("trapezoid", "trapz"):
    if _name in vars(np):
        facts.pure(vars(np)[_name])
        facts.total(vars(np)[_name])
