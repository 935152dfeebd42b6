"""The captured variables of a rule's back function: read, replaced, and made a function again.

    def multiply(x, y):                      back, captured_by(back)
        def back(z_bar): ...         ->      path_of(back.__code__, multiply), {"x": ..., "y": ...}
        return x * y, back           ->      nested_function(multiply, path, {"x": ..., "y": ...})
"""

from __future__ import annotations

import functools
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


def held_by(back: Any) -> dict[str, Any]:
    """What a rule's back function reads, by name: captured variables and defaults, what a `partial`
    or a method is bound to, or another callable itself."""
    match back:
        case types.FunctionType():
            keywords = (back.__kwdefaults__ or {}).items()
            return {
                **captured_by(back),
                **{f"default {i}": x for i, x in enumerate(back.__defaults__ or ())},
                **{f"keyword {name}": x for name, x in keywords},
            }
        case functools.partial():
            return {
                "function": back.func,
                **{f"argument {i}": x for i, x in enumerate(back.args)},
                **{f"keyword {name}": x for name, x in back.keywords.items()},
            }
        case types.MethodType() | types.BuiltinMethodType():
            return {"__self__": back.__self__}
        case _:
            return {"back": back}


def with_held(back: Any, held: dict[str, Any]) -> Any:
    """A twin of a back function that reads other values."""
    match back:
        case types.FunctionType():
            if not held:
                return back
            made = with_captured(back, held)
            made.__defaults__ = _numbered(held, "default", back.__defaults__)
            made.__kwdefaults__ = _named(held, back.__kwdefaults__)
            return made
        case functools.partial():
            keywords = _named(held, back.keywords) or {}
            args = _numbered(held, "argument", back.args) or ()
            return functools.partial(held["function"], *args, **keywords)
        case types.MethodType():
            return types.MethodType(back.__func__, held["__self__"])
        case types.BuiltinMethodType():
            owner = held["__self__"]
            return back if owner is back.__self__ else getattr(owner, back.__name__)
        case _:
            return held["back"]


def _numbered(
    held: dict[str, Any], kind: str, like: tuple[Any, ...] | None
) -> tuple[Any, ...] | None:
    return None if like is None else tuple([held[f"{kind} {i}"] for i in range(len(like))])


def _named(held: dict[str, Any], like: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if like is None else {name: held[f"keyword {name}"] for name in like}


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
