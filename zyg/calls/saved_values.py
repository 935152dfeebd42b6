"""The memory of what a forward function saved: how much it is, and what is copied of it.

A pullback that is handed out outlives the call: what the user may change in the meantime is copied
(`protected`). A pickle has no copies of a number that fills an array (`without_contents`).
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir.late import late
from zyg.checkpointing import Kept
from zyg.compiler.checkpoints.checkpoint_calls import RunAgainBack
from zyg.compiler.run_time.object_backs import Through
from zyg.compiler.run_time.rule_backs import RuleBack
from zyg.cotangents import cotangent

if TYPE_CHECKING:
    from zyg.calls import back_functions
else:  # which is on top of this
    back_functions = late("zyg.calls.back_functions")


class _Repeated:
    """An array all of whose elements are one and the same.

    Prototypes have strides of 0, which pickles don't keep: a shape must not weigh what an array
    does.
    """

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._shape = array.shape
        self._element = np.array(array[(0,) * array.ndim]) if array.size else (
            np.zeros((), array.dtype)
        )

    def array(self) -> np.ndarray[Any, Any]:
        return np.broadcast_to(self._element, self._shape)


def _is_repeated(array: np.ndarray[Any, Any]) -> bool:
    return array.ndim > 0 and not any(array.strides)


def without_contents(value: Any) -> Any:
    return _rebuilt(value, _described, _items)


def _described(value: Any) -> Any:
    return _Repeated(value) if isinstance(value, np.ndarray) and _is_repeated(value) else value


def with_contents(value: Any) -> Any:
    return _rebuilt(value, lambda v: v.array() if isinstance(v, _Repeated) else v, _items)


def held(saved: Any) -> tuple[int, int]:
    """How many values a pullback holds, and how many bytes the arrays among them take."""
    sizes = [*sizes_of(saved, {})]
    return len(sizes), sum(size for _, size in sizes)


def sizes_of(saved: Any, known: dict[int, Any]) -> Iterator[tuple[Any, int]]:
    """The numbers, arrays and other values that a value consists of, with their bytes.

    Arrays that share memory count once: `known` are owners of such by their `id`. A number counts
    as it does in an array.
    """
    left = [saved]
    while left:
        value = left.pop()
        if isinstance(value, np.ndarray):
            owner = _owner(value)
            size = 0 if id(owner) in known else (
                value.itemsize if _is_repeated(value) else owner.nbytes
            )
            known[id(owner)] = owner
            yield value, size
        elif isinstance(value, list | tuple):
            left.extend(value)
        elif isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, back_functions.DispatchedBack):
            left.append(value.saved)
        elif isinstance(value, RuleBack):
            left.extend(value.captured().values())
        elif isinstance(value, Kept | RunAgainBack):
            left.extend(value.held().values())
        elif value is not None:
            yield value, 8


def _owner(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array whose memory a view keeps alive."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def protected(saved: Any, indices: tuple[int, ...], count: int) -> Any:
    """The saved values, with copies of the arrays that the user can reach."""
    if not indices:
        return saved
    if count == 1:
        return copied(saved)
    return tuple(copied(v) if i in indices else v for i, v in enumerate(saved))


def copied(value: Any) -> Any:
    """A copy of the arrays in a value; everything else is kept."""
    return _rebuilt(value, _own_memory, _parts)


def _own_memory(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value.with_own_memory(copied) if hasattr(type(value), "with_own_memory") else value
    return _Repeated(value).array() if _is_repeated(value) else value.copy()


Parts: TypeAlias = tuple[Sequence[Any], Callable[[list[Any]], Any]]


def _items(value: Any) -> Parts | None:
    """What a list or tuple holds, and how it is made of other items."""
    return (value, type(value)) if type(value) in (list, tuple) else None


def _parts(value: Any) -> Parts | None:
    """The same for all that can be saved and holds values."""
    if type(value) is dict:
        return tuple(value.values()), lambda items: dict(zip(value, items, strict=True))
    if isinstance(value, back_functions.ObjectsBack):
        return None
    if type(value) in (OrderedDict, defaultdict, Counter):
        return tuple(value.values()), lambda items: cotangent.like_mapping(
            value, dict(zip(value, items, strict=True))
        )
    if type(value) is deque:
        return tuple(value), lambda items: deque(items, value.maxlen)
    if isinstance(value, back_functions.DispatchedBack):
        return (value.saved,), lambda items: value.with_saved(items[0])
    if isinstance(value, RuleBack):
        captured = value.captured()
        return tuple(captured.values()), lambda items: value.with_captured(
            dict(zip(captured, items, strict=True))
        )
    if isinstance(value, Through):
        return (value.back,), lambda items: Through(items[0], value.arrange)
    return _items(value)


def _rebuilt(
    value: Any, change: Callable[[Any], Any], parts_of: Callable[[Any], Parts | None]
) -> Any:
    """The value with all that it holds changed.

    Without recursion: what a recursive function saves is nested as deep as its calls were.
    """
    unfinished: list[tuple[list[Any], Iterator[Any], Callable[[list[Any]], Any]]] = [
        ([], iter((value,)), list)
    ]
    while True:
        done, rest, combined = unfinished[-1]
        for item in rest:
            parts = parts_of(item)
            if parts is not None:
                unfinished.append(([], iter(parts[0]), parts[1]))
                break
            done.append(change(item))
        else:
            unfinished.pop()
            if not unfinished:
                return done[0]
            unfinished[-1][0].append(combined(done))
