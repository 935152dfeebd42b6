"""The cotangents of what objects hold: one table for each call of a back function.

    y = o.x          shadows.add(o, 'x', y_bar)
    o.x = v          v_bar = shadows.take(o, 'x')

An object is known by its identity, so that it does not matter by which of its names it is read or
changed. A store takes the cotangent that was gathered behind it away: what stood there before did
not matter any more. What is left when the adjoint has run belongs to what objects held at entry.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ir import facts
from ir.types import Instance, Type
from zyg.cotangent import accumulate
from zyg.errors import NotDifferentiable


class Shadows:
    """Cotangents by object and attribute. Those of the same place are added up."""

    __slots__ = ("_fields",)

    def __init__(self) -> None:
        # The object is kept, so that its `id` stays its own.
        self._fields: dict[int, tuple[Any, dict[str, Any]]] = {}

    def add(self, obj: Any, name: str, bar: Any) -> None:
        """Adds a contribution to the cotangent of an attribute; None is a structural zero."""
        if bar is None:
            return
        found = self._fields.get(id(obj))
        if found is None:
            self._fields[id(obj)] = obj, {name: bar}
            return
        bars = found[1]
        before = bars.get(name)
        bars[name] = bar if before is None else accumulate(before, bar)

    def take(self, obj: Any, name: str, zero: Any = None) -> Any:
        """The cotangent of an attribute, which has none from then on; `zero` if it has none."""
        found = self._fields.get(id(obj))
        return zero if found is None else found[1].pop(name, zero)

    def of(self, obj: Any, name: str) -> Any:
        """The cotangent of an attribute as it is now."""
        found = self._fields.get(id(obj))
        return None if found is None else found[1].get(name)


SHADOWS = Instance(Shadows)


class _State(threading.local):
    """What runs in this thread: a forward pass that works on objects, its adjoint's table."""

    is_forward = False
    shadows: Shadows | None = None


_state = _State()


def is_running() -> bool:
    """Whether a call is made from differentiated code that works on objects."""
    return _state.is_forward


@contextmanager
def forward() -> Iterator[None]:
    """Around a forward pass of code that takes the heap."""
    before, _state.is_forward = _state.is_forward, True
    try:
        yield
    finally:
        _state.is_forward = before


@contextmanager
def backward() -> Iterator[Shadows]:
    """Around a whole adjoint: the table that it fills."""
    before, made = _state.shadows, Shadows()
    _state.shadows = made
    try:
        yield made
    finally:
        _state.shadows = before


def current_shadows() -> Shadows:
    """The table of the adjoint that is running."""
    if _state.shadows is None:
        raise NotDifferentiable("this back function works on objects, and runs on its own")
    return _state.shadows


def add(shadows: Shadows, obj: Any, name: str, bar: Any) -> None:
    shadows.add(obj, name, bar)


def take(shadows: Shadows, obj: Any, name: str, zero: Any = None) -> Any:
    return shadows.take(obj, name, zero)


facts.effect(add, take)


@facts.result(current_shadows)
def _current_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return SHADOWS
