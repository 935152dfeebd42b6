"""The `__init__` that `dataclasses` generate, as a function with source.

    @dataclass                          def __init__(self, x, y=y_default):
    class Point:                            self.x = x
        x: float              ->            self.y = y
        y: float = 0.0
"""

from __future__ import annotations

import dataclasses
import linecache
from collections.abc import Callable
from itertools import count
from types import CodeType, FunctionType
from typing import Any

from ir.forgettable import forgettable

_serial = count(1)


class Missing:
    """The default of a parameter whose value a factory gives: a class, which code knows."""


def init_of_dataclass(cls: type) -> Callable[..., None]:
    """A function that does what the generated `__init__` of a dataclass does."""
    init, lines = _made(cls, vars(cls)["__init__"].__code__)
    file = init.__code__.co_filename
    # Again each time: others may have cleared linecache.
    linecache.cache[file] = sum(map(len, lines)), None, lines, file
    return init


@forgettable(maxsize=1024)
def _made(cls: type, generated: CodeType) -> tuple[FunctionType, list[str]]:
    """Of a class and the code of its `__init__`, which reloading replaces with the fields."""
    parameters: Any = cls.__dataclass_params__  # type: ignore[attr-defined]
    known: dict[str, Any] = {"_Missing": Missing}
    plain = ["self"]
    keyword_only: list[str] = []
    lines: list[str] = []
    # Pseudo-fields, which `fields` leaves out, are arguments of `__post_init__`.
    every = cls.__dataclass_fields__.values()  # type: ignore[attr-defined]
    passed = []
    for field in every:
        kind = getattr(field, "_field_type").name  # noqa: B009 - not a public name
        if kind == "_FIELD_CLASSVAR":
            continue
        name, value = field.name, field.name
        given = name
        if field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            given = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"] = field.default_factory
            given = f"{name}=_Missing"
            value = f"_make_{name}() if {name} is _Missing else {name}"
        if field.init:
            (keyword_only if field.kw_only else plain).append(given)
        elif field.default_factory is not dataclasses.MISSING:
            value = f"_make_{name}()"
        else:
            continue  # its default stands in the class
        if kind == "_FIELD_INITVAR":
            passed.append(name)
        elif parameters.frozen:
            lines.append(f"object.__setattr__(self, {name!r}, {value})")
        else:
            lines.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append(f"self.__post_init__({', '.join(passed)})")
    given = ", ".join([*plain, *(["*", *keyword_only] if keyword_only else [])])
    body = "\n    ".join(lines or ["pass"])
    text = f"def __init__({given}):\n    {body}\n"
    file = f"<init of dataclass {cls.__qualname__} {next(_serial)}>"
    module_globals = {"__name__": cls.__module__, "__builtins__": __builtins__, **known}
    exec(compile(text, file, "exec"), module_globals)
    init: FunctionType = module_globals["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init, text.splitlines(keepends=True)
