"""Gradients of programs that work on objects: from the table of cotangents to the arguments.

    def step(body, dt): ...        gradient(step, body, 0.1)  ->  ({'x': 1.0, 'v': 0.1}, 2.0)

What an object holds may be replaced while the program runs; so what the arguments held at entry is
noted before, and the cotangents of that are looked up when the adjoint has run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from sys import getrefcount
from typing import Any, TypeAlias

import numpy as np

from ir.core import named
from zyg.calls.back_functions import Adjoint, Pullback, StructuralGradients
from zyg.calls.entry import NUMBERS, changed_inputs, inputs_of
from zyg.calls.entry_cache import Entry
from zyg.calls.gradients import Assignment, are_own, detached
from zyg.calls.object_seeds import ObjectSeeds
from zyg.calls.program_names import begun
from zyg.calls.running import ForwardPass, ReversePass
from zyg.calls.saved_values import protected
from zyg.calls.seeds import Like
from zyg.compiler.inference.objects import is_place
from zyg.compiler.run_time.memory import check_outside
from zyg.cotangents import cotangent
from zyg.cotangents.missing_items import unless_made_up
from zyg.errors import SharedMemory
from zyg.held.held_memory import Holding
from zyg.held.keeping import prototype
from zyg.held.memory_kinds import is_memory
from zyg.held.reaching import attributes_of
from zyg.held.shadow_records import Record
from zyg.held.shadows import Shadows

LikeOf: TypeAlias = Callable[[Any], Any]
# What is no container: the types of these are looked up, not asked for what they derive from.
_LEAVES = NUMBERS | {np.ndarray}


def itself(value: Any) -> Any:
    """What a gradient is like, where the value stays as it is until then."""
    return value


class Held:
    """What an argument held when the call began; `like_of` gives what its gradients are like."""

    __slots__ = ("contents", "fields", "is_inside", "items", "like", "memory", "obj")

    def __init__(
        self, value: Any, open_: dict[int, Held], like_of: LikeOf, is_inside: bool = False
    ) -> None:
        self.obj: Any = None
        # What stands in attributes: for leaves, what gradients of them are like.
        self.fields: dict[str, Any] = {}
        self.items: Any = None
        self.like: Any = None
        # Arrays in attributes; other memory, and whether an object holds it.
        self.memory: dict[str, Any] = {}
        self.contents: Any = None
        self.is_inside = is_inside
        if type(value) in NUMBERS:
            self.like = like_of(value)
            return
        if is_memory(value):
            self.contents = value
        if is_place(type(value)):
            self.obj = value
            open_[id(value)] = self
            for name, item in attributes_of(value).items():
                if type(item) not in _LEAVES:
                    self.fields[name] = open_.get(id(item)) or Held(item, open_, like_of, True)
                    continue
                self.fields[name] = like_of(item)
                if type(item) is np.ndarray:
                    self.memory[name] = item
        elif isinstance(value, list | tuple | deque):
            self.items = [
                open_.get(id(item)) or Held(item, open_, like_of, is_inside) for item in value
            ]
            self.like = prototype(value) if type(value) not in (list, tuple) else type(value)
        elif isinstance(value, dict):
            self.items = {
                key: open_.get(id(item)) or Held(item, open_, like_of, is_inside)
                for key, item in value.items()
            }
            self.like = prototype(value) if type(value) is not dict else dict
        elif type(value) in _LEAVES:
            self.like = like_of(value)
        else:
            self.like = prototype(value)
            if not callable(value):
                self._look_into(value, open_, like_of)

    def _look_into(self, value: Any, open_: dict[int, Held], like_of: LikeOf) -> None:
        """Notes the objects in what is no plain object itself, as a `SimpleNamespace`."""
        names = getattr(value, "__dict__", None)
        if type(names) is not dict or id(value) in open_:
            return
        open_[id(value)] = self
        fields = {
            name: open_.get(id(item)) or Held(item, open_, like_of)
            for name, item in names.items()
        }
        if any(held._holds_objects(()) for held in fields.values()):
            self.fields = fields

    def gradient(self, bar: Any, shadows: Shadows, open_: tuple[Held, ...] = ()) -> Any:
        """The gradient of the argument, whose own cotangent is `bar`."""
        if type(bar) is float and type(self.like) is float:
            return bar
        if open_ and any(self is outer for outer in open_):
            return None  # an object that holds itself
        if self.obj is not None:
            return self._of_object(bar, shadows, (*open_, self))
        if self.contents is not None:
            bar = cotangent.accumulate(bar, shadows.contents_of(self.contents))
        if self.fields:
            own_bars = bar if isinstance(bar, dict) else {}
            parts = {
                name: held.part(own_bars.get(name), shadows, (*open_, self))
                for name, held in self.fields.items()
            }
            return {name: part for name, part in parts.items() if part is not None} or None
        if self.items is not None:
            return self._of_items(bar, shadows, (*open_, self))
        if callable(self.like):
            return detached(bar) if isinstance(bar, dict) else None
        return detached(cotangent.project(bar, self.like))

    def _of_object(self, bar: Any, shadows: Shadows, inside: tuple[Held, ...]) -> Any:
        found = {}
        bars = bar if isinstance(bar, dict) else {}
        for name, held in self.fields.items():
            own = shadows.of(self.obj, name)
            if name in self.memory:
                contents = shadows.contents_of(self.memory[name])
                own = contents if own is None else cotangent.accumulate(own, contents)
            if name in bars:
                own = cotangent.accumulate(own, bars[name])
            if type(held) is Held:
                own = held.part(own, shadows, inside)
            elif own is not None and not _is_unshared(own, held):
                own = detached(cotangent.project(own, held))
            if own is not None:
                found[name] = own
        return found or None

    def _of_items(self, bar: Any, shadows: Shadows, inside: tuple[Held, ...]) -> Any:
        like = self.like
        if not isinstance(like, type) and not self._holds_objects(()) and not (
            self._holds_memory(shadows)
        ):
            return detached(cotangent.project(bar, like))
        if isinstance(self.items, dict):
            bars = {} if bar is None else bar
            unless_made_up(bars, self.contents)
            found = {
                key: held.gradient(bars.get(key), shadows, inside)
                for key, held in self.items.items()
            }
            return found if like is dict else cotangent.like_mapping(like, found)
        item_bars = [None] * len(self.items) if bar is None else bar
        items = [
            held.gradient(item, shadows, inside)
            for held, item in zip(self.items, item_bars, strict=True)
        ]
        if isinstance(like, deque):
            return deque(items, like.maxlen)
        if not isinstance(like, type):
            return cotangent.rebuilt(like, items)
        return items if like is list else tuple(items)

    def part(self, bar: Any, shadows: Shadows, open_: tuple[Held, ...]) -> Any:
        """The gradient of what an object holds: None where nothing depends on it."""
        if bar is None and not self._holds_objects(()) and not self._holds_memory(shadows):
            return None
        return self.gradient(bar, shadows, open_)

    def _holds_memory(self, shadows: Shadows) -> bool:
        """Whether memory that objects held when the call began has a cotangent here."""
        if self.contents is not None and shadows.contents_of(self.contents) is not None:
            return True
        items = self.items.values() if isinstance(self.items, dict) else self.items or ()
        return any(item._holds_memory(shadows) for item in items)

    def _holds_objects(self, open_: tuple[Held, ...]) -> bool:
        if self.obj is not None or self.fields:
            return True
        if self.items is None or any(self is outer for outer in open_):
            return False
        items = self.items.values() if isinstance(self.items, dict) else self.items
        return any(item._holds_objects((*open_, self)) for item in items)


def _is_unshared(bar: Any, like: Any) -> bool:
    """Whether an array that a record holds is nobody else's, and is like a gradient as it is."""
    return (
        type(bar) is np.ndarray and type(like) is np.ndarray
        and getrefcount(bar) <= _IN_RECORD and bar.base is None
        and bar.dtype is like.dtype and bar.shape == like.shape
    )


def _count_in_record() -> int:
    """What `getrefcount` says in `_is_unshared` of an array that only a record refers to."""
    obj, shadows = Record(), Shadows()
    shadows.add(obj, "x", np.zeros(1))
    counts: list[int] = []

    def counted(bar: Any, like: Any) -> None:
        counts.append(getrefcount(bar))

    own = shadows.of(obj, "x")
    counted(own, obj)
    return counts[0]


_IN_RECORD = _count_in_record()


def memory_in(args: list[Held]) -> list[Any]:
    """The memory that objects hold among the arguments."""
    found: list[Any] = []
    seen: set[int] = set()
    pending = list(args)
    while pending:
        held = pending.pop()
        if id(held) not in seen:
            seen.add(id(held))
            found += held.memory.values()
            if held.contents is not None and held.is_inside:
                found.append(held.contents)
            pending += [field for field in held.fields.values() if type(field) is Held]
            if held.items is not None:
                items = held.items
                pending.extend(items.values() if isinstance(items, dict) else items)
    return found


def places_of_memory(args: list[Held]) -> list[tuple[Any, str, Any]]:
    """The objects among the arguments that hold memory, with the attributes, and the memory."""
    found: list[tuple[Any, str, Any]] = []
    seen: set[int] = set()
    pending = list(args)
    while pending:
        held = pending.pop()
        if id(held) not in seen:
            seen.add(id(held))
            if held.obj is not None:
                found += [
                    (held.obj, name, value) for name, value in attributes_of(held.obj).items()
                    if is_memory(value)
                ]
            pending += [field for field in held.fields.values() if type(field) is Held]
            if held.items is not None:
                items = held.items
                pending.extend(items.values() if isinstance(items, dict) else items)
    return found


def refuse_shared(
    entry: Entry, memory: list[Any], f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raises where an argument that the call changes in place is memory that an object holds."""
    if not memory:
        return
    pending = changed_inputs(entry, f, args, kwargs)
    while pending:
        changed = pending.pop()
        try:
            check_outside(memory, changed)
        except SharedMemory as error:
            error.form = entry.mode  # nothing has run yet
            raise
        if isinstance(changed, list | tuple | deque):
            pending += filter(is_memory, changed)
        elif isinstance(changed, dict):
            pending += filter(is_memory, changed.values())


def held_by(args: tuple[Any, ...], like_of: LikeOf = prototype) -> list[Held]:
    """What each argument holds now."""
    open_: dict[int, Held] = {}
    return [Held(arg, open_, like_of) for arg in args]


def _gradients(
    assignment: Assignment, bars: Any, args: list[Held], shadows: Shadows
) -> tuple[Any, ...]:
    found = assignment.by_target(assignment.unpacked(bars))
    return tuple(held.gradient(found.get(i), shadows) for i, held in enumerate(args))


def gradients_through_heap(
    entry: Entry, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """The value, if the code gives it, and the gradients of a call that works on objects."""
    # Arrays keep their shapes, and numbers what they are, until the adjoint has run.
    held = held_by(args, itself)
    memory = memory_in(held)
    if entry.changes:
        refuse_shared(entry, memory, f, args, kwargs)
    entry, memory, names = begun(entry.mode, entry, f, args, kwargs, memory)
    passing = ForwardPass(memory, names, entry.leaves_arrays)
    with passing as at_end, ReversePass(at_end, is_joint=True) as shadows:
        found = entry.run(*inputs_of(entry, f, args, kwargs))
    y, bars = found if entry.mode == "withgradient" else (None, found)
    del found
    # The joint form gives a tuple, with one cotangent for each target.
    by_target = entry.assignment.by_target(bars)
    del bars
    gradients: list[Any] = []
    for i, part in enumerate(held):
        single = [by_target.pop(i, None)]
        is_apart = part.contents is not None and shadows.contents_of(part.contents) is None
        if type(part.like) is not np.ndarray or not is_apart or not are_own(single, (part.like,)):
            single = [part.gradient(single[0], shadows)]
        gradients += single
    return y, tuple(gradients)


class HeapAdjoint:
    """The adjoint of a call that works on objects, with a table of its own for each run."""

    __slots__ = ("_adjoint", "_at_end", "_finish", "_held", "_seeds")

    def __init__(
        self, adjoint: Adjoint, held: list[Held], seeds: ObjectSeeds, at_end: Holding,
        finish: Callable[..., Any],
    ) -> None:
        self._adjoint = adjoint
        self._at_end = at_end
        self._held = held
        self._seeds = seeds
        self._finish = finish

    @property
    def generated(self) -> Any:
        """The adjoint as what was generated, if it was made by this process."""
        return self._adjoint.generated

    def run(self, saved: Any, seed: Any) -> Any:
        with ReversePass(self._at_end) as shadows:
            bars = self._adjoint.run(saved, self._seeds.put(shadows, seed))
        return self._finish(bars, self._held, shadows)

    def completed(self, gradients: tuple[Any, ...] | None) -> tuple[Any, ...]:
        """What `run` gave; those of a result without a cotangent, for which it wasn't called."""
        if gradients is not None:
            return gradients
        with ReversePass(self._at_end) as shadows:
            zeros: tuple[Any, ...] = self._finish(None, self._held, shadows)
        return zeros


class HeapGradients:
    """The last step of a public pullback: gradients of the arguments at entry."""

    __slots__ = ("_assignment",)

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment

    def __call__(self, bars: Any, held: list[Held], shadows: Shadows) -> tuple[Any, ...]:
        return _gradients(self._assignment, bars, held, shadows)


class HeapStructuralGradients(HeapGradients):
    """The last step of `_pullback`: the gradient of the function itself first."""

    __slots__ = ("_structural",)

    def __init__(self, assignment: Assignment, structural: StructuralGradients) -> None:
        super().__init__(assignment)
        self._structural = structural

    def __call__(self, bars: Any, held: list[Held], shadows: Shadows) -> tuple[Any, ...]:
        own, *rest = self._structural(bars)
        merged = [
            part.gradient(bar, shadows) if part.part(bar, shadows, ()) is not None else None
            for part, bar in zip(held, rest, strict=True)
        ]
        return own, *merged


def pullback_through_heap(
    mode: str, entry: Entry, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Pullback]:
    """The value and the pullback of a call that works on objects."""
    held = held_by(args)
    entry, memory, names = begun(mode, entry, f, args, kwargs, memory_in(held))
    code: Any = entry.code
    if entry.changes:
        refuse_shared(entry, memory, f, args, kwargs)
    with ForwardPass(memory, names, entry.leaves_arrays) as at_end:
        y, saved = entry.run(*inputs_of(entry, f, args, kwargs))
        seeds = ObjectSeeds(y)
    at_end.finish()
    saved = protected(saved, code.copied, len(code.saved_names))
    finish = HeapGradients(entry.assignment)
    if mode == "_pullback":
        finish = HeapStructuralGradients(
            entry.assignment, StructuralGradients(entry.assignment, len(args))
        )
    description = f"{named(f)}({', '.join(map(repr, entry.types))})"
    adjoint: Any = HeapAdjoint(Adjoint(code.back), held, seeds, at_end, finish)
    return y, Pullback(adjoint, saved, Like(y), adjoint.completed, description)
