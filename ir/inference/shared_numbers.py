"""Numbers that a program computes again are computed once.

    a = x[i] * x[i + 1]                t = i + 1
    b = x[i] - x[i + 1]        ->      x_i, u = x[i], x[t]
                                       a = x_i * u
                                       b = x_i - u

The adjoint saves both factors of a product, so that one read for two saves time in both passes.
What raises an error would have raised it the first time. Only numbers are shared, which have no
identity, and only as long as nothing is done that may change what was read: a change in place,
or a call of what isn't known. What has a name of the
user's stays.
"""

from __future__ import annotations

from ir import facts
from ir.core import Block, Call, Const, For, Op, Operand, Try, Value, While, blocks_of, type_of
from ir.rewrite import substitute, walk
from ir.simplify import DISPLAYS, Key, is_opaque, sharing_key
from ir.types import Known, Scalar


def share_numbers(block: Block) -> None:
    """Shares the numbers of a block, and of the blocks inside of it; in place."""
    mapping: dict[Value, Operand] = {}
    _share(block, _Known({}, {}), mapping)
    if mapping:
        substitute(block, mapping)


class _Known:
    """What was computed in front of a place: from numbers alone, and read in memory."""

    def __init__(self, computed: dict[Key, Value], read: dict[Key, Value]) -> None:
        self.computed = computed
        self.read = read

    def within(self, changes_memory: bool) -> _Known:
        """What a block knows that is run once or more."""
        return _Known(dict(self.computed), {} if changes_memory else dict(self.read))

    def earlier(self, call: Call, mapping: dict[Value, Operand]) -> Value:
        """The first result of an equal call: it may be that of this one."""
        known = self.computed if all(map(_is_number, call.args)) else self.read
        return known.setdefault(sharing_key(call, mapping), call.result)


def _share(block: Block, known: _Known, mapping: dict[Value, Operand]) -> bool:
    """Whether nothing in a block may change what was read before it."""
    is_quiet = True
    ops: list[Op] = []
    for op in block.ops:
        if type(op) is Call:
            if not _leaves_memory(op):
                known.read.clear()
                is_quiet = False
            elif _computes_number(op):
                earlier = known.earlier(op, mapping)
                if earlier is not op.result and op.result.name == "t":
                    mapping[op.result] = earlier
                    continue
        elif not _share_inside(op, known, mapping):
            known.read.clear()
            is_quiet = False
        ops.append(op)
    block.ops = ops
    return is_quiet


def _share_inside(op: Op, known: _Known, mapping: dict[Value, Operand]) -> bool:
    """The same of an operation that owns blocks."""
    is_quiet = not isinstance(op, For) or _leaves_all(op)
    # An iteration reads what the one before it has changed, and a handler what the body has.
    changes = isinstance(op, Try) or not is_quiet
    if isinstance(op, For | While):
        changes = changes or not all(map(_leaves_all, walk(op.body)))
    inner = [_share(block, known.within(changes), mapping) for block in blocks_of(op)]
    return is_quiet and all(inner)


def _leaves_all(op: Op) -> bool:
    if isinstance(op, For):
        return not any(is_opaque(type_of(items)) for items in op.iterables)
    return not isinstance(op, Call) or _leaves_memory(op)


def _leaves_memory(call: Call) -> bool:
    """Whether a call changes no memory."""
    if not isinstance(call.callee, Const) or facts.has_effect(call.callee.value):
        return False
    if id(call.callee.value) in DISPLAYS:
        return True
    return facts.is_pure(call.callee.value) and not any(
        is_opaque(type_of(operand)) for operand in [*call.args, *call.kwargs.values()]
    )


def _computes_number(call: Call) -> bool:
    """Whether a call gives a number that follows from its operands alone: no global is read."""
    return (
        isinstance(call.callee, Const) and facts.is_pure(call.callee.value)
        and len(call.results) == 1 and isinstance(call.result.type, Scalar)
    )


def _is_number(operand: Operand) -> bool:
    type_ = type_of(operand)
    if isinstance(type_, Known):
        return isinstance(type_.value, int | float | complex)
    return isinstance(type_, Scalar)
