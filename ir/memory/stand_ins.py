"""What stands for the contents of memory that objects hold, and how it is read and stored.

    c = contents_of(t)
    a = attribute_read(heap, c, 'items')
    heap_1 = attribute_stored(heap, c, 'items', a_1)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ir import facts, primitives
from ir.core import Block, Call, Const, If, Location, Operand, Value, Yield
from ir.heap import IDENTITY, ITEMS, attribute_read, attribute_stored
from ir.memory.held import HeldMemory
from ir.memory.held_types import CONTAINERS, item_held
from ir.memory.place_state import check_call
from ir.types import BOTTOM, Instance, Scalar, Type, class_of


def is_empty(type_: Type) -> bool:
    """Whether code is made for a container that holds nothing."""
    return isinstance(type_, CONTAINERS) and item_held(type_) == BOTTOM


def _taken_from(op: Call) -> Value | None:
    """The value that an item is taken out of."""
    takes = isinstance(op.callee, Const) and op.callee.value in _TAKING
    return op.args[0] if takes and isinstance(op.args[0], Value) else None


_TAKING = (operator.getitem, primitives.unpack)


class StandIns(HeldMemory):
    """Appends operations on what stands for contents.

    Where views of arrays are followed, what stands for an array is that of the whole one:

        c = part_contents_of(view)          whole = c.items
        a = part_of(whole, place)           whole_1 = whole_with(whole, a_1, place)
    """

    # Arrays, or views of some, for whose contents, or those of the whole ones, a value stands.
    parts: dict[Value, Value]

    def _check(self, check: Any, value: Value, loc: Location | None) -> None:
        """Sees to it that a value of unknown type has no contents that would have to be read."""
        self._places.inference.ops.append(check_call(check, [value], loc))

    def _contents(
        self, cls: type, memory: Value, loc: Location | None, is_new: bool = False
    ) -> Value:
        inference = self._places.inference
        surroundings = inference.surroundings
        if facts.copies_items(class_of(memory.type) or object) and self._may_be_view(memory):
            surroundings.unless_views()
        callee = surroundings.contents_put if is_new else surroundings.contents_of
        found = Value("contents", Instance(cls))
        if self.is_part(memory.type):
            callee = surroundings.part_contents_put if is_new else surroundings.part_contents_of
            self.parts[found] = memory
        made = Call(Const(callee), [Const(cls), memory], {}, [found], loc)
        self._append(made)
        return found

    def _may_be_view(self, array: Value) -> bool:
        """Whether an array may be a view of one that the program knows: an item of an array in a
        loop, or what a call gives of which nothing else is known. What objects hold was looked at
        where it was put there."""
        places = self._places
        first = places.origin(array)
        if places.kind(places.storage(first)) != "unknown":
            return False
        made = places.inference.definitions.get(first)
        if made is None:
            return True
        while isinstance(made, Call) and (whole := _taken_from(made)) is not None:
            made = places.inference.definitions.get(whole)
        return isinstance(made, Call) and not (
            isinstance(made.callee, Const) and made.callee.value is attribute_read
        )

    def _read_items(
        self, heap: Value, contents: Value, name: str, type_: Type, loc: Location | None
    ) -> Value:
        if contents in self.parts:
            surroundings = self._places.inference.surroundings
            whole = self._read_whole(heap, contents, name, surroundings.whole_type(type_), loc)
            found = Value(name, type_)
            ndim = Const(surroundings.ndim_of(type_))
            operands: list[Operand] = [whole, self._place(contents, loc), ndim]
            self._append(Call(Const(surroundings.part_of), operands, {}, [found], loc))
            return found
        found = self._read_whole(heap, contents, name, type_, loc)
        if is_empty(type_):
            self._check(self._places.inference.surroundings.unless_filled, found, loc)
        return found

    def is_part(self, type_: Type) -> bool:
        """Whether what stands for memory of a type is that of a whole array."""
        is_array = facts.copies_items(class_of(type_) or object)
        return is_array and self._places.inference.surroundings.follows_views()

    def _read_whole(
        self, heap: Value, contents: Value, name: str, type_: Type, loc: Location | None
    ) -> Value:
        found = Value(name, type_)
        made = Call(Const(attribute_read), [heap, contents, Const(ITEMS)], {}, [found], loc)
        self._append(made)
        return found

    def _place(self, contents: Value, loc: Location | None) -> Value:
        """Where an array lies in the whole one."""
        place = Value("place", IDENTITY)
        callee = self._places.inference.surroundings.place_of
        self._append(Call(Const(callee), [self.parts[contents]], {}, [place], loc))
        return place

    def _stored_items(
        self, heap: Value, contents: Value, items: Value, loc: Location | None
    ) -> Value:
        if contents in self.parts:
            surroundings = self._places.inference.surroundings
            type_ = surroundings.whole_type(items.type)
            whole = self._read_whole(heap, contents, items.name, type_, loc)
            ndim = Const(surroundings.ndim_of(items.type))
            operands: list[Operand] = [whole, items, self._place(contents, loc), ndim]
            items = Value(items.name, type_)
            self._append(Call(Const(surroundings.whole_with), operands, {}, [items], loc))
        version = Value(heap.name, heap.type)
        made = Call(
            Const(attribute_stored), [heap, contents, Const(ITEMS), items], {}, [version], loc
        )
        self._append(made)
        return version

    def _store_items(
        self, heap: Value, contents: Value, items: Value, loc: Location | None
    ) -> Value:
        version = self._stored_items(heap, contents, items, loc)
        self.heap_changed(heap, version, loc)
        return version

    def _append(self, op: Call | If) -> None:
        """Appends an operation on what stands for contents, whose names nobody has to follow."""
        inference = self._places.inference
        inference.ops.append(op)
        if inference._at is not None:
            inference._made_for[op] = inference._at
        for value in op.results:
            inference.definitions[value] = op

    def _if_followed(
        self, memory: Value, then: Callable[[], list[Operand]],
        other: list[Operand] | Callable[[], list[Operand]],
        results: list[Value], loc: Location | None,
    ) -> None:
        """Appends a branch on whether something stands for the contents of memory."""
        inference = self._places.inference
        known = Value("t", Scalar(bool))
        inference.ops.append(Call(
            Const(inference.surroundings.is_followed), [memory], {}, [known], loc
        ))
        arms = []
        for arm in (then, other if callable(other) else lambda: list(other)):
            outer, inference.ops = inference.ops, []
            try:
                values = arm()
                arms.append(Block([], inference.ops, Yield(values)))
            finally:
                inference.ops = outer
        self._append(If(known, arms[0], arms[1], list(results), loc))
