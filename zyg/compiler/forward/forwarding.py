"""Reads of attributes whose contents are at hand, from an earlier read or store.

    o.x = v                    o.x = v
    p.y = w           ->       p.y = w
    z = o.x * p.y              z = v * w

Versions of the heap say what was stored in between: another attribute, or one of an object of
another class, is not in the way; the same attribute of an object that may be the same one is.

Numbers that were computed before aren't computed again either: f * m * dx, f * m * dy share f * m.
What they are computed by fails the first time, if it does, and a number can't be changed in place.
"""

from __future__ import annotations

import math
import operator
import types
from collections.abc import Iterator
from contextlib import contextmanager

from ir.core import Call, Const, Operand, Value, type_of
from ir.heap import attribute_read, attribute_set, attribute_stored
from ir.memory.held_functions import captures_memory, may_be_memory
from ir.record import record
from ir.types import Known, Scalar, class_of, widen

_ARITHMETIC = {
    id(function)
    for function in (
        operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
        operator.mod, operator.pow, operator.neg, operator.abs,
        *(f for f in vars(math).values() if isinstance(f, types.BuiltinFunctionType)),
    )
}
# No attribute has this name.
NO_NAME = ""


@record
class _Store:
    """A store into an object, or a deletion (of None), and the heap before it."""

    before: Operand
    obj: Operand
    name: object
    value: Operand | None


class Contents:
    """What objects are known to hold, at the versions of the heap of one function, and numbers
    that were computed."""

    def __init__(self) -> None:
        self._stores: dict[Operand, _Store] = {}
        self._read: dict[tuple[Operand, Operand, object], Operand] = {}
        # The same for memory, which may have changed since: it is the same memory.
        self._memory: dict[tuple[Operand, Operand, object], Operand] = {}
        # Other names of it, by later reads, with the first one.
        self._same: dict[Operand, Operand] = {}
        self._numbers: dict[tuple[object, ...], Operand] = {}

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Around a block: behind it, what was read or computed inside has no names."""
        outer = self._read, self._numbers, self._memory
        self._read, self._numbers = dict(self._read), dict(self._numbers)
        self._memory = dict(self._memory)
        try:
            yield
        finally:
            self._read, self._numbers, self._memory = outer

    def computed(
        self, op: Call, callee: Operand, args: list[Operand], varies: bool
    ) -> Operand | None:
        """The number that a call gives, if an equal call stands before it that varied as well."""
        if not _is_arithmetic(op, callee, args):
            return None
        return self._numbers.get((varies, *_key(callee, args)))

    def note_computed(
        self, op: Call, callee: Operand, args: list[Operand], varies: bool, value: Operand
    ) -> None:
        if _is_arithmetic(op, callee, args):
            self._numbers[varies, *_key(callee, args)] = value

    def note_store(self, op: Call, args: list[Operand]) -> None:
        """Notes a store; `args` are its operands as they are now."""
        assert isinstance(op.callee, Const)
        is_store = op.callee.value in (attribute_stored, attribute_set)
        name = args[2].value if isinstance(args[2], Const) else None
        self._stores[op.results[0]] = _Store(
            op.args[0], args[1], name, args[3] if is_store else None
        )

    def note_change(self, before: Operand, after: Value) -> None:
        """Notes versions of the heap between which memory was changed that objects hold: all
        attributes hold what they held."""
        self._stores[after] = _Store(before, after, NO_NAME, None)

    def note_memory(self, op: Call, args: list[Operand], value: Operand) -> None:
        """Notes which memory a read gives."""
        known = self.memory(op, args)
        if known is not None:
            self._same[value] = known
        elif len(args) == 3 and isinstance(args[2], Const):
            obj, name = args[1], args[2].value
            *_, earliest = self._versions(op.args[0], obj, name)
            self._memory[earliest, obj, name] = value

    def holds(self, op: Call, args: list[Operand], value: Operand) -> bool:
        """Whether an attribute is stored into that holds this memory already."""
        return self.memory(op, args) is self._same.get(value, value)

    def memory(self, op: Call, args: list[Operand]) -> Operand | None:
        """The memory that an attribute holds, under the name by which it was read before."""
        obj, name = args[1:3]
        if isinstance(name, Const):
            for heap in self._versions(op.args[0], obj, name.value):
                found = self._memory.get((heap, obj, name.value))
                if found is not None:
                    return found
        return None

    def known(self, op: Call, args: list[Operand]) -> Operand | None:
        """What a read gives that has been read or stored before."""
        if not _is_plain_read(op, args):
            return None
        obj, name = args[1], args[2].value  # type: ignore[union-attr]
        for heap in self._versions(op.args[0], obj, name):
            found = self._read.get((heap, obj, name))
            if found is not None:
                return found
            store = self._stores.get(heap)
            if store is not None and store.name == name and store.obj is obj:
                return store.value
        return None

    def note_read(self, op: Call, args: list[Operand], value: Operand) -> None:
        """Notes what a read gives, for the earliest version of the heap that gives the same."""
        if _is_plain_read(op, args):
            obj, name = args[1], args[2].value  # type: ignore[union-attr]
            *_, earliest = self._versions(op.args[0], obj, name)
            self._read[earliest, obj, name] = value

    def _versions(self, heap: Operand, obj: Operand, name: object) -> Iterator[Operand]:
        """The versions of the heap, backwards, in which an attribute holds the same."""
        while True:
            yield heap
            store = self._stores.get(heap)
            if store is None or store.name is None:
                return
            if store.name == name and _may_be_same(store.obj, obj):
                return
            heap = store.before


def _is_plain_read(op: Call, args: list[Operand]) -> bool:
    """Whether this reads an attribute by its name, and gives what nobody changes in place."""
    assert isinstance(op.callee, Const)
    is_read = op.callee.value is attribute_read and len(args) == 3
    if not is_read or not isinstance(args[1], Value) or not isinstance(args[2], Const):
        return False
    # What a function has captured may be changed under another name meanwhile.
    type_ = op.results[0].type
    return class_of(args[1].type) is not None and not (
        may_be_memory(type_) or captures_memory(type_)
    )


def _may_be_same(a: Operand, b: Operand) -> bool:
    """Whether two operands may be one object: not if their classes differ."""
    first, second = class_of(type_of(a)), class_of(type_of(b))
    return first is None or second is None or first is second


def _is_arithmetic(op: Call, callee: Operand, args: list[Operand]) -> bool:
    """Whether a call computes a number of numbers, and does nothing else."""
    if not isinstance(callee, Const) or id(callee.value) not in _ARITHMETIC or op.kwargs:
        return False
    return len(op.results) == 1 and all(
        isinstance(widen(type_), Scalar) for type_ in (op.result.type, *map(type_of, args))
    )


def _key(callee: Operand, args: list[Operand]) -> tuple[object, ...]:
    return tuple(
        Known(operand.value) if isinstance(operand, Const) else operand
        for operand in (callee, *args)
    )
