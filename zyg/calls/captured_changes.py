"""Captured memory that the functions of a call change in place, as far as their source tells.

    def recorder():
        log = []                         log is changed by `f`, which is an argument, is captured
        def f(x):                        by one, or is itself differentiated
            log.append(x)
            return x * log[-1]

Such memory is followed like any other argument where that is enough. Where it isn't, its variable
becomes an object (`ir.outer_cells`), and code is made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CellType, FunctionType
from typing import Any, TypeGuard

from ir.outer_cells import changes, content_of
from ir.parse import codes_in
from zyg.compiler.assigned import is_of_users
from zyg.compiler.overwriting.mutation import changes_parameters
from zyg.held.memory_kinds import held_by, is_memory
from zyg.held.reaching import reached

# A variable that functions have captured, and its name.
Variable = tuple[CellType, str]


def changed_variables(values: list[Any]) -> list[Variable]:
    """The variables of functions in `values` whose contents these change, and of which that wasn't
    known."""
    found = {}
    for function in _functions_in(values):
        code = function.__code__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if id(cell) not in found and not changes(cell) and is_memory(content_of(cell)) and (
                changes_parameters(code, function.__globals__, frozenset([name]))
            ):
                found[id(cell)] = cell, name
    return list(found.values())


def _functions_in(values: list[Any]) -> Iterator[FunctionType]:
    """The users' functions that values lead to, also by what their code names."""
    return filter(_is_function_of_users, reached(tuple(values), _led_to))


def _is_function_of_users(value: Any) -> TypeGuard[FunctionType]:
    return isinstance(value, FunctionType) and is_of_users(value.__globals__)


def _led_to(value: Any) -> list[Any]:
    return [*held_by(value), *(_globals_of(value) if _is_function_of_users(value) else ())]


def _globals_of(function: FunctionType) -> Iterator[Any]:
    for code in codes_in(function.__code__):
        for name in code.co_names:
            if name in function.__globals__:
                yield function.__globals__[name]
