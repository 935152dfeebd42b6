"""Prepares a function for printing: what the structured form hides is made explicit again.

- A branch at the end of a loop body whose arms differ in `stop` takes the loop's own yield into
  its arms, which become `break` and fall through; at the end of a function, `return`.
- Collected values become `append` calls, as early as the value is known, so that the variable can
  be overwritten behind them. What is `LEFT_OUT` in an arm of a branch is not collected.

The result is IR for `ir.emit` only: an arm may end in `Leave`, the exit of the loop or function.
"""

from __future__ import annotations

from ir import primitives
from ir.core import (
    Block,
    Branch,
    Call,
    Const,
    For,
    If,
    Lambda,
    Loop,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
)
from ir.emit.order import LEFT_OUT, append, is_ordered, is_store, is_temporary
from ir.memory.memory_facts import is_change
from ir.record import node
from ir.rewrite import Mapping, blocks, count_uses, free_of, substitute, walk


@node
class Leave(Yield):
    """The exit of the loop body or function around, inside an arm of a branch."""


def lower(body: Block) -> None:
    """Prepares the body of a function, in place."""
    _widen(body)
    uses = count_uses(body)
    _lower_block(body)
    _sink_exit(body, uses)


def _widen(body: Block) -> None:
    """Has one name for what has types of its own under conditions."""
    wider: Mapping = {}
    for block in blocks(body):
        kept: list[Op] = []
        for op in block.ops:
            match op:
                case Call(Const(callee), [value, *_]) if callee is primitives.narrowed:
                    wider[op.result] = value
                case _:
                    kept.append(op)
        block.ops = kept
    substitute(body, wider)


def _lower_block(block: Block) -> None:
    for op in block.ops:
        for inner in blocks_of(op):
            _lower_block(inner)
        if isinstance(op, Loop):
            _append_collected(op)
            _delay_carried(op)
            _sink_exit(op.body, None)


def _append_collected(loop: For | While) -> None:
    """Turns the collected values that a loop yields into appends within its body."""
    carried = 1 + len(loop.init)
    exit = loop.body.exit
    if not isinstance(exit, Yield):
        return
    collected = list(zip(loop.results[carried - 1 :], exit.values[carried:], strict=True))
    exit.values = exit.values[:carried]
    for items, value in collected:
        block, value = _collecting(loop.body, value)
        at = _earliest(block, value)
        block.ops.insert(at, Call(Const(append), [items, value], {}, [Value("_")]))


def _collecting(body: Block, value: Operand) -> tuple[Block, Operand]:
    """Where a collected value is made: an arm, if the other one collects nothing."""
    branch = next((op for op in body.ops if isinstance(op, If) and value in op.results), None)
    if branch is None or isinstance(value, Const):
        return body, value
    at = branch.results.index(value)
    match branch.then.exit, branch.orelse.exit:
        case Yield(then), Yield(orelse) if _is_left_out(then[at]) or _is_left_out(orelse[at]):
            del branch.results[at]
            made = then.pop(at), orelse.pop(at)
            taken = 1 if _is_left_out(made[0]) else 0
            return _collecting(branch.blocks[taken], made[taken])
    return body, value


def _is_left_out(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is LEFT_OUT


def _delay_carried(loop: For | While) -> None:
    """Computes what is carried on after the last read of the variable that it replaces."""
    block = loop.body
    if not isinstance(block.exit, Yield):
        return
    if any(is_change(op) or is_store(op) for op in walk(block)):
        return  # what it reads may be overwritten there
    for param, value in zip(loop.carried, block.exit.values[1:], strict=False):
        at = next((i for i, op in enumerate(block.ops) if value in op.results), None)
        if at is None or is_ordered(block.ops[at]) or len(block.ops[at].results) != 1:
            continue
        readers = [
            i for i, op in enumerate(block.ops[at + 1 :], start=at + 1) if param in free_of(op)
        ]
        uses = [i for i, op in enumerate(block.ops[at + 1 :], start=at + 1)
                if value in free_of(op)]
        if readers and not uses:
            block.ops.append(block.ops.pop(at))


def _earliest(block: Block, value: Operand) -> int:
    """The first position at which a value is known; a tuple is moved there with its parts."""
    position = _behind(block, value)
    if position == 0:
        return 0
    op = block.ops[position - 1]
    if isinstance(op, Call) and _is_tuple(op):
        # All parts first: moving one of them moves others by one.
        for arg in op.args:
            _earliest(block, arg)
        at = max([_behind(block, arg) for arg in op.args], default=0)
        block.ops.insert(at, block.ops.pop(position - 1))
        return at + 1
    return position


def _behind(block: Block, value: Operand) -> int:
    """The position behind the operation that gives a value; 0 if it stands outside of the block."""
    for i, op in enumerate(block.ops):
        if value in op.results:
            return i + 1
    return 0


def _sink_exit(block: Block, uses: dict[Value, int] | None) -> None:
    """Moves the exit of a block into the arms of its last branch, where that reads better."""
    if not isinstance(block.exit, Yield):
        return
    sinkable: list[Call] = []
    ops = list(block.ops)
    while ops and isinstance(last := ops[-1], Call) and _is_tuple(last) and uses is not None:
        sinkable.insert(0, last)
        ops.pop()
    if not ops or not isinstance(ops[-1], If | Try) or (isinstance(ops[-1], Try) and uses):
        return
    branch = ops[-1]
    read_behind = {
        value
        for op in sinkable
        for value in free_of(op)
    } | {value for value in block.exit.values if isinstance(value, Value)}
    if not read_behind & set(branch.results):
        return
    if not _arms_differ(branch, block.exit, is_loop=uses is None):
        return
    block.ops = ops
    for arm in branch.blocks:
        if isinstance(arm.exit, Raise):
            continue
        mapping: Mapping = dict(zip(branch.results, arm.exit.values, strict=True))
        for op in sinkable:
            new = Call(
                op.callee, [_mapped(arg, mapping) for arg in op.args], {},
                [Value(op.result.name, op.result.type)], op.loc,
            )
            mapping[op.result] = new.result
            arm.ops.append(new)
        arm.exit = Leave([_mapped(value, mapping) for value in block.exit.values])
        _sink_exit_further(arm, uses)
    branch.results = []
    block.exit = Yield([])


def _sink_exit_further(arm: Block, uses: dict[Value, int] | None) -> None:
    values = arm.exit
    _sink_exit(arm, uses)
    if arm.exit is not values and isinstance(arm.exit, Yield):
        arm.exit = Yield([])


def _is_tuple(op: Call) -> bool:
    return isinstance(op.callee, Const) and op.callee.value is primitives.build_tuple


def _arms_differ(branch: Branch, exit: Yield, is_loop: bool) -> bool:
    """Whether the arms of a branch lead to different places."""
    if not is_loop:
        return any(_has_statements(arm) for arm in branch.blocks)
    stop = exit.values[0]
    return stop in branch.results or any(isinstance(arm.exit, Raise) for arm in branch.blocks)


def _has_statements(block: Block) -> bool:
    """Whether an arm is more than an expression."""
    return isinstance(block.exit, Raise) or any(
        isinstance(op, If | Try | For | While | Lambda)
        or len(op.results) > 1
        or not is_temporary(op.results[0])
        for op in block.ops
    )


def _mapped(operand: Operand, mapping: Mapping) -> Operand:
    return mapping.get(operand, operand) if isinstance(operand, Value) else operand
