"""Globals and attributes of classes that a program assigns, and reads by the types that they had.

    best = None                          def search(x):
    def note(x):                             note(x)
        global best                          return x if best is None else best
        best = x

Code is made for what such names hold when a call begins. Where the program stores what those types
don't cover, nothing is known of the name from then on, and code that was made before is made again
(`Outdated`).
"""

from __future__ import annotations

from typing import Any

from ir.types import TOP, Type, join, widen


class Outdated(Exception):
    """A name was read by a type that a store of the program doesn't leave true."""


class Assigned:
    """The types of shared names, by the owner's `id` and the name; owners are kept alive."""

    def __init__(self) -> None:
        self._owners: dict[int, Any] = {}
        self._read: dict[tuple[int, str], Type] = {}
        self._stored: dict[tuple[int, str], Type] = {}

    def read(self, owner: Any, name: str, type_: Type) -> Type:
        """The type of a name that holds a value of this type as a call begins."""
        key = id(owner), name
        if key in self._stored:
            type_ = join(type_, self._stored[key])
        self._owners[id(owner)] = owner
        self._read[key] = type_
        return type_

    def store(self, owner: Any, name: str, type_: Type) -> None:
        """Notes a store; raises Outdated where the name was read by a type that it changes."""
        key, new = (id(owner), name), widen(type_)
        known = self._stored.get(key)
        self._owners[id(owner)] = owner
        self._stored[key] = new if known is None else join(known, new)
        read = self._read.get(key)
        if read is not None and join(read, self._stored[key]) != read:
            # It may be unlike in each round: nothing is known of it.
            self._stored[key] = TOP
            del self._read[key]
            raise Outdated(name)

    def is_stored(self, owner: Any, name: str) -> bool:
        """Whether the program assigns a name."""
        return (id(owner), name) in self._stored
