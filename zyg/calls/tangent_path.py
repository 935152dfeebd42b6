"""Paths of `jvp`: straight code for its repeated calls.

    jvp(scale, (x, 2.0), (x_dot, None))     with x of float64[N1]  ->

    def path(f, args, dots):
        ... (`zyg.calls.path_writer`)
        x0_dot, x1_dot = dots
        if not (type(x0_dot) is ndarray and x0_dot.dtype is float64 and
                x0_dot.shape == x0.shape and x1_dot is None):
            return None
        return value_and_tangent(run(x0, x1, x0_dot))

There is one where all tangents belong to numbers and arrays of double precision, and it serves
those that are of the class and shape of these: they need no conversion.
"""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy import ndarray

from zyg.calls.gradients import value_and_tangent
from zyg.calls.path_writer import PathWriter
from zyg.calls.templates import filled, name, statements, tuple_of

if TYPE_CHECKING:
    from zyg.calls.entry_cache import Entry, Path
    from zyg.compiler.forward_mode.tangent_code import TangentCode

_DOUBLE = np.dtype(float)


def path_of(
    entry: Entry, function: types.FunctionType, args: tuple[Any, ...]
) -> Path | None:
    """The path of an entry that serves calls with these arguments, if there can be one."""
    sources = [entry.plan.inputs[i] for i in cast("TangentCode", entry.code).active]
    if any(source.kind != "arg" or not _is_plain(args[source.key]) for source in sources):
        return None
    moved = [source.key for source in sources]
    return _TangentPath(entry, function, moved).path(args, {})


def _is_plain(arg: Any) -> bool:
    return type(arg) is float or (type(arg) is ndarray and arg.dtype is _DOUBLE)


class _TangentPath(PathWriter):
    """The tangent of the argument `i` is `x{i}_dot` in the path."""

    _rest = "dots"

    def __init__(self, entry: Entry, function: types.FunctionType, moved: list[int]) -> None:
        super().__init__(entry, function)
        self._moved = moved

    def _rest_test(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ast.expr:
        return filled("len(dots) == N", N=ast.Constant(len(args)))

    def _results(self, inputs: list[ast.expr], args: tuple[Any, ...]) -> list[ast.stmt]:
        dots = [name(f"x{i}_dot") for i in range(len(args))]
        body = statements("NAMES = dots", NAMES=tuple_of(dots)) if dots else []
        tests: list[ast.expr] = []
        for i, (arg, dot) in enumerate(zip(args, dots, strict=True)):
            if i not in self._moved:
                tests.append(filled("DOT is None", DOT=dot))
                continue
            tests.append(self._filled("type(VALUE) is CLASS", dot, CLASS=type(arg)))
            if type(arg) is ndarray:
                tests += [
                    self._filled("VALUE.dtype is DTYPE", dot, DTYPE=_DOUBLE),
                    self._has_shape(arg, dot, name(f"x{i}")),
                ]
        body += self._unless(tests, "return None")
        result = self._run([*inputs, *(dots[i] for i in self._moved)])
        finished = self._objects.name_of(value_and_tangent)
        return [*body, ast.Return(ast.Call(finished, [result], []))]

    def _has_shape(self, array: ndarray[Any, Any], dot: ast.Name, arg: ast.Name) -> ast.expr:
        """Whether a tangent has the shape of an argument like the array."""
        if array.ndim == 1:
            return filled("DOT.ndim == 1 and len(DOT) == len(ARG)", DOT=dot, ARG=arg)
        return filled("DOT.shape == SHAPE", DOT=dot, SHAPE=name(f"{arg.id}_shape"))
