"""What is reached from a value through what it holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any


def reached(value: Any, parts: Callable[[Any], Any]) -> Iterator[Any]:
    """A value and all that is reached from it, each once; `parts` gives what a value holds."""
    pending, seen = [value], set()
    while pending:
        current = pending.pop()
        if id(current) not in seen:
            seen.add(id(current))
            yield current
            pending.extend(parts(current))


def items_held(value: Any) -> Any:
    """What a container of Python holds."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple | set | frozenset | deque) else ()
