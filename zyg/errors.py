"""The errors of zyg. Each says what could not be done, where, why, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from ir import facts
from ir.core import Location
from ir.errors import NamesUnknown, SourceNotFound, Unsupported


class ZygError(Exception):
    """The base of all errors that zyg itself raises; errors of the user's code pass unchanged."""


class NotDifferentiable(ZygError, TypeError):
    """A value or a callable has no derivative that zyg knows: no rule, or a kind of array that
    gradients are not defined for."""

    is_located = False  # whether the message says already where in the user's program
    places: Sequence[Location] = ()  # where what is refused was computed, the innermost first


class SparsityMismatch(ZygError):
    """A derivative has entries where the pattern that was given has none."""


class GradientMismatch(ZygError, AssertionError):
    """A gradient that differs from what differences of the function say."""


class UnsupportedSyntax(ZygError, Unsupported):
    """A construct of the language that zyg does not differentiate; carries the location."""


class SharedMemory(UnsupportedSyntax, NamesUnknown):
    """Memory is changed in place that may have other names, or has, as is found when it runs.

    `form`: that of the code whose run has left no trace, and may begin again; else empty.
    """

    form = ""


# A handler of the user's that catches one of these would take another way than the plain program.
facts.uncaught(ZygError, SourceNotFound)
