"""Objects as they were when a call read them that knows no table of cotangents.

    g = zyg.gradient(loss, model)     seen = see(model)           in front of the call
    model.w = model.w - rate * g      leave(table, seen, bar)     bar: {'w': ..., 'b': ...}

The call gives the cotangents of objects by names of attributes, those of containers by items. What
stood there may have been replaced since, or been changed in place, so that it is looked at before.
"""

from __future__ import annotations

import functools
import types
from typing import Any, TypeAlias

from ir import facts
from ir.heap import Identity
from zyg.compiler.inference.objects import is_place
from zyg.cotangents.cotangent import rebuilt
from zyg.held.held_memory import Seen
from zyg.held.memory_kinds import CONTAINERS, reaches_memory
from zyg.held.reaching import attributes_of
from zyg.held.shadows import Shadows
from zyg.rules.registry import constant

# What has no part that is known by its identity is None.
SeenValue: TypeAlias = "Seen | SeenParts | None"


class SeenParts(Identity):
    """An object, or what holds some, with what it held by name, key or position.

    `own`: a container itself, whose other items may have their cotangents by its identity.
    """

    __slots__ = ("own", "parts")

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.parts: dict[Any, SeenValue] = {}
        self.own: Seen | None = None


def see(value: Any) -> SeenValue:
    """What a value holds now, as far as cotangents belong to objects and to memory in them."""
    return _seen(value, {})


def _seen(value: Any, open_: dict[int, SeenParts]) -> SeenValue:
    known = open_.get(id(value))
    if known is not None:
        return known
    items = parts_of(value)
    if items is None:
        return Seen(value) if reaches_memory(value) else None
    found = open_[id(value)] = SeenParts(value)
    found.parts = {key: _seen(item, open_) for key, item in items.items()}
    is_container = isinstance(value, (*CONTAINERS, tuple))
    if is_container and not any(type(part) is SeenParts for part in found.parts.values()):
        del open_[id(value)]
        return Seen(value) if reaches_memory(value) else None
    if is_container:
        found.own = Seen(value)
    return found


def parts_of(value: Any) -> dict[Any, Any] | None:
    """What a value holds whose cotangent has names or positions; None of others."""
    if is_place(type(value)):
        return attributes_of(value)
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, (*CONTAINERS, tuple)):
        return dict(enumerate(value))
    if type(value) is types.MethodType:
        return {"__self__": value.__self__}
    if type(value) is functools.partial:
        return {"func": value.func, "args": value.args, "keywords": value.keywords}
    if type(value) is types.FunctionType:
        code, defaults = value.__code__, value.__defaults__ or ()
        first = code.co_argcount - len(defaults)
        captured = zip(code.co_freevars, value.__closure__ or (), strict=True)
        return {
            **dict(zip(code.co_varnames[first:code.co_argcount], defaults, strict=True)),
            **(value.__kwdefaults__ or {}),
            **{name: cell.cell_contents for name, cell in captured if cell != _EMPTY},
        }
    return None


_EMPTY = types.CellType()


def leave(shadows: Shadows, seen: SeenValue, bar: Any) -> Any:
    """Adds the cotangents of what objects held to a table; gives the rest."""
    if bar is None or seen is None:
        return bar
    if isinstance(seen, Seen):
        return shadows.absorb(seen, bar)
    value = seen.value
    if is_place(type(value)):
        for name, own in bar.items():
            shadows.add(value, name, leave(shadows, seen.parts.get(name), own))
        return None
    if isinstance(bar, dict):
        bar = {key: leave(shadows, seen.parts.get(key), own) for key, own in bar.items()}
    else:
        bar = rebuilt(bar, [
            leave(shadows, seen.parts[i], own) for i, own in enumerate(bar)
        ])
    return bar if seen.own is None else shadows.absorb(seen.own, bar)


constant(see, leave)
facts.effect(leave)
