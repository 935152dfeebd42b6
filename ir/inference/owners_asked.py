"""What inference asks of those who use it about objects of which nothing is known."""

from __future__ import annotations

from typing import Any, Protocol


class OwnersAsked(Protocol):
    """Questions about attributes that a program reads, or stores into, of any object."""

    def classes_with(self, name: str) -> tuple[type, ...]:
        """The classes of objects into which the program stores an attribute of this name, or which
        are given to it with one."""

    def unless_known_owner(self, obj: Any, name: str, classes: tuple[type, ...]) -> None:
        """Raises, when the program runs, for a store into an object of another class."""

    def is_error(self, cls: type) -> bool:
        """Whether the objects of a class are exceptions, which others than the program make."""
