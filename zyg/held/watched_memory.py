"""Calls that change memory which objects hold in a way of their own: what it was and became."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from zyg.held.held_memory import (
    Parts,
    Seen,
    any_memory,
    as_before,
    held_memory,
    is_container,
    nothing,
)
from zyg.held.memory_kinds import memory_in
from zyg.held.shadow_calls import state
from zyg.held.shown_parts import owner_of


class Watched:
    """Memory that objects hold, and that a call changes in a way of its own.

    `before`, `behind`: what it held when the call began and when it returned; `newly`: what of that
    came to be held by the call.
    """

    __slots__ = ("before", "behind", "newly", "parts")

    def __init__(self, value: Any) -> None:
        self.before = Seen(value)
        self.behind = self.before
        self.newly: Parts = {}
        # All that is reached behind the call.
        self.parts: Parts = {}


@contextmanager
def watched(values: list[Any]) -> Iterator[list[Watched]]:
    """Around a call that changes these, and perhaps all memory in them."""
    held = state.held
    assert held is not None
    inside = {id(found): found for value in values for found in memory_in(value)}
    known = [(held_memory(found), found) for found in inside.values()]
    before = [memory.items() if is_container(found) else None for memory, found in known]
    made = [Watched(value) for value in values]
    yield made
    for (memory, found), items in zip(known, before, strict=True):
        was_flat = memory.changes is None
        if items is None or (was_flat and not (any_memory(items) or any_memory(found))):
            continue
        if not _are_same(items, found):
            held.changed(memory, nothing if was_flat else as_before, items)
    for watch in made:
        value = watch.before.value
        for found in memory_in(value):
            for key, part in held.enter(found).items():
                watch.newly[key] = part if part is None else part | watch.newly.get(key, False)
            watch.parts[id(owner_of(found))] = None
        watch.behind = Seen(value)


def _are_same(items: Any, container: Any) -> bool:
    """Whether a container holds the same objects as a copy of it did."""
    if len(items) != len(container):
        return False
    if isinstance(items, dict):
        return all(
            key in container and container[key] is item for key, item in items.items()
        )
    return all(a is b for a, b in zip(items, container, strict=True))
