"""What inference knows about functions that NumPy makes of others: blocks, fits, cross products.

np.block          ([[float64[N, M], ...], ...])   -> float64[?, ?]
np.polyfit        (float64[N], float64[N], =2)    -> float64[?]
np.linalg.lstsq   (float64[N, M], float64[N])     -> (float64[M], float64[?], int, float64[?])

Their results are new memory, so that a program may change them in place. Imported by the first
program that calls one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir import facts
from ir.library.fact_rules import declare
from ir.types import TOP, Known, Scalar, Sequence, Tuple, Type
from zyg.array_type import (
    ANY,
    Array,
    as_array,
    dims_of,
    dtypes_in,
    is_number,
    rank_of,
)
from zyg.facts.example_calls import by_calls
from zyg.facts.numpy_example import BY_VALUE, by_example, mixes_by_value

DOUBLE = np.dtype(np.float64)
ROW = Array(DOUBLE, (ANY,))


def inexact(*types_: Type) -> np.dtype[Any] | None:
    """The dtype of what is computed of floats or complex numbers, where that is known."""
    kinds = set().union(*map(dtypes_in, types_))
    if None in kinds or not kinds:
        return None
    dtype = np.result_type(*kinds)
    by_value = BY_VALUE and len(kinds) > 1
    return None if dtype.kind not in "fc" or by_value else dtype


@declare(np.result_type)
def result_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of arrays, dtypes and literals, which say all themselves from NumPy 2 on."""
    kinds: list[Any] = []
    for arg in args:
        if isinstance(arg, Array):
            kinds.append(arg.dtype)
        elif isinstance(arg, Known) and isinstance(arg.value, type | np.dtype | float | complex):
            kinds.append(arg.value)
        else:
            return TOP
    return TOP if BY_VALUE or not kinds or kwargs else Known(np.result_type(*kinds))


# Products


@declare(np.cross)
def cross(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Vectors of three components give such; of two, a number."""
    dtype = inexact(*args[:2]) if len(args) >= 2 else None
    operands = [as_array(arg) for arg in args[:2]]
    if dtype is None or not all(isinstance(one, Array) for one in operands):
        return TOP
    return Array(dtype, None)


@declare(np.linalg.multi_dot)
def multi_dot(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Matrices, and perhaps vectors at the ends."""
    if len(args) == 1 and not kwargs and isinstance(args[0], Sequence):
        dtype, rank = inexact(args[0]), rank_of(facts.item_of(args[0]))
        return Array(dtype, (ANY, ANY)) if dtype is not None and rank == 2 else TOP
    items = args[0].items if len(args) == 1 and isinstance(args[0], Tuple) else ()
    arrays = [item for item in items if isinstance(item, Array) and item.dims]
    dtype = inexact(*items)
    if dtype is None or len(arrays) < max(2, len(items)) or kwargs:
        return TOP
    first, last = arrays[0].dims or (), arrays[-1].dims or ()
    dims = (*first[:-1], *last[1:])
    return Array(dtype, dims) if dims else Scalar(dtype.type)


facts.fresh(np.cross, np.linalg.multi_dot)


# Joined and spread


def depth_of(type_: Type) -> int:
    """How many lists are around arrays and numbers."""
    if not isinstance(type_, Sequence | Tuple):
        return 0
    return 1 + depth_of(facts.item_of(type_))


def ranks_in(type_: Type) -> list[int | None]:
    """The numbers of dimensions of the arrays and numbers in lists."""
    if isinstance(type_, Tuple):
        return [rank for item in type_.items for rank in ranks_in(item)]
    if isinstance(type_, Sequence):
        return ranks_in(facts.item_of(type_))
    return [0 if is_number(type_) else rank_of(type_)]


@declare(np.block)
def block(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """As many dimensions as there are brackets, or as the blocks have, if these are more."""
    dtype = inexact(args[0]) if len(args) == 1 and not kwargs else None
    ranks = ranks_in(args[0]) if args else []
    if dtype is None or None in ranks:
        return TOP
    rank = max(depth_of(args[0]), *(rank or 0 for rank in ranks))
    return Array(dtype, (ANY,) * rank)


@declare(np.dstack)
def dstack(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    dtype = inexact(args[0]) if len(args) == 1 and not kwargs else None
    ranks = ranks_in(args[0]) if args and isinstance(args[0], Sequence | Tuple) else [None]
    if dtype is None or None in ranks:
        return TOP
    return Array(dtype, (ANY,) * max(3, *(rank or 0 for rank in ranks)))


# Numbers along an axis


_gradient = by_example(np.gradient)


@declare(np.gradient)
def gradient(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Numbers as distances have no part in the type: they are of double precision at most."""
    operand = args[0] if args else TOP
    if not isinstance(operand, Array) or operand.dtype not in (np.float64, np.complex128):
        return _gradient(args, kwargs)
    if not all(map(is_number, args[1:])) or len(args) > 2:
        return by_calls(np.gradient)(args, kwargs)
    return _gradient(args[:1], kwargs)


facts.fresh(np.gradient)

# Fits


@declare(np.polyfit)
def polyfit(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """One column of coefficients for each one of values."""
    values = args[1] if len(args) == 3 and kwargs.keys() <= {"w", "rcond"} else TOP
    dtype = inexact(*args[:2]) if isinstance(values, Array) else None
    dims = dims_of(values)
    if dtype != DOUBLE or not dims or not isinstance(as_array(args[0]), Array):
        return by_calls(np.polyfit, 2, has_sizes=False)(args, kwargs)
    return Array(DOUBLE, (ANY, *dims[1:]))


@declare(np.linalg.lstsq)
def lstsq(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The solution, sums of squared residuals or nothing, the rank, and singular values."""
    is_plain = len(args) in (2, 3) and kwargs.keys() <= {"rcond"}
    matrix, right = args[:2] if is_plain else (TOP, TOP)
    if not isinstance(matrix, Array) or not isinstance(right, Array) or mixes_by_value([*args]):
        return TOP
    if {matrix.dtype, right.dtype} != {DOUBLE} or rank_of(matrix) != 2 or not right.dims:
        return by_calls(np.linalg.lstsq, 2, has_sizes=False)(args, kwargs)
    assert matrix.dims is not None
    rank = type(np.linalg.lstsq(np.eye(1), np.ones(1), rcond=None)[2])
    solution = Array(DOUBLE, (matrix.dims[-1], *right.dims[1:]))
    return Tuple((solution, ROW, Scalar(rank), ROW))


facts.fresh(np.polyfit, np.linalg.lstsq)

# Of which inference finds the type by the code that stands for them.
facts.fresh(np.cov, np.corrcoef, np.correlate, np.polyval, np.angle, np.fromiter)
if hasattr(np, "cumulative_sum"):  # of NumPy 2.1
    facts.fresh(np.cumulative_sum, np.cumulative_prod)


# Constants


@declare(
    np.polynomial.legendre.leggauss, np.polynomial.chebyshev.chebgauss,
    np.polynomial.hermite.hermgauss, np.polynomial.hermite_e.hermegauss,
    np.polynomial.laguerre.laggauss,
)
def places_and_weights(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Tuple((ROW, ROW))


facts.fresh(
    np.polynomial.legendre.leggauss, np.polynomial.chebyshev.chebgauss,
    np.polynomial.hermite.hermgauss, np.polynomial.hermite_e.hermegauss,
    np.polynomial.laguerre.laggauss,
)
