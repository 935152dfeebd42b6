"""The memory of each value, by the definitions of the values: which values are names of it.

    a = np.zeros(3); b = a[1:]; c = a.copy()     b has the storage of a, c has its own
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ir import facts, primitives
from ir.core import Call, Const, Location, Loop, Op, Operand, Value, type_of
from ir.derived import container_class
from ir.errors import NamesUnknown
from ir.heap import HEAP, contents_read
from ir.memory.contents import Contents, holds_memory
from ir.memory.held import HeldMemory
from ir.memory.held_functions import may_be_memory
from ir.memory.memory_facts import COPYING, HOLDING, is_array_like
from ir.memory.place_state import Gone, Members, State, check_call
from ir.types import BOTTOM, Iterator, Known, Method, Slice, Type, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


class Storages:
    """Knows the storage of each value, and its latest version."""

    held: HeldMemory

    def __init__(self, inference: TypedCalls) -> None:
        self.inference = inference
        self.state = State()
        self.inputs: dict[Value, None] = {}
        self.covers: dict[Value, list[Value]] = {}
        # Those among them that it may be itself, and not only an element of.
        self.covers_whole: dict[Value, set[Value]] = {}
        # And those among these that it may hold, and not only be.
        self.covers_held: dict[Value, set[Value]] = {}
        # The results of branches that are one of several values.
        self.chosen: set[Value] = set()
        self.entry: list[Call] = []
        # The first name of each version, also behind the block that it is of.
        self.first_names: dict[Value, Value] = {}
        # Versions that were changed, so that another value stands for the object.
        self.consumed: set[Value] = set()
        # Results of calls of Python functions that return new memory.
        self.returned_new: dict[Value, None] = {}
        # What an unknown value was computed from, in which version.
        self.sources: dict[Value, dict[Value, Value]] = {}
        # What calls gave that may give what they are given.
        self.given_back: set[Value] = set()
        # Items of what a loop iterates over; new memory that iterations hand on.
        self.items: dict[Value, None] = {}
        self.new: dict[Value, None] = {}
        # What generated code reads in versions, so that nothing else changes it.
        self.versions: dict[Value, None] = {}
        self.contents = Contents(self)
        # The inputs that are looked at on entry for elements that they hold twice.
        self.apart: dict[Value, None] = {}
        # The container that an element has left that held it once.
        self.left: dict[Value, Value] = {}
        # What inner blocks changed under names of their own, by a value that stands for it.
        self.gone: dict[Value, Gone] = {}
        self.unnamed_parts: dict[tuple[Value, type], Value] = {}
        self._gone: dict[object, Value] = {}
        # What only stands for memory, or was carried by an earlier look at a loop.
        self.nameless: set[Value] = set()
        # What stands for memory of which nothing is known, by its type.
        self.unknown: dict[Type, Value] = {}
        # The inputs that are compared on entry, and whether the second one is changed itself.
        self.compared: dict[tuple[Value, Value, bool], None] = {}

    def read(self, operand: Operand, loc: Location | None) -> Operand:
        raise AssertionError("given by PlaceReads")

    def with_sources(self, operands: Iterable[Operand]) -> list[Operand]:
        raise AssertionError("given by PlaceReads")

    def outer_sources(self, root: Value, local: set[Value]) -> set[Value]:
        raise AssertionError("given by PlaceMerging")

    def _may_be_one_of(self, storage: Value, names: Iterable[Value]) -> bool:
        raise AssertionError("given by PlaceReads")

    def _may_share(self, storage: Value, written: Value, target: Value | None) -> bool:
        raise AssertionError("given by PlaceReads")

    def note_sources(self, result: Value, operands: list[Operand]) -> None:
        """Notes what the value of a call may be or hold: something that the call was given."""
        self.sources[result] = {
            self.storage(o): self.state.current.get(self.storage(o), self.storage(o))
            for o in self.with_parts(operands)
            if isinstance(o, Value) and holds_memory(o.type) and o.type != HEAP
        }

    def release(self) -> None:
        """Forgets all: what this consists of refers to it in turn."""
        vars(self).clear()

    # Names and storages

    def definition(self, value: Value) -> Op | None:
        return self.inference.definitions.get(value)

    def origin(self, value: Value) -> Value:
        return self.state.origins.get(value, value)

    def whole(self, value: Value) -> Operand | None:
        """What a value is a view of."""
        place = self.contents.place(value)
        if place is not None:
            return place[0]
        op = self.inference.definitions.get(value)
        if isinstance(op, Call) and isinstance(op.callee, Const) and facts.is_view(op):
            return op.args[0]
        return self.owner_of_method(value)

    def viewed(self, value: Value) -> Value:
        """What a value is a view of that isn't a view itself, by calls that give nothing else."""
        while True:
            op = self.inference.definitions.get(value)
            if not isinstance(op, Call) or not isinstance(op.callee, Const) or (
                not facts.is_view(op) or not isinstance(op.args[0], Value)
            ):
                return value
            value = self.origin(op.args[0])

    def owner_of_method(self, method: Value) -> Value | None:
        """The memory that a bound method is one of, where it was made here."""
        if not isinstance(method.type, Method) or not may_be_memory(method.type.self):
            return None
        made = self.inference.definitions.get(self.origin(method))
        if not isinstance(made, Call) or not isinstance(made.callee, Const):
            return None
        owner = made.args[0] if made.callee.value is getattr else None
        return owner if isinstance(owner, Value) else None

    def storage(self, value: Value) -> Value:
        while True:
            value = self.origin(value)
            whole = self.whole(value)
            if not isinstance(whole, Value):
                return value
            value = whole

    def name_outside(self, value: Value) -> Value:
        """The name by which memory is known behind the block that made a version of it."""
        return self.origin(value) if self.contents.is_element(value) else self.storage(value)

    def may_be_lazy(self, operand: Operand) -> bool:
        """Whether a value may be an iterator that was made by a call which works on objects."""
        if not isinstance(operand, Value):
            return False
        if not (isinstance(operand.type, Iterator) or class_of(operand.type) is None):
            return False
        op = self.inference.definitions.get(self.origin(operand))
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            return False
        if op.callee.value is primitives.updating:
            return True
        is_passing = op.callee.value in (primitives.unpack, contents_read)
        if not is_passing and not isinstance(operand.type, Iterator):
            return False
        return any(isinstance(arg, Value) and self._is_made_by_a_call(arg) for arg in op.args)

    def _is_made_by_a_call(self, value: Value) -> bool:
        op = self.inference.definitions.get(self.origin(value))
        is_changing = isinstance(op, Call) and isinstance(op.callee, Const) and (
            op.callee.value is primitives.updating
        )
        return is_changing or self.may_be_lazy(value)

    def first_storage(self, value: Value) -> Value:
        """The storage of a value, wherever in the function it is of."""
        while True:
            first = self.origin(self.first_names.get(value, value))
            whole = self.whole(first)
            if first is value and not isinstance(whole, Value):
                return value
            value = whole if isinstance(whole, Value) else first

    def latest(self, value: Value) -> Value:
        """The version of a value that holds what its memory holds here."""
        first = self.origin(value)
        state = self.state
        if isinstance(first.type, Method):
            return first  # it is bound again where it is read
        place = self.contents.place(first)
        if place is not None:
            if self.contents.is_stale(first):
                self._read_again(first, *place)
            return state.current.get(first, first)
        whole = self.whole(first)
        if isinstance(whole, Value):
            version = self.latest(whole)
            op = self.inference.definitions[first]
            assert isinstance(op, Call)
            if state.derived.get(first, op.args[0]) is not version:
                assert isinstance(op.callee, Const)
                if facts.may_copy(op.callee.value):
                    if state.current.get(first, first) in self.consumed:
                        raise NamesUnknown(
                            f"`{first.name}` may be a copy, and is changed in place in a branch or "
                            "loop", op.loc, advice="use `.copy()`, or change the whole",
                        )
                    check = self.inference.surroundings.check_view
                    operands: list[Operand] = [version, state.current.get(first, first)]
                    self.inference.ops.append(check_call(check, operands, op.loc))
                (again,) = self.inference._append(
                    op.callee, [version, *op.args[1:]], {}, [value.name], op.loc
                )
                assert isinstance(again, Value)
                again.type = value.type
                self._note(first, again)
                state.derived[first] = version
        return state.current.get(first, first)

    def _read_again(self, first: Value, container: Operand, index: Operand) -> None:
        """Reads an element of a container that was changed."""
        assert isinstance(container, Value)
        version = self.latest(container)
        type_ = first.type
        if not is_array_like(type_):
            result_of = facts.result_of(operator.getitem)
            assert result_of is not None
            type_ = result_of((version.type, type_of(index)), {})
        again = Value(first.name, type_)
        self._note(first, again)
        self.state.taken[first] = self.state.stamps.get(self.storage(first))
        self.inference._define(Call(Const(operator.getitem), [version, index], {}, [again]))

    def _note(self, first: Value, version: Value) -> None:
        self.state.origins[version] = self.first_names[version] = first
        self.state.current[first] = version

    def name_again(self, value: Value, name: Value) -> None:
        """Notes that another value is the same, under whatever name it is changed."""
        self.state.origins[name] = self.first_names[name] = self.origin(value)

    def name_latest(self, value: Value, name: Value) -> None:
        """Has the latest version of what a value is a name of be known under another name."""
        self._note(self.origin(value), name)

    def widen_again(self, narrowed: list[tuple[Value, Value]]) -> None:
        """Has memory that wasn't changed under names of narrower types be known by the others."""
        for wide, name in reversed(narrowed):
            first = self.origin(wide)
            if self.state.current.get(first) is name:
                self.state.current[first] = wide

    @property
    def is_watching(self) -> bool:
        """Whether values may have to be read again."""
        return self.state.has_changes or self.held.is_watching

    def parts(self, value: Operand) -> list[Operand]:
        """The items of a tuple that was built from them."""
        op = self.inference.definitions.get(value) if isinstance(value, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.build_tuple:
                return op.args
        return []

    def with_parts(self, operands: Iterable[Operand]) -> list[Operand]:
        """Operands, and what the tuples among them, and in these, were built from."""
        found: list[Operand] = []
        for operand in operands:
            found += [operand, *self.with_parts(self.parts(operand))]
        return found

    def leaves(self, operand: Operand) -> list[Operand]:
        """What a tuple, and those in it, were built from; of anything else itself."""
        parts = self.parts(operand)
        return [leaf for part in parts for leaf in self.leaves(part)] if parts else [operand]

    def _tuple_again(self, value: Value, loc: Location | None) -> Operand:
        """A tuple of the latest versions of its items."""
        parts = self.parts(value)
        latest = [self.read(part, loc) for part in parts]
        if all(a is b for a, b in zip(parts, latest, strict=True)):
            return value
        return self.inference.call(primitives.build_tuple, *latest, name=value.name, loc=loc)

    def roots(self, storage: Value) -> frozenset[Value]:
        """The storages that may have memory in common with one: those that a merged one may be,
        and members."""
        return self._unmerged(self._reached(storage, self.state.members))

    def roots_within(self, storage: Value) -> frozenset[Value]:
        """The same, but for containers that are only known to hold it."""
        return self._unmerged(self._reached(storage, self.state.members, upwards=False))

    def shallow_roots(self, storage: Value) -> frozenset[Value]:
        """The storages that a merged one may be."""
        return self._unmerged(self._reached(storage, {}))

    def reached(self, storage: Value, among: list[Value]) -> list[Value]:
        """Those of some merged storages that a merged one may be."""
        found = self._reached(storage, {})
        return [value for value in among if value in found]

    def only_holding(self, storage: Value, merged: Iterable[Value] = ()) -> set[Value]:
        """The storages of which a merged one may be an element, and which it can't be itself; of
        those that are `merged`, too."""
        whole = {storage}
        pending = [storage]
        while pending:
            more = self.covers_whole.get(pending.pop(), set()) - whole
            whole |= more
            pending += more
        return {*self.shallow_roots(storage), *merged} - whole

    def containers_of(self, value: Value) -> set[Value]:
        """The storages of which a value is an element, or may be, and which it can't be itself."""
        storage = self.storage(value)
        containers = self.only_holding(storage)
        if self.contents.is_element(value):
            containers = {storage, *self.shallow_roots(storage)}
        return containers - self.held_by(storage)

    def held_by(self, storage: Value) -> set[Value]:
        """The storages that a merged one may hold, as one of its values does."""
        held: set[Value] = set()
        for merged in self._reached(storage, {}):
            held |= self.covers_held.get(merged, set())
        return {root for value in held for root in self._reached(value, {})}

    def may_be_element(self, value: Value) -> bool:
        """Whether a value is an element of a container, or may be, where it is one of several."""
        return self.contents.is_element(value) or self.may_have_been_element(self.storage(value))

    def may_have_been_element(self, storage: Value) -> bool:
        """Whether memory may be what is known as a part of a container by another name."""
        is_detached = not self.state.detached.keys().isdisjoint(
            {storage, *self.shallow_roots(storage)}
        )
        return is_detached or bool(self.only_holding(storage))

    def may_be(self, operand: Value, root: Value) -> bool:
        """Whether an object can be that of a storage, and not only an element of it, which is what
        one of another class is."""
        cls, other = class_of(operand.type), class_of(root.type)
        if cls is None or other is None:
            return True
        return issubclass(cls, other) or issubclass(other, cls)

    def _unmerged(self, storages: Iterable[Value]) -> frozenset[Value]:
        return frozenset(storage for storage in storages if storage not in self.covers)

    def _reached(
        self, storage: Value, members: dict[Value, Members], upwards: bool = True
    ) -> set[Value]:
        found: set[Value] = set()
        pending = [storage]
        while pending:
            value = pending.pop()
            if value not in found:
                found.add(value)
                pending += self.covers.get(value, [])
                pending += [
                    member for member, is_held in members.get(value, {}).items()
                    if is_held or upwards
                ]
        return found

    def kind(self, storage: Value) -> str:
        if storage in self.inputs:
            return "given"
        if storage in self.new or storage in self.versions:
            return "new"
        if storage.type == BOTTOM and self.inference.heap is None:
            # A variable that isn't set yet: nothing has another name for that. With a heap, what it
            # is set to later may be changed as what objects hold, by its identity.
            return "new"
        if storage in self.state.detached:
            return "given" if self.state.detached[storage] else "unknown"
        op = self.inference.definitions.get(storage)
        if isinstance(op, Call):
            callee = op.callee.value if isinstance(op.callee, Const) else None
            if facts.is_fresh(op) or id(callee) in HOLDING:
                return "new"
            if storage in self.returned_new or self.is_new_container(op, storage):
                return "new"
        if isinstance(op, Loop) and op.results.index(storage) >= len(op.init):
            return "new"
        return "unknown"

    @staticmethod
    def is_new_container(call: Call, result: Value) -> bool:
        """Whether a call makes a list or dict of its own of the items of another one."""
        callee = call.callee.value if isinstance(call.callee, Const) else None
        if callee is primitives.unpack_starred:
            place = call.args[1]
            return isinstance(place, Const) and call.results.index(result) == place.value
        if callee is operator.getitem:
            index = type_of(call.args[1])
            is_slice = isinstance(index, Slice) or (
                isinstance(index, Known) and isinstance(index.value, slice)
            )
            return is_slice and container_class(type_of(call.args[0])) is list
        return id(callee) in COPYING

    def is_written(self, value: Value) -> bool:
        """Whether an input, or an element of it, was changed."""
        storage = self.storage(value)
        state = self.state
        # What was put into a container is not changed with it, but where an element is.
        return value in state.writes or state.current.get(value, value) is not value or (
            storage is not value and storage in state.writes and storage in state.deep
        )

    def part_of(self, storage: Value, target: Value | None) -> Value | None:
        """What stands for a changed part of a storage where the part has no name: it tells the
        class. None is any part."""
        if target is None or target in self.unnamed_parts.values():
            return target
        cls = class_of(self.state.current.get(target, target).type)
        if cls is None:
            return None
        if (storage, cls) not in self.unnamed_parts:
            self.unnamed_parts[storage, cls] = Value(target.name, target.type)
        return self.unnamed_parts[storage, cls]

    def is_named(self, target: Value | None) -> bool:
        return target is not None and target not in self.unnamed_parts.values()

    def is_lost(self, value: Value) -> bool:
        """Whether memory was changed under a name of which it isn't known what it means."""
        return not self.roots(self.storage(value)).isdisjoint(self.state.lost)

    def is_spoiled(self, value: Value) -> bool:
        """Whether an input may have been changed of which there is no new version."""
        storage = self.storage(value)
        roots = self.roots(storage)
        return self.is_lost(value) or any(
            self._may_be_one_of(storage, self.gone[written].names) if written in self.gone else (
                roots & self.roots(written) and self._may_share(value, written, target)
            )
            for written, target in self.state.trail
        )

    def spoil(self, operand: Operand, loc: Location | None) -> None:
        """Notes that a call may have changed an argument under a name that isn't known."""
        if isinstance(operand, Value) and holds_memory(operand.type):
            for root in self.roots(self.storage(operand)):
                self.state.lost[root] = loc

    def is_defined(self, value: Value) -> bool:
        return value in self.inference.definitions

    def fresh(self, value: Value) -> None:
        """Notes that a value was read just now."""
        if self.state.trail:
            self.state.since[value] = len(self.state.trail)

    def replace(self, first: Value, version: Value) -> None:
        """A merged version takes the place of what a value was before a branch or loop."""
        self._note(first, version)
