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
from typing import NamedTuple

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
    blocks_of,
    operands_of,
    type_of,
)
from ir.memory.contents import held_classes, holds_memory
from ir.memory.memory_facts import changed_by
from ir.rewrite import walk
from ir.types import Closure, Known, Method, Type, class_of
from zyg.compiler.specialisation import Specialisation
from zyg.held.kinds_of_items import contents_kept, kinds_kept
from zyg.rules.registry import is_constant, rule_of, substitute_of
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
    """Whether a function, or one that it calls, gives arrays or containers to calls that nobody
    looks into."""
    return any(
        is_unseen_call(op) and any(is_known_memory(type_of(one)) for one in operands_of(op))
        for one in made.with_callees() if not _is_own(one) for op in walk(one.function.body)
    )


def _is_own(made: Specialisation) -> bool:
    """Whether this is a function of zyg's, of which is known what it changes."""
    return str(made.source.globals.get("__name__")).startswith(("zyg.", "ir."))


def is_given_containers(operands: Iterable[Operand]) -> bool:
    """Whether a list, dict, set or deque is among some operands, or in one of them."""
    return any(bool((held_classes(type_of(one)) or set()) & _CONTAINERS) for one in operands)


def wholes_of(operands: Iterable[Operand], made: dict[Value, Op]) -> list[Value]:
    """The arrays and containers among some operands, what these are views of, and what functions
    among them have captured."""
    found: dict[Value, None] = {}
    pending = list(operands)
    while pending:
        operand = pending.pop()
        if not isinstance(operand, Value) or operand in found:
            continue
        op = made.get(operand)
        if isinstance(op, Lambda):
            pending += operands_of(op)
        elif is_known_memory(operand.type):
            found[operand] = None
            if isinstance(op, Call) and isinstance(op.callee, Const) and facts.is_view(op):
                pending.append(op.args[0])
    return list(found)


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
    forward: Block, saved: list[Saved], root: Callable[[Value], Value]
) -> list[Value]:
    """Has unseen calls raise if they change what was read before, or in the same loop, and an
    adjoint will read; gives the values of which copies do: behind the call others are read."""
    born: dict[Value, _Place] = {}
    calls: list[tuple[Call, _Place]] = []
    functions: dict[Operand, Lambda] = {}

    def scan(block: Block, loops: frozenset[Op]) -> None:
        for op in block.ops:
            place = _Place(len(born), loops)
            if isinstance(op, Call) and is_unseen_call(op):
                calls.append((op, place))
            if isinstance(op, Lambda):
                functions[op.result] = op
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
        given = {root(one) for one in _with_captured(operands_of(call), functions)}
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
        else:
            if not _is_checked(call):
                call.callee, call.args = with_kinds_kept(call.callee, call.args)
            if called_by(call.callee, call.args) is call.callee:
                call.callee = Const(contents_kept)
            else:
                call.args[0] = Const(contents_kept)
    return list(copied)


def _with_captured(operands: list[Operand], functions: dict[Operand, Lambda]) -> set[Value]:
    """The values among some operands, and what the functions among these have captured."""
    found: set[Value] = set()
    pending = list(operands)
    while pending:
        operand = pending.pop()
        if isinstance(operand, Value) and operand not in found:
            found.add(operand)
            made = functions.get(operand)
            pending += operands_of(made) if made is not None else []
    return found


def _is_checked(call: Call) -> bool:
    callee = called_by(call.callee, call.args)
    return isinstance(callee, Const) and callee.value is kinds_kept
