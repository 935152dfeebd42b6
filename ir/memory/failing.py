"""What can be lost when an operation fails: changes in place that the body of a `Try` has made.

A handler sees the memory as it was before the body. That is right where a body changes something
with its last operation that can fail; `ir.syntax.attempts` cuts bodies accordingly, as far as the
source tells. What types tell only, that a call changes its argument, is found here.
"""

from __future__ import annotations

import functools

from ir import facts, primitives, try_primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Lambda,
    Loop,
    Op,
    Raise,
    Value,
    blocks_of,
    is_end_guarded,
    type_of,
)
from ir.heap import is_heap
from ir.memory.memory_facts import changed_by
from ir.memory.places import Places
from ir.record import made, node
from ir.rewrite import defined, walk
from ir.types import Known, Scalar


@node
class Cuts:
    """What `ir.catching` has cut: calls of `attempt`, with those they stand for, and pieces.

    With it what was found out about a `Try`, which is met again in each round of the loops around
    it: types only get wider there.
    """

    made_for: dict[Op, Op] = made(dict)
    pieces: set[Op] = made(set)
    # Those whose bodies may fail; the changes behind which one has to be cut; what it was cut into.
    failing: set[Op] = made(set)
    changes: dict[Op, frozenset[Op]] = made(dict)
    cut: dict[tuple[Op, frozenset[Op]], list[Op]] = made(dict)


NEVER = {
    id(function) for function in (
        primitives.build_tuple, primitives.build_list, primitives.written, primitives.alias,
        primitives.narrowed, try_primitives.end_guarded, try_primitives.catching,
        try_primitives.catching_found,
    )
}
# Functions that read iterators to their end.
READERS = (
    sum, list, tuple, max, min, sorted, any, all, set, dict, frozenset, next, functools.reduce,
)
TOTAL_CLASSES = (int, bool, float)


def may_fail(op: Op) -> bool:
    """Whether an operation, or one inside of it, may raise an exception."""
    match op:
        case Lambda():
            return False
        case Call(Const(callee), args):
            if id(callee) in NEVER:
                return False
            types = [*map(type_of, args)]
            return not (facts.is_total(callee, types) and all(map(_is_number, types)))
        case Call():
            return True
        case For(iterables) if any(_may_run_out(type_of(operand)) for operand in iterables):
            return True
        case _:
            return any(
                isinstance(block.exit, Raise) or any(map(may_fail, block.ops))
                for block in blocks_of(op)
            )


def _is_number(type_: object) -> bool:
    match type_:
        case Known(value):
            return value is None or type(value) in TOTAL_CLASSES
        case Scalar(cls):
            return cls in TOTAL_CLASSES
        case _:
            return False


def _may_run_out(type_: object) -> bool:
    """Whether iterating may raise."""
    cls = getattr(type_, "cls", None)
    return cls not in (list, tuple, range) and type(type_).__name__ not in ("Array", "Tuple")


def changes_of(body: Block, places: Places) -> set[Op]:
    """The operations in a block that change memory from outside."""
    local = defined(body)

    def is_outer(value: Value) -> bool:
        if is_heap(value):
            return True
        storage = places.first_storage(value)
        return not {storage, *places.roots(storage)} <= local

    return {
        op for op in walk(body) if any(map(is_outer, changed_by(op))) or reads_lazily(op, places)
    }


def reads_lazily(op: Op, places: Places) -> bool:
    """Whether an operation reads an iterator that a call made which works on objects.

    The functions that such an iterator calls change things while it is read.
    """
    match op:
        case For(iterables):
            return any(map(places.may_be_lazy, iterables))
        case Call(Const(callee), args) if any(callee is reader for reader in READERS):
            return any(map(places.may_be_lazy, args))
        case _:
            return False


def may_lose_changes(body: Block, changes: set[Op], at_once: set[Op]) -> bool:
    """Whether a guarded body changes something before something in it fails.

    `at_once` are the calls of functions that either fail or make their changes.
    """
    return bool(changes) and _Changes(changes, at_once).fails_behind(
        body.ops, isinstance(body.exit, Raise)
    )


class _Changes:
    def __init__(self, changes: set[Op], at_once: set[Op]) -> None:
        self._changes = changes
        self._at_once = at_once
        # What takes apart the pairs that catching variants return.
        self._whole = at_once - changes
        self.has_changed = False

    def fails_behind(self, ops: list[Op], raises: bool) -> bool:
        for op in ops:
            if is_end_guarded(op):
                return False
            if self._op(op):
                return True
        return raises and self.has_changed

    def _op(self, op: Op) -> bool:
        """Whether something fails in an operation behind a change."""
        if isinstance(op, Call):
            if self.has_changed and may_fail(op) and op not in self._whole:
                return True
            if op in self._changes:
                self.has_changed = True
                callee = op.callee.value if isinstance(op.callee, Const) else None
                if any(callee is reader for reader in READERS):
                    return True
                return callee is primitives.updating and op not in self._at_once
            return False
        before = self.has_changed
        if before and may_fail(op):
            return True
        is_loop = isinstance(op, Loop)
        found = False
        for block in blocks_of(op):
            self.has_changed = before
            found = found or self._inside(block)
        if any(inner in self._changes for block in blocks_of(op) for inner in walk(block)):
            self.has_changed = True
            found = found or (is_loop and may_fail(op))
        return found

    def _inside(self, block: Block) -> bool:
        if any(self._op(op) for op in block.ops):
            return True
        return self.has_changed and isinstance(block.exit, Raise)
