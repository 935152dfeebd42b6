"""Which values of generated code may be missing, whatever their types say.

    new = UNBOUND                        new_dot = None
    for i in range(n):                   for i in range(n):
        new = u * u             ->           new_dot = 2 * u * u_dot

Before a variable is set it is `UNBOUND`, its tangent None, and its cotangent the zero of no value,
which is None, too.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

from ir import primitives
from ir.core import Block, Call, Const, For, If, Op, Operand, Try, Value, While, Yield, type_of
from ir.rewrite import walk
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.cotangents import cotangent

# What may give the zero of a variable that wasn't set, or hand on what was recorded of it.
_HANDING_ON = (cotangent.zeros_like, cotangent.prototype, primitives.unpack)


class Unset:
    """The values of functions that are generated together which may be missing: looked for when
    the first copy asks, as few functions hold any."""

    def __init__(self, bodies: Sequence[Block]) -> None:
        self._bodies = bodies
        self._found: set[Operand] | None = None

    def __contains__(self, operand: Operand) -> bool:
        if self._found is None:
            self._found = _found(self._bodies)
        return operand in self._found


def _found(bodies: Sequence[Block]) -> set[Operand]:
    flows: dict[Operand, list[Operand]] = {}
    ops = [op for body in bodies for op in walk(body)]
    for op in ops:
        for targets, sources in _handed_on(op):
            for target, source in zip(targets, sources, strict=False):
                flows.setdefault(source, []).append(target)
    fresh = {operand for operand in flows if _is_missing(operand)}
    if any(isinstance(operand, Const) and operand.value is primitives.UNBOUND for operand in fresh):
        for op in ops:
            fresh.update(_perhaps_recorded(op))
    found: set[Operand] = set()
    while fresh:
        found |= fresh
        fresh = {target for operand in fresh for target in flows.get(operand, ())} - found
    return found


def _handed_on(op: Op) -> Iterable[tuple[Sequence[Value], Sequence[Operand]]]:
    """The values that are other ones after some way through the program, beside those."""
    match op:
        case For() | While():
            yield op.carried, op.init
            yield op.results, op.init
            if isinstance(op.body.exit, Yield):
                yield op.carried, op.body.exit.values[1:]
                yield op.results, op.body.exit.values[1:]
        case If() | Try():
            for block in op.blocks:
                if isinstance(block.exit, Yield):
                    yield op.results, block.exit.values


def _is_missing(operand: Operand) -> bool:
    return isinstance(operand, Const) and (
        operand.value is None or operand.value is primitives.UNBOUND
    )


def _perhaps_recorded(op: Op) -> Sequence[Value]:
    """What an operation gives that may come from a record, or be the zero of what is in one."""
    if isinstance(op, For):
        return op.items
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return ()
    callee = op.callee.value
    is_item = callee is operator.getitem and not is_array(type_of(op.args[0]))
    return op.results if is_item or callee in _HANDING_ON else ()
