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
from ir.inference.typed_branches import is_same_operand
from ir.record import node
from ir.rewrite import count_uses, substitute, walk
from ir.simplify import eliminate_dead, is_pure
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
        assert isinstance(loop.body.exit, Yield)
        collected: Handed = dict(zip(loop.results, loop.body.exit.values[1:], strict=True))
        own = [
            (records, iterable, item)
            for records, iterable, item in zip(
                lists, reversal.iterables, reversal.items, strict=True
            ) if isinstance(records, Value) and records in collected
        ]
        uses = _uses(functions)
        if not all(_is_for(reversal, records, iterable, uses) for records, iterable, _ in own):
            continue  # somebody else knows what is in the records
        inner = dict(handed)
        for records, _, item in own:
            inner[item] = sent = collected[records]
            if uses[sent] == 1:
                _note_parts(sent, item, loop.body.ops, reversal.body, inner)
        stop = _stop_of(loop)
        ending = None if stop is None else _Ending(loop, stop, reversal, inner)
        if ending is None or len(own) < len(lists) or not (
            ending.knows_records() and ending.is_nothing()
        ):
            _through(loop.body.ops, reversal.body, inner, functions)
            continue
        ending.leave_out()
        ops = [op for block in (loop.body, *ending.stop.on) for op in block.ops]
        inner = {
            name: ending.stop.value_on(value) for name, value in inner.items()
            if ending.stop.is_handed_out_once(value, uses)
        }
        _through(ops, reversal.body, inner, functions, is_arm=True)
        if is_arm:
            ending.collect([records for records, _, _ in own], reversal.items)
        else:
            for records, _, item in own:
                ending.collect([records], [item])
        ending.sweep()


def _uses(functions: list[Function]) -> Counter[Operand]:
    uses: Counter[Operand] = Counter()
    for function in functions:
        uses.update(count_uses(function.body))
    return uses


def _is_for(
    reversal: For, records: Operand, iterable: Operand, uses: Counter[Operand]
) -> bool:
    """Whether records are there for their reversal only, which may forget them as it goes."""
    forgets = sum(
        1 for op in reversal.body.ops if _calls(op, list.pop) and iterable in operands_of(op)
    )
    return uses[iterable] == 1 + forgets and uses[records] in (1, 1 + forgets)


@node
class _Stop:
    """The branches by which a loop stops or goes on, each the last operation in the arm in which
    the one before goes on; the other arms do nothing."""

    branches: list[If]
    on: list[Block]
    off: list[Block]

    def value_on(self, value: Operand) -> Operand:
        """What a value is where the loop goes on."""
        return self.value_in(self.on, value)

    def is_handed_out_once(self, value: Operand, uses: Counter[Operand]) -> bool:
        """Whether what is made where the loop goes on has one name, and one reader, behind it."""
        for branch, arm in zip(self.branches, self.on, strict=True):
            if isinstance(value, Value) and value in branch.results:
                if uses[value] != 1:
                    return False
                value = _handed_out(branch, arm, value)
        return True

    def ways_out(self) -> list[list[Block]]:
        """The arms that are taken where it stops."""
        return [[*self.on[:i], off] for i, off in enumerate(self.off)]

    def value_in(self, arms: list[Block], value: Operand) -> Operand:
        """What a value is where these arms are taken."""
        for branch, arm in zip(self.branches, arms, strict=False):
            if value is branch.cond:
                return Const(arm is branch.then)
            if isinstance(value, Value) and value in branch.results:
                value = _handed_out(branch, arm, value)
        return value


def _handed_out(branch: If, arm: Block, value: Value) -> Operand:
    assert isinstance(arm.exit, Yield)
    return arm.exit.values[branch.results.index(value)]


def _stop_of(loop: For | While) -> _Stop | None:
    """How a loop stops, if it does so without doing anything else."""
    assert isinstance(loop.body.exit, Yield)
    block, value = loop.body, loop.body.exit.values[0]
    found = _Stop([], [], [])
    while not isinstance(value, Const):
        ops = [op for op in block.ops if not _calls(op, primitives.build_tuple)]
        if not ops or not isinstance(branch := ops[-1], If) or value not in branch.results:
            return None
        arms = [arm for arm in branch.blocks if isinstance(arm.exit, Yield)]
        stops = [arm for arm in arms if _is_true(_handed_out(branch, arm, value))]
        if len(arms) != 2 or len(stops) != 1 or stops[0].ops:
            return None
        (block,) = (arm for arm in arms if arm not in stops)
        value = _handed_out(branch, block, value)
        found.branches.append(branch)
        found.on.append(block)
        found.off += stops
    return None if value.value or not found.branches else found


def _is_true(operand: Operand) -> bool:
    return isinstance(operand, Const) and bool(operand.value)


@node
class _Ending:
    """How a loop ends, and its reversal begins; `handed`: what the latter has of the former."""

    loop: For | While
    stop: _Stop
    reversal: For
    handed: Handed

    def knows_records(self) -> bool:
        """Whether all that the reversal reads of records is known in the arm that goes on."""
        body, uses = self.reversal.body, count_uses(self.reversal.body)
        behind = {
            value for block, branch in self._levels()
            for op in block.ops[block.ops.index(branch) + 1 :] for value in op.results
        }
        for item in self.reversal.items:
            unpacking = _unpacking(item, body)
            if unpacking is not None and uses[item] > 1:
                return False
            for name in [item] if unpacking is None else unpacking.results:
                sent = self.handed.get(name)
                if uses[name] and (sent is None or self.stop.value_on(sent) in behind):
                    return False
        return True

    def _levels(self) -> list[tuple[Block, If]]:
        """The branches by which the loop stops, and the blocks that they end."""
        return list(zip([self.loop.body, *self.stop.on[:-1]], self.stop.branches, strict=True))

    def is_nothing(self) -> bool:
        """Whether the reversal does nothing with what the loop does when it stops."""
        exit, carried = self.reversal.body.exit, self.reversal.carried
        if not isinstance(exit, Yield) or len(exit.values) != 1 + len(carried):
            return False
        for arms in self.stop.ways_out():
            left: Handed = {}
            if not self._follow(self.reversal.body, arms, left) or not all(
                left.get(value, value) is param
                for param, value in zip(carried, exit.values[1:], strict=True)
            ):
                return False
        return True

    def _follow(self, block: Block, arms: list[Block], left: Handed) -> bool:
        """Notes what the results of branches are where these arms are taken; whether that can be
        told, and nothing else happens."""
        for op in block.ops:
            if isinstance(op, If):
                arm = self._taken(op, arms)
                if arm is None or not self._follow(arm, arms, left):
                    return False
                for value in op.results:
                    found = _handed_out(op, arm, value)
                    left[value] = left.get(found, found)
            elif not isinstance(op, Call) or not (is_pure(op) or _calls(op, list.pop)):
                return False
        return True

    def _taken(self, branch: If, arms: list[Block]) -> Block | None:
        """The arm of a branch of the reversal where these arms of the loop are taken."""
        cond = branch.cond
        for own, arm in zip(self.stop.branches, arms, strict=False):
            if self._is_same(cond, own.cond):
                return branch.then if arm is own.then else branch.orelse
        value = self.stop.value_in(arms, self.handed.get(cond, cond))
        if not isinstance(value, Const):
            return None
        return branch.then if value.value else branch.orelse

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

    def leave_out(self) -> None:
        """Has the reversal do in any case what it does where the loop went on."""
        body = self.reversal.body
        while True:
            arms = {
                op: arm for op in body.ops
                if isinstance(op, If) and (arm := self._taken(op, self.stop.on)) is not None
            }
            if not arms:
                break
            branch, arm = next(iter(arms.items()))
            at = body.ops.index(branch)
            body.ops[at : at + 1] = arm.ops
            taken = {value: _handed_out(branch, arm, value) for value in branch.results}
            substitute(body, taken)
        eliminate_dead(body, is_pure)

    def collect(self, lists: list[Value], items: list[Value]) -> None:
        """Makes one record, where the loop goes on, of all that the reversal reads of these."""
        stop, reversal, body = self.stop, self.reversal, self.reversal.body
        unpackings = [_unpacking(item, body) for item in items]
        names = [
            name for item, op in zip(items, unpackings, strict=True)
            for name in ([item] if op is None else op.results)
        ]
        body.ops = [op for op in body.ops if op not in unpackings]
        uses = count_uses(body)
        read = [name for name in names if uses[name]]
        # Where nothing is read, the records count the iterations.
        parts = [stop.value_on(self.handed[name]) for name in read] or [Const(None)]
        record, item = parts[0], (read or items)[0]
        records = lists[0]
        if len(parts) > 1:
            record = Value("t", Tuple(tuple(map(type_of, parts))))
            item = Value("t", record.type)
            stop.on[-1].ops.append(Call(Const(primitives.build_tuple), parts, {}, [record]))
            unpacking = Call(Const(primitives.unpack), [item, Const(len(read))], {}, read)
            body.ops.insert(0, unpacking)
            records.name = "records"
        elif read and item.name != "t":
            records.name = f"{item.name}s"
        records.type = Sequence(list, type_of(record))
        walked = reversal.iterables[reversal.items.index(items[0])]
        assert isinstance(walked, Value)
        walked.name, walked.type = records.name, records.type
        self._replace_walked(items, item)
        self._replace_collected(lists, records, self._sent_out(record))

    def _sent_out(self, value: Operand) -> Operand:
        """Hands a value of the innermost arm out of all branches."""
        levels = zip(self.stop.branches, self.stop.on, self.stop.off, strict=True)
        for branch, on, off in reversed(list(levels)):
            assert isinstance(on.exit, Yield) and isinstance(off.exit, Yield)
            on.exit.values.append(value)
            off.exit.values.append(Const(LEFT_OUT))
            sent = Value("t", type_of(value))
            branch.results.append(sent)
            value = sent
        return value

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
        self, lists: list[Value], records: Value, collected: Operand
    ) -> None:
        exit = self.loop.body.exit
        assert isinstance(exit, Yield)
        exit.values[1 + self.loop.results.index(records)] = collected
        for other in lists[1:]:
            at = self.loop.results.index(other)
            del self.loop.results[at]
            del exit.values[1 + at]

    def sweep(self) -> None:
        """Hands nothing out of the branches but what is read behind them."""
        for block, branch in self._levels():
            uses = count_uses(block)
            at = block.ops.index(branch) + 1
            block.ops[at:] = [op for op in block.ops[at:] if uses[op.results[0]]]
            uses = count_uses(block)
            kept = [i for i, value in enumerate(branch.results) if uses[value]]
            branch.results = [branch.results[i] for i in kept]
            for arm in branch.blocks:
                assert isinstance(arm.exit, Yield)
                arm.exit.values = [arm.exit.values[i] for i in kept]


def _definition(value: Operand, block: Block) -> Call | None:
    """The call that gives a value in a block, or in one inside of it."""
    found = next((op for op in walk(block) if value in op.results), None)
    return found if isinstance(found, Call) else None
