"""What shows memory when it is read itself: views of dicts, and iterators."""

from __future__ import annotations

import gc
import types
from collections import deque
from typing import Any

import numpy as np

from ir.library.container_facts import DICT_ITEMS, DICT_VALUES

VIEWS = (DICT_VALUES, DICT_ITEMS)  # those of an OrderedDict are of classes below these
_NO_ITEMS: dict[int, int] = {}
# Iterators of C, which refer to what they will read.
_ITERATORS: tuple[type, ...] = (
    zip, enumerate, map, filter, reversed, type(iter([])), type(reversed([])), type(iter(())),
    type(iter(deque())), type(iter(np.zeros(1))), types.GeneratorType,
    type(iter(_NO_ITEMS)), type(iter(_NO_ITEMS.values())), type(iter(_NO_ITEMS.items())),
    type(reversed(_NO_ITEMS)), type(reversed(_NO_ITEMS.values())),
    type(reversed(_NO_ITEMS.items())),
)


class Reader:
    """Reads its sources when it is read itself."""

    __slots__ = ("sources",)

    sources: tuple[Any, ...]


def is_read_later(value: Any) -> bool:
    """Whether a value is a view, or an iterator that isn't of a user's class."""
    return isinstance(value, (Reader, *VIEWS, *_ITERATORS)) or (
        type(value).__module__ == "itertools"
    )


def sources_of(value: Any) -> Any:
    """What a view or an iterator will read."""
    return value.sources if isinstance(value, Reader) else gc.get_referents(value)


def dict_of(view: Any) -> Any:
    """The dict that a view shows: the one object that it refers to."""
    (shown,) = gc.get_referents(view)
    return shown


def bars_by_key(bar: Any, view: Any, keys: tuple[Any, ...]) -> Any:
    """The cotangent of a dict from that of a view, which had these keys when it was read."""
    bars = bar
    if isinstance(view, DICT_ITEMS):
        bars = [None if pair is None else pair[1] for pair in bar]
    return dict(zip(keys, bars, strict=True))


def bars_of_view(bar: Any, view: Any, keys: tuple[Any, ...]) -> Any:
    """The cotangent of a view from that of the dict."""
    bars = map(bar.get, keys)
    return [(None, own) for own in bars] if isinstance(view, DICT_ITEMS) else list(bars)
