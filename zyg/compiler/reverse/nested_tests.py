"""Branches of an adjoint inside of each other, as one: the inner test implies the outer ones.

    if completed:                                  if is_first:
        if is_first:                                   x_bar = 2.0 * y_bar
            x_bar = 2.0 * y_bar         ->         else:
        else:                                          x_bar = y_bar
            x_bar = y_bar
    else:
        x_bar = y_bar

An arm hands out None in the place of a test that it doesn't come to. So what the forward pass keeps
of the inner branch says that the outer one was taken as well, which needs not be kept.
"""

from __future__ import annotations

from typing import TypeAlias

from ir.core import Block, Const, For, If, Loop, Op, Operand, Try, Value, While, Yield, blocks_of
from ir.inference.typed_branches import is_same_operand
from ir.simplify import eliminate_dead, is_pure

# What in the forward pass a value of the adjoint is, where that has another name for it.
Handed: TypeAlias = dict[Operand, Operand]


def merge_tests(forward: list[Op], adjoint: Block) -> None:
    """Merges, in place, the branches of an adjoint that reads what a forward block computes."""
    if _merge(forward, adjoint, {}):
        eliminate_dead(adjoint, is_pure)


def _merge(forward: list[Op], adjoint: Block, handed: Handed) -> bool:
    """Says whether there was something to merge."""
    found = False
    collectors: dict[Operand, For | While] = {
        records: op for op in forward if isinstance(op, Loop)
        for records in op.results[len(op.init) :]
    }
    for op in adjoint.ops:
        if isinstance(op, For) and op.backwards:
            for loop, items in _collected(op, collectors, handed):
                found |= _merge(loop.body.ops, op.body, items)
            continue
        for block in blocks_of(op):
            found |= _merge(forward, block, handed)
        if isinstance(op, If):
            found |= _merge_inner(op, forward, handed)
    return found


def _collected(
    reversal: For, collectors: dict[Operand, For | While], handed: Handed
) -> list[tuple[For | While, Handed]]:
    """The loops whose records a reversal walks over, and what the items of these are there."""
    found: dict[For | While, Handed] = {}
    for iterable, item in zip(reversal.iterables, reversal.items, strict=True):
        records = handed.get(iterable, iterable)
        loop = collectors.get(records)
        if loop is not None and isinstance(records, Value) and isinstance(loop.body.exit, Yield):
            at = 1 + loop.results.index(records)
            found.setdefault(loop, {})[item] = loop.body.exit.values[at]
    return list(found.items())


def _merge_inner(outer: If, forward: list[Op], handed: Handed) -> bool:
    """Takes the test of the one branch inside, if all other arms are alike."""
    match outer.then, outer.orelse:
        case (
            Block(_, [If(test, Block(_, ops, Yield(taken)), Block(_, [], Yield(left))) as inner],
                  Yield(whole)),
            Block(_, [], Yield(rest)),
        ):
            otherwise: Handed = dict(zip(inner.results, left, strict=True))
        case _:
            return False
    if not all(
        is_same_operand(otherwise.get(a, a), b) for a, b in zip(whole, rest, strict=True)
    ) or not _implies(handed.get(test, test), handed.get(outer.cond, outer.cond), forward):
        return False
    then: Handed = dict(zip(inner.results, taken, strict=True))
    outer.cond = test
    outer.then = Block([], ops, Yield([then.get(value, value) for value in whole]))
    return True


def _implies(test: Operand, other: Operand, ops: list[Op]) -> bool:
    """Whether a value that a branch among operations hands out is true only if another one is."""
    branch = next((op for op in ops if isinstance(op, If | Try) and test in op.results), None)
    if branch is None:
        return False
    results: list[Operand] = [*branch.results]
    for arm in branch.blocks:
        if not isinstance(arm.exit, Yield):
            continue
        found = arm.exit.values[results.index(test)]
        if isinstance(found, Const) and not found.value:
            continue
        if isinstance(branch, If) and other is branch.cond and arm is branch.then:
            continue
        if other not in results:
            return False
        needed = arm.exit.values[results.index(other)]
        if isinstance(needed, Const) and needed.value:
            continue
        if needed is not found and not _implies(found, needed, arm.ops):
            return False
    return True
