"""The abstract array: a dtype and, for each dimension, what is known of its size.

    np.zeros((1, 5), np.float32)    ->  float32[1, n0]      from a signature: n0 is not 1
    np.zeros((1, 5)) @ x[3:]        ->  float64[1, n1]

Sizes themselves are never part of a type, so that a new size needs no new code. Two dimensions
with one symbol have one size in each run of the program. A *big* dimension is known not to be 1:
where two big dimensions broadcast together they are equal, or NumPy raises.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np

from ir import facts
from ir.record import record
from ir.types import (
    TOP,
    Instance,
    Known,
    Scalar,
    Sequence,
    Slice,
    Tuple,
    Type,
    class_of,
    join,
    members_of,
)


@record
class One:
    """A dimension of size 1."""

    def __repr__(self) -> str:
        return "1"


@record
class AnySize:
    """A dimension about which nothing is known."""

    def __repr__(self) -> str:
        return "?"


@record
class Symbol:
    """A dimension with a name; `big` means that it is not 1. The id 0 names no size: `BIG`.

    Symbols of a signature are numbered from 1. A size that follows from another, as that of
    `x[1:]`, has an id built from the other symbol: the same slice has the same symbol.
    """

    id: Hashable
    big: bool

    def __repr__(self) -> str:
        return ("N" if self.big else "n") + (str(self.id) if self.id != 0 else "")


@record
class Bounds:
    """What is cut out of a dimension, or how long it is, by what integers were computed from."""

    start: Hashable
    stop: Hashable
    step: Hashable

    def __repr__(self) -> str:
        return "slice"


class Unnamed:
    """What one operation made as long as nothing else says: a mask, a search, a padding.

    It is equal to itself only, and names the size in what is computed from that result.
    """

    def __repr__(self) -> str:
        return "own"


@record
class Measured(Type):
    """A bound of a slice that is known to one function, by what it was computed from."""

    key: Hashable


Dim: TypeAlias = One | AnySize | Symbol
Dims: TypeAlias = tuple[Dim, ...]

ONE = One()
ANY = AnySize()
BIG = Symbol(0, True)

MAX_DERIVATIONS = 3


@record
class Array(Type):
    """Exactly an `np.ndarray` of a numeric or bool dtype; `dims` is None for an unknown rank."""

    dtype: np.dtype[Any]
    dims: Dims | None

    cls = np.ndarray  # of all its values

    def join_with(self, other: Type) -> Type | None:
        if not isinstance(other, Array) or other.dtype != self.dtype:
            return None
        if self.dims is None or other.dims is None or len(self.dims) != len(other.dims):
            return Array(self.dtype, None)
        return Array(self.dtype, tuple(map(join_dim, self.dims, other.dims)))

    def of_one_shape(self, other: Type) -> Array:
        if not isinstance(other, Array) or self.dims is None or other.dims is None:
            return self
        if len(self.dims) != len(other.dims):
            return self
        return Array(self.dtype, tuple(map(equal_dim, other.dims, self.dims)))

    def __repr__(self) -> str:
        dims = "..." if self.dims is None else ", ".join(map(repr, self.dims))
        return f"{self.dtype.name}[{dims}]"


def is_big(dim: Dim) -> bool:
    return isinstance(dim, Symbol) and dim.big


def is_named(dim: Dim) -> bool:
    """Whether equal dims of this kind have equal sizes."""
    return isinstance(dim, One) or (isinstance(dim, Symbol) and dim.id != 0)


def join_dim(a: Dim, b: Dim) -> Dim:
    """What is known of a dimension that is one or the other."""
    if a == b:
        return a
    return BIG if is_big(a) and is_big(b) else ANY


def broadcast_dim(a: Dim, b: Dim) -> Dim:
    """The size that two dimensions broadcast to."""
    if isinstance(a, One) or a == b:
        return b
    if isinstance(b, One):
        return a
    if is_big(a) and is_big(b):
        return a if is_named(a) else b
    if is_big(a):
        return a
    return b if is_big(b) else ANY


def equal_dim(a: Dim, b: Dim) -> Dim:
    """What is known of two dimensions that must be equal, or NumPy raises."""
    if isinstance(a, One) or isinstance(b, One):
        return ONE
    return min(a, b, key=lambda dim: (not is_big(dim), not is_named(dim)))


def broadcast(shapes: Iterable[Dims | None]) -> Dims | None:
    """The broadcast shape; None where a rank is unknown."""
    result: Dims = ()
    for dims in shapes:
        if dims is None:
            return None
        if not result:
            result = dims
            continue
        shorter, longer = sorted((result, dims), key=len)
        padded = (ONE,) * (len(longer) - len(shorter)) + shorter
        result = tuple(map(broadcast_dim, padded, longer))
    return result


def derived_dim(source: Dim, how: Hashable) -> Dim:
    """The dimension that follows from another and known numbers: one symbol for one derivation."""
    if not is_named(source) or not isinstance(source, Symbol):
        return ANY
    depth, inner = 1, source.id
    while isinstance(inner, tuple) and isinstance(inner[0], Symbol):
        depth, inner = depth + 1, inner[0].id
    # A loop that slices again and again must come to an end in inference.
    return ANY if depth > MAX_DERIVATIONS else Symbol((source, how), False)


def size_dim(size: int) -> Dim:
    """A dimension of known size: 1, or not 1."""
    return ONE if size == 1 else BIG


def is_numeric(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biufc" and dtype.isnative


def is_number_or_array(x: Any) -> bool:
    """Whether a value is a number or an array, of a class that code can be made for."""
    if isinstance(x, np.ndarray):
        return type(x) is np.ndarray and is_numeric(x.dtype)
    return type(x) in (float, int, complex, bool) or isinstance(x, np.number)


def array_of(dtype: np.dtype[Any], dims: Dims | None) -> Type:
    return Array(dtype, dims) if is_numeric(dtype) else Instance(np.ndarray)


def abstract_array(array: np.ndarray[Any, Any], first_symbol: int) -> Type:
    """The type of an argument: dimensions other than 1 become big symbols, numbered in order."""
    dims = (
        ONE if size == 1 else Symbol(first_symbol + i, True) for i, size in enumerate(array.shape)
    )
    return array_of(array.dtype, tuple(dims))


@facts.abstraction(np.ndarray)
def abstract_known_array(array: np.ndarray[Any, Any]) -> Type:
    """The type of an array at hand that is no argument: its sizes get no names."""
    return array_of(array.dtype, tuple(map(size_dim, array.shape)))


NUMPY_SCALARS = tuple(
    {np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?"}
)
PYTHON_SCALARS = (bool, int, float, complex)


@facts.abstraction(*NUMPY_SCALARS)
def abstract_numpy_scalar(value: np.generic) -> Type:
    return Scalar(type(value))


@facts.items(Array)
def row(type_: Array) -> Type:
    """Iterating over an array gives its rows, or its elements."""
    if not type_.dims:
        return TOP
    return element_or_array(type_.dtype, type_.dims[1:])


def element_or_array(dtype: np.dtype[Any], dims: Dims | None) -> Type:
    """What NumPy returns where a result without dimensions becomes a scalar."""
    scalar = Scalar(dtype.type)
    if dims is None:
        return join(Array(dtype, None), scalar)
    return Array(dtype, dims) if dims else scalar


def dims_of(type_: Type) -> Dims | None:
    """The dimensions of an array or a number; None where unknown."""
    if isinstance(type_, Array):
        return type_.dims
    return () if is_number(type_) else None


# A tuple: to make a union of classes takes longer than to ask whether a value is of one.
_OF_ONE_CLASS = (Scalar, Known)


def is_number(type_: Type) -> bool:
    """Whether this is a Python or NumPy number (or bool), not an array."""
    if not isinstance(type_, _OF_ONE_CLASS):
        return False
    cls = class_of(type_)
    return cls in PYTHON_SCALARS or cls in NUMPY_SCALARS


def as_array(type_: Type) -> Type | None:
    """What `np.asarray` makes of an argument, where that is known exactly; numbers stay.

    A list whose length is unknown may be empty, and then gives float64 whatever its items.
    """
    if isinstance(type_, Array) or is_number(type_):
        return type_
    if isinstance(type_, Tuple):
        return stacked(type_.items)
    if isinstance(type_, Sequence) and type_.cls in (list, tuple):
        if type_.item in (Scalar(float), Scalar(np.float64)):
            return Array(np.dtype(np.float64), (ANY,))
    return None


def number_dtype(type_: Type) -> np.dtype[Any]:
    return np.dtype(class_of(type_))


def stacked(items: tuple[Type, ...]) -> Type | None:
    """The array made of equally shaped items along a new first dimension."""
    if not items:
        return Array(np.dtype(np.float64), (BIG,))
    arrays = [as_array(item) for item in items]
    shapes = []
    dtypes = []
    for array in arrays:
        if array is None or dims_of(array) is None:
            return None
        shapes.append(dims_of(array))
        dtypes.append(array.dtype if isinstance(array, Array) else number_dtype(array))
    if len({len(dims) for dims in shapes if dims is not None}) != 1:
        return None
    dims = shapes[0] or ()
    for other in shapes[1:]:
        dims = tuple(map(equal_dim, dims, other or ()))
    return Array(np.result_type(*dtypes), (size_dim(len(items)), *dims))


# What cotangents of broadcast operands need


def same_shape(a: Type, b: Type) -> bool:
    """Whether two values that were broadcast together, or come from one, have one shape."""
    if not isinstance(a, Array) or not isinstance(b, Array):
        return False
    if a.dims is None or b.dims is None or len(a.dims) != len(b.dims):
        return False
    return all(
        (p == q and is_named(p)) or (isinstance(p, One) and isinstance(q, One))
        or (is_big(p) and is_big(q))
        for p, q in zip(a.dims, b.dims, strict=True)
    )


def fits_within(a: Type, b: Type) -> bool:
    """Whether the broadcast of two values has the shape of the second."""
    if not isinstance(a, Array) or not isinstance(b, Array) or a.dims is None or b.dims is None:
        return False
    extra = len(b.dims) - len(a.dims)
    return extra >= 0 and all(
        isinstance(p, One) or (p == q and is_named(p)) or (is_big(p) and is_big(q))
        for p, q in zip(a.dims, b.dims[extra:], strict=True)
    )


def summed_axes(bar: Type, like: Type) -> tuple[int | tuple[int, ...] | None, bool] | None:
    """The axes over which `unbroadcast` sums and whether it keeps them, where the types tell."""
    if not isinstance(bar, Array) or bar.dims is None or bar.dtype.kind != "f":
        return None
    if isinstance(like, Scalar) and issubclass(like.cls, np.floating):
        return None if not bar.dims else (None, False)
    if not isinstance(like, Array) or like.dims is None or like.dtype.kind == "c":
        return None
    extra = len(bar.dims) - len(like.dims)
    if extra < 0 or not like.dims:
        return None
    repeated = []
    for axis, (p, q) in enumerate(zip(bar.dims[extra:], like.dims, strict=True)):
        if isinstance(q, One) and not isinstance(p, One):
            repeated.append(axis)
        elif not (p == q and is_named(p)) and not (is_big(p) and is_big(q)):
            return None
    if (extra and repeated) or not (extra or repeated):
        return None
    axes = tuple(repeated or range(extra))
    return axes[0] if len(axes) == 1 else axes, bool(repeated)


def is_summed_to_number(bar: Type, like: Type) -> bool:
    """Whether `unbroadcast` gives the sum of an array of real numbers as a Python number."""
    is_number = isinstance(like, Scalar) and like.cls in (float, int)
    return is_number and isinstance(bar, Array) and bar.dtype.kind == "f" and bool(bar.dims)


def reduced(bar: Type, like: Type) -> Type:
    """The type of a cotangent that was summed to the shape of an operand."""
    if isinstance(bar, Array) and isinstance(like, Array):
        return Array(bar.dtype, like.dims)
    return Scalar(bar.dtype.type) if isinstance(bar, Array) else TOP


def dtype_of_operand(type_: Type) -> np.dtype[Any] | None:
    """The dtype that an operand has as an array."""
    if isinstance(type_, Array):
        return type_.dtype
    cls = class_of(type_)
    if cls is float:
        return np.dtype(float)
    if isinstance(cls, type) and issubclass(cls, np.floating):
        return np.dtype(cls)
    return None


def rank_of(type_: Type) -> int | None:
    """The number of dimensions of an array, where it is known."""
    return len(type_.dims) if isinstance(type_, Array) and type_.dims is not None else None


def is_basic_index(type_: Type) -> bool:
    """Whether an index of this type gives a view of an array, or a number."""
    match type_:
        case Known(value):
            if isinstance(value, tuple):
                return all(is_basic_index(Known(item)) for item in value)
            return value is None or value is Ellipsis or (isinstance(value, int | slice) and (
                not isinstance(value, bool)
            ))
        case Scalar(cls):
            return issubclass(cls, int | np.integer) and cls is not bool
        case Slice():
            return True
        case Tuple(items):
            return all(map(is_basic_index, items))
        case _:
            return False


def dtypes_in(type_: Type) -> set[np.dtype[Any] | None]:
    """What the numbers in nested lists, tuples and arrays are; None for anything else, and for
    those that may be of several dtypes."""
    if isinstance(type_, Array):
        return {type_.dtype}
    if isinstance(type_, Sequence) and type_.cls in (list, tuple):
        return dtypes_in(facts.item_of(type_))
    if isinstance(type_, Tuple):
        return set().union(*map(dtypes_in, type_.items))
    found: set[np.dtype[Any] | None] = {
        np.dtype(class_of(member)) if is_number(member) else None for member in members_of(type_)
    }
    return found if len(found) == 1 else {None}


def possible_dtypes(type_: Type) -> frozenset[np.dtype[Any]]:
    """The dtypes that an array of nested lists, tuples and arrays may have, if none of them is
    empty; no dtype where nothing is known.

    A list of floats and complex numbers may hold floats alone.
    """
    if isinstance(type_, Array):
        return frozenset([type_.dtype])
    if isinstance(type_, Sequence) and type_.cls in (list, tuple, range):
        kinds = possible_dtypes(facts.item_of(type_))
        return frozenset(
            np.result_type(*some)
            for count in range(1, len(kinds) + 1) for some in combinations(kinds, count)
        )
    if isinstance(type_, Tuple):
        choices = map(possible_dtypes, type_.items)
        return frozenset(np.result_type(*some) for some in product(*choices) if some)
    members = list(members_of(type_))
    if not all(map(is_number, members)):
        return frozenset()
    return frozenset(np.dtype(class_of(member)) for member in members)
