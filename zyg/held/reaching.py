"""What is reached from a value through what it holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from ir.forgettable import forgettable


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


def attributes_of(obj: Any) -> dict[str, Any]:
    """What an object stores itself, in its dict or in slots."""
    found = dict(getattr(obj, "__dict__", None) or {})
    for name in slots_of(type(obj)):
        with suppress(AttributeError, NameError):  # a cell says that its variable isn't bound
            found[name] = getattr(obj, name)
    return found


@forgettable(maxsize=4096)
def slots_of(cls: type) -> tuple[str, ...]:
    """The names of the slots of a class, as its instances have them."""
    found: dict[str, None] = {}
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{base.__name__.lstrip('_')}{name}"
            if name not in ("__dict__", "__weakref__"):
                found[name] = None
    return tuple(found)
