"""Cotangents that rules of the user's give for objects, in code that works on objects.

    @zyg.adjoint(Model.predict)         y_bar -> ({"w": x * y_bar}, w * y_bar)
    def predict_rule(self, x): ...

That of an object, by names, goes to the table of the cotangents of what objects hold, where all
else that reads the object leaves its own. The call gets None for it. The back function runs when
the program has ended: an object that it reads itself has to be as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ir import facts
from zyg.compiler.inference.objects import is_place
from zyg.cotangents.cotangent import rebuilt
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import Seen
from zyg.held.memory_kinds import PLAIN, held_by
from zyg.held.reaching import attributes_of, reached
from zyg.held.shadow_calls import current_shadows
from zyg.rules.registry import constant


class SeenObject:
    """An object that is given to a rule, with what it held then."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj
        self.held = {name: seen(value) for name, value in attributes_of(obj).items()}

    def absorb(self, bar: Any) -> None:
        """Takes a cotangent of the object."""
        if not isinstance(bar, dict):
            raise NotDifferentiable(
                f"a rule gave a {type(bar).__name__} as the gradient of a {type(self.obj).__name__}"
                ": give a dict, with the gradient of each attribute under its name"
            )
        shadows = current_shadows()
        for name, own in bar.items():
            held = self.held.get(name)
            if own is None:
                continue
            if isinstance(held, Reference):
                raise NotDifferentiable(
                    f"a rule gave a gradient of `{name}` of a {type(self.obj).__name__}, which is "
                    "an object of its own: give the rule that object as an argument"
                )
            rest = own if held is None else shadows.absorb(held, own)
            shadows.add(self.obj, name, rest)


class Reference:
    """An object that an object holds."""


def seen(value: Any) -> Seen | Reference | None:
    return Reference() if is_place(type(value)) else Seen(value)


def objects_in(value: Any) -> Any:
    """The objects that a rule is given, in the structure of its operands; None where are none."""
    if is_place(type(value)):
        return SeenObject(value)
    if not isinstance(value, list | tuple):
        return None
    found = [objects_in(item) for item in value]
    return found if any(one is not None for one in found) else None


def without_objects(objects: Any, bar: Any) -> Any:
    """A cotangent whose parts that belong to objects have gone to the table."""
    if bar is None or objects is None:
        return bar
    if isinstance(objects, SeenObject):
        objects.absorb(bar)
        return None
    return rebuilt(bar, [without_objects(*pair) for pair in zip(objects, bar, strict=True)])


def unless_objects(name: str, *operands: Any) -> None:
    """Raises for an object among the operands of a rule that is written out in code."""
    if any(objects_in(operand) is not None for operand in operands):
        raise NotDifferentiable(
            f"the rule for `{name}` is given an object that is known only while the program runs, "
            "in code that is differentiated more than once; give it what it reads of that"
        )


constant(unless_objects)
facts.effect(unless_objects)


class ReadLater:
    """What is reached from the objects that a back function may read, as it is now.

    These are the ones, of those that the rule was given, which are reached from the back function.
    """

    def __init__(self, back: Any, operands: tuple[Any, ...]) -> None:
        given = {id(one) for one in reached(operands, held_by) if is_place(type(one))}
        self._objects = [one for one in reached(back, held_by) if id(one) in given]
        self._before = [
            x.copy() if isinstance(x, np.ndarray) else x for x in _reached(self._objects, set())
        ]

    def unless_changed(self, name: str) -> None:
        """Raises if any of it has been changed since."""
        now = list(_reached(self._objects, set()))
        if len(now) != len(self._before) or not all(map(_is_same, now, self._before)):
            raise NotDifferentiable(
                f"the back function of the rule for `{name}` reads an object that has been changed "
                "since: let the rule itself read what the back function needs"
            )


def _reached(value: Any, known: set[int]) -> Iterator[Any]:
    """Objects, arrays and what stands in them, in an order that is the same each time."""
    yield value
    if id(value) in known:
        return
    known.add(id(value))
    if is_place(type(value)):
        for name, item in attributes_of(value).items():
            yield name
            yield from _reached(item, known)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _reached(item, known)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _reached(item, known)


def _is_same(now: Any, before: Any) -> bool:
    if isinstance(now, np.ndarray) and isinstance(before, np.ndarray):
        return np.array_equal(now, before, equal_nan=now.dtype.kind in "fc")
    return now is before or (type(now) is type(before) and type(now) in PLAIN and now == before)
