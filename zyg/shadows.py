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

    def release(self, obj: Any, name: str, value: Any, is_first: bool) -> Any:
        """The cotangent that a store of `value` into an attribute takes."""
        if not is_memory(value):
            return self.take(obj, name)
        return self.take_contents(value) if is_first else None

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
        if bar is None or not is_memory(value) or not is_held(value):
            return bar
        self.add_contents(value, bar)
        return None


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
            self._bar = self._shown(owner)
            self._bar[...] = 0 if bar is None else bar
        return self._shown(view)

    def _shown(self, view: Any) -> Any:
        ratio = self._flat.itemsize // self._owner.itemsize
        start = self._owner.__array_interface__["data"][0]
        offset = (view.__array_interface__["data"][0] - start) * ratio
        strides = tuple(step * ratio for step in view.strides)
        return np.ndarray(view.shape, self._flat.dtype, self._flat, offset, strides)


SHADOWS = Instance(Shadows)


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


class _State(_local):
    """What runs in this thread: a forward pass that works on objects, its adjoint's table.

    `held`: the memory that objects hold, by `id`, with the number under which it came to be held.
    """

    run: object = None
    names: RunningNames | None = None
    shadows: Shadows | None = None
    held: dict[int, Any] | None = None


_state = _State()


def is_running() -> bool:
    """Whether a call is made from differentiated code that works on objects."""
    return _state.run is not None


def current_run() -> object:
    """The identity of the forward pass that works on objects, if one is running."""
    return _state.run


def running_names() -> RunningNames | None:
    """What the program that runs takes names for, if it works on objects."""
    return _state.names


@contextmanager
def forward(held: list[Any], names: RunningNames) -> Iterator[dict[int, Any]]:
    """Around a forward pass of code that takes the heap; objects hold the memory in `held`."""
    before = _state.run, _state.held, _state.names
    _state.run, _state.names = object(), names
    _state.held = made = {id(owner): owner for owner in map(owner_of, held)}
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
        _state.run, _state.held, _state.names = before


@contextmanager
def backward(held: dict[int, Any], is_joint: bool = False) -> Iterator[Shadows]:
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


def identity_of(value: Any) -> int:
    """By what memory is known: that of the array that owns it."""
    try:
        return id(owner_of(value))
    except NotDifferentiable:
        return id(value)


def is_held(value: Any) -> bool:
    """Whether an object holds this memory."""
    return _state.held is not None and id(owner_of(value)) in _state.held


def hold(held: Identity) -> bool:
    """`hold_value` for what generated code has under a name that isn't copied."""
    return hold_value(held.value)


def hold_value(value: Any) -> bool:
    """Notes that an object holds a value from here on; whether that is memory that none held."""
    if not is_memory(value) or _state.held is None:
        return False
    owner = owner_of(value)
    if id(owner) in _state.held:
        return False
    _state.held[id(owner)] = owner
    return True


def let_go(value: Any) -> None:
    """The reverse of `hold`, where that was the first time."""
    if _state.held is not None:
        _state.held.pop(id(owner_of(value)), None)


def check_held(value: Any) -> None:
    """Raises for memory that is changed under a name that isn't known, and no object holds."""
    if not is_memory(value) or not is_held(value):
        raise NotDifferentiable(
            f"a {type(value).__name__} is changed in place, but zyg can't tell which other names "
            "its memory has; change a copy"
        )
    plain = None if _state.names is None else _state.names.memory.get(id(owner_of(value)))
    if plain is not None:
        raise NotDifferentiable(
            f"a {type(value).__name__} is changed in place that `{plain[1]}` names as well, a "
            "global or an attribute of a class that was read before; change a copy, or use one name"
        )


def unless_held(value: Any) -> None:
    """Raises for memory that is changed under a local name, and that an object holds too."""
    if is_memory(value) and is_held(value):
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


def release(shadows: Shadows, obj: Any, name: str, held: Identity, is_first: bool) -> Any:
    value = held.value
    bar = shadows.release(obj, name, value, is_first)
    if is_first:
        let_go(value)
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
