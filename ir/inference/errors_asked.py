"""What inference asks of those who use it about exceptions that hold what is differentiated."""

from __future__ import annotations

from typing import Any, Protocol

from ir.core import Location


class ErrorsAsked(Protocol):
    """Questions about what caught exceptions hold."""

    def follow_errors(self, loc: Location | None) -> None:
        """Asks for the heap, where what an exception holds is used by what catches it."""

    def errors_made(self, caught: tuple[Any, ...]) -> tuple[type, ...]:
        """The classes of exceptions that the program makes, of those that a handler catches."""

    def unless_made(self, error: Any, classes: tuple[type, ...]) -> None:
        """Raises, when the program runs, for an exception that is none of those."""
