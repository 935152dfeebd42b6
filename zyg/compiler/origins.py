"""Whose code it is: of the IR, of rules, of what generated code is made of, or of the program."""

from __future__ import annotations

import types
from typing import Any

from zyg.compiler.inference.stepping import PROGRAMS


def is_run_time(function: types.FunctionType) -> bool:
    """Whether a function belongs to what generated code is made of, not to the user's program."""
    return str(function.__module__).startswith(
        (
            "ir.", "zyg.compiler", "zyg.checkpointing", "zyg.cotangents.cotangent",
            "zyg.cotangents.matrix_bars", "zyg.held.dropped_memory", "zyg.held.iterators",
            "zyg.held.keeping", "zyg.held.kinds_of_items", "zyg.held.readers",
            "zyg.tangents.tangent",
        )
    )


def is_ours(function: types.FunctionType) -> bool:
    return str(function.__module__).startswith(("ir.", "zyg."))


def is_program(module_globals: dict[str, Any]) -> bool:
    """Whether code of ours is differentiated as that of the user is which calls it."""
    return module_globals.get("__name__") in PROGRAMS


def is_of_zyg(module_globals: dict[str, Any]) -> bool:
    """Whether code is a rule of ours: its globals never change."""
    name = str(module_globals.get("__name__"))
    return name.startswith(("zyg.rules.", "zyg.cotangents.cotangent"))


def works_on_values(module_globals: dict[str, Any]) -> bool:
    """Whether code is a rule of ours that calls no function of the user's."""
    name = str(module_globals.get("__name__"))
    calling = (
        "zyg.rules.composites", "zyg.rules.mutating_methods",
        "zyg.rules.scipy_optimize", "zyg.rules.vectorized", *PROGRAMS,
    )
    return is_of_zyg(module_globals) and name not in calling
