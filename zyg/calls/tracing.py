"""Errors as the user sees them: tracebacks through the user's own lines, messages that say where.

    NotDifferentiable: np.linalg.eig has no rule; ...
    ->  NotDifferentiable: np.linalg.eig has no rule; ...
          model.py:41, in spectrum
            values = np.linalg.eig(a)
"""

from __future__ import annotations

import linecache
import os
from types import TracebackType

from ir import core
from ir.core import Location
from ir.tracebacks import relocate, user_location
from zyg import errors
from zyg.errors import NotDifferentiable, UnsupportedSyntax

# The folders of both packages: their frames are of no interest to the user.
HIDDEN = tuple(os.path.dirname(str(module.__file__)) + os.sep for module in (core, errors))


def shown(error: BaseException) -> None:
    """Prepares an error for the user; to be followed by a bare `raise` in the frame that called.

    An exception of the user's own code gets another traceback, and nothing else.
    """
    try:
        if isinstance(error, NotDifferentiable | UnsupportedSyntax):
            place = _told(error) or _innermost(error.__traceback__)
            if place is not None:
                _locate(error, place)
        relocate(error, HIDDEN)
    finally:
        del error


def _told(error: BaseException) -> Location | None:
    """The place in the user's program that an error was made with."""
    places = error.places if isinstance(error, NotDifferentiable) else ()
    return next((place for place in places if not place.file.startswith(HIDDEN)), None)


def _innermost(traceback: TracebackType | None) -> Location | None:
    """The place of the innermost frame of generated code that was made from the user's."""
    found: Location | None = None
    while traceback is not None:
        place = user_location(traceback.tb_frame.f_code, traceback.tb_lineno)
        # Code of rules and substitutes is generated as well.
        if place is not None and not place.file.startswith(HIDDEN):
            found = place
        traceback = traceback.tb_next
    return found


def _locate(error: NotDifferentiable | UnsupportedSyntax, place: Location) -> None:
    """Adds the place to an error of zyg that was raised while the program ran."""
    if isinstance(error, UnsupportedSyntax):
        if error.location is None or error.location.file.startswith(HIDDEN):
            UnsupportedSyntax.__init__(error, error.what, place, error.why, error.advice)
    elif not error.is_located:
        error.is_located = True
        line = linecache.getline(place.file, place.line).strip()
        message = f"{error}\n  {place}, in {place.function}"
        error.args = (f"{message}\n    {line}" if line else message,)
