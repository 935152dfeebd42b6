"""The errors of the toolkit: each says what, where, why, and what to do.

An `Unsupported` is a `SyntaxError`, so Python itself prints the user's line and a caret:

      File "model.py", line 4
        del x[0]
        ^^^^^^^^
    ir.errors.Unsupported: `del` is not supported in `shorten`: ...

A package built on `ir` derives its own class from it: `class UnsupportedSyntax(ZygError,
Unsupported)` needs no body.
"""

from __future__ import annotations

import linecache
from typing import Any

from ir.core import Location


class IRError(Exception):
    """Base of the errors that the toolkit itself raises."""


class SourceNotFound(IRError):
    """A function has no source, or source that is not the one it was compiled from."""

    def __init__(self, function: str, why: str, advice: str) -> None:
        super().__init__(function, why, advice)
        self.function = function
        self.why = why
        self.advice = advice

    def __str__(self) -> str:
        return f"the source of `{self.function}` is needed, but {self.why}; {self.advice}"


class Unsupported(IRError, SyntaxError):
    """Valid Python that a pass can't handle, with its place in the user's file.

    `what` is a full clause (`"`del` is not supported"`); `why` and `advice` may be empty. `str`
    of the error shows the place and the line, as the printed traceback does by itself.
    """

    def __init__(
        self, what: str, location: Location | None = None, why: str = "", advice: str = ""
    ) -> None:
        message = "; ".join(part for part in (what, why, advice) if part)
        if location is None:
            super().__init__(message)
        else:
            super().__init__(message, _syntax_details(location))
        self.what = what
        self.location = location
        self.why = why
        self.advice = advice

    def __str__(self) -> str:
        if self.location is None:
            return str(self.msg)
        headline = f"{self.msg}\n  {self.location}, in {self.location.function}"
        if not self.text:
            return headline
        start, end = self.offset or 1, self.end_offset or 0
        line = self.text.rstrip()
        shown = line.lstrip()
        indent = len(line) - len(shown)
        caret = " " * (start - 1 - indent) + "^" * max(1, end - start)
        return f"{headline}\n    {shown}\n    {caret}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.location, self.why, self.advice)


class NamesUnknown(Unsupported):
    """Memory is changed in place, and it isn't known which other names it has."""


class NeedsHeap(Unsupported):
    """Code that works on objects was met in a function that doesn't take the heap (`ir.heap`)."""


class HeldByError(NeedsHeap):
    """A number that an exception holds is used by what catches it."""


def _syntax_details(location: Location) -> tuple[str, int, int, str | None, int, int]:
    """What `SyntaxError` wants: the file, and columns that count characters from 1.

    A range over several lines is cut at the end of its first: only that line is shown.
    """
    text = linecache.getline(location.file, location.line)
    encoded = text.rstrip().encode()
    end = location.end_column if location.end_line == location.line else len(encoded)
    offset = len(encoded[: location.column].decode(errors="replace")) + 1
    end_offset = len(encoded[:end].decode(errors="replace")) + 1
    return location.file, location.line, offset, text or None, location.line, end_offset


_STATEMENTS = {
    "Try": "`try`", "TryStar": "`try`", "With": "`with`", "AsyncWith": "`async with`",
    "AsyncFor": "`async for`",
    "ClassDef": "a class definition", "AsyncFunctionDef": "an async function",
    "TypeAlias": "a type alias",
}


def statement_name(node: object) -> str:
    """What messages call a statement that isn't supported."""
    kind = type(node).__name__
    return _STATEMENTS.get(kind, f"`{kind}`")
