"""What is the same in each iteration stands in front of a loop.

    for i in range(n):                         x = p['x']
        s = s + 2.0 * math.pi * p['x'][i]      t = 2.0 * math.pi
                                        ->     for i in range(n):
                                                   s = s + t * x[i]

Only what can't fail is moved: a read of a key of a dict, or of a place of a tuple, that the type
knows, and sums and products of numbers. Values of the IR don't change, so that an operand from in
front of a loop is the same in each iteration. Numbers that only an arm computes stay there.
"""

from __future__ import annotations

import operator

from ir.core import Block, Call, Const, For, If, Op, Operand, Try, Value, While, type_of
from ir.rewrite import Mapping, defined, substitute, walk
from ir.simplify import is_silent
from ir.types import Dict, Known, NamedTuple, Scalar, Tuple

# Modules whose numbers nobody changes.
CONSTANT_MODULES = ("math", "cmath", "numpy")
ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.neg)


def hoist(block: Block) -> None:
    """Moves this in front of the loops of a block, and of the blocks inside it; in place."""
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
                local = defined(op.body)
                ops += _numbers(op.body, local, mapping)
                if isinstance(op, While) and op.body.ops and isinstance(op.body.ops[-1], If):
                    for arm in op.body.ops[-1].blocks:  # one of them goes on
                        ops += _numbers(arm, local, mapping)
                if any(isinstance(inner, Call) and reads_part(inner) for inner in walk(op.body)):
                    found: dict[tuple[Operand, Operand], Call] = {}
                    _take(op.body, local, found, mapping)
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


def _numbers(body: Block, local: set[Value], mapping: Mapping) -> list[Op]:
    """Takes the numbers that are computed of what isn't local out of the body of a loop.

    Where something is caught or managed there (`np.errstate`), they stay.
    """
    if any(isinstance(op, Try) for op in body.ops):
        return []
    taken: list[Op] = []
    kept: list[Op] = []
    for op in body.ops:
        if isinstance(op, Call) and is_number_for_certain(op):
            args = [_last(arg, mapping) for arg in op.args]
            if local.isdisjoint(args):
                op.args = args
                local.discard(op.result)
                taken.append(op)
                continue
        kept.append(op)
    body.ops = kept
    return taken


def is_number_for_certain(call: Call) -> bool:
    """Whether a call computes a number from numbers, or reads one of a module, and can't fail."""
    if not isinstance(call.callee, Const) or call.kwargs or len(call.results) != 1:
        return False
    if not isinstance(call.result.type, Scalar):
        return False
    callee, types = call.callee.value, [type_of(arg) for arg in call.args]
    if callee is getattr:
        owner = types[0].value if isinstance(types[0], Known) else None
        return getattr(owner, "__name__", None) in CONSTANT_MODULES and is_silent(call)
    if callee is operator.truediv:
        divisor = types[1].value if isinstance(types[1], Known) else 0
        return isinstance(types[0], Scalar | Known) and divisor != 0
    return callee in ARITHMETIC and all(isinstance(type_, Scalar | Known) for type_ in types)


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
