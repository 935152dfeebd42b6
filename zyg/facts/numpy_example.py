"""Result types of NumPy functions, found by asking NumPy.

The dtype of a result, its rank, and whether it is an array or a scalar follow in NumPy from the
dtypes and ranks of the arguments. So a function is called once with small arrays of ones:

    np.mean(int64[N1, N2], axis=0)      calls np.mean(np.ones((5, 7), int), axis=0),
                                        and again with other sizes: float64 of sizes 7 and 6,
                                        which are those of N2. The result is float64[N2].

`elementwise` and `shaped_by` take sizes from a rule instead: broadcasting, contractions.
Python ints are taken to fit into int64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir import facts
from ir.late import late
from ir.library.fact_rules import distributed
from ir.types import TOP, Known, NamedTuple, Scalar, Sequence, Tuple, Type, class_of, join_all
from zyg.array_type import (
    ANY,
    BIG,
    NUMPY_SCALARS,
    PYTHON_SCALARS,
    Array,
    Dim,
    Dims,
    One,
    array_of,
    as_array,
    broadcast,
    dims_of,
    is_named,
    size_dim,
)

if TYPE_CHECKING:
    from zyg.facts import example_calls
else:
    example_calls = late("zyg.facts.example_calls")

# Two sizes for each dimension, such that no row is another one plus or times a number, and that
# sums, differences, the smaller and the larger of neighbours are no constants and no rows.
SIZES = ((5, 9), (7, 6), (8, 4), (6, 7), (4, 10), (5, 7), (9, 4), (7, 5))
# Two values for a number of terms or copies: no size above, nor a multiple of one, in both runs.
COUNTS = (3, 10)
UNKNOWN_RANKS = range(5)

# Keyword arguments of reductions and of `np.pad` that have no part in the type of the result.
WITHOUT_EFFECT = ("where", "initial", "constant_values", "end_values")

# NumPy 1 let the value of a scalar decide the dtype of a result with an array.
BY_VALUE = int(np.__version__.split(".")[0]) < 2


class Unknown(Exception):
    """No example can be made, or NumPy refuses it."""


Sample: TypeAlias = Any
SizeOf: TypeAlias = Callable[[Dim], int]


def number_sample(type_: Type) -> Sample:
    cls = class_of(type_)
    if cls in PYTHON_SCALARS or cls in NUMPY_SCALARS:
        return cls(1)
    raise Unknown


def sample(type_: Type, size_of: SizeOf) -> Sample:
    """An example of data: ones of the given sizes; tuples stay tuples."""
    match type_:
        case Array(dtype, dims):
            if dims is None:
                raise Unknown
            return _ones(tuple(map(size_of, dims)), dtype)
        case Tuple(items):
            return tuple(sample(item, size_of) for item in items)
        case Sequence():
            array = as_array(type_)
            if array is None:
                raise Unknown
            return sample(array, size_of)
        case _:
            return number_sample(type_)


def _ones(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of ones that takes the memory of one: `np.broadcast_to`, in a fifth of its time."""
    return np.ndarray(shape, dtype, _one_of(dtype), strides=(0,) * len(shape))


@cache
def _one_of(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    one = np.ones((), dtype)
    one.setflags(write=False)
    return one


def setting(type_: Type, count: int | None = None) -> Any:
    """The value of an argument that is no data: an axis, a dtype, a shape.

    Where any integer does, `count` stands for those that aren't known.
    """
    match type_:
        case Known(value):
            return value
        case Tuple(items):
            return tuple([setting(item, count) for item in items])
        case Scalar(cls) if cls is int and count is not None:
            return count
        case _:
            raise Unknown


def call(callee: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return callee(*args, **kwargs)
    except Exception as error:
        raise Unknown from error


class Sizes:
    """Gives each dimension of the arguments a size of its own in each of two runs."""

    def __init__(self, run: int) -> None:
        self.run = run
        self.dims: list[Dim] = []

    def __call__(self, dim: Dim) -> int:
        if isinstance(dim, One):
            return 1
        if is_named(dim) and dim in self.dims:
            return SIZES[self.dims.index(dim)][self.run]
        if len(self.dims) == len(SIZES):
            raise Unknown
        self.dims.append(dim)
        return SIZES[len(self.dims) - 1][self.run]

    def dim(self, sizes: tuple[int, int]) -> Dim:
        """The dimension which had these sizes in the two runs."""
        if sizes in SIZES[: len(self.dims)]:
            return self.dims[SIZES.index(sizes)]
        return size_dim(sizes[0]) if sizes[0] == sizes[1] else ANY


def type_from(first: Any, second: Any, sizes: Sizes) -> Type:
    """The type of a result, from the results of both runs."""
    if type(first) is not type(second):
        return TOP
    if type(first) is np.ndarray:
        if first.ndim != second.ndim:
            return TOP
        dims = tuple(map(sizes.dim, zip(first.shape, second.shape, strict=True)))
        return array_of(first.dtype, dims)
    if isinstance(first, tuple):
        if len(first) != len(second):
            return Sequence(type(first), TOP)
        items = tuple(type_from(a, b, sizes) for a, b in zip(first, second, strict=True))
        is_plain = type(first) is tuple
        return Tuple(items) if is_plain else NamedTuple(type(first), join_all(items), items)
    if type(first) is list:
        items = tuple(type_from(a, b, sizes) for a, b in zip(first, second, strict=False))
        return Sequence(list, join_all(items))
    if type(first) in NUMPY_SCALARS or type(first) in PYTHON_SCALARS:
        return Scalar(type(first))
    return TOP


def by_example(
    callee: Callable[..., Any], data: int = 1, counts: tuple[int | None, ...] = (None, None)
) -> facts.ResultOf:
    """The rule of a function of `data` arrays and known settings whose sizes tell the sizes.

    Not for functions that broadcast, or that drop dimensions of size 1. With `counts`, a setting
    may be an integer that isn't known, and has no part in the dtype and rank.
    """

    def run(args: tuple[Type, ...], kwargs: dict[str, Type], sizes: Sizes) -> Any:
        count = counts[sizes.run]
        samples = [sample(type_, sizes) for type_ in args[:data]]
        settings = [setting(type_, count) for type_ in args[data:]]
        options = {k: setting(v, count) for k, v in kwargs.items() if k not in WITHOUT_EFFECT}
        return call(callee, (*samples, *settings), options)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) < data or "out" in kwargs:
            return TOP
        if isinstance(args[0], Array) and args[0].dims is None:
            return of_unknown_rank(result_of, args, kwargs)
        sizes = Sizes(0), Sizes(1)
        try:
            found = type_from(run(args, kwargs, sizes[0]), run(args, kwargs, sizes[1]), sizes[0])
        except Unknown:
            found = TOP
        # With arrays among the settings, or where sizes must fit together or made new ones.
        if found != TOP and not has_made_sizes(found):
            return found
        by_calls = example_calls.by_calls(callee, data)(args, kwargs)
        return example_calls.without_sizes(found) if by_calls == TOP else by_calls

    return distributed(result_of)


def has_made_sizes(type_: Type) -> bool:
    """Whether a size was the same in both runs, and no argument's: it may be another one."""
    match type_:
        case Array(_, dims):
            return BIG in (dims or ())
        case Tuple(items) | NamedTuple(_, _, items):
            return any(map(has_made_sizes, items))
        case Sequence(_, item):
            return has_made_sizes(item)
        case _:
            return False


def of_unknown_rank(
    rule: facts.ResultOf, args: tuple[Type, ...], kwargs: dict[str, Type], position: int = 0
) -> Type:
    """The join over the first few ranks of the array at a position; the last two must agree, as all
    that follow then do."""
    array = args[position]
    assert isinstance(array, Array)
    results = []
    for rank in UNKNOWN_RANKS:
        known = Array(array.dtype, (ANY,) * rank)
        given = (*args[:position], known, *args[position + 1 :])
        results.append(without_rank(rule(given, kwargs)))
    if results[-1] != results[-2]:
        return TOP
    # With too few dimensions NumPy raises: no value.
    while results and results[0] == TOP:
        results.pop(0)
    return join_all(results) if results else TOP


def _one(dim: Dim) -> int:
    return 1


@lru_cache(maxsize=4096)
def _result(callee: Callable[..., Any], keys: tuple[Any, ...]) -> Any:
    return call(callee, tuple(map(_operand, keys)), {})


def _operand(key: Any) -> Any:
    if isinstance(key, tuple):
        dtype, rank = key
        return _ones((1,) * rank, dtype)
    return key.value if isinstance(key, Known) else key(1)


def class_key(type_: Type) -> Any:
    if isinstance(type_, Array):
        return type_.dtype, len(type_.dims or ())
    return class_of(type_)


def mixes_by_value(operands: list[Type]) -> bool:
    """Whether NumPy 1 might look at values: scalars beside arrays, of another dtype."""
    if not BY_VALUE:
        return False
    dtypes = {
        operand.dtype if isinstance(operand, Array) else class_of(operand) for operand in operands
    }
    if dtypes <= {np.dtype(np.float64), float, np.float64, int}:
        return False
    # Without dimensions, or perhaps without, on one side only.
    shapes = {dims_of(operand) or None for operand in operands}
    return len(operands) > 1 and (len(dtypes) > 1 or None in shapes)


def elementwise(callee: Callable[..., Any], least: int = 1) -> facts.ResultOf:
    """The rule of a function that broadcasts all its arguments, at least so many."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        operands = [as_array(type_) for type_ in args]
        if kwargs or len(args) < least or not all(operands):
            return TOP
        return broadcast_result(callee, operands)  # type: ignore[arg-type]

    return distributed(result_of)


def broadcast_result(
    callee: Callable[..., Any], operands: list[Type], key_of: Callable[[Type], Any] = class_key
) -> Type:
    """The type of an elementwise call; `key_of` says what the result depends on."""
    # The condition of `np.where` has no part in the dtype.
    if mixes_by_value(operands[1:] if callee is np.where else operands):
        return TOP
    if any(isinstance(operand, Array) and operand.dims is None for operand in operands):
        # Only where all operands may have no dimensions can the result be a scalar.
        flat = any(isinstance(operand, Array) and operand.dims for operand in operands)
        results = [
            broadcast_result(callee, [_of_rank(operand, rank) for operand in operands], key_of)
            for rank in ((1,) if flat else (0, 1))
        ]
        return join_all(map(without_rank, results))
    shape = broadcast(map(dims_of, operands))
    try:
        result = _result(callee, tuple(map(key_of, operands)))
    except Unknown:
        return TOP
    return with_dims(result, shape)


def _of_rank(operand: Type, rank: int) -> Type:
    if isinstance(operand, Array) and operand.dims is None:
        return Array(operand.dtype, (ANY,) * rank)
    return operand


def without_rank(type_: Type) -> Type:
    match type_:
        case Array(dtype, _):
            return Array(dtype, None)
        case Tuple(items):
            return Tuple(tuple(map(without_rank, items)))
        case _:
            return type_


def with_dims(result: Any, dims: Dims | None) -> Type:
    """The type of a result whose sizes are known otherwise."""
    if type(result) is np.ndarray:
        return array_of(result.dtype, dims)
    if type(result) is tuple:
        return Tuple(tuple(with_dims(item, dims) for item in result))
    if type(result) in NUMPY_SCALARS or type(result) in PYTHON_SCALARS:
        return Scalar(type(result))
    return TOP


def shaped_by(
    callee: Callable[..., Any], shape_of: Callable[..., Dims | None], data: int
) -> facts.ResultOf:
    """The rule of a function with sizes from `shape_of(*dims of the data, *settings)`.

    The example has all sizes 1; `shape_of` gives None, or raises, where it doesn't know.
    """

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) < data or "out" in kwargs:
            return TOP
        arrays = [as_array(type_) for type_ in args[:data]]
        operands = [operand for operand in arrays if operand is not None]
        try:
            shapes = [dims_of(operand) for operand in operands]
            settings = tuple(map(setting, args[data:]))
            keywords = {name: setting(type_) for name, type_ in kwargs.items()}
            if len(shapes) != data or mixes_by_value(operands):
                return TOP
            if None in shapes:
                return of_unknown_ranks(args, tuple(kwargs.items()))
            dims = shape_of(*shapes, *settings, **keywords)
            samples = tuple(sample(operand, _one) for operand in operands)
            result = call(callee, (*samples, *settings), keywords)
        except (Unknown, LookupError, ValueError, TypeError):
            return example_calls.by_calls(callee, data)(args, kwargs)
        if dims is None:
            return example_calls.by_calls(callee, data)(args, kwargs)
        return with_dims(result, dims)

    @lru_cache(maxsize=256)
    def of_unknown_ranks(args: tuple[Type, ...], kwargs: tuple[tuple[str, Type], ...]) -> Type:
        for position, type_ in enumerate(args[:data]):
            array = as_array(type_)
            if isinstance(array, Array) and array.dims is None:
                given = (*args[:position], array, *args[position + 1 :])
                return of_unknown_rank(result_of, given, dict(kwargs), position)
        return TOP

    return distributed(result_of)
