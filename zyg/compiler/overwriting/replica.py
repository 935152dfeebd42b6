"""The replica of an array that was changed in place, in which an adjoint takes the changes back.

    factor[i, j] = s                  old = factor[i, j]; factor[i, j] = s       forward
                                 ->   factor[i, j] = old                         adjoint, on a copy

As the changes themselves, taking one back is a function from the array before to the array behind.
What is read from a replica is copied, since the replica changes as the adjoint goes on; but where
all readers look at it before that, and keep nothing, they read the replica itself.
"""

from __future__ import annotations

import ast
import operator
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
)
from ir.emit import statement_form
from ir.emit.render import expression_form, subscript
from ir.library.fact_rules import declare
from ir.memory.memory_facts import CHANGING
from ir.rewrite import blocks, substitute, walk
from ir.types import Known, Type
from zyg.compiler.overwriting.looking import is_read_at_once
from zyg.compiler.reverse.lengths import READS
from zyg.cotangents.cotangent_items import cleared, one_hot, taken
from zyg.held import keeping
from zyg.rules.registry import adjoint

ELLIPSIS = Known(Ellipsis)


def overwritten_at(items: Any, index: Any) -> Any:
    """What stands at `index` of an array, where something is about to be stored there."""
    return items[index]


def restored(contents: Any, index: Any, old: Any) -> Any:
    """An array whose items at `index` are again what they were; changes the array."""
    contents[index] = old
    return contents


def restored_part(contents: Any, index: Any, part: Any) -> Any:
    """The whole of a view at `index` that was restored: the same memory."""
    return contents


facts.pure(overwritten_at, restored, restored_part)
# What it would raise, the store raises that follows in the program.
facts.total(overwritten_at)
declare(restored, restored_part)(lambda args, kwargs: args[0])
CHANGING.update({id(restored), id(restored_part)})
READS.append(overwritten_at)


def type_at(items: Type, index: Type) -> Type:
    """The type of what stands at an index of an array."""
    if index == ELLIPSIS:
        return items
    result_of = facts.result_of(operator.getitem)
    assert result_of is not None
    return result_of((items, index), {})


@facts.result(overwritten_at)
def _overwritten_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return type_at(*args)


@expression_form(overwritten_at)
def _print_overwritten(args: list[ast.expr], environment: Any) -> ast.expr:
    return subscript(args[0], args[1])


@statement_form(restored)
def _print_restored(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Assign(targets=[subscript(args[0], args[1])], value=args[2], type_comment=None)


@statement_form(restored_part)
def _print_restored_part(args: list[ast.expr], environment: Any) -> None:
    return None


# Rules for second derivatives.


@adjoint(overwritten_at)
def _overwritten_rule(items: Any, index: Any) -> Any:
    return overwritten_at(items, index), lambda bar: (one_hot(bar, items, index), None)


@adjoint(restored)
def _restored_rule(contents: Any, index: Any, old: Any) -> Any:
    def back(bar: Any) -> Any:
        old_bar = bar if index is Ellipsis else taken(bar, index)
        return None if index is Ellipsis else cleared(bar, index), None, old_bar

    return restored(contents, index, old), back


@adjoint(restored_part)
def _restored_part_rule(contents: Any, index: Any, part: Any) -> Any:
    return restored_part(contents, index, part), lambda bar: (
        cleared(bar, index), None, taken(bar, index)
    )


# Reads of the replica without a copy


def read_in_place(body: Block) -> None:
    """Lets a function read replicas themselves where nothing keeps what it reads."""
    replicas = _replicas(body)
    if replicas:
        for block in blocks(body):
            _read_block(block, replicas)


def _replicas(body: Block) -> set[Operand]:
    """All versions of what is restored somewhere."""
    ops = walk(body)
    pending = [op.args[0] for op in ops if isinstance(op, Call) and _restores(op)]
    if not pending:
        return set()
    neighbours: dict[Operand, list[Operand]] = {}

    def join(a: Operand, b: Operand) -> None:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)

    for op in ops:
        match op:
            case Call() if _restores(op):
                join(op.args[0], op.result)
            case For() | While():
                for param, init, result in zip(op.carried, op.init, op.results, strict=False):
                    join(init, param)
                    join(param, result)
                if isinstance(op.body.exit, Yield):
                    for value, result in zip(op.body.exit.values[1:], op.results, strict=True):
                        join(value, result)
            case If() | Try():
                for inner in op.blocks:
                    if isinstance(inner.exit, Yield):
                        for value, result in zip(inner.exit.values, op.results, strict=True):
                            join(value, result)
            case _:
                pass
    found: set[Operand] = set()
    while pending:
        value = pending.pop()
        if isinstance(value, Value) and value not in found:
            found.add(value)
            pending += neighbours.get(value, [])
    return found


def _callee(op: Call) -> object:
    return op.callee.value if isinstance(op.callee, Const) else None


def _restores(op: Op) -> bool:
    return isinstance(op, Call) and _callee(op) in (restored, restored_part)


def _read_block(block: Block, replicas: set[Operand]) -> None:
    for op in list(block.ops):
        if not isinstance(op, Call) or _callee(op) is not keeping.kept:
            continue
        source = op.args[0]
        replica = _viewed(block, source, replicas)
        if replica is not None and is_read_at_once(block, op, _restores):
            substitute(block, {op.result: source})
            block.ops = [other for other in block.ops if other is not op]


def _viewed(block: Block, source: Operand, replicas: set[Operand]) -> Operand | None:
    """The replica that a value is a view of, by operations of a block."""
    while source not in replicas:
        op = next((op for op in block.ops if source in op.results), None)
        if not isinstance(op, Call) or not isinstance(op.callee, Const) or not facts.is_view(op):
            return None
        source = op.args[0]
    return source
