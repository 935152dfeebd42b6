"""Reads of known parts of containers stand in front of the loops that they don't change in.

    for i in range(n):                x = p['x']
        s = s + p['x'][i]      ->     for i in range(n):
                                          s = s + x[i]

Only what can't fail is moved: a key of a dict, or a place of a tuple, that the type knows. Values
of the IR don't change, so that an operand from in front of a loop is the same in each iteration.
"""

from __future__ import annotations

import operator

from ir.core import Block, Call, Const, For, If, Op, Operand, Value, While, type_of
from ir.rewrite import Mapping, defined, substitute, walk
from ir.types import Dict, Known, NamedTuple, Tuple


def hoist_parts(block: Block) -> None:
    """Moves such reads in front of the loops of a block, and of the blocks inside it; in place."""
    mapping: Mapping = {}
    _hoist(block, mapping)
    if mapping:
        substitute(block, {value: _last(value, mapping) for value in mapping})


def _last(operand: Operand, mapping: Mapping) -> Operand:
    while isinstance(operand, Value) and operand in mapping:
        operand = mapping[operand]
    return operand


def _hoist(block: Block, mapping: Mapping) -> None:
    ops: list[Op] = []
    for op in block.ops:
        match op:
            case For() | While():
                _hoist(op.body, mapping)
                if any(isinstance(inner, Call) and reads_part(inner) for inner in walk(op.body)):
                    found: dict[tuple[Operand, Operand], Call] = {}
                    _take(op.body, defined(op.body), found, mapping)
                    ops += found.values()
            case If():
                _hoist(op.then, mapping)
                _hoist(op.orelse, mapping)
            case _:
                pass
        ops.append(op)
    block.ops = ops


def _take(
    block: Block, local: set[Value], found: dict[tuple[Operand, Operand], Call], mapping: Mapping
) -> None:
    """Takes the reads of what isn't local out of the body of a loop, or an arm in it."""
    kept: list[Op] = []
    for op in block.ops:
        if isinstance(op, Call) and reads_part(op):
            args = [_last(arg, mapping) for arg in op.args]
            if args[0] not in local:
                known = found.setdefault((args[0], args[1]), op)
                if known is op:
                    op.args = args
                    local.discard(op.result)
                else:
                    mapping[op.result] = known.result
                continue
        elif isinstance(op, If):
            _take(op.then, local, found, mapping)
            _take(op.orelse, local, found, mapping)
        kept.append(op)
    block.ops = kept


def reads_part(call: Call) -> bool:
    """Whether a call reads a part that a container has for certain."""
    if not isinstance(call.callee, Const) or call.callee.value is not operator.getitem:
        return False
    match [type_of(arg) for arg in call.args]:
        case [Tuple(items) | NamedTuple(items=items), Known(int(place))]:
            return -len(items) <= place < len(items)
        case [Dict(items), Known(str(key))]:
            return any(name == key for name, _ in items)
        case _:
            return False
