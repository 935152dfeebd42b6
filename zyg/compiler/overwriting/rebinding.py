"""Arrays that are overwritten as a whole, and are nobody else's, are new ones instead.

    w_kept = w.copy()
    t = w / s                  ->     w_2 = w / s
    w[...] = t

That is less to write where an adjoint reads what stood there before, or what is stored: otherwise
the array is changed in place, which takes no new memory. No name but the one that is assigned may
have the memory: it was made here, and there are neither views of it nor containers, closures or
calls that might know it.
"""

from __future__ import annotations

import operator

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Lambda,
    Op,
    Operand,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    operands_of,
    type_of,
)
from ir.memory.memory_facts import CHANGING
from ir.rewrite import Mapping, blocks, free_values, substitute, walk
from zyg.array_type import Array, One, fits_within, is_named, is_number
from zyg.compiler.overwriting.preserve import Memory
from zyg.compiler.reverse.metadata import reads_only_metadata

ELEMENTWISE = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv,
    operator.mod,
)


def rebind(
    forward: Block, adjoint: Block, exported: set[Value], handed_on: list[Operand]
) -> Mapping:
    """Drops the stores for which new arrays serve; gives these for the versions that are gone."""
    ops = walk(forward)
    stores = [op for op in ops if isinstance(op, Call) and _stores_whole(op)]
    if not stores or any(isinstance(op, Try) for op in ops):  # handlers find what was written
        return {}
    memory = Memory(forward, exported, handed_on)
    definitions = {value: op for op in ops for value in op.results}
    read = _read_by(forward, adjoint, exported)
    is_apart: dict[Value, bool] = {}
    dropped: Mapping = {}
    for store in stores:
        before, _, new = store.args
        assert isinstance(before, Value) and isinstance(new, Value), "asked before"
        made = definitions.get(new)
        if (before not in read and new not in read) or not _fits(new, before, made):
            continue
        root = memory.root(before)
        if root not in is_apart:
            is_apart[root] = _is_apart(root, memory, forward, definitions)
        if is_apart[root] and _is_new(new, memory, made):
            dropped[store.result] = new
    if dropped:
        _drop(dropped, forward, adjoint)
    return dropped


def _stores_whole(call: Call) -> bool:
    """Whether all of an array is stored."""
    if not isinstance(call.callee, Const) or call.callee.value is not primitives.stored:
        return False
    before, index, new = call.args
    if not isinstance(before, Value) or not isinstance(new, Value):
        return False
    return isinstance(index, Const) and index.value is Ellipsis


def _fits(new: Value, before: Value, made: Op | None) -> bool:
    """Whether what is stored certainly has the dtype and the shape of the array.

    Otherwise storing it may raise an error, or repeat it. The type of what an operator made holds
    only if it is stored.
    """
    a, b = new.type, before.type
    if not isinstance(a, Array) or not isinstance(b, Array) or a.dtype != b.dtype:
        return False
    if not isinstance(made, Call) or not a.dims or not b.dims or len(a.dims) != len(b.dims):
        return False
    if before in made.args:
        is_elementwise = isinstance(made.callee, Const) and made.callee.value in ELEMENTWISE
        return is_elementwise and all(
            is_number(type_of(arg)) or fits_within(type_of(arg), b) for arg in made.args
        )
    return all(
        p == q and (isinstance(p, One) or is_named(p)) for p, q in zip(a.dims, b.dims, strict=True)
    )


def _read_by(forward: Block, adjoint: Block, exported: set[Value]) -> set[Operand]:
    """The values of which the adjoint reads more than shapes."""
    read: set[Operand] = {
        value for value in free_values(adjoint) if not reads_only_metadata(adjoint, value)
    }
    for op in walk(forward):
        for body in blocks_of(op):
            if not isinstance(body.exit, Yield):
                continue
            handed = body.exit.values[len(body.exit.values) - len(op.results) :]
            for value, result in zip(handed, op.results, strict=True):
                if result in exported and not (
                    reads_only_metadata(forward, result) and reads_only_metadata(adjoint, result)
                ):
                    read.add(value)
    return read


def _is_apart(
    root: Value, memory: Memory, forward: Block, definitions: dict[Value, Op]
) -> bool:
    """Whether memory was made here and is known by the versions of one array alone."""
    members = set(memory.members(root))
    if memory.is_handed_on(root) or not members.isdisjoint(free_values(forward)):
        return False
    for value in members:
        made = definitions.get(value)
        if not isinstance(value.type, Array):
            return False
        if isinstance(made, Call) and not (
            facts.is_fresh(made) or (_changes(made) and made.args[0] in members)
        ):
            return False
    params = {param for block in blocks(forward) for param in block.params}
    if any(value not in definitions and value not in params for value in members):
        return False
    return all(_leaves_apart(op, members) for op in walk(forward))


def _changes(call: Call) -> bool:
    return isinstance(call.callee, Const) and id(call.callee.value) in CHANGING


def _leaves_apart(op: Op, members: set[Value]) -> bool:
    """Whether an operation hands none of these to what isn't known."""
    if isinstance(op, If | While):
        return True
    if isinstance(op, For):
        return members.isdisjoint(op.iterables) and members.isdisjoint(op.items)
    if isinstance(op, Lambda):
        return members.isdisjoint(operands_of(op))
    if not isinstance(op, Call):
        return False
    used = [*op.args, *op.kwargs.values()]
    if members.isdisjoint(used):
        return True
    if not isinstance(op.callee, Const):
        return False
    callee = op.callee.value
    if _changes(op):  # what is stored into an array is copied
        return isinstance(type_of(op.args[0]), Array)
    return facts.is_pure(callee) or facts.is_metadata(callee)


def _is_new(new: Value, memory: Memory, made: Op | None) -> bool:
    """Whether what is stored is memory of its own, which is known by one name."""
    is_fresh = isinstance(made, Call) and facts.is_fresh(made)
    return is_fresh and memory.members(memory.root(new)) == [new]


def _drop(dropped: Mapping, forward: Block, adjoint: Block) -> None:
    """Has new arrays in the place of the versions that stores make."""
    for version, new in dropped.items():
        if isinstance(new, Value) and new.name == "t":
            new.name = version.name
    for block in blocks(forward):
        block.ops = [
            op for op in block.ops if not (len(op.results) == 1 and op.results[0] in dropped)
        ]
    substitute(forward, dropped)
    substitute(adjoint, dropped)
