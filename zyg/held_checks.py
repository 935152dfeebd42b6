"""What programs on objects check when they run: where memory that they hold isn't expected."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.held_memory import is_known, is_memory, items_of, memory_in


def unless_held(value: Any) -> None:
    """Raises for memory that is changed under a local name, and that an object holds too."""
    if is_memory(value) and is_known(value):
        raise NotDifferentiable(
            f"a {type(value).__name__} that an object holds is changed in place under another "
            "name; change it by the attribute, or change a copy"
        )


def unless_lazy(items: Any) -> None:
    """Raises for what a loop can't read by positions, nor by keys."""
    if not isinstance(items, list | tuple | dict | deque | range | str | bytes | np.ndarray):
        raise NotDifferentiable(
            f"a loop changes objects and reads a {type(items).__name__}, whose items can't be read "
            "behind these changes; make a list of them, and read that"
        )


def unless_walking_held(items: Any) -> None:
    """Raises for a list or array of numbers that an object holds: a loop that changes objects would
    read its items too early."""
    if isinstance(items, list | deque | np.ndarray) and is_known(items) and any(
        isinstance(item, float | complex | np.number | tuple) for item in items
    ):
        raise NotDifferentiable(
            f"a loop changes objects and walks over a {type(items).__name__} that one of them "
            "holds, and that zyg has come to by an unknown call; walk over the attribute, or over "
            "a list of the items"
        )


def unless_rows(items: Any) -> None:
    """Raises for arrays and containers that objects hold, in a container that is read later."""
    if any(is_memory(item) and is_known(item) for item in items_of(items)):
        raise NotDifferentiable(
            "an iterator over arrays or containers that objects hold, and may change before it has "
            "come to them; make a list of the items, and read that"
        )


def unless_holding_held(value: Any) -> None:
    """The same for a container whose elements may be changed as well."""
    for found in memory_in(value):
        unless_held(found)
