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

from _thread import _local  # the import of `threading` takes as long as seven modules here
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ir import facts
from ir.generators import watching
from ir.heap import Identity
from ir.types import Instance, Type
from zyg.cotangent import accumulate, rebuilt, zeros_like
from zyg.errors import NotDifferentiable
from zyg.shadow_records import UNTOUCHED, Record, Records, records_for

MEMORY = (np.ndarray, list, dict, deque, set, bytearray)


def is_memory(value: Any) -> bool:
    """Whether a value can be changed in place, other than an object by its attributes."""
    return isinstance(value, MEMORY)


def owner_of(array: Any) -> Any:
    """The array that owns the memory of a view; other memory is its own."""
    while type(array) is np.ndarray and array.base is not None:
        if type(array.base) is not np.ndarray:
            raise NotDifferentiable(
                f"an array in the memory of a {type(array.base).__name__} is held by an object, "
                "and changed in place there; copy it"
            )
        array = array.base
    return array


class Shadows:
    """Cotangents by object and attribute, and of contents by memory; the same place adds up."""

    __slots__ = ("_contents", "_tables")

    def __init__(self) -> None:
        self._tables: dict[type, Records] = {}
        self._contents: dict[int, _Contents] = {}

    def is_empty(self) -> bool:
        """Whether nothing was left to any object."""
        return not self._tables and not self._contents

    def records(self, cls: type, *numbers: str) -> Records:
        """The records of the objects of a class, of whose attributes some hold numbers."""
        found = self._tables.get(cls)
        if found is None:
            found = self._tables[cls] = records_for(cls)
        found.cover(numbers)
        return found

    def add(self, obj: Any, name: str, bar: Any) -> None:
        """Adds a contribution to the cotangent of an attribute; None is a structural zero."""
        if bar is None:
            return
        table = self._tables.get(type(obj))
        if table is None:
            table = self._tables[type(obj)] = records_for(type(obj))
        record = table[obj]
        before = getattr(record, name, UNTOUCHED)
        if before is UNTOUCHED:
            setattr(record, name, bar)
        elif type(before) is float:
            setattr(record, name, before + bar)
        else:
            setattr(record, name, accumulate(before, bar))

    def take(self, obj: Any, name: str, zero: Any = None) -> Any:
        """The cotangent of an attribute, which has none from then on; `zero` if it has none."""
        record = self._record_of(obj)
        if record is None:
            return zero
        found = getattr(record, name, UNTOUCHED)
        if found is UNTOUCHED:
            return zero
        setattr(record, name, UNTOUCHED)
        return found

    def of(self, obj: Any, name: str) -> Any:
        """The cotangent of an attribute as it is now."""
        found = getattr(self._record_of(obj), name, UNTOUCHED)
        return None if found is UNTOUCHED else found

    def _record_of(self, obj: Any) -> Any:
        table = self._tables.get(type(obj))
        return None if table is None else table.get(obj)

    # Memory that objects hold

    def add_held(self, obj: Any, name: str, bar: Any, value: Any) -> None:
        """`add` for an attribute that holds `value`, which may be memory."""
        if is_memory(value):
            self.add_contents(value, bar)
        else:
            self.add(obj, name, bar)

    def release(self, obj: Any, name: str, value: Any, is_first: Any) -> Any:
        """The cotangent that a store of `value` into an attribute takes."""
        if not is_memory(value):
            return self.take(obj, name)
        if isinstance(is_first, bool):
            return self.take_contents(value) if is_first else None
        bar, is_new = self.take_contents(value), shown_part(is_first, owner_of(value), value)
        if bar is None:
            return None
        self.add_contents(value, np.where(is_new, 0, bar))
        return np.where(is_new, bar, 0)

    def add_contents(self, value: Any, bar: Any) -> None:
        """Adds a contribution to the cotangent of the contents of memory."""
        if bar is None:
            return
        owner = owner_of(value)
        contents = self._contents.get(id(owner))
        if contents is None:
            contents = self._contents[id(owner)] = _Contents(owner)
        contents.add(value, bar)

    def take_contents(self, value: Any) -> Any:
        """The cotangent of the contents of memory, which have none from then on."""
        contents = self._contents.get(id(owner_of(value)))
        return None if contents is None else contents.take(value)

    def contents_of(self, value: Any) -> Any:
        """The cotangent of the contents of memory as it is now."""
        contents = self._contents.get(id(owner_of(value)))
        return None if contents is None else contents.of(value)

    def absorb(self, value: Any, bar: Any) -> Any:
        """Takes a cotangent of memory that an object holds; gives back that of anything else."""
        where = False if bar is None or not is_memory(value) else _held_part(value)
        if where is False:
            return bar
        if where is True:
            self.add_contents(value, bar)
            return None
        self.add_contents(value, np.where(where, bar, 0))
        return np.where(where, 0, bar)


class _Contents:
    """The cotangent of the contents of a list, a dict, or an array that owns its memory.

    When a view of the array is met, the cotangent gets a buffer of the same layout, of which the
    view shows the same part as of the array.
    """

    __slots__ = ("_bar", "_flat", "_owner")

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._bar: Any = None
        self._flat: Any = None

    def add(self, value: Any, bar: Any) -> None:
        if value is not self._owner or self._flat is not None:
            self._part(value)[...] += bar
        else:
            self._bar = bar if self._bar is None else accumulate(self._bar, bar)

    def take(self, value: Any) -> Any:
        if value is not self._owner:
            part = self._part(value)
            bar = part.copy()
            part[...] = 0
            return bar
        bar, self._bar, self._flat = self._bar, None, None
        return bar

    def of(self, value: Any) -> Any:
        return self._bar if value is self._owner else self._part(value)

    def _part(self, view: Any) -> Any:
        """The part of the buffer that a view of the array shows."""
        owner = self._owner
        if view.dtype != owner.dtype:
            raise NotDifferentiable("an array that an object holds is seen as one of another dtype")
        if self._flat is None:
            bar, like = self._bar, zeros_like(owner)
            self._flat = np.zeros(owner.size, like.dtype)
            self._bar = shown_part(self._flat, owner, owner)
            self._bar[...] = 0 if bar is None else bar
        return shown_part(self._flat, owner, view)


def shown_part(flat: Any, owner: Any, view: Any) -> Any:
    """The part of a buffer of the elements of an array that a view of the array shows."""
    start = owner.__array_interface__["data"][0]
    distance = view.__array_interface__["data"][0] - start
    offset, *strides = (
        step * flat.itemsize // owner.itemsize for step in (distance, *view.strides)
    )
    return np.ndarray(view.shape, flat.dtype, flat, offset, strides)


SHADOWS = Instance(Shadows)


class _State(_local):
    """What runs in this thread: a forward pass that works on objects, its adjoint's table.

    `held`: the memory that objects hold, by `id`; of an array of which they hold views alone, with
    a flag for each element.
    """

    run: object = None
    shadows: Shadows | None = None
    held: dict[int, tuple[Any, Any]] | None = None


_state = _State()


def is_running() -> bool:
    """Whether a call is made from differentiated code that works on objects."""
    return _state.run is not None


def current_run() -> object:
    """The identity of the forward pass that works on objects, if one is running."""
    return _state.run


@contextmanager
def forward(held: list[Any]) -> Iterator[dict[int, tuple[Any, Any]]]:
    """Around a forward pass of code that takes the heap; objects hold the memory in `held`."""
    before = _state.run, _state.held
    _state.run = object()
    _state.held = made = {id(owner): (owner, None) for owner in map(owner_of, held)}
    try:
        with watching() as generators:
            yield made
        for generator in generators:
            if generator._state > 0:
                raise NotDifferentiable(
                    "a generator with `finally` or `with` is left before its end, and nobody "
                    "closes it; take all of its items, or call its `close`"
                )
    finally:
        _state.run, _state.held = before


@contextmanager
def backward(
    held: dict[int, tuple[Any, Any]], is_joint: bool = False
) -> Iterator[Shadows]:
    """Around a whole adjoint: the table that it fills.

    `held` is the memory that objects hold where it begins: behind the forward pass, which in the
    joint form (`is_joint`) still has to run.
    """
    before, made = (_state.shadows, _state.held), Shadows()
    _state.shadows, _state.held = made, held if is_joint else dict(held)
    try:
        yield made
    finally:
        _state.shadows, _state.held = before


def current_shadows() -> Shadows:
    """The table of the adjoint that is running."""
    if _state.shadows is None:
        raise NotDifferentiable("this back function works on objects, and runs on its own")
    return _state.shadows


@contextmanager
def apart() -> Iterator[Shadows]:
    """Around back functions whose cotangents are asked for, but add to nothing: gives a table of
    their own, for what they leave to objects."""
    before = _state.shadows
    _state.shadows = made = Shadows()
    try:
        yield made
    finally:
        _state.shadows = before


def _held_part(value: Any) -> Any:
    """Whether objects hold memory; of an array of which they hold a part, a flag per element."""
    owner = owner_of(value)
    found = None if _state.held is None else _state.held.get(id(owner))
    if found is None or found[1] is None:
        return found is not None
    part = shown_part(found[1], owner, value)
    return part if part.any() and not part.all() else bool(part.all() and part.size)


def hold(held: Identity) -> Any:
    """`hold_value` for what generated code has under a name that isn't copied."""
    return hold_value(held.value)


def hold_value(value: Any) -> Any:
    """Notes that an object holds a value from here on; whether that is memory that none held.

    Of an array of which objects hold views, a flag for each element that none held.
    """
    if not is_memory(value) or _state.held is None:
        return False
    owner = owner_of(value)
    found = _state.held.get(id(owner))
    if found is None and value is owner:
        _state.held[id(owner)] = owner, None
        return True
    if found is not None and found[1] is None:
        return False
    before = np.zeros(owner.size, bool) if found is None else found[1]
    is_shown = np.zeros(owner.size, bool)
    shown_part(is_shown, owner, value)[...] = True
    after = before | is_shown
    _state.held[id(owner)] = owner, None if after.all() else after
    is_new = after & ~before
    return bool(is_new.any()) if is_new.all() or not is_new.any() else is_new


def let_go(value: Any, is_first: Any) -> None:
    """The reverse of `hold`, where that was the first time."""
    owner = owner_of(value)
    if _state.held is None or is_first is False or id(owner) not in _state.held:
        return
    if is_first is True:
        del _state.held[id(owner)]
        return
    _, flags = _state.held[id(owner)]
    left = ~is_first if flags is None else flags & ~is_first
    _state.held[id(owner)] = owner, left


def check_held(value: Any) -> None:
    """Raises for memory that is changed under a name that isn't known, and no object holds."""
    if not is_memory(value) or _held_part(value) is not True:
        raise NotDifferentiable(
            f"a {type(value).__name__} is changed in place, but zyg can't tell which other names "
            "its memory has; change a copy"
        )


def unless_held(value: Any) -> None:
    """Raises for memory that is changed under a local name, and that an object holds too."""
    if is_memory(value) and _held_part(value) is not False:
        raise NotDifferentiable(
            f"a {type(value).__name__} that an object holds is changed in place under another "
            "name; change it by the attribute, or change a copy"
        )


# Of other subclasses, `copy` would make a plain dict.
_DICTS = (dict, OrderedDict, defaultdict, Counter)


def kept_contents(value: Any) -> Any:
    """A copy of memory whose contents an adjoint reads, and that may be changed in place later."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return rebuilt(value, [kept_contents(item) for item in value])
    if isinstance(value, deque):
        return deque(map(kept_contents, value), value.maxlen)
    if type(value) in _DICTS:
        copied = value.copy()
        for key, item in value.items():
            copied[key] = kept_contents(item)
        return copied
    if isinstance(value, set | bytearray):
        return value.copy()
    if hasattr(type(value), "with_own_memory"):
        return value.with_own_memory(kept_contents)
    return value


class HeldBack:
    """The back function of a change in place of memory that an object holds."""

    __slots__ = ("_back", "_value")

    def __init__(self, value: Any, back: Callable[[Any], Any]) -> None:
        self._value = value
        self._back = back

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        own_bar, *bars = self._back(shadows.take_contents(self._value))
        shadows.add_contents(self._value, own_bar)
        return None, None, *bars

    def with_own_memory(self, copy: Callable[[Any], Any]) -> HeldBack:
        return HeldBack(self._value, copy(self._back))


def add(shadows: Shadows, obj: Any, name: str, bar: Any) -> None:
    shadows.add(obj, name, bar)


def take(shadows: Shadows, obj: Any, name: str, zero: Any = None) -> Any:
    return shadows.take(obj, name, zero)


def records(shadows: Shadows, cls: type, *numbers: str) -> Records:
    return shadows.records(cls, *numbers)


def record(of: Records, obj: Any) -> Record:
    return of[obj]


def bar_of(of: Record, name: str) -> Any:
    """The cotangent of an attribute, out of the record of its object."""
    return getattr(of, name)


def set_bar(of: Record, name: str, bar: Any) -> None:
    setattr(of, name, bar)


def increase_bar(of: Record, name: str, bar: Any) -> None:
    setattr(of, name, getattr(of, name) + bar)


def add_object(shadows: Shadows, obj: Any, bar: Any) -> None:
    """Takes the cotangent of an object, by names: a call that knows no table has read it.

    What stands in its attributes may have been replaced since, so that they have to hold numbers.
    """
    for name, own in (bar or {}).items():
        if own is not None and (isinstance(own, dict | tuple) or is_memory(own)):
            raise NotDifferentiable(
                f"the attribute `{name}` of a {type(obj).__name__} holds more than a number, in a "
                "call that zyg differentiates apart from the code around it, which changes objects"
            )
        shadows.add(obj, name, own)


def add_constant_object(shadows: Shadows, obj: Any, bar: Any) -> None:
    """`add_object` in a program that stores nothing into objects."""
    for name, own in (bar or {}).items():
        held = getattr(obj, name, None)
        if isinstance(own, dict) and hasattr(held, "__dict__") and type(held) is not dict:
            add_constant_object(shadows, held, own)
        else:
            shadows.add(obj, name, own)


def add_held(shadows: Shadows, obj: Any, name: str, bar: Any, held: Identity) -> None:
    shadows.add_held(obj, name, bar, held.value)


def release(shadows: Shadows, obj: Any, name: str, held: Identity, is_first: Any) -> Any:
    value = held.value
    bar = shadows.release(obj, name, value, is_first)
    let_go(value, is_first)
    return bar


def absorb(shadows: Shadows, held: Identity, bar: Any) -> Any:
    return shadows.absorb(held.value, bar)


facts.effect(add, take, add_held, release, absorb, hold, check_held, unless_held)
facts.effect(bar_of, set_bar, increase_bar, add_object, add_constant_object)
# A record is made where it is asked for, and is the same from then on.
facts.pure(records, record, current_shadows)


@facts.result(current_shadows)
def _current_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return SHADOWS
