"""What imports inside of functions do, where they run."""

from __future__ import annotations

import importlib
import sys
from typing import Any


def import_module(name: str, module_globals_name: str | None, level: int) -> Any:
    """`import a.b as c`: the module itself."""
    return importlib.import_module("." * level + name, module_globals_name)


def import_from(module: Any, name: str) -> Any:
    """`from module import name`."""
    try:
        return getattr(module, name)
    except AttributeError:
        try:
            return sys.modules[f"{module.__name__}.{name}"]
        except KeyError:
            raise ImportError(
                f"cannot import name {name!r} from {module.__name__!r}", name=name
            ) from None
