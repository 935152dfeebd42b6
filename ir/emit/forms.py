"""Calls that are printed as statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ir.emit.render import Environment

# Calls that are printed as a statement which changes their first argument, or not at all.
statements: dict[int, Callable[[list[ast.expr], Environment], ast.stmt | None]] = {}


def statement_form(callee: object) -> Callable[[Any], Any]:
    """Prints calls of `callee`, which consumes its first argument, as a statement."""

    def register(build: Any) -> Any:
        statements[id(callee)] = build
        return build

    return register
