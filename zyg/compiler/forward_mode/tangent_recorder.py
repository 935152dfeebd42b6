"""Calls that objects and decorators answer, in forward mode.

Reverse mode knows what a call of an object is in terms of plain functions, and differentiates those
by `pullback(f, *args)`. A recorder stands in the place of `pullback`, and notes tangents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import rebuilt
from zyg.errors import NotDifferentiable
from zyg.held.held_views import VIEWS, bars_by_key, dict_of
from zyg.tangents.tangent import holds_numbers, is_same_tangent, zero_tangent
from zyg.tangents.tangent_objects import current_tangents, has_table


def is_held(value: Any) -> bool:
    """Whether the tangent of memory is known by its identity."""
    return has_table() and current_tangents().held.knows(value)


_SEVERAL = object()  # the tangent of a number that stands for several
_ONE_OBJECT = (
    "two arguments of a call that an object or a decorator answers are one object, and have "
    "different tangents: pass copies"
)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex | np.inexact)


class Recorder:
    """Stands where reverse mode asks for the pullback of a call, and notes tangents of results.

    What is passed on is known by its identity. Where two numbers with different tangents are one
    object, as `0.0` may be, it is an error to ask for the tangent.
    """

    def __init__(self, tangent_call: Callable[..., tuple[Any, Any]]) -> None:
        self._call = tangent_call
        self._known: dict[int, tuple[Any, Any]] = {}

    def note(self, value: Any, dot: Any) -> None:
        if type(value) in (list, tuple) and type(dot) in (list, tuple):
            for item, part in zip(value, dot, strict=True):
                self.note(item, part)
        if isinstance(value, VIEWS) and isinstance(dot, list):
            shown = dict_of(value)
            self.note(shown, bars_by_key(dot, value, tuple(shown)))
        if isinstance(value, bool) or value is None or isinstance(value, str) or is_held(value):
            return
        before = self._known.get(id(value))
        if before is not None:
            if before[1] is dot or before[1] is _SEVERAL or is_same_tangent(value, before[1], dot):
                return
            if not is_number(value):
                raise NotDifferentiable(_ONE_OBJECT)
            dot = _SEVERAL
        self._known[id(value)] = value, dot

    def _noted(self, value: Any) -> tuple[Any, Any] | None:
        """What is known of a value, if it is; raises where that isn't one tangent."""
        found = self._known.get(id(value))
        if found is not None and found[1] is _SEVERAL:
            raise NotDifferentiable(_ONE_OBJECT)
        return found

    def told_apart(self, value: Any, dot: Any) -> Any:
        """Notes a value, or a copy of a number that is known with another tangent.

        So with the items of a tuple: in `(0.0, 0.0)` one object stands twice.
        """
        if type(value) is tuple and type(dot) in (list, tuple):
            items = [self.told_apart(item, part) for item, part in zip(value, dot, strict=True)]
            is_new = any(new is not old for new, old in zip(items, value, strict=True))
            value = tuple(items) if is_new else value
        before = self._known.get(id(value))
        if is_number(value) and before is not None and (
            before[1] is _SEVERAL or not is_same_tangent(value, before[1], dot)
        ):
            value = value * type(value)(1)
        self.note(value, dot)
        return value

    def dot_of(self, value: Any) -> Any:
        if is_held(value):
            return current_tangents().held.of(value)
        found = self._noted(value)
        if found is not None:
            return found[1]
        if isinstance(value, tuple):
            return rebuilt(value, list(map(self.dot_of, value)))
        if holds_numbers(value):
            raise NotDifferentiable(
                "forward mode lost sight of a number that an object's method or a decorator "
                "returned: use zyg.pullback"
            )
        return zero_tangent(value)

    def known_dot(self, value: Any) -> Any:
        """The tangent of what has to be known: it may give numbers when it is read."""
        if not is_held(value) and id(value) not in self._known:
            raise NotDifferentiable(
                f"forward mode lost sight of a {type(value).__name__} that an object's method "
                "returned: use zyg.pullback"
            )
        return self.dot_of(value)

    def _given(self, value: Any) -> Any:
        if is_held(value):
            return current_tangents().held.of(value)
        found = self._noted(value)
        return None if found is None else found[1]

    def __call__(self, function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        y, dot = self._call(
            (function, *args), (self._given(function), *map(self._given, args)), kwargs,
            {name: self._given(value) for name, value in kwargs.items()},
        )
        return self.told_apart(y, dot), no_back


def no_back(y_bar: Any) -> Any:
    raise NotDifferentiable(
        "a value that forward mode computed was kept, and is read by reverse mode: delete it first"
    )
