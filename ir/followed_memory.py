"""Memory that objects hold, each piece with an object that stands for what it holds.

    a = o.x                    t = attribute_read(heap, o, 'x')
                               c = contents_of(t)
                               a = attribute_read(heap, c, 'items')
    a.append(v)                a_1 = appended(a, v)
                               heap_1 = attribute_stored(heap, c, 'items', a_1)

So what objects hold is changed by stores into attributes alone, which passes of any order follow.
When the program runs, `items` is the memory itself, and `c` is known by its identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ir import facts
from ir.core import Block, Call, Const, If, Location, Operand, Value, Yield, type_of
from ir.errors import Unsupported
from ir.heap import HEAP, ITEMS, attribute_read, attribute_stored
from ir.held import HeldMemory, may_be_memory
from ir.place_state import check_call
from ir.types import Dict, Instance, Mapping, Scalar, Sequence, Type, class_of

if TYPE_CHECKING:
    from ir.places import Places


class InVersions(HeldMemory):
    """Memory in generated code, which has what objects hold in versions already."""

    @property
    def is_watching(self) -> bool:
        return False

    def was_read(self, made: Value, loc: Location | None) -> Operand:
        if may_be_memory(made.type):
            self._places.versions[made] = None
        return made

    def expose(self, operands: Iterable[Operand]) -> None:
        pass

    def is_exposed(self, value: Value) -> bool:
        return False

    def is_held(self, value: Value) -> bool:
        return False

    def mark(self, operands: Iterable[Operand], are_parts: bool = False) -> None:
        pass


class FollowedMemory(HeldMemory):
    """Follows, in one function, memory that objects hold by what stands for its contents."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        # What stands for the contents of what was read from an attribute, and that attribute: the
        # class of the object, and its name.
        self._read_of: dict[Value, Value] = {}
        self._owners: dict[Value, tuple[Type, str]] = {}

    def was_read(self, made: Value, loc: Location | None) -> Operand:
        inference = self._places.inference
        op = inference.definitions[made]
        assert isinstance(op, Call)
        owner, name = op.args[1], op.args[2]
        if not may_be_memory(made.type):
            return made
        if self._is_value_place(owner):
            return made
        if class_of(made.type) is None:
            self._check(inference.surroundings.unless_memory, made, loc)
            return made
        cls = self._class_for(made.type, loc)
        contents = self._contents(cls, made, loc)
        assert isinstance(op.args[0], Value)
        found = self._read_items(op.args[0], contents, made.name, made.type, loc)
        self._read_of[found] = contents
        if isinstance(name, Const):
            self._owners[found] = type_of(owner), name.value
        self.expose([found])
        return found

    def _latest(self, value: Value) -> Value:
        # A change of what may be held gives it a new version, and exposes that.
        first = self._places.origin(value)
        return self._places.state.current.get(first, first)

    def _again(
        self, before: Value, first: Value, version: Value, loc: Location | None
    ) -> Value:
        surroundings = self._places.inference.surroundings
        if class_of(before.type) is None:
            self._check(surroundings.unless_held, before, loc)
            return before
        type_ = surroundings.changed_type(before.type)
        if first in self._read_of:
            return self._read_items(version, self._read_of[first], before.name, type_, loc)
        cls = self._class_for(type_, loc)
        again = Value(before.name, type_)
        self._if_followed(before, lambda: [self._read_items(
            version, self._contents(cls, before, loc), before.name, type_, loc
        )], [before], [again], loc)
        return again

    def change(
        self, callee: Any, target: Value, operands: list[Operand], loc: Location | None,
        type_: Type, held: list[Operand],
    ) -> Value:
        places = self._places
        inference = places.inference
        now = places.read(target, loc)
        assert isinstance(now, Value)
        version = Value(now.name, type_)
        inference._define(Call(Const(callee), [now, *operands], {}, [version], loc))
        self.was_changed(target, version, loc)
        self.expose(operands)
        self.mark(held)
        return target

    def is_changed_by(
        self, changed: list[tuple[int | str, Operand]], loc: Location | None
    ) -> bool:
        super().is_changed_by(changed, loc)
        return False  # their contents get versions, like what no object holds

    def at_exit(self, value: Value) -> Operand:
        return self.read(super().at_exit(value), self._places.inference.loc)

    def has_contents(
        self, operand: Value, deep: bool = False, loc: Location | None = None
    ) -> bool:
        found = operand.type != HEAP and self.is_held(operand)
        if found and deep:
            raise self._refused(loc)
        return found

    def was_changed(self, memory: Value, version: Value, loc: Location | None) -> None:
        places = self._places
        inference, state = places.inference, places.state
        first = places.origin(memory)
        self._note_change(first, version.type)
        cls = self._class_for(version.type, loc)
        if first in self._read_of:
            heap = inference.current_heap(loc)
            self._store_items(heap, self._read_of[first], version, loc)
            return
        state.writes.setdefault(places.storage(first), loc)
        places.written(state.current.get(first, first), version, loc)
        heap = inference.current_heap(loc)
        after = Value(heap.name, heap.type)
        self._if_followed(version, lambda: [self._stored_items(
            heap, self._contents(cls, version, loc), version, loc
        )], [heap], [after], loc)
        self.heap_changed(heap, after, loc)
        # It is what its contents are.
        for name in {first, places.storage(first)}:
            state.exposed[name] = after
            self.known.add(name)

    def is_held(self, value: Value) -> bool:
        if self._places.inference.heap is None or value.type == HEAP:
            return False
        return super().is_held(value) or self.is_exposed(value)

    def store(
        self, callee: Any, heap: Value, operands: list[Operand], held: list[Operand],
        loc: Location | None,
    ) -> None:
        inference = self._places.inference
        value = held[0] if held else None
        if not isinstance(value, Value) or not may_be_memory(value.type) or (
            self._is_value_place(operands[0])
        ):
            super().store(callee, heap, operands, [], loc)
            return
        owner, name, _ = operands
        assert isinstance(name, Const)
        type_ = inference.surroundings.field_type(owner, name.value)
        cls = self._class_for(type_, loc)
        contents = self._contents(cls, value, loc, is_new=True)
        heap = self._store_items(heap, contents, value, loc)
        reference = Value(value.name, value.type)
        made = Call(
            Const(inference.surroundings.reference), [value], {}, [reference], loc
        )
        self._append(made)
        super().store(callee, heap, [owner, name, reference], [], loc)
        self.mark(held)

    def check_local(
        self, target: Value, version: Value, loc: Location | None, deep: bool = False
    ) -> None:
        if deep:
            raise self._refused(loc)
        super().check_local(target, version, loc)

    # What stands for contents

    def _is_value_place(self, owner: Operand) -> bool:
        cls = class_of(type_of(owner))
        return cls is not None and self._places.inference.surroundings.is_value_place(cls)

    def _class_for(self, type_: Type, loc: Location | None) -> type:
        """The class of what stands for memory of a type."""
        item = facts.item_of(type_)
        is_flat = isinstance(type_, Sequence | Mapping | Dict) and not may_be_memory(item)
        if not is_flat and not facts.copies_items(class_of(type_) or object):
            self._places.inference.surroundings.unless_settled()
            raise self._refused(loc)
        cls: type = self._places.inference.surroundings.contents_class(type_)
        self._places.inference.surroundings.note_store(Instance(cls), ITEMS, type_)
        return cls

    def _check(self, check: Any, value: Value, loc: Location | None) -> None:
        """Sees to it that a value of unknown type has no contents that would have to be read."""
        self._places.inference.ops.append(check_call(check, [value], loc))

    def _refused(self, loc: Location | None) -> Unsupported:
        return Unsupported(
            "the second derivative of code in which objects hold more than lists, dicts and "
            "arrays of numbers", loc, advice="let it return what it computes",
        )

    def _note_change(self, first: Value, type_: Type) -> None:
        surroundings = self._places.inference.surroundings
        is_array = facts.copies_items(class_of(type_) or object)
        owner, name = self._owners.get(first, (None, ""))
        if owner is None and not is_array:
            surroundings.note_change_of_given(type_)
        elif owner is not None:
            surroundings.note_change_of_held(owner, name, type_, is_array)

    def _contents(
        self, cls: type, memory: Value, loc: Location | None, is_new: bool = False
    ) -> Value:
        inference = self._places.inference
        surroundings = inference.surroundings
        callee = surroundings.contents_put if is_new else surroundings.contents_of
        found = Value("contents", Instance(cls))
        made = Call(Const(callee), [Const(cls), memory], {}, [found], loc)
        self._append(made)
        return found

    def _read_items(
        self, heap: Value, contents: Value, name: str, type_: Type, loc: Location | None
    ) -> Value:
        found = Value(name, type_)
        made = Call(Const(attribute_read), [heap, contents, Const(ITEMS)], {}, [found], loc)
        self._append(made)
        return found

    def _stored_items(
        self, heap: Value, contents: Value, items: Value, loc: Location | None
    ) -> Value:
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
        self, memory: Value, then: Callable[[], list[Operand]], other: list[Operand],
        results: list[Value], loc: Location | None,
    ) -> None:
        """Appends a branch on whether something stands for the contents of memory."""
        inference = self._places.inference
        known = Value("t", Scalar(bool))
        inference.ops.append(Call(
            Const(inference.surroundings.is_followed), [memory], {}, [known], loc
        ))
        outer, inference.ops = inference.ops, []
        try:
            values = then()
            arm = Block([], inference.ops, Yield(values))
        finally:
            inference.ops = outer
        op = If(known, arm, Block([], [], Yield(list(other))), list(results), loc)
        self._append(op)
