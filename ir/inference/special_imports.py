"""Imports inside of functions: of modules that are there already, as if they were globals.

    t_1 = import_module('heapq', None, 0)      t_3 = heapq.heappush, where `sys.modules` still has
    t_2 = import_from(t_1, 'heappush')   ->    the module that code was made for
    t_3 = t_2

A module of the standard library, or of a package that is imported, is imported when code is made
for a function that does so. Other imports happen when the function runs, and tell nothing of types.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import resolve_name
from types import ModuleType
from typing import TYPE_CHECKING

from ir import imports
from ir.core import Const, Location, Operand
from ir.inference.special_calls import Folded, special
from ir.types import Known

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


@special(imports.import_module)
def _import_module(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    values = [arg.value for arg in args if isinstance(arg, Const)]
    if len(values) < len(args):
        return None
    name = _full_name(*values)
    if name is None or not _is_imported(name):
        return None
    found = self.surroundings.global_type(sys.modules, name)
    return [Const(found.value)] if isinstance(found, Known) else None


@special(imports.import_from)
def _import_from(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    module, name = args
    if not isinstance(module, Const) or not isinstance(name, Const):
        return None
    if not isinstance(module.value, ModuleType) or not hasattr(module.value, name.value):
        return None
    return self.typed_call(Const(getattr), args, {}, names, loc)


def _full_name(name: str, package: str | None, level: int) -> str | None:
    try:
        return resolve_name("." * level + name, package)
    except ImportError:
        return None


def _is_imported(name: str) -> bool:
    """Whether a module is there, once it is imported where nobody would notice."""
    if name not in sys.modules:
        root = name.partition(".")[0]
        if root not in sys.modules and root not in sys.stdlib_module_names:
            return False
        try:
            importlib.import_module(name)
        except Exception:
            return False  # it is an error where the program runs
    return isinstance(sys.modules.get(name), ModuleType)
