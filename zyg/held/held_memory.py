"""The memory that objects hold while a program runs: arrays, lists and dicts, at any depth.

    self.rows = [[x], [y]]     the list is held from here on, and so are both rows
    self.rows[0][0] = v        a row is changed: it is known by its identity, as objects are
    self.rows.append(row)      from here on `row` is held too

A list of rows holds no numbers of its own; what its rows hold has cotangents by the row. So it has
to be known which rows stood in it when it was read. `Seen` says when that was, and `Memory` keeps
what takes each change back that came later: nothing is copied where a list of rows is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir import facts
from ir.heap import Identity
from ir.types import Type
from zyg.errors import NotDifferentiable
from zyg.held.held_views import VIEWS, dict_of, is_read_later
from zyg.held.memory_kinds import (
    CONTAINERS,
    FUNCTIONS,
    MEMORY,
    PLAIN,
    captured_by,
    is_memory,
    items_of,
    leads_to_memory,
    memory_behind,
    memory_captured,
    memory_in,
)
from zyg.held.shadow_calls import state
from zyg.held.shown_parts import marks_of, new_marks, owner_of, shows_parts

Undo: TypeAlias = Callable[..., Any]


class Memory:
    """A piece of memory that objects hold.

    `changes`: where it has held memory itself, what takes back each change of that, with the time
    of the change. `final`: what it held when the forward pass had run. `version`: how many changes
    were made, of any kind.
    """

    __slots__ = ("changes", "final", "owner", "version")

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.changes: list[tuple[int, Undo, tuple[Any, ...]]] | None = None
        self.final: Any = None
        self.version = 0

    def items(self) -> Any:
        """A copy of what a container holds now."""
        return dict(self.owner) if isinstance(self.owner, dict) else list(self.owner)


# By the `id` of what owns memory: all of it (None), or which items of an array.
Parts: TypeAlias = dict[int, Any]


class Holding:
    """What objects hold in one forward pass, by the `id` of what owns the memory."""

    __slots__ = ("captured", "clock", "contents", "dropped", "known", "leaves_arrays", "parts")

    def __init__(self, leaves_arrays: bool = False) -> None:
        # Whether arrays are values, since nobody changes those in place which objects may know.
        self.leaves_arrays = leaves_arrays
        self.known: dict[int, Memory] = {}
        # What functions that objects hold have captured.
        self.captured: dict[int, Any] = {}
        # Of arrays of which objects hold views alone, the items that these show.
        self.parts: Parts = {}
        # Counts the changes of what containers hold.
        self.clock = 0
        # Memory, by its `id`, with what stands for its contents
        # (`zyg.compiler.nested.contents_objects`).
        self.contents: dict[int, tuple[Any, Any]] = {}
        # Memory that no object held when its derivative was dropped, by the `id` of what owns it.
        self.dropped: dict[int, Any] = {}

    def stand_for(self, contents: Any, memory: Any) -> None:
        """Notes what stands for the contents of memory: these are its attribute from here on."""
        self._unless_dropped(memory, id(memory))
        self.contents[id(memory)] = memory, contents
        self.known.pop(id(memory), None)

    def copy(self) -> Holding:
        """The same for a reverse pass, which lets go of what was held later."""
        made = Holding(self.leaves_arrays)
        made.known, made.clock, made.captured = dict(self.known), self.clock, self.captured
        made.parts = {key: part.copy() for key, part in self.parts.items()}
        return made

    def of(self, value: Any) -> Memory | None:
        """What is known of memory, if objects hold some of it."""
        return self.held_part(value)[0]

    def held_part(self, value: Any) -> tuple[Memory | None, Any]:
        """What is known of memory, and which items of an array objects hold; None if all."""
        if type(value) is not np.ndarray:
            return self.known.get(id(value)), None
        base: Any = value.base
        if isinstance(base, bytes):
            return None, None  # in the place of its contents (`zyg.held.keeping.prototype`)
        owner = value if base is None else owner_of(value)
        memory = self.known.get(id(owner))
        part = None if memory is None or not self.parts else self.parts.get(id(owner))
        if part is None:
            return memory, None
        shown = marks_of(value, owner, part)
        if shown.all():
            return memory, None
        return (memory, shown) if shown.any() else (None, None)

    def _enter_array(self, array: Any, found: Parts) -> None:
        owner = owner_of(array)
        key = id(owner)
        self._unless_dropped(array, key)
        if key not in self.known:
            self.known[key] = Memory(owner)
            if array is owner or not shows_parts(array, owner):
                found[key] = None
                return
            self.parts[key] = new_marks(owner)
        part = self.parts.get(key)
        if part is None:
            return
        fresh = new_marks(owner)
        marks_of(array, owner, fresh)[...] = True
        fresh &= ~part
        if fresh.any():
            part |= fresh
            found[key] = fresh | found.get(key, False)

    def let_go(self, parts: Parts) -> None:
        """Notes that no object holds these at the points that a reverse pass comes to."""
        for key, part in parts.items():
            if part is not None:
                rest = self.parts[key]
                rest &= ~part
                if rest.any():
                    continue
                del self.parts[key]
            del self.known[key]

    def enter(self, value: Any) -> Parts:
        """Notes that objects hold a value, and all that it holds; gives what none held before."""
        found: Parts = {}
        pending = [value]
        while pending:
            current = pending.pop()
            if type(current) in PLAIN:
                continue
            if not isinstance(current, MEMORY):
                if isinstance(current, tuple):
                    pending.extend(current)
                elif isinstance(current, FUNCTIONS):
                    self.note_captured(current)
                elif isinstance(current, VIEWS):
                    if current is not value:
                        raise NotDifferentiable(
                            f"an object holds a {type(current).__name__} in a container; make a "
                            "list of its items"
                        )
                    pending.append(dict_of(current))
                continue
            if isinstance(current, np.ndarray):
                if not self.leaves_arrays:
                    self._enter_array(current, found)
                continue
            if id(current) in self.known:
                continue
            self._unless_dropped(current, id(current))
            self.known[id(current)] = memory = Memory(current)
            found[id(current)] = None
            inner = [item for item in items_of(current) if leads_to_memory(item)]
            if inner:
                memory.changes = []
            pending += inner
        return found

    def note_captured(self, value: Any) -> None:
        """Notes that objects hold the functions in a value."""
        for memory in memory_captured(value):
            key = identity_of(memory)
            self._unless_dropped(memory, key)
            self.captured[key] = memory

    def _unless_dropped(self, memory: Any, key: int) -> None:
        if key in self.dropped:
            raise NotDifferentiable(
                f"an object comes to hold a {type(memory).__name__} whose derivative was dropped "
                "(by zyg.dropgrad, or a function that is declared to have none), and memory of its "
                "kind may be changed in place in this program; drop that of a copy"
            )

    def changed(self, memory: Memory, undo: Undo, *args: Any) -> None:
        """Notes a change of what a container holds, and what takes it back."""
        if memory.changes is None:
            memory.changes, undo, args = [], nothing, ()
        self.clock += 1
        memory.changes.append((self.clock, undo, args))

    def finish(self) -> None:
        """Keeps what containers hold when the forward pass has run."""
        for memory in self.known.values():
            if memory.changes is not None:
                memory.final = memory.items()


# What takes a change back, of a copy of what a container held behind it.


def nothing(items: Any) -> None:
    """Before, the container has held no memory."""


def shortened(items: Any, length: int) -> Any:
    del items[length:]
    return items


def replaced(items: Any, key: Any, before: Any) -> Any:
    items[key] = before
    return items


def removed(items: Any, key: Any) -> Any:
    del items[key]
    return items


def put_back(items: Any, position: int, before: Any) -> Any:
    items.insert(position, before)
    return items


def as_before(items: Any, before: Any) -> Any:
    return before.copy()


class RunningNames:
    """What a program that runs takes globals and attributes of classes for: those that it shares
    and those that it reads as they are, each an owner and a name by the owner's `id` and the name;
    the memory that the latter hold, by `id`, and their names; what the program was given."""

    __slots__ = ("given", "memory", "plain", "shared")

    def __init__(self) -> None:
        self.shared: dict[tuple[int, str], tuple[Any, str]] = {}
        self.plain: dict[tuple[int, str], tuple[Any, str]] = {}
        self.memory: dict[int, tuple[Any, str]] = {}
        self.given: list[Any] = []


def running_names() -> RunningNames | None:
    """What the program that runs takes names for, if it works on objects."""
    return state.names


def identity_of(value: Any) -> int:
    """By what memory is known: that of the array that owns it."""
    try:
        return id(owner_of(value))
    except NotDifferentiable:
        return id(value)


class Seen(Identity):
    """A value that may be memory, or hold some, as it was when it was read.

    `parts`: of a container that no object holds, what it holds; of a function what it has captured;
    of a view of a dict its keys, and that. `time`: when it was read, if that isn't now.
    """

    __slots__ = ("parts", "size", "time")

    def __init__(
        self, value: Any, around: tuple[Any, ...] = (), time: int | None = None
    ) -> None:
        self.value = value
        self.parts: Any = None
        self.time = self.size = 0
        if type(value) in PLAIN or type(value) is np.ndarray:
            return
        held = state.held
        self.time = time if time is not None else 0 if held is None else held.clock
        if isinstance(value, CONTAINERS):
            self.size = len(value)
            if held is None or id(value) not in held.known:
                self.parts = _parts(value, around, self.time)
        elif isinstance(value, tuple):
            self.parts = _parts(value, around, self.time)
        elif isinstance(value, VIEWS):
            shown = dict_of(value)
            self.parts = tuple(shown), Seen(shown, around, self.time)
        elif isinstance(value, FUNCTIONS):
            # `around`: a function that calls itself has captured itself, or what holds it.
            around = (*around, value)
            captured = captured_by(value)
            for item in captured.values():
                unless_coming_to_held(item)
            self.parts = {
                name: Seen(item, around, self.time) for name, item in captured.items()
                if leads_to_memory(item) and not any(item is one for one in around)
            } or None


class SeenNumbers(Seen):
    """The same for a list or dict of which it is known that it holds no memory."""

    __slots__ = ()

    def __init__(self, value: Any) -> None:
        self.value = value
        self.parts = None
        held = state.held
        self.time = 0 if held is None else held.clock
        self.size = len(value)


class SeenArray(Seen):
    """The same for an array, which holds no memory but its own."""

    __slots__ = ()
    parts = None
    size = time = 0

    def __init__(self, value: Any) -> None:
        self.value = value


def _parts(value: Any, around: tuple[Any, ...], time: int) -> Any:
    items = items_of(value)
    if PLAIN.issuperset(map(type, items)):
        return None
    leads = [
        leads_to_memory(item) and not any(item is one for one in around) for item in items
    ]
    if not any(leads):
        return None
    found = [
        Seen(item, around, time) if does_lead else None
        for item, does_lead in zip(items, leads, strict=True)
    ]
    if isinstance(value, dict):
        return {key: seen for key, seen in zip(value, found, strict=True) if seen is not None}
    return found


class Newly(Identity):
    """What a store into an object, or into memory that one holds, has made held.

    `keys`: those that a view of a dict shows.
    """

    __slots__ = ("keys", "parts", "time")

    def __init__(self, value: Any, parts: Parts, time: int) -> None:
        self.value = value
        self.parts = parts
        self.time = time
        self.keys = tuple(dict_of(value)) if isinstance(value, VIEWS) else ()


def hold_value(value: Any) -> Newly | None:
    """Notes that an object holds a value from here on; what of it none held before."""
    held = state.held
    if held is None or not leads_to_memory(value):
        return None
    parts = held.enter(value)
    return Newly(value, parts, held.clock) if parts else None


def hold(seen: Identity) -> Newly | None:
    """`hold_value` for what generated code has under a name that isn't copied."""
    return hold_value(seen.value)


def is_container(value: Any) -> bool:
    return isinstance(value, CONTAINERS)


def any_memory(value: Any) -> bool:
    """Whether a container holds memory."""
    return any(map(leads_to_memory, items_of(value)))


def is_held(value: Any) -> bool:
    """Whether a value is memory that objects hold all of."""
    if state.held is None or not is_memory(value):
        return False
    memory, part = state.held.held_part(value)
    return memory is not None and part is None


def is_known(memory: Any) -> bool:
    """Whether objects hold memory or a part of it, whichever way that is followed."""
    held = state.held
    return held is not None and (
        held.of(memory) is not None or identity_of(memory) in held.contents
    )


def unless_coming_to_held(captured: Any) -> None:
    """Raises for an iterator that a function has captured, and that will come to what objects hold:
    it may have changed since the iterator was made."""
    is_iterator = is_read_later(captured) and not isinstance(captured, VIEWS)
    if is_iterator and any(map(is_known, memory_in(memory_behind(captured)))):
        raise NotDifferentiable(
            f"a function that has captured a {type(captured).__name__}, which will come to what an "
            "object holds; let it capture a list of the items"
        )


def is_captured(memory: Any) -> bool:
    """Whether a function that an object holds has captured memory."""
    held = state.held
    return held is not None and bool(held.captured) and identity_of(memory) in held.captured


def is_held_in_part(value: Any) -> bool:
    """Whether objects hold a value, or a part of an array."""
    return state.held is not None and is_memory(value) and state.held.of(value) is not None


def held_memory(value: Any) -> Memory:
    """What is known of memory that is to be changed; raises where no object holds it."""
    held, names = state.held, state.names
    memory, part = (None, None) if held is None else held.held_part(value)
    if memory is None or part is not None:
        raise NotDifferentiable(
            f"a {type(value).__name__} is changed in place, but zyg can't tell which other names "
            "its memory has; change a copy"
        )
    if names is not None and names.memory:
        unless_plain(value, names)
    memory.version += 1
    return memory


def unless_plain(value: Any, names: RunningNames) -> None:
    """Raises for memory that a name holds which the program has read as it is."""
    plain = names.memory.get(identity_of(value))
    if plain is not None:
        raise NotDifferentiable(
            f"a {type(value).__name__} is changed in place that `{plain[1]}` names as well, a "
            "global or an attribute of a class that was read before; change a copy, or use one name"
        )


def note_items(memory: Memory, puts: Any, undo: Undo, *args: Any) -> None:
    """Notes a change of what a container holds, if that is memory or has been; `puts`: what is put
    there, or was."""
    if memory.changes is not None or (type(puts) not in PLAIN and leads_to_memory(puts)):
        assert state.held is not None
        state.held.changed(memory, undo, *args)


def note_change(value: Any) -> None:
    """Notes that memory is to be changed which objects hold, perhaps in part."""
    memory = None if state.held is None else state.held.of(value)
    if memory is not None:
        memory.version += 1


def version_of(value: Any) -> int:
    """How many changes were made of memory since objects hold it."""
    memory = None if state.held is None else state.held.of(value)
    return 0 if memory is None else memory.version


facts.effect(hold, held_memory)


@facts.quiet(SeenNumbers, SeenArray)
def _is_left_out_unread(types: tuple[Type, ...]) -> bool:
    return True
