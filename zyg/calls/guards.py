"""What generated code rests on, as one function that says whether all of it still holds.

    Guard(globals, "np", numpy), Guard(vars(numpy), "sin", np.sin), Guard(globals, "RATE", float)
    ->  g["np"] is numpy and n["sin"] is sin and type(g["RATE"]) is float

Numbers, arrays, and short dicts, lists and tuples of such are tested in place; about other types
the guard itself is asked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import numpy as np

from ir.types import Dict, Known, Scalar, Sequence, Tuple, Type
from zyg.array_type import Array, One
from zyg.calls.templates import Objects, all_of, filled, name, statements, tuple_of
from zyg.compiler.guards import Absent, AnyGuard, Guard, OfClass, SameFunction

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
_NUMBERS = (float, int, complex)


def compiled(guards: Iterable[AnyGuard]) -> Check:
    """Whether all guards hold, as a function that was made for just these.

    It pays from a few calls on.
    """
    objects = Objects()
    writer = GuardWriter(objects)
    tests = [test for guard in guards for test in writer.tests(guard)]
    made: Check = objects.function("check", statements(_CHECK, TESTS=all_of(tests)))
    return made


class GuardWriter:
    """Writes guards as expressions, which may raise KeyError where one doesn't hold."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._numbers = count()

    def tests(self, guard: AnyGuard) -> list[ast.expr]:
        """What holds where the guard does."""
        name_of = self.objects.name_of
        match guard:
            case Guard(container, key, expected, by_type):
                found: ast.expr = ast.Subscript(name_of(container), ast.Constant(key), ast.Load())
                if not by_type:
                    return [ast.Compare(found, [ast.Is()], [name_of(expected)])]
                of_type = self._of_type(found, expected)
                if of_type is not None:
                    return of_type
            case OfClass(container, key, cls):
                found = ast.Subscript(name_of(container), ast.Constant(key), ast.Load())
                return [self._filled("type(FOUND) is CLASS", found, CLASS=cls)]
            case SameFunction(function, code, defaults, ()):
                # Who has no defaults gets none that calls ask for which were made before.
                found = ast.Attribute(name_of(function), "__code__", ast.Load())
                has_code: ast.expr = ast.Compare(found, [ast.Is()], [name_of(code)])
                if defaults is None:
                    return [has_code]
                found = ast.Attribute(name_of(function), "__defaults__", ast.Load())
                return [has_code, ast.Compare(found, [ast.Is()], [name_of(defaults)])]
            case Absent(container, key):
                return [ast.Compare(ast.Constant(key), [ast.NotIn()], [name_of(container)])]
        return [ast.Call(name_of(guard.holds), [], [])]

    def _of_type(self, found: ast.expr, type_: Type) -> list[ast.expr] | None:
        """Tests that what is found has a type; None where the type itself has to be asked for."""
        match type_:
            case Known(None):
                return [ast.Compare(found, [ast.Is()], [ast.Constant(None)])]
            case Scalar(cls):
                return [self._filled("type(FOUND) is CLASS", found, CLASS=cls)]
            case Array(dtype, dims) if dims is not None:
                ones = tuple([isinstance(dim, One) for dim in dims])
                return [self._filled(
                    _ARRAY, found, TYPE=type, ARRAY=np.ndarray, DTYPE=dtype, ONES=ones
                )]
            case Sequence(cls, Scalar(of_items)) if cls is list and of_items in _NUMBERS:
                named, is_list = self._named(found, list)
                return [is_list, self._filled(
                    "set(map(type, FOUND)) == KINDS", named, KINDS={of_items}
                )]
            case Tuple(items):
                named, is_tuple = self._named(found, tuple)
                has_length = filled("len(FOUND) == N", FOUND=named, N=ast.Constant(len(items)))
                return self._of_items([is_tuple, has_length], named, enumerate(items))
            case Dict(items):
                named, is_dict = self._named(found, dict)
                keys = tuple_of([ast.Constant(key) for key, _ in items])
                has_keys = [
                    filled("tuple(FOUND) == KEYS", FOUND=named, KEYS=keys),
                    self._filled("set(map(type, FOUND)) <= KINDS", named, KINDS={str}),
                ]
                return self._of_items([is_dict, *has_keys], named, items)
        return None

    def _of_items(
        self, tests: list[ast.expr], container: ast.Name, items: Iterable[tuple[Any, Type]]
    ) -> list[ast.expr] | None:
        for key, type_ in items:
            found = ast.Subscript(container, ast.Constant(key), ast.Load())
            of_item = self._of_type(found, type_)
            if of_item is None:
                return None
            tests += of_item
        return tests

    def _named(self, found: ast.expr, cls: type) -> tuple[ast.Name, ast.expr]:
        """A name for what is found, and the test of its class, which gives it that name."""
        named = name(f"g{next(self._numbers)}")
        parts = {"NAME": named, "FOUND": found, "CLASS": self.objects.name_of(cls)}
        return named, filled("type(NAME := FOUND) is CLASS", **parts)

    def _filled(self, text: str, found: ast.expr, **objects: Any) -> ast.expr:
        """A text about FOUND and objects."""
        parts = {part: self.objects.name_of(item) for part, item in objects.items()}
        return filled(text, FOUND=found, **parts)
