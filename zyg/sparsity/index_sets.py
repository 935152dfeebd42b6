"""Index sets: which numbers of the arguments a number depends on.

    union(frozenset({0}), frozenset({1}))       frozenset({0, 1})

A set that stays small is a frozenset. A large one is a `Gathered`: the sets that it is made of,
which nobody looks into before the end. So a sum that is added up in a loop of n steps takes O(n).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np

SetArray: TypeAlias = np.ndarray[Any, Any]  # of dtype object

EMPTY: Final[frozenset[int]] = frozenset()
_SMALL: Final = 64


class Gathered:
    """The union of sets, found when it is asked for."""

    __slots__ = ("_found", "_parts")

    def __init__(self, parts: tuple[IndexSet, ...]) -> None:
        self._parts = parts
        self._found: frozenset[int] | None = None

    def members(self) -> frozenset[int]:
        if self._found is None:
            found: set[int] = set()
            seen: set[int] = set()
            waiting: list[IndexSet] = list(self._parts)
            while waiting:
                part = waiting.pop()
                if isinstance(part, frozenset):
                    found |= part
                elif part._found is not None:
                    found |= part._found
                elif id(part) not in seen:
                    seen.add(id(part))
                    waiting.extend(part._parts)
            self._found = frozenset(found)
            self._parts = ()
        return self._found


IndexSet: TypeAlias = frozenset[int] | Gathered


def members(indices: IndexSet) -> frozenset[int]:
    """The members of a set of either kind."""
    return indices if isinstance(indices, frozenset) else indices.members()


def union(a: IndexSet, b: IndexSet) -> IndexSet:
    """What depends on one or the other."""
    if a is b or not b:
        return a
    if not a:
        return b
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        if len(a) + len(b) <= _SMALL:
            return a | b
        if a >= b:
            return a
        if b >= a:
            return b
    return Gathered((a, b))


def union_of(sets: Iterable[IndexSet]) -> IndexSet:
    """The union of many sets, in time that is linear in what they hold."""
    parts = [part for part in sets if part]
    if not parts:
        return EMPTY
    if len(parts) == 1:
        return parts[0]
    small = [part for part in parts if isinstance(part, frozenset)]
    whole = EMPTY.union(*small)
    if len(small) == len(parts):
        return whole
    return Gathered((whole, *(part for part in parts if not isinstance(part, frozenset))))


# The same for arrays of sets, number by number, with NumPy's broadcasting.
union_of_arrays = np.frompyfunc(union, 2, 1)


def filled(shape: tuple[int, ...], indices: IndexSet = EMPTY) -> SetArray:
    """An array of one set."""
    found = np.empty(shape, object)
    found.fill(indices)
    return found


def boxed(indices: Any) -> SetArray:
    """A set as an array without dimensions; arrays as they are."""
    if isinstance(indices, np.ndarray):
        return indices
    box = np.empty((), object)
    box[()] = indices
    return box


def union_along(sets: SetArray, axis: Any, keepdims: bool) -> SetArray:
    """The unions over one axis, some, or all of them (None)."""
    if axis is None:
        axes = tuple(range(sets.ndim))
    else:
        given = axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(int(i) % sets.ndim for i in given)
    kept = [i for i in range(sets.ndim) if i not in axes]
    shape = tuple(sets.shape[i] for i in kept)
    rows = sets.transpose(*kept, *axes).reshape(int(np.prod(shape, dtype=int)), -1)
    found = np.empty(len(rows), object)
    for i, row in enumerate(rows):
        found[i] = union_of(row.tolist())
    shown = tuple(1 if i in axes else size for i, size in enumerate(sets.shape))
    return found.reshape(shown if keepdims else shape)
