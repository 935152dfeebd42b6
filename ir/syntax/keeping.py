"""Nodes of syntax for what a generator holds between two of its `yield`s (`ir.syntax.resuming`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gast

if TYPE_CHECKING:
    from ir.syntax.liveness import Names

PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


class Keep(gast.AST):  # type: ignore[misc]
    """Stores variables in the generator, which goes on at `state`."""

    _fields = ("names",)
    _attributes = PLACE

    def __init__(self, names: list[Any], state: int) -> None:
        super().__init__()
        self.names = names
        self.state = state


class Restore(gast.AST):  # type: ignore[misc]
    """Reads variables out of the generator; those in `unsure` may never have been assigned."""

    _fields = ("names",)
    _attributes = PLACE

    def __init__(self, names: list[Any], unsure: Names) -> None:
        super().__init__()
        self.names = names
        self.unsure = unsure
