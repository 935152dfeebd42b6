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
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import Block, Call, Const, If, Location, Operand, Value, Yield, type_of
from ir.errors import Unsupported
from ir.heap import HEAP, ITEMS, attribute_read, attribute_stored
from ir.held import HeldMemory, is_memory_of_memory, item_held, may_be_memory
from ir.place_state import check_call
from ir.special_calls import special
from ir.types import (
    BOTTOM,
    TOP,
    Dict,
    Instance,
    Mapping,
    Scalar,
    Sequence,
    Tuple,
    Type,
    Union,
    class_of,
)

if TYPE_CHECKING:
    from ir.places import Places
    from ir.typed_calls import TypedCalls


def put(memory: Any, type_: Type) -> None:
    """Notes, in code that inference looks through, that objects hold memory from here on, which
    they know as of this type."""
    raise AssertionError("inference puts operations on objects in its place")


def whole(memory: Any) -> Any:
    """Memory with what it holds now, at any depth."""
    raise AssertionError("inference puts operations on objects in its place")


@special(put)
def _put(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> list[Operand]:
    assert self.places is not None
    held = self.places.held
    assert isinstance(held, FollowedMemory)
    type_ = args[1]
    assert isinstance(type_, Const)
    held.put(args[0], type_.value, loc)
    return [Const(None)]


@special(whole)
def _whole(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> list[Operand]:
    assert self.places is not None
    held = self.places.held
    assert isinstance(held, FollowedMemory)
    self.current_heap(loc)  # of what objects hold
    return [held.whole(args[0], loc)]


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


def _is_of_unknown(type_: Type) -> bool:
    """Whether nothing is known of what a container holds."""
    return isinstance(type_, Sequence | Mapping | Dict) and item_held(type_) == TOP


# Changes by which the items of another container are added.
_ADDING_ITEMS = (primitives.spliced, primitives.extended)


def _is_deep(type_: Type) -> bool:
    """Whether what reads all of a value may read memory in it."""
    if isinstance(type_, Union):
        return any(map(_is_deep, type_.members))
    if isinstance(type_, Tuple):
        return any(map(may_be_memory, type_.items))
    return is_memory_of_memory(type_)


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
        if is_memory_of_memory(made.type):
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
        surroundings = self._places.inference.surroundings
        if class_of(before.type) is None:
            self._check(surroundings.unless_held, before, loc)
            return before
        if isinstance(before.type, Tuple) and all(
            not may_be_memory(item) or self._is_known(item) for item in before.type.items
        ):
            return before  # its parts are looked at where they are taken out
        type_ = surroundings.changed_type(before.type)
        if is_memory_of_memory(type_):
            self._check_known(type_, loc)
            return before if type_ == before.type else self._retyped(before, type_)
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
        if is_memory_of_memory(type_):
            self._check_known(type_, loc)
            if callee in _ADDING_ITEMS:
                operands = [*operands[:-1], self._put_into(operands[-1], type_, loc)]
            elif any(isinstance(o, Value) and may_be_memory(o.type) for o in held):
                item = item_held(type_)
                operands = [
                    self._put_into(o, item, loc) if any(o is one for one in held) else o
                    for o in operands
                ]
        elif _is_of_unknown(type_):
            check: Any = inference.surroundings.unless_memory
            if callee in _ADDING_ITEMS:
                check = inference.surroundings.unless_items_are_memory
            for operand in operands if callee in _ADDING_ITEMS else held:
                if isinstance(operand, Value) and may_be_memory(operand.type):
                    self._check(check, operand, loc)
        now = places.read(target, loc)
        assert isinstance(now, Value)
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
        if found and deep:
            raise self._refused(loc)
        return found

    def was_changed(self, memory: Value, version: Value, loc: Location | None) -> None:
        places = self._places
        if is_memory_of_memory(version.type):
            self._put_contents(version, version.type, loc)
        elif _is_of_unknown(version.type):
            self._check(places.inference.surroundings.unless_items_are_memory, version, loc)
        self._note_version(memory, version, loc)

    def _note_version(self, memory: Value, version: Value, loc: Location | None) -> None:
        """Notes what memory holds behind a change; what it holds itself has been put."""
        places = self._places
        inference, state = places.inference, places.state
        first = places.origin(memory)
        self._note_change(first, version.type)
        if is_memory_of_memory(version.type):
            self._check_known(version.type, loc)
            state.writes.setdefault(places.storage(first), loc)
            places.written(state.current.get(first, first), version, loc)
            return
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
        is_element = places.contents.is_element(first)
        for name in {first} if is_element else {first, places.storage(first)}:
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
        heap = self._put_contents(value, type_, loc)
        reference = self._reference(value, value.type, loc)
        super().store(callee, heap, [owner, name, reference], [], loc)
        self.mark(held)

    def check_local(
        self, target: Value, version: Value, loc: Location | None, deep: bool = False
    ) -> None:
        if deep:
            raise self._refused(loc)
        super().check_local(target, version, loc)

    # Memory in memory

    def put(self, operand: Operand, type_: Type, loc: Location | None) -> None:
        """Notes that objects hold memory from here on, with all that it holds."""
        if isinstance(operand, Value) and may_be_memory(operand.type):
            self._put_contents(operand, type_, loc)
            self.mark([operand])

    def _put_contents(self, value: Value, type_: Type, loc: Location | None) -> Value:
        """Stores what memory holds into what stands for that; gives the heap behind it.

        A container of memory holds references alone, for which nothing stands.
        """
        inference = self._places.inference
        if is_memory_of_memory(type_):
            self._check_known(type_, loc)
            functions = inference.surroundings.part_functions(class_of(type_) or object)
            if functions is None:
                raise self._refused(loc)
            if item_held(value.type) != BOTTOM:
                item = Const(item_held(type_))
                inference.typed_call(Const(functions[0]), [value, item], {}, ["_"], loc)
            return inference.current_heap(loc)
        cls = self._class_for(type_, loc)
        if _is_of_unknown(type_) or _is_of_unknown(value.type):
            self._check(inference.surroundings.unless_items_are_memory, value, loc)
        contents = self._contents(cls, value, loc, is_new=True)
        return self._store_items(inference.current_heap(loc), contents, value, loc)

    def _put_into(self, operand: Operand, type_: Type, loc: Location | None) -> Value:
        """Puts what a container of memory will hold into objects; gives a reference."""
        if not isinstance(operand, Value) or class_of(type_) is not class_of(operand.type):
            raise self._refused(loc)
        self._put_contents(operand, type_, loc)
        return self._reference(operand, type_, loc)

    def _reference(self, value: Value, type_: Type, loc: Location | None) -> Value:
        found = Value(value.name, type_)
        reference = self._places.inference.surroundings.reference
        self._append(Call(Const(reference), [value], {}, [found], loc))
        return found

    def _retyped(self, value: Value, type_: Type) -> Value:
        found = Value(value.name, type_)
        self._append(Call(Const(primitives.alias), [value], {}, [found], None))
        return found

    def whole(self, operand: Operand, loc: Location | None) -> Operand:
        """A value with what all memory in it holds now."""
        inference = self._places.inference
        if not isinstance(operand, Value) or not _is_deep(operand.type):
            return operand
        if isinstance(operand.type, Tuple):
            parts = self._places.parts(operand) or [
                inference.call(operator.getitem, operand, Const(i), loc=loc)
                for i in range(len(operand.type.items))
            ]
            now = [self.whole(self._places.read(part, loc), loc) for part in parts]
            return inference.call(primitives.build_tuple, *now, loc=loc)
        functions = inference.surroundings.part_functions(class_of(operand.type) or object)
        if functions is None:
            raise self._refused(loc)
        (found,) = inference.typed_call(Const(functions[1]), [operand], {}, [operand.name], loc)
        return found

    def operands_of(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> tuple[list[Operand], dict[str, Operand]]:
        given = [*args, *kwargs.values()]
        if not any(isinstance(arg, Value) and _is_deep(arg.type) for arg in given):
            return args, kwargs
        if not self._places.inference.surroundings.reads_whole(callee):
            return args, kwargs
        return [self.whole(arg, loc) for arg in args], {
            name: self.whole(arg, loc) for name, arg in kwargs.items()
        }

    # What stands for contents

    def _is_value_place(self, owner: Operand) -> bool:
        cls = class_of(type_of(owner))
        return cls is not None and self._places.inference.surroundings.is_value_place(cls)

    def _class_for(self, type_: Type, loc: Location | None) -> type:
        """The class of what stands for memory of a type."""
        self._check_known(type_, loc)
        cls: type = self._places.inference.surroundings.contents_class(type_)
        self._places.inference.surroundings.note_store(Instance(cls), ITEMS, type_)
        return cls

    def _check_known(self, type_: Type, loc: Location | None) -> None:
        """Refuses memory of which it isn't known what it holds."""
        if not self._is_known(type_):
            self._places.inference.surroundings.unless_settled()
            raise self._refused(loc)

    def _is_known(self, type_: Type) -> bool:
        """Whether memory of a type holds numbers and the like, or memory of which that is known."""
        cls = class_of(type_)
        if facts.copies_items(cls or object):
            return True
        if not isinstance(type_, Sequence | Mapping | Dict):
            return False
        item = item_held(type_)
        if item == TOP or not may_be_memory(item):
            return True
        return cls in (list, dict) and self._is_known(item)

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
