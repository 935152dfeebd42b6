"""Values as types, and whether a type covers a value: what tests of facts are made of."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ir import facts
from ir.types import (
    TOP,
    Bottom,
    Dict,
    Instance,
    Iterator,
    Known,
    Mapping,
    Scalar,
    Sequence,
    Slice,
    Top,
    Tuple,
    Type,
    Union,
)
from zyg.array_type import ONE, Array, One, Symbol, abstract_array
from zyg.facts.numpy_example import BY_VALUE

Sizes = dict[Any, int]


def covers(type_: Type, value: Any, sizes: Sizes) -> bool:
    """Whether a value belongs to a type; symbols must have one size throughout."""
    match type_:
        case Top():
            return True
        case Bottom():
            return False
        case Known(known):
            return type(known) is type(value) and (known is value or known == value)
        case Union(members):
            return any(covers(member, value, dict(sizes)) for member in members)
        case Scalar(cls) | Instance(cls):
            return type(value) is cls
        case Tuple(items):
            return (
                type(value) is tuple
                and len(items) == len(value)
                and all(covers(item, each, sizes) for item, each in zip(items, value, strict=True))
            )
        case Sequence(cls, item):
            return type(value) is cls and all(covers(item, each, sizes) for each in value)
        case Iterator(cls, item):
            return type(value) is cls and all(covers(item, each, sizes) for each in value)
        case Dict(items):
            return (
                type(value) is dict
                and list(value) == [key for key, _ in items]
                and all(covers(item, value[key], sizes) for key, item in items)
            )
        case Mapping(cls, key, item):
            return (
                type(value) is cls
                and all(covers(key, each, sizes) for each in value)
                and all(covers(item, each, sizes) for each in value.values())
            )
        case Slice():
            parts = (value.start, value.stop, value.step)
            return type(value) is slice and all(
                map(covers, (type_.start, type_.stop, type_.step), parts, [sizes] * 3)
            )
        case Array(dtype, dims):
            if type(value) is not np.ndarray or value.dtype != dtype:
                return False
            return dims is None or (
                len(dims) == value.ndim
                and all(covers_dim(d, n, sizes) for d, n in zip(dims, value.shape, strict=True))
            )
        case _:
            raise AssertionError(f"no check for {type_!r}")


def covers_dim(dim: Any, size: int, sizes: Sizes) -> bool:
    if isinstance(dim, One):
        return size == 1
    if isinstance(dim, Symbol):
        named = dim.id == 0 or sizes.setdefault(dim.id, size) == size
        return named and not (dim.big and size == 1)
    return True


class Abstraction:
    """Abstracts the arguments of one call; array dimensions get symbols, and the symbols sizes."""

    def __init__(self, shared: bool = False, ranks: bool = True) -> None:
        self.sizes: Sizes = {}
        self.next = 1
        self.shared = shared
        self.ranks = ranks

    def __call__(self, value: Any) -> Type:
        match value:
            case np.ndarray():
                type_ = abstract_array(value, self.next)
                if not isinstance(type_, Array):
                    return type_
                if not self.ranks:
                    return Array(type_.dtype, None)
                if self.shared:
                    # Equal sizes share a symbol, as they do within a function.
                    dims = tuple(ONE if n == 1 else Symbol(n + 1, True) for n in value.shape)
                    self.sizes.update({n + 1: n for n in value.shape if n != 1})
                    return Array(value.dtype, dims)
                self.next += value.ndim
                covers(type_, value, self.sizes)
                return type_
            case tuple():
                return Tuple(tuple(map(self, value)))
            case _:
                return facts.abstract(value)


class Setting:
    """An argument that is known when compiling."""

    def __init__(self, value: Any) -> None:
        self.value = value


def check(
    callee: Any, *args: Any, must_know: bool = False, abstraction: Any = None, **kwargs: Any
) -> Type | None:
    abstract = abstraction or Abstraction()

    def type_of(argument: Any) -> Type:
        return Known(argument.value) if isinstance(argument, Setting) else abstract(argument)

    def value_of(argument: Any) -> Any:
        return argument.value if isinstance(argument, Setting) else argument

    result_of = facts.result_of(callee)
    assert result_of is not None, callee
    types = tuple(map(type_of, args)), {name: type_of(value) for name, value in kwargs.items()}
    result = result_of(*types)
    values = [value_of(argument) for argument in args]
    keywords = {name: value_of(argument) for name, argument in kwargs.items()}
    try:
        with np.errstate(all="ignore"):
            if hasattr(callee, "__get__") and not callable(callee):
                value = callee.__get__(*values)
            else:
                value = callee(*values, **keywords)
    except Exception:
        return None
    assert covers(result, value, abstract.sizes), (callee, *types, result, value)
    if must_know and not BY_VALUE:
        assert result != TOP, (callee, types, value)
    return result


PYTHON_NUMBERS = (2, 0, -3, True, False, 1.5, -2.0, 0.0, 2j)
NUMPY_NUMBERS = (
    np.float64(1.5),
    np.float32(-2.5),
    np.int64(3),
    np.int32(-2),
    np.uint8(7),
    np.bool_(True),
    np.complex128(1j),
    np.complex64(2),
    np.float16(1),
)
NUMBERS = PYTHON_NUMBERS + NUMPY_NUMBERS
DTYPES = (np.float64, np.float32, np.int64, np.int8, np.bool_, np.complex128, np.complex64)
SHAPES = ((), (1,), (3,), (0,), (2, 3), (1, 3), (2, 1), (0, 3), (4, 2, 3), (1, 1, 1))
ARRAYS = tuple(
    np.arange(1, 1 + math.prod(shape)).reshape(shape).astype(dtype)
    for shape in SHAPES
    for dtype in (DTYPES if len(shape) < 2 else (np.float64, np.float32, np.int64))
)
FEW_ARRAYS = tuple(
    np.ones(shape, dtype)
    for shape, dtype in itertools.product(
        ((), (1,), (3,), (2, 3), (2, 1), (0,)), (np.float64, np.float32, np.int64, np.bool_)
    )
)


def K(value: Any) -> Setting:
    return Setting(value)
