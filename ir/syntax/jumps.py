"""What the body of a generator is taken apart into: blocks of statements that end in a jump."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ir.record import node
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS, children

Statements = list[Any]
FINISHED = -1
# The parameters of `advance`: the generator, and what `send`, `throw` and `close` bring.
SELF, SENT, THROWN, CLOSING = "self@", "sent@", "thrown@", "closing@"
STATE = "state@"
OUTCOMES = (gast.Break, gast.Continue, gast.Return)


class NotResumable(Exception):
    """A statement of a generator that can't be taken apart; `what` it is, and what to do."""

    def __init__(self, where: Any, what: str, advice: str = "") -> None:
        super().__init__(what)
        self.node, self.what, self.advice = where, what, advice


@node
class Region:
    """The blocks of the body of a `try`; `handlers` with the blocks that they begin with.

    `cleanup` is what runs where an exception leaves; it may go on at `suppressed`.
    """

    parent: Region | None
    where: Any
    handlers: list[tuple[Any, Block]]
    cleanup: Statements | None = None
    suppressed: Block | None = None

    @property
    def entries(self) -> list[Block]:
        """The blocks that exceptions lead to."""
        found = [entry for _, entry in self.handlers]
        return found if self.suppressed is None else [*found, self.suppressed]

    def is_in(self, other: Region | None) -> bool:
        region: Region | None = self
        while region is not None and region is not other:
            region = region.parent
        return region is other


@node
class Block:
    """Statements that run one behind the other, and what then comes."""

    region: Region | None
    like: Any
    statements: Statements
    exit: Jump | Test | Suspend | Finish | None = None


@node
class Jump:
    target: Block


@node
class Test:
    test: Any
    then: Block
    orelse: Block


@node
class Suspend:
    """Gives an item; the generator goes on at `target`."""

    item: Any
    target: Block


@node
class Finish:
    value: Any


@node
class Loop:
    """Where `break` and `continue` lead, with as many cleanups around the loop."""

    after: Block
    head: Block
    depth: int


@node
class Cleanup:
    """What runs where control leaves a region; `close` where a generator is closed in there."""

    region: Region
    statements: Callable[[], Statements]
    close: Callable[[], Statements]


YIELDS = (gast.Yield, gast.YieldFrom)


def is_generator(function: Any) -> bool:
    """Whether a function definition has a `yield` of its own."""
    body = [function.body] if isinstance(function, gast.Lambda) else function.body
    return any(map(yields, body))


def yields(node: Any) -> bool:
    pending = [node]
    while pending:
        current = pending.pop()
        if type(current) in YIELDS:
            return True
        if not isinstance(current, FUNCTIONS):
            pending += children(current)
    return False


def outcome(like: Any, alive: bool, item: Any, value: Any) -> Any:
    """What `advance` returns: whether it gives an item, the item, or the generator's value."""
    made = NodeMaker(like)
    parts = [made.constant(alive), item, value]
    whole = made.node(gast.Tuple(elts=parts, ctx=gast.Load()))
    return made.node(gast.Return(value=whole))
