"""What a loop does last is to find out that it stops: its reversal needs no record of that.

    while True:                                     while x < limit:
        t = x < limit                                   ys.append(y)
        if t:                                           ...
            ...                               ->    ...
        else:                                       for y in reversed(ys):
            y, stop = None, True                        the adjoint, which reads y
        records.append((t, y))
        if stop:
            break
    ...
    for t, y in reversed(records):
        if t:
            the adjoint, which reads y

For code that is about to be printed alone: what such a loop collects in the end is `LEFT_OUT`
(`ir.emit.lower`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias, TypeGuard

from ir import primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Loop,
    Op,
    Operand,
    Value,
    While,
    Yield,
    operands_of,
    type_of,
)
from ir.emit.order import LEFT_OUT
from ir.record import node
from ir.rewrite import count_uses, substitute
from ir.simplify import eliminate_dead, is_pure
from ir.typed_branches import is_same_operand
from ir.types import Sequence, Tuple

# What in the forward pass a value of the adjoint is, where that has another name for it.
Handed: TypeAlias = dict[Operand, Operand]


def leave_out_last(functions: list[Function]) -> None:
    """Rewrites, in place, a joint form, or the forward and the back function of a pair."""
    forward, adjoint = functions[0].body, functions[-1].body
    handed: Handed = {}
    if len(functions) > 1:
        _note_parts(_saved(forward), functions[-1].params[0], forward.ops, adjoint, handed)
    _through(forward.ops, adjoint, handed, functions)


def _saved(forward: Block) -> Operand:
    """What a forward function returns behind its value."""
    assert isinstance(forward.exit, Yield)
    whole = _made_of(forward.exit.values[0], forward.ops)
    assert whole is not None
    return whole[1]


def _note_parts(
    sent: Operand, received: Value, forward: list[Op], adjoint: Block, handed: Handed
) -> None:
    """Notes what in the adjoint stands for what in the forward pass: a value, or its parts."""
    handed[received] = sent
    parts, unpacking = _made_of(sent, forward), _unpacking(received, adjoint)
    if parts is not None and unpacking is not None:
        handed.update(zip(unpacking.results, parts, strict=True))


def _made_of(value: Operand, ops: list[Op]) -> list[Operand] | None:
    """The items of a tuple that one of these operations makes."""
    for op in ops:
        if value in op.results and _calls(op, primitives.build_tuple):
            return op.args
    return None


def _unpacking(value: Value, block: Block) -> Call | None:
    """What takes a tuple apart in a block."""
    for op in block.ops:
        if _calls(op, primitives.unpack) and op.args[0] is value:
            return op
    return None


def _calls(op: Op, callee: object) -> TypeGuard[Call]:
    return isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee


def _through(
    forward: list[Op], adjoint: Block, handed: Handed, functions: list[Function],
    is_arm: bool = False,
) -> None:
    """Looks at the loops of a forward block whose records loops of an adjoint block walk over.

    `handed` says what the adjoint has of the forward pass under names of its own. Of an arm that
    is about to be the body of a loop, lists that nothing reads are not handed out.
    """
    collectors: dict[Operand, For | While] = {
        records: op for op in forward if isinstance(op, Loop)
        for records in op.results[len(op.init) :]
    }
    for reversal in adjoint.ops:
        if not isinstance(reversal, For) or not reversal.backwards:
            continue
        lists = [handed.get(iterable, iterable) for iterable in reversal.iterables]
        loop = next((collectors[records] for records in lists if records in collectors), None)
        if loop is None:
            continue
        inner = dict(handed)
        assert isinstance(loop.body.exit, Yield)
        collected = dict(zip(loop.results, loop.body.exit.values[1:], strict=True))
        for records, item in zip(lists, reversal.items, strict=True):
            if isinstance(records, Value) and records in collected:
                sent = collected[records]
                _note_parts(sent, item, loop.body.ops, reversal.body, inner)
        stop = _stop_of(loop)
        ending = None if stop is None else _Ending(loop, stop, reversal, inner)
        test = None if ending is None else ending.test()
        if ending is None or test is None or not all(
            records in loop.results and _is_for(reversal, records, iterable, functions)
            for records, iterable in zip(lists, reversal.iterables, strict=True)
        ):
            _through(loop.body.ops, reversal.body, inner, functions)
            continue
        on = ending.stop.on.ops
        inner = {name: ending.stop.value_on(value) for name, value in inner.items()}
        _through([*loop.body.ops, *on], ending.arm(test), inner, functions, is_arm=True)
        ending.leave_out(test)
        if is_arm:
            ending.collect(lists, reversal.items)
        else:
            for records, item in zip(lists, list(reversal.items), strict=True):
                ending.collect([records], [item])
        ending.sweep()


def _is_for(
    reversal: For, records: Operand, iterable: Operand, functions: list[Function]
) -> bool:
    """Whether records are there for their reversal only, which may forget them as it goes."""
    uses: Counter[Operand] = Counter()
    for function in functions:
        uses.update(count_uses(function.body))
    forgets = sum(
        1 for op in reversal.body.ops if _calls(op, list.pop) and iterable in operands_of(op)
    )
    return uses[iterable] == 1 + forgets and uses[records] in (1, 1 + forgets)


@node
class _Stop:
    """The last branch in the body of a loop: the arm in which it goes on, and the one in which it
    stops, which does nothing else."""

    branch: If
    on: Block
    off: Block

    def value_on(self, value: Operand) -> Operand:
        """What a value is in the arm in which the loop goes on."""
        return self._value_in(self.on, value)

    def value_off(self, value: Operand) -> Operand:
        return self._value_in(self.off, value)

    def _value_in(self, arm: Block, value: Operand) -> Operand:
        assert isinstance(arm.exit, Yield)
        if value is self.branch.cond:
            return Const(arm is self.branch.then)
        if value in self.branch.results:
            return arm.exit.values[self.branch.results.index(value)]
        return value


def _stop_of(loop: For | While) -> _Stop | None:
    """How a loop stops, if it does so before anything else in an iteration."""
    exit = loop.body.exit
    ops = [op for op in loop.body.ops if not _calls(op, primitives.build_tuple)]
    if not ops or not isinstance(branch := ops[-1], If) or not isinstance(exit, Yield):
        return None
    for on, off in ((branch.then, branch.orelse), (branch.orelse, branch.then)):
        if not isinstance(on.exit, Yield) or not isinstance(off.exit, Yield) or off.ops:
            continue
        stop = _Stop(branch, on, off)
        match stop.value_on(exit.values[0]), stop.value_off(exit.values[0]):
            case Const(goes_on), Const(stops) if stops and not goes_on:
                return stop
    return None


@node
class _Ending:
    """How a loop ends, and its reversal begins; `handed`: what the latter has of the former."""

    loop: For | While
    stop: _Stop
    reversal: For
    handed: Handed

    def test(self) -> If | None:
        """The branch of a reversal on whether the loop went on, but for which it does nothing."""
        exit, carried = self.reversal.body.exit, self.reversal.carried
        tests = [op for op in self.reversal.body.ops if not isinstance(op, Call)]
        calls = [op for op in self.reversal.body.ops if isinstance(op, Call)]
        if len(tests) != 1 or not isinstance(test := tests[0], If) or not isinstance(exit, Yield):
            return None
        on, off = (self._value(test.cond, f) for f in (self.stop.value_on, self.stop.value_off))
        if on is None or off is None or on == off or len(exit.values) != 1 + len(carried):
            return None
        arm = test.then if off else test.orelse
        if arm.ops or not isinstance(arm.exit, Yield) or not isinstance(self.arm(test).exit, Yield):
            return None
        if not all(is_pure(op) or _calls(op, list.pop) for op in calls):
            return None
        left: Handed = dict(zip(test.results, arm.exit.values, strict=True))
        for param, value in zip(carried, exit.values[1:], strict=True):
            if left.get(value, value) is not param:
                return None
        return test

    def arm(self, test: If) -> Block:
        """What the reversal does where the loop went on."""
        return test.then if self._value(test.cond, self.stop.value_on) else test.orelse

    def leave_out(self, test: If) -> None:
        """Has the reversal do in any case what it does where the loop went on."""
        body, arm = self.reversal.body, self.arm(test)
        assert isinstance(arm.exit, Yield)
        at = body.ops.index(test)
        body.ops[at : at + 1] = arm.ops
        substitute(body, dict(zip(test.results, arm.exit.values, strict=True)))
        eliminate_dead(body, is_pure)

    def _value(self, cond: Operand, value_in: Callable[[Operand], Operand]) -> bool | None:
        """What a condition of the reversal says of an iteration, if that is known."""
        if self._is_same(cond, self.stop.branch.cond):
            cond = self.stop.branch.cond
        found = value_in(self.handed.get(cond, cond))
        return bool(found.value) if isinstance(found, Const) else None

    def _is_same(self, value: Operand, original: Operand) -> bool:
        """Whether a value of the reversal is one of the loop, or is computed from such again."""
        if is_same_operand(self.handed.get(value, value), original):
            return True
        again = _definition(value, self.reversal.body)
        first = _definition(original, self.loop.body)
        return again is not None and first is not None and (
            is_same_operand(again.callee, first.callee)
            and len(again.args) == len(first.args) and not (again.kwargs or first.kwargs)
            and all(map(self._is_same, again.args, first.args))
        )

    def collect(self, lists: list[Operand], items: list[Value]) -> None:
        """Makes one record, where the loop goes on, of all that the reversal reads of these."""
        stop, reversal, body = self.stop, self.reversal, self.reversal.body
        unpackings = [_unpacking(item, body) for item in items]
        names = [
            name for item, op in zip(items, unpackings, strict=True)
            for name in ([item] if op is None else op.results)
        ]
        body.ops = [op for op in body.ops if op not in unpackings]
        uses = count_uses(body)
        read = [name for name in names if uses[name]] or names[:1]
        parts = [stop.value_on(self.handed[name]) for name in read]
        record, item = parts[0], read[0]
        records = lists[0]
        assert isinstance(records, Value)
        if len(parts) > 1:
            record = Value("t", Tuple(tuple(map(type_of, parts))))
            item = Value("t", record.type)
            stop.on.ops.append(Call(Const(primitives.build_tuple), parts, {}, [record]))
            unpacking = Call(Const(primitives.unpack), [item, Const(len(read))], {}, read)
            body.ops.insert(0, unpacking)
            records.name = "records"
        elif item.name != "t":
            records.name = f"{item.name}s"
        records.type = Sequence(list, type_of(record))
        walked = reversal.iterables[reversal.items.index(items[0])]
        assert isinstance(walked, Value)
        walked.name, walked.type = records.name, records.type
        collected = Value("t", type_of(record))
        self._replace_walked(items, item)
        self._replace_collected(lists, records, collected)
        for block, value in ((stop.on, record), (stop.off, Const(LEFT_OUT))):
            assert isinstance(block.exit, Yield)
            block.exit.values.append(value)
        stop.branch.results.append(collected)

    def _replace_walked(self, items: list[Value], item: Value) -> None:
        """Lets the reversal walk over the first of some lists, in the place of all of them."""
        reversal = self.reversal
        gone = [i for i, other in enumerate(reversal.items) if other in items[1:]]
        at = reversal.items.index(items[0])
        reversal.body.params[at] = item
        for i in reversed(gone):
            del reversal.iterables[i]
            del reversal.body.params[i]

    def _replace_collected(
        self, lists: list[Operand], records: Value, collected: Value
    ) -> None:
        exit = self.loop.body.exit
        assert isinstance(exit, Yield)
        exit.values[1 + self.loop.results.index(records)] = collected
        for other in lists[1:]:
            at = self.loop.results.index(other)  # type: ignore[arg-type]
            del self.loop.results[at]
            del exit.values[1 + at]

    def sweep(self) -> None:
        """Hands nothing out of the branch but what is read behind it."""
        body, branch = self.loop.body, self.stop.branch
        body.ops = body.ops[: body.ops.index(branch) + 1]
        uses = count_uses(body)
        kept = [i for i, value in enumerate(branch.results) if uses[value]]
        branch.results = [branch.results[i] for i in kept]
        for arm in branch.blocks:
            assert isinstance(arm.exit, Yield)
            arm.exit.values = [arm.exit.values[i] for i in kept]


def _definition(value: Operand, block: Block) -> Call | None:
    for op in block.ops:
        if value in op.results:
            return op if isinstance(op, Call) else None
    return None
