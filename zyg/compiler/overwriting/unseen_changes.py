"""Calls that may change what they are given, without inference having followed that.

    y = np.sum(a * w)          y = np.sum(a * w); w_kept = w.copy()
    tools[i](w)           ->   tools[i](w); w_1 = w            w_1 is what it holds from here on
    z = np.sum(b * w)          z = np.sum(b * w_1)

No derivative flows through such a call, so it is made as it is; a call of a function that gives its
arguments to one counts as well. Where one name isn't all that the adjoint reads of the memory, the
call raises if it changes that (`contents_kept`).
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    Lambda,
    Loop,
    Op,
    Operand,
    Value,
    Yield,
    blocks_of,
    operands_of,
    type_of,
)
from ir.heap import IDENTITY, STORES
from ir.memory.contents import held_classes, holds_memory
from ir.memory.memory_facts import changed_by
from ir.rewrite import blocks, walk
from ir.types import (
    Closure,
    Dict,
    Known,
    Mapping,
    Method,
    Scalar,
    Sequence,
    Tuple,
    Type,
    class_of,
)
from zyg.compiler.specialisation import Specialisation
from zyg.held.kinds_of_items import (
    contents_kept,
    contents_noted,
    kinds_kept,
    unless_contents_changed,
)
from zyg.rules.registry import constant, is_constant, rule_of, substitute_of
from zyg.signature import is_by_rules

_CONTAINERS = {list, dict, set, deque}
# Reads of attributes (`slice.step`), which are calls in the IR.
_ATTRIBUTES = (types.MemberDescriptorType, types.GetSetDescriptorType)


def may_be_changed_by(op: Op) -> list[Value]:
    """The operands that an operation changes in place, or may change unseen."""
    if not isinstance(op, Call) or not is_unseen_call(op):
        return changed_by(op)
    return [
        operand for operand in operands_of(op)
        if isinstance(operand, Value) and holds_memory(operand.type)
    ]


def is_unseen_call(op: Op) -> bool:
    """Whether an operation is a call of which it isn't known what it leaves as it is."""
    return isinstance(op, Call) and is_unseen(called_by(op.callee, op.args), op.kwargs)


def called_by(callee: Operand, args: list[Operand]) -> Operand:
    """The function that a call is of, which may be known to change some arguments as well."""
    is_updating = isinstance(callee, Const) and callee.value is primitives.updating
    return args[0] if is_updating else callee


def with_kinds_kept(callee: Operand, args: list[Operand]) -> tuple[Operand, list[Operand]]:
    """A call that raises if containers hold items of other kinds behind it."""
    if called_by(callee, args) is callee:
        return Const(kinds_kept), [callee, *args]
    function, changed, *given = args
    assert isinstance(changed, Const)
    shifted = tuple([name + 1 if isinstance(name, int) else name for name in changed.value])
    return callee, [Const(kinds_kept), Const(shifted), function, *given]


def gives_memory_unseen(made: Specialisation) -> bool:
    """Whether a function, or one that it calls, runs as it is, or gives arrays, containers or what
    may hold such to calls that nobody looks into."""
    on_heap = made.heap is not None
    leads = is_known_memory if on_heap else _may_lead_to_memory
    return any(
        (not one.is_done and not on_heap) or any(
            is_unseen_call(op) and any(leads(type_of(operand)) for operand in operands_of(op))
            for op in walk(one.function.body)
        )
        for one in made.with_callees()
        if not (_is_of_library(one) or is_replaced(one, on_heap))
    )


def is_replaced(one: Specialisation, on_heap: bool) -> bool:
    """Whether a program on objects calls other code in the place of this, which knows no heap."""
    return on_heap and one.heap is None and (one.works_on_objects or not one.is_done)


def _may_lead_to_memory(type_: Type) -> bool:
    return is_known_memory(type_) or _may_hold_others(type_)


def _is_of_library(made: Specialisation) -> bool:
    """Whether this is a function of zyg's or NumPy's, of which is known what it changes."""
    return str(made.source.globals.get("__name__")).startswith(("zyg.", "ir.", "numpy."))


def is_given_containers(operands: Iterable[Operand]) -> bool:
    """Whether a list, dict, set or deque is among some operands, or in one of them."""
    return any(bool((held_classes(type_of(one)) or set()) & _CONTAINERS) for one in operands)


def makers_in(block: Block) -> dict[Operand, Op]:
    """By which operation each value comes to be, those that a block begins with by its owner."""
    found: dict[Operand, Op] = {}
    for op in walk(block):
        found.update(dict.fromkeys(op.results, op))
        for inner in blocks_of(op):
            found.update(dict.fromkeys(inner.params, op))
    return found


def led_to(
    operands: Iterable[Operand], makers: dict[Operand, Op], on_heap: bool
) -> list[Value]:
    """The values among some operands, what they are views of, and what functions among them have
    captured. What objects and containers hold, too, where code that takes the heap doesn't follow
    it."""
    found: dict[Value, None] = {}
    pending = list(operands)
    while pending:
        operand = pending.pop()
        if not isinstance(operand, Value) or operand in found:
            continue
        found[operand] = None
        made = makers.get(operand)
        if made is None:
            continue
        if isinstance(made, Lambda) or (not on_heap and _may_hold_others(operand.type)):
            pending += operands_of(made)
            exits = [block.exit for block in blocks_of(made)]
            pending += [value for exit in exits if isinstance(exit, Yield) for value in exit.values]
        elif isinstance(made, Call) and isinstance(made.callee, Const) and facts.is_view(made):
            pending.append(made.args[0])
    return list(found)


def _may_hold_others(type_: Type) -> bool:
    """Whether a value may hold memory, or functions and objects that do, as no array does."""
    match type_:
        case Sequence(_, item) | Mapping(item=item):
            return not isinstance(item, Scalar)
        case Dict(items):
            return not all(isinstance(item, Scalar) for _, item in items)
        case Tuple(items):
            return not all(isinstance(item, Scalar) for item in items)
        case Scalar() | Known():
            return False
        case _:
            return class_of(type_) is not np.ndarray


def is_known_memory(type_: Type) -> bool:
    """Whether values of a type are arrays or containers."""
    return class_of(type_) in {np.ndarray, *_CONTAINERS}


def is_unseen(callee: Operand, keywords: Iterable[str]) -> bool:
    """Whether it isn't known of a call what it leaves as it is."""
    if not isinstance(callee, Const):
        type_ = type_of(callee)
        function = type_.function if isinstance(type_, Method) else type_
        return not isinstance(function, Known | Closure)
    function = callee.value
    if any(function is store for store in STORES.values()):
        return False
    if function is kinds_kept or getattr(function, "gives_unseen", False) is True:
        return True
    if isinstance(function, (*_ATTRIBUTES, type)) or (
        isinstance(function, types.FunctionType) and not is_by_rules(function)
    ):
        return False
    if type(function).__module__.startswith(("zyg.", "ir.")):  # generated code
        return False
    if any(name in ("out", "output") or name.startswith("overwrite_") for name in keywords):
        return True
    is_known = facts.result_of(function) is not None or facts.is_pure(function) or is_constant(
        function
    )
    return not is_known and rule_of(function) is None and substitute_of(function) is None


class Saved(NamedTuple):
    """A value that an adjoint reads, what stands for its memory, and whether it may be copied."""

    value: Value
    root: Value
    may_copy: bool


class _Place(NamedTuple):
    """Where an operation stands: its number, and the loops that it is in."""

    at: int
    loops: frozenset[Op]


def check_unseen(
    forward: Block, saved: list[Saved], root: Callable[[Value], Value], on_heap: bool,
    is_inner: bool = False,
) -> list[Value]:
    """Has unseen calls raise if they change what was read before, or in the same loop, and an
    adjoint will read; gives the values of which copies do: behind the call others are read."""
    born: dict[Value, _Place] = {}
    calls: list[tuple[Call, _Place]] = []
    makers = makers_in(forward)

    def scan(block: Block, loops: frozenset[Op]) -> None:
        for op in block.ops:
            place = _Place(len(born), loops)
            if isinstance(op, Call) and is_unseen_call(op):
                calls.append((op, place))
            inside = loops | {op} if isinstance(op, Loop) else loops
            for inner in blocks_of(op):
                born.update(dict.fromkeys(inner.params, _Place(len(born), inside)))
                scan(inner, inside)
            born.update(dict.fromkeys(op.results, place))

    scan(forward, frozenset())
    start = _Place(-1, frozenset())
    # The loops of which each iteration has memory of its own.
    own: dict[Value, frozenset[Op]] = {}
    for value, place in born.items():
        if holds_memory(value.type):
            own[root(value)] = own.get(root(value), place.loops) & place.loops
    copied: dict[Value, None] = {}
    for call, place in calls:
        given = {root(one) for one in led_to(operands_of(call), makers, on_heap)}
        reached = [
            (one, made) for one in saved if one.root in given and one.value not in copied
            and (made := born.get(one.value, start)) and (
                made.at < place.at or (made.loops & place.loops) - own.get(one.root, frozenset())
            )
        ]
        if all(
            one.may_copy and is_known_memory(one.value.type) and one.value in operands_of(call)
            and made.loops == place.loops for one, made in reached
        ):
            copied.update(dict.fromkeys(one.value for one, _ in reached))
        elif is_inner and getattr(_known(call.callee), "gives_unseen", False) is True:
            _check_apart(forward, call)
        else:
            if not _is_checked(call):
                call.callee, call.args = with_kinds_kept(call.callee, call.args)
            if called_by(call.callee, call.args) is call.callee:
                call.callee = Const(contents_kept)
            else:
                call.args[0] = Const(contents_kept)
    return list(copied)


constant(contents_noted, unless_contents_changed)


def _check_apart(forward: Block, call: Call) -> None:
    """Puts what raises beside a call of generated code, which stays what it is: it will be
    differentiated in turn."""
    noted, nothing = Value("noted", IDENTITY), Value("_", Known(None))
    given = [call.callee, *call.args, *call.kwargs.values()]
    (block,) = [b for b in blocks(forward) if any(op is call for op in b.ops)]
    place = next(i for i, op in enumerate(block.ops) if op is call)
    block.ops[place : place + 1] = [
        Call(Const(contents_noted), given, {}, [noted], call.loc), call,
        Call(Const(unless_contents_changed), [noted], {}, [nothing], call.loc),
    ]


def _known(callee: Operand) -> Any:
    return callee.value if isinstance(callee, Const) else None


def _is_checked(call: Call) -> bool:
    callee = called_by(call.callee, call.args)
    return isinstance(callee, Const) and callee.value is kinds_kept
