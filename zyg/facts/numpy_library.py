"""What inference knows about NumPy's functions that are rarer, of several arrays or many options.

    np.linalg.vector_norm  (float64[N1, N2], axis==1)        -> float64[N1]
    np.matvec              (float64[N1, N2], float64[N2])    -> float64[N1]
    np.unique              (float64[N1], =True)              -> (float64[?], int64[?])

Nothing is told of `np.roots`, `np.poly` of a matrix and the like, where numbers decide whether the
result is real. Imported, and `zyg.facts.numpy_results` with it, by the first program that calls a
function of NumPy of which nothing is known yet.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ir import facts
from ir.library.fact_rules import declare
from ir.types import TOP, Known, NamedTuple, Sequence, Tuple, Type, Union, join_all
from zyg.array_type import ANY, Array, Dims, as_array, broadcast, dims_of, element_or_array, rank_of
from zyg.facts.example_calls import by_calls
from zyg.facts.numpy_arrangements import item_type
from zyg.facts.numpy_composites import inexact
from zyg.facts.numpy_example import by_example, shaped_by
from zyg.facts.numpy_results import of_square
from zyg.facts.numpy_shapes import argument


def named(owner: Any, names: str) -> list[Any]:
    """The functions of these names, as far as this version of NumPy has them."""
    return [vars(owner)[name] for name in names.split() if name in vars(owner)]


# Sizes follow from those of the arguments
facts.result_made_by(
    by_example, *named(np, "cumulative_sum cumulative_prod"), *named(np.linalg, "vector_norm")
)
facts.result_made_by(of_square, np.linalg.cond)
facts.result_made_by(by_calls, np.lib.stride_tricks.sliding_window_view)

# Numbers decide about sizes
facts.result_made_by(
    partial(by_calls, data=2, has_sizes=False),
    *named(np, "union1d setdiff1d setxor1d intersect1d"),
)


# Products


def vecdot_dims(left: Dims, right: Dims) -> Dims | None:
    return broadcast([left[:-1], right[:-1]]) if left and right else None


def matvec_dims(left: Dims, right: Dims) -> Dims | None:
    batch = broadcast([left[:-2], right[:-1]])
    return None if len(left) < 2 or not right or batch is None else (*batch, left[-2])


def vecmat_dims(left: Dims, right: Dims) -> Dims | None:
    batch = broadcast([left[:-1], right[:-2]])
    return None if len(right) < 2 or not left or batch is None else (*batch, right[-1])


for _name, _dims in {"vecdot": vecdot_dims, "matvec": matvec_dims, "vecmat": vecmat_dims}.items():
    for _callee in named(np, _name):
        facts.result(_callee)(shaped_by(_callee, _dims, 2))


@declare(*named(np.linalg, "vecdot"))
def vecdot_along(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Along an axis that may be another one."""
    return by_calls(np.linalg.vecdot, 2)(args, kwargs) if len(args) == 2 else TOP


@declare(*named(np.linalg, "cross"))
def cross(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of vectors of three components, along any axis; with others it is an error."""
    dtype = inexact(*args) if len(args) == 2 and kwargs.keys() <= {"axis"} else None
    dims = broadcast(map(dims_of, args))
    return Array(dtype, (ANY,) * len(dims)) if dtype is not None and dims else TOP


@declare(np.linalg.tensorinv)
def tensorinv(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """As many dimensions as there were, in another order."""
    dtype = inexact(args[0]) if args else None
    rank = rank_of(args[0]) if args else None
    return Array(dtype, (ANY,) * rank) if dtype is not None and rank else TOP


@declare(np.linalg.tensorsolve)
def tensorsolve(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    dtype = inexact(*args[:2]) if len(args) >= 2 else None
    ranks = list(map(rank_of, args[:2]))
    if dtype is None or None in ranks or (ranks[0] or 0) <= (ranks[1] or 0):
        return TOP
    return Array(dtype, (ANY,) * ((ranks[0] or 0) - (ranks[1] or 0)))


# Eigenvalues of real matrices are real or complex by what they are


def either(type_: Array) -> Type:
    """An array of real numbers, or one of the complex numbers of that precision."""
    of_complex = np.result_type(type_.dtype, np.complex64)
    return Union(frozenset({type_, Array(of_complex, type_.dims)}))


def square_matrix(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Array | None:
    """The type of a stack of square matrices, in the dtype that LAPACK computes in."""
    matrix = args[0] if len(args) == 1 and not kwargs else TOP
    if not isinstance(matrix, Array) or matrix.dims is None or len(matrix.dims) < 2:
        return None
    return Array(np.linalg.inv(np.ones((1, 1), matrix.dtype)).dtype, matrix.dims)


@declare(np.linalg.eigvals)
def eigvals(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    matrix = square_matrix(args, kwargs)
    if matrix is None or matrix.dims is None:
        return TOP
    values = Array(matrix.dtype, matrix.dims[:-1])
    return values if matrix.dtype.kind == "c" else either(values)


@declare(np.linalg.eig)
def eig(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    matrix = square_matrix(args, kwargs)
    if matrix is None or matrix.dims is None:
        return TOP
    parts = Array(matrix.dtype, matrix.dims[:-1]), matrix
    items = parts if matrix.dtype.kind == "c" else tuple(map(either, parts))
    cls = type(np.linalg.eig(np.eye(1)))
    return NamedTuple(cls, join_all(items), items)


# Selections


@declare(np.choose)
def choose(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """What is chosen from may be the rows of an array."""
    if len(args) != 2 or not kwargs.keys() <= {"mode"} or not isinstance(args[0], Array):
        return TOP
    choices = args[1]
    if isinstance(choices, Tuple):
        found = [as_array(item) for item in choices.items]
    elif isinstance(choices, Array | Sequence):
        found = [as_array(facts.item_of(choices))]
    else:
        return TOP
    shapes = [dims_of(one) for one in (args[0], *[one or TOP for one in found])]
    dims = broadcast(shapes)
    kinds = inexact(choices)
    if None in found or dims is None or kinds is None:
        return TOP
    return Array(kinds, dims)


def some_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return by_calls(np.unique, has_sizes=False)(args, kwargs)


facts.result(np.unique)(some_of)


# Containers of arrays


@declare(np.broadcast_arrays)
def broadcast_arrays(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """In a tuple, from NumPy 2 on."""
    operands = [as_array(arg) for arg in args]
    dims = broadcast(dims_of(one or TOP) for one in operands)
    if kwargs or dims is None:
        return TOP
    items = []
    for operand in operands:
        assert operand is not None
        dtype = operand.dtype if isinstance(operand, Array) else np.result_type(_class(operand))
        items.append(Array(dtype, dims))
    container = type(np.broadcast_arrays(1.0))
    return Tuple(tuple(items)) if container is tuple else Sequence(list, join_all(items))


def _class(type_: Type) -> Any:
    return type_.value.__class__ if isinstance(type_, Known) else getattr(type_, "cls", None)


@declare(*named(np, "unstack"))
def unstack(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Parts without the axis, as many as it is long."""
    axis = argument(args, kwargs, 1, "axis", Known(0))
    items = args[0] if len(args) == 1 and kwargs.keys() <= {"axis"} else TOP
    if not isinstance(items, Array) or not items.dims or not isinstance(axis, Known):
        return TOP
    try:
        position = range(len(items.dims))[axis.value]
    except (LookupError, TypeError):
        return TOP
    rest = (*items.dims[:position], *items.dims[position + 1 :])
    return Sequence(tuple, element_or_array(items.dtype, rest))


@declare(np.ndarray.tolist)
def tolist(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Lists in lists, as many as there are dimensions."""
    rank = rank_of(args[0]) if len(args) == 1 and not kwargs else None
    if rank is None:
        return TOP
    found = item_type(args[0])
    for _ in range(rank):
        found = Sequence(list, found)
    return found
