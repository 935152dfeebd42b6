"""Cotangents that rules of the user's give for objects, in code that works on objects.

    @zyg.adjoint(Model.predict)         y_bar -> ({"w": x * y_bar}, w * y_bar)
    def predict_rule(self, x): ...

That of an object, by names, goes to the table of the cotangents of what objects hold, where all
else that reads the object leaves its own. The call gets None for it. The back function runs when
the program has ended: an object that it reads itself has to be as it was.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from ir import facts
from zyg.compiler.inference.objects import is_place
from zyg.cotangents.cotangent import rebuilt
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import Seen
from zyg.held.shadow_calls import current_shadows
from zyg.rules.registry import constant


class SeenObject:
    """An object that is given to a rule, with what it held then."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj
        self.held = {name: seen(value) for name, value in _attributes(obj).items()}

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


def _attributes(obj: Any) -> dict[str, Any]:
    names = getattr(obj, "__dict__", None)
    if names is not None:
        return dict(names)
    slots = [name for cls in type(obj).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: getattr(obj, name) for name in slots if hasattr(obj, name)}


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
    """What can be reached from the objects that a back function has captured, as it is now."""

    def __init__(self, back: Any, operands: tuple[Any, ...]) -> None:
        self._objects = [one for one in _objects_of(operands) if _has_captured(back, one)]
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


def _objects_of(value: Any) -> Iterator[Any]:
    if is_place(type(value)):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _objects_of(item)


def _has_captured(back: Any, value: Any) -> bool:
    """Whether a back function may read an object: one that isn't a function may read any."""
    if not isinstance(back, types.FunctionType):
        return True
    held = [cell.cell_contents for cell in back.__closure__ or ()] + list(back.__defaults__ or ())
    return any(
        one is value or (isinstance(one, types.FunctionType) and _has_captured(one, value))
        or any(item is value for item in _objects_of(one))
        for one in held
    )


def _reached(value: Any, known: set[int]) -> Iterator[Any]:
    """Objects, arrays and what stands in them, in an order that is the same each time."""
    yield value
    if id(value) in known:
        return
    known.add(id(value))
    if is_place(type(value)):
        for name, item in _attributes(value).items():
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
    return now is before
