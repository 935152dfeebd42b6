"""How a block of statements goes on: behind it, out of the function, or around a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ir.core import Const, Operand
from ir.primitives import UNBOUND

if TYPE_CHECKING:
    from ir.syntax.statements import StatementParser


class Ending:
    """What a block hands on where it ends: depends on what the block is the body of."""

    def names(self, parser: StatementParser) -> list[str]:
        raise AssertionError("abstract")

    def values(self, parser: StatementParser, exit: gast.AST | None) -> list[Operand]:
        raise AssertionError("abstract")


class Falling(Ending):
    """An arm of a branch that goes on behind it: its names are merged there."""

    def names(self, parser: StatementParser) -> list[str]:
        return []

    def values(self, parser: StatementParser, exit: gast.AST | None) -> list[Operand]:
        assert exit is None, "desugar moves every exit into a tail position"
        return []


class Returning(Ending):
    """The body of a function."""

    def names(self, parser: StatementParser) -> list[str]:
        return ["result"]

    def values(self, parser: StatementParser, exit: gast.AST | None) -> list[Operand]:
        if exit is None or exit.value is None:
            return [Const(None)]
        return [parser.expression(exit.value)]


class Looping(Ending):
    """The body of a loop: whether to stop, and the carried names."""

    def __init__(self, carried: list[str]) -> None:
        self.carried = carried

    def names(self, parser: StatementParser) -> list[str]:
        return ["stop", *(name.partition("@")[0] for name in self.carried)]

    def values(self, parser: StatementParser, exit: gast.AST | None) -> list[Operand]:
        stop = Const(isinstance(exit, gast.Break))
        return [stop, *(parser.env.get(name, Const(UNBOUND)) for name in self.carried)]
