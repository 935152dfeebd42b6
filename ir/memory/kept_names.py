"""Arrays that a loop changes under a name which it assigns in each iteration, by `*=` and the like.

    inner = u[1:-1]                     inner = u[1:-1]
    for _ in range(n):                  for _ in range(n):
        inner *= 0.5                        imul(inner, 0.5)

What the operator gives is the array itself, so that the name means the same memory throughout, and
no iteration hands it on to the next one. So what is a part of another array can be followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ir.core import Block, Call, Const, For, If, Op, Operand, Value, While, Yield, type_of
from ir.library.builtin_facts import IN_PLACE
from ir.memory.memory_facts import is_array_like
from ir.rewrite import Mapping

T = TypeVar("T")
_IN_PLACE = frozenset(map(id, IN_PLACE))


def kept_positions(op: For | While, init: list[Operand]) -> list[int]:
    """Which of the carried values are arrays that each iteration gives back as they are."""
    exit = op.body.exit
    if not isinstance(exit, Yield):
        return []
    return [
        i for i, (param, start) in enumerate(zip(op.carried, init, strict=True))
        if isinstance(start, Value) and is_array_like(type_of(start))
        and exit.values[1 + i] is not param and _is_same(exit.values[1 + i], param, op.body)
    ]


def without_kept(
    op: For | While, init: list[Operand], kept: list[int], mapping: Mapping
) -> tuple[For | While, list[Operand]]:
    """The loop without these, which are known by the name that they have before it."""
    items = len(op.body.params) - len(op.carried)
    mapping.update((op.carried[i], init[i]) for i in kept)
    mapping.update((op.results[i], init[i]) for i in kept)

    def left(values: Sequence[T], start: int = 0) -> list[T]:
        return [value for i, value in enumerate(values) if i - start not in kept]

    exit = op.body.exit
    assert isinstance(exit, Yield)
    body = Block(left(op.body.params, items), op.body.ops, Yield(left(exit.values, 1)))
    results, given = left(op.results), left(init)
    if isinstance(op, While):
        return While(given, body, results, op.loc), given
    return For(op.iterables, given, body, results, op.backwards, op.loc), given


def _is_same(value: Operand, param: Value, block: Block) -> bool:
    """Whether a value of a block is the array that a value from before it is."""
    if value is param:
        return True
    made = next((op for op in block.ops if value in op.results), None)
    match made:
        case Call(Const(callee), [first, *_]) if id(callee) in _IN_PLACE:
            return _is_same(first, param, block)
        case If():
            return _is_same_in_arms(made, value, param, block)
        case For() | While():
            return _is_same_in_loop(made, value, param, block)
    return False


def _is_same_in_arms(op: If, value: Operand, param: Value, block: Block) -> bool:
    position = next(i for i, result in enumerate(op.results) if result is value)
    ways = []
    for arm in op.blocks:
        if isinstance(arm.exit, Yield):
            whole = Block([], [*_before(op, block), *arm.ops], arm.exit)
            ways.append(_is_same(arm.exit.values[position], param, whole))
    return bool(ways) and all(ways)


def _is_same_in_loop(op: For | While, value: Operand, param: Value, block: Block) -> bool:
    position = next(i for i, result in enumerate(op.results) if result is value)
    if position >= len(op.init) or not isinstance(op.body.exit, Yield):
        return False
    inner = op.carried[position]
    return _is_same(op.init[position], param, block) and _is_same(
        op.body.exit.values[1 + position], inner, op.body
    )


def _before(op: Op, block: Block) -> list[Op]:
    return block.ops[: next(i for i, other in enumerate(block.ops) if other is op)]
