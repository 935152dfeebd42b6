"""Views of dicts, which show what a dict holds when they are read."""

from __future__ import annotations

import gc
from typing import Any

from ir.container_facts import DICT_ITEMS, DICT_VALUES

VIEWS = (DICT_VALUES, DICT_ITEMS)  # those of an OrderedDict are of classes below these


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
