"""What can be lost when an operation fails: changes in place that the body of a `Try` has made.

A handler sees the memory as it was before the body. That is right where a body changes something
with its last operation that can fail; `ir.attempts` cuts bodies accordingly, as far as the source
tells. What types tell only, that a call changes its argument, is found here.
"""

from __future__ import annotations

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Lambda,
    Op,
    Raise,
    Value,
    While,
    blocks_of,
    is_end_guarded,
    type_of,
)
from ir.places import Places, changed_by
from ir.rewrite import defined, walk
from ir.types import Known, Scalar

NEVER = {
    id(function) for function in (
        primitives.build_tuple, primitives.build_list, primitives.written, primitives.alias,
        primitives.end_guarded,
    )
}
TOTAL_CLASSES = (int, bool, float)


def may_fail(op: Op) -> bool:
    """Whether an operation, or one inside of it, may raise an exception."""
    match op:
        case Lambda():
            return False
        case Call(Const(callee), args):
            if id(callee) in NEVER:
                return False
            return not (facts.is_total(callee) and all(_is_number(type_of(arg)) for arg in args))
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


def may_lose_changes(body: Block, places: Places) -> bool:
    """Whether a guarded body changes memory from outside before something in it fails."""
    local = defined(body)

    def is_outer(value: Value) -> bool:
        storage = places.storage(value)
        return not {storage, *places.roots(storage)} <= local

    changes = {op for op in walk(body) if any(map(is_outer, changed_by(op)))}
    return bool(changes) and _Changes(changes).fails_behind(
        body.ops, isinstance(body.exit, Raise)
    )


class _Changes:
    def __init__(self, changes: set[Op]) -> None:
        self._changes = changes
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
            if self.has_changed and may_fail(op):
                return True
            if op in self._changes:
                self.has_changed = True
                callee = op.callee.value if isinstance(op.callee, Const) else None
                return callee is primitives.updating
            return False
        before = self.has_changed
        if before and may_fail(op):
            return True
        is_loop = isinstance(op, For | While)
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
