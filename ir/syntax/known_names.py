"""What names mean in a function, as far as its module tells."""

from __future__ import annotations

import builtins
import types
from collections.abc import Container
from typing import Any

import gast

UNKNOWN = object()


def known_value(node: Any, module_globals: dict[str, Any], hidden: Container[str]) -> Any:
    """What a global name, or an attribute of a module, is where the function is made; `UNKNOWN`
    for other expressions. `hidden`: the names of variables."""
    match node:
        case gast.Name(id=name) if name not in hidden:
            return module_globals.get(name, getattr(builtins, name, UNKNOWN))
        case gast.Attribute(value=owner, attr=name):
            found = known_value(owner, module_globals, hidden)
            is_module = isinstance(found, types.ModuleType)
            return getattr(found, name, UNKNOWN) if is_module else UNKNOWN
        case _:
            return UNKNOWN


def new_name(wanted: str, names: set[str]) -> str:
    """A name that stands for nothing else, which `names` learns."""
    while wanted in names:
        wanted += "_"
    names.add(wanted)
    return wanted


def names_in(function: Any) -> set[str]:
    """All names of variables and functions in a function."""
    return {getattr(node, kind, "") for node in gast.walk(function) for kind in ("id", "name")}
