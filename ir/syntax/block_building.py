"""The blocks of a generator function, and what statements become in them
(`ir.syntax.taking_apart`).

    builder.append(statement)        1: statement; test t: 2, else 3
    builder.test(t, two, three)  ->  2: suspend with x, go on at 4
    builder.begin(two)
    builder.suspend(x, node)

An exit that leaves `finally` or `with` runs the cleanups on its way (`leave`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import gast

from ir.primitives import UNBOUND
from ir.syntax.closing import catches_exit, ended_by_exit
from ir.syntax.desugar import leaves
from ir.syntax.jumps import (
    CLOSING,
    OUTCOMES,
    THROWN,
    Block,
    Cleanup,
    Finish,
    Jump,
    Loop,
    Region,
    Statements,
    Suspend,
    Test,
    outcome,
)
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS


class BlockBuilder:
    """Blocks that end in a jump, one after the other."""

    def __init__(self, function: Any, is_builtin: Callable[[str], bool]) -> None:
        self._serial = count(1)
        self._is_builtin = is_builtin
        self.region: Region | None = None
        self.loops: list[Loop] = []
        self.cleanups: list[Cleanup] = []
        self.blocks: list[Block] = []
        self.resumed: dict[int, Block] = {}
        self.has_cleanup = self.delegates = self._raises_exit = False
        self.counts: list[str] = []
        self.start = self.at = self.block(function)

    def statements(self, statements: Statements) -> None:
        """Appends statements, taken apart where they have to be."""
        raise AssertionError("given by TakenApart")

    def body(self, statements: Statements) -> None:
        """Appends the statements of the whole function."""
        self._raises_exit = self.has_cleanup = catches_exit(statements, self._is_builtin)
        self.statements(ended_by_exit(statements) if self._raises_exit else statements)

    def block(self, like: Any) -> Block:
        made = Block(self.region, like, [])
        self.blocks.append(made)
        return made

    def name(self, base: str) -> str:
        return f"{base}@{next(self._serial)}"

    # Exits

    def append(self, *statements: Any) -> None:
        self.at.statements += statements

    def jump(self, target: Block) -> None:
        if self.at.exit is None:
            self.at.exit = Jump(target)

    def begin(self, block: Block) -> None:
        self.at = block

    def test(self, test: Any, then: Block, orelse: Block) -> None:
        if self.at.exit is None:
            self.at.exit = Test(test, then, orelse)

    def finish(self, value: Any, like: Any) -> None:
        """Ends the generator, past the cleanups around."""
        made = NodeMaker(like)
        if self.cleanups and not isinstance(value, gast.Constant):
            result = self.name("result")
            self.append(made.assign(result, value))
            value = made.load(result)
        self.leave(0, like, lambda: self._end(Finish(value)))

    def _end(self, exit: Finish) -> None:
        if self.at.exit is None:
            self.at.exit = exit

    def leave(
        self, depth: int, like: Any, onward: Callable[[], None], closes: bool = False
    ) -> None:
        """Runs the cleanups above a depth, the last one first, and goes on."""
        outer = self.region, self.cleanups
        while len(self.cleanups) > depth:
            *self.cleanups, cleanup = self.cleanups
            self.region = cleanup.region.parent
            outside = self.block(like)
            self.jump(outside)
            self.begin(outside)
            self.statements(cleanup.close() if closes else cleanup.statements())
        onward()
        self.region, self.cleanups = outer
        self.begin(self.block(like))  # which nothing leads to

    def suspend(self, item: Any, like: Any) -> None:
        """Gives an item; what comes is what runs when the generator goes on."""
        made = NodeMaker(like)
        given = self.name("item")
        self.append(made.assign(given, item))
        if self._raises_exit:
            error = made.call(RuntimeError, made.constant("generator ignored GeneratorExit"))
            raising = made.node(gast.Raise(exc=error, cause=None))
            self.append(made.branch(made.load(CLOSING), [raising]))
        target = self.block(like)
        self.resumed[id(target)] = target
        self.at.exit = Suspend(made.load(given), target)
        self.begin(target)

    def check(self, like: Any) -> None:
        """Goes on as `throw` and `close` say, where they brought the generator here."""
        if self.region is None and not self.cleanups:
            return
        made = NodeMaker(like)
        closes, stays = self.block(like), self.block(like)
        self.test(made.load(CLOSING), closes, stays)
        self.begin(closes)
        self.close(like)
        self.begin(stays)
        self._raise_thrown(like)

    def close(self, like: Any) -> None:
        """Ends the generator where it is closed."""
        made = NodeMaker(like)
        if self._raises_exit:
            self.append(made.node(gast.Raise(exc=made.call(GeneratorExit), cause=None)))
            return
        end = Finish(made.constant(None))
        self.leave(0, like, lambda: self._end(end), closes=True)

    def _raise_thrown(self, like: Any) -> None:
        made = NodeMaker(like)
        is_thrown = made.compare(made.load(THROWN), gast.IsNot(), made.constant(None))
        raising, stays = self.block(like), self.block(like)
        self.test(is_thrown, raising, stays)
        raising.statements.append(made.node(gast.Raise(exc=made.load(THROWN), cause=None)))
        self.begin(stays)


class Named(gast.AST):  # type: ignore[misc]
    """The name under which a cleanup knows the exception that leaves."""

    _fields = ()

    def __init__(self, made: NodeMaker, name: str) -> None:
        super().__init__()
        self.name = name


def caught_name(handler: Any) -> str:
    return f"{handler.name.id}@{handler.lineno}.{handler.col_offset}"


def has_loop_return(statement: Any) -> bool:
    """Whether a `return` stands in a loop of a statement."""
    return any(
        isinstance(node, gast.For | gast.While) and gast.Return in leaves(node)
        for node in gast.walk(statement) if isinstance(node, gast.stmt)
    )


def copied(node: Any, **changed: Any) -> Any:
    fields = {field: getattr(node, field, None) for field in node._fields}
    return gast.copy_location(type(node)(**{**fields, **changed}), node)


def replacing(
    node: Any, replaced: Callable[[Any], Statements], kinds: tuple[type, ...] = OUTCOMES
) -> Any:
    """A statement with others in the place of the exits that leave it."""
    def inside(statements: Statements, inner: tuple[type, ...]) -> Statements:
        done: Statements = []
        for statement in statements:
            if isinstance(statement, inner):
                done += replaced(statement)
            else:
                done.append(replacing(statement, replaced, inner))
        return done

    if isinstance(node, FUNCTIONS) or not leaves(node) & set(kinds):
        return node
    changed: dict[str, Any] = {}
    is_loop = isinstance(node, gast.For | gast.While)
    for field in ("body", "orelse", "finalbody"):
        if isinstance(getattr(node, field, None), list):
            inner = (gast.Return,) if is_loop and field == "body" else kinds
            changed[field] = inside(getattr(node, field), tuple(set(inner) & set(kinds)))
    if getattr(node, "handlers", None):
        changed["handlers"] = [
            copied(handler, body=inside(handler.body, kinds)) for handler in node.handlers
        ]
    return copied(node, **changed)


def with_outcomes(statement: Any) -> Any:
    """A statement that stays as it is, with what `advance` returns in the place of `return`."""
    def replaced(exit: Any) -> Statements:
        made = NodeMaker(exit)
        value = exit.value or made.constant(None)
        return [outcome(exit, False, made.constant(UNBOUND), value)]

    return replacing(statement, replaced, (gast.Return,))


def raises_again(statements: Statements) -> bool:
    """Whether a handler raises what it has caught by `raise` alone."""
    return any(
        isinstance(node, gast.Raise) and node.exc is None
        for statement in statements for node in gast.walk(statement)
    )


def raising_again(statements: Statements, name: str) -> Statements:
    """The statements of a handler that stands outside of its `except`."""
    return [_raising_again(statement, name) for statement in statements]


def _raising_again(statement: Any, name: str) -> Any:
    if isinstance(statement, gast.Raise) and statement.exc is None:
        made = NodeMaker(statement)
        return made.node(gast.Raise(exc=made.load(name), cause=None))
    if isinstance(statement, FUNCTIONS) or not raises_again([statement]):
        return statement
    changed: dict[str, Any] = {
        field: raising_again(getattr(statement, field), name)
        for field in ("body", "orelse", "finalbody")  # an inner handler raises what it has caught
        if isinstance(getattr(statement, field, None), list)
    }
    if isinstance(statement, gast.Match):
        changed["cases"] = [
            copied(case, body=raising_again(case.body, name)) for case in statement.cases
        ]
    return copied(statement, **changed)


def parts_of(node: Any) -> Iterable[tuple[str, int | None, Any]]:
    """The nodes in a node: the field, the position in a list, and the node."""
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            yield from ((field, i, item) for i, item in enumerate(value)
                        if isinstance(item, gast.AST) and item._fields)
        elif isinstance(value, gast.AST) and value._fields:
            yield field, None, value
