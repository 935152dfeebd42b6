"""The `__init__` of a `SimpleNamespace`, as a function with source for given keyword arguments.

    SimpleNamespace(x=..., y=...)    ->    def __init__(self, /, *, x, y):
                                               self.x = x
                                               self.y = y
"""

from __future__ import annotations

import keyword
import linecache
from collections.abc import Callable
from itertools import count
from types import FunctionType, SimpleNamespace
from typing import Any

from ir.forgettable import forgettable
from zyg.rules.attribute_dicts import init_by_computed_names

_serial = count(1)


def init_of_namespace(names: tuple[str, ...]) -> Callable[..., None]:
    """A function that does what `SimpleNamespace.__init__` does with arguments of these names."""
    if not all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
        return init_by_computed_names
    init, lines = _made(names)
    file = init.__code__.co_filename
    # Again each time: others may have cleared linecache.
    linecache.cache[file] = sum(map(len, lines)), None, lines, file
    return init


@forgettable(maxsize=1024)
def _made(names: tuple[str, ...]) -> tuple[FunctionType, list[str]]:
    owner = "self"
    while owner in names:
        owner += "_"
    given = ", ".join([owner, "/", *(["*", *names] if names else [])])
    body = "\n    ".join([f"{owner}.{name} = {name}" for name in names] or ["pass"])
    text = f"def __init__({given}):\n    {body}\n"
    file = f"<init of SimpleNamespace {next(_serial)}>"
    module_globals: dict[str, Any] = {
        "__name__": SimpleNamespace.__module__, "__builtins__": __builtins__,
    }
    exec(compile(text, file, "exec"), module_globals)
    init: FunctionType = module_globals["__init__"]
    init.__qualname__ = "SimpleNamespace.__init__"
    return init, text.splitlines(keepends=True)
