"""Writes what is kept on disk of zyg, for processes that can't: `python -m zyg.precompile`.

Python keeps the bytecode of a module, and zyg the IR of a rule, when a process first makes it.
Where a process may not write them (a read-only image, `PYTHONDONTWRITEBYTECODE`), each one makes
them again, which takes most of the time of `import zyg` and half of that of a first gradient.
"""

from __future__ import annotations

import compileall
import importlib
import pkgutil
import sys
from contextlib import suppress
from pathlib import Path
from types import FunctionType

import ir
import zyg.rules
from ir import facts
from ir.parse import keep

PACKAGES = [str(Path(package.__path__[0])) for package in (ir, zyg)]


def write_bytecode() -> bool:
    """Compiles all modules whose bytecode is missing or old; whether it could be written."""
    written = [compileall.compile_dir(package, quiet=1) for package in PACKAGES]
    return all(written)


def write_helpers() -> None:
    """Keeps the IR of all functions that differentiated code may call."""
    for module in pkgutil.iter_modules(zyg.rules.__path__):
        with suppress(ImportError):  # of packages that aren't installed
            importlib.import_module(f"zyg.rules.{module.name}")
    keep(
        (item.__code__, item.__globals__)
        for name, module in list(sys.modules.items())
        if facts.is_helper_module(name)
        for item in list(vars(module).values())
        if isinstance(item, FunctionType) and item.__module__ == name
    )


if __name__ == "__main__":
    sys.dont_write_bytecode = False
    written = write_bytecode()
    write_helpers()
    sys.exit(not written)
