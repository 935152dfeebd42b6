"""The tangents of what objects hold: one table for each call of `jvp`.

    y = o.x          y_dot = read_dot(o, 'x', y)
    o.x = v          store_dot(o, 'x', v_dot)

An object is known by its identity. What no store has put there, and what the tangents that were
given don't name, has the tangent zero.
"""

from __future__ import annotations

from _thread import _local
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ir import facts
from zyg.cotangent import rebuilt
from zyg.errors import NotDifferentiable
from zyg.tangent import zero_tangent


class ObjectTangents:
    """Tangents by object and attribute."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        self._tables: dict[int, tuple[Any, dict[str, Any]]] = {}

    def of(self, obj: Any) -> dict[str, Any]:
        """The tangents of the attributes of an object, as far as there are any."""
        found = self._tables.get(id(obj))
        if found is None:
            found = self._tables[id(obj)] = obj, {}
        return found[1]

    def get(self, obj: Any, name: str) -> Any:
        found = self._tables.get(id(obj))
        return None if found is None else found[1].get(name)


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


def current_tangents() -> ObjectTangents:
    if _state.tangents is None:
        raise NotDifferentiable("this tangent function works on objects, and runs on its own")
    return _state.tangents


def read_dot(obj: Any, name: str, value: Any) -> Any:
    """The tangent of an attribute, which holds `value`."""
    found = current_tangents().get(obj, name)
    return zero_tangent(value) if found is None else found


def store_dot(obj: Any, name: str, dot: Any) -> None:
    """Notes the tangent of what was stored into an attribute."""
    current_tangents().of(obj)[name] = dot


def delete_dot(obj: Any, name: str) -> None:
    current_tangents().of(obj).pop(name, None)


facts.effect(store_dot, delete_dot)


def attributes_of(obj: Any) -> dict[str, Any]:
    """What an object stores itself, in slots or in its dict."""
    slots = [name for cls in type(obj).__mro__ for name in getattr(cls, "__slots__", ())]
    found = {name: getattr(obj, name) for name in slots if hasattr(obj, name)}
    return {**found, **getattr(obj, "__dict__", {})}


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


def left(tangents: ObjectTangents, x: Any, dot: Any, open_: tuple[int, ...] = ()) -> Any:
    """The tangent of a value that may hold objects: dicts of the tangents of their attributes."""
    if isinstance(x, np.ndarray | np.generic | float | int | complex | str | bytes) or x is None:
        return dot
    if isinstance(x, list | tuple | deque):
        dots = [None] * len(x) if dot is None else dot
        parts = [left(tangents, a, b, open_) for a, b in zip(x, dots, strict=True)]
        return deque(parts, x.maxlen) if isinstance(x, deque) else rebuilt(x, parts)
    if isinstance(x, dict):
        dots = dot or {}
        return {key: left(tangents, item, dots.get(key), open_) for key, item in x.items()}
    if id(x) in open_ or callable(x):
        return dot
    found = {}
    for name, value in attributes_of(x).items():
        part = tangents.get(x, name)
        part = zero_tangent(value) if part is None else part
        part = left(tangents, value, part, (*open_, id(x)))
        if part is not None:
            found[name] = part
    return found or None
