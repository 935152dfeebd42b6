"""What is known of memory at one point of a program, and what a call did to what it was given."""

from __future__ import annotations

from typing import Any, TypeAlias

from ir.core import Call, Const, Location, Operand, Value
from ir.heap import HEAP
from ir.record import made, node, record
from ir.types import Known, Type


def check_call(
    check: Any, operands: list[Operand], loc: Location | None,
    kwargs: dict[str, Operand] | None = None,
) -> Call:
    """A call that does nothing, or raises."""
    return Call(Const(check), operands, kwargs or {}, [Value("_", Known(None))], loc)


@record
class Effect:
    """What a call does to an argument that it changes, beside its own memory: to its elements."""

    deep: bool = False
    moves: bool = False
    mixes: bool = False


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


NEW, SHALLOW = "new", "shallow"
# A part of a result that holds no memory in one of the arms that give it.
ABSENT = "absent"
# What is known of the memory that a function returns: that it is new, new but for what it holds,
# which of the inputs that it changes it is, or nothing; of a tuple, for each item.
Returned: TypeAlias = "str | int | tuple[Returned, ...] | None"

# What other memory is to a value: it may be the value itself, hold it, or be held by it. Of several
# the last one of `_ROLES` counts.
ITSELF, HOLDER, HELD = "itself", "holder", "held"
_ROLES = (HOLDER, ITSELF, HELD)


def joined_roles(*found: dict[Value, str]) -> dict[Value, str]:
    """What memory is to one of several values, or to a tuple of them."""
    joined: dict[Value, str] = {}
    for roles in found:
        for value, role in roles.items():
            joined[value] = max(role, joined.get(value, HOLDER), key=_ROLES.index)
    return joined


# What may have memory in common with a value, and whether the value may hold it.
Members: TypeAlias = "dict[Value, bool]"


def joined_members(a: Members, b: Members) -> Members:
    """What may have memory in common with a value by two ways."""
    return a | {value: is_held or a.get(value, False) for value, is_held in b.items()}


def shown_name(name: str) -> str:
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
    What follows is about elements of containers, see `ir.memory.contents`. `members`: the storages
    that may have memory in common with one; `adopted`: the container and the index by which a value
    is reached that was put there; `views`: the elements that were read; `detached`: those that may
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
    members: dict[Value, Members] = made(dict)
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
    # Memory that objects may hold, see `ir.memory.held`: the version of the heap that each value
    # was read from; what was stored into objects, and whether it was all of it or items of it
    # alone, and what of that objects may not hold after all; the last look at a value behind a
    # change of the heap.
    exposed: dict[Value, Value] = made(dict)
    stored: dict[Value, bool] = made(dict)
    doubtful: dict[Value, None] = made(dict)
    seen: dict[Value, tuple[Value, Value, Value]] = made(dict)

    @property
    def has_changes(self) -> bool:
        """Whether memory was changed; objects are read by way of the heap, not by their names."""
        return bool(self.lost or self.trail) or any(
            storage.type is not HEAP and storage.type != HEAP for storage in self.writes
        )

    def note_stored(self, found: dict[Value, bool]) -> None:
        for value, is_whole in found.items():
            self.stored[value] = is_whole or self.stored.get(value, False)
            self.doubtful.pop(value, None)

    def note_perhaps_stored(self, found: dict[Value, bool]) -> None:
        """The same for what was stored on one of several ways to here, or by what isn't known."""
        doubtful = {**self.doubtful, **dict.fromkeys(found.keys() - self.stored.keys())}
        self.note_stored(found)
        self.doubtful = doubtful

    def copy(self) -> State:
        new = object.__new__(State)
        vars(new).update([(name, part.copy()) for name, part in vars(self).items()])
        new.born = {}
        return new
