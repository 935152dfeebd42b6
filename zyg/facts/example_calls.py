"""Result types of calls with any number of arrays among their arguments, by example.

    np.average(float64[N1, N2], axis=0, weights=float64[N1])    -> float64[N2]
    np.trapezoid(float64[N1], dx=float)                         -> np.float64
    np.gradient(float64[N1, N2], float, float64[N2])            -> (float64[?, ?], float64[?, ?])

As in `zyg.facts.numpy_example`, the function is called with small arrays of the dtypes and ranks at
hand, here with several calls that must agree:

- Two calls in which each dimension has a size of its own tell the sizes of the result. Where the
  function refuses these, as its arguments broadcast, or where integers that aren't known may decide
  about sizes, two calls with equal sizes tell the ranks only.
- A call with all sizes 1 that may be so, and one with all sizes 0, must give the same classes,
  dtypes and ranks, or raise: no promise holds for some sizes only. Where a number or array is
  another one there, the result is one or the other, of any rank.
- Integers that aren't known are 0, 1, 2 and -1 in turn.

It is for functions of which the classes, dtypes and ranks of arguments decide those of the result,
and of whose settings only what is known: no rule where the numbers in an array decide.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir import facts
from ir.library.fact_rules import distributed
from ir.types import TOP, Known, NamedTuple, Scalar, Sequence, Tuple, Type, join_all
from zyg.array_type import (
    ANY,
    BIG,
    NUMPY_SCALARS,
    PYTHON_SCALARS,
    Array,
    Dim,
    One,
    broadcast,
    dims_of,
    is_big,
    is_number,
    rank_of,
)
from zyg.facts.numpy_example import (
    Sizes,
    Unknown,
    call,
    mixes_by_value,
    of_unknown_rank,
    type_from,
    without_rank,
)

SizeOf: TypeAlias = Callable[[Dim], int]
EQUAL_SIZES = (4, 6)
INTEGERS = (0, 1, 2, -1)


def varied(shape: tuple[int, ...], dtype: np.dtype[Any], start: int) -> np.ndarray[Any, Any]:
    """An array that functions of numbers accept: rows increase, matrices are positive definite."""
    if dtype.kind == "b":
        return np.ones(shape, dtype)
    if len(shape) < 2:
        places = np.arange(math.prod(shape)).reshape(shape)
        # Rows are shares, too: they end with 1, or 1 behind the first whole number.
        found = start + places if dtype.kind in "iu" else start - 1 + (1 + places) / places.size
        return found.astype(dtype)
    *_, rows, columns = shape
    return (start + max(shape) * np.broadcast_to(np.eye(rows, columns), shape)).astype(dtype)


class Example:
    """Values for the arguments of a call of which the types are known."""

    def __init__(self, size_of: SizeOf, integer: int, start: int) -> None:
        self.size_of, self.integer, self.start = size_of, integer, start

    def of(self, type_: Type) -> Any:
        match type_:
            case Known(value):
                return value
            case Array(dtype, dims):
                if dims is None:
                    raise Unknown
                return varied(tuple(map(self.size_of, dims)), dtype, self.start)
            case Tuple(items):
                return tuple(map(self.of, items))
            case Sequence(cls, item) if cls in (list, tuple):
                # Each item is of the same sizes, as far as there is one.
                return cls([self.of(item)] * self.size_of(ANY))
            case Scalar(cls) if cls is not bool and cls in PYTHON_SCALARS + NUMPY_SCALARS:
                is_exact = issubclass(cls, int | np.integer)
                if is_exact and self.integer < 0 and issubclass(cls, np.unsignedinteger):
                    raise Unknown
                return cls(self.integer if is_exact else self.start)
            case _:
                raise Unknown


def decides(type_: Type) -> bool:
    """Whether numbers that aren't known may be places, lengths or counts."""
    match type_:
        case Array(dtype, _):
            return dtype.kind in "iub"
        case Tuple(items):
            return any(map(decides, items))
        case Sequence(_, item):
            return decides(item)
        case Scalar(cls):
            return issubclass(cls, int | np.integer | np.bool_)
        case _:
            return False


def leaves(type_: Type) -> list[Type]:
    match type_:
        case Tuple(items):
            return [leaf for item in items for leaf in leaves(item)]
        case Sequence(_, item):
            return leaves(item)
        case _:
            return [type_]


def without_sizes(type_: Type) -> Type:
    """The same with nothing said of the sizes."""
    match type_:
        case Array(dtype, dims):
            return Array(dtype, None if dims is None else (ANY,) * len(dims))
        case NamedTuple(cls, _, items):
            found = tuple(map(without_sizes, items))
            return NamedTuple(cls, join_all(found), found)
        case Tuple(items):
            return Tuple(tuple(map(without_sizes, items)))
        case Sequence(cls, item):
            return Sequence(cls, without_sizes(item))
        case _:
            return type_


def is_whole(type_: Type) -> bool:
    """Whether all of a result is known."""
    match type_:
        case Tuple(items) | NamedTuple(_, _, items):
            return all(map(is_whole, items))
        case Sequence(_, item):
            return is_whole(item)
        case Array(_, dims):
            return dims is not None
        case Known() | Scalar():
            return True
        case _:
            return False


def by_calls(
    callee: Callable[..., Any], data: int = 1, has_sizes: bool = True, start: int = 1
) -> facts.ResultOf:
    """The rule of a function, of which the first `data` arguments may be arrays of integers.

    Where it hasn't the sizes of its arguments, as numbers in these decide, ranks alone are found.
    The numbers of examples begin at `start`, for functions that refuse smaller ones.
    """

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if "out" in kwargs or not (args or kwargs):
            return TOP
        if args and isinstance(args[0], Array) and args[0].dims is None:
            return of_unknown_rank(result_of, args, kwargs)
        numbers = [leaf for type_ in (*args, *kwargs.values()) for leaf in leaves(type_)]
        if mixes_by_value([one for one in numbers if isinstance(one, Array) or is_number(one)]):
            return TOP
        # NumPy warns of means over no items, of which the user's program has none.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                return _agreed(callee, args, kwargs, data, has_sizes, start)
            except Unknown:
                return TOP

    return distributed(result_of)


def _agreed(
    callee: Callable[..., Any], args: tuple[Type, ...], kwargs: dict[str, Type], data: int,
    has_sizes: bool, start: int,
) -> Type:
    def result(size_of: SizeOf, integer: int) -> Any:
        example = Example(size_of, integer, start)
        given = tuple(map(example.of, args))
        named = {name: example.of(type_) for name, type_ in kwargs.items()}
        return call(callee, given, named)

    rest = [*args[data:], *kwargs.values()]
    counts = any(isinstance(arg, Scalar) and decides(arg) for arg in args) or any(
        map(decides, rest)
    )
    found = None
    if has_sizes and not counts:
        first, second = Sizes(0), Sizes(1)
        try:
            found = type_from(result(first, 1), result(second, 1), first)
        except Unknown:
            found = None
    kinds = [] if found is None else [without_sizes(found)]
    required = set(EQUAL_SIZES) if found is None else set()
    for integer in INTEGERS if counts else (1,):
        for size in (*sorted(required), 1, 0):
            try:
                value = result(_equal_sizes(size), integer)
            except Unknown:
                continue
            kind = without_sizes(type_from(value, value, Sizes(0)))
            if found is not None and not _has_sizes(found, value):
                found = without_sizes(found)
            if kinds and kind != kinds[0] and (
                size in EQUAL_SIZES or not isinstance(kind, Array | Scalar)
            ):
                return TOP
            required.discard(size)
            kinds.append(kind)
    if required or not kinds or not all(map(is_whole, kinds)):
        return TOP
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0] if found is None else found
    return join_all(map(without_rank, kinds))


def _equal_sizes(size: int) -> SizeOf:
    """Gives all dimensions one size; those that are known not to be 1 have another one then."""

    def size_of(dim: Dim) -> int:
        if isinstance(dim, One):
            return 1
        return EQUAL_SIZES[0] if size == 1 and is_big(dim) else size

    return size_of


def _has_sizes(type_: Type, value: Any) -> bool:
    """Whether sizes of a result that were taken for 1, or never 1, are so in another one."""
    if isinstance(type_, Tuple | NamedTuple):
        return len(type_.items) == len(value) and all(map(_has_sizes, type_.items, value))
    if not isinstance(type_, Array) or type_.dims is None:
        return True
    return type_.dims is None or all(
        (size == 1 or not isinstance(dim, One)) and (size != 1 or dim != BIG)
        for dim, size in zip(type_.dims, value.shape, strict=False)
    )


def of_shape_of(place: int, callee: Callable[..., Any]) -> facts.ResultOf:
    """The rule of a function whose result has the shape of one of its arguments: of a filter."""
    found = by_calls(callee, 1 + place)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        type_, items = found(args, kwargs), args[place] if len(args) > place else TOP
        if isinstance(type_, Array) and isinstance(items, Array):
            has_rank = type_.dims is not None and rank_of(type_) == rank_of(items)
            return Array(type_.dtype, items.dims) if has_rank else type_
        return type_

    return distributed(result_of)


def broadcasting(callee: Callable[..., Any], start: int = 1) -> facts.ResultOf:
    """The rule of a function in Python that gives a number for those of each argument."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        type_ = by_calls(callee, len(args), start=start)(args, kwargs)
        given = [dims for arg in (*args, *kwargs.values()) if (dims := dims_of(arg)) is not None]
        dims = broadcast(given)
        if isinstance(type_, Array) and dims is not None and rank_of(type_) == len(dims):
            return Array(type_.dtype, dims)
        return type_

    return distributed(result_of)
