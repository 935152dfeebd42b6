"""Memory that objects hold: arrays and containers in attributes, changed in place there.

    a = o.x                    a = attribute_read(heap, o, 'x')
    a[0] = v                   _, heap_1 = updating(stored, ('heap@',), a, 0, v, heap@=heap)
    y = np.sum(a)              a_1 = contents_read(heap_1, a)
                               y = np.sum(a_1)

Which names such memory has can't be told when code is made. So it is changed by operations that
the run time looks after, by the identity of the memory; and what an object may hold is looked at
again (`contents_read`) behind each new version of the heap. What is *exposed* may be held by an
object: what was read from one, given to a call that works on objects, or came from outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ir import facts
from ir.contents import holds_memory
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.heap import HEAP, Heap, Identity, attribute_read, contents_read
from ir.types import Iterator, Known, Method, Type, class_of

if TYPE_CHECKING:
    from ir.places import Places


def may_be_memory(type_: Type) -> bool:
    """Whether a value of this type may be an array or container, which an object can hold."""
    cls = class_of(type_)
    if cls is not None and (facts.is_object(cls) or cls in (Heap, Identity)):
        return False
    return holds_memory(type_) and not isinstance(type_, Iterator | Method)


class HeldMemory:
    """Follows, in one function, the memory that objects may hold."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def expose(self, operands: Iterable[Operand]) -> None:
        """Notes that objects may hold these, and change them from here on."""
        inference, state = self._places.inference, self._places.state
        heap = inference.heap
        if heap is None or not inference.surroundings.may_change_held():
            return
        version = state.current.get(heap, heap)
        for operand in operands:
            if isinstance(operand, Value) and may_be_memory(operand.type):
                state.exposed[self._places.origin(operand)] = version
                self.expose(self._places.parts(operand))

    def is_exposed(self, value: Value) -> bool:
        places = self._places
        storage = places.storage(value)
        known = {places.origin(value), storage, *places.roots(storage)}
        return any(root in places.state.exposed for root in known)

    def read(self, value: Operand, loc: Location | None) -> Operand:
        """The value to read in the place of one that an object may have changed in place."""
        places, state = self._places, self._places.state
        heap = places.inference.heap
        if heap is None or not isinstance(value, Value) or not may_be_memory(value.type):
            return value
        first = places.origin(value)
        known = state.exposed.get(first)
        if known is None:
            storage = places.storage(first)
            if storage is first or not self.is_exposed(first):
                return value
            known = state.exposed.get(storage, value)  # a view, read before
        version = state.current.get(heap, heap)
        if known is version:
            return value
        before = state.current.get(first, first)
        seen = state.seen.get(first)
        if seen is not None and seen[0] is version and seen[1] is before:
            return seen[2]
        again = Value(before.name, before.type)
        call = Call(Const(contents_read), [version, before], {}, [again], loc)
        places.inference.ops.append(call)
        places.inference.definitions[again] = call
        state.origins[again] = places.first_names[again] = first
        state.seen[first] = version, before, again
        return again

    def is_held(self, value: Value) -> bool:
        """Whether memory can only be changed as what an object holds."""
        places = self._places
        storage = places.storage(value)
        if places.inference.heap is None or storage.type == HEAP:
            return False
        is_deep = places.contents.is_element(value)
        known = places.roots(storage) if is_deep else places.shallow_roots(storage)
        roots = {storage, *known}
        if any(root in places.state.stored for root in roots):
            return True
        return any(places.kind(root) == "unknown" for root in roots)

    def is_changed_by(self, changed: list[tuple[int | str, Operand]]) -> bool:
        """Whether a call changes memory that objects hold, beside the objects themselves."""
        return any(
            isinstance(operand, Value) and operand.type != HEAP
            and self.is_held(operand)
            for _, operand in changed
        )

    def change(
        self, callee: Any, target: Value, operands: list[Operand], loc: Location | None,
        type_: Type,
    ) -> Value:
        """Appends a change of memory that an object holds, which the run time looks after."""
        places = self._places
        inference = places.inference
        op = inference.definitions.get(places.origin(target))
        owner: Type | None = None
        name = ""
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is attribute_read and isinstance(op.args[2], Const):
                owner, name = type_of(op.args[1]), op.args[2].value
        is_array = facts.copies_items(class_of(target.type) or object)
        inference.surroundings.note_change_of_held(owner, name, type_, is_array)
        inference.changing_call(Const(callee), [places.read(target, loc), *operands], loc)
        self.expose(operands)
        return target

    def store(
        self, callee: Any, heap: Value, operands: list[Operand], held: list[Operand],
        loc: Location | None,
    ) -> None:
        """Appends a store into an object, which holds the operands in `held` from here on."""
        places = self._places
        version = Value(heap.name, heap.type)
        places.inference._define(Call(Const(callee), [heap, *operands], {}, [version], loc))
        self.heap_changed(heap, version, loc)
        if not places.inference.surroundings.may_change_held():
            places.hold(held)
            return
        self.expose(held)
        for operand in held:
            for value in [operand, *places.parts(operand)]:
                if isinstance(value, Value) and may_be_memory(value.type):
                    storage = places.storage(value)
                    places.state.stored.update(
                        (root, None) for root in {storage, *places.roots(storage)}
                    )

    def heap_changed(self, heap: Value, version: Value, loc: Location | None) -> None:
        """Notes a new version of the heap that a call has left."""
        places = self._places
        places.state.writes.setdefault(places.storage(heap), loc)
        places.written(heap, version, loc)

    def check_local(self, target: Value, version: Value, loc: Location | None) -> None:
        """Sees to it that no object holds memory that is changed under a local name."""
        if self.is_exposed(target):
            inference = self._places.inference
            check = Const(inference.surroundings.unless_held)
            inference.ops.append(Call(check, [version], {}, [Value("_", Known(None))], loc))
