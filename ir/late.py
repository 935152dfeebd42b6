"""Modules that are imported when something of them is first asked for.

    if TYPE_CHECKING:
        from ir import tracebacks
    else:
        tracebacks = late("ir.tracebacks")

What few programs need costs the others no time so.
"""

from __future__ import annotations

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
