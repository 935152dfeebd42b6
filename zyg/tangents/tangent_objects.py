"""The tangents of what objects hold: one table for each call of `jvp`.

    y = o.x          y_dot = read_dot(o, 'x', y)
    o.x = v          store_dot(o, 'x', v_dot)

An object is known by its identity. What no store has put there, and what the tangents that were
given don't name, has the tangent zero. Memory that may be changed in place is known by its own
identity, whatever attributes hold it (`zyg.tangents.tangent_memory`):

    o.x = a          store_held(o, 'x', a, a_dot)
    a_dot = now(a, a_dot)                      where an object may have changed it meanwhile
    y_dot = item_dot(a, i, y)                  for `y = a[i]`, without the tangent of all of `a`
"""

from __future__ import annotations

from _thread import _local
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.heap import ITEMS, Contents
from zyg.cotangents.cotangent import rebuilt
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import held_memory, note_change
from zyg.held.reaching import attributes_of
from zyg.signature import is_users
from zyg.tangents.tangent import part_of, picked, unless_asked, zero_tangent
from zyg.tangents.tangent_memory import NO_MEMORY, HeldTangents


class ObjectTangents:
    """Tangents by object and attribute; `errors` are the exceptions that the program has made, by
    `id`."""

    __slots__ = ("errors", "held", "tables")

    def __init__(self) -> None:
        self.errors: dict[int, BaseException] = {}
        self.tables: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.held = HeldTangents()

    def of(self, obj: Any) -> dict[str, Any]:
        """The tangents of the attributes of an object, as far as there are any."""
        found = self.tables.get(id(obj))
        if found is None:
            found = self.tables[id(obj)] = obj, {}
        return found[1]

    def get(self, obj: Any, name: str, value: Any) -> Any:
        """The tangent of an attribute, which holds `value`; None if nothing is known of it."""
        found = self.tables.get(id(obj))
        if isinstance(obj, Contents) and found is not None and name in found[1]:
            return found[1][name]  # whatever a reference to the memory was stored with
        if self.held.knows(value):
            return self.held.of(value)
        return None if found is None else self.held.now(value, found[1].get(name))

    def stand_for(self, contents: Contents, memory: Any) -> None:
        """Notes that the tangent of what memory holds is that of an object's from here on."""
        if self.held.knows(memory):
            self.of(contents)[ITEMS] = self.held.of(memory)
            self.held.forget(memory)


class _State(_local):
    tangents: ObjectTangents | None = None


_state = _State()


@contextmanager
def tangents_of_objects() -> Iterator[ObjectTangents]:
    """Around a call of a tangent function that works on objects: its table."""
    before, _state.tangents = _state.tangents, ObjectTangents()
    try:
        yield _state.tangents
    finally:
        _state.tangents = before


@contextmanager
def without_table() -> Iterator[None]:
    """Around what is asked for code of another level, whose tangents of objects aren't here."""
    before, _state.tangents = _state.tangents, None
    try:
        yield
    finally:
        _state.tangents = before


def has_table() -> bool:
    """Whether a call is made from a tangent function that works on objects."""
    return _state.tangents is not None


def stand_for(contents: Contents, memory: Any) -> None:
    """The same for the table of the tangent function that is running, if one is."""
    if _state.tangents is not None:
        _state.tangents.stand_for(contents, memory)


def current_tangents() -> ObjectTangents:
    if _state.tangents is None:
        raise NotDifferentiable("this tangent function works on objects, and runs on its own")
    return _state.tangents


def dots_of(obj: Any) -> dict[str, Any]:
    """The tangents of what an object holds, by the names of attributes; zeros may be left out."""
    tangents = _state.tangents
    found = None if tangents is None else tangents.tables.get(id(obj))
    return current_tangents().of(obj) if found is None else found[1]


def read_dot(obj: Any, name: str, value: Any) -> Any:
    """The tangent of an attribute, which holds `value`."""
    found = current_tangents().get(obj, name, value)
    return zero_tangent(value) if found is None else found


def store_dot(obj: Any, name: str, dot: Any) -> None:
    """Notes the tangent of what was stored into an attribute."""
    dots = current_tangents().of(obj)
    if dot is None and not isinstance(obj, Contents):
        dots.pop(name, None)  # a zero
    else:
        dots[name] = dot


def delete_dot(obj: Any, name: str) -> None:
    current_tangents().of(obj).pop(name, None)


def store_held(obj: Any, name: str, value: Any, dot: Any) -> None:
    """`store_dot` for what may be memory that is changed in place, under whatever name."""
    tangents = current_tangents()
    tangents.of(obj)[name] = dot
    tangents.held.hold(value, dot)


def now(value: Any, dot: Any) -> Any:
    """The tangent of what an object may have changed in place since it was `dot`."""
    return current_tangents().held.now(value, dot)


def now_within(value: Any, dot: Any) -> Any:
    """The same for a container, local or not, of what an object may have changed."""
    return current_tangents().held.now_within(value, dot)


def item_dot(items: Any, key: Any, value: Any, dot: Any) -> Any:
    """The tangent of `items[key]`, which is `value`; that of `items` is `dot`, if no object holds
    them."""
    held = current_tangents().held
    if held.knows(items):
        return held.item(items, key, value, dot)
    if dot is None:
        unless_asked(items)
        return held.now(value, zero_tangent(value))
    part = part_of(dot, key) if isinstance(dot, np.ndarray) else picked(dot, key, value)
    return held.now(value, part)


def held_item_dot(obj: Any, name: str, items: Any, key: Any, value: Any) -> Any:
    """The same for `items` that are read from an attribute."""
    tangents = current_tangents()
    if tangents.held.knows(items):
        return tangents.held.item(items, key, value)
    return item_dot(items, key, value, tangents.of(obj).get(name))


def change(function: Any, args: tuple[Any, ...], dots: tuple[Any, ...]) -> None:
    """Changes memory that an object holds, `args[0]`, and its tangent; `dots`: of other arguments.
    """
    held = current_tangents().held
    memory, *rest = args
    if not held.knows(memory):
        held_memory(memory)
        held.hold(memory, None)
    note_change(memory)
    whole = [
        dot if type(value) in NO_MEMORY else held.now(value, dot)
        for value, dot in zip(rest, dots, strict=True)
    ]
    function(*args)
    held.change(function, args, (None, *whole))


def append_number(items: Any, value: Any, dot: Any) -> None:
    """Appends a number to a list or deque that an object holds, and its tangent to that of it."""
    buffer = current_tangents().held.buffer_of(items)
    if buffer is None or type(buffer) is not type(items):
        appended = primitives.appended if isinstance(items, list) else primitives.pushed
        change(appended, (items, value), (dot,))
        return
    note_change(items)
    items.append(value)
    buffer.append(dot)


def store_number(items: Any, index: Any, value: Any, dot: Any) -> None:
    """The same for a number that is stored into a list or dict, in the place of another one."""
    buffer = current_tangents().held.buffer_of(items)
    if buffer is None or type(buffer) is not type(items):
        change(primitives.stored, (items, index, value), (None, dot))
        return
    note_change(items)
    items[index] = value
    buffer[index] = dot


def delete_item(items: Any, index: int) -> None:
    """Deletes an item of a list or deque that an object holds, and its tangent."""
    buffer = current_tangents().held.buffer_of(items)
    if buffer is None:
        change(primitives.deleted, (items, index), (None,))
        return
    note_change(items)
    del items[index]
    del buffer[index]


class LiveItems:
    """The tangents of the items of memory that an object holds, as they are when asked for."""

    __slots__ = ("_keys", "_memory")

    def __init__(self, memory: Any, keys: Callable[[], Iterable[Any]]) -> None:
        self._memory = memory
        self._keys = keys

    def __len__(self) -> int:
        return len(self._memory)

    def __getitem__(self, key: Any) -> Any:
        return item_dot(self._memory, key, self._memory[key], None)

    def __iter__(self) -> Iterator[Any]:
        return (self[key] for key in self._keys())

    def __reversed__(self) -> Iterator[Any]:
        return (self[key] for key in reversed(list(self._keys())))


class LiveEntries(LiveItems):
    """The same for a dict; walked over as one of its views."""

    __slots__ = ()

    def over_values(self) -> LiveItems:
        return LiveItems(self._memory, self._keys)

    def over_items(self) -> LiveItems:
        return _LivePairs(self._memory, self._keys)


class _LivePairs(LiveItems):
    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return zero_tangent(key), super().__getitem__(key)


def _positions(memory: Any) -> Iterator[int]:
    """The positions of a list that may grow meanwhile."""
    position = 0
    while position < len(memory):
        yield position
        position += 1


def live_items(memory: Any, dot: Any) -> Any:
    """The tangent of memory that is walked over while objects may change it."""
    if not current_tangents().held.knows(memory):
        return dot
    if isinstance(memory, dict):
        return LiveEntries(memory, lambda: memory)
    if isinstance(memory, list | np.ndarray):
        return LiveItems(memory, lambda: _positions(memory))
    return current_tangents().held.of(memory)  # a deque raises where it is changed meanwhile


facts.effect(store_dot, delete_dot, store_held, change, append_number, store_number, delete_item)
facts.changes_unseen(change, append_number, store_number, delete_item)
# What gives another result where something was changed meanwhile.
READING = (read_dot, now, now_within, item_dot, held_item_dot, live_items)


def enter(tangents: ObjectTangents, x: Any, dot: Any, seen: set[int] | None = None) -> Any:
    """Puts the tangents of objects into the table; gives the tangent of what is no object.

    The tangent of an object is a dict of those of its attributes.
    """
    seen = set() if seen is None else seen
    if dot is None or isinstance(x, np.ndarray | float | int | complex | str):
        return dot
    if isinstance(x, list | tuple | deque):
        parts = [enter(tangents, a, b, seen) for a, b in zip(x, dot, strict=True)]
        return deque(parts, x.maxlen) if isinstance(x, deque) else rebuilt(x, parts)
    if isinstance(x, dict):
        return {key: enter(tangents, item, dot.get(key), seen) for key, item in x.items()}
    if not isinstance(dot, dict):
        return dot
    if id(x) in seen:
        return None
    seen.add(id(x))
    held = attributes_of(x)
    for name, part in dot.items():
        if name in held and part is not None:
            inner = enter(tangents, held[name], part, seen)
            if inner is not None:
                tangents.of(x)[name] = inner
    return None


def hold_entered(tangents: ObjectTangents, places: Iterable[tuple[Any, str, Any]]) -> None:
    """Notes the memory that objects hold when a call begins: object, attribute, and value."""
    for obj, name, value in places:
        dot = tangents.of(obj).get(name)
        tangents.held.enter(value, zero_tangent(value) if dot is None else dot)


def check_entered(tangents: ObjectTangents, x: Any, dot: Any) -> None:
    """Raises for an argument that is memory which an object holds, with another tangent there."""
    if tangents.held.knows(x):
        tangents.held.enter(x, zero_tangent(x) if dot is None else dot)
    if isinstance(x, dict):
        for key, item in x.items():
            check_entered(tangents, item, None if dot is None else dot.get(key))
    elif isinstance(x, list | tuple | deque):
        for item, part in zip(x, [None] * len(x) if dot is None else dot, strict=True):
            check_entered(tangents, item, part)


def left(tangents: ObjectTangents, x: Any, dot: Any, open_: tuple[int, ...] = ()) -> Any:
    """The tangent of a value that may hold objects: dicts of the tangents of their attributes."""
    if isinstance(x, np.generic | float | int | complex | str | bytes) or x is None:
        return dot
    dot = tangents.held.now(x, dot)
    if isinstance(x, np.ndarray):
        return dot
    if isinstance(x, list | tuple | deque):
        dots = [None] * len(x) if dot is None else dot
        parts = [left(tangents, a, b, open_) for a, b in zip(x, dots, strict=True)]
        return deque(parts, x.maxlen) if isinstance(x, deque) else rebuilt(x, parts)
    if isinstance(x, dict):
        dots = dot or {}
        return {key: left(tangents, item, dots.get(key), open_) for key, item in x.items()}
    if id(x) in open_ or (callable(x) and not is_users(type(x))):
        return dot
    found = {}
    for name, value in attributes_of(x).items():
        part = tangents.get(x, name, value)
        part = zero_tangent(value) if part is None else part
        part = left(tangents, value, part, (*open_, id(x)))
        if part is not None:
            found[name] = part
    return found or None
