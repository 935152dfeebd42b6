"""Which variables are read after a statement in `try` has failed.

    try:                       needed: {y}. The handler reads it as it was when `g` failed, so it
        y = f(x)               has to outlast that. Nobody reads `z` before it is assigned again.
        z = g(y)
    except ValueError:
        z = y

A backwards walk over the syntax of a function. Where it can't tell, a variable counts as read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from ir.record import record
from ir.syntax.scope import FUNCTIONS, children

Names = frozenset[str]
NONE: Names = frozenset()
# A `try` by what can fail and its place: "handlers", "finally", or "with" and that of the item.
Place = tuple[str, int, int]


@record
class After:
    """The variables that are read after control has gone on, or has left in some way."""

    falling: Names
    breaking: Names = NONE
    continuing: Names = NONE
    returning: Names = NONE
    failing: Names = NONE

    def but(self, **changed: Names) -> After:
        """The same for other variables behind some of the ways."""
        return After(**{**vars(self), **changed})


def needed_after_failure(body: list[Any]) -> dict[Place, Names]:
    """For each `try` and `with` in a function body, what is read once its body has failed."""
    liveness = _Liveness()
    liveness.before(body, After(NONE))
    return liveness.needed


def live_before(statements: list[Any], after: After) -> Names:
    """The variables that are read by statements or behind them, before they are assigned."""
    return _Liveness().before(statements, after)


def place_of(kind: str, node: Any) -> Place:
    """The key of a statement, which copies of it have too."""
    return kind, node.lineno, node.col_offset


def reads(nodes: Iterable[Any]) -> Names:
    """The variables that may be read in nodes, nested functions included."""
    found: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, gast.Name):
            if not isinstance(node.ctx, gast.Store):
                found.add(node.id)
        else:
            pending += children(node)
    return frozenset(found)


def targets(nodes: Iterable[Any]) -> Names:
    """The variables that targets certainly assign."""
    found: set[str] = set()
    pending = list(nodes)
    while pending:
        match pending.pop():
            case gast.Name(id=name):
                found.add(name)
            case gast.Tuple(elts=parts) | gast.List(elts=parts):
                pending += parts
            case gast.Starred(value=value):
                pending.append(value)
            case _:
                pass
    return frozenset(found)


class _Liveness:
    def __init__(self) -> None:
        self.needed: dict[Place, Names] = {}

    def before(self, statements: list[Any], after: After) -> Names:
        live = after.falling
        for statement in reversed(statements):
            live = self._statement(statement, after.but(falling=live)) | after.failing
        return live

    def _statement(self, node: Any, after: After) -> Names:
        match node:
            case gast.Return():
                return after.returning | reads(filter(None, [node.value]))
            case gast.Break():
                return after.breaking
            case gast.Continue():
                return after.continuing
            case gast.Raise():
                return after.failing | reads(filter(None, [node.exc, node.cause]))
            case gast.Assign(targets=found, value=value):
                return (after.falling - targets(found)) | reads([value, *found])
            case gast.AnnAssign(target=target, value=value) if value is not None:
                return (after.falling - targets([target])) | reads([value, target])
            case gast.AugAssign(target=target, value=value):
                return after.falling | reads([value, target]) | targets([target])
            case gast.If():
                return reads([node.test]) | self.before(node.body, after) | (
                    self.before(node.orelse, after)
                )
            case gast.For() | gast.While():
                return self._loop(node, after)
            case gast.Try():
                return self._try(node, after)
            case gast.With():
                return self._with(node, after)
            case gast.FunctionDef() | gast.ClassDef():
                return (after.falling - {node.name}) | reads([node])
            case _ if isinstance(node, FUNCTIONS):
                return after.falling | reads([node])
            case _:
                return after.falling | reads([node])

    def _loop(self, node: Any, after: After) -> Names:
        bound = targets([node.target]) if isinstance(node, gast.For) else NONE
        read = reads([node.iter, node.target] if isinstance(node, gast.For) else [node.test])
        ending = self.before(node.orelse, after) | after.falling
        head = ending | read
        while True:
            inner = After(head, after.falling, head, after.returning, after.failing)
            found = head | (self.before(node.body, inner) - bound) | read
            if found == head:
                return head
            head = found

    def _try(self, node: Any, after: After) -> Names:
        if node.finalbody:
            ways = frozenset().union(*(getattr(after, way) for way in vars(after)))
            final = self.before(node.finalbody, after.but(falling=ways))
            self._note("finally", node, final)
            after = After(final, final, final, final, final)
        if not node.handlers:
            return self.before(node.body, after)
        handled = after.failing
        for handler in node.handlers:
            bound = targets(filter(None, [handler.name]))
            handled |= (self.before(handler.body, after) - bound)
            handled |= reads(filter(None, [handler.type]))
        self._note("handlers", node, handled)
        inside = after.but(falling=self.before(node.orelse, after), failing=handled)
        return self.before(node.body, inside)

    def _with(self, node: Any, after: After) -> Names:
        # What the body raises may be suppressed: then control goes on behind the statement.
        failed = after.falling | after.failing
        inside = after.but(failing=failed)
        live = self.before(node.body, inside)
        for item in reversed(node.items):
            self._note("with", item.context_expr, failed)
            bound = [] if item.optional_vars is None else [item.optional_vars]
            live = (live - targets(bound)) | reads([item.context_expr, *bound]) | failed
        return live

    def _note(self, kind: str, node: Any, names: Names) -> None:
        key = place_of(kind, node)
        self.needed[key] = self.needed.get(key, NONE) | names
