"""Items that the `__missing__` of a class computes, where a dict has none under a key."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from ir.derived import replaces
from zyg.errors import NotDifferentiable

OF_COUNTER = vars(Counter)["__missing__"]  # a count of nothing


def makes_missing(items: Any, key: Any) -> bool:
    """Whether a dict calls code of its class for a key that it doesn't have."""
    cls = type(items)
    if cls is dict or not isinstance(items, dict) or not replaces(cls, "__missing__"):
        return False
    return not replaces(cls, "__getitem__") and cls.__missing__ is not OF_COUNTER and (
        key not in items
    )


def unless_made_up(bars: Any, items: Any) -> Any:
    """The cotangents of items, if none is of an item that was computed so."""
    missing = getattr(type(items), "__missing__", None)
    if missing is None or missing in (OF_COUNTER, defaultdict.__missing__):
        return bars
    for key, bar in bars.items():
        if bar is not None and key not in items:
            raise NotDifferentiable(
                f"the `__missing__` of {type(items).__name__} computed the item {key!r}, and "
                "nothing told the compiler that it could; import the class into the module of "
                "this function"
            )
    return bars
