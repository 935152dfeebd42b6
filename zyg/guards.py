"""What generated code rests on, as one function that says whether all of it still holds.

    Guard(globals, "np", numpy), Guard(vars(numpy), "sin", np.sin), Guard(globals, "RATE", float)
    ->  g["np"] is numpy and n["sin"] is sin and type(g["RATE"]) is float
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ir.types import Scalar
from zyg.array_type import Array, One
from zyg.compiler.guards import Absent, AnyGuard, Guard, OfClass
from zyg.templates import Objects, all_of, filled, statements

Check = Callable[[], bool]

_CHECK = """
def check():
    try:
        return TESTS
    except KeyError:
        return False
"""

# An array of this dtype, with the length 1 in the same places.
_ARRAY = """
TYPE(FOUND) is ARRAY and FOUND.dtype == DTYPE and tuple([n == 1 for n in FOUND.shape]) == ONES
"""


def compiled(guards: Sequence[AnyGuard]) -> Check:
    """Whether all guards hold, as a function that was made for just these.

    It pays from a few calls on.
    """
    objects = Objects()
    made: Check = objects.function("check", statements(_CHECK, TESTS=all_of([
        test_of(guard, objects.name_of) for guard in guards
    ])))
    return made


def test_of(guard: AnyGuard, name_of: Callable[[Any], ast.expr]) -> ast.expr:
    """Whether a guard holds, as an expression; it may raise KeyError where it doesn't."""
    match guard:
        case Guard(container, name, expected, by_type):
            found: ast.expr = ast.Subscript(name_of(container), ast.Constant(name), ast.Load())
            if not by_type:
                return ast.Compare(found, [ast.Is()], [name_of(expected)])
            if isinstance(expected, Scalar):
                kind = ast.Call(name_of(type), [found], [])
                return ast.Compare(kind, [ast.Is()], [name_of(expected.cls)])
            if isinstance(expected, Array) and expected.dims is not None:
                parts = {
                    "FOUND": found, "TYPE": name_of(type), "ARRAY": name_of(np.ndarray),
                    "DTYPE": name_of(expected.dtype),
                    "ONES": name_of(tuple([isinstance(dim, One) for dim in expected.dims])),
                }
                return filled(_ARRAY, **parts)
        case OfClass(container, name, cls):
            found = ast.Subscript(name_of(container), ast.Constant(name), ast.Load())
            kind = ast.Call(name_of(type), [found], [])
            return ast.Compare(kind, [ast.Is()], [name_of(cls)])
        case Absent(container, name):
            return ast.Compare(ast.Constant(name), [ast.NotIn()], [name_of(container)])
    return ast.Call(name_of(guard.holds), [], [])
