"""Dead code and common subexpressions: what nothing reads is not computed.

`eliminate_dead` keeps what a caller can notice: effects, and errors that the function may raise;
with `speculative` set to the blocks of compiler-made code, whatever is pure goes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import ModuleType

from ir import facts, primitives, try_primitives
from ir.core import (
    Block,
    Call,
    Const,
    Exit,
    For,
    If,
    Lambda,
    Loop,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    blocks_of,
    exit_operands,
    is_end_guarded,
    operands_of,
    type_of,
)
from ir.memory.failing import may_fail
from ir.rewrite import substitute
from ir.types import Dict, Known, Method, NamedTuple, Scalar, Sequence, Tuple, Type, Union, has_item

DISPLAYS = {
    id(function)
    for function in (
        primitives.build_tuple, primitives.build_list, primitives.build_dict, slice,
        primitives.load_global, primitives.read_captured, primitives.read_default,
        primitives.narrowed, try_primitives.catching, try_primitives.catching_found,
    )
}

Removable = Callable[[Call], bool]


def is_silent(call: Call) -> bool:
    """Whether a call has no effect and raises nothing but shape errors."""
    if not isinstance(call.callee, Const):
        return False
    callee = call.callee.value
    if id(callee) in DISPLAYS or callee is primitives.alias or facts.is_metadata(callee):
        return True
    if callee is try_primitives.special_method:
        return isinstance(call.result.type, Method)
    if callee is getattr and (
        isinstance(call.result.type, Method) or not is_opaque(type_of(call.args[0]))
        or _is_of_module(*call.args)
    ):
        return True
    if callee is primitives.unpack:
        return isinstance(type_of(call.args[0]), Tuple | NamedTuple)
    if callee is operator.getitem and has_item(*map(type_of, call.args)):
        return True
    quiet = facts.quiet_of(callee)
    if quiet is not None and quiet(tuple(map(type_of, call.args))):
        return True
    if not facts.is_total(callee, map(type_of, call.args)):
        return False
    operands = [*call.args, *call.kwargs.values()]
    return not any(is_opaque(type_of(operand)) for operand in operands)


def is_pure(call: Call) -> bool:
    """Whether a call of compiler-made code can be left out: it is there for its value only."""
    if not isinstance(call.callee, Const):
        return False
    callee = call.callee.value
    if facts.has_effect(callee) or getattr(callee, "works_on_objects", False):
        return False
    return id(callee) in DISPLAYS or callee in (getattr, primitives.unpack) or (
        facts.is_pure(callee) or facts.is_helper(callee)
    )


def _is_of_module(owner: Operand, name: Operand, *default: Operand) -> bool:
    """Whether a module is asked for what it has."""
    if not isinstance(owner, Const) or not isinstance(name, Const):
        return False
    return isinstance(owner.value, ModuleType) and name.value in vars(owner.value)


def is_opaque(type_: Type) -> bool:
    """Whether an operation on such a value may run code of the user's."""
    match type_:
        case Known(value):
            return not isinstance(value, int | float | complex | str | tuple | slice | None)
        case Scalar():
            return False
        case Tuple(items):
            return any(map(is_opaque, items))
        case Union(members):
            return any(map(is_opaque, members))
        case Sequence(item=item):
            return is_opaque(item)
        case Dict(items):
            return any(is_opaque(item) for _, item in items)
        case _:
            return type(type_).__name__ not in ("Array", "Slice")


class _Marker:
    """Marks what is needed, from the roots backwards along the definitions."""

    def __init__(self, removable: Removable) -> None:
        self.removable = removable
        self.needed_ops: set[Op] = set()
        self.needed: set[Value] = set()
        self.parents: dict[Op | Block, Op | Block | None] = {}
        self.defined_by: dict[Value, tuple[Op, int]] = {}
        self.param_of: dict[Value, tuple[Op, int]] = {}
        self.pending: list[Operand] = []
        self.walks: list[For] = []
        self.is_guarded = False
        self.guarded_around: list[bool] = []

    def has_effect(self, op: Op) -> bool:
        match op:
            case Call() if self.is_guarded:
                # Whether it fails decides what happens, also by an error of shapes.
                return may_fail(op) or not self.removable(op) or is_end_guarded(op)
            case Call():
                return not self.removable(op)
            case For(iterables):
                return any(is_opaque(type_of(operand)) for operand in iterables)
            case _:
                return isinstance(op, While)  # which may never end

    def scan(self, block: Block, parent: Op | None) -> None:
        parents, defined_by, removable = self.parents, self.defined_by, self.removable
        parents[block] = parent
        for op in block.ops:
            parents[op] = block
            for i, value in enumerate(op.results):
                defined_by[value] = op, i
            if type(op) is Call and not self.guarded_around:
                if not removable(op):
                    self.need(op)
                continue
            if isinstance(op, Loop):
                for i, value in enumerate(op.body.params):
                    self.param_of[value] = op, i
            if isinstance(op, Try):
                self.scan_attempt(op)
            else:
                for inner in blocks_of(op):
                    self.scan(inner, op)
            if is_end_guarded(op):
                self.is_guarded = self.guarded_around.pop()
            elif self.has_effect(op):
                self.need(op)
        if isinstance(block.exit, Raise) and parent is not None:
            self.need(parent)
            self.pending += exit_operands(block.exit)
            self.raise_within(parent)

    def scan_attempt(self, op: Try) -> None:
        outer, self.is_guarded = self.is_guarded, True
        self.guarded_around.append(outer)
        self.scan(op.body, op)
        self.is_guarded = outer
        if not any(map(is_end_guarded, op.body.ops)):
            self.guarded_around.pop()
        self.scan(op.handler, op)

    def raise_within(self, op: Op) -> None:
        self.need(op)

    def need(self, op: Op) -> None:
        """An operation has to stay, and so has all that decides whether it runs."""
        if op in self.needed_ops:
            return
        self.needed_ops.add(op)
        match op:
            case _ if type(op) is Call:
                self.pending += operands_of(op)
            case Lambda():
                self.pending += operands_of(op)
            case If():
                self.pending.append(op.cond)
            case Try():
                self.pending += op.catches
                for inner in filter(is_end_guarded, op.body.ops):
                    self.needed_ops.add(inner)
            case For() | While():
                if isinstance(op, For) and _walks_at_once(op):
                    self.walks.append(op)
                elif isinstance(op, For):
                    self.pending += op.iterables
                if isinstance(op.body.exit, Yield):
                    self.pending.append(op.body.exit.values[0])
        block = self.parents[op]
        parent = self.parents[block] if block is not None else None
        if parent is not None and not isinstance(parent, Block):
            self.need(parent)

    def run(self, exit: Exit) -> None:
        self.pending += exit_operands(exit)
        self.mark()
        while self.walks:
            op = self.walks.pop()
            if self.needed.isdisjoint(op.items):  # it says how often the body runs
                self.pending.append(op.iterables[0])
                self.mark()

    def mark(self) -> None:
        pending, needed, defined_by = self.pending, self.needed, self.defined_by
        while pending:
            operand = pending.pop()
            if type(operand) is not Value or operand in needed:
                continue
            needed.add(operand)
            if operand in defined_by:
                op, i = defined_by[operand]
                self.need(op)
                if type(op) is not Call:
                    self.need_result(op, i)
            elif operand in self.param_of:
                op, i = self.param_of[operand]
                self.need(op)
                items = len(op.iterables) if isinstance(op, For) else 0
                if i >= items:
                    self.need_result(op, i - items)
                elif isinstance(op, For):
                    self.pending.append(op.iterables[i])

    def need_result(self, op: Op, i: int) -> None:
        match op:
            case If() | Try():
                for block in op.blocks:
                    if isinstance(block.exit, Yield):
                        self.pending.append(block.exit.values[i])
            case For() | While():
                if i < len(op.init):
                    self.pending += [op.init[i], op.carried[i]]
                    self.pending.append(op.results[i])
                if isinstance(op.body.exit, Yield):
                    self.pending.append(op.body.exit.values[i + 1])


def eliminate_dead(block: Block, removable: Removable = is_silent) -> None:
    """Removes, in place, what neither the exit of the block nor an effect needs."""
    marker = _Marker(removable)
    marker.scan(block, None)
    marker.run(block.exit)
    _sweep(block, marker)


def _sweep(block: Block, marker: _Marker) -> None:
    block.ops = [op for op in block.ops if op in marker.needed_ops]
    for op in block.ops:
        if type(op) is Call:
            continue
        match op:
            case If() | Try():
                kept = [i for i, value in enumerate(op.results) if value in marker.needed]
                op.results = [op.results[i] for i in kept]
                for inner in op.blocks:
                    if isinstance(inner.exit, Yield):
                        inner.exit.values = [inner.exit.values[i] for i in kept]
            case For() | While():
                _sweep_loop(op, marker)
        for inner in blocks_of(op):
            _sweep(inner, marker)


def _walks_at_once(op: For) -> bool:
    """Whether a loop walks backwards over sequences of one length, of which one would do."""
    return op.backwards and len(op.iterables) > 1


def _sweep_loop(op: For | While, marker: _Marker) -> None:
    kept = [i for i, value in enumerate(op.results) if value in marker.needed]
    count = len(op.init)
    items = op.items if isinstance(op, For) else []
    carried = [op.carried[i] for i in kept if i < count]
    op.init = [op.init[i] for i in kept if i < count]
    op.results = [op.results[i] for i in kept]
    if isinstance(op.body.exit, Yield):
        stop, *values = op.body.exit.values
        op.body.exit.values = [stop, *(values[i] for i in kept)]
    if isinstance(op, For) and _walks_at_once(op):
        used = [i for i, value in enumerate(items) if value in marker.needed] or [0]
        op.iterables = [op.iterables[i] for i in used]
        items = [items[i] for i in used]
    op.body.params = [*items, *carried]


Key = tuple[object, ...]


def share_common(block: Block, known: dict[Key, list[Value]] | None = None) -> None:
    """Computes equal pure scalar or array expressions once, in compiler-made code."""
    known = dict(known or {})
    mapping: dict[Value, Operand] = {}
    ops: list[Op] = []
    for op in block.ops:
        if type(op) is Call and is_pure(op) and is_shareable(op):
            key = sharing_key(op, mapping)
            earlier = known.get(key)
            if earlier is not None:
                mapping.update(zip(op.results, earlier, strict=True))
                continue
            known[key] = op.results
        ops.append(op)
        if type(op) is not Call:
            for inner in blocks_of(op):
                if mapping:
                    substitute(inner, mapping)
                share_common(inner, known)
    block.ops = ops
    substitute(block, mapping)


def is_shareable(op: Call) -> bool:
    callee = op.callee.value if isinstance(op.callee, Const) else None
    fresh = primitives.build_list, primitives.build_dict, primitives.load_global
    return callee not in fresh and not facts.is_buffer(callee)


def sharing_key(op: Call, mapping: dict[Value, Operand]) -> Key:
    def part(operand: Operand) -> object:
        if type(operand) is Value:
            operand = mapping.get(operand, operand)
        return operand if type(operand) is Value else Known(operand.value)  # type: ignore[union-attr]

    return (
        part(op.callee), *map(part, op.args),
        *((name, part(arg)) for name, arg in op.kwargs.items()),
    )
