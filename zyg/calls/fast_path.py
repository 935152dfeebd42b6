"""Paths of `gradient`: generated code runs, and its cotangents become gradients.

    gradient(scale, x, 2.0)     with x of float64[N1]; when this was called a few times  ->

    def path(f, args, kwargs):
        ... (`zyg.calls.path_writer`)
        x0_bar, x1_bar = run(x0, x1)
        if not (type(x0_bar) is ndarray and getrefcount(x0_bar) <= 2 and ...):
            x0_bar = gradient_of(x0_bar, x0)
        if not type(x1_bar) is float:
            x1_bar = gradient_of(x1_bar, x1)
        return x0_bar, x1_bar

It tests what `zyg.calls.gradients` asks before it hands out a cotangent as a gradient.
"""

from __future__ import annotations

import ast
import types
from sys import getrefcount
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy import ndarray

from ir.record import record
from zyg.calls.gradients import gradient_of, gradients_of, is_sole_view
from zyg.calls.path_writer import Items, PathWriter, has_one_kind, is_unrolled, items_of
from zyg.calls.templates import all_of, defined, filled, name, statements, tuple_of

if TYPE_CHECKING:
    from zyg.calls.entry_cache import Entry, Path
    from zyg.compiler.generated import Joint

_Place: TypeAlias = "_Named | _Reached"

# Their zero gradients depend on nothing else.
_ZERO_BY_CLASS = (float, int, complex, bool, str, bytes, type(None))


def path_of(
    entry: Entry, function: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Path:
    """The path of an entry that serves this call."""
    return _GradientPath(entry, function).path(args, kwargs)


class _GradientPath(PathWriter):
    """The gradient of the argument `i` is `x{i}_bar` in the path."""

    def _results(self, inputs: list[ast.expr], args: tuple[Any, ...]) -> list[ast.stmt]:
        if all(type(target) is int for target in self._entry.assignment.targets):
            return self._gradients(self._run(inputs), args)
        return self._collected_gradients(self._run(inputs))

    def _collected_gradients(self, result: ast.expr) -> list[ast.stmt]:
        """The general way, for parameters that collect several arguments."""
        body: list[ast.stmt] = []
        if self._entry.mode == "withgradient":
            body = statements("value, bars = RESULT", RESULT=result)
            result = name("bars")
        gradients = self._filled(
            "GRADIENTS_OF(ASSIGNMENT, VALUE, args)", result,
            GRADIENTS_OF=gradients_of, ASSIGNMENT=self._entry.assignment,
        )
        return body + self._returned(gradients)

    def _returned(self, gradients: ast.expr) -> list[ast.stmt]:
        if self._entry.mode == "withgradient":
            gradients = tuple_of([name("value"), gradients])
        return [ast.Return(gradients)]

    def _gradients(self, result: ast.expr, args: tuple[Any, ...]) -> list[ast.stmt]:
        targets = self._entry.assignment.targets
        new = {targets[number] for number in cast("Joint", self._entry.code).new}
        bars = tuple_of([name(f"x{i}_bar") for i in targets])
        if self._entry.mode == "withgradient":
            bars = tuple_of([name("value"), bars])
        # The tuple is gone at once: a cotangent is then referred to by its name alone.
        body = statements("BARS = RESULT", BARS=bars, RESULT=result)
        gradients: list[ast.expr] = []
        for i, arg in enumerate(args):
            bar, local = name(f"x{i}_bar"), name(f"x{i}")
            if i in targets:
                place = _Named(f"x{i}")
                if i in new:
                    tests = [self._of_shape(arg, bar, place)]
                else:
                    tests = self._own(arg, bar, bar, place, _NAMED) or [ast.Constant(False)]
                parts = {
                    "BAR": bar, "ARG": local, "GRADIENT_OF": self._objects.name_of(gradient_of),
                    "NUMPY_FLOAT": self._objects.name_of(np.float64),
                }
                converted = "GRADIENT_OF(BAR, ARG)"
                if type(arg) in (float, int):
                    # Numbers that were computed from elements of arrays.
                    converted = f"float(BAR) if type(BAR) is NUMPY_FLOAT else {converted}"
                body += self._unless(tests, f"BAR = {converted}", **parts)
                gradients.append(bar)
            elif type(arg) in _ZERO_BY_CLASS:
                gradients.append(ast.Constant(gradient_of(None, arg)))
            else:
                zeros = self._filled("GRADIENT_OF(None, VALUE)", local, GRADIENT_OF=gradient_of)
                gradients.append(zeros)
        return body + self._returned(tuple_of(gradients))

    def _own(
        self, value: Any, found: ast.expr, bar: ast.Name, arg: _Place, references: int
    ) -> list[ast.expr]:
        """Tests that a cotangent can be handed out as the gradient of an argument like the value.

        `found` occurs once, first; it binds the name `bar`, or is this name. `references` are
        those to an object that nobody else knows. No tests: never.
        """
        cls = type(value)
        if cls is float or cls is int:
            return [self._filled("type(VALUE) is CLASS", found, CLASS=float)]
        if isinstance(value, np.floating):
            return [self._filled("type(VALUE) is CLASS", found, CLASS=cls)]
        if cls in (bool, str, bytes) or value is None:
            return [filled("BAR is None", BAR=found)]
        unshared = [
            self._filled("type(VALUE) is CLASS", found, CLASS=cls),
            filled("COUNT(BAR) <= N", BAR=bar, COUNT=self._objects.name_of(getrefcount),
                   N=ast.Constant(references)),
        ]
        if cls is ndarray and value.dtype.kind in "fc":
            return [
                *unshared,
                filled("(BAR.base is None or SOLE(BAR))", BAR=bar,
                       SOLE=self._objects.name_of(is_sole_view)),
                self._filled("VALUE.dtype is DTYPE", bar, DTYPE=value.dtype),
                *([filled("BAR.ndim == 1", BAR=bar)] if value.ndim == 1 else []),
                self._of_shape(value, bar, arg),
            ]
        same_length = filled("len(BAR) == len(ARG)", BAR=bar, ARG=arg.expression())
        if is_unrolled(value):
            if cls is dict:
                same = self._filled("tuple(VALUE) == NAMES", bar, NAMES=tuple(value))
            else:
                same = same_length
            return self._own_items(items_of(value), [*unshared, same], bar, arg)
        if cls is list and has_one_kind(value):
            items = self._all_own(value[0], bar, arg.expression())
            return [*unshared, same_length, items] if items is not None else []
        return []

    def _of_shape(self, array: ndarray[Any, Any], bar: ast.Name, arg: _Place) -> ast.expr:
        """Whether an array of as many dimensions has the shape of an argument like the array."""
        if array.ndim == 1:
            return filled("len(BAR) == len(ARG)", BAR=bar, ARG=arg.expression())
        return filled("BAR.shape == SHAPE", BAR=bar, SHAPE=arg.shape())

    def _own_items(
        self, items: Items, tests: list[ast.expr], bar: ast.Name, arg: _Place
    ) -> list[ast.expr]:
        for i, (key, value) in enumerate(items):
            part = name(f"{bar.id}_{i}")
            found = filled("(PART := BAR[KEY])", PART=part, BAR=bar, KEY=ast.Constant(key))
            of_item = self._own(value, found, part, arg.item(i, key), _HELD)
            if not of_item:
                return []
            tests += of_item
        return tests

    def _all_own(self, value: Any, bars: ast.expr, args: ast.expr) -> ast.expr | None:
        """A call that tells whether all items of a list can be handed out."""
        bar = name("bar")
        tests = self._own(value, bar, bar, _Reached(name("x")), _ITERATED)
        if not tests:
            return None
        body = statements(
            "for bar, x in zip(bars, args):\n    if not TESTS: return False\nreturn True",
            TESTS=all_of(tests),
        )
        called = f"all_own_{next(self._numbers)}"
        self._definitions.append(defined(called, ["bars", "args"], body))
        return ast.Call(name(called), [bars, args], [])


@record
class _Named:
    """An argument or a part of one whose items and shape were given names by the tests."""

    local: str

    def expression(self) -> ast.expr:
        return name(self.local)

    def shape(self) -> ast.expr:
        return name(f"{self.local}_shape")

    def item(self, i: int, key: Any) -> _Place:
        return _Named(f"{self.local}_{i}")


@record
class _Reached:
    """An item of a list or a part of one, as an expression."""

    found: ast.expr

    def expression(self) -> ast.expr:
        return self.found

    def shape(self) -> ast.expr:
        return filled("X.shape", X=self.found)

    def item(self, i: int, key: Any) -> _Place:
        return _Reached(filled("X[KEY]", X=self.found, KEY=ast.Constant(key)))


def _references_when_named() -> int:
    """What `getrefcount` says of an object that has a name and nothing else."""
    (bar,) = [np.zeros(1)]
    return getrefcount(bar)


def _references_when_held() -> int:
    """The same of an object that a container holds, too."""
    bars = [np.zeros(1)]
    bar = bars[0]
    return getrefcount(bar)


def _references_when_iterated() -> int:
    """The same of an object in a list that `zip` goes over."""
    bars, args = [np.zeros(1)], [None]
    for bar, _ in zip(bars, args):  # noqa: B905  (as in paths)
        return getrefcount(bar)
    raise AssertionError


_NAMED = _references_when_named()
_HELD = _references_when_held()
_ITERATED = _references_when_iterated()
