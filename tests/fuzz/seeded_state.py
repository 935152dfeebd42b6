"""Mistakes about objects, `try`, collections and shared variables: see `seeded_bugs`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast

from ir.core import If, Try
from ir.memory.places import Places
from ir.syntax.comprehensions import ComprehensionParser
from ir.syntax.function_parser import FunctionParser
from tests.fuzz.seeded_bugs import in_place_of, seeded
from zyg.compiler.reverse.transpose import Transposer
from zyg.held.shadows import Shadows
from zyg.rules import collection_classes


@seeded("an attribute keeps the cotangent of what is stored over it", about="class K")
def _() -> Iterator[None]:
    def copied(right: Any, self: Shadows, obj: Any, name: str, zero: Any = None) -> Any:
        bar = self.of(obj, name)
        return zero if bar is None else bar

    with in_place_of(Shadows, "take", copied):
        yield


@seeded("the second read of an attribute is dropped", about="class K")
def _() -> Iterator[None]:
    def once(right: Any, self: Shadows, obj: Any, name: str, bar: Any) -> None:
        if self.of(obj, name) is None:
            right(self, obj, name, bar)

    with in_place_of(Shadows, "add", once):
        yield


@seeded("a store into an attribute takes no cotangent of what memory holds", about="self.x = x")
def _() -> Iterator[None]:
    with in_place_of(Shadows, "taken", lambda right, self, newly: None):
        yield


def changed_attempts(change: Callable[[Any], None]) -> Any:
    """Changes each `try` statement before it is parsed."""

    def lowered(right: Any, self: FunctionParser, statements: list[Any]) -> Any:
        for statement in statements:
            for node in gast.walk(statement):
                if isinstance(node, gast.Try):
                    change(node)
        return right(self, statements)

    return in_place_of(FunctionParser, "lowered", lowered)


@seeded("`finally` is left out where there are handlers", about="finally:")
def _() -> Iterator[None]:
    def without_end(node: Any) -> None:
        node.finalbody = [] if node.handlers else node.finalbody

    with changed_attempts(without_end):
        yield


@seeded("the `else` of `try` is left out", about="except")
def _() -> Iterator[None]:
    def without_else(node: Any) -> None:
        node.orelse = []

    with changed_attempts(without_else):
        yield


@seeded("the first of several handlers catches everything", about="except")
def _() -> Iterator[None]:
    def catching_all(node: Any) -> None:
        if len(node.handlers) > 1:
            node.handlers[0].type = node.handlers[-1].type

    with changed_attempts(catching_all):
        yield


@seeded(
    "the adjoint of a body that failed runs in the place of that of its handler",
    about="except",
)
def _() -> Iterator[None]:
    def swapped(right: Any, self: Transposer, step: Any) -> None:
        right(self, step)
        if isinstance(step.op, Try) and self.ops and isinstance(self.ops[-1], If):
            op = self.ops[-1]
            op.then, op.orelse = op.orelse, op.then

    with in_place_of(Transposer, "_branch_step", swapped):
        yield


@seeded("targets of comprehensions are variables that functions share", about="nonlocal")
def _() -> Iterator[None]:
    with in_place_of(ComprehensionParser, "hide_targets", lambda right, self, clauses: None):
        yield


@seeded("what a block changes by a name of its own is forgotten")
def _() -> Iterator[None]:
    with (
        in_place_of(Places, "_gone_from", lambda right, self, gone, local: {}),
        in_place_of(Places, "lost_choices", lambda right, self, inner, local: {}),
    ):
        yield


@seeded("what drops out of a full deque leaves no gap", about="maxlen")
def _() -> Iterator[None]:
    with in_place_of(
        collection_classes, "before_push", lambda right, bar, end, is_full: right(bar, end, False),
    ):
        yield
