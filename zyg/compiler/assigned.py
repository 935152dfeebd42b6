"""Globals and attributes of classes that a program assigns, and reads by the types that they had.

    best = None                          def search(x):
    def note(x):                             note(x)
        global best                          return x if best is None else best
        best = x

Code is made for what such names hold when a call begins. Where the program stores what those types
don't cover, nothing is known of the name from then on, and code that was made before is made again
(`Outdated`).

A name by which a derivative would get lost, or whose contents are changed in place, is *shared*: in
code that is made again for this program it is an attribute of an object (`ir.shared_names`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from ir import facts
from ir.outer_cells import CellNames
from ir.shared_names import is_nameable
from ir.types import TOP, Type, join, widen
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant

# The globals of a module, or a class, and a name in it.
Name: TypeAlias = tuple[Any, str]


# By the `id` of the owner, which is kept alive, and the name.
Shared: TypeAlias = dict[tuple[int, str], Name]
NONE_SHARED: Shared = {}


def is_of_users(owner: Any) -> bool:
    """Whether these are the globals of a module of the user's, or a class there: the caches of
    libraries are none of what is differentiated."""
    if isinstance(owner, CellNames):
        return True
    names = vars(owner) if isinstance(owner, type) else owner
    module = str(names.get("__module__", names.get("__name__"))).partition(".")[0]
    return module not in _LIBRARIES and module not in sys.stdlib_module_names


_LIBRARIES = ("zyg", "ir", "numpy", "scipy")


def unless_same(value: Any, expected: Any) -> None:
    """Raises where something else stands under a name than what code was made for."""
    if type(value) is not tuple or value != expected:
        raise NotDifferentiable(
            f"the names {expected} were replaced by {value} while the program ran, in a loop that "
            "reads or stores attributes by them; take them as an argument"
        )


constant(unless_same)
facts.effect(unless_same)


class Outdated(Exception):
    """A name was read by a type that a store of the program doesn't leave true."""


class Assigned:
    """The types of shared names, by the owner's `id` and the name; owners are kept alive."""

    def __init__(self) -> None:
        self._owners: dict[int, Any] = {}
        self._read: dict[tuple[int, str], Type] = {}
        self._stored: dict[tuple[int, str], Type] = {}
        # The names that are attributes in the program at hand, and those that should be.
        self.shared = NONE_SHARED
        self.changed: Shared = {}

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

    # Names that are attributes

    @contextmanager
    def sharing(self, shared: Shared) -> Iterator[None]:
        """Around all that is made for one program, which shares at least these names."""
        outer, self.shared = self.shared, shared
        try:
            yield
        finally:
            self.shared = outer

    def is_shared(self, owner: Any, name: str) -> bool:
        return (id(owner), name) in self.shared

    def change(self, owner: Any, name: str) -> None:
        """Notes that a name has to be an attribute of an object, if derivatives go through it."""
        if is_nameable(name) and is_of_users(owner):
            self.changed[id(owner), name] = owner, name

    def share_changed(self) -> bool:
        """Lets what was noted be so in code that is made from now on; whether that is new."""
        new = {key: name for key, name in self.changed.items() if key not in self.shared}
        self.shared = {**self.shared, **new}
        self.changed = {}
        return bool(new)
