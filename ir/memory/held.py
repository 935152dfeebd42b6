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

import operator
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.errors import Unsupported
from ir.heap import HEAP, attribute_read
from ir.memory.contents import has_parts, holds_memory
from ir.memory.held_functions import (
    HeldFunctions,
    captures_memory,
    is_view,
    may_be_memory,
    may_be_numbers,
)
from ir.memory.held_types import item_held
from ir.memory.place_state import check_call
from ir.types import (
    Iterator,
    Type,
    class_of,
)

if TYPE_CHECKING:
    from ir.memory.places import Places


class HeldMemory(HeldFunctions):
    """Follows, in one function, the memory that objects may hold."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        # All memory that the function has put into objects, or calls of it have.
        self.given: dict[Value, None] = {}
        # All that was exposed anywhere: loops come to a place again from behind it.
        self.known: set[Value] = set()
        # What was put into objects under names that may be other memory: `np.asarray(a)`.
        self.perhaps_given: set[Value] = set()

    @property
    def is_watching(self) -> bool:
        """Whether objects may change memory that they hold, which values are read from."""
        inference = self._places.inference
        return inference.heap is not None and inference.surroundings.may_change_held()

    def was_read(self, made: Value, loc: Location | None) -> Operand:
        """What a read of an attribute gives, which was just appended."""
        self.expose([made])
        return made

    def expose(self, operands: Iterable[Operand]) -> None:
        """Notes that objects may hold these, and change them from here on."""
        inference, state = self._places.inference, self._places.state
        heap = inference.heap
        if heap is None or not inference.surroundings.may_change_held():
            return
        version = state.current.get(heap, heap)
        for operand in operands:
            if isinstance(operand, Value) and may_be_memory(operand.type):
                first = self._places.origin(operand)
                for name in (first, self._places.storage(first)):
                    if self._is_seen(name) and name not in state.exposed:
                        # What was exposed before, perhaps in part or in an earlier iteration, is
                        # a name of what it was then.
                        storage = self._places.storage(name)
                        parts = {name, storage, *self._places.roots(storage)}
                        state.exposed[name] = version if parts.isdisjoint(self.known) else name
                    self.known.add(name)
                self.expose(self._places.parts(operand))

    def _expose_names(self, names: Iterable[Value]) -> None:
        """The same for other names of what objects may hold, which were read some time before."""
        places, state = self._places, self._places.state
        if places.inference.heap is None or not places.inference.surroundings.may_change_held():
            return
        for value in names:
            if may_be_memory(value.type):
                for name in (places.origin(value), places.storage(value)):
                    state.exposed.setdefault(name, name)
                    self.known.add(name)

    def _is_seen(self, first: Value) -> bool:
        """Whether memory that is exposed is what its name says, up to the next change."""
        return True

    def is_exposed(self, value: Value) -> bool:
        places = self._places
        storage, name = places.storage(value), places.origin(value)
        known = {places.viewed(name), storage, *places.roots(storage)}
        # What is changed as memory that an object holds (`is_held`) is read as such, too. Of what
        # is one of several values, those count.
        return name in self.known or any(
            root in self.known or (root not in places.covers and places.kind(root) == "unknown")
            for root in known
        )

    def read(self, value: Operand, loc: Location | None) -> Operand:
        """The value to read in the place of one that an object may have changed in place."""
        places, state = self._places, self._places.state
        heap = places.inference.heap
        if heap is None or not isinstance(value, Value):
            return value
        if not may_be_memory(value.type):
            if not isinstance(value.type, Iterator):
                return value
            is_made_here = value in state.exposed
            if is_view(value.type) and (not is_made_here or self._reads_held(value)):
                return self._view_as_it_is(value, loc)
            self._check_iterator(value, loc)
            return value
        if self._is_plain(value):
            return value
        first = places.origin(value)
        known = state.exposed.get(first)
        if known is None:
            if not self.is_exposed(first):
                return value
            known = self._exposed_since(first)
        version = state.current.get(heap, heap)
        if known is version:
            return self._latest(value)
        before = state.current.get(first, first)
        seen = state.seen.get(first)
        if seen is not None and seen[0] is version and seen[1] is before:
            return seen[2]
        again = self._again(before, first, version, loc)
        if again is before:
            return before
        state.origins[again] = places.first_names[again] = first
        state.seen[first] = version, before, again
        self.known.add(again)  # also behind the block that it is of
        return again

    def _is_plain(self, value: Value) -> bool:
        """Whether memory is what it was when it was read: nobody changes any of its class."""
        return self._places.inference.surroundings.leaves_alone(value.type)

    def _view_as_it_is(self, view: Value, loc: Location | None) -> Operand:
        """A view of a dict, which shows what that holds now: one that was made elsewhere."""
        state, heap = self._places.state, self._places.inference.heap
        assert heap is not None
        version = state.current.get(heap, heap)
        since = state.exposed.get(view, heap if view in self._places.inputs else None)
        if not self.is_watching or since is version:
            return view
        seen = state.seen.get(view)
        if seen is None or seen[0] is not version:
            again = self._view_again(view, version, loc)
            seen = state.seen[view] = state.seen[again] = version, view, again
        return seen[2]

    def _view_again(self, view: Value, version: Value, loc: Location | None) -> Value:
        return self._read_again(view, view.type, version, loc)

    def _check_iterator(self, value: Value, loc: Location | None) -> None:
        """Refuses an iterator that was made before objects changed what it will come to."""
        state, heap = self._places.state, self._places.inference.heap
        assert heap is not None
        known = state.exposed.get(value, heap if value in self._places.inputs else None)
        if known is not None and known is not state.current.get(heap, heap):
            if self.is_watching and self._reads_held(value):
                self._places.inference.surroundings.unless_settled()
                raise Unsupported(
                    "an iterator over what objects hold, which may have changed since it was made",
                    loc, advice="make a list of the items, and read that",
                )

    def _reads_held(self, value: Value) -> bool:
        """Whether an iterator reads numbers out of memory that objects may hold. Rows are looked at
        where they are taken out of it."""
        made = self._places.inference.definitions.get(value)
        if not isinstance(made, Call):
            return value in self._places.inputs
        return any(
            self._reads_held(arg) if isinstance(arg.type, Iterator)
            else may_be_memory(arg.type) and may_be_numbers(item_held(arg.type))
            and self.is_exposed(arg) and not self._is_own(arg)
            for arg in made.args if isinstance(arg, Value)
        )

    def _is_own(self, value: Value) -> bool:
        """Whether no object holds a container itself, but at most what it holds."""
        places = self._places
        storage = places.storage(value)
        return places.kind(storage) == "new" and storage not in self.given

    def made(self, call: Call) -> None:
        """Notes when iterators are made, by functions of C."""
        state, heap = self._places.state, self._places.inference.heap
        is_python = not isinstance(call.callee, Const) or (
            isinstance(call.callee.value, types.FunctionType)
        )
        if heap is not None and not is_python:
            for value in call.results:
                if isinstance(value.type, Iterator):
                    state.exposed[value] = state.current.get(heap, heap)

    def _exposed_since(self, first: Value) -> Value | None:
        """The version of the heap that a view that was read before, or one of several values, is
        of."""
        return self._places.state.exposed.get(self._places.storage(first))

    def _latest(self, value: Value) -> Value:
        """The version of a value that was exposed since objects changed last."""
        return value

    def _again(
        self, before: Value, first: Value, version: Value, loc: Location | None
    ) -> Value:
        """What memory holds behind a version of the heap, by its latest and its first name; the
        former, if that has a check in front of it."""
        type_ = self._places.inference.surroundings.changed_type(before.type)
        return self._read_again(before, type_, version, loc)

    def is_held(self, value: Value) -> bool:
        """Whether memory can only be changed as what an object holds."""
        places = self._places
        storage = places.storage(value)
        if places.inference.heap is None or storage.type == HEAP:
            return False
        is_deep = places.may_be_element(value)
        roots = places.roots(storage) if is_deep else places.shallow_roots(storage)
        stored = places.state.stored
        if any(stored[root] or is_deep for root in (storage, *roots) if root in stored):
            return True
        return any(places.kind(root) == "unknown" for root in roots)

    def _is_given(self, value: Value) -> bool:
        return self._places.storage(value) in self.given

    def is_changed_by(
        self, changed: list[tuple[int | str, Operand]], loc: Location | None
    ) -> bool:
        """Whether a call changes memory that objects hold, beside the objects themselves."""
        held = [
            operand for _, operand in changed
            if isinstance(operand, Value) and operand.type != HEAP and self.is_held(operand)
        ]
        for operand in held:
            self._places.note_names(operand, loc)
        return bool(held)

    def at_exit(self, value: Value) -> Operand:
        """What an input that was changed holds where the function ends."""
        return self._places.latest(value)

    def has_contents(
        self, operand: Value, deep: bool = False, loc: Location | None = None
    ) -> bool:
        """Whether an object stands for the contents of memory that a call changes; `deep`: and of
        what it holds."""
        return False

    def is_read_in(self, inputs: list[Value]) -> bool:
        """Whether what inputs hold may have to be read from objects."""
        return False

    def operands_of(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> tuple[list[Operand], dict[str, Operand]]:
        """The operands of a call, which may read what they hold at any depth."""
        return [self.read_function(arg, loc) for arg in args], {
            name: self.read_function(arg, loc) for name, arg in kwargs.items()
        }

    def was_changed(self, memory: Value, version: Value, loc: Location | None) -> None:
        """Notes what such memory holds behind a change."""
        raise AssertionError("no object stands for contents")

    def change(
        self, callee: Any, target: Value, operands: list[Operand], loc: Location | None,
        type_: Type, held: list[Operand],
    ) -> Value:
        """Appends a change of memory that an object holds, which the run time looks after.

        Objects hold the operands in `held` from here on.
        """
        places = self._places
        inference = places.inference
        if self._may_be_local(target):
            inference.surroundings.unless_in_cells()
        op = inference.definitions.get(places.origin(target))
        owner: Type | None = None
        name = ""
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is attribute_read and isinstance(op.args[2], Const):
                owner, name = type_of(op.args[1]), op.args[2].value
        is_array = facts.copies_items(class_of(target.type) or object)
        is_element = owner is None and places.contents.is_element(target)
        is_given = is_element or self._is_given(target)
        if owner is None and not is_array and is_given and class_of(type_) is not None:
            inference.surroundings.note_change_of_given(type_, target.type, is_element)
        else:
            inference.surroundings.note_change_of_held(owner, name, type_, is_array)
        inference.changing_call(Const(callee), [places.read(target, loc), *operands], loc)
        self.expose(operands)
        self.mark(held, callee in (primitives.spliced, primitives.extended))
        return target

    def _may_be_local(self, target: Value) -> bool:
        """Whether memory that an object may hold may be some, too, that none has been given yet."""
        places = self._places
        return any(
            holds_memory(root.type)
            and (root not in places.state.stored or root in places.state.doubtful)
            and not self._is_read(root)
            and not (root in self.known and root in places.covers)
            for root in places.roots(places.storage(target))
        )

    def _is_read(self, value: Value) -> bool:
        """Whether memory was read of an object, or of what one holds."""
        made = self._places.inference.definitions.get(value)
        if not isinstance(made, Call) or not isinstance(made.callee, Const):
            return False
        callee, first = made.callee.value, made.args[0] if made.args else None
        if isinstance(callee, types.FunctionType) and callee.__module__ == "ir.heap":
            return True
        return callee is operator.getitem and isinstance(first, Value) and self._is_read(first)

    def store(
        self, callee: Any, heap: Value, operands: list[Operand], held: list[Operand],
        loc: Location | None,
    ) -> None:
        """Appends a store into an object, which holds the operands in `held` from here on."""
        places = self._places
        version = Value(heap.name, heap.type)
        places.inference._define(Call(Const(callee), [heap, *operands], {}, [version], loc))
        self.heap_changed(heap, version, loc)
        self.mark(held)

    def mark(self, operands: Iterable[Operand], are_parts: bool = False) -> None:
        """Notes that objects hold these from here on; `are_parts`: what they hold alone."""
        places = self._places
        operands = places.with_sources(operands)
        self.give_perhaps(operands)
        self.expose(operands)
        if not places.inference.surroundings.may_change_held():
            places.hold(operands)
        for value in self._memory_in(operands):
            names = self._names_of(value, are_parts)
            places.state.note_stored(names)
            self._expose_names(root for root, is_whole in names.items() if is_whole)
            self.given.update(dict.fromkeys(names))

    def with_captured(self, callee: Operand, operands: list[Operand]) -> list[Operand]:
        """Operands of a call, with the memory that a function has captured in the place of the
        function."""
        if not isinstance(callee, Value) or not any(callee is one for one in operands):
            return operands
        storage = self._places.storage(callee)
        known = [root for root in self._places.roots(storage) if holds_memory(root.type)]
        return [operand for operand in operands if operand is not callee] + known

    def changed_in_call(self, operands: Iterable[Operand]) -> None:
        """Notes that a call may have put these into objects, and changed them there since: they are
        read again behind it."""
        for value in self._memory_in(operands):
            names = self._names_of(value)
            self._expose_names(root for root, is_whole in names.items() if is_whole)

    def mark_perhaps(self, operands: Iterable[Operand]) -> None:
        """The same for what was given to a call of which nothing is known: objects hold these from
        here on, or none does."""
        state = self._places.state
        before = dict(state.stored), dict(state.doubtful)
        self.mark(operands)
        marked, (state.stored, state.doubtful) = state.stored, before
        state.note_perhaps_stored(marked)

    def lend(self, operands: Iterable[Operand]) -> None:
        """Notes that something that isn't followed may put these into objects."""
        operands = list(operands)
        self.give_perhaps(operands)
        self.expose(operands)
        for value in self._memory_in(operands):
            names = self._names_of(value)
            self._expose_names(root for root, is_whole in names.items() if is_whole)

    def _memory_in(self, operands: Iterable[Operand]) -> list[Value]:
        """The memory among operands, and in tuples of it."""
        return [
            value for value in self._places.with_parts(operands)
            if isinstance(value, Value) and may_be_memory(value.type)
        ]

    def _names_of(self, value: Value, are_parts: bool = False) -> dict[Value, bool]:
        """The names of memory, and of what it holds, and whether each is one of all of it, or of a
        container that holds it; `are_parts`: of what it holds alone."""
        places = self._places
        storage = places.storage(value)
        # A list of numbers has none of the memory that it was copied from. What was an element may
        # be what is known by another name.
        is_deep = places.may_be_element(value) or has_parts(value.type)
        known = places.roots if is_deep else places.shallow_roots
        own = {storage, *places.shallow_roots(storage)}
        roots = {storage, *known(storage)} - (own if are_parts else set())
        containers = places.containers_of(value)
        if places.may_have_been_element(storage) and not has_parts(value.type):
            containers |= {root for root in roots if not places.may_be(value, root)}
        return {root: root not in containers for root in roots}

    def give_perhaps(self, operands: Iterable[Operand]) -> None:
        """Notes that objects may hold what these are perhaps names of."""
        for operand in self._places.with_parts(operands):
            if isinstance(operand, Value) and (
                may_be_memory(operand.type) or isinstance(operand.type, Iterator)
                or captures_memory(operand.type)
            ):
                places = self._places
                found = [
                    source for source in places.may_come_from(operand)
                    if source not in self.perhaps_given
                ]
                for source in found:
                    names = {source, *places.roots(source)}
                    self.perhaps_given |= names
                    self._expose_names(names)
                self.give_perhaps(found)

    def heap_changed(self, heap: Value, version: Value, loc: Location | None) -> None:
        """Notes a new version of the heap that a call has left."""
        places = self._places
        places.state.writes.setdefault(places.storage(heap), loc)
        places.written(heap, version, loc)

    def check_local(
        self, target: Value, version: Value, loc: Location | None, deep: bool = False
    ) -> None:
        """Sees to it that no object holds memory that is changed under a local name; `deep`: nor
        what it holds."""
        places = self._places
        inference = places.inference
        if inference.heap is None and places.storage(target) in places.inputs:
            return  # by the caller
        surroundings = inference.surroundings
        roots = places.roots(places.storage(target))
        is_perhaps_given = not roots.isdisjoint(self.perhaps_given)
        if is_perhaps_given and not surroundings.may_change_held():
            surroundings.note_change_of_given(target.type, target.type, False)
        if is_perhaps_given or self.is_exposed(target):
            cls = class_of(target.type)
            may_be_array = cls is None or facts.copies_items(cls)
            # Without the heap, it is the caller's, which knows that, or was made here.
            if may_be_array and inference.heap is not None:
                surroundings.note_change_of_array()
            check = surroundings.unless_holding_held if deep else surroundings.unless_held
            inference.ops.append(check_call(check, [version], loc))
