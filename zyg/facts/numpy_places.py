"""What inference knows of functions that give positions in arrays.

    np.nonzero(float64[N1, N2])              -> (int64[?], int64[?])
    np.where(bool[N1])                       -> (int64[?],)
    np.searchsorted(float64[N1], float64[N2]) -> int64[N2]
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ir import facts
from ir.library.fact_rules import declare
from ir.types import TOP, Known, Tuple, Type
from zyg.array_type import ANY, Array, Dims, as_array, dims_of, element_or_array
from zyg.facts.numpy_shapes import argument

_PLACES = Array(np.dtype(np.intp), (ANY,))


facts.fresh(
    np.tril_indices, np.triu_indices, np.tril_indices_from, np.triu_indices_from,
    np.diag_indices, np.diag_indices_from, np.nonzero, np.flatnonzero, np.argwhere, np.ix_,
    np.searchsorted, np.ndarray.searchsorted, np.digitize, np.lexsort,
)


@facts.result(np.tril_indices)
@facts.result(np.triu_indices)
@facts.result(np.tril_indices_from)
@facts.result(np.triu_indices_from)
def places_in_matrix(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Tuple((_PLACES, _PLACES))


@facts.result(np.diag_indices)
def places_on_diagonal(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    count = args[1] if len(args) > 1 else kwargs.get("ndim", Known(2))
    if not isinstance(count, Known) or type(count.value) is not int:
        return TOP
    return Tuple((_PLACES,) * count.value)


@facts.result(np.nonzero)
@facts.result(np.diag_indices_from)
def places_in_array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    items = args[0] if len(args) == 1 else TOP
    if not isinstance(items, Array) or not items.dims:
        return TOP
    return Tuple((_PLACES,) * len(items.dims))


@facts.result(np.ix_)
def grid(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Places for each mask or list; of an array the numbers that it holds."""
    dtypes = [
        _PLACES.dtype if not isinstance(arg, Array) or arg.dtype == bool else arg.dtype
        for arg in args
    ]
    return Tuple(tuple([Array(dtype, (ANY,) * len(args)) for dtype in dtypes]))


@declare(np.flatnonzero)
def places_in_all(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return _PLACES if len(args) == 1 and isinstance(args[0], Array) else TOP


@declare(np.argwhere)
def rows_of_places(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    is_one = len(args) == 1 and isinstance(args[0], Array)
    return Array(_PLACES.dtype, (ANY, ANY)) if is_one else TOP


@declare(np.lexsort)
def order_of_several(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of rows or single numbers behind each other; of more dimensions nothing is said."""
    keys = args[0].items if len(args) == 1 and isinstance(args[0], Tuple) else ()
    if kwargs or not keys or not all(isinstance(key, Array) for key in keys):
        return TOP
    dims: list[Dims | None] = [dims_of(key) for key in keys]
    return Array(_PLACES.dtype, dims[0]) if dims[0] is not None and len(dims[0]) == 1 else TOP


def _places_of(index: int, name: str, args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """A position for each of some values."""
    values = as_array(argument(args, kwargs, index, name, TOP))
    dims = None if values is None else dims_of(values)
    return TOP if dims is None else element_or_array(_PLACES.dtype, dims)


declare(np.searchsorted, np.ndarray.searchsorted)(partial(_places_of, 1, "v"))
declare(np.digitize)(partial(_places_of, 0, "x"))
