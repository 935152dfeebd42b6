"""The captured variables of a rule's back function: read, replaced, and made a function again.

    def multiply(x, y):                      back, captured_by(back)
        def back(z_bar): ...         ->      path_of(back.__code__, multiply), {"x": ..., "y": ...}
        return x * y, back           ->      nested_function(multiply, path, {"x": ..., "y": ...})
"""

from __future__ import annotations

import types
from typing import Any


def captured_by(function: Any) -> dict[str, Any]:
    """The values of a nested function's captured variables by name."""
    cells = getattr(function, "__closure__", None) or ()
    names = function.__code__.co_freevars if cells else ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def with_captured(function: Any, captured: dict[str, Any]) -> Any:
    """A twin of a nested function that reads other values."""
    cells = tuple(types.CellType(captured[name]) for name in function.__code__.co_freevars)
    return types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )


def path_of(code: Any, outer: Any) -> tuple[int, ...] | None:
    """Where a code object stands in the constants of a function's code, and in theirs."""
    pending: list[tuple[Any, tuple[int, ...]]] = [(getattr(outer, "__code__", None), ())]
    while pending:
        current, path = pending.pop()
        if current is code:
            return path
        for i, const in enumerate(getattr(current, "co_consts", ())):
            if isinstance(const, types.CodeType):
                pending.append((const, (*path, i)))
    return None


def nested_function(outer: Any, path: tuple[int, ...], captured: dict[str, Any]) -> Any:
    """The function nested in another one at a path, reading the given values."""
    code = outer.__code__
    for i in path:
        code = code.co_consts[i]
    cells = tuple(types.CellType(captured[name]) for name in code.co_freevars)
    return types.FunctionType(code, outer.__globals__, code.co_name, None, cells)
