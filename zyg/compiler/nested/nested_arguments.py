"""Gradients of objects as arguments of an inner gradient, whose code is differentiated in turn.

    zyg.gradient(f, body)       entry = entered(body)           in front of the inner gradient
                                table = f_gradient(body)
                                bars = bars_at_entry(table, entry)
                                gradient_at_entry(bars, entry, None)      {'x': ..., 'v': ...}

What objects hold may be replaced by then, so that it is noted before. The cotangents stand in
attributes of other objects (`zyg.held.nested_shadows`), which what stands outside follows:
`bars` are those of the objects in `entry`, in the order in which they were come by.
"""

from __future__ import annotations

from collections import deque
from typing import Any, TypeAlias

from ir import facts
from ir.core import Operand, Value, type_of
from ir.errors import Unsupported
from ir.heap import ITEMS, Identity, object_read
from ir.inference.typed_calls import TypedCalls
from ir.types import Dict, Known, Mapping, Sequence, Tuple, Type, Union
from zyg.compiler.inference.objects import holds_no_objects, is_object_type, is_place
from zyg.compiler.nested.contents_objects import standing_for
from zyg.cotangents.cotangent import accumulate, project
from zyg.errors import NotDifferentiable
from zyg.held.keeping import prototype
from zyg.held.memory_kinds import is_memory
from zyg.held.nested_shadows import Bars, BarTable
from zyg.held.reaching import attributes_of
from zyg.held.shadow_calls import UNTOUCHED
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import tangent
from zyg.tangents.tangent_objects import read_dot

# What belongs to the attributes of each object; None where nothing does.
Own: TypeAlias = list[dict[str, Any] | None]


class Entry:
    """What a value held when the inner gradient began: here, that holds no object."""

    __slots__ = ("like",)

    def __init__(self, value: Any) -> None:
        self.like = prototype(value)

    def gradient(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        """The gradient of the value, whose own cotangent is `bar`."""
        return project(bar, self.like)

    def part(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        """The same where it stands in an attribute: None where nothing depends on it."""
        return None if bar is None else project(bar, self.like)

    def leave(self, own: Own, bars: Any, y_bar: Any) -> Any:
        """The transpose of that: adds to what belongs to objects, and gives the rest."""
        return y_bar

    def has_own(self, bars: Any) -> bool:
        """Whether this is an object, or memory with a cotangent, or holds one."""
        return False


class MemoryEntry(Entry):
    """The same for memory that an object held: what stands for its contents is of this number."""

    __slots__ = ("number",)

    def __init__(self, value: Any, number: int) -> None:
        super().__init__(value)
        self.number = number

    def gradient(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        return project(self._own_or(bars, bar), self.like)

    def part(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        own = self._own_or(bars, bar)
        return None if own is None else project(own, self.like)

    def leave(self, own: Own, bars: Any, y_bar: Any) -> Any:
        if y_bar is None or self._of_contents(bars) is None:
            return y_bar
        _add(own, self.number, ITEMS, y_bar)
        return None

    def has_own(self, bars: Any) -> bool:
        return self._of_contents(bars) is not None

    def _own_or(self, bars: Any, bar: Any) -> Any:
        found = self._of_contents(bars)
        if found is None:
            return bar
        if bar is not None:
            raise NotDifferentiable(
                "the contents of what an object holds are differentiated both as the object's and "
                "as another name's, in code that is differentiated more than once"
            )
        return found

    def _of_contents(self, bars: Any) -> Any:
        held = bars[self.number]
        found = None if held is None else getattr(held, ITEMS, None)
        return None if found is UNTOUCHED else found


class GivenEntry(MemoryEntry):
    """The same for memory that is an argument itself: what its own name has read comes to what
    stands for its contents."""

    def _own_or(self, bars: Any, bar: Any) -> Any:
        found = self._of_contents(bars)
        return bar if found is None else accumulate(bar, found)

    def leave(self, own: Own, bars: Any, y_bar: Any) -> Any:
        super().leave(own, bars, y_bar)
        return y_bar


class ObjectEntry(Entry):
    """The same for an object, which is the one of this number."""

    __slots__ = ("fields", "number")

    def __init__(self, number: int) -> None:
        super().__init__(None)
        self.number = number
        self.fields: dict[str, Entry] = {}

    def gradient(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        if bar is not None:
            raise NotDifferentiable(
                "an object is read by a call that zyg differentiates apart from the code around "
                "it, which changes objects, and is differentiated more than once"
            )
        if any(self is entry for entry in outer):
            return None  # an object that holds itself
        held = vars(bars[self.number]) if bars[self.number] is not None else {}
        found = {}
        for name, entry in self.fields.items():
            own = held.get(name)
            part = entry.part(bars, None if own is UNTOUCHED else own, (*outer, self))
            if part is not None:
                found[name] = part
        return found or None

    def part(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        return self.gradient(bars, bar, outer)

    def leave(self, own: Own, bars: Any, y_bar: Any) -> Any:
        for name, part in (y_bar or {}).items():
            bar = self.fields[name].leave(own, bars, part)
            if bar is not None:
                _add(own, self.number, name, bar)
        return None

    def has_own(self, bars: Any) -> bool:
        return True


def _add(own: Own, number: int, name: str, bar: Any) -> None:
    held = own[number]
    if held is None:
        held = own[number] = {}
    held[name] = accumulate(held.get(name), bar)


class ItemsEntry(Entry):
    """The same for a container of objects or of memory that objects held, by position or key."""

    __slots__ = ("items",)

    def __init__(self, like: type) -> None:
        super().__init__(None)
        self.like = like
        self.items: dict[Any, Entry] = {}

    def gradient(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        if any(self is entry for entry in outer):
            return None
        own = dict.fromkeys(self.items) if bar is None else _by_key(bar)
        found = {
            key: entry.gradient(bars, own.get(key), (*outer, self))
            for key, entry in self.items.items()
        }
        return found if self.like is dict else self.like(found.values())

    def part(self, bars: Any, bar: Any, outer: tuple[Entry, ...]) -> Any:
        if bar is None and not self.has_own(bars):
            return None
        return self.gradient(bars, bar, outer)

    def has_own(self, bars: Any) -> bool:
        return any(entry.has_own(bars) for entry in self.items.values())

    def leave(self, own: Own, bars: Any, y_bar: Any) -> Any:
        if y_bar is None:
            return None
        given = _by_key(y_bar)
        rest = {key: entry.leave(own, bars, given.get(key)) for key, entry in self.items.items()}
        if all(bar is None for bar in rest.values()):
            return None
        return rest if self.like is dict else self.like(rest.values())


def _by_key(bar: Any) -> dict[Any, Any]:
    return bar if isinstance(bar, dict) else dict(enumerate(bar))


class Entered(Identity):
    """What an argument held when the inner gradient began, and the objects in it."""

    __slots__ = ("entry", "objects")

    def __init__(self, value: Any, is_held: bool = False) -> None:
        super().__init__(value)
        self.objects: list[Any] = [value] if is_held else []
        self.entry = GivenEntry(value, 0) if is_held else self._entry(value, {})

    def _entry(self, value: Any, known: dict[int, Entry], is_inside: bool = False) -> Entry:
        if id(value) in known:
            return known[id(value)]
        if is_place(type(value)):
            known[id(value)] = found = ObjectEntry(len(self.objects))
            self.objects.append(value)
            found.fields = {
                name: self._entry(item, known, is_inside=True)
                for name, item in attributes_of(value).items()
            }
            return found
        if type(value) in (list, tuple, dict, deque):
            known[id(value)] = items = ItemsEntry(type(value))
            for key, item in _by_key(value).items():
                items.items[key] = self._entry(item, known, is_inside)
            if any(map(_is_apart, items.items.values())):
                return items
        if not is_inside or not is_memory(value):
            known[id(value)] = plain = Entry(value)
            return plain
        known[id(value)] = memory = MemoryEntry(value, len(self.objects))
        self.objects.append(value)
        return memory


def _is_apart(entry: Entry) -> bool:
    """Whether the cotangents of an entry don't belong to what it stands in."""
    return type(entry) is not Entry


def entered(value: Any) -> Entered:
    return Entered(value)


def entered_memory(value: Any) -> Entered:
    """The same for memory that is an argument itself."""
    return Entered(value, is_held=True)


def unless_given_twice(*entered: Entered) -> None:
    """Raises for memory that is given in two arguments: each would have a part of the gradient."""
    known = [id(one) for each in entered for one in each.objects if is_memory(one)]
    if len(set(known)) < len(known):
        raise NotDifferentiable(
            "the derivative by memory that is given as two arguments, of a function that works on "
            "objects, inside of differentiated code; give it copies"
        )


def bars_at_entry(table: BarTable, entered: Entered) -> tuple[Bars | None, ...]:
    """The cotangents of the objects that an argument held, which some have, and of what stands for
    the contents of memory in them."""
    return tuple([table.found(standing_for(value)) for value in entered.objects])


def gradient_at_entry(bars: tuple[Bars | None, ...], entered: Entered, bar: Any) -> Any:
    """The gradient of an argument that holds objects, with its own cotangent."""
    return entered.entry.gradient(bars, bar, ())


def left_at_entry(bars: tuple[Bars | None, ...], entered: Entered, y_bar: Any) -> tuple[Any, Any]:
    """The transpose: what belongs to the cotangents of objects, and to the argument's own."""
    own: Own = [None] * len(entered.objects)
    rest = entered.entry.leave(own, bars, y_bar)
    return tuple(own), rest


@adjoint(gradient_at_entry)
def _gradient_at_entry(bars: Any, entered: Entered, bar: Any) -> Any:
    def back(y_bar: Any) -> Any:
        left = left_at_entry(bars, entered, y_bar)
        return left[0], None, left[1]

    return gradient_at_entry(bars, entered, bar), back


class _Dots:
    """The tangents of the cotangents of an object's attributes, which a table holds."""

    def __init__(self, bars: Bars) -> None:
        for name, bar in vars(bars).items():
            if bar is not None and bar is not UNTOUCHED:
                setattr(self, name, read_dot(bars, name, bar))


def tangent_at_entry(bars: tuple[Bars | None, ...], entered: Entered, bar_dot: Any) -> Any:
    """The tangent of the gradient of an argument, which is linear in all cotangents."""
    dots = tuple([None if one is None else _Dots(one) for one in bars])
    return entered.entry.gradient(dots, bar_dot, ())


@tangent(gradient_at_entry)
def tangent_of_gradient_at_entry(
    y: Any, bars: Any, entered: Entered, bar: Any, bars_dot: Any, entered_dot: Any, bar_dot: Any
) -> Any:
    return tangent_at_entry(bars, entered, bar_dot)


constant(
    entered, entered_memory, unless_given_twice, bars_at_entry, left_at_entry, tangent_at_entry
)
facts.effect(entered, entered_memory, unless_given_twice, bars_at_entry, tangent_at_entry)


def is_followed(type_: Type) -> bool:
    """Whether an argument holds objects alone, lists, tuples and dicts of them, and values."""
    match type_:
        case Tuple(items):
            return all(map(is_followed, items))
        case Dict(items):
            return all(is_followed(item) for _, item in items)
        case Sequence(cls, item):
            return cls in (list, tuple) and is_followed(item)
        case Mapping(cls, _, item):
            return cls is dict and is_followed(item)
        case Union(members):
            return all(map(is_followed, members))
        case Known(None):
            return True
        case _:
            return is_object_type(type_) or holds_no_objects(type_)


def gradient_of_objects(
    inference: TypedCalls, table: Operand, noted: Operand, bar: Operand
) -> Operand:
    """The gradient of what was noted, behind the inner gradient."""
    if not inference.surroundings.may_change_objects():
        # Then what is read of objects is no step, and nothing would be left to the cotangents.
        raise Unsupported(
            "the gradient of a function that makes objects and stores nothing, with respect to "
            "objects, inside of differentiated code", inference.loc,
            advice="give it what it reads of them",
        )
    bars = inference.call(bars_at_entry, table, noted)
    found = inference.call(object_read, inference.current_heap(inference.loc), bars)
    if isinstance(found, Value):
        found.type = type_of(bars)
    return inference.call(gradient_at_entry, found, noted, bar)


def note(inference: TypedCalls, argument: Operand) -> Operand:
    """What an argument holds in front of the inner gradient."""
    return inference.call(entered, argument)


def note_memory(
    inference: TypedCalls, arguments: list[Operand], others: list[Operand]
) -> list[Operand]:
    """The same for memory that are arguments, beside others that were noted."""
    found = [inference.call(entered_memory, argument) for argument in arguments]
    if len(found) + len(others) > 1:
        inference.call(unless_given_twice, *found, *others)
    return found
