"""Changes of single items of memory that objects hold, where its class is known when code is made.

    self.xs.append(v)      change = append_held(xs, v)         v_bar = appended_bar(shadows, change)
    self.a[i] = v          change = store_in_array(a, i, v)    v_bar = array_item_bar(shadows, ...)

The forward pass makes a change and notes what takes it back; the adjoint takes the cotangent of
what was put there out of that of the contents. What the run time finds is changed in the same way,
by `zyg.compiler.overwriting.held_changes`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts, primitives
from ir.heap import Identity
from ir.library.fact_rules import is_int
from ir.types import Type, class_of
from zyg.cotangents.cotangent import accumulate, prototype
from zyg.cotangents.cotangent_items import stored_bar
from zyg.held.held_memory import (
    Memory,
    Newly,
    held_memory,
    hold_value,
    note_items,
    put_back,
    removed,
    replaced,
    shortened,
)
from zyg.held.memory_kinds import PLAIN, kept_contents

if TYPE_CHECKING:
    from zyg.held.shadows import Shadows

# Of these, NumPy's floats are cotangents as they are, in arrays of floats.
_REALS = frozenset([float, np.float64])


class Change(Identity):
    """What takes a change back: its `value` is a tuple of the memory, the place there, and what of
    that which was put there no object held before, or its shape."""

    __slots__ = ()


def append_held(target: Any, value: Any) -> Change:
    """`target.append(value)` for a list."""
    memory = held_memory(target)
    before = len(target)
    target.append(value)
    if type(value) in PLAIN and memory.changes is None:
        return Change((target, before + 1, None))
    newly = hold_value(value)
    note_items(memory, value, shortened, before)
    return Change((target, before + 1, newly))


def appended_bar(shadows: Shadows, change: Change, zero: Any = None) -> Any:
    """The cotangent of what was appended; `zero` if there is none."""
    target, size, newly = change.value
    bar = shadows.contents_at(target).undo_append(size)
    if newly is None:
        return zero if bar is None else bar
    return _with_newly(bar, newly, shadows, zero)


def push_held(target: Any, value: Any) -> Change:
    """`target.append(value)` for a deque, which may drop its first item."""
    memory = held_memory(target)
    before = len(target)
    is_full = before == target.maxlen
    if not is_full:
        target.append(value)
        newly = _newly(value)
        note_items(memory, value, shortened, before)
    else:
        first = target[0] if before else None
        target.append(value)
        newly = _newly(value) if before else None
        note_items(memory, (first, value), _without_push, first)
    return Change((target, len(target), newly, is_full))


def _without_push(items: Any, first: Any) -> Any:
    if items:
        items.pop()
        items.insert(0, first)
    return items


def pushed_bar(shadows: Shadows, change: Change, zero: Any = None) -> Any:
    """The cotangent of what was appended to a deque; `zero` if there is none."""
    target, size, newly, is_full = change.value
    if not size:
        return zero  # it keeps nothing
    contents = shadows.contents_at(target)
    bar = contents.undo_append(size)
    if is_full:
        contents.undo_delete(0, size - 1)
    return _with_newly(bar, newly, shadows, zero)


def extend_held(target: Any, more: Any) -> Change:
    """`target.extend(more)` for two lists."""
    memory = held_memory(target)
    before = len(target)
    target.extend(more)
    newly = hold_value(tuple(more))
    note_items(memory, tuple(more), shortened, before)
    return Change((target, before, len(target), newly))


def extended_bar(shadows: Shadows, change: Change) -> Any:
    """The cotangent of the items by which a list was extended, if there is one."""
    target, before, size, newly = change.value
    bar = shadows.contents_at(target).undo_extend(before, size)
    taken = shadows.taken(newly)
    return accumulate(bar, None if taken is None else list(taken))


def delete_held(target: Any, index: Any) -> Change:
    """`del target[index]` for a list or deque and one item."""
    memory = held_memory(target)
    before, size = target[index], len(target)
    position = range(size)[index]
    del target[index]
    note_items(memory, None, put_back, position, before)
    return Change((target, position, size - 1))


def with_deleted(shadows: Shadows, change: Change) -> None:
    """Lets the contents have an item again, whose cotangent is zero."""
    target, position, size = change.value
    shadows.contents_at(target).undo_delete(position, size)


def delete_key(target: Any, key: Any) -> Change:
    """`del target[key]` for a dict: what is there no more has no cotangent."""
    memory = held_memory(target)
    before = target.get(key)
    del target[key]
    note_items(memory, None, replaced, key, before)
    return Change(target)


def nothing_deleted(shadows: Shadows, change: Change) -> None:
    """What takes `delete_key` back: nothing."""


def store_in_list(target: Any, index: Any, value: Any) -> Change:
    """`target[index] = value` for a list and one item."""
    memory = held_memory(target)
    before = target[index]
    target[index] = value
    size = len(target)
    position = range(size)[index]
    newly = _replacing(memory, before, value, position)
    return Change((target, position, size, newly))


def store_in_dict(target: Any, key: Any, value: Any) -> Change:
    """The same for a dict."""
    memory = held_memory(target)
    is_new = key not in target
    before = None if is_new else target[key]
    target[key] = value
    if is_new:
        newly = _newly(value)
        note_items(memory, value, removed, key)
    else:
        newly = _replacing(memory, before, value, key)
    return Change((target, key, len(target), newly))


def item_bar(shadows: Shadows, change: Change, zero: Any = None) -> Any:
    """The cotangent of what was stored into a list or dict; `zero` if there is none."""
    target, index, size, newly = change.value
    bar = shadows.contents_at(target).take_item(target, index, size)
    if newly is None:
        return zero if bar is None else bar
    return _with_newly(bar, newly, shadows, zero)


def store_in_array(target: Any, index: Any, value: Any) -> Change:
    """The same for an array, or a part of it."""
    memory = held_memory(target)
    target[index] = value
    return _in_array(memory, target, index, value)


def array_item_bar(shadows: Shadows, change: Change, zero: Any = None) -> Any:
    """The cotangent of what was stored into an array; `zero` if there is none."""
    owner, target, index, value = change.value
    bar = shadows.contents_at(owner).take_item(target, index, 0)
    if type(bar) is not np.float64 or type(value) not in _REALS or target.dtype.kind != "f":
        bar = stored_bar(bar, value, target)
    return zero if bar is None else bar


def store_back_in_array(target: Any, index: Any, value: Any) -> Change:
    """The same for what `op=` has made of a part of an array."""
    memory = held_memory(target)
    primitives.stored_back(target, index, value)
    return _in_array(memory, target, index, value)


def add_to_array(target: Any, index: Any, value: Any) -> Change:
    """`target[index] += value` for an array."""
    memory = held_memory(target)
    primitives.added_at(target, index, value)
    return _in_array(memory, target, index, value)


def subtract_from_array(target: Any, index: Any, value: Any) -> Change:
    """`target[index] -= value` for an array."""
    memory = held_memory(target)
    primitives.subtracted_at(target, index, value)
    return _in_array(memory, target, index, value)


def added_bar(shadows: Shadows, change: Change, zero: Any = None) -> Any:
    """The cotangent of what was added to a part of an array; `zero` if there is none."""
    owner, target, index, value = change.value
    bar = stored_bar(shadows.contents_at(owner).item(target, index), value, target)
    return zero if bar is None else bar


def subtracted_bar(shadows: Shadows, change: Change, zero: Any = None) -> Any:
    """The cotangent of what was subtracted from a part of an array; `zero` if there is none."""
    bar = added_bar(shadows, change)
    return zero if bar is None else -bar


def _in_array(memory: Memory, target: Any, index: Any, value: Any) -> Change:
    if type(index) is not int and type(index) is not slice:
        index = kept_contents(index)
    return Change((memory.owner, target, index, shape_of(value)))


def _replacing(memory: Memory, before: Any, value: Any, index: Any) -> Newly | None:
    """Notes that a value stands in the place of another one; what of it no object held."""
    if memory.changes is None and type(value) in PLAIN and type(before) in PLAIN:
        return None
    newly = hold_value(value)
    note_items(memory, (before, value), replaced, index, before)
    return newly


def _newly(value: Any) -> Newly | None:
    return None if type(value) in PLAIN else hold_value(value)


def _with_newly(bar: Any, newly: Newly | None, shadows: Shadows, zero: Any) -> Any:
    """The cotangent of what was put into a container: what of it is memory has its own."""
    if newly is not None:
        bar = accumulate(bar, shadows.taken(newly))
    return zero if bar is None else bar


def shape_of(value: Any) -> Any:
    """What says which shape a value has that is stored into an array."""
    if type(value) in PLAIN:
        return value
    return prototype(value) if isinstance(value, np.ndarray) else kept_contents(value)


# What generated code calls for changes of memory of a class, and for the cotangents of what is put
# there.
_OF_CLASSES: dict[Any, dict[type, tuple[Any, Any]]] = {
    primitives.appended: {list: (append_held, appended_bar)},
    primitives.pushed: {deque: (push_held, pushed_bar)},
    primitives.extended: {list: (extend_held, extended_bar)},
    primitives.deleted: {
        list: (delete_held, with_deleted), deque: (delete_held, with_deleted),
        dict: (delete_key, nothing_deleted),
    },
    primitives.stored: {
        list: (store_in_list, item_bar), dict: (store_in_dict, item_bar),
        np.ndarray: (store_in_array, array_item_bar),
    },
    primitives.stored_back: {np.ndarray: (store_back_in_array, array_item_bar)},
    primitives.added_at: {np.ndarray: (add_to_array, added_bar)},
    primitives.subtracted_at: {np.ndarray: (subtract_from_array, subtracted_bar)},
}


def change_of(callee: Any, types: list[Type]) -> tuple[Any, Any] | None:
    """What makes a change of memory of a known class, and what takes it back, if there is such."""
    cls = class_of(types[0])
    found = None if cls is None else _OF_CLASSES.get(callee, {}).get(cls)
    if found is not None and found[0] in (store_in_list, delete_held) and not is_int(types[1]):
        return None  # a slice
    if found is not None and found[0] is extend_held and class_of(types[1]) is not list:
        return None
    return found


def puts_value(bar_of: Any) -> bool:
    """Whether a change puts a value there, of which `bar_of` gives the cotangent."""
    return bar_of not in (with_deleted, nothing_deleted)


facts.effect(
    *(function for of in _OF_CLASSES.values() for pair in of.values() for function in pair)
)
# What they change has other names, by which it may have been read before.
facts.changes_unseen(*(make for of in _OF_CLASSES.values() for make, _ in of.values()))
