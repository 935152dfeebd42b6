"""From a traceback through generated code to one through the user's own lines.

    File "model.py", line 9, in fit               File "model.py", line 9, in fit
    File "zyg/api.py", line 41, in gradient   ->  File "model.py", line 3, in scale
    File "<zyg scale 7>", line 5, in scale_back     return x / factor
                                                           ~~^~~~~~~~

A traceback can only hold real frames. So for each place a function is compiled that fails at just
that place, with the user's file, line, columns and function name; it is called, and its frame
takes the place of the generated one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from types import CodeType, FunctionType, TracebackType
from typing import Any, TypeVar

from ir.core import Location
from ir.load import generated

AnyException = TypeVar("AnyException", bound=BaseException)


def relocate(exception: BaseException, hide: Sequence[str] = ()) -> None:
    """Rewrites the traceback of the exception and of those that it is chained to.

    Frames of generated code become frames of the user's lines; those of files whose path begins
    with one of `hide` are dropped, unless no frame would be left. To be called in the outermost
    frame of one's own, and followed by a bare `raise`, which adds no frame again:

        except BaseException as exception:
            relocate(exception, hide=[directory])
            raise
    """
    try:
        for one in _chained(exception):
            one.__traceback__ = _relocated(one.__traceback__, tuple(hide))
    except RecursionError:
        # No room left to make frames: the user's exception matters more than its looks.
        pass
    finally:
        # The frames made here know this one, which must not hold the exception in turn.
        del exception
        one = None  # type: ignore[assignment]


def relocated(exception: AnyException, hide: Sequence[str] = ()) -> AnyException:
    """The same exception, after `relocate`."""
    try:
        relocate(exception, hide)
        return exception
    finally:
        del exception


def forget_frames(exception: BaseException) -> None:
    """Frees what variables of generated code hold, in the frames that an exception has left."""
    for entry in _entries(exception.__traceback__):
        if generated(entry.tb_frame.f_code.co_filename) is not None:
            with suppress(RuntimeError):  # it runs still
                entry.tb_frame.clear()


def _chained(exception: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    pending: list[BaseException | None] = [exception]
    while pending:
        one = pending.pop()
        if one is None or any(one is other for other in found):
            continue
        found.append(one)
        pending += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            pending += one.exceptions
    return found


def _relocated(traceback: TracebackType | None, hide: tuple[str, ...]) -> TracebackType | None:
    entries: list[TracebackType] = []
    # The place and the code of the last entry, if it stands for generated code.
    last: tuple[str, int, str] | None = None
    last_code: CodeType | None = None
    for entry in _entries(traceback):
        code = entry.tb_frame.f_code
        if generated(code.co_filename) is not None:
            location = user_location(code, entry.tb_lineno)
            if location is None or location.file.startswith(hide):
                continue
            place = location.file, location.line, location.function
            # A forward helper shows the same line as its caller; a recursion is no repetition.
            if place == last and code is not last_code:
                entries.pop()
            entries.append(_stub(location, entry.tb_frame.f_globals))
            last, last_code = place, code
        elif not code.co_filename.startswith(hide):
            entries.append(entry)
            last = last_code = None
    if not entries:
        return traceback
    chain: TracebackType | None = None
    for entry in reversed(entries):
        chain = TracebackType(chain, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return chain


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def user_location(code: CodeType, line: int) -> Location | None:
    """Where a line of generated code comes from.

    A line without a place of its own belongs to the nearest one before it in its function.
    """
    found = _place(code.co_filename, line, code.co_firstlineno)
    # A function that generated code has made is compiled from the text of that code.
    while found is not None and generated(found.file) is not None:
        found = _place(found.file, found.line, 1)
    return found


def _place(file: str, line: int, first: int) -> Location | None:
    text = generated(file)
    if text is None:
        return None
    for earlier in range(line, first - 1, -1):
        if earlier in text.locations:
            return text.locations[earlier]
    return None


def _stub(location: Location, module_globals: dict[str, Any]) -> TracebackType:
    """A traceback of one frame, at the given place."""
    try:
        FunctionType(_failing(location), module_globals)()
    except TypeError as error:
        traceback = error.__traceback__
    assert traceback is not None and traceback.tb_next is not None
    return traceback.tb_next


@lru_cache(maxsize=1024)
def _failing(location: Location) -> CodeType:
    """The code of a function without variables that fails at the place: `raise None`."""
    end_line = max(location.line, location.end_line)
    end_column = location.end_column
    if end_line == location.line:
        end_column = max(location.column, end_column)
    place: dict[str, Any] = {
        "lineno": location.line,
        "end_lineno": end_line,
        "col_offset": location.column,
        "end_col_offset": end_column,
    }
    failure = ast.Raise(ast.Constant(None, **place), None, **place)
    arguments = ast.arguments([], [], None, [], [], None, [])
    scope: dict[str, Any] = {"type_params": [], **place}
    function = ast.FunctionDef("stub", arguments, [failure], [], **scope)
    module = compile(ast.Module([function], []), location.file, "exec", dont_inherit=True)
    (code,) = (const for const in module.co_consts if isinstance(const, CodeType))
    name = location.function.rpartition(".")[2]
    return code.replace(co_name=name, co_qualname=location.function)
