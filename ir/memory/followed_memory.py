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

import operator
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    Function,
    If,
    Lambda,
    Location,
    Operand,
    Value,
    Yield,
    type_of,
)
from ir.errors import Unsupported
from ir.heap import HEAP
from ir.inference.special_calls import captured_names, default_names
from ir.memory.contents import UNKNOWN
from ir.memory.followed_types import is_tuple, may_be_none, may_capture, unless_none
from ir.memory.held_functions import captures_memory, may_be_memory
from ir.memory.held_tables import (
    HeldTables,
    is_of_unknown,
    kind_of_items,
    may_be_one,
)
from ir.memory.held_types import CONTAINERS, is_container, is_memory_of_memory, is_table, item_held
from ir.memory.memory_facts import KEYS, keeps_places
from ir.types import (
    BOTTOM,
    Closure,
    Dict,
    Iterator,
    Known,
    Scalar,
    Type,
    Union,
    class_of,
    join,
)

if TYPE_CHECKING:
    from ir.memory.places import Places


# Changes by which the items of another container are added.
_ADDING_ITEMS = (primitives.spliced, primitives.extended)


class FollowedMemory(HeldTables):
    """Follows, in one function, memory that objects hold by what stands for its contents."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.parts = {}
        # What stands for the contents of what was read from an attribute, and that attribute: the
        # class of the object, and its name.
        self._read_of: dict[Value, Value] = {}
        self._owners: dict[Value, tuple[Type, str]] = {}
        self._plain: set[Value] = set()  # read of attributes, and changed by nobody

    def was_read(self, made: Value, loc: Location | None) -> Operand:
        inference = self._places.inference
        op = inference.definitions[made]
        assert isinstance(op, Call)
        _, owner, name = op.args[:3]
        if not may_be_memory(made.type):
            if isinstance(made.type, Iterator) and made.type.cls is not KEYS:
                self._check(inference.surroundings.unless_reading_held, made, loc)
            return made
        if self._is_value_place(owner):
            return made
        if inference.surroundings.leaves_alone(unless_none(made.type)):
            self._plain.add(made)
            self.expose([made])
            return made
        if may_be_none(made.type):
            assert isinstance(op.args[0], Value)
            return self._read_unless_none(op.args[0], made, unless_none(made.type), loc)
        if class_of(made.type) is None:
            self._check(inference.surroundings.unless_memory, made, loc)
            return made
        if is_tuple(made.type):
            self.expose([made])
            return made
        if is_table(made.type):
            self._check_known(made.type, loc)
            found = self._reference(made, made.type, loc)
            self.expose([found])
            return found
        cls = self._class_for(made.type, loc)
        contents = self._contents(cls, made, loc)
        assert isinstance(op.args[0], Value)
        found = self._read_items(op.args[0], contents, made.name, made.type, loc)
        self._read_of[found] = contents
        if isinstance(name, Const):
            self._owners[found] = type_of(owner), name.value
        self.expose([found])
        return found

    def _read_unless_none(
        self, heap: Value, made: Value, type_: Type, loc: Location | None
    ) -> Value:
        """Memory that was read of an attribute that may hold None in its place."""
        is_none = Value("t", Scalar(bool))
        inference = self._places.inference
        self._append(Call(Const(operator.is_), [made, Const(None)], {}, [is_none], loc))
        outer, inference.ops = inference.ops, []
        try:
            # Of what a container of memory holds, nothing but references is read here.
            memory = found = self._reference(made, type_, loc)
            if is_table(type_):
                self._check_known(type_, loc)
            else:
                contents = self._contents(self._class_for(type_, loc), memory, loc)
                found = self._read_items(heap, contents, made.name, type_, loc)
            arm = Block([], inference.ops, Yield([found]))
        finally:
            inference.ops = outer
        result = Value(made.name, made.type)
        none = Block([], [], Yield([Const(None)]))
        self._append(If(is_none, none, arm, [result], loc))
        self.expose([result])
        return result

    def _is_plain(self, value: Value) -> bool:
        places = self._places
        if not places.inference.surroundings.leaves_alone(unless_none(value.type)):
            return False
        # What was put into a container is read by what stands for its contents.
        is_new = places.kind(places.storage(value)) == "new" and not places.may_be_element(value)
        return is_new or places.origin(value) in self._plain

    def _exposed_since(self, first: Value) -> Value | None:
        return super()._exposed_since(first) if self._is_seen(first) else None

    def _is_seen(self, first: Value) -> bool:
        # What was read of a container is a reference, and its contents another object's.
        return not self._places.contents.is_element(first)

    def _latest(self, value: Value) -> Value:
        # A change of what may be held gives it a new version, and exposes that.
        first = self._places.origin(value)
        return self._places.state.current.get(first, first)

    def _again(
        self, before: Value, first: Value, version: Value, loc: Location | None
    ) -> Value:
        if may_be_none(before.type):
            return self._again_unless_none(before, version, loc)
        surroundings = self._places.inference.surroundings
        if not is_container(before.type):
            if class_of(before.type) is None:
                self._check(surroundings.unless_held, before, loc)
            return self._view_again(before, version, loc)
        if is_tuple(before.type):
            return before  # its parts are looked at where they are taken out
        if captures_memory(item_held(before.type)):
            return before  # so are the functions in it
        type_ = surroundings.changed_type(
            before.type, self._places.contents.is_element(first)
        )
        if is_table(type_):
            self._check_known(type_, loc)
            return before if type_ == before.type else self._retyped(before, type_, None)
        if first in self._read_of:
            return self._read_items(version, self._read_of[first], before.name, type_, loc)
        self._follow_view(first)
        cls = self._class_for(type_, loc)
        again = Value(before.name, type_)
        self._if_followed(before, lambda: [self._read_items(
            version, self._contents(cls, before, loc), before.name, type_, loc
        )], [before], [again], loc)
        return again

    def _again_unless_none(self, before: Value, version: Value, loc: Location | None) -> Value:
        """The same for what may be None."""
        type_ = self._places.inference.surroundings.changed_type(unless_none(before.type))
        if is_table(type_):
            self._check_known(type_, loc)
            return before
        cls = self._class_for(type_, loc)
        again = Value(before.name, join(type_, before.type))

        def read() -> list[Operand]:
            contents = self._contents(cls, self._reference(before, type_, loc), loc)
            return [self._read_items(version, contents, before.name, type_, loc)]

        self._if_followed(before, read, [before], [again], loc)
        return again

    def _view_again(self, view: Value, version: Value, loc: Location | None) -> Value:
        self._check(self._places.inference.surroundings.unless_reading_held, view, loc)
        return view

    def _function_again(
        self, function: Value, version: Value, loc: Location | None
    ) -> Value:
        inference = self._places.inference
        type_ = function.type
        if not isinstance(type_, Closure | Union):
            self._check(inference.surroundings.unless_capturing_held, function, loc)
            return function
        if not isinstance(type_, Closure):
            raise self._refused(loc)
        captures = [
            self._part_again(primitives.read_captured, [Const(name)], part, function, loc)
            for name, part in zip(captured_names(type_.code), type_.captures, strict=True)
        ]
        defaults = [
            self._part_again(
                primitives.read_default, [Const(name), Const(i)], part, function, loc
            )
            for i, (name, part) in enumerate(zip(
                default_names(type_.code, len(type_.defaults)), type_.defaults, strict=True
            ))
        ]
        keywords = {
            name: self._part_again(primitives.read_default, [Const(name)], part, function, loc)
            for name, part in type_.kwdefaults
        }
        if not isinstance(type_.code, Function):
            return function  # of which no object may hold what it has captured
        again = Value(function.name, type_)
        inference._define(Lambda(type_.code, captures, defaults, keywords, again, loc))
        return again

    def _part_again(
        self, callee: Any, operands: list[Operand], type_: Type, function: Value,
        loc: Location | None,
    ) -> Operand:
        """What a function that was made elsewhere has captured, as it is now."""
        if isinstance(type_, Known):
            return Const(type_.value)
        inference = self._places.inference
        part = inference.call(callee, function, *operands, loc=loc)
        if not isinstance(part, Value):
            return part
        heap = inference.current_heap(loc)
        if captures_memory(type_):
            return self._function_again(part, heap, loc)
        if not may_be_memory(type_):
            return part
        if not (isinstance(function.type, Closure) and isinstance(function.type.code, Function)):
            self._check(inference.surroundings.unless_held, part, loc)
            return part
        return self._again(part, part, heap, loc)

    def change(
        self, callee: Any, target: Value, operands: list[Operand], loc: Location | None,
        type_: Type, held: list[Operand],
    ) -> Value:
        places = self._places
        inference = places.inference
        type_ = unless_none(type_)  # for None, the change fails
        lost = {UNKNOWN, *places.unknown.values()}
        storage = places.storage(target)
        is_part = places.may_be_element(target)
        if any(
            root in lost or (places.kind(root) == "unknown" and places.sources.get(root))
            for root in (places.roots(storage) if is_part else places.shallow_roots(storage))
        ):  # a call gave it, perhaps in an earlier iteration of a loop
            self._check(inference.surroundings.unless_unfollowed, target, loc)
        if is_memory_of_memory(type_):
            self._check_known(type_, loc)
            if callee in _ADDING_ITEMS:
                operands = [*operands[:-1], self._put_into(operands[-1], type_, loc)]
            elif any(isinstance(o, Value) and may_be_memory(o.type) for o in held):
                operands = [
                    self._put_into(o, self._item_type(callee, type_, operands, o, loc), loc)
                    if isinstance(o, Value) and may_be_memory(o.type) and (
                        any(o is one for one in held)
                    ) else o
                    for o in operands
                ]
        elif is_of_unknown(type_):
            check: Any = inference.surroundings.unless_memory
            if callee in _ADDING_ITEMS:
                check = inference.surroundings.unless_items_are_memory
            for operand in operands if callee in _ADDING_ITEMS else held:
                if isinstance(operand, Value) and may_be_memory(operand.type):
                    self._check(check, operand, loc)
        self._note_captured(held, loc)
        if not keeps_places(callee):
            places.contents.moving(callee, target, operands)
        now = places.read(target, loc)
        assert isinstance(now, Value)
        if isinstance(type_, CONTAINERS) and item_held(type_) == BOTTOM:
            # What was in it tells what its other names are.
            type_ = join(unless_none(now.type), type_)
        version = Value(now.name, type_)
        inference._define(Call(Const(callee), [now, *operands], {}, [version], loc))
        self._note_version(target, version, loc)
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
        if found and deep and not is_table(operand.type):
            raise self._refused(loc)
        return found

    def was_changed(self, memory: Value, version: Value, loc: Location | None) -> None:
        places = self._places
        if is_memory_of_memory(version.type):
            self._put_memory_in(version, version.type, loc)
        elif is_of_unknown(version.type):
            self._check(places.inference.surroundings.unless_items_are_memory, version, loc)
        self._note_version(memory, version, loc)

    def _note_version(self, memory: Value, version: Value, loc: Location | None) -> None:
        """Notes what memory holds behind a change; what it holds itself has been put."""
        places = self._places
        inference, state = places.inference, places.state
        first = places.origin(memory)
        before = self._latest(memory).type
        # Other names know what a key of a dict held before, too.
        type_ = join(before, version.type) if isinstance(version.type, Dict) else version.type
        self._note_change(first, type_)
        if first not in self._read_of:
            self._check_captured(memory, version, loc)
        if not may_be_one(kind_of_items(before), kind_of_items(version.type)):
            raise self._refused(loc)
        if is_table(version.type):
            self._check_known(version.type, loc)
            state.writes.setdefault(places.storage(first), loc)
            places.written(state.current.get(first, first), version, loc)
            return
        cls = self._class_for(type_, loc)
        if first in self._read_of:
            heap = inference.current_heap(loc)
            self._store_items(heap, self._read_of[first], version, loc)
            return
        state.writes.setdefault(places.storage(first), loc)
        places.written(state.current.get(first, first), version, loc)
        owner = self._owner(first)
        self._follow_view(first)
        if owner is not first and self.is_part(version.type):
            self._note_part(first, owner, version, loc)
            return
        is_sole = places.storage(first) in places.inputs and not self._has_names(owner)
        if owner is not first or is_sole:
            # A view, or perhaps one: no object stands for that, and it is refused if it is held.
            heap = inference.current_heap(loc)
            after = Value(heap.name, heap.type)
            self._if_followed(version, lambda: [self._stored_items(
                heap, self._contents(cls, version, loc), version, loc
            )], [heap], [after], loc)
            self.heap_changed(heap, after, loc)
        if not is_sole:
            # Other names have to find what it is now, whether it was followed or not.
            items = state.current.get(owner, owner)
            if owner is not first:
                cls = self._class_for(items.type, loc)
            contents = self._contents(cls, items, loc, is_new=True)
            self._store_items(inference.current_heap(loc), contents, items, loc)
            self.mark([owner])
        after = inference.current_heap(loc)
        # It is what its contents are.
        is_element = places.contents.is_element(first)
        for name in {first} if is_element else {first, places.storage(first)}:
            state.exposed[name] = after
            self.known.add(name)

    def _note_part(
        self, first: Value, owner: Value, version: Value, loc: Location | None
    ) -> None:
        """The same for a view of an array: what stands for the contents of that has it as a part.
        The array is read again then, since it may have been changed by other names before."""
        places = self._places
        inference = places.inference
        self.mark([owner])
        heap = inference.current_heap(loc)
        items = places.state.current.get(owner, owner)
        after = Value(heap.name, heap.type)
        self._if_followed(version, lambda: [self._stored_items(
            heap, self._contents(self._class_for(version.type, loc), version, loc), version, loc
        )], lambda: [self._stored_items(
            heap, self._contents(self._class_for(items.type, loc), items, loc, is_new=True),
            items, loc,
        )], [after], loc)
        self.heap_changed(heap, after, loc)
        places.state.exposed[first] = after
        self.known.add(first)

    def _follow_view(self, first: Value) -> None:
        """Sees to it that a view of an array that was read of an object is followed."""
        owner = self._owner(first)
        if owner is not first and owner in self._read_of and facts.copies_items(
            class_of(owner.type) or object
        ):
            self._places.inference.surroundings.unless_views()

    def _has_names(self, value: Value) -> bool:
        """Whether memory may be known by other names than those that are followed as such."""
        places, state = self._places, self._places.state
        storage = places.storage(value)
        return any(storage in known for known in (state.lent, state.held, state.hidden)) or (
            bool(state.members.get(storage))
            or any(storage in covered for covered in places.covers.values())
        )

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
        if value is not None and self._places.reads_others(value):
            raise Unsupported(
                "the second derivative of code in which an object holds an iterator", loc,
                advice="let it hold a list of the items",
            )
        self._note_captured(held, loc)
        if not isinstance(value, Value) or not may_be_memory(value.type) or (
            self._is_value_place(operands[0])
        ):
            super().store(callee, heap, operands, [], loc)
            return
        if inference.surroundings.leaves_alone(unless_none(value.type)):
            super().store(callee, heap, operands, held, loc)
            return
        owner, name, _ = operands
        assert isinstance(name, Const)
        type_ = unless_none(inference.surroundings.field_type(owner, name.value))
        heap = self._put_contents(value, type_, loc)
        reference = value if is_tuple(value.type) else self._reference(value, value.type, loc)
        super().store(callee, heap, [owner, name, reference], [], loc)
        self.mark(held)

    def _note_captured(self, held: list[Operand], loc: Location | None) -> None:
        places = self._places
        for value in held:
            if isinstance(value, Value) and may_capture(value.type):
                places.lend(places.with_sources([value])[1:])  # it has a name in an object now
                self._check(places.inference.surroundings.note_captured, value, loc)

    def _check_captured(self, target: Value, version: Value, loc: Location | None) -> None:
        """Sees to it that no function that an object holds has captured what is changed here, by a
        name that isn't followed."""
        places = self._places
        storage = places.storage(target)
        known = places.state.lent.keys() | places.state.held.keys()
        is_own = places.kind(storage) == "new" and storage not in known
        if places.inference.heap is not None and not is_own:
            self._check(places.inference.surroundings.unless_captured, version, loc)

    def check_local(
        self, target: Value, version: Value, loc: Location | None, deep: bool = False
    ) -> None:
        if deep:
            raise self._refused(loc)
        super().check_local(target, version, loc)
        self._check_captured(target, version, loc)

    def _note_change(self, first: Value, type_: Type) -> None:
        surroundings = self._places.inference.surroundings
        is_array = facts.copies_items(class_of(type_) or object)
        owner, name = self._owners.get(first, (None, ""))
        if owner is not None:
            surroundings.note_change_of_held(owner, name, type_, is_array)
        elif is_array:
            surroundings.note_change_of_array()
        else:
            is_element = self._places.contents.is_element(first)
            surroundings.note_change_of_given(type_, type_, is_element)
