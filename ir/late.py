"""Modules that are imported when something of them is first asked for.

    if TYPE_CHECKING:
        from ir import tracebacks
    else:
        tracebacks = late("ir.tracebacks")

What few programs need costs the others no time so. Where a program is asked whether it has
something that such a module makes, the answer needs no import:

    checkpointing = imported("zyg.checkpointing")     None: nobody has made checkpoints

A class gives what a module has under the same name:

    class Surroundings:
        unwound = MemberOf(tracebacks)     `surroundings.unwound` is `tracebacks.unwound`

Of classes that are built on top of each other, one may be imported when a method of it is called:

    if TYPE_CHECKING:
        from ir.memory.place_writes import PlaceWrites
    else:
        PlaceWrites = late_class(
            "ir.memory.place_writes", "PlaceWrites", PlaceReads, "change written"
        )

    class PlaceMerging(PlaceWrites): ...
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Late:
    __slots__ = ("_module", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            self._module = import_module(self._name)
        return getattr(self._module, attribute)


def late(name: str) -> Any:
    """Stands for the module of this name."""
    return _Late(name)


class MemberOf:
    """An attribute of a class: what a module has under the name of the attribute."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return getattr(self._module, self._name)


def late_class(module: str, name: str, base: type, methods: str) -> Any:
    """Stands, as a base of others, for a class that derives from `base` and has these methods: it
    is imported when one of them is first called.

    The class has methods only, and no `__init__`.
    """
    cls = _LateClass(module, name)
    return type(name, (base,), {method: MethodOf(cls) for method in methods.split()})


class _LateClass:
    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = _Late(module), name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(getattr(self._module, self._name), attribute)


class MethodOf:
    """A method of a class: that of another class under the same name."""

    def __init__(self, cls: Any) -> None:
        self._cls = cls

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method = getattr(self._cls, self._name)
        return method if instance is None else method.__get__(instance, owner)


def imported(name: str) -> Any:
    """The module of this name, if it has been imported."""
    return sys.modules.get(name)
