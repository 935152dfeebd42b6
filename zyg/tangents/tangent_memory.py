"""The tangents of memory that objects hold: of arrays, lists and dicts that are changed in place.

    a = o.x          a_dot = read_dot(o, 'x', a)        what stands in the table for `a`
    a[0] = v         the same change of that tangent

Memory is known by its identity, whatever its names are, so that all of them have one tangent. What
memory holds is known in the same way, in lists of arrays for one. A tangent that was handed out
stays as it is: the next change makes a copy. A view of an array shows a part of the tangent of the
array that owns the memory.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ir import primitives
from zyg.cotangents.cotangent import rebuilt
from zyg.errors import NotDifferentiable
from zyg.facts.numpy_changes import added_at_each
from zyg.held.held_memory import hold_value, unless_coming_to_held
from zyg.held.held_views import VIEWS
from zyg.held.memory_kinds import FUNCTIONS, captured_by, is_memory, leads_to_memory, reaches_memory
from zyg.held.shown_parts import marks_of, new_marks, owner_of, shown_by, where_marked
from zyg.tangents.tangent import (
    copy_of,
    extended_by,
    is_same_tangent,
    stored_tangent,
    tangent_items,
    tangent_or_zero,
    unless_asked,
    zero_tangent,
)
from zyg.unusual_arrays import refuse_to_hold

NO_MEMORY = frozenset([float, int, bool, str, type(None), np.float64])


class HeldTangents:
    """The tangents of the memory that objects hold, by its identity."""

    __slots__ = ("_contents",)

    def __init__(self) -> None:
        self._contents: dict[int, _Contents] = {}

    def knows(self, value: Any) -> bool:
        if type(value) in NO_MEMORY or not self._contents:
            return False
        return id(value) in self._contents or (
            isinstance(value, np.ndarray) and id(owner_of(value)) in self._contents
        )

    def buffer_of(self, container: Any) -> Any:
        """The tangent of a list or dict, to be changed in place; None if it isn't known."""
        contents = self._contents.get(id(container))
        return None if contents is None else contents.buffer(container)

    def forget(self, value: Any) -> None:
        del self._contents[id(owner_of(value))]

    def hold(self, value: Any, dot: Any) -> None:
        """Notes the tangent of what an object or other memory holds from here on.

        What is known of memory already counts more.
        """
        if not isinstance(value, VIEWS):  # what these show is found where they are read
            hold_value(value)
        self._learn(value, dot)

    def _learn(self, value: Any, dot: Any) -> None:
        if isinstance(value, tuple):
            for item, part in zip(value, dot or (None,) * len(value), strict=True):
                self._learn(item, part)
        elif is_memory(value):
            owner = owner_of(value)
            contents = self._contents.get(id(owner))
            if contents is None:
                contents = self._contents[id(owner)] = _Contents(owner, value, dot)
                if not isinstance(owner, np.ndarray):
                    self._hold_items(contents)
            elif contents.known is not None:
                contents.learn(value, dot)

    def enter(self, value: Any, dot: Any) -> None:
        """The same for what is held when a call begins: two names of memory have one tangent."""
        if self.knows(value) and not self._contents[id(owner_of(value))].agrees(value, dot):
            raise NotDifferentiable(
                f"a {type(value).__name__} that objects hold under several names, and that may be "
                "changed in place, has different tangents under these"
            )
        self.hold(value, dot)

    def _hold_items(self, contents: _Contents) -> None:
        owner = contents.owner
        keys = owner if isinstance(owner, dict) else range(len(owner))
        if isinstance(owner, list | dict | deque):
            for key in keys:
                if leads_to_memory(owner[key]):
                    contents.has_memory = True
                    self._learn(owner[key], contents.item(owner, key))

    def of(self, value: Any) -> Any:
        """The tangent of memory that is known, as it is now."""
        contents = self._contents[id(owner_of(value))]
        dot = contents.read(value)
        if not contents.has_memory or dot is None:
            return dot
        if isinstance(value, dict):
            whole = copy_of(dot)
            for key, item in value.items():
                whole[key] = self.now(item, dot.get(key))
            return whole
        return rebuilt_like(value, map(self.now, value, dot))

    def now(self, value: Any, dot: Any) -> Any:
        """The tangent of a value as it is now, by one that it had once."""
        if isinstance(value, tuple) and leads_to_memory(value):
            return rebuilt(value, list(map(self.now, value, dot or (None,) * len(value))))
        if isinstance(value, FUNCTIONS):
            return self._now_captured(value, dot, ())
        if not self.knows(value):
            return dot
        contents = self._contents[id(owner_of(value))]
        if contents.known is not None:
            contents.learn(value, dot)
        return self.of(value)

    def now_within(self, value: Any, dot: Any) -> Any:
        """The same for a container that no object holds, whose items may be memory that is."""
        if not self._contents or self.knows(value):
            return self.now(value, dot)
        if isinstance(value, dict):
            items = list(value)
            dots = [(dot or {}).get(key) for key in items]
            found = list(map(self.now_within, value.values(), dots))
            is_same = all(new is old for new, old in zip(found, dots, strict=True))
            return dot if is_same else {**(dot or {}), **dict(zip(items, found, strict=True))}
        if isinstance(value, FUNCTIONS):
            return self._now_captured(value, dot, ())
        if not isinstance(value, list | tuple | deque):
            return dot
        dots = [None] * len(value) if dot is None else list(dot)
        found = list(map(self.now_within, value, dots))
        if all(new is old for new, old in zip(found, dots, strict=True)):
            return dot
        return rebuilt_like(value, found)

    def _now_captured(self, function: Any, dot: Any, around: tuple[Any, ...]) -> Any:
        """The same for what a function has captured: its tangent is a dict of theirs.

        `around`: what has captured it in turn, maybe itself.
        """
        found = dict(dot or {})
        around = (*around, function)
        for name, value in captured_by(function).items():
            unless_coming_to_held(value)
            if not isinstance(value, FUNCTIONS):
                part = self.now_within(value, found.get(name))
            elif any(value is one for one in around):
                continue
            else:
                part = self._now_captured(value, found.get(name), around)
            if part is not None:
                found[name] = part
        return found or dot

    def item(self, memory: Any, key: Any, value: Any, dot: Any = None) -> Any:
        """The tangent of `memory[key]`, which is `value`; that of what isn't known is in `dot`."""
        contents = self._contents[id(owner_of(memory))]
        if contents.known is not None and dot is not None:
            contents.learn(memory, dot)
        if isinstance(memory, dict) and reaches_memory(value) and not self.knows(value):
            self._touch(contents, key)  # reading has made what was missing
        dot = contents.item(memory, key)
        if type(value) not in NO_MEMORY:
            dot = self.now(value, dot)
        return tangent_or_zero(dot, value)

    def change(self, function: Any, args: tuple[Any, ...], dots: tuple[Any, ...]) -> None:
        """Makes a change that was made in memory, `args[0]`, in its tangent."""
        memory, *rest = args
        contents = self._contents[id(owner_of(memory))]
        for value, dot in zip(rest, dots[1:], strict=True):
            if type(value) in NO_MEMORY or isinstance(memory, np.ndarray):
                continue
            if leads_to_memory(value):
                contents.has_memory = True
                self.hold(value, dot)
        buffer = contents.buffer(memory)
        if buffer is not None:
            _change(function, buffer, args, dots)
        elif isinstance(memory, np.ndarray) and any(dot is not None for dot in dots[1:]):
            refuse_to_hold(memory.dtype)
        if function is primitives.touched:
            self._touch(contents, rest[0])

    def _touch(self, contents: _Contents, key: Any) -> None:
        """Notes what a dict has made where a key was missing."""
        if leads_to_memory(contents.owner[key]):
            contents.has_memory = True
            self.hold(contents.owner[key], None)

    def replace(self, memory: Any, dot: Any) -> None:
        """Gives memory another tangent, behind a change of all that it holds."""
        contents = self._contents[id(owner_of(memory))]
        contents.replace(memory, dot)
        if not isinstance(memory, np.ndarray):
            self._hold_items(contents)


def rebuilt_like(value: Any, dots: Any) -> Any:
    """Tangents of the items of a list or deque, in one of the same kind."""
    return deque(dots, value.maxlen) if isinstance(value, deque) else rebuilt(value, list(dots))


class _Contents:
    """The tangent of the contents of a list, a dict, or an array that owns its memory.

    `known`: which elements of an array are known, where only a view of it is held.
    """

    __slots__ = ("_dot", "_flat", "_is_read", "has_memory", "known", "owner")

    def __init__(self, owner: Any, value: Any, dot: Any) -> None:
        self.owner = owner
        self.has_memory = False
        self.known: Any = None
        if isinstance(owner, set | bytearray):
            self._dot = None  # members have no tangents
        else:
            self._dot = zero_tangent(owner) if dot is None or value is not owner else dot
        self._is_read = True
        self._flat: Any = None  # the buffer that shows an array's tangent in the array's layout
        if value is not owner:
            self.known = new_marks(owner)
            self.learn(value, dot)

    def agrees(self, value: Any, dot: Any) -> bool:
        """Whether a tangent of a part is the one that is known, as far as it is."""
        if self._dot is None or self.known is None:
            return is_same_tangent(value, self.read(value), dot)
        known = marks_of(value, self.owner, self.known)
        part = self.buffer(value, is_changed=False)
        told = where_marked(known, 0 if dot is None else dot, part, value)
        return bool(np.array_equal(part, told))

    def learn(self, value: Any, dot: Any) -> None:
        """Notes the tangent of a part of an array where it wasn't known."""
        if self._dot is None:
            return
        known = marks_of(value, self.owner, self.known)
        if not known.all():
            part = self.buffer(value)
            part[...] = where_marked(known, part, 0 if dot is None else dot, value)
            known[...] = True

    def read(self, value: Any) -> Any:
        """The tangent as it is now: it stays so."""
        if value is self.owner or self._dot is None:
            self._check_known(value)
            self._is_read = True
            return self._dot
        self._check_known(value)
        return self.buffer(value, is_changed=False).copy()

    def item(self, memory: Any, key: Any) -> Any:
        """The tangent of `memory[key]`."""
        if self._dot is None:
            return None
        if isinstance(memory, np.ndarray):
            self._check_known(memory)
            part = self.buffer(memory, is_changed=False)[key]
            return part.copy() if isinstance(part, np.ndarray) else part
        return self._dot.get(key) if isinstance(memory, dict) else self._dot[key]

    def buffer(self, value: Any, is_changed: bool = True) -> Any:
        """What to change in the place of `value`: nobody else reads it."""
        if self._dot is None:
            return None
        if is_changed and self._is_read:
            self._dot, self._flat, self._is_read = copy_of(self._dot), None, False
        if value is self.owner:
            return self._dot
        if self._flat is None:
            is_complex = self.owner.dtype.kind == "c"
            dtype = np.result_type(self._dot, 1j) if is_complex else self._dot.dtype
            self._flat = np.zeros(self.owner.size, dtype)
            whole = shown_by(self.owner, self.owner, self._flat)
            whole[...] = self._dot
            self._dot, self._is_read = whole, False
        return shown_by(value, self.owner, self._flat)

    def replace(self, memory: Any, dot: Any) -> None:
        if memory is self.owner:
            self._dot, self._flat, self._is_read = dot, None, True
        else:
            self.buffer(memory)[...] = dot

    def _check_known(self, value: Any) -> None:
        if self.known is None:
            return
        if not marks_of(value, self.owner, self.known).all():
            raise NotDifferentiable(
                "a part of an array is held by an object and may be changed in place there, and "
                "forward mode has lost the tangent of the rest; hold a copy"
            )


# Which argument of a change is what it puts into memory: its tangent is put into the tangent.
_VALUES: dict[Any, int] = {
    **dict.fromkeys((primitives.overwritten, primitives.appended, primitives.pushed), 1),
    primitives.pushed_left: 1,
    **dict.fromkeys((primitives.stored, primitives.stored_back, primitives.spliced), 2),
    **dict.fromkeys((primitives.added_at, primitives.subtracted_at, added_at_each), 2),
    **dict.fromkeys((primitives.inserted, primitives.defaulted), 2),
}
_WITHOUT_VALUES = (
    primitives.deleted, primitives.rotated, primitives.emptied, primitives.moved_to_end,
    primitives.cycled,
)


def _change(function: Any, buffer: Any, args: tuple[Any, ...], dots: tuple[Any, ...]) -> None:
    """Changes the tangent `buffer` of `args[0]`, which is changed by now, in the same way."""
    memory, *rest = args
    if function is primitives.extended:
        added = extended_by(buffer, _dots_of_items(dots[1], rest[0]), memory)[len(buffer) :]
        buffer.extend(added)
    elif function is primitives.touched:
        buffer.setdefault(rest[0], zero_tangent(memory[rest[0]]))
    elif function in _VALUES:
        position = _VALUES[function]
        value, dot = args[position], dots[position]
        if function is primitives.spliced:
            dot = _dots_of_items(dot, value)
        elif isinstance(memory, np.ndarray):
            dot = stored_tangent(dot, memory)
        else:
            dot = tangent_or_zero(dot, value)
        rest[position - 1] = dot
        function(buffer, *rest)
    elif any(function is known for known in _WITHOUT_VALUES):
        function(buffer, *rest)
    else:
        raise NotDifferentiable(
            f"forward mode does not follow `{function.__name__}` of what objects hold; use "
            "zyg.pullback"
        )


def _dots_of_items(dot: Any, items: Any) -> Any:
    """The tangents of the items of what may be an iterator that is at its end; None for zeros."""
    if dot is None:
        unless_asked(items)
    return None if dot is None and not hasattr(items, "__len__") else tangent_items(dot, items)
