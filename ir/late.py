"""Modules that are imported when something of them is first asked for.

    if TYPE_CHECKING:
        from ir import tracebacks
    else:
        tracebacks = late("ir.tracebacks")

What few programs need costs the others no time so. Where a program is asked whether it has
something that such a module makes, the answer needs no import:

    checkpointing = imported("zyg.checkpointing")     None: nobody has made checkpoints
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


def imported(name: str) -> Any:
    """The module of this name, if it has been imported."""
    return sys.modules.get(name)
