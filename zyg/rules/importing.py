"""Imports inside of functions: what a module is carries no derivative."""

from __future__ import annotations

from ir import imports
from zyg.rules.registry import constant

constant(imports.import_module, imports.import_from)
