"""What the compiler has found out and can find out again, until it forgets all of it.

    _variants: IdentityTable[Function, Function] = IdentityTable()
    known = _variants.of(function)            None: nothing yet
    _variants.note(function, made)

    _found: dict[Key, State] = forgettable_dict()

    @forgettable(maxsize=1024)                `functools.lru_cache`
    def fields_of(cls): ...

    forget()                                  as if nothing had been compiled yet

Such tables keep what they know something of alive: IR, and classes and functions of the user's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast

K = TypeVar("K")
V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., Any])

MAX_KNOWN = 4096
_clearing: list[Callable[[], None]] = []


class IdentityTable(Generic[K, V]):
    """Values by the identity of what they are known of, and by what else decides them.

    Hashing code takes long, and IR has no other name than its identity. Objects in the table are
    kept alive, so that their `id` stays their own. One that has grown large is emptied.
    """

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, object], tuple[K, V]] = {}
        _clearing.append(self._found.clear)

    def of(self, key: K, more: object = None) -> V | None:
        found = self._found.get((id(key), more))
        return None if found is None else found[1]

    def note(self, key: K, value: V, more: object = None) -> None:
        if len(self._found) >= MAX_KNOWN:
            self._found.clear()
        self._found[id(key), more] = key, value


def forgettable_dict() -> dict[Any, Any]:
    """A dict that is emptied with the tables."""
    found: dict[Any, Any] = {}
    _clearing.append(found.clear)
    return found


def forgettable(maxsize: int) -> Callable[[F], F]:
    """`functools.lru_cache`, for functions of IR, types, or the user's classes and functions."""

    def decorate(function: F) -> F:
        cached = lru_cache(maxsize)(function)
        _clearing.append(cached.cache_clear)
        return cast(F, cached)

    return decorate


def forget() -> None:
    """Empties all tables."""
    for clear in _clearing:
        clear()
