"""What objects hold that holds memory itself: rows of a table, lists in a dict, arrays in a list.

In code that is differentiated more than once, something stands for the contents of each piece
(`ir.memory.held_tables`). These are differentiated as the user's functions are.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from typing import Any

from ir.memory.held_tables import put, whole
from ir.types import Type


def put_items(items: Any, type_: Type) -> None:
    """Notes that objects hold the items of a list or tuple, which are of a type, with what these
    hold now."""
    for item in items:
        put(item, type_)


def put_values(table: Any, type_: Type) -> None:
    """The same for the values of a dict."""
    for item in table.values():
        put(item, type_)


def whole_items(items: Any) -> Any:
    """A list of items with what they hold now."""
    return [whole(item) for item in items]


def whole_tuple(items: Any) -> Any:
    """The same for a tuple."""
    return tuple(whole_items(items))


def whole_deque(items: Any) -> Any:
    """The same for a deque."""
    return deque(whole_items(items))


def whole_values(table: Any) -> Any:
    """The same for a dict."""
    return {key: whole(item) for key, item in table.items()}


def whole_ordered(table: Any) -> Any:
    """The same for an ordered dict."""
    return OrderedDict([(key, whole(item)) for key, item in table.items()])


def whole_defaultdict(table: Any) -> Any:
    """The same for a defaultdict."""
    return defaultdict(table.default_factory, whole_values(table))
