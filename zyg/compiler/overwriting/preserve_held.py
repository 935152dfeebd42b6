"""Keeps what an adjoint reads of memory that objects may hold: all of it, by copies.

    back = kept_contents(back)        saved, by a call of code that works on objects: as it is

Where such memory is changed is not known when code is made, but for arrays that a function makes
and only computes with. What a call of code that works on objects has saved consists of copies; of
that, no second ones are made, whichever way it has come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ir import facts
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Op,
    Operand,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    exit_operands,
    operands_of,
)
from ir.memory.held_functions import may_be_memory
from ir.rewrite import Mapping, blocks, free_values, substitute, walk
from ir.simplify import is_pure
from ir.types import Scalar, Type, widen
from zyg.compiler.inference.objects import kept_with_objects
from zyg.compiler.overwriting.preserve import insert_behind
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.metadata import reads_only_metadata
from zyg.cotangents import cotangent
from zyg.held import keeping
from zyg.held.memory_kinds import kept_contents


def preserve_held(
    forward: Block, adjoint: Block, exported: set[Value], apart: set[Value],
    may_hold: Callable[[Type], bool], copied: Callable[[Any], Any] = kept_contents,
) -> None:
    """Lets an adjoint read copies of all memory that an object may hold and change later, but for
    values that are `apart`: records of what was held are copies. `may_hold`: whether some object
    may hold a value of a type, or memory in it."""
    makers = {value: op for op in walk(forward) for value in op.results}
    private = _private(forward, makers, exported)
    for block in reversed(blocks(forward)):  # what inner ones hand out is copied there
        for op in block.ops:
            if not isinstance(op, If | Try | For | While):
                continue
            skipped = 0 if isinstance(op, If | Try) else 1
            for body in blocks_of(op):
                if not isinstance(body.exit, Yield):
                    continue
                for i, result in enumerate(op.results):
                    found = body.exit.values[skipped + i]
                    if result not in exported or not isinstance(found, Value):
                        continue
                    if not may_hold(found.type) or found in private:
                        continue
                    if _is_copied(found, makers, None):
                        kept = Value(found.name, found.type)
                        copy = Call(Const(copied), [found], {}, [kept])
                        insert_behind(body, found, copy)
                        body.exit.values[skipped + i] = kept
                        makers[kept] = copy
    copies: Mapping = {}
    for value in free_values(adjoint):
        if value in apart or value in private:
            continue
        if _is_copied(value, makers, adjoint) and may_hold(value.type):
            copies[value] = kept = Value(value.name, value.type)
            insert_behind(forward, value, Call(Const(copied), [value], {}, [kept]))
    substitute(adjoint, copies)


def _private(forward: Block, makers: dict[Value, Op], exported: set[Value]) -> set[Value]:
    """New arrays that a function only computes other ones from: no object may hold them, and
    nobody changes them in place."""
    kept: set[Operand] = set(exit_operands(forward.exit))
    for block in blocks(forward):
        for op in block.ops:
            if not isinstance(op, Call) or not _only_computes(op):
                kept.update(operands_of(op))
            skipped = 0 if isinstance(op, If | Try) else 1
            for body in blocks_of(op):
                if not isinstance(body.exit, Yield):
                    kept.update(exit_operands(body.exit))
                    continue
                kept.update(body.exit.values[:skipped])
                kept.update(
                    value for value, result in zip(
                        body.exit.values[skipped:], op.results, strict=True
                    ) if result not in exported
                )
    return {
        value for value, op in makers.items()
        if value not in kept and is_array(value.type) and isinstance(op, Call)
        and facts.is_fresh(op)
    }


def _only_computes(op: Call) -> bool:
    """Whether a call gives new memory, or none, and does nothing else to its operands."""
    if not is_pure(op) or len(op.results) != 1:
        return False
    return isinstance(widen(op.result.type), Scalar) or (
        is_array(op.result.type) and facts.is_fresh(op)
    ) or (isinstance(op.callee, Const) and op.callee.value is cotangent.prototype)


def _is_copied(value: Value, makers: dict[Value, Op], adjoint: Block | None) -> bool:
    """Whether a value that an adjoint reads is copied: all but what never changes."""
    if _is_copy(value, makers):
        return False
    return adjoint is None or not (
        is_array(value.type) and reads_only_metadata(adjoint, value)
    )


def _is_copy(value: Operand, makers: dict[Value, Op]) -> bool:
    """Whether a value is memory of its own already, or none, whichever way the program takes."""
    if isinstance(value, Const):
        return value.value is None
    if not may_be_memory(value.type):
        return True
    match makers.get(value):
        case Call(Const(callee)) as op:
            # What such a call returns is what it is; what it has saved comes last.
            is_saved = getattr(callee, "works_on_objects", False) and value is op.results[-1]
            return is_saved or callee in _COPIES
        case If() | Try() as op:
            position = op.results.index(value)
            return all(
                _is_copy(block.exit.values[position], makers)
                for block in op.blocks if isinstance(block.exit, Yield)
            )
        case For() | While() as op:
            return _is_collected(op, value)  # what it holds is copied where it is made
        case _:
            return False


_COPIES = (cotangent.prototype, keeping.kept, kept_with_objects, kept_contents)


def _is_collected(op: For | While, value: Value) -> bool:
    return op.results.index(value) >= len(op.init)
