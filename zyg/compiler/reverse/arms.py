"""Branches of forward and adjoint, put together: what an arm saves is a tuple of that arm.

    if n < 2:                                        if n < 2:
        return x, (t, None, None)                        return x, None
    ...                                       ->     ...
    return y, (t, left_saved, right_saved)           return y, (left_saved, right_saved)

The adjoint unpacks it in the arm that reads it. Where only one arm saves something, whether there
is something says which arm has run, and the condition needn't be saved. In the joint form, an
adjoint branch that follows its forward branch becomes one branch with it.
"""

from __future__ import annotations

import operator

from ir import primitives
from ir.core import Block, Call, Const, If, Op, Operand, Raise, Value, Yield, blocks_of, type_of
from ir.rewrite import count_uses, free_of, substitute, walk
from ir.simplify import is_silent
from ir.types import Tuple, Type, class_of, join, members_of
from zyg.compiler.reverse.cotangent_types import NONE, is_array, is_numeric
from zyg.compiler.reverse.metadata import reads_only_metadata
from zyg.cotangents import cotangent


def pack_arms(forward: Block, adjoint: Block, saved: list[Value]) -> list[Value]:
    """Lets the branches of a forward block save one value, in place; gives what is saved now."""
    branches = {op.cond: op for op in forward.ops if isinstance(op, If)}
    for op in list(adjoint.ops):
        if isinstance(op, If) and isinstance(op.cond, Value) and op.cond in branches:
            saved = _pack(forward, adjoint, branches[op.cond], op, saved)
    return saved


def _pack(
    forward: Block, adjoint: Block, branch: If, reversal: If, saved: list[Value]
) -> list[Value]:
    at = forward.ops.index(branch)
    later = {value for op in forward.ops[at + 1 :] for value in op.results}
    uses = count_uses(adjoint)
    read = [count_uses(block) for block in reversal.blocks]
    inside = [
        value for value in saved
        if value not in later and sum(counts[value] for counts in read) == uses[value]
    ]
    # What both arms read has a place of its own, unless the branch made it: then arms differ.
    own = set(branch.results)
    parts = [
        [v for v in inside if counts[v] and (v in own or counts[v] == uses[v])] for counts in read
    ]
    if any(isinstance(block.exit, Raise) for block in (*branch.blocks, *reversal.blocks)):
        return saved
    parts = [_without_constants(branch, i, reversal.blocks[i], parts[i]) for i in (0, 1)]
    if set(parts[0]) == set(parts[1]):
        return _still_read(saved, adjoint)
    cond = reversal.cond
    empty = next((i for i in (0, 1) if not parts[i]), None)
    tells = empty is not None and uses[cond] == 1 and cond in saved  # type: ignore[index]
    if empty is not None and len(parts[1 - empty]) == 1:
        # A tuple is never None; a number isn't, unless a branch inside hands out None for it.
        (only,) = parts[1 - empty]
        source = _value_in(branch, 1 - empty, only)
        ops = [*forward.ops, *branch.blocks[1 - empty].ops]
        is_result = any(isinstance(op, If) and source in op.results for op in ops)
        tells = tells and is_numeric(type_of(source)) and not is_result
    if not tells and max(map(len, parts)) < 2:
        return _still_read(saved, adjoint)
    packed = Value("saved")
    outgoing = [
        _send(branch, i, packed, reversal.blocks[i], parts[i]) for i in (0, 1)
    ]
    packed.type = join(*map(type_of, outgoing))
    branch.results.append(packed)
    for i in (0, 1):
        _narrow(packed, type_of(outgoing[i]), type_of(outgoing[1 - i]), reversal.blocks[i])
    if tells:
        test = Value("t")
        callee = operator.is_ if empty == 0 else operator.is_not
        call = Call(Const(callee), [packed, NONE], {}, [test], reversal.loc)
        adjoint.ops.insert(adjoint.ops.index(reversal), call)
        reversal.cond = test
    return [*_still_read(saved, adjoint), packed]


def _still_read(saved: list[Value], adjoint: Block) -> list[Value]:
    uses = count_uses(adjoint)
    return [value for value in saved if uses[value]]


def _without_constants(
    branch: If, arm: int, reader: Block, values: list[Value]
) -> list[Value]:
    """The values that vary; the adjoint arm reads constants of the forward arm as such."""
    known = {v: _value_in(branch, arm, v) for v in values}
    substitute(reader, {v: known[v] for v in values if isinstance(known[v], Const)})
    # In the order of the program, so that forward and adjoint give them the same names.
    made = [value for op in walk(branch.blocks[arm]) for value in op.results]
    order: dict[Operand, int] = {value: i for i, value in enumerate(made)}
    kept = [v for v in values if not isinstance(known[v], Const)]
    return sorted(kept, key=lambda value: order.get(known[value], -1))


def _value_in(branch: If, arm: int, value: Value) -> Operand:
    """What a value is inside an arm of the branch that it is a result of."""
    exit = branch.blocks[arm].exit
    if value in branch.results and isinstance(exit, Yield):
        return exit.values[branch.results.index(value)]
    return value


def _send(
    branch: If, arm: int, packed: Value, reader: Block, values: list[Value]
) -> Operand:
    """Hands values of a forward arm out as one, and takes them apart in the adjoint arm."""
    block = branch.blocks[arm]
    sent: list[Operand] = []
    received: list[Value] = []
    for value in values:
        source = _value_in(branch, arm, value)
        assert isinstance(source, Value)
        if is_array(source.type) and reads_only_metadata(reader, value):
            made = Value(source.name, source.type)
            block.ops.append(Call(Const(cotangent.prototype), [source], {}, [made]))
            source = made
        sent.append(source)
        received.append(Value(value.name, source.type))
    whole: Operand = NONE
    if len(sent) == 1:
        whole, received = sent[0], [packed]
    elif sent:
        types = tuple(map(type_of, sent))
        whole = Value("t", Tuple(types))
        block.ops.append(Call(Const(primitives.build_tuple), sent, {}, [whole]))
        count = Const(len(received))
        reader.ops.insert(0, Call(Const(primitives.unpack), [packed, count], {}, received))
    substitute(reader, dict(zip(values, received, strict=True)))
    assert isinstance(block.exit, Yield)
    block.exit.values.append(whole)
    return whole


def _narrow(packed: Value, own: Type, other: Type, reader: Block) -> None:
    """Tells an adjoint arm, which may be typed again, that it reads what its own arm has saved."""
    is_tuple = isinstance(own, Tuple)
    if is_tuple is isinstance(other, Tuple) or not reader.ops:
        return
    if not is_tuple and may_be_tuple(own):
        return  # what a call has saved, in one of its own arms
    found = Value(packed.name, own)
    substitute(reader, {packed: found})
    operands: list[Operand] = [packed, Const(tuple), Const(is_tuple)]
    reader.ops.insert(0, Call(Const(primitives.narrowed), operands, {}, [found]))


def may_be_tuple(type_: Type) -> bool:
    return any(class_of(member) in (None, tuple) for member in members_of(type_))


def merge_nested(forward: list[Op], adjoint: Block) -> None:
    """Makes one branch, in place, of two of which one is all that the other does."""
    if any(
        isinstance(op, If) and len(op.then.ops) == 1 and isinstance(op.then.ops[0], If)
        for op in walk(adjoint)
    ):
        from zyg.compiler.reverse.nested_tests import merge_tests  # few programs need it

        merge_tests(forward, adjoint)


def join_branches(block: Block) -> None:
    """Makes one branch, in place, of two that follow each other on the same condition."""
    ops: list[Op] = []
    for op in block.ops:
        ops.append(op)
        if isinstance(op, If) and isinstance(op.cond, Value):
            _join_with_earlier(ops, op)
    block.ops = ops
    for op in ops:
        for inner in blocks_of(op):
            join_branches(inner)


def _join_with_earlier(ops: list[Op], later: If) -> None:
    """Joins the last operation with a branch before it, if what stands between them may move."""
    at = len(ops) - 2
    while at >= 0 and isinstance(call := ops[at], Call) and is_silent(call):
        at -= 1
    earlier = ops[at] if at >= 0 else None
    if not isinstance(earlier, If) or earlier.cond is not later.cond:
        return
    between = ops[at + 1 : -1]
    own = set(earlier.results)
    if any(not own.isdisjoint(free_of(op)) for op in between):
        return
    for first, second in zip(earlier.blocks, later.blocks, strict=True):
        if isinstance(first.exit, Raise):
            continue
        substitute(second, dict(zip(earlier.results, first.exit.values, strict=True)))
        first.ops += second.ops
        values = first.exit.values
        first.exit = second.exit
        if isinstance(second.exit, Yield):
            first.exit = Yield([*values, *second.exit.values])
    earlier.results += later.results
    ops[at:] = [*between, earlier]
