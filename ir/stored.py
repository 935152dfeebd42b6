"""The IR of helper modules, kept in a file beside their bytecode.

    __pycache__/reductions.cpython-311.pyc     what Python keeps of reductions.py
    __pycache__/reductions.cpython-311.ir      the IR of those functions in it that were used

Reading the source of the rules that a first gradient uses takes as long as compiling with them, so
it is done once for all processes. Nothing in such a file is believed without
proof: it is dropped where the modules of the front end changed, and an entry where the code of its
function isn't equal to the code that it was made from, positions included. A file that is missing,
damaged or can't be written costs time only.
"""

from __future__ import annotations

import marshal
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from functools import cache
from io import BytesIO
from types import CodeType
from typing import Any

import gast

from ir.core import Block, Call, Const, Function, If, Location, Value, Yield
from ir.link import Path, link, resolved
from ir.primitives import UNBOUND

# Of each helper module by its file: the entries that hold, by the name and line of a function.
_entries: dict[str, dict[tuple[str, int], bytes]] = {}
# What most of IR consists of. To call these with their fields takes half the time of filling in
# what an instance holds by name.
_FREQUENT = frozenset([Block, Call, Const, If, Location, Value, Yield])
# The classes of what IR is made of, by module and name.
_classes: dict[tuple[str, str], Any] = {}


def find(code: CodeType, module_globals: dict[str, Any]) -> Function | None:
    """The IR of a function, if a process before this one has written it."""
    entries = _entries_of(code.co_filename, module_globals)
    entry = entries.get(_key(code))
    if entry is None:
        return None
    try:
        known, content = marshal.loads(entry)
        if _same(known, code):
            function: Function = _Reader(code, module_globals, content).load()
            return function
    except Exception:  # damaged in a way that only the unpickler can see
        pass
    entries.pop(_key(code), None)
    return None


def is_new(code: CodeType, module_globals: dict[str, Any]) -> bool:
    """Whether the IR of a function is to be written, and isn't there yet."""
    if sys.dont_write_bytecode:
        return False
    return _key(code) not in _entries_of(code.co_filename, module_globals)


def _entries_of(file: str, module_globals: dict[str, Any]) -> dict[tuple[str, int], bytes]:
    entries = _entries.get(file)
    if entries is None:
        entries = _entries[file] = _read(file, module_globals)
    return entries


def write(functions: Iterable[Function]) -> None:
    """Links and writes the IR of functions that was just parsed, so far as that is possible."""
    new: dict[str, dict[tuple[str, int], bytes]] = {}
    modules: dict[str, dict[str, Any]] = {}
    for function in functions:
        code = function.code
        modules[code.co_filename] = function.globals
        try:
            new.setdefault(code.co_filename, {})[_key(code)] = _Writer(function).entry()
        except Exception:  # a constant that can't be pickled: it is parsed each time
            continue
    for file, entries in new.items():
        _write(file, modules[file], {**_read(file, modules[file]), **entries})


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _same(known: CodeType, code: CodeType) -> bool:
    """Whether two code objects were compiled from the same text, wherever the file stands."""
    return known == code and known.co_linetable == code.co_linetable


def _path(module_globals: dict[str, Any]) -> str | None:
    """Where the IR of a module is kept, if its bytecode is."""
    bytecode = getattr(module_globals.get("__spec__"), "cached", None)
    return bytecode and bytecode.removesuffix(".pyc") + ".ir"


def _read(file: str, module_globals: dict[str, Any]) -> dict[tuple[str, int], bytes]:
    """The entries for a source file; none unless all of the front end is as it was."""
    path = _path(module_globals)
    if path is None:
        return {}
    try:
        with open(path, "rb") as stored:
            content = stored.read()
        origin, entries = marshal.loads(content)
        return entries if origin == _origin(file) and isinstance(entries, dict) else {}
    except (OSError, ValueError, EOFError, TypeError):
        return {}


def _write(
    file: str, module_globals: dict[str, Any], entries: dict[tuple[str, int], bytes]
) -> None:
    path = _path(module_globals)
    if path is None:
        return
    # Renamed when it is complete, so that another process never reads a part of it.
    unfinished = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(unfinished, "wb") as stored:
            stored.write(marshal.dumps((_origin(file), entries)))
        os.replace(unfinished, path)
    except OSError:
        return


def _origin(file: str) -> tuple[Any, ...]:
    """What IR depends on besides the code of its function: the text, Python, gast, this package."""
    return sys.version, _front_end(), _stamp(file)


@cache
def _front_end() -> tuple[Any, ...]:
    package = os.path.dirname(__file__)
    modules = []
    for folder in (package, *_entries_in(package, os.DirEntry.is_dir)):
        modules += _entries_in(folder, lambda item: item.name.endswith(".py"))
    return tuple(map(_stamp, [gast.__file__, *modules]))


def _entries_in(folder: str, is_one: Callable[[os.DirEntry[str]], bool]) -> list[str]:
    with os.scandir(folder) as found:
        return sorted(item.path for item in found if is_one(item))


def _stamp(file: str) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_mtime_ns, status.st_size


class _Writer(pickle.Pickler):
    """Pickles a function; what belongs to the process is left to the reader to fill in."""

    def __init__(self, function: Function) -> None:
        self._content = BytesIO()
        super().__init__(self._content, pickle.HIGHEST_PROTOCOL)
        self._function = function
        self._linked = link(function)

    def entry(self) -> bytes:
        import pickletools  # what only reads has no use for it

        self.dump(self._function)
        content = pickletools.optimize(self._content.getvalue())
        return marshal.dumps((self._function.code, content))

    def reducer_override(self, item: Any) -> Any:
        cls = type(item)
        if cls not in _FREQUENT:
            return NotImplemented
        return cls, tuple(getattr(item, field) for field in cls.__match_args__)

    def persistent_id(self, item: Any) -> str | Path | None:
        if id(item) in self._linked:
            return self._linked[id(item)][0]
        if item is self._function.code:
            return "code"
        if item is self._function.globals:
            return "globals"
        return "UNBOUND" if item is UNBOUND else None


class _Reader(pickle.Unpickler):
    """Unpickles a function into the process of its code."""

    def __init__(self, code: CodeType, module_globals: dict[str, Any], content: bytes) -> None:
        super().__init__(BytesIO(content))
        self._globals = module_globals
        self._own = {
            "code": code, "globals": module_globals, "UNBOUND": UNBOUND,
        }

    def find_class(self, module: str, name: str) -> Any:
        # Each function has the same few classes, and the pickler would import each anew.
        found = _classes.get((module, name))
        if found is None:
            found = _classes[module, name] = super().find_class(module, name)
        return found

    def persistent_load(self, name: str | Path) -> Any:
        if isinstance(name, tuple):
            return resolved(name, self._globals)
        return self._own[name]
