"""How the arguments of a recorded call are made of the values of its parents.

    np.sum(x, axis=0)           parents (#x,)       Form((Slot(0),), {"axis": 0})
    np.concatenate([x, y])      parents (#x, #y)    Form(([Slot(0), Slot(1)],), {})

Most calls need none: their arguments are the values of their parents, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zyg.tape.wrappers import WRAPPERS


@dataclass(frozen=True)
class Slot:
    """Stands for the value of a parent."""

    position: int


@dataclass(frozen=True)
class Form:
    """Arguments with slots for the parents; all else in them is literal."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def filled(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, with these values in the slots."""
        args = [filled(part, values) for part in self.args]
        return args, {name: filled(part, values) for name, part in self.kwargs.items()}


def filled(part: Any, values: Sequence[Any]) -> Any:
    """A part of a form with values in its slots."""
    return mapped(part, lambda slot: values[slot.position])


def mapped(part: Any, of_slot: Callable[[Slot], Any]) -> Any:
    """A part of a form with something else in the place of each slot."""
    cls = type(part)
    if cls is Slot:
        return of_slot(part)
    if cls is list:
        return [mapped(item, of_slot) for item in part]
    if isinstance(part, tuple):
        items = [mapped(item, of_slot) for item in part]
        return part._make(items) if hasattr(part, "_make") else tuple(items)
    if cls is dict:
        return {key: mapped(item, of_slot) for key, item in part.items()}
    if cls is slice:
        return slice(*[mapped(item, of_slot) for item in (part.start, part.stop, part.step)])
    return part


class Layout:
    """Collects the parents of a call, and the form of its arguments."""

    def __init__(self, node_of: Callable[[Any], int]) -> None:
        self.parents: list[int] = []
        self._node_of = node_of

    def slot(self, value: Any) -> Slot:
        self.parents.append(self._node_of(value))
        return Slot(len(self.parents) - 1)

    def part(self, x: Any) -> Any:
        """An argument, with slots for the wrappers and arrays in it."""
        cls = type(x)
        if cls in WRAPPERS or isinstance(x, np.ndarray):
            return self.slot(x)
        if isinstance(x, list):
            return [self.part(item) for item in x]
        if isinstance(x, tuple):
            items = [self.part(item) for item in x]
            return x._make(items) if hasattr(x, "_make") else tuple(items)
        if cls is dict:
            return {key: self.part(item) for key, item in x.items()}
        if cls is slice:
            return slice(*[self.part(item) for item in (x.start, x.stop, x.step)])
        return x
