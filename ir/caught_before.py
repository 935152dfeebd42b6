"""Handlers of errors that were caught before, entered without raising these again.

    try:                                       if error is not None:
        if error is not None: raise error          served += 1
        served = g(served)             ->      else:
    except KeyError:                               try: served = g(served)
        served += 1                                except KeyError: served += 1

That is how a body in pieces ends (`ir.syntax.pieces`, `ir.catching`): each piece has caught what
the handler catches. Where the handler itself can't fail, nobody sees that the error wasn't raised
there. If nothing reads the error but this test, the pieces yield True in its place: a frame whose
variable holds the traceback in which it stands is freed by the garbage collector only.
"""

from __future__ import annotations

import operator
from typing import TypeAlias, TypeGuard

from ir.core import (
    Block,
    Call,
    Const,
    If,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    Yield,
    blocks_of,
    guarded,
)
from ir.memory.failing import may_fail
from ir.rewrite import clone_block, count_uses, substitute, walk
from ir.types import TOP, Known

MAX_COPIED = 12
# A block with what it yields at a position.
Origin: TypeAlias = tuple[Block, int]


def enter_handlers(body: Block) -> None:
    """Rewrites the typed body of a function in place."""
    attempts = [op for op in walk(body) if isinstance(op, Try)]
    if not any(_test(op) is not None for op in attempts):
        return
    made_by = {value: op for op in walk(body) for value in op.results}
    caught_by = {op.error: op for op in attempts}
    _Entering(body, made_by, caught_by).block(body)


class _Entering:
    def __init__(
        self, body: Block, made_by: dict[Value, Op], caught_by: dict[Value, Try]
    ) -> None:
        self._body = body
        self._made_by = made_by
        self._caught_by = caught_by

    def block(self, block: Block) -> None:
        for i, op in enumerate(block.ops):
            for inner in blocks_of(op):
                self.block(inner)
            test = _test(op) if isinstance(op, Try) else None
            if test is None:
                continue
            assert isinstance(op, Try)
            error = test.args[0]
            chain: dict[Value, None] = {}
            origins: list[Origin] = []
            if _can_be_entered(op) and self._is_caught(error, op.catches, chain, origins):
                block.ops[i : i + 1] = self._entered(op, test)
                self._forget(chain, origins)

    def _is_caught(
        self, error: Operand, catches: list[Operand], chain: dict[Value, None],
        origins: list[Origin],
    ) -> bool:
        """Whether an error is None or one that was caught as one of these classes.

        Notes the values that it goes through, and where it comes from.
        """
        if isinstance(error, Const):
            return error.value is None
        op = self._made_by.get(error)
        if not isinstance(op, If | Try):
            return False
        position = op.results.index(error)
        chain[error] = None
        for arm in op.blocks:
            if not isinstance(arm.exit, Yield):
                continue
            given = arm.exit.values[position]
            known = self._caught_by.get(given) if isinstance(given, Value) else None
            if known is None:
                if not self._is_caught(given, catches, chain, origins):
                    return False
            elif known is op and _same(known.catches, catches):
                origins.append((arm, position))
            else:
                return False
        return True

    def _entered(self, op: Try, test: Call) -> list[Op]:
        """A branch in the place of a `Try`, around one of what else it guards."""
        handler, rest = op.handler, op.body.ops[2:]
        orelse = Block([], rest[1:], op.body.exit)
        if len(guarded(op)) > 2:
            results = [Value(value.name, value.type) for value in op.results]
            inner = Try(Block([], rest, op.body.exit), handler, op.catches, results, op.loc)
            orelse = Block([], [inner], Yield(list(results)))
            self._made_by.update(dict.fromkeys(results, inner))
            self._caught_by[op.error] = inner
            handler = clone_block(handler, {})
        substitute(handler, {handler.params[0]: test.args[0]})
        then = Block([], handler.ops, handler.exit)
        made = If(test.result, then, orelse, op.results, op.loc)
        self._made_by.update(dict.fromkeys(op.results, made))
        return [test, made]

    def _forget(self, chain: dict[Value, None], origins: list[Origin]) -> None:
        """Lets True stand for an error, if it is only handed on and asked whether it is one."""
        uses = count_uses(self._body)
        handed_on = 0
        for value in chain:
            op = self._made_by[value]
            for arm in blocks_of(op):
                given = arm.exit.values[op.results.index(value)] if isinstance(
                    arm.exit, Yield
                ) else None
                handed_on += given in chain
        tests = [op for op in walk(self._body) if _is_test(op) and op.args[0] in chain]
        if sum(uses[value] for value in chain) != handed_on + len(tests):
            return
        for arm, position in origins:
            assert isinstance(arm.exit, Yield)
            arm.exit.values[position] = Const(True)
        for value in chain:
            value.type = TOP


def _test(op: Try) -> Call | None:
    """The test of a `Try` whose body begins with `if error is not None: raise error`."""
    match guarded(op):
        case [Call() as test, If(cond, then, orelse, results), *_] if (
            _is_test(test) and cond is test.result and len(op.body.ops) > 2
        ):
            exit = then.exit
            is_raise = isinstance(exit, Raise) and exit.exception is test.args[0]
            is_all = not (then.ops or orelse.ops or results)
            return test if is_raise and is_all and isinstance(orelse.exit, Yield) else None
    return None


def _is_test(op: Op) -> TypeGuard[Call]:
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    is_identity = op.callee.value in (operator.is_, operator.is_not) and len(op.args) == 2
    return is_identity and isinstance(op.args[1], Const) and op.args[1].value is None


def _can_be_entered(op: Try) -> bool:
    """Whether a handler does nothing in which one could see where the error was raised."""
    ops = walk(op.handler)
    return isinstance(op.handler.exit, Yield) and len(ops) <= MAX_COPIED and (
        not any(map(may_fail, ops))
    )


def _same(some: list[Operand], others: list[Operand]) -> bool:
    return [*map(_known, some)] == [*map(_known, others)]


def _known(operand: Operand) -> object:
    return Known(operand.value) if isinstance(operand, Const) else operand
