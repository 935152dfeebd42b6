"""Changes in place as new versions of a value: what a name means behind a store.

    a[i] = v                   a_1 = stored(a, i, v)         `a` means a_1 from here on
    row = a[0]                 row = getitem(a, 0)           a view: the same memory
    row[1] = v                 row_1 = stored(row, 1, v)
                               a_1 = written(a, 0, row_1)

So the passes behind inference see values only. That is right as long as all names of the memory
that is written are known. What may be an unknown name of it is compared when the program runs
(`check_distinct`), and what can't be followed is refused:

- A *storage* is the memory behind a value: made by a call that returns new memory, given from
  outside, merged where branches or iterations meet, or unknown (an item of a container, the result
  of a call).
- Written is only what is new, given, or merged of such, and was not put into a container before.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Lambda,
    Location,
    Op,
    Operand,
    Value,
    While,
    type_of,
)
from ir.errors import NeedsHeap, Unsupported
from ir.heap import (
    HEAP,
    HEAP_NAME,
    STORES,
    Heap,
    Identity,
    attribute_read,
    contents_read,
)
from ir.record import made, node
from ir.rewrite import walk
from ir.types import (
    Closure,
    Iterator,
    Known,
    Method,
    Slice,
    Tuple,
    Type,
    Union,
    class_of,
)

if TYPE_CHECKING:
    from ir.infer import Inference

IMMUTABLE = (
    int, float, complex, str, bytes, tuple, slice, range, frozenset, type(None), type,
    FunctionType, BaseException,
)
# Calls that put their operands into a container, which knows them by another name.
HOLDING = {
    id(f) for f in (primitives.build_list, primitives.build_dict, primitives.build_set)
}
# Calls that take a tuple apart, and keep nothing of it.
UNPACKING = (primitives.unpack, operator.getitem, len)
# Calls that change their first operand; the values that they put into it stand behind.
CHANGING = {
    id(f) for f in (
        primitives.stored, primitives.spliced, primitives.overwritten, primitives.stored_back,
        primitives.written, primitives.written_view, primitives.added_at, primitives.subtracted_at,
        primitives.deleted, primitives.appended, primitives.extended, primitives.inserted,
        primitives.updating, *STORES,
    )
}


def changed_by(op: Op) -> list[Value]:
    """The operands that an operation changes in place.

    Compiler-made functions say by `changes` which of their arguments these are.
    """
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return []
    callee = op.callee.value
    if callee is primitives.updating:
        positions = op.args[1].value  # type: ignore[union-attr]  # made so by `passed`
        found = [op.kwargs[i] if isinstance(i, str) else op.args[2 + i] for i in positions]
    elif id(callee) in CHANGING:
        found = op.args[:1]
    else:
        found = [op.args[i] for i in getattr(callee, "changes", ())]
    return [operand for operand in found if isinstance(operand, Value)]


def is_change(op: Op) -> bool:
    """Whether an operation changes an operand in place."""
    return bool(changed_by(op))


def is_mutable(type_: Type) -> bool:
    """Whether a value of this type may be changed in place, or be a name of what may."""
    if isinstance(type_, Known | Closure):
        return False
    if isinstance(type_, Union):
        return any(map(is_mutable, type_.members))
    cls = class_of(type_)
    return cls is None or not (issubclass(cls, IMMUTABLE) or facts.is_immutable(cls))


def may_be_memory(type_: Type) -> bool:
    """Whether a value of this type may be an array or container, which an object can hold."""
    cls = class_of(type_)
    if cls is not None and (facts.is_object(cls) or cls in (Heap, Identity)):
        return False
    return is_mutable(type_) and not isinstance(type_, Iterator | Method)


def _checking(check: Any, operands: list[Operand], loc: Location | None) -> Call:
    """A call that does nothing, or raises."""
    return Call(Const(check), operands, {}, [Value("_", Known(None))], loc)


def _compatible(a: Type, b: Type) -> bool:
    first, second = class_of(a), class_of(b)
    if Heap in (first, second):
        return first is second
    return first is None or second is None or first is second


def _keeps_length(op: Op) -> bool:
    """Whether an operation certainly changes the length of no list."""
    if not isinstance(op, Call) or not is_change(op):
        return True
    is_store = isinstance(op.callee, Const) and op.callee.value is primitives.stored
    return is_store or all(class_of(result.type) is not list for result in op.results)


class ItemChanged(Exception):
    """A loop changes the items that it iterates over: it has to reach them by their positions."""

    def __init__(self, item: Value) -> None:
        super().__init__(item.name)
        self.item = item


# Stores under known keys change no keys: a loop over these may change the items.
KEYS: type = type({}.keys())
NEW = "new"
# What is known of the memory that a function returns: that it is new, which of the inputs that it
# changes it is, or nothing; of a tuple, for each item.
Returned: TypeAlias = "str | int | tuple[Returned, ...] | None"


def _named(name: str) -> str:
    """What a message calls a value: those that no variable holds have no name."""
    return "what stands here" if name in ("t", "item", "items") else f"`{name}`"


@node
class State:
    """What is known at a point of the program.

    `current`: the latest version of each value that has been changed, under its first name;
    `origins`: the first name of each version; `derived`: the version of the whole that a view was
    taken of; `writes`: the storages written so far; `held`: those that a container knows;
    `lent`: those that were passed to calls; `lost`: those that were changed under another name.
    """

    current: dict[Value, Value] = made(dict)
    origins: dict[Value, Value] = made(dict)
    derived: dict[Value, Operand] = made(dict)
    writes: dict[Value, Location | None] = made(dict)
    held: dict[Value, None] = made(dict)
    lent: dict[Value, None] = made(dict)
    lost: dict[Value, Location | None] = made(dict)
    distinct: dict[tuple[Value, Value], None] = made(dict)
    # Memory that objects may hold: the version of the heap that each value was read from last.
    exposed: dict[Value, Value] = made(dict)
    stored: dict[Value, None] = made(dict)
    # The last look at such memory: the version of the heap, the value, and what it was seen as.
    seen: dict[Value, tuple[Value, Value, Value]] = made(dict)

    @property
    def has_changes(self) -> bool:
        """Whether memory was changed; objects are read by way of the heap, not by their names."""
        return bool(self.lost) or any(storage.type != HEAP for storage in self.writes)

    def copy(self) -> State:
        return State(
            dict(self.current), dict(self.origins), dict(self.derived), dict(self.writes),
            dict(self.held), dict(self.lent), dict(self.lost), dict(self.distinct),
            dict(self.exposed), dict(self.stored), dict(self.seen),
        )


class Places:
    """Follows the memory of the values of one function while inference walks over it."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self.state = State()
        self.inputs: dict[Value, None] = {}
        self.covers: dict[Value, list[Value]] = {}
        self.entry: list[Call] = []
        # Versions that were changed, so that another value stands for the object.
        self.consumed: set[Value] = set()
        # Results of calls of Python functions that return new memory.
        self.returned_new: dict[Value, None] = {}
        # What an unknown value was computed from, in which version.
        self.sources: dict[Value, dict[Value, Value]] = {}
        # Items of what a loop iterates over; new memory that iterations hand on.
        self.items: dict[Value, None] = {}
        self.new: dict[Value, None] = {}

    # Names and storages

    def origin(self, value: Value) -> Value:
        value = self.state.origins.get(value, value)
        op = self._inference.definitions.get(value)
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.check_bound and isinstance(op.args[0], Value):
                return self.origin(op.args[0])
        return value

    def _whole(self, value: Value) -> Operand | None:
        """What a value is a view of."""
        op = self._inference.definitions.get(value)
        if isinstance(op, Call) and isinstance(op.callee, Const) and facts.is_view(op):
            return op.args[0]
        return None

    def storage(self, value: Value) -> Value:
        while True:
            value = self.origin(value)
            whole = self._whole(value)
            if not isinstance(whole, Value):
                return value
            value = whole

    def latest(self, value: Value) -> Value:
        """The version of a value that holds what its memory holds here."""
        first = self.origin(value)
        state = self.state
        whole = self._whole(first)
        if isinstance(whole, Value):
            version = self.latest(whole)
            op = self._inference.definitions[first]
            assert isinstance(op, Call)
            if state.derived.get(first, op.args[0]) is not version:
                assert isinstance(op.callee, Const)
                if facts.may_copy(op.callee.value):
                    if state.current.get(first, first) in self.consumed:
                        raise Unsupported(
                            f"`{first.name}` may be a copy, and is changed in place in a branch or "
                            "loop", op.loc, advice="use `.copy()`, or change the whole",
                        )
                    check = self._inference.surroundings.check_view
                    operands: list[Operand] = [version, state.current.get(first, first)]
                    self._inference.ops.append(_checking(check, operands, op.loc))
                (again,) = self._inference._append(
                    op.callee, [version, *op.args[1:]], {}, [value.name], op.loc
                )
                assert isinstance(again, Value)
                again.type = value.type
                self._note(first, again)
                state.derived[first] = version
        return state.current.get(first, first)

    def _note(self, first: Value, version: Value) -> None:
        self.state.origins[version] = first
        self.state.current[first] = version

    # Reads

    def read(self, operand: Operand, loc: Location | None) -> Operand:
        """The operand to read in the place of one that the source names."""
        if isinstance(operand, Const):
            return operand
        if isinstance(operand.type, Tuple):
            return self._tuple_again(operand, loc) if self.is_watching else operand
        if not is_mutable(operand.type):
            return operand
        if self.state.has_changes:
            self._compare(operand, loc)
            operand = self.latest(operand)
        return self._of_object(operand, loc) if self.state.exposed else operand

    # Memory that objects hold

    def expose(self, operands: Iterable[Operand]) -> None:
        """Notes that objects may hold these, and change them from here on."""
        heap = self._inference.heap
        if heap is None or not self._inference.surroundings.may_change_held():
            return
        version = self.state.current.get(heap, heap)
        for operand in operands:
            if isinstance(operand, Value) and may_be_memory(operand.type):
                self.state.exposed[self.origin(operand)] = version
                self.expose(self._parts(operand))

    def is_exposed(self, value: Value) -> bool:
        return any(
            root in self.state.exposed
            for root in {self.origin(value), self.storage(value), *self.roots(self.storage(value))}
        )

    def _of_object(self, value: Value, loc: Location | None) -> Value:
        """The value to read in the place of one that an object may have changed in place."""
        heap, first = self._inference.heap, self.origin(value)
        known = self.state.exposed.get(first)
        if heap is None or not may_be_memory(value.type):
            return value
        if known is None:
            storage = self.storage(first)
            if storage is first or not self.is_exposed(first):
                return value
            known = self.state.exposed.get(storage, value)  # a view, read before
        version = self.state.current.get(heap, heap)
        if known is version:
            return value
        before = self.state.current.get(first, first)
        seen = self.state.seen.get(first)
        if seen is not None and seen[0] is version and seen[1] is before:
            return seen[2]
        again = Value(before.name, before.type)
        call = Call(Const(contents_read), [version, before], {}, [again], loc)
        self._inference.ops.append(call)
        self._inference.definitions[again] = call
        self.state.origins[again] = first
        self.state.seen[first] = version, before, again
        return again

    def _change_of_held(
        self, callee: Any, target: Value, operands: list[Operand], loc: Location | None,
        type_: Type,
    ) -> Value:
        """Appends a change of memory that an object holds, which the run time looks after."""
        inference = self._inference
        op = inference.definitions.get(self.origin(target))
        owner: Type | None = None
        name = ""
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is attribute_read and isinstance(op.args[2], Const):
                owner, name = type_of(op.args[1]), op.args[2].value
        is_array = facts.copies_items(class_of(target.type) or object)
        inference.surroundings.note_change_of_held(owner, name, type_, is_array)
        read = self.read(target, loc)
        inference.changing_call(Const(callee), [read, *operands], loc)
        self.expose(operands)
        return target

    def _parts(self, value: Operand) -> list[Operand]:
        """The items of a tuple that was built from them."""
        op = self._inference.definitions.get(value) if isinstance(value, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.build_tuple:
                return op.args
        return []

    def _tuple_again(self, value: Value, loc: Location | None) -> Operand:
        """A tuple of the latest versions of its items."""
        parts = self._parts(value)
        latest = [self.read(part, loc) for part in parts]
        if all(a is b for a, b in zip(parts, latest, strict=True)):
            return value
        return self._inference.call(primitives.build_tuple, *latest, name=value.name, loc=loc)

    def _compare(self, value: Value, loc: Location | None) -> None:
        """Sees to it that a value is no unknown name of memory that was written."""
        storage = self.storage(value)
        if storage in self.state.lost:
            raise Unsupported(
                f"`{value.name}` may have been changed in place under another name", loc,
                advice="copy what is changed, or use one name for it",
            )
        if isinstance(value.type, Iterator):
            if not self._is_fresh_iterator(value):
                raise Unsupported(
                    f"`{value.name}` reads what was changed in place after it was made", loc,
                    advice="make a list of its items before the change",
                )
            for source in self._read_later(value):
                if is_mutable(source.type):
                    self._compare(source, loc)
        for written in list(self.state.writes):
            if written is storage or (storage, written) in self.state.distinct:
                continue
            version = self.sources.get(storage, {}).get(written)
            if version is not None and version is self.state.current.get(written, written):
                continue  # computed from what is there now
            if self._may_share(storage, written):
                self._check(storage, written, loc)

    def _is_fresh_iterator(self, iterator: Value) -> bool:
        """Whether nothing was changed that an iterator, made from it before, will read."""
        if class_of(iterator.type) is KEYS:
            return True
        return all(
            version is self.state.current.get(source, source) and self._is_fresh_iterator(source)
            for source, version in self.sources.get(self.storage(iterator), {}).items()
        )

    def _read_later(self, value: Value) -> list[Value]:
        """The storages that an iterator, or what may be one, reads when it is read itself."""
        cls = class_of(value.type)
        if cls is KEYS or (cls is not None and not isinstance(value.type, Iterator)):
            return []
        found: list[Value] = []
        for source in self.sources.get(self.storage(value), {}):
            found += [source, *self._read_later(source)]
        return found

    def changed_iterable(
        self, iterables: list[Operand], before: State, body: Block, loc: Location | None
    ) -> int | None:
        """Which of the iterables of a loop the body changes, where it has to read the items by
        their positions to see that."""
        for i, iterable in enumerate(iterables):
            if not isinstance(iterable, Value):
                continue
            storages = [self.storage(iterable), *self._read_later(iterable)]
            changed = [
                storage for storage in storages
                if self.state.current.get(storage) is not before.current.get(storage)
            ]
            is_list = [class_of(storage.type) is list for storage in changed]
            if any(is_list) and not all(map(_keeps_length, walk(body))):
                raise Unsupported(
                    f"a loop changes the length of `{changed[0].name}`, which it iterates over",
                    loc, advice="iterate over a copy",
                )
            if changed and class_of(iterable.type) not in (dict, KEYS):
                return i
        return None

    def iterated(self, iterable: Operand, loc: Location | None) -> None:
        """Sees to it that the body of a loop changed nothing that it iterates over by another
        name."""
        if isinstance(iterable, Value) and self.state.has_changes and is_mutable(iterable.type):
            self._compare(iterable, loc)

    def _may_share(self, storage: Value, written: Value) -> bool:
        if not _compatible(storage.type, written.type):
            return False
        roots, others = self.roots(storage), self.roots(written)
        if roots & others:
            return True
        return any(self._may_be_same(a, b) for a in roots for b in others)

    def _may_be_same(self, a: Value, b: Value) -> bool:
        kinds = {self._kind(a), self._kind(b)}
        if "new" in kinds:
            new = a if self._kind(a) == "new" else b
            # An unknown value can be new memory only if that was given away.
            return "unknown" in kinds and (new in self.state.lent or new in self.state.held)
        return True

    def roots(self, storage: Value) -> set[Value]:
        """The storages that a merged one may be."""
        found: set[Value] = set()
        pending = [storage]
        while pending:
            value = pending.pop()
            if value not in found:
                found.add(value)
                pending += self.covers.get(value, [])
        return {value for value in found if value not in self.covers}

    def _kind(self, storage: Value) -> str:
        if storage in self.inputs:
            return "given"
        if storage in self.new:
            return "new"
        op = self._inference.definitions.get(storage)
        if isinstance(op, Call):
            callee = op.callee.value if isinstance(op.callee, Const) else None
            if facts.is_fresh(callee) or id(callee) in HOLDING:
                return "new"
            if storage in self.returned_new or self._is_new_container(op):
                return "new"
        if isinstance(op, For | While) and op.results.index(storage) >= len(op.init):
            return "new"
        return "unknown"

    @staticmethod
    def _is_new_container(call: Call) -> bool:
        """Whether a call makes a list or dict of its own of the items of another one."""
        callee = call.callee.value if isinstance(call.callee, Const) else None
        if callee is operator.getitem:
            index = type_of(call.args[1])
            is_slice = isinstance(index, Slice) or (
                isinstance(index, Known) and isinstance(index.value, slice)
            )
            return is_slice and class_of(type_of(call.args[0])) is list
        return callee is list or callee is dict

    def _check(self, storage: Value, written: Value, loc: Location | None) -> None:
        self.state.distinct[storage, written] = None
        self.state.distinct[written, storage] = None
        callee = self._inference.surroundings.check_distinct
        if storage in self.inputs and written in self.inputs:
            self.entry.append(_checking(callee, [storage, written], loc))
            return
        operands: list[Operand] = [self.latest(storage), self.latest(written)]
        self._inference.ops.append(_checking(callee, operands, loc))

    def changes_held(self, changed: list[tuple[int | str, Operand]]) -> bool:
        """Whether a call changes memory that objects hold, beside the objects themselves."""
        return any(
            isinstance(operand, Value) and operand.type != HEAP
            and self._is_of_objects(self.storage(operand))
            for _, operand in changed
        )

    def _is_of_objects(self, storage: Value) -> bool:
        """Whether memory can only be changed as what an object holds."""
        state, roots = self.state, {storage, *self.roots(storage)}
        if any(root in state.stored for root in roots):
            return True
        return any(self._kind(root) == "unknown" for root in roots)

    def is_defined(self, value: Value) -> bool:
        return value in self._inference.definitions

    @property
    def is_watching(self) -> bool:
        """Whether values may have to be read again."""
        return self.state.has_changes or bool(self.state.exposed)

    # Writes

    def heap_changed(self, heap: Value, version: Value, loc: Location | None) -> None:
        """Notes a new version of the heap that a call has left."""
        self.state.writes.setdefault(self.storage(heap), loc)
        self._written(heap, version, loc)

    def store(
        self, callee: Any, heap: Value, operands: list[Operand], held: list[Operand],
        loc: Location | None,
    ) -> None:
        """Appends a store into an object, which holds the operands in `held` from here on."""
        version = Value(heap.name, heap.type)
        self._inference._define(Call(Const(callee), [heap, *operands], {}, [version], loc))
        self.heap_changed(heap, version, loc)
        may_change = self._inference.surroundings.may_change_held()
        if not may_change:
            self.hold(held)
            return
        self.expose(held)
        for operand in held:
            for value in [operand, *self._parts(operand)]:
                if isinstance(value, Value) and may_be_memory(value.type):
                    storage = self.storage(value)
                    self.state.stored.update(
                        (root, None) for root in {storage, *self.roots(storage)}
                    )

    def written_to(self, before: Value, version: Value) -> None:
        """`version` is what a value, and all that it is a view of, has become."""
        self._written(self.state.current.get(self.origin(before), before), version, None)

    def change(
        self, callee: Any, target: Operand, operands: list[Operand], loc: Location | None,
        type_: Type, held: list[Operand],
    ) -> Value:
        """Appends a call that changes `target`, which means its result from here on.

        `held` are the operands that the target knows behind it.
        """
        if not isinstance(target, Value):
            raise Unsupported(
                "what is changed in place here is an object of the compile time, a global for "
                "one", loc, advice="pass it as an argument",
            )
        storage = self.storage(target)
        if self._inference.heap is not None and self._is_of_objects(storage):
            return self._change_of_held(callee, target, operands, loc, type_)
        self._check_writable(storage, target.name, loc)
        before = self.latest(target)
        if self.is_exposed(target):
            surroundings = self._inference.surroundings
            self._inference.ops.append(_checking(surroundings.unless_held, [before], loc))
        version = Value(before.name, type_)
        self.hold(held)
        self._inference._define(Call(Const(callee), [before, *operands], {}, [version], loc))
        self.state.writes.setdefault(storage, loc)
        self._written(before, version, loc)
        return version

    def passed(
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        result: Value,
        changed: list[tuple[int | str, Operand]],
        types: list[Type],
        loc: Location | None,
    ) -> None:
        """Appends a call that changes some of its arguments, which get versions of new types."""
        storages = []
        for _, operand in changed:
            if not isinstance(operand, Value):
                raise Unsupported("a call changes a constant in place", loc)
            storages.append(self.storage(operand))
            self._check_writable(storages[-1], operand.name, loc)
        if len(set(storages)) < len(storages):
            raise Unsupported("a call changes the same memory under two names", loc)
        given = [*args, *kwargs.values()]
        positions_changed = {position for position, _ in changed}
        for position, operand in [*enumerate(args), *kwargs.items()]:
            if isinstance(operand, Value) and is_mutable(operand.type):
                for storage in storages:
                    own = self.storage(operand)
                    if own is storage and position not in positions_changed:
                        raise Unsupported(
                            f"`{operand.name}` is passed to a call that changes it under another "
                            "name", loc,
                        )
        before = [self.latest(operand) for _, operand in changed]  # type: ignore[arg-type]
        versions = [
            Value(value.name, type_) for value, type_ in zip(before, types, strict=True)
        ]
        positions = Const(tuple(position for position, _ in changed))
        others = [
            o for o in given if isinstance(o, Value) and is_mutable(o.type)
            and not any(o is other for _, other in changed)
        ]
        if positions_changed == {HEAP_NAME}:
            self.lend(others)
        else:
            self.hold(o for o in others if not facts.copies_items(class_of(o.type) or object))
        call = Call(
            Const(primitives.updating), [callee, positions, *args], kwargs, [result, *versions],
            loc,
        )
        self._inference._define(call)
        for storage, old, version in zip(storages, before, versions, strict=True):
            self.state.writes.setdefault(storage, loc)
            self._written(old, version, loc)
        self.sources[result] = {
            storage: self.state.current.get(storage, storage) for storage in storages
            if storage.type != HEAP
        }
        if HEAP_NAME in positions_changed:
            self.expose([*others, result])

    def _written(self, before: Value, version: Value, loc: Location | None) -> None:
        """A new version of a value, and of all that it is a view of."""
        self.consumed.add(before)
        first = self.origin(before)
        self._note(first, version)
        whole = self._whole(first)
        if isinstance(whole, Value):
            op = self._inference.definitions[first]
            assert isinstance(op, Call)
            old = self.state.current.get(self.origin(whole), self.origin(whole))
            new = Value(old.name, old.type)
            assert isinstance(op.callee, Const)
            if op.callee.value is operator.getitem:
                operands: list[Operand] = [Const(primitives.written), old, op.args[1], version]
            else:
                view = self._inference.surroundings.written_view
                operands = [Const(view), old, op.callee, version, *op.args[1:]]
            self._inference._define(Call(operands[0], operands[1:], {}, [new], loc))
            self._written(old, new, loc)
            self.state.derived[first] = new

    def _check_writable(self, storage: Value, name: str, loc: Location | None) -> None:
        if storage in self.items:
            raise ItemChanged(storage)
        for root in self.roots(storage):
            if self._kind(root) == "unknown":
                may_be_object = class_of(root.type) is None and self._inference.heap is None
                raise (NeedsHeap if may_be_object else Unsupported)(
                    f"{_named(name)} is changed in place, but zyg can't tell which other names "
                    "its memory has", loc, advice="change a copy",
                )
        for root in {storage, *self.roots(storage)}:
            if root in self.state.held:
                raise Unsupported(
                    f"{_named(name)} is changed in place after it was put into a container", loc,
                    advice="put a copy into the container, or change it before",
                )

    # What becomes known under other names

    def hold(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            if isinstance(operand, Value) and is_mutable(operand.type):
                storage = self.storage(operand)
                for root in {storage, *self.roots(storage)}:
                    self.state.held[root] = None

    def defined(self, call: Call) -> None:
        """Notes what a call does with the names of memory that it is given."""
        if isinstance(call.callee, Const) and id(call.callee.value) in CHANGING:
            return
        if isinstance(call.results[0].type if call.results else None, Method):
            return
        if not isinstance(call.callee, Const):
            self.lend([*call.args, *call.kwargs.values()])
            self.hold_parts([*call.args, *call.kwargs.values()])
            return
        callee = call.callee.value
        if callee not in UNPACKING and callee is not primitives.build_tuple:
            self.hold_parts([*call.args, *call.kwargs.values()])
        if id(callee) in HOLDING:
            self.hold(call.args)
        elif not facts.is_fresh(callee) and not facts.is_view(call):
            operands = [*call.args, *call.kwargs.values()]
            for result in call.results:
                if is_mutable(result.type):
                    self.lend(operands)
                    self.sources[result] = {
                        self.storage(o): self.state.current.get(self.storage(o), self.storage(o))
                        for o in operands if isinstance(o, Value) and is_mutable(o.type)
                        and o.type != HEAP
                    }

    def hold_parts(self, operands: Iterable[Operand]) -> None:
        """What tuples hold is known by another name where they are handed on."""
        for operand in operands:
            parts = self._parts(operand)
            if parts:
                self.hold(parts)
                self.hold_parts(parts)

    def lend(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            if isinstance(operand, Value) and is_mutable(operand.type) and operand.type != HEAP:
                storage = self.storage(operand)
                self.state.lent[storage] = None
                for root in self.roots(storage):
                    self.state.lent[root] = None

    def captured(self, op: Lambda) -> None:
        self.hold([*op.captures, *op.defaults, *op.kwdefaults.values()])

    def returned(self, operand: Operand, inputs: list[Value]) -> Returned:
        """What a caller may know of the memory that a function returns."""
        if not isinstance(operand, Value):
            return None
        op = self._inference.definitions.get(operand)
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.build_tuple:
                items = [self._returned_part(arg, inputs) for arg in op.args]
                numbers = [item for item in items if type(item) is int]
                storages = [
                    self.storage(arg) for arg, item in zip(op.args, items, strict=True)
                    if item == NEW and isinstance(arg, Value)
                ]
                is_apart = len(set(storages)) == len(storages) and (
                    len(set(numbers)) == len(numbers)
                )
                return tuple(items) if is_apart else None
        return self._returned_part(operand, inputs)

    def _returned_part(self, operand: Operand, inputs: list[Value]) -> Returned:
        if not isinstance(operand, Value) or not is_mutable(operand.type):
            return None
        storage = self.storage(operand)
        if storage in inputs:
            is_whole = self.state.current.get(storage) is operand
            return inputs.index(storage) if is_whole else None
        roots = {storage, *self.roots(storage)}
        is_new = all(
            self._kind(root) == "new" or root in self.covers for root in roots
        ) and storage not in self.items
        is_free = all(root not in self.state.held for root in roots)
        return NEW if is_new and is_free else None

    # Where branches and iterations meet

    def merged(self, result: Value) -> None:
        """Notes that the result of a branch holds what the storages hold behind the branch."""
        if is_mutable(result.type):
            self.sources[result] = {
                storage: self.state.current.get(storage, storage)
                for storage in self.covers.get(result, ()) if storage not in self.covers
            }

    def cover(self, result: Value, operands: Iterable[Operand]) -> None:
        """A value that is one of several others."""
        operands = list(operands)
        self.hold_parts(operands)
        if not is_mutable(result.type):
            return
        known = self.covers.setdefault(result, [])
        for operand in operands:
            if isinstance(operand, Value):
                storage = self.storage(operand)
                if storage is not result and storage not in known:
                    known.append(storage)

    def changed_since(self, before: State) -> list[Value]:
        """The values, by their first names, that were changed since then."""
        return [
            first for first, version in self.state.current.items()
            if before.current.get(first, first) is not version
            and not isinstance(self._whole(first), Value)
        ]

    def leave(self, before: State, local: set[Value]) -> None:
        """Forgets the versions made in a block; what was done to memory from outside stays."""
        inner, self.state = self.state, before
        for storage, loc in inner.writes.items():
            if storage not in local:
                self.state.writes.setdefault(storage, loc)
        self.state.held.update((v, None) for v in inner.held if v not in local)
        self.state.lent.update((v, None) for v in inner.lent if v not in local)
        self.state.lost.update(
            (value, loc) for value, loc in inner.lost.items() if value not in local
        )
        for value, version in inner.exposed.items():
            if value not in local and (
                value not in self.state.exposed or self.state.exposed[value] is not version
            ):
                self.state.exposed[value] = value  # no version of the heap: it is read again
        self.state.stored.update((v, None) for v in inner.stored if v not in local)

    def summary(
        self, operand: Operand, params: list[Value], local: set[Value],
        stand_ins: list[tuple[set[Value], Value]], own: set[Value],
    ) -> list[Value]:
        """The storages that the next iteration gets: new memory of this one by a stand-in.

        What may be the same new memory gets the same of the `stand_ins`; `own` are all stand-ins
        of this loop, which the latest one takes the place of.
        """
        if not isinstance(operand, Value) or not is_mutable(operand.type):
            return []
        storage = self.storage(operand)
        if storage in params or storage not in local:
            return [storage]
        roots = self.roots(storage)
        if any(self._kind(root) == "unknown" for root in roots) or roots & self.state.held.keys():
            return [Value(operand.name, operand.type)]
        made = {root for root in {storage, *roots} if root in local or root in own}
        stand_in = next((value for known, value in stand_ins if known & made), None)
        if stand_in is None:
            stand_in = Value(operand.name, operand.type)
            self.new[stand_in] = None
            own.add(stand_in)
        stand_ins.append((made, stand_in))
        if roots & self.state.lent.keys():
            self.state.lent[stand_in] = None
        return [stand_in, *(root for root in roots if root not in local and root not in own)]

    def replace(self, first: Value, version: Value) -> None:
        """A merged version takes the place of what a value was before a branch or loop."""
        self._note(first, version)
