"""Gradients of programs that work on objects: from the table of cotangents to the arguments.

    def step(body, dt): ...        gradient(step, body, 0.1)  ->  ({'x': 1.0, 'v': 0.1}, 2.0)

What an object holds may be replaced while the program runs; so what the arguments held at entry is
noted before, and the cotangents of that are looked up when the adjoint has run.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ir.core import named
from zyg import cotangent
from zyg.compiler.fields import fields_of
from zyg.compiler.objects import is_place
from zyg.entry import Entry, inputs_of
from zyg.gradients import Assignment, detached
from zyg.pullback import Adjoint, Like, Pullback, StructuralGradients, protected, prototype
from zyg.shadows import Shadows, backward, forward, is_memory


class Held:
    """What an argument held when the call began."""

    __slots__ = ("fields", "items", "like", "memory", "obj")

    def __init__(self, value: Any, open_: dict[int, Held]) -> None:
        self.obj: Any = None
        self.fields: dict[str, Held] = {}
        self.items: Any = None
        self.like: Any = None
        self.memory: dict[str, Any] = {}
        if is_place(type(value)):
            self.obj = value
            open_[id(value)] = self
            for name, item in fields_of(value):
                if is_memory(item):
                    self.memory[name] = item
                self.fields[name] = open_.get(id(item)) or Held(item, open_)
        elif type(value) in (list, tuple):
            self.items = [open_.get(id(item)) or Held(item, open_) for item in value]
            self.like = type(value)
        elif type(value) is dict:
            self.items = {
                key: open_.get(id(item)) or Held(item, open_) for key, item in value.items()
            }
            self.like = dict
        else:
            self.like = prototype(value)
            self._open_up(value, open_)

    def _open_up(self, value: Any, open_: dict[int, Held]) -> None:
        """Notes the items of other containers, and what else has attributes, if objects are in."""
        items: Any
        make: Callable[[Any], Any]
        if isinstance(value, tuple | list | deque):
            items = [open_.get(id(item)) or Held(item, open_) for item in value]
            make = functools.partial(_sequence_like, value)
        elif isinstance(value, dict):
            items = {key: open_.get(id(item)) or Held(item, open_) for key, item in value.items()}
            make = functools.partial(cotangent.like_mapping, value)
        elif isinstance(value, SimpleNamespace):
            items = {
                name: open_.get(id(item)) or Held(item, open_)
                for name, item in vars(value).items()
            }
            make = _without_zeros
        else:
            return
        if any(held._holds_objects(()) for held in _values(items)):
            self.items, self.like = items, make

    def gradient(self, bar: Any, shadows: Shadows, open_: tuple[Held, ...] = ()) -> Any:
        """The gradient of the argument, whose own cotangent is `bar`."""
        if any(self is outer for outer in open_):
            return None  # an object that holds itself
        inside = (*open_, self)
        if self.obj is not None:
            found = {}
            for name, held in self.fields.items():
                own = shadows.of(self.obj, name)
                if name in self.memory:
                    own = cotangent.accumulate(own, shadows.contents_of(self.memory[name]))
                if isinstance(bar, dict):
                    own = cotangent.accumulate(own, bar.get(name))
                gradient = held.part(own, shadows, inside)
                if gradient is not None:
                    found[name] = gradient
            return found or None
        if isinstance(self.items, dict):
            bars = {} if bar is None else bar
            gradient_of = Held.part if self.like is _without_zeros else Held.gradient
            return self.like({
                key: gradient_of(held, bars.get(key), shadows, inside)
                for key, held in self.items.items()
            })
        if self.items is not None:
            bars = [None] * len(self.items) if bar is None else bar
            return self.like([
                held.gradient(item, shadows, inside)
                for held, item in zip(self.items, bars, strict=True)
            ])
        if callable(self.like):
            return detached(bar) if isinstance(bar, dict) else None
        return detached(cotangent.project(bar, self.like))

    def part(self, bar: Any, shadows: Shadows, open_: tuple[Held, ...]) -> Any:
        """The gradient of what an object holds: None where nothing depends on it."""
        if bar is None and not self._holds_objects(()):
            return None
        return self.gradient(bar, shadows, open_)

    def _holds_objects(self, open_: tuple[Held, ...]) -> bool:
        if self.obj is not None:
            return True
        if self.items is None or any(self is outer for outer in open_):
            return False
        return any(item._holds_objects((*open_, self)) for item in _values(self.items))


def _values(items: Any) -> Any:
    return items.values() if isinstance(items, dict) else items


def _sequence_like(value: Any, items: list[Any]) -> Any:
    if isinstance(value, deque):
        return deque(items, value.maxlen)
    return cotangent.rebuilt(value, items)


def _without_zeros(bars: dict[str, Any]) -> dict[str, Any] | None:
    """The gradient of what is no container: of the attributes that something depends on."""
    return {name: bar for name, bar in bars.items() if bar is not None} or None


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
            pending += held.fields.values()
            if held.items is not None:
                pending += _values(held.items)
    return found


def held_by(args: tuple[Any, ...]) -> list[Held]:
    """What each argument holds now."""
    open_: dict[int, Held] = {}
    return [Held(arg, open_) for arg in args]


def _gradients(
    assignment: Assignment, bars: Any, args: list[Held], shadows: Shadows
) -> tuple[Any, ...]:
    found = assignment.by_target(assignment.unpacked(bars))
    return tuple(held.gradient(found.get(i), shadows) for i, held in enumerate(args))


def gradients_through_heap(
    entry: Entry, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """The value, if the code gives it, and the gradients of a call that works on objects."""
    held = held_by(args)
    with forward(memory_in(held)) as at_end, backward(at_end, is_joint=True) as shadows:
        found = entry.run(*inputs_of(entry, f, args, kwargs))
    y, bars = found if entry.mode == "withgradient" else (None, found)
    # The joint form gives a tuple, with one cotangent for each target.
    by_target = entry.assignment.by_target(bars)
    return y, tuple(part.gradient(by_target.get(i), shadows) for i, part in enumerate(held))


class HeapAdjoint:
    """The adjoint of a call that works on objects, with a table of its own for each run."""

    __slots__ = ("_adjoint", "_at_end", "_finish", "_held")

    def __init__(
        self, adjoint: Adjoint, held: list[Held], at_end: dict[int, Any],
        finish: Callable[..., Any],
    ) -> None:
        self._adjoint = adjoint
        self._at_end = at_end
        self._held = held
        self._finish = finish

    def run(self, saved: Any, seed: Any) -> Any:
        with backward(self._at_end) as shadows:
            bars = self._adjoint.run(saved, seed)
        return self._finish(bars, self._held, shadows)


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


def _as_they_are(gradients: Any) -> Any:
    return gradients


def pullback_through_heap(
    mode: str, entry: Entry, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Pullback]:
    """The value and the pullback of a call that works on objects."""
    code: Any = entry.code
    held = held_by(args)
    with forward(memory_in(held)) as at_end:
        y, saved = entry.run(*inputs_of(entry, f, args, kwargs))
    saved = protected(saved, code.copied, len(code.saved_names))
    finish = HeapGradients(entry.assignment)
    if mode == "_pullback":
        finish = HeapStructuralGradients(
            entry.assignment, StructuralGradients(entry.assignment, len(args))
        )
    description = f"{named(f)}({', '.join(map(repr, entry.types))})"
    adjoint: Any = HeapAdjoint(Adjoint(code.back), held, at_end, finish)
    return y, Pullback(adjoint, saved, Like(y), _as_they_are, description)
