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
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import facts, primitives
from ir.contents import (
    UNKNOWN,
    Contents,
    has_parts,
    holds_memory,
    is_immutable_class,
    may_overlap,
)
from ir.core import (
    Call,
    Const,
    For,
    If,
    Lambda,
    Location,
    Op,
    Operand,
    Value,
    While,
    Yield,
    type_of,
)
from ir.errors import NeedsHeap, Unsupported
from ir.heap import HEAP, HEAP_NAME, STORES, contents_read
from ir.held import HeldMemory
from ir.record import made, node, record
from ir.types import (
    NUMBERS,
    Closure,
    Iterator,
    Known,
    Method,
    Raised,
    Scalar,
    Slice,
    Tuple,
    Type,
    Union,
    class_of,
    widen,
)

if TYPE_CHECKING:
    from ir.infer import Inference

# Calls that put their operands into a container, which knows them by another name.
HOLDING = {
    id(f) for f in (primitives.build_list, primitives.build_dict, primitives.build_set)
}
# Calls that take a tuple apart, and keep nothing of it.
UNPACKING = (primitives.unpack, operator.getitem, len)
# Calls that make a new container of what others hold.
COPYING = {id(f) for f in (
    list, dict, set, sorted, list.copy, dict.copy, primitives.merge_dicts, primitives.flatten,
    deque, deque.copy, OrderedDict, OrderedDict.copy, defaultdict, defaultdict.copy, Counter,
)}
# Calls that change their first operand; the values that they put into it stand behind.
CHANGING = {
    id(f) for f in (
        primitives.stored, primitives.spliced, primitives.overwritten, primitives.stored_back,
        primitives.written, primitives.written_view, primitives.added_at, primitives.subtracted_at,
        primitives.deleted, primitives.appended, primitives.extended, primitives.inserted,
        primitives.updating, primitives.defaulted, primitives.touched, primitives.pushed,
        primitives.pushed_left, primitives.rotated, primitives.emptied, primitives.moved_to_end,
        primitives.regrouped, *STORES,
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
    if type(type_) is Scalar and type_.cls in NUMBERS:  # most values
        return False
    if isinstance(type_, Known | Closure | Raised):
        return False
    if isinstance(type_, Union):
        return any(map(is_mutable, type_.members))
    cls = class_of(type_)
    return cls is None or not is_immutable_class(cls)


def _checking(check: Any, operands: list[Operand], loc: Location | None) -> Call:
    """A call that does nothing, or raises."""
    return Call(Const(check), operands, {}, [Value("_", Known(None))], loc)


@record
class Effect:
    """What a call does to an argument that it changes, beside its own memory: to its elements."""

    deep: bool = False
    moves: bool = False
    mixes: bool = False


# Changes that leave the elements of containers where they are.
KEEPING = {
    id(f) for f in (primitives.overwritten, primitives.written, primitives.written_view,
                    primitives.added_at, primitives.subtracted_at, primitives.stored_back,
                    primitives.defaulted, primitives.touched, primitives.moved_to_end)
}


def keeps_places(callee: Any) -> bool:
    return id(callee) in KEEPING


def _is_object(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and facts.is_object(cls)


def _is_array_like(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and facts.copies_items(cls)


@record
class Gone:
    """What a block changed under a name of its own: the container that it had left, if any, the
    names outside of the block of what it may be, and where."""

    source: Value | None
    names: frozenset[Value]
    type: Type
    loc: Location | None


class ItemChanged(Exception):
    """A loop changes the items that it iterates over: it has to reach them by their positions."""

    def __init__(self, item: Value) -> None:
        super().__init__(item.name)
        self.item = item


# Stores under known keys change no keys: a loop over these may change the items.
KEYS: type = type({}.keys())
NEW, SHALLOW = "new", "shallow"
# A part of a result that holds no memory in one of the arms that give it.
ABSENT = "absent"
# What is known of the memory that a function returns: that it is new, new but for what it holds,
# which of the inputs that it changes it is, or nothing; of a tuple, for each item.
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
    `trail`: what was changed, by its storage and its own name (None: all in it), in order; `since`:
    how much of that is known not to concern a storage, or was done before it was read.
    What follows is about elements of containers, see `ir.contents`. `members`: the storages that
    may have memory in common with one; `adopted`: the container and the index by which a value is
    reached that was put there; `views`: the elements that were read; `detached`: those that may
    have left their container, and whether all that may know them is known; `taken`: the `stamps`
    of the storage when an element was read; `born`: the values of this block; `hidden`: the
    storages known to what isn't compared; `deep`: those whose elements were changed; `tangled`:
    those that may hold an element twice; `moved`: those whose elements were moved; `resized`: for
    a storage, and for what it holds, what changed its length last.
    """

    current: dict[Value, Value] = made(dict)
    origins: dict[Value, Value] = made(dict)
    derived: dict[Value, Operand] = made(dict)
    writes: dict[Value, Location | None] = made(dict)
    held: dict[Value, None] = made(dict)
    lent: dict[Value, None] = made(dict)
    lost: dict[Value, Location | None] = made(dict)
    since: dict[Value, int] = made(dict)
    trail: list[tuple[Value, Value | None]] = made(list)
    members: dict[Value, frozenset[Value]] = made(dict)
    adopted: dict[Value, tuple[Value, Operand]] = made(dict)
    views: dict[Value, None] = made(dict)
    detached: dict[Value, bool] = made(dict)
    stamps: dict[Value, Value] = made(dict)
    taken: dict[Value, Value | None] = made(dict)
    hidden: dict[Value, None] = made(dict)
    deep: dict[Value, None] = made(dict)
    tangled: dict[Value, None] = made(dict)
    moved: dict[Value, None] = made(dict)
    resized: dict[tuple[Value, bool], object] = made(dict)
    born: dict[Value, None] = made(dict)
    # Memory that objects may hold, see `ir.held`: the version of the heap that each value was read
    # from; what was stored into objects; the last look at a value behind a change of the heap.
    exposed: dict[Value, Value] = made(dict)
    stored: dict[Value, None] = made(dict)
    seen: dict[Value, tuple[Value, Value, Value]] = made(dict)

    @property
    def has_changes(self) -> bool:
        """Whether memory was changed; objects are read by way of the heap, not by their names."""
        return bool(self.lost or self.trail) or any(
            storage.type is not HEAP and storage.type != HEAP for storage in self.writes
        )

    def copy(self) -> State:
        new = object.__new__(State)
        vars(new).update([(name, part.copy()) for name, part in vars(self).items()])
        new.born = {}
        return new


class Places:
    """Follows the memory of the values of one function while inference walks over it."""

    def __init__(self, inference: Inference) -> None:
        self.inference = inference
        self.state = State()
        self.inputs: dict[Value, None] = {}
        self.covers: dict[Value, list[Value]] = {}
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
        # Items of what a loop iterates over; new memory that iterations hand on.
        self.items: dict[Value, None] = {}
        self.new: dict[Value, None] = {}
        self.contents = Contents(self)
        self.held = HeldMemory(self)
        # The inputs that are looked at on entry for elements that they hold twice.
        self.apart: dict[Value, None] = {}
        # The container that an element has left that held it once.
        self.left: dict[Value, Value] = {}
        # What inner blocks changed under names of their own, by a value that stands for it.
        self.gone: dict[Value, Gone] = {}
        self._gone: dict[object, Value] = {}
        # What only stands for memory, or was carried by an earlier look at a loop.
        self.nameless: set[Value] = set()
        # The inputs that are compared on entry, and whether the second one is changed itself.
        self.compared: dict[tuple[Value, Value, bool], None] = {}

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
        return None

    def storage(self, value: Value) -> Value:
        while True:
            value = self.origin(value)
            whole = self.whole(value)
            if not isinstance(whole, Value):
                return value
            value = whole

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
                        raise Unsupported(
                            f"`{first.name}` may be a copy, and is changed in place in a branch or "
                            "loop", op.loc, advice="use `.copy()`, or change the whole",
                        )
                    check = self.inference.surroundings.check_view
                    operands: list[Operand] = [version, state.current.get(first, first)]
                    self.inference.ops.append(_checking(check, operands, op.loc))
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
        if not _is_array_like(type_):
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

    # Reads

    def read(self, operand: Operand, loc: Location | None) -> Operand:
        """The operand to read in the place of one that the source names."""
        if isinstance(operand, Const) or not self.is_watching:
            return operand
        if isinstance(operand.type, Tuple) and self.parts(operand):
            return self._tuple_again(operand, loc)
        if not holds_memory(operand.type):
            return operand
        if self.inference.heap is not None and _is_object(operand.type):
            return operand  # what it holds is compared where it is read
        if self.state.has_changes:
            self._compare(operand, loc)
            operand = self.latest(operand)
        return self.held.read(operand, loc) if self.held.is_watching else operand

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

    def _tuple_again(self, value: Value, loc: Location | None) -> Operand:
        """A tuple of the latest versions of its items."""
        parts = self.parts(value)
        latest = [self.read(part, loc) for part in parts]
        if all(a is b for a, b in zip(parts, latest, strict=True)):
            return value
        return self.inference.call(primitives.build_tuple, *latest, name=value.name, loc=loc)

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
        start, state = self.state.since.get(storage, 0), self.state
        state.since[storage] = len(state.trail)
        for written, target in dict.fromkeys(state.trail[start:]):
            if written in self.gone:
                self._compare_gone(storage, written, loc)
                continue
            if written is storage or self.storage(written) is storage:
                continue
            if self._may_share(storage, written, target):
                self._check(storage, written, target, loc)

    def _compare_gone(self, storage: Value, written: Value, loc: Location | None) -> None:
        """Sees to it that a storage isn't what was changed under a name of an inner block."""
        whole = self.state.current.get(storage, storage).type
        gone = self.gone[written]
        if storage is gone.source:
            self.untangle(storage, loc)  # it held once what has left it
        elif self._may_be_one_of(storage, gone.names) and may_overlap(whole, written.type, True):
            raise Unsupported(
                f"{_named(storage.name)} may have been changed in place under another name",
                loc or gone.loc,
                advice="copy what is changed, or use one name for it",
            )

    def _may_be_one_of(self, storage: Value, names: Iterable[Value]) -> bool:
        roots = self.roots(storage)
        return any(roots & self.roots(name) for name in names)

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
        self, iterables: list[Operand], before: State, loc: Location | None
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
            is_part = self.contents.is_element(iterable)
            is_resized = any(
                class_of(storage.type) is not dict
                and before.resized.get((storage, is_part)) is not (
                    self.state.resized.get((storage, is_part))
                )
                for storage in changed
            )
            if is_resized:
                raise Unsupported(
                    f"a loop changes the length of `{changed[0].name}`, which it iterates over",
                    loc, advice="iterate over a copy",
                )
            is_keyed = issubclass(class_of(iterable.type) or object, dict | KEYS)
            if changed and not is_keyed:
                return i
        return None

    def iterated(self, iterable: Operand, loc: Location | None) -> None:
        """Sees to it that the body of a loop changed nothing that it iterates over by another
        name."""
        if isinstance(iterable, Value) and self.state.has_changes and is_mutable(iterable.type):
            self._compare(iterable, loc)

    def _may_share(self, storage: Value, written: Value, target: Value | None) -> bool:
        changed = written if target is None else target
        type_ = self.state.current.get(changed, changed).type
        whole = self.state.current.get(storage, storage).type
        if not may_overlap(whole, type_, target is None):
            return False
        roots, others = self.roots(storage), self.roots(written)
        if roots & others:
            return True
        if target is written:
            others = self.shallow_roots(written)
        return any(self._may_be_same(a, b) for a in roots for b in others)

    def _may_be_same(self, a: Value, b: Value) -> bool:
        kinds = {self.kind(a), self.kind(b)}
        if "new" in kinds:
            new = a if self.kind(a) == "new" else b
            # An unknown value can be new memory only if that was given away.
            return "unknown" in kinds and (new in self.state.lent or new in self.state.held)
        return True

    def roots(self, storage: Value) -> frozenset[Value]:
        """The storages that may have memory in common with one: those that a merged one may be,
        and members."""
        return self._unmerged(self._reached(storage, self.state.members))

    def shallow_roots(self, storage: Value) -> frozenset[Value]:
        """The storages that a merged one may be."""
        return self._unmerged(self._reached(storage, {}))

    def _unmerged(self, storages: Iterable[Value]) -> frozenset[Value]:
        return frozenset(storage for storage in storages if storage not in self.covers)

    def _reached(self, storage: Value, members: dict[Value, frozenset[Value]]) -> set[Value]:
        found: set[Value] = set()
        pending = [storage]
        while pending:
            value = pending.pop()
            if value not in found:
                found.add(value)
                pending += self.covers.get(value, [])
                pending += members.get(value, ())
        return found

    def kind(self, storage: Value) -> str:
        if storage in self.inputs:
            return "given"
        if storage in self.new:
            return "new"
        if storage in self.state.detached:
            return "given" if self.state.detached[storage] else "unknown"
        op = self.inference.definitions.get(storage)
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
        return id(callee) in COPYING

    def _check(
        self, storage: Value, written: Value, target: Value | None, loc: Location | None
    ) -> None:
        """Appends the question whether a storage knows what was changed: `target`, which is a
        part of the region of `written`, or anything there."""
        surroundings = self.inference.surroundings
        callee = surroundings.check_distinct
        if target is None:
            callee = surroundings.check_separate
        elif has_parts(self.state.current.get(storage, storage).type):
            callee = surroundings.check_outside
        are_apart = not self.roots(storage) & self.roots(written)
        if storage in self.inputs and written in self.inputs and are_apart:
            is_whole = target is written
            callee = callee if is_whole else surroundings.check_separate
            if (storage, written, is_whole) not in self.compared:
                self.compared[storage, written, is_whole] = None
                self.entry.append(_checking(callee, [storage, written], loc))
            return
        changed = written if target is None else target
        operands: list[Operand] = [self.latest(storage), self.latest(changed)]
        self.inference.ops.append(_checking(callee, operands, loc))

    def untangle(self, storage: Value, loc: Location | None) -> None:
        """Sees to it that a container, whose elements are changed, holds none of them twice."""
        callee = self.inference.surroundings.check_apart
        for root in self.roots(storage):
            if root in self.inputs and has_parts(root.type) and root not in self.apart:
                self.apart[root] = None
                self.entry.append(_checking(callee, [root], loc))
        if storage in self.state.tangled:
            self.state.tangled.pop(storage, None)
            self.inference.ops.append(_checking(callee, [self.latest(storage)], loc))

    def is_written(self, value: Value) -> bool:
        """Whether an input, or an element of it, was changed."""
        storage = self.storage(value)
        state = self.state
        return value in state.writes or state.current.get(value, value) is not value or (
            storage is not value and storage in state.writes
        )

    def is_spoiled(self, value: Value) -> bool:
        """Whether an input may have been changed of which there is no new version."""
        storage = self.storage(value)
        roots = self.roots(storage)
        return not roots.isdisjoint(self.state.lost) or any(
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

    def effect(self, value: Value) -> Effect:
        """What was done to the elements of an input."""
        storage = self.storage(value)
        return Effect(
            storage in self.state.deep or any(
                w is not storage and storage in self.roots(w) for w in self.state.writes
            ),
            storage in self.state.moved,
            any(self.kind(root) == "unknown" for root in self.roots(storage)),
        )

    def is_element_at(self, value: Operand, container: Operand, index: Operand) -> bool:
        """Whether a value is known to be the element of a container at an index."""
        if not isinstance(value, Value) or not isinstance(container, Value):
            return False
        place = self.contents.place(value)
        if place is None or not isinstance(place[0], Value):
            return False
        is_same = place[1] is index or (
            isinstance(place[1], Const) and isinstance(index, Const)
            and Known(place[1].value) == Known(index.value)
        )
        return is_same and self.origin(place[0]) is self.origin(container)

    def is_defined(self, value: Value) -> bool:
        return value in self.inference.definitions

    # Writes

    def written_to(self, before: Value, version: Value) -> None:
        """`version` is what a value, and all that it is a view of, has become."""
        self.written(self.state.current.get(self.origin(before), before), version, None)

    def change(
        self, callee: Any, target: Operand, operands: list[Operand], loc: Location | None,
        type_: Type, held: list[Operand], index: Operand | None = None,
    ) -> Value:
        """Appends a call that changes `target`, which means its result from here on.

        `held` are the operands that the target knows behind it, at an index if that is known.
        """
        if not isinstance(target, Value):
            raise Unsupported(
                "what is changed in place here is an object of the compile time, a global for "
                "one", loc, advice="pass it as an argument",
            )
        storage = self.storage(target)
        if self.held.is_held(target):
            return self.held.change(callee, target, operands, loc, type_)
        self._check_writable(target, loc)
        if not keeps_places(callee):
            self.contents.moving(callee, target, operands)
        before = self.latest(target)
        self.held.check_local(target, before, loc)
        version = Value(before.name, type_)
        self.inference._define(Call(Const(callee), [before, *operands], {}, [version], loc))
        self.state.writes.setdefault(storage, loc)
        self.written(before, version, loc)
        self.contents.changed(target, version)
        self.state.trail.append((storage, self.origin(target)))
        held = [o for o in held if isinstance(o, Value) and holds_memory(o.type)]
        if callee is primitives.appended and held:
            index = self.contents.position_of_last(version)
        if callee in (primitives.spliced, primitives.extended):
            self.contents.copied(storage, held)
        else:
            self.contents.put(version, [(index, operand) for operand in held])
        return version

    def passed(
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        result: Value,
        changed: list[tuple[int | str, Operand]],
        types: list[Type],
        effects: list[Effect],
        loc: Location | None,
    ) -> None:
        """Appends a call that changes some of its arguments, which get versions of new types."""
        targets: list[Value] = []
        for (_, operand), effect in zip(changed, effects, strict=True):
            if not isinstance(operand, Value):
                raise Unsupported("a call changes a constant in place", loc)
            self._check_writable(operand, loc, effect.deep)
            targets.append(operand)
        given = [*args, *kwargs.values()]
        self._check_apart(changed, [*enumerate(args), *kwargs.items()], loc)
        positions = Const(tuple(position for position, _ in changed))
        for operand, effect in zip(targets, effects, strict=True):
            if effect.moves:
                gone = self.contents.moving(primitives.updating, operand, [])
                if effect.deep:
                    # They may have been changed when they were elements no more.
                    self.state.lost.update(dict.fromkeys(gone, loc))
        before = [self.latest(operand) for operand in targets]
        storages = [self.storage(operand) for operand in targets]
        versions = [
            Value(value.name, type_) for value, type_ in zip(before, types, strict=True)
        ]
        call = Call(
            Const(primitives.updating), [callee, positions, *args], kwargs, [result, *versions],
            loc,
        )
        self.inference._define(call)
        others = [
            o for o in given if isinstance(o, Value) and holds_memory(o.type)
            and not any(o is other for _, other in changed)
        ]
        for storage, old, version, effect in zip(storages, before, versions, effects, strict=True):
            self.state.writes.setdefault(storage, loc)
            old = self.state.current.get(self.origin(old), old)
            self.written(old, version, loc)
            if version.type == HEAP:
                continue
            self.contents.changed(old, version, effect.deep)
            is_deep = effect.deep or effect.moves
            self.state.trail.append((storage, None if is_deep else self.origin(old)))
            if has_parts(version.type):
                if effect.mixes:
                    self.contents.mix(version)
                for operand in others:
                    self.contents.link(version, operand)
        for (_, a), version in zip(changed, versions, strict=True):
            for _, b in changed:
                if a is not b and has_parts(version.type):
                    self.contents.link(version, b)
        self.sources[result] = {
            storage: self.state.current.get(storage, storage) for storage in storages
            if storage.type != HEAP
        }
        if any(position == HEAP_NAME for position, _ in changed):
            self.lend(others)
            self.held.expose([*others, result])
            self.held.mark(self.inference.surroundings.held_operands(callee, args, kwargs))

    def _check_apart(
        self, changed: list[tuple[int | str, Operand]], given: list[tuple[int | str, Operand]],
        loc: Location | None,
    ) -> None:
        """Sees to it that a call gets what it changes under one name only."""
        for i, (position, target) in enumerate(changed):
            done = {position for position, _ in changed[: i + 1]}
            for other, operand in given:
                if other in done or not isinstance(operand, Value) or (
                    not holds_memory(operand.type)
                ):
                    continue
                assert isinstance(target, Value)
                storage = self.storage(target)
                if self.storage(operand) is not storage:
                    continue
                if self.origin(operand) is storage or self.origin(target) is storage:
                    raise Unsupported(
                        f"`{operand.name}` is passed to a call that changes it under another "
                        "name", loc,
                    )
                callee = self.inference.surroundings.check_separate
                operands: list[Operand] = [self.latest(operand), self.latest(target)]
                self.inference.ops.append(_checking(callee, operands, loc))

    def written(self, before: Value, version: Value, loc: Location | None) -> None:
        """A new version of a value, and of all that it is a view of."""
        self.consumed.add(before)
        first = self.origin(before)
        self._note(first, version)
        place = self.contents.place(first)
        if place is not None:
            self._element_written(place, version, loc)
            return
        whole = self.whole(first)
        if isinstance(whole, Value):
            op = self.inference.definitions[first]
            assert isinstance(op, Call)
            old = self.state.current.get(self.origin(whole), self.origin(whole))
            new = Value(old.name, old.type)
            assert isinstance(op.callee, Const)
            if op.callee.value is operator.getitem:
                operands: list[Operand] = [Const(primitives.written), old, op.args[1], version]
            else:
                view = self.inference.surroundings.written_view
                operands = [Const(view), old, op.callee, version, *op.args[1:]]
            self.inference._define(Call(operands[0], operands[1:], {}, [new], loc))
            self.written(old, new, loc)
            self.state.derived[first] = new

    def _element_written(
        self, place: tuple[Operand, Operand], version: Value, loc: Location | None
    ) -> None:
        container, index = place
        assert isinstance(container, Value)
        first = self.origin(container)
        old = self.state.current.get(first, first)
        result_of = facts.result_of(primitives.stored)
        assert result_of is not None
        type_ = result_of((old.type, type_of(index), version.type), {})
        new = Value(old.name, type_)
        operands: list[Operand] = [old, index, version]
        self.inference._define(Call(Const(primitives.written), operands, {}, [new], loc))
        self.written(old, new, loc)

    def _check_writable(
        self, value: Value, loc: Location | None, deep: bool = False
    ) -> None:
        storage, state = self.storage(value), self.state
        item = self.item_of_loop(storage)
        if item is not None:
            raise ItemChanged(item)
        is_deep = deep or self.contents.is_element(value)
        roots = self.roots(storage) if is_deep else self.shallow_roots(storage)
        if any(self.kind(root) == "unknown" for root in roots):
            may_be_object = self.inference.heap is None and any(
                class_of(root.type) is None for root in roots
            )
            raise (NeedsHeap if may_be_object else Unsupported)(
                f"{_named(value.name)} is changed in place, but zyg can't tell which other names "
                "its memory has", loc, advice="change a copy",
            )
        known = state.hidden if is_deep else state.held
        if any(root in known for root in {storage, *roots}):
            raise Unsupported(
                f"{_named(value.name)} is changed in place after it was put into a container", loc,
                advice="put a copy into the container, or change it before",
            )
        if is_deep:
            self.untangle(storage, loc)

    def item_of_loop(self, storage: Value) -> Value | None:
        """The item of what a loop iterates over that a storage is, or is a part of, as a row is in
        `for i, row in enumerate(rows)`."""
        if storage in self.items:
            return storage
        op = self.inference.definitions.get(storage)
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.args[:1]:
            whole = op.args[0]
            if op.callee.value in (primitives.unpack, operator.getitem) and whole in self.items:
                return whole  # the items are values
        return None

    # What becomes known under other names

    def hold(self, operands: Iterable[Operand]) -> None:
        """Notes what becomes known to something that isn't followed."""
        for operand in operands:
            if not isinstance(operand, Value) or not holds_memory(operand.type):
                continue
            storage = self.storage(operand)
            for root in {storage, *self.roots(storage)}:
                self.state.hidden[root] = None
            if self.contents.is_element(operand):
                self.lend([operand])
                continue
            for root in {storage, *self.shallow_roots(storage)}:
                self.state.held[root] = None

    def collect(self, operands: Iterable[Operand]) -> None:
        """Notes what an iteration adds to the lists that its loop makes."""
        for operand in operands:
            parts = self.parts(operand)
            if parts:
                self.collect(parts)
            elif isinstance(operand, Value) and holds_memory(operand.type):
                self.lend([operand])
                if not self.contents.is_element(operand):
                    storage = self.storage(operand)
                    for root in {storage, *self.shallow_roots(storage)}:
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
            if id(callee) not in HOLDING:
                self.hold_parts([*call.args, *call.kwargs.values()])
        if id(callee) in HOLDING:
            self._built(call)
            return
        operands = [*call.args, *call.kwargs.values()]
        for result in call.results:
            if result in self.state.origins or not holds_memory(result.type):
                continue
            if self.contents.is_element(result):
                self.contents.read(result)
            elif callee is operator.getitem and self.parts(call.args[0]):
                self.cover(result, self.parts(call.args[0]))
            elif (facts.is_fresh(callee) or id(callee) in COPYING) and not (
                has_parts(result.type)
            ):
                continue
            elif not facts.is_view(call) and callee is not primitives.build_tuple:
                self.lend(operands)
                self.sources[result] = {
                    self.storage(o): self.state.current.get(self.storage(o), self.storage(o))
                    for o in operands
                    if isinstance(o, Value) and holds_memory(o.type) and o.type != HEAP
                }
                if has_parts(result.type) and self.kind(result) == "new":
                    self.contents.copied(result, operands)

    def _built(self, call: Call) -> None:
        """A container that was made of its items."""
        items: list[tuple[Operand | None, Operand]] = []
        if call.callee.value is primitives.build_dict:  # type: ignore[union-attr]
            keys = [key.value for key in call.args[::2] if isinstance(key, Const)]
            are_known = len(keys) * 2 == len(call.args) and len(set(keys)) == len(keys)
            for key, operand in zip(call.args[::2], call.args[1::2], strict=True):
                items += [(None, key), (key if are_known else None, operand)]
        elif call.callee.value is primitives.build_list:  # type: ignore[union-attr]
            items += [(Const(i), operand) for i, operand in enumerate(call.args)]
        else:
            items += [(None, operand) for operand in call.args]
        self.contents.put(call.result, items)

    def hold_parts(self, operands: Iterable[Operand]) -> None:
        """What tuples hold is known by another name where they are handed on."""
        for operand in operands:
            parts = self.parts(operand)
            if parts:
                self.hold(parts)
                self.hold_parts(parts)

    def lend(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            if isinstance(operand, Value) and holds_memory(operand.type):
                storage = self.storage(operand)
                self.state.lent[storage] = None
                for root in self.roots(storage):
                    self.state.lent[root] = None

    def captured(self, op: Lambda) -> None:
        captures = [*op.captures, *op.defaults, *op.kwdefaults.values()]
        self.hold(captures)
        self.held.expose(captures)  # the function may put them into objects

    def returned(self, operand: Operand, inputs: list[Value]) -> Returned:
        """What a caller may know of the memory that a function returns."""
        if not isinstance(operand, Value):
            return None
        op = self.inference.definitions.get(operand)
        if isinstance(op, If):
            return self._returned_by_arms(op, operand, inputs)
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.build_tuple:
                items = [self._returned_part(arg, inputs) for arg in op.args]
                numbers = [item for item in items if type(item) is int]
                known: set[Value] = set()
                is_apart = len(set(numbers)) == len(numbers)
                for arg, item in zip(op.args, items, strict=True):
                    if item in (NEW, SHALLOW) and isinstance(arg, Value):
                        roots = self.roots(self.storage(arg)) | {self.storage(arg)}
                        is_apart = is_apart and not known & roots
                        known |= roots
                return tuple(items) if is_apart else None
        return self._returned_part(operand, inputs)

    def _returned_by_arms(self, op: If, result: Value, inputs: list[Value]) -> Returned:
        """The same for what each arm of a branch gives a tuple of: new memory, or none at all."""
        position = op.results.index(result)
        rows: list[list[object]] = []
        for block in op.blocks:
            if not isinstance(block.exit, Yield):
                continue
            operand = block.exit.values[position]
            made = self.inference.definitions.get(operand) if isinstance(operand, Value) else None
            known = self.returned(operand, inputs)
            if isinstance(made, If) and isinstance(known, tuple):
                rows.append([*known])
                continue
            parts = self.parts(operand)
            if not parts or not isinstance(known, tuple):
                return None
            rows.append([
                ABSENT if isinstance(part, Const) or not holds_memory(part.type) else kind
                for part, kind in zip(parts, known, strict=True)
            ])
        whole: list[object] = []
        for column in zip(*rows, strict=False):
            kinds = set(column) - {ABSENT}
            if len({len(row) for row in rows}) > 1 or len(kinds) > 1:
                return None
            whole.append(kinds.pop() if kinds else ABSENT)
        if not any(kind in (NEW, SHALLOW) for kind in whole):
            return None
        return tuple(kind if kind in (NEW, SHALLOW, ABSENT) else None for kind in whole)

    def _returned_part(self, operand: Operand, inputs: list[Value]) -> Returned:
        if not isinstance(operand, Value) or not is_mutable(operand.type):
            return None
        if self.contents.is_element(operand) and self.origin(operand) in self.inputs:
            return None
        storage = self.storage(operand)
        if storage in inputs:
            is_whole = self.state.current.get(storage) is operand
            return inputs.index(storage) if is_whole else None
        if storage in self.items or not self._is_new(self.shallow_roots(storage) | {storage}):
            return None
        is_deep = all(
            self.kind(root) == "new" and root not in self.state.hidden
            for root in self.roots(storage)
        ) and storage not in self.state.tangled
        return NEW if is_deep else SHALLOW

    def _is_new(self, roots: Iterable[Value]) -> bool:
        return all(
            (self.kind(root) == "new" or root in self.covers) and root not in self.state.held
            and root not in self.held.given
            for root in roots
        )

    # Where branches and iterations meet

    def merged(self, result: Value) -> None:
        """Notes that the result of a branch holds what the storages hold behind the branch."""
        if holds_memory(result.type):
            self.chosen.add(result)
            self.state.since[result] = len(self.state.trail)
            self.sources[result] = {
                storage: self.state.current.get(storage, storage)
                for storage in self.covers.get(result, ()) if storage not in self.covers
            }

    def cover(self, result: Value, operands: Iterable[Operand]) -> None:
        """A value that is one of several others."""
        operands = list(operands)
        self.hold_parts(operands)
        if not holds_memory(result.type):
            return
        known = self.covers.setdefault(result, [])
        if has_parts(result.type):
            self.state.tangled[result] = None
        for operand in operands:
            parts = self.parts(operand)
            if parts:
                self.cover(result, parts)
            elif isinstance(operand, Value):
                storage = self.storage(operand)
                if storage is not result and storage not in known:
                    known.append(storage)

    def changed_since(self, before: State) -> list[Value]:
        """The values, by their first names, that were changed since then."""
        return [
            first for first, version in self.state.current.items()
            if before.current.get(first, first) is not version
            and not isinstance(self.whole(first), Value)
        ]

    def lost_choices(self, inner: State, local: set[Value]) -> dict[Value, Location | None]:
        """The storages from outside of a block of which one, but not a known one, was written."""
        return {
            root: loc for storage, loc in inner.writes.items()
            if storage in self.chosen and storage in local
            for root in self.roots(storage) if root not in local
        }

    def leave(self, before: State, local: set[Value], start: State | None = None) -> None:
        """Forgets the versions made in a block; what was done to memory from outside stays.

        The block began at `start` if not at `before`: another arm may have changed something since.
        """
        start = start or before
        lost = self.lost_choices(self.state, local)
        inner, self.state = self.state, before
        self.state.lost.update(lost)
        for storage, loc in inner.writes.items():
            if storage not in local:
                self.state.writes.setdefault(storage, loc)
        for mine, theirs in (
            (before.held, inner.held), (before.lent, inner.lent), (before.hidden, inner.hidden),
            (before.deep, inner.deep), (before.tangled, inner.tangled),
            (before.moved, inner.moved),
        ):
            mine.update((value, None) for value in theirs if value not in local)
        self.state.lost.update(
            (value, loc) for value, loc in inner.lost.items() if value not in local
        )
        self.state.lost.update(dict.fromkeys(self.lost_views(before, inner, local)))
        self.state.trail += self.outer_trail(start, inner, local)
        for view in [view for view in inner.detached if view not in local]:
            if view not in before.detached:
                self.contents.detach_behind(view, inner.detached[view])
        for storage, members in self.outer_members(inner, local).items():
            known = before.members.get(storage, frozenset()) if start is not before else members
            before.members[storage] = members | known
        before.resized.update(
            (key, token) for key, token in inner.resized.items()
            if key[0] not in local and start.resized.get(key) is not token
        )
        before.stamps.update(
            (value, stamp) for value, stamp in inner.stamps.items()
            if value not in local and start.stamps.get(value) is not stamp
        )
        for value, version in inner.exposed.items():
            if value not in local and before.exposed.get(value) is not version:
                before.exposed[value] = value  # no version of the heap: it is read again
        before.stored.update((v, None) for v in inner.stored if v not in local)

    def leave_arm(self, before: State, local: set[Value], start: State) -> None:
        """The same for an arm of a branch, whose own values go on in the results of the branch."""
        inner = self.state
        self.leave(before, local, start)
        pairs: list[tuple[dict[Value, Any], dict[Value, Any]]] = [
            (before.held, inner.held), (before.lent, inner.lent), (before.hidden, inner.hidden),
            (before.tangled, inner.tangled), (before.members, inner.members),
            (before.adopted, inner.adopted), (before.detached, inner.detached),
        ]
        for mine, theirs in pairs:
            mine.update((value, known) for value, known in theirs.items() if value in local)

    def outer_trail(
        self, before: State, inner: State, local: set[Value]
    ) -> list[tuple[Value, Value | None]]:
        """What a block changed, as it can be named outside of it."""
        found: dict[tuple[Value, Value | None], None] = {}
        outside, self.state = self.state, inner
        for storage, target in inner.trail[len(before.trail) :]:
            if storage in self.gone:
                found.update(self._gone_from(self.gone[storage], local))
            elif storage not in local:
                is_known = target is not None and target not in local
                found[storage, target if is_known else None] = None
            else:
                # A change of a container itself isn't one of what it holds.
                is_deep = storage in inner.detached or target is not storage
                names = frozenset(self._reached(storage, inner.members if is_deep else {}))
                type_ = widen(inner.current.get(storage, storage).type)
                gone = Gone(self.left.get(storage), names, type_, inner.writes.get(storage))
                found.update(self._gone_from(gone, local))
        self.state = outside
        return list(found)

    def _gone_from(
        self, gone: Gone, local: set[Value]
    ) -> dict[tuple[Value, Value | None], None]:
        """What stands for changed memory outside of a block that knew it by names of its own."""
        names = gone.names - local - self.nameless
        if not names:
            return {}
        source = gone.source if gone.source not in local else None
        token = self._gone.setdefault((source, names, gone.type), Value("item", gone.type))
        self.gone.setdefault(token, Gone(source, names, gone.type, gone.loc))
        return {(token, None): None}

    def lost_views(self, before: State, inner: State, local: set[Value]) -> list[Value]:
        """The elements from outside of a block that it detached after they had been changed."""
        inner, self.state = self.state, before
        found = []
        for view in inner.detached:
            if view not in local and view not in before.detached:
                root = self.storage(view)
                is_same = inner.stamps.get(root) is before.stamps.get(root)
                is_written = inner.current.get(view) is not before.current.get(view)
                if self.contents.is_stale(view) or not is_same or is_written:
                    found.append(view)
        self.state = inner
        return found

    def outer_members(self, inner: State, local: set[Value]) -> dict[Value, frozenset[Value]]:
        """What the storages from outside of a block may have in common behind it."""
        outer, self.state = self.state, inner
        found = {}
        for storage in inner.members:
            if storage in local:
                continue
            members: set[Value] = set()
            for root in self.roots(storage):
                if root not in local:
                    members.add(root)
                elif self.kind(root) == "unknown" or root in inner.hidden or root in self.new:
                    members.add(UNKNOWN)
            found[storage] = frozenset(members - {storage})
        self.state = outer
        return found

    def summary(
        self, operand: Operand, params: list[Value], local: set[Value],
        stand_ins: list[tuple[set[Value], Value]], own: set[Value],
    ) -> list[Value]:
        """The storages that the next iteration gets: new memory of this one by a stand-in.

        What may be the same new memory gets the same of the `stand_ins`; `own` are all stand-ins
        of this loop, which the latest one takes the place of.
        """
        if not isinstance(operand, Value) or not holds_memory(operand.type):
            return []
        storage = self.storage(operand)
        if storage in params or storage not in local:
            return [storage]
        roots = self.roots(storage)
        if any(self.kind(root) == "unknown" for root in roots) or roots & self.state.held.keys():
            unknown = Value(operand.name, operand.type)
            self.nameless.add(unknown)
            return [unknown]
        made = {root for root in {storage, *roots} if root in local or root in own}
        stand_in = next((value for known, value in stand_ins if known & made), None)
        if stand_in is None:
            stand_in = Value(operand.name, operand.type)
            self.new[stand_in] = None
            self.nameless.add(stand_in)
            own.add(stand_in)
        stand_ins.append((made, stand_in))
        if roots & self.state.lent.keys():
            self.state.lent[stand_in] = None
        return [stand_in, *(root for root in roots if root not in local and root not in own)]

    def fresh(self, value: Value) -> None:
        """Notes that a value was read just now."""
        if self.state.trail:
            self.state.since[value] = len(self.state.trail)

    def replace(self, first: Value, version: Value) -> None:
        """A merged version takes the place of what a value was before a branch or loop."""
        self._note(first, version)
