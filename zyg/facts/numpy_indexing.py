"""What inference knows about reading `array[index]`.

(float64[N1, N2], int)              -> float64[N2]
(float64[N1, N2], (=..., =0))       -> float64[N1]
(float64[N1], slice[=1:=None])      -> float64[n], the same symbol for the same slice
(float64[N1], int64[N2])            -> float64[N2]
(float64[N1], bool[N1])             -> float64[?]
"""

from __future__ import annotations

import operator

import numpy as np

from ir import facts
from ir.core import Call, Operand, type_of
from ir.library.container_facts import known_slice
from ir.library.fact_rules import distributed
from ir.record import record
from ir.types import BOTTOM, TOP, Known, Scalar, Sequence, Slice, Tuple, Type, Union, class_of
from zyg.array_type import (
    ANY,
    NUMPY_SCALARS,
    ONE,
    Array,
    Bounds,
    Dim,
    Dims,
    Measured,
    One,
    broadcast,
    derived_dim,
    element_or_array,
    size_dim,
)

NEW_AXIS, ELLIPSIS = Known(None), Known(...)


@record
class Selector:
    """An index array (or a mask as one): how many dimensions it takes, what it broadcasts."""

    consumed: int
    dims: Dims


def selector(index: Type) -> Selector | None:
    """The index arrays that an entry of an index stands for, if it is no basic one."""
    if isinstance(index, Sequence) and index.cls is list and isinstance(index.item, Scalar):
        if issubclass(index.item.cls, bool | int | np.integer | np.bool_):
            return Selector(1, (ANY,))
    if isinstance(index, Array) and index.dims:
        if index.dtype.kind in "iu":
            return Selector(1, index.dims)
        if index.dtype.kind == "b":
            return Selector(len(index.dims), (ANY,))
    return None


def selects(index: Type) -> bool:
    """Whether an index has arrays or lists among its entries, so that it gives a copy."""
    entries = index.items if isinstance(index, Tuple) else (index,)
    return any(selector(entry) is not None for entry in entries)


def is_position(index: Type) -> bool:
    """A single int, which takes its dimension away."""
    cls = class_of(index) if isinstance(index, Scalar | Known) else None
    return cls is int or (isinstance(cls, type) and issubclass(cls, np.integer))


def sliced_dim(dim: Dim, index: Slice) -> Dim:
    found = known_slice(index)
    if found is None:
        bounds = index.start, index.stop, index.step
        if not all(isinstance(bound, Measured) for bound in bounds):
            return ANY
        return derived_dim(dim, Bounds(*bounds))
    if found.start is None and found.stop is None and found.step in (None, 1, -1):
        return dim
    try:
        if isinstance(dim, One):
            return size_dim(len(range(1)[found]))
    except (TypeError, ValueError):
        return ANY
    gone = _cut_off(found)
    return derived_dim(dim, (found.start, found.stop, found.step) if gone is None else gone)


def _cut_off(index: slice) -> int | None:
    """How many items a slice such as `[1:]`, `[:-1]` or `[1:-1]` leaves out at the two ends."""
    start = 0 if index.start is None else index.start
    stop = 0 if index.stop is None else index.stop
    if type(start) is not int or type(stop) is not int or index.step not in (None, 1):
        return None
    is_cut = start >= 0 and (stop < 0 or index.stop is None)
    return start - stop if is_cut else None


def entries_of(index: Type, rank: int) -> list[Type] | None:
    """The entries of an index for all dimensions, those that the ellipsis stands for after it."""
    entries = list(index.items) if isinstance(index, Tuple) else [index]
    consumed = 0
    for entry in entries:
        if entry in (NEW_AXIS, ELLIPSIS):
            continue
        chosen = selector(entry)
        if chosen is None and not is_position(entry) and not isinstance(entry, Slice):
            return None
        consumed += chosen.consumed if chosen is not None else 1
    missing = rank - consumed
    if missing < 0 or entries.count(ELLIPSIS) > 1:
        return None
    whole: Type = Slice(Known(None), Known(None), Known(None))
    at = entries.index(ELLIPSIS) if ELLIPSIS in entries else len(entries)
    # The ellipsis separates index arrays even where it stands for no dimension.
    return [*entries[:at], ELLIPSIS, *[whole] * missing, *entries[at + 1 :]]


def _index(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    array, index = args
    if not isinstance(array, Array):
        return TOP
    if array.dims is None and index == Tuple(()):
        return element_or_array(array.dtype, None)
    if array.dims is None:
        # Any index but single positions leaves a dimension, so that the result is no number.
        parts = index.items if isinstance(index, Tuple) else (index,)
        is_part = any(isinstance(part, Slice) or selector(part) is not None for part in parts)
        return Array(array.dtype, None) if is_part else TOP
    entries = entries_of(index, len(array.dims))
    if entries is None:
        return TOP
    given = index.items if isinstance(index, Tuple) else (index,)
    selectors = [selector(entry) for entry in entries]
    fancy = any(selectors)
    dims: list[Dim] = []
    chosen: list[Dims] = []
    places: list[tuple[int, int]] = []
    position = 0
    for number, (entry, choice) in enumerate(zip(entries, selectors, strict=True)):
        if choice is not None:
            chosen.append(choice.dims)
            places.append((number, len(dims)))
            position += choice.consumed
        elif entry == NEW_AXIS:
            dims.append(ONE)
        elif entry == ELLIPSIS:
            continue
        elif isinstance(entry, Slice):
            dims.append(sliced_dim(array.dims[position], entry))
            position += 1
        else:
            if fancy:
                # Beside index arrays an int is one too: it broadcasts, and has a place.
                places.append((number, len(dims)))
            position += 1
    if not fancy:
        if not dims and ELLIPSIS in given:
            return Array(array.dtype, ())
        return element_or_array(array.dtype, tuple(dims))
    selected = broadcast(chosen)
    if selected is None:
        return TOP
    # Index arrays that are not next to each other put their dimensions first.
    (first, start), (last, _) = places[0], places[-1]
    start = start if last - first == len(places) - 1 else 0
    return Array(array.dtype, (*dims[:start], *selected, *dims[start:]))


def _is_of_floats(index: Type) -> bool:
    """Whether an index array is refused by NumPy: what a list that may be empty makes is one of
    integers or, if it is empty, of floats."""
    return isinstance(index, Array) and bool(index.dims) and index.dtype.kind in "fc"


def _index_of_scalar(scalar: Type, index: Type) -> Type:
    """NumPy's scalars are read as arrays without dimensions: `x[()]` is the scalar itself."""
    cls = class_of(scalar)
    assert cls is not None
    return _index((Array(np.dtype(cls), ()), index), {})


def extend_getitem() -> None:
    plain = facts.result_of(operator.getitem)

    def getitem(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) == 2 and isinstance(args[0], Array):
            return BOTTOM if _is_of_floats(args[1]) else _index(args, kwargs)
        if len(args) == 2 and class_of(args[0]) in NUMPY_SCALARS:
            return _index_of_scalar(args[0], args[1])
        return TOP if plain is None else plain(args, kwargs)

    facts.result(operator.getitem)(distributed(getitem))


extend_getitem()


@facts.fold(operator.getitem)
def fold_scalar(call: Call) -> Operand | None:
    """One of NumPy's scalars is what `x[()]` gives of it."""
    if len(call.args) != 2 or class_of(type_of(call.args[0])) not in NUMPY_SCALARS:
        return None
    return call.args[0] if type_of(call.args[1]) in (Known(()), Tuple(())) else None


def _is_selection(call: Call) -> bool:
    if len(call.args) != 2:
        return False
    array, index = map(type_of, call.args)
    kinds = index.members if isinstance(index, Union) else (index,)
    return isinstance(array, Array) and all(selects(kind) or _is_of_floats(kind) for kind in kinds)


facts.fresh(operator.getitem, when=_is_selection)
