"""What programs on objects check when they run: where memory that they hold isn't expected."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from ir import facts
from ir.derived import found_in
from ir.library.container_facts import DICT_ITEMS
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import is_captured, is_known, version_of
from zyg.held.held_views import dict_of, is_read_later
from zyg.held.memory_kinds import is_memory, items_of, memory_behind, memory_in

_PLAIN = (list, dict, Counter, np.ndarray)
_STORING = ("__setitem__", "__delitem__")


def unless_held(value: Any) -> None:
    """Raises for memory that is changed under a local name, and that an object holds too."""
    if is_memory(value) and is_known(value):
        raise NotDifferentiable(
            f"a {type(value).__name__} that an object holds is changed in place under another "
            "name; change it by the attribute, or change a copy"
        )
    unless_captured(value)
    unless_storing_itself(value, *_STORING)


def unless_storing_itself(value: Any, *methods: str) -> None:
    """Raises for what has code of its own for a change of its items, in a container's place."""
    cls = type(value)
    if cls not in _PLAIN and any(type(found_in(cls, name)) is FunctionType for name in methods):
        raise NotDifferentiable(
            f"a {cls.__name__} says itself how its items are stored, and it isn't known that "
            "one stands here; call its method by name, `x.__setitem__(key, value)`"
        )


def unless_captured(value: Any) -> None:
    """Raises for memory that is changed under a local name, and that a function has captured which
    an object holds."""
    if is_memory(value) and is_captured(value):
        raise NotDifferentiable(
            f"a {type(value).__name__} that a function has captured which an object holds is "
            "changed in place; change a copy"
        )


def unless_lazy(items: Any) -> None:
    """Raises for what a loop can't read by positions, nor by keys."""
    if not isinstance(items, list | tuple | dict | deque | range | str | bytes | np.ndarray):
        raise NotDifferentiable(
            f"a loop changes objects and reads a {type(items).__name__}, whose items can't be read "
            "behind these changes; make a list of them, and read that"
        )


def unless_walking_held(items: Any) -> None:
    """Raises for a list or array of numbers that an object holds: a loop that changes objects would
    read its items too early."""
    if isinstance(items, list | deque | np.ndarray) and is_known(items) and any(
        isinstance(item, float | complex | np.number | tuple) for item in items
    ):
        raise NotDifferentiable(
            f"a loop changes objects and walks over a {type(items).__name__} that one of them "
            "holds, and that zyg has come to by an unknown call; walk over the attribute, or over "
            "a list of the items"
        )


def unless_rows(items: Any) -> None:
    """Raises for arrays and containers that objects hold, in a container that is read later."""
    if any(is_memory(item) and is_known(item) for item in items_of(items)):
        raise NotDifferentiable(
            "an iterator over arrays or containers that objects hold, and may change before it has "
            "come to them; make a list of the items, and read that"
        )


def unless_read_later(items: Any) -> None:
    """The same for numbers: an iterator that no loop reads comes to them when they have changed."""
    unless_rows(items)
    if is_memory(items) and is_known(items):
        raise NotDifferentiable(
            f"an iterator over a {type(items).__name__} that an object holds, and that may change "
            "before it has come to its items; make a list of them, and read that"
        )


def unless_reading_held(value: Any) -> None:
    """Raises for a view or an iterator that will come to numbers which an object holds."""
    if is_read_later(value) and any(map(is_known, memory_behind(value))):
        raise NotDifferentiable(
            f"a {type(value).__name__} that will come to what an object holds, and may have "
            "changed since it was made, where more than one derivative is asked for; make a list "
            "of its items"
        )


Versions: TypeAlias = "tuple[tuple[Any, int], ...]"


def versions_of(iterables: tuple[Any, ...]) -> Versions:
    """The memory that an iterator over these will come to, with its versions now."""
    return tuple((items, version_of(items)) for items in memory_behind(iterables))


def as_made(iterator: Any, versions: Versions) -> Iterator[Any]:
    """The items of an iterator; raises if numbers that it comes to may have changed since it was
    made. Of arrays and containers, objects hold what they are when they are read."""
    for item in iterator:
        for source, version in versions:
            if version_of(source) != version and _has_numbers(source):
                raise _changed(source)
        yield item


def as_shown(view: Any, before: list[Any]) -> Iterator[Any]:
    """The items of a view of a dict; raises for one that isn't what it was before."""
    for item, was in zip(view, before, strict=False):
        if (item[1] is not was[1]) if isinstance(view, DICT_ITEMS) else (item is not was):
            raise _changed(dict_of(view))
        yield item


def _changed(memory: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"an iterator comes to items of a {type(memory).__name__} that an object holds and that "
        "was changed after the iterator was made; make a list of the items, and read that"
    )


def _has_numbers(memory: Any) -> bool:
    if isinstance(memory, np.ndarray):
        return memory.ndim == 1
    return not all(map(is_memory, items_of(memory)))


def unless_holding_held(value: Any) -> None:
    """The same for a container whose elements may be changed as well."""
    for found in memory_in(value):
        unless_held(found)


facts.effect(unless_held, unless_holding_held)
