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
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


class _Late:
    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


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


def imported(name: str) -> Any:
    """The module of this name, if it has been imported."""
    return sys.modules.get(name)
