"""The syntax that `try` and `with` become in `ir.syntax.attempts`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast

if TYPE_CHECKING:
    from ir.syntax.liveness import Names

Statements = list[Any]
Leaving = Callable[[list[Any]], list[Any]]
PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
EXITS = (gast.Return, gast.Break, gast.Continue)


class Attempt(gast.AST):  # type: ignore[misc]
    """`body` without exits; the handler where it raises what is caught, else `orelse`.

    `catches` are the expressions of classes, None for all; `name` is that of the exception.
    """

    _fields = ("body", "catches", "name", "handler", "orelse")
    _attributes = PLACE

    def __init__(
        self, like: Any, body: Statements, catches: Statements | None, name: str,
        handler: Statements, orelse: Statements,
    ) -> None:
        super().__init__()
        self.body = body
        self.catches = catches
        self.name = name
        self.handler = handler
        self.orelse = orelse
        gast.copy_location(self, like)

    def having(self, handler: Statements, orelse: Statements, body: Any = None) -> Attempt:
        """The same with other arms."""
        new = self.body if body is None else body
        return Attempt(self, new, self.catches, self.name, handler, orelse)


class Guarded(gast.AST):  # type: ignore[misc]
    """An attempt whose body may still have exits: `closing` runs when it comes to its end, and
    before each of its exits, which `exits` gives the statements of. `needed` is read after it has
    failed."""

    _fields = ("body", "catches", "handler", "orelse", "closing")
    _attributes = PLACE

    def __init__(
        self, like: Any, body: Statements, catches: Statements | None, name: str,
        handler: Statements, orelse: Statements, closing: Statements, needed: Names,
        exits: Leaving = list,
    ) -> None:
        super().__init__()
        self.body, self.catches, self.name, self.handler = body, catches, name, handler
        self.orelse, self.closing, self.needed = orelse, closing, needed
        self.exits = exits
        gast.copy_location(self, like)

    def leaving(self, exit: Any) -> Statements:
        """What stands in the place of an exit of the body."""
        return [*self.closing, *self.exits([exit])]


class Unsplittable(Exception):
    """An expression binds a variable that is read after a failure, and goes on behind that."""

    def __init__(self, node: Any) -> None:
        super().__init__(node.target.id)
        self.node = node
