"""Operations that give an exception as a value, where what was changed before it is not lost.

    account.t = total                  error@1 = try: attribute_stored(account, 't', total)
    check(account)             ==>     else:
    account.n = n                          error@2, _ = attempt(check, account)
                                           if error@2 is None: try: ...; yield None
                                           else: yield error@2
                                       except BaseException as e: yield e

`ir.syntax.attempts` cuts the body of a `try` where the source tells what outlasts a failure. What a
call changes before it fails is known to inference only. So inference finds the operations that
change something, and `cut_try` cuts the body behind each of them: each piece does one change, with
its last operation. A call that may fail half way through its changes is one of its callee's
*catching variant* (`catching`), which is cut in the same way and returns `(error or None, value)`.
Nothing of that is known to later passes: a piece that failed has changed nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from ir import primitives, try_primitives
from ir.core import (
    Block,
    Call,
    Const,
    Exit,
    For,
    Function,
    If,
    Location,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    guarded,
)
from ir.forgettable import IdentityTable
from ir.inference.steps import in_steps
from ir.memory.failing import Cuts
from ir.primitives import UNBOUND
from ir.types import Raised

ALL = Const(BaseException)
NONE = Const(None)
# Operations, and what they yield.
Piece: TypeAlias = tuple[list[Op], Exit]

_variants: IdentityTable[Function, Function] = IdentityTable()


def catching(function: Function) -> Function:
    """The variant of a function that returns `(error or None, value)`.

    Its body is that of the plain function until inference cuts it (`cut_function`).
    """
    known = _variants.of(function)
    if known is not None:
        return known
    assert function.plain is None
    result = Function(
        f"{function.name}_caught", function.params, function.captured, function.body, function.loc,
        function.signature, function.defaults, function.kwdefaults, function.globals,
        function.code, function.docstring, plain=function,
    )
    result.is_generated = function.is_generated
    _variants.note(function, result)
    return result


def cut_function(function: Function, changes: frozenset[Op], cuts: Cuts) -> Function:
    """A catching variant with the body that it is to have; `changes` are those of the plain one."""
    body = function.body
    cutter = _Cutter(changes, [ALL], cuts)
    ops, exit = cutter.block(body.ops, body.exit, 1)
    assert isinstance(exit, Yield)
    pair = Value("t")
    ops = [*ops, _call(primitives.build_tuple, exit.values, pair, function.loc)]
    return Function(
        function.name, function.params, function.captured,
        Block(body.params, ops, Yield([pair])), function.loc, function.signature,
        function.defaults, function.kwdefaults, function.globals, function.code,
        function.docstring, plain=function.plain, is_generated=function.is_generated,
    )


def cut_try(op: Try, changes: frozenset[Op], cuts: Cuts) -> list[Op]:
    """A `Try` in pieces, the last of which raises again what another one has failed with."""
    first = guarded(op)
    cutter = _Cutter(changes, op.catches, cuts)
    raises, rest = _ending(op)

    def finish() -> Piece:
        return _finished(rest, op.body.exit)

    ops, exit = cutter.pieces(
        first, raises, None if raises is not None else finish, len(op.results)
    )
    assert isinstance(exit, Yield)
    error, *values = exit.values
    again = _raised_again(error, op.loc)
    end = _call(try_primitives.end_guarded, [], Value("_"), op.loc)
    last = Try(Block([], [*again, end], Yield(values)), op.handler, op.catches, op.results, op.loc)
    cuts.pieces.add(last)
    return [*ops, last]


def _ending(op: Try) -> tuple[Raise | None, list[Op]]:
    """The exception that the guarded part of a body ends with, and what stands behind it."""
    first, ops, exit = guarded(op), op.body.ops, op.body.exit
    if len(first) == len(ops) and isinstance(exit, Raise):
        return exit, []
    return None, ops[len(first) + 1 :]


def _finished(ops: list[Op], exit: Exit) -> Piece:
    """The end of a block that has not failed; what it raises there is nobody's to catch."""
    return ops, exit if isinstance(exit, Raise) else Yield([NONE, *exit.values])


def _call(callee: object, args: list[Operand], result: Value, loc: Location | None) -> Call:
    return Call(Const(callee), list(args), {}, [result], loc)


def _raised_again(error: Operand, loc: Location | None) -> list[Op]:
    """`if error is not None: raise error`"""
    failed = Value("failed")
    test = _call(operator.is_not, [error, NONE], failed, loc)
    return [test, If(
        failed, Block([], [], Raise(error, None, loc)), Block([], [], Yield([])), [], loc
    )]


class _Cutter:
    """Cuts blocks behind the changes in them; what is in `catches` becomes a value."""

    def __init__(
        self, changes: frozenset[Op], catches: list[Operand], cuts: Cuts
    ) -> None:
        self._changes = changes
        self._catches = catches
        self._cuts = cuts

    def block(self, ops: list[Op], exit: Exit, count: int) -> Piece:
        """Operations that raise nothing, and yield an error or None, and `count` values."""
        if isinstance(exit, Raise):
            return self.pieces(ops, exit, None, count)
        return self.pieces(ops, None, lambda: _finished([], exit), count)

    def pieces(
        self, ops: list[Op], raises: Raise | None, finish: Callable[[], Piece] | None, count: int
    ) -> Piece:
        """The same for operations that end with an exception, or with what `finish` gives."""
        for i, op in enumerate(ops):
            in_place = self._in_steps(op)
            if in_place is not None:
                return self.pieces([*ops[:i], *in_place, *ops[i + 1 :]], raises, finish, count)
            if self._is_cut(op):
                before, rest = ops[:i], ops[i + 1 :]

                def onward(rest: list[Op] = rest) -> Piece:
                    return self.pieces(rest, raises, finish, count)

                return self._cut(before, op, onward, count)
        if finish is None:
            assert raises is not None
            return self._handled(Block([], ops, raises), count, raises.loc)
        after, exit = finish()
        return self._guard(ops, after, exit, count, ops[-1].loc if ops else None)

    def _is_cut(self, op: Op) -> bool:
        if op in self._changes or self._in_steps(op) is not None:
            return True
        return any(self._is_cut(inner) for block in blocks_of(op) for inner in block.ops)

    def _in_steps(self, op: Op) -> tuple[Op, ...] | None:
        """What inference has made of a loop over an iterator that changes as it goes on."""
        if not isinstance(op, For) or op.backwards or len(op.iterables) > 1:
            return None
        for closes in (True, False):
            steps = in_steps(op, closes)
            (loop,) = (step for step in steps if isinstance(step, While))
            if loop.body.ops[0] in self._changes:
                return steps
        return None

    def _guard(
        self, before: list[Op], after: list[Op], exit: Exit, count: int, loc: Location | None
    ) -> Piece:
        """Operations whose exceptions are caught, and others behind them."""
        if not before:
            return after, exit
        end = _call(try_primitives.end_guarded, [], Value("_"), loc)
        return self._handled(Block([], [*before, end, *after], exit), count, loc)

    def _handled(self, body: Block, count: int, loc: Location | None) -> Piece:
        error = Value("error", Raised())
        handler = Block([error], [], Yield([error, *_nothing(count)]))
        results = _results(count)
        return [self._piece(body, handler, self._catches, results, loc)], Yield(list(results))

    def _piece(
        self, body: Block, handler: Block, catches: list[Operand], results: list[Value],
        loc: Location | None,
    ) -> Try:
        made = Try(body, handler, catches, results, loc)
        self._cuts.pieces.add(made)
        return made

    def _after(
        self, error: Value, onward: Callable[[], Piece], count: int, loc: Location | None
    ) -> Piece:
        """What stands behind an operation that gives an error or None."""
        fine, results = Value("fine"), _results(count)
        ops, exit = onward()
        return [
            _call(operator.is_, [error, NONE], fine, loc),
            If(fine, Block([], ops, exit), Block([], [], Yield([error, *_nothing(count)])),
               results, loc),
        ], Yield(list(results))

    def _cut(
        self, before: list[Op], op: Op, onward: Callable[[], Piece], count: int
    ) -> Piece:
        error = Value("error")
        match op:
            case Call():
                first, behind = self._attempt(op, error)

                def apart() -> Piece:  # where there is a value
                    ops, exit = onward()
                    return [*behind, *ops], exit

                after, exit = self._after(error, apart, count, op.loc)
                return self._guard([*before, first], after, exit, count, op.loc)
            case If():
                then, orelse = (self._arm(block, len(op.results)) for block in op.blocks)
                new: list[Op] = [If(op.cond, then, orelse, [error, *op.results], op.loc)]
            case For() | While():
                made, new = self._loop(op, error)
                before = [*before, *made]
            case Try():
                new = self._try(op, error)
            case _:
                raise AssertionError("nothing else changes anything")
        after, exit = self._after(error, onward, count, op.loc)
        return self._guard(before, [*new, *after], exit, count, op.loc)

    def _attempt(self, op: Call, error: Value) -> tuple[Call, list[Op]]:
        """A call that gives its error, and what takes its value apart."""
        behind: list[Op] = []
        if len(op.results) == 1:
            (value,) = op.results
        else:
            value = Value("t")
            size = Const(len(op.results))
            behind.append(
                Call(Const(primitives.unpack), [value, size], {}, op.results, op.loc)
            )
        made = Call(
            Const(try_primitives.attempt), [op.callee, *op.args], op.kwargs, [error, value], op.loc
        )
        self._cuts.made_for[made] = op
        return made, behind

    def _arm(self, block: Block, count: int) -> Block:
        return Block(block.params, *self.block(block.ops, block.exit, count))

    def _loop(self, op: For | While, error: Value) -> tuple[list[Op], list[Op]]:
        """What is done before a loop, and the loop, which ends where an iteration has failed."""
        carried, loc = len(op.carried), op.loc
        held = Value("error")
        exit = op.body.exit
        count = len(exit.values) if isinstance(exit, Yield) else 1 + len(op.results)
        ops, end = self.block(op.body.ops, exit, count)
        assert isinstance(end, Yield)
        failure, stop, *values = end.values
        fine, stops = Value("fine"), Value("stop")
        ops = [
            *ops, _call(operator.is_, [failure, NONE], fine, loc),
            If(fine, Block([], [], Yield([stop])), Block([], [], Yield([Const(True)])), [stops],
               loc),
        ]
        body = Block(
            [*op.body.params, held], ops,
            Yield([stops, *values[:carried], failure, *values[carried:]]),
        )
        init = [*op.init, NONE]
        if isinstance(op, While):
            results = [*op.results[:carried], error, *op.results[carried:]]
            return [], [While(init, body, results, loc)]
        last = Value("error")
        results = [*op.results[:carried], last, *op.results[carried:]]
        before: list[Op] = []
        behind: list[Op] = []
        items: list[Operand] = []
        for iterable in op.iterables:
            watched, known = Value("items"), last
            before.append(_call(try_primitives.attempted, [iterable], watched, loc))
            items.append(watched)
            last = error if len(items) == len(op.iterables) else Value("error")
            behind.append(_call(try_primitives.failure_of, [watched, known], last, loc))
        return before, [For(items, init, body, results, op.backwards, loc), *behind]

    def _try(self, op: Try, error: Value) -> list[Op]:
        """A `Try` none of whose parts raises anything."""
        count, loc = len(op.results), op.loc
        catches = list(dict.fromkeys([*op.catches, *self._catches]))
        if _is_all(catches):
            catches = [ALL]
        inner = _Cutter(self._changes, catches, self._cuts)
        raises, rest = _ending(op)

        def finish() -> Piece:
            ops, exit = self.block(rest, op.body.exit, count)
            assert isinstance(exit, Yield)
            return ops, Yield([NONE, *exit.values])

        ops, exit = inner.pieces(
            guarded(op), raises, None if raises is not None else finish, 1 + count
        )
        assert isinstance(exit, Yield)
        failure, *values = exit.values
        handled = self._arm(op.handler, count)
        handler = Block(op.handler.params, handled.ops, handled.exit)
        again = Block([], [], Raise(failure, None, loc))
        taken = _results(count)
        piece = self._piece(again, handler, op.catches, taken, loc)
        own: Piece = [piece], Yield(list(taken))
        if not _is_all(op.catches):
            own = self._if_own(op, failure, own, count)
        fine = Value("fine")
        results = [error, *op.results]
        return [
            *ops, _call(operator.is_, [failure, NONE], fine, loc),
            If(fine, Block([], [], Yield(values)), Block([], *own), results, loc),
        ]

    def _if_own(self, op: Try, failure: Operand, own: Piece, count: int) -> Piece:
        """What a handler does if the exception is one that it catches."""
        classes, is_own, results = Value("t"), Value("is_own"), _results(count)
        return [
            _call(primitives.build_tuple, op.catches, classes, op.loc),
            _call(isinstance, [failure, classes], is_own, op.loc),
            If(is_own, Block([], *own), Block([], [], Yield([failure, *_nothing(count)])), results,
               op.loc),
        ], Yield(list(results))


def _is_all(catches: list[Operand]) -> bool:
    return any(isinstance(cls, Const) and cls.value is BaseException for cls in catches)


def _nothing(count: int) -> list[Operand]:
    return [Const(UNBOUND) for _ in range(count)]


def _results(count: int) -> list[Value]:
    return [Value("error"), *(Value("t") for _ in range(count))]
