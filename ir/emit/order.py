"""Which operations must keep their order, and which may move past others."""

from __future__ import annotations

import operator
from types import FunctionType, ModuleType

from ir import facts, primitives
from ir.core import Call, Const, Lambda, Op, Value, type_of
from ir.heap import set_attribute
from ir.memory.contents import holds_memory, is_immutable_class
from ir.types import Known, Scalar, Tuple, Type, class_of

STORES = (operator.setitem, primitives.store_back, set_attribute)
_ALWAYS = {id(f) for f in (primitives.build_tuple, slice, primitives.load_global)}


def append(items: list[object], item: object) -> None:
    """Stands for `items.append(item)`: the only change in place, known to the printer alone."""
    items.append(item)


class LeftOut:
    """The type of `LEFT_OUT`: what an arm of a branch hands out that a loop shall not collect."""

    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT = LeftOut()


def is_store(op: Op) -> bool:
    """Whether an operation is `items[index] = value` or `obj.name = value`, as the source has
    it."""
    return isinstance(op, Call) and isinstance(op.callee, Const) and len(op.args) == 3 and (
        op.callee.value in STORES
    )


def is_temporary(value: Value) -> bool:
    """Whether a value has no name that a reader would miss."""
    return value.name in ("t", "items", "item")


def is_ordered(op: Op) -> bool:
    """Whether an operation may raise, or has or sees effects, so that its place matters."""
    if not isinstance(op, Call):
        return not isinstance(op, Lambda)
    if not isinstance(op.callee, Const):
        return True
    callee = op.callee.value
    if id(callee) in _ALWAYS:
        return False
    if facts.is_metadata(callee):
        # Objects hold lists and dicts that grow under names which aren't known here.
        return callee is len and not _keeps_its_length(type_of(op.args[0]))
    types = tuple(map(type_of, op.args))
    quiet = facts.quiet_of(callee)
    if not facts.is_total(callee, types) and not (quiet is not None and quiet(types)):
        return not (callee is getattr and _is_of_names(types[0]))
    return not all(map(_is_numeric, types))


def may_change_unseen(op: Op) -> bool:
    """Whether a call may change memory that it isn't given, or is given without being known for a
    change: what is found while the program runs, and what isn't written in Python."""
    if not isinstance(op, Call):
        return False
    if not isinstance(op.callee, Const):
        return True
    callee = op.callee.value
    if facts.may_change_unseen(callee) or getattr(callee, "gives_unseen", False) is True:
        return True
    is_known = isinstance(callee, FunctionType | type) or facts.is_pure(callee) or (
        facts.result_of(callee) is not None or type(callee).__module__.startswith(("zyg.", "ir."))
    )
    return not is_known and reads_memory(op)


def reads_memory(op: Op) -> bool:
    """Whether a call is given arrays or containers, or what may hold some."""
    return isinstance(op, Call) and any(
        isinstance(arg, Value) and holds_memory(arg.type)
        for arg in (*op.args, *op.kwargs.values())
    )


def _keeps_its_length(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and (facts.copies_items(cls) or is_immutable_class(cls))


def _is_of_names(type_: object) -> bool:
    return isinstance(type_, Known) and isinstance(type_.value, ModuleType | type)


def _is_numeric(type_: object) -> bool:
    match type_:
        case Known(value):
            return isinstance(value, int | float | complex | None)
        case Scalar():
            return True
        case Tuple(items):
            return all(map(_is_numeric, items))
        case _:
            return type(type_).__name__ == "Array"
