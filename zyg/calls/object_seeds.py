"""Seeds of results that are objects, or hold some: a dict of those of an object's attributes.

    y, back = zyg.pullback(make, x)      y is a Body
    back({'x': 1.0})                     1.0 is the cotangent of y.x, the other ones have none

Code that works on objects takes their cotangents from a table. So the seed is put there before the
adjoint runs. What an object holds may be replaced when the call has ended; so it is noted before.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from zyg.compiler.inference.objects import is_place
from zyg.held.held_memory import Seen
from zyg.held.memory_kinds import is_memory
from zyg.held.reaching import attributes_of
from zyg.held.shadows import Shadows


class _Object:
    """An object that a result holds: by attribute, what objects are in it, and what memory."""

    __slots__ = ("fields", "obj")

    def __init__(self, obj: Any) -> None:
        self.obj = obj
        self.fields: dict[str, tuple[Any, Seen | None]] = {}


class ObjectSeeds:
    """Where the seed of a result goes; made where the forward pass ends."""

    __slots__ = ("_result",)

    def __init__(self, y: Any) -> None:
        known: dict[int, Any] = {}
        pending: list[_Object] = []
        self._result = _noted(y, known, pending)
        while pending:
            found = pending.pop()
            for name, value in attributes_of(found.obj).items():
                does_lead = is_memory(value) or isinstance(value, tuple)
                seen = Seen(value) if does_lead else None
                found.fields[name] = _noted(value, known, pending), seen

    def put(self, shadows: Shadows, seed: Any) -> Any:
        """Puts cotangents of objects into the table; gives those of what is no object."""
        return _put(self._result, shadows, seed)


def _noted(value: Any, known: dict[int, Any], pending: list[_Object]) -> Any:
    """The objects in a value: None if there are none."""
    if id(value) in known:
        return known[id(value)]
    if is_place(type(value)):
        found = known[id(value)] = _Object(value)
        pending.append(found)
        return found
    if isinstance(value, list | tuple | deque):
        parts: Any = [_noted(item, known, pending) for item in value]
        return parts if any(part is not None for part in parts) else None
    if isinstance(value, dict):
        parts = {key: _noted(item, known, pending) for key, item in value.items()}
        return parts if any(part is not None for part in parts.values()) else None
    return None


def _put(noted: Any, shadows: Shadows, bar: Any) -> Any:
    if noted is None or bar is None:
        return bar
    if isinstance(noted, dict):
        return {key: _put(noted.get(key), shadows, part) for key, part in bar.items()}
    if isinstance(noted, list):
        parts = [_put(part, shadows, own) for part, own in zip(noted, bar, strict=True)]
        return tuple(parts) if isinstance(bar, tuple) else parts
    for name, part in bar.items():
        inner, seen = noted.fields[name]
        rest = _put(inner, shadows, part)
        shadows.add(noted.obj, name, rest if seen is None else shadows.absorb(seen, rest))
    return None
