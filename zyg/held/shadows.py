"""The cotangents of what objects hold: one table for each call of a back function.

    y = o.x          shadows.add(o, 'x', y_bar)
    o.x = v          v_bar = shadows.take(o, 'x')

An object is known by its identity, so that it does not matter by which of its names it is read or
changed. A store takes the cotangent that was gathered behind it away: what stood there before did
not matter any more. What is left when the adjoint has run belongs to what objects held at entry.

Arrays, lists and dicts that objects hold are known by their identity too, where a program may
change them in place: their *contents* have cotangents, whatever attribute they were reached by.
A view of an array shows a part of the contents of the array that owns the memory.

    a = o.x          shadows.add_held(o, 'x', a_bar, a)      to the contents of a
    a[i] = v         the contents before and behind, by the rule of the store
    o.x = v          v_bar = shadows.release(o, 'x', v, is_first)

Memory gets contents in the table when an object comes to hold it (`is_first`): behind that, all of
its cotangent is there, and before it belongs to the values that the program computed it by.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.heap import ITEMS
from ir.types import Instance
from zyg.cotangents.cotangent import accumulate, rebuilt
from zyg.cotangents.cotangent_items import one_hot
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import (
    Memory,
    Newly,
    Parts,
    Seen,
    held_memory,
)
from zyg.held.held_views import VIEWS, bars_by_key, bars_of_view, dict_of
from zyg.held.memory_kinds import FUNCTIONS, is_memory, leads_to_memory, reaches_memory
from zyg.held.shadow_calls import UNTOUCHED, running, state
from zyg.held.shadow_records import Records
from zyg.held.shown_parts import marks_of, owner_of, where_marked

if TYPE_CHECKING:
    from zyg.held.watched_memory import Watched


class Shadows:
    """Cotangents by object and attribute, and of contents by memory; the same place adds up."""

    __slots__ = ("_contents", "_followed", "_mirrors", "_remembered", "_tables", "own")

    def __init__(self, followed: dict[int, tuple[Any, Any]] | None = None) -> None:
        # Memory, by its `id`, with the object that stands for its contents, if one does.
        self._followed = {} if followed is None else followed
        self._tables: dict[type, Records] = {}
        # Cotangents of attributes that nobody else refers to, by record and name.
        self.own: dict[tuple[Any, str], Any] = {}
        self._contents: dict[int, Any] = {}
        # What containers held at the point that the adjoint has come to, and how many of their
        # changes lie before it.
        self._mirrors: dict[int, tuple[Any, int]] = {}
        # The cotangents of values that functions remember, until the adjoint comes to the call that
        # computed them.
        self._remembered: dict[Any, Any] = {}

    def is_empty(self) -> bool:
        """Whether nothing was left to any object, nor to a value that a function remembers."""
        is_waiting = any(bar is not UNTOUCHED for bar in self._remembered.values())
        return not (self._contents or is_waiting) and not any(
            of.by_object for of in self._tables.values()
        )

    def of_objects(self) -> Iterator[tuple[Any, str, Any]]:
        """The objects that something was left to, with names of attributes and cotangents."""
        if self._contents:
            raise NotDifferentiable(
                "forward mode can't follow memory that objects hold into a call that is known at "
                "run time only; use zyg.pullback"
            )
        for records in self._tables.values():
            for obj, record in list(records.by_object.items()):
                for name, bar in record.bars(records.numbers):
                    yield obj, name, bar

    def records(self, cls: type, numbers: tuple[str, ...] = ()) -> Any:
        """The record of each object of a class, of whose attributes some hold numbers."""
        found = self._tables.get(cls)
        if found is None:
            found = self._tables[cls] = Records(cls)
        if found.numbers != numbers:
            found.cover(numbers)
        return found.by_object

    def record_of(self, obj: Any) -> Any:
        """The record of an object."""
        found = self._tables.get(type(obj))
        if found is None:
            found = self._tables[type(obj)] = Records(type(obj))
        return found.by_object[obj]

    def add(self, obj: Any, name: str, bar: Any) -> None:
        """Adds a contribution to the cotangent of an attribute; None is a structural zero."""
        if bar is None:
            return
        table = self._tables.get(type(obj))
        record = self.record_of(obj) if table is None else table.by_object[obj]
        before = getattr(record, name, UNTOUCHED)
        if before is UNTOUCHED:
            setattr(record, name, bar)
        elif type(before) is float:
            setattr(record, name, before + bar)
        else:
            setattr(record, name, accumulate(before, bar))

    def take(self, obj: Any, name: str, zero: Any = None) -> Any:
        """The cotangent of an attribute, which has none from then on; `zero` if it has none."""
        record = self._found(obj)
        if record is None:
            return zero
        found = getattr(record, name, UNTOUCHED)
        if found is UNTOUCHED:
            return zero
        setattr(record, name, UNTOUCHED)
        if self.own:
            self.own.pop((record, name), None)
        return found

    def of(self, obj: Any, name: str) -> Any:
        """The cotangent of an attribute as it is now."""
        record = self._found(obj)
        found = getattr(record, name, UNTOUCHED)
        self.own.pop((record, name), None)
        return None if found is UNTOUCHED else found

    def _found(self, obj: Any) -> Any:
        """The record of an object that has one."""
        table = self._tables.get(type(obj))
        return None if table is None else table.by_object.get(obj)

    # Values that functions remember

    def add_remembered(self, kept: Any, bar: Any) -> bool:
        """Adds to the cotangent of a remembered value; False if what computed it is passed."""
        before = self._remembered.get(kept)
        if before is UNTOUCHED:
            return False
        if bar is not None:
            self._remembered[kept] = accumulate(before, bar)
        return True

    def take_remembered(self, kept: Any) -> Any:
        """The cotangent of a value, where the adjoint comes to what computed it."""
        found, self._remembered[kept] = self._remembered.get(kept), UNTOUCHED
        return None if found is UNTOUCHED else found

    def unless_remembered(self) -> None:
        """Raises if an adjoint has ended and never come to what computed a value."""
        if any(bar is not UNTOUCHED for bar in self._remembered.values()):
            raise NotDifferentiable(
                "a value that a function remembers is used, and the call that computed it is none "
                "that zyg has differentiated; call the function where its value is used first"
            )

    # Memory that objects hold

    def absorb(self, seen: Seen, bar: Any) -> Any:
        """Takes what belongs to memory that objects hold out of a cotangent; gives the rest."""
        if bar is None:
            return None
        value = seen.value
        memory, part = _held_now(value)
        if memory is not None:
            if part is not None or memory.changes is not None:
                return self._add(memory, value, bar, seen.time, part)
            self.contents_at(memory.owner).add(value, bar)
            return None
        if seen.parts is None:
            return bar
        if isinstance(value, VIEWS):
            keys, shown = seen.parts
            rest = self.absorb(shown, bars_by_key(bar, value, keys))
            return None if rest is None else bars_of_view(rest, value, keys)
        return _by_items(bar, seen.parts, self.absorb)

    def absorb_item(self, seen: Seen, index: Any, bar: Any) -> Any:
        """The same for an item of a value, which was read at an index."""
        if bar is None:
            return None
        value = seen.value
        memory, part = _held_now(value)
        if part is not None:
            return self.absorb(seen, one_hot(bar, value, index))
        if memory is not None:
            self.contents_at(memory.owner).add_item(value, index, seen.size, bar)
            return None
        if isinstance(value, dict):
            return {index: bar}
        if not isinstance(value, list | tuple | deque):
            return one_hot(bar, value, index)
        bars: list[Any] = [None] * (seen.size if is_memory(value) else len(value))
        bars[index] = bar
        return rebuilt(value, bars)

    def absorb_read(self, seen: Seen, index: Any, bar: Any) -> Any:
        """`absorb` of a cotangent that is zero but for an index, where memory may stand itself."""
        if bar is None:
            return None
        value = seen.value
        if type(value) is np.ndarray:
            return self.absorb_item(seen, index, bar)
        memory = None if isinstance(index, slice) else self._container_of(value)
        if memory is not None:
            items = None if memory.changes is None else self.items_at(memory, seen.time)
            if items is not None:
                # A defaultdict may have made the item by that read.
                item = items.get(index) if isinstance(items, dict) else items[index]
                bar = self._apart(item, bar, seen.time)
            self._of(memory).add_item(value, index, seen.size, bar)
            return None
        if isinstance(value, dict):
            return self.absorb(seen, {index: bar})
        if not isinstance(value, list | tuple | deque):
            return self.absorb(seen, one_hot(bar, value, index))
        bars: list[Any] = [None] * (seen.size if is_memory(value) else len(value))
        bars[index] = bar
        return self.absorb(seen, rebuilt(value, bars))

    def _container_of(self, value: Any) -> Memory | None:
        """What is known of a list or the like, if objects hold it at this point."""
        return _held_now(value)[0] if isinstance(value, list | dict | deque) else None

    def holds_none_of(self, value: Any) -> bool:
        """Whether objects hold nothing of memory, at this point of the reverse pass."""
        return _held_now(value)[0] is None

    def _add(self, memory: Memory, value: Any, bar: Any, time: int, part: Any) -> Any:
        """Adds to the contents of memory; gives back what is of items that no object holds."""
        if part is not None:
            self._of(memory).add(value, where_marked(part, bar, 0, value))
            return where_marked(part, 0, bar, value)
        if memory.changes is not None:
            items = self.items_at(memory, time)
            if items is not None:
                bar = self._without_memory(items, bar, time)
        self._of(memory).add(value, bar)
        return None

    def _without_memory(self, items: Any, bar: Any, time: int) -> Any:
        """The cotangent of a container without that of the memory that it held at a time."""
        if isinstance(bar, dict):
            return {
                key: self._apart(items[key], own, time) if key in items else own
                for key, own in bar.items()
            }
        return [self._apart(item, own, time) for item, own in zip(items, bar, strict=True)]

    def _apart(self, value: Any, bar: Any, time: int) -> Any:
        if bar is None or not leads_to_memory(value):
            return bar
        if isinstance(value, FUNCTIONS):
            return self.absorb(Seen(value, (), time), bar)
        if isinstance(value, tuple):
            return rebuilt(
                bar, [self._apart(*pair, time) for pair in zip(value, bar, strict=True)]
            )
        memory, part = _held_now(value)
        return bar if memory is None else self._add(memory, value, bar, time, part)

    def own_part(self, memory: Memory, bar: Any, time: int) -> Any:
        """The cotangent of a container, but for what it held at a time that is memory itself."""
        items = None if memory.changes is None else self.items_at(memory, time)
        if items is None:
            return bar
        if isinstance(bar, dict):
            return {key: _besides_memory(items.get(key), own) for key, own in bar.items()}
        return [_besides_memory(item, own) for item, own in zip(items, bar, strict=True)]

    def taken(self, newly: Newly | None) -> Any:
        """The cotangent of a value that came to be held here, with all that did so with it.

        Before, it belongs to the value that the program has computed.
        """
        if newly is None:
            return None
        value = newly.value
        is_view = isinstance(value, VIEWS)
        whole = dict_of(value) if is_view else value
        bar = self.composed(whole, _copied(newly.parts), newly.time)
        if is_view and bar is not None:
            bar = bars_of_view(bar, value, newly.keys)
        assert state.held is not None
        state.held.let_go(newly.parts)
        return bar

    def before_call(self, watched: Watched) -> Any:
        """The cotangent of memory behind a call that changes it, with all that it held then."""
        seen = watched.behind
        bar = self.composed(seen.value, dict(watched.parts), seen.time)
        assert state.held is not None
        state.held.let_go(watched.newly)
        return bar

    def composed(self, value: Any, owners: Parts, time: int) -> Any:
        """The cotangent of memory with all that it held at a time, taken out of the contents of
        these owners, of each item once."""
        if isinstance(value, tuple):
            parts = [self.composed(item, owners, time) for item in value]
            return None if all(part is None for part in parts) else rebuilt(value, parts)
        if not is_memory(value):
            return None
        owner = owner_of(value)
        key = id(owner)
        memory, _ = _held_now(value)
        if key not in owners or memory is None:
            return None
        if owners[key] is not None:
            part = marks_of(value, owner, owners[key])
            bar = self._of(memory).take_part(value, part.copy())
            part[...] = False
            return bar
        if value is owner:
            del owners[key]
        contents = self._contents.get(key)
        bar = None if contents is None else contents.take(value)
        items = None if memory.changes is None else self.items_at(memory, time)
        if items is None:
            return bar
        keys = items if isinstance(items, dict) else range(len(items))
        found = {key: self.composed(items[key], owners, time) for key in keys}
        if all(part is None for part in found.values()):
            return bar
        if bar is None:
            bar = {} if isinstance(items, dict) else [None] * len(items)
        for key, part in found.items():
            if part is not None:
                old = bar.get(key) if isinstance(bar, dict) else bar[key]
                bar[key] = accumulate(old, part)
        return bar

    def release(self, obj: Any, name: str, value: Any, newly: Newly | None) -> Any:
        """The cotangent that a store of `value` into an attribute takes."""
        bar = self.take(obj, name)
        return bar if newly is None else accumulate(bar, self.taken(newly))

    def contents(self, value: Any) -> Any:
        """The contents of memory that an object holds, and that is changed."""
        return self._of(held_memory(value))

    def contents_at(self, owner: Any) -> Any:
        """The same for memory that owns itself, and was looked at when it was changed."""
        contents = self._contents.get(id(owner))
        if contents is None:
            from zyg.held.held_contents import contents_for  # for programs on objects

            contents = self._contents[id(owner)] = contents_for(owner)
        return contents

    def contents_of(self, value: Any) -> Any:
        """The cotangent of the contents of memory as it is now, but for memory in it."""
        contents = self._contents.get(id(owner_of(value)))
        if contents is not None:
            return contents.of(value)
        followed = self._followed.get(id(value))
        return None if followed is None else self.of(followed[1], ITEMS)

    def _of(self, memory: Memory) -> Any:
        return self.contents_at(memory.owner)

    def items_at(self, memory: Memory, time: int) -> Any:
        """What a container held at a time; None if no memory."""
        changes, key = memory.changes, id(memory.owner)
        assert changes is not None
        items, count = self._mirrors.get(key, (None, -1))
        if count < 0 or (count < len(changes) and changes[count][0] <= time):
            final = memory.final
            items, count = memory.items() if final is None else final.copy(), len(changes)
        while count and changes[count - 1][0] > time:
            count -= 1
            _, undo, args = changes[count]
            items = undo(items, *args)
        self._mirrors[key] = items, count
        return items


def _by_items(bar: Any, parts: Any, take: Callable[[Any, Any], Any]) -> Any:
    """What is left of the cotangent of a container that has parts in memory of their own."""
    if isinstance(parts, dict):
        return {
            key: take(parts[key], own) if key in parts else own for key, own in bar.items()
        }
    return rebuilt(bar, [
        own if part is None else take(part, own) for part, own in zip(parts, bar, strict=True)
    ])


SHADOWS = Instance(Shadows)


def _besides_memory(item: Any, bar: Any) -> Any:
    """The cotangent of an item of a container, but for what is memory there."""
    if bar is None or not reaches_memory(item):
        return bar
    if isinstance(item, tuple):
        return rebuilt(item, [_besides_memory(*pair) for pair in zip(item, bar, strict=True)])
    is_value = isinstance(item, np.ndarray) and state.held is not None and state.held.leaves_arrays
    return bar if is_value else None


def _held_now(value: Any) -> tuple[Memory | None, Any]:
    """What is known of memory that an object holds at this point of the reverse pass, and which
    items of an array it holds, if not all."""
    return (None, None) if state.held is None else state.held.held_part(value)


def _copied(parts: Parts) -> Parts:
    return {key: None if part is None else part.copy() for key, part in parts.items()}




@contextmanager
def apart() -> Iterator[Shadows]:
    """Around what is called for its results alone: gives a table of its own, for what it leaves to
    objects."""
    before = running.shadows
    running.shadows = made = Shadows()
    try:
        yield made
    finally:
        running.shadows = before


@contextmanager
def asked_again() -> Iterator[Shadows]:
    """The same around back functions that are called once more than the program asks for: objects
    hold behind it what they held before."""
    held = state.held
    try:
        if held is not None:
            state.held = held.copy()
        with apart() as shadows:
            yield shadows
    finally:
        state.held = held


