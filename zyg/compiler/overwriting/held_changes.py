"""Changes in place of memory that objects hold, while the program runs.

    xs.append(v)       change(appended, xs, v): the change is made, and its back function given
    a[i] = v           change(stored, a, i, v)

What such a change takes from the cotangent of the contents goes to the value that was put there.
Changes of one item cost as much as one item; others go by the rules of changes (`zyg.rules`).
Memory that is put into a container is held from here on (`Newly`), as if an object held it itself.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir import primitives
from zyg.compiler.forward.captured import held_by, with_held
from zyg.compiler.inference.replaced import unless_replaced
from zyg.cotangents import cotangent
from zyg.held.held_item_changes import (
    Change,
    add_to_array,
    added_bar,
    append_held,
    appended_bar,
    array_item_bar,
    delete_held,
    delete_key,
    extend_held,
    extended_bar,
    item_bar,
    nothing_deleted,
    push_held,
    pushed_bar,
    shape_of,
    store_back_in_array,
    store_in_array,
    store_in_dict,
    store_in_list,
    subtract_from_array,
    subtracted_bar,
    with_deleted,
)
from zyg.held.held_memory import (
    Memory,
    Newly,
    as_before,
    held_memory,
    hold_value,
    note_items,
    removed,
)
from zyg.held.memory_kinds import items_of
from zyg.held.shadow_calls import current_shadows, state
from zyg.held.shadows import Shadows
from zyg.rules.registry import rule_of

Back: TypeAlias = Callable[[Any], tuple[Any, ...]]


def change(function: Any, target: Any, *args: Any) -> tuple[Any, Back]:
    """Makes a change of memory that objects hold; gives the memory and the back function, whose
    cotangents are those of the function, the memory (None, both) and the arguments."""
    if function in _BY_INDEX:
        unless_replaced(target, _BY_INDEX[function])
    if function is primitives.stored and isinstance(target, list) and isinstance(args[0], slice):
        index, values = args
        spliced = _by_rule(primitives.spliced, target, (index, list(values)))
        return target, _Spliced(spliced, shape_of(values))
    make = _CHANGES.get(function)
    back: _Back | None = None if make is None else make(target, *args)
    if back is None:
        back = _by_rule(function, target, args)
    return target, back


_BY_INDEX = {
    primitives.stored: "__setitem__", primitives.spliced: "__setitem__",
    primitives.stored_back: "__setitem__", primitives.deleted: "__delitem__",
}


class _Back(ABC):
    """What all back functions of changes are: they hold copies of what they read."""

    __slots__ = ()

    @abstractmethod
    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        """The cotangents of the function, the memory and the arguments."""

    def with_own_memory(self, copy: Callable[[Any], Any]) -> _Back:
        return self


def _append(target: Any, value: Any) -> _Back | None:
    if type(target) is not list:
        return None
    return _Changed(append_held(target, value), appended_bar, 2)


class _Changed(_Back):
    """The back function of a change of one item: `bar_of` gives the cotangent of the operand behind
    so many."""

    __slots__ = ("_bar_of", "_change", "_count")

    def __init__(
        self, change: Change, bar_of: Callable[[Shadows, Change], Any], count: int
    ) -> None:
        self._change = change
        self._bar_of = bar_of
        self._count = count

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return *(None,) * self._count, self._bar_of(current_shadows(), self._change)


def _push(target: Any, value: Any) -> _Back | None:
    if type(target) is not deque:
        return None
    return _Changed(push_held(target, value), pushed_bar, 2)


def _extend(target: Any, more: Any) -> _Back | None:
    if type(target) is not list or type(more) is not list:
        return None
    return _Changed(extend_held(target, more), extended_bar, 2)


def _store(target: Any, index: Any, value: Any) -> _Back | None:
    if isinstance(target, np.ndarray):
        return _Changed(store_in_array(target, index, value), array_item_bar, 3)
    if type(target) is list and isinstance(index, int | np.integer):
        return _Changed(store_in_list(target, index, value), item_bar, 3)
    if type(target) is dict:
        return _Changed(store_in_dict(target, index, value), item_bar, 3)
    return None


def _touch(target: Any, key: Any) -> _Back:
    """What reading an item leaves in a mapping that makes what is missing."""
    memory = held_memory(target)
    if key in target:
        return _Nothing(3)
    made = target[key]
    note_items(memory, made, removed, key)
    return _Touched(target, key, hold_value(made))


class _Touched(_Back):
    """What is made for a missing key has no derivative: its cotangents are dropped."""

    __slots__ = ("_key", "_newly", "_target")

    def __init__(self, target: Any, key: Any, newly: Newly | None) -> None:
        self._target = target
        self._key = key
        self._newly = newly

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        shadows.contents(self._target).take_item(self._target, self._key, len(self._target))
        shadows.taken(self._newly)
        return None, None, None


def item_made(target: Any, key: Any) -> tuple[Any, Back]:
    """The item of a mapping that objects hold, and that makes it; and the back function of both."""
    _, of_change = change(primitives.touched, target, key)
    return target[key], _OfItem(target, key, of_change)


class _OfItem(_Back):
    __slots__ = ("_change", "_key", "_target")

    def __init__(self, target: Any, key: Any, of_change: Back) -> None:
        self._target = target
        self._key = key
        self._change = of_change

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        self._change(None)
        return None, None, None


def _delete(target: Any, index: Any) -> _Back | None:
    if type(target) in (list, deque) and isinstance(index, int | np.integer):
        return _Changed(delete_held(target, index), with_deleted, 2)
    if type(target) is dict:
        return _Changed(delete_key(target, index), nothing_deleted, 2)
    return None


class _Nothing(_Back):
    """The back function of a change that takes nothing."""

    __slots__ = ("_count",)

    def __init__(self, count: int) -> None:
        self._count = count

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return (None,) * self._count


def _into_array(make_change: Any, bar_of: Any) -> Any:
    def make(target: Any, index: Any, value: Any) -> _Back | None:
        if not isinstance(target, np.ndarray):
            return None
        return _Changed(make_change(target, index, value), bar_of, 3)

    return make


_CHANGES: dict[Any, Any] = {
    primitives.appended: _append, primitives.extended: _extend, primitives.pushed: _push,
    primitives.stored: _store,
    primitives.deleted: _delete, primitives.touched: _touch,
    primitives.stored_back: _into_array(store_back_in_array, array_item_bar),
    primitives.added_at: _into_array(add_to_array, added_bar),
    primitives.subtracted_at: _into_array(subtract_from_array, subtracted_bar),
}


def _by_rule(function: Any, target: Any, args: tuple[Any, ...]) -> _Back:
    """Any other change, by the rule of the function."""
    memory, held = held_memory(target), state.held
    assert held is not None
    rule: Any = rule_of(function)
    items = memory.items() if memory.changes is not None else None
    # What the back function reads of the memory is what was there before.
    before = _before(target) if "items" in rule.__code__.co_cellvars else None
    _, back = rule(target, *args)
    captured = held_by(back)
    mine = {name: before for name, value in captured.items() if value is target}
    plain = _OwnBack(with_held(back, {**captured, **mine}) if mine else back)
    newly = {}
    for key, item in _keyed(target):
        found = hold_value(item)
        if found is not None:
            newly[key] = found
    if items is not None or newly:
        held.changed(memory, as_before, items)
    return _ByRule(target, plain, newly, memory, held.clock)


def _keyed(target: Any) -> Any:
    if isinstance(target, dict):
        return target.items()
    return enumerate(items_of(target))


class _ByRule(_Back):
    __slots__ = ("_back", "_memory", "_newly", "_target", "_time")

    def __init__(
        self, target: Any, back: Any, newly: dict[Any, Newly], memory: Memory, time: int
    ) -> None:
        self._target = target
        self._back = back
        self._newly = newly
        self._memory = memory
        self._time = time

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        contents = shadows.contents(self._target)
        bar = contents.take(self._target)
        for key, newly in reversed(self._newly.items()):
            part = shadows.taken(newly)
            if part is not None:
                bar = _emptied(self._memory, shadows, self._time) if bar is None else bar
                before = bar.get(key) if isinstance(bar, dict) else bar[key]
                bar[key] = cotangent.accumulate(before, part)
        own_bar, *bars = self._back(bar)
        if own_bar is not None:
            contents.add(self._target, shadows.own_part(self._memory, own_bar, self._time - 1))
        return None, None, *bars

    def with_own_memory(self, copy: Callable[[Any], Any]) -> _Back:
        held = self._memory, self._time
        return _ByRule(self._target, copy(self._back), self._newly, *held)


class _Spliced(_Back):
    """The back function of a store into a slice of a list, of whatever the values stand in."""

    __slots__ = ("_back", "_values")

    def __init__(self, back: _Back, values: Any) -> None:
        self._back = back
        self._values = values

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        *bars, values_bar = self._back(y_bar)
        if values_bar is not None:
            values_bar = cotangent.from_items(values_bar, self._values)
        return *bars, values_bar

    def with_own_memory(self, copy: Callable[[Any], Any]) -> _Back:
        return _Spliced(copy(self._back), self._values)


def _emptied(memory: Memory, shadows: Shadows, time: int) -> Any:
    items = shadows.items_at(memory, time)
    return {} if isinstance(items, dict) else [None] * len(items)


class _OwnBack:
    """The back function of a rule, which can be copied with what it reads."""

    __slots__ = ("_back",)

    def __init__(self, back: Any) -> None:
        self._back = back

    def __call__(self, y_bar: Any) -> Any:
        return self._back(y_bar)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> _OwnBack:
        held = {name: copy(value) for name, value in held_by(self._back).items()}
        return _OwnBack(with_held(self._back, held))


def _before(value: Any) -> Any:
    """What a rule may ask of memory that it has changed: the kind of an array, or the items."""
    return cotangent.prototype(value) if isinstance(value, np.ndarray) else copy.copy(value)
