"""From an entry to straight code for its calls: checks, unpacking, generated code, gradients.

    gradient(scale, x, 2.0)     with x of float64[N1]; when this was called a few times  ->

    def path(f, args, kwargs):
        if not (f.__globals__ is v0 and ... and len(args) == 2 and not kwargs and holds()):
            return None
        x0, x1 = args
        if not (type(x0) is ndarray and x0.dtype is float64 and
                len(x0_shape := x0.shape) == 1 and 1 not in x0_shape and type(x1) is float):
            return None
        x0_bar, x1_bar = run(x0, x1)
        if not (type(x0_bar) is ndarray and getrefcount(x0_bar) <= 2 and ...):
            x0_bar = gradient_of(x0_bar, x0)
        if not type(x1_bar) is float:
            x1_bar = gradient_of(x1_bar, x1)
        return x0_bar, x1_bar

A path serves the calls whose key is that of the call it was made from, or fewer: what it tests is
what `zyg.keys` puts into keys, and what `zyg.gradients` asks before it hands out a cotangent as a
gradient. A call that it doesn't serve gets None, and goes the general way.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from sys import getrefcount
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy import ndarray

from ir.record import record
from ir.types import Known
from zyg import guards, keys
from zyg.binding import Source
from zyg.gradients import gradient_of, gradients_of, is_sole_view
from zyg.rules import registry
from zyg.signature import by_identity
from zyg.templates import Objects, all_of, defined, filled, name, statements, tuple_of

if TYPE_CHECKING:
    from zyg.compiler.generated import Joint
    from zyg.entry_cache import Entry, Path

_Items: TypeAlias = Iterable[tuple[Any, Any]]
_Place: TypeAlias = "_Named | _Reached"

MAX_UNROLLED = 32  # items of a tuple or dict
# Their zero gradients depend on nothing else.
_ZERO_BY_CLASS = (float, int, complex, bool, str, bytes, type(None))


def path_of(
    entry: Entry, mode: str, function: types.FunctionType, args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Path:
    """The path of an entry that serves this call."""
    return _PathWriter(entry, mode, function).path(args, kwargs)


class _PathWriter:
    """Writes the path of one entry.

    A value at hand stands for all those of its key. In the path, the argument `i` is `x{i}`, item
    `j` of it `x{i}_{j}`, its shape `x{i}_shape` and its gradient `x{i}_bar`.
    """

    def __init__(self, entry: Entry, mode: str, function: types.FunctionType) -> None:
        self._entry = entry
        self._mode = mode
        self._function = function
        self._objects = Objects()
        self._definitions: list[ast.stmt] = []
        self._numbers = count()

    def path(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Path:
        positional = [name(f"x{i}") for i in range(len(args))]
        keyword = {key: name(f"k{i}") for i, key in enumerate(kwargs)}
        body = self._unless(self._call_tests(args, kwargs), "return None")
        if args:
            body += statements("NAMES = args", NAMES=tuple_of(positional))
        for key, local in keyword.items():
            body += statements("NAME = kwargs[KEY]", NAME=local, KEY=ast.Constant(key))
        body = _unless_missing(body)
        tests: list[ast.expr] = []
        for local, value in zip(
            [*positional, *keyword.values()], [*args, *kwargs.values()], strict=True
        ):
            tests += self._alike(value, local, local, keys.KEYS)
        body += self._unless(tests, "return None")
        inputs = [self._input(source, positional, keyword) for source in self._entry.passed]
        result = ast.Call(self._objects.name_of(self._entry.run), inputs, [])
        if all(type(target) is int for target in self._entry.assignment.targets):
            body += self._gradients(result, args)
        else:
            body += self._collected_gradients(result)
        path = defined("path", ["f", "args", "kwargs"], body)
        made: Any = self._objects.function("path", [*self._definitions, path])
        made.alive = self._entry.alive  # what the keys in its tests refer to by `id`
        return cast("Path", made)

    def _unless(self, tests: list[ast.expr], otherwise: str, **parts: ast.expr) -> list[ast.stmt]:
        return statements(f"if not TESTS: {otherwise}", TESTS=all_of(tests), **parts)

    def _filled(self, text: str, value: ast.expr, **objects: Any) -> ast.expr:
        """A text about VALUE and objects."""
        parts = {part: self._objects.name_of(item) for part, item in objects.items()}
        return filled(text, VALUE=value, **parts)

    # What a key says

    def _call_tests(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[ast.expr]:
        """Tests of all but the arguments: that they are bound alike, and that the code is valid."""
        f, entry = name("f"), self._entry
        tests = [self._filled("len(args) == VALUE", ast.Constant(len(args)))]
        if not kwargs:
            tests.append(filled("not kwargs"))
        elif any(source.kind == "dict" for source in entry.plan.inputs):
            tests.append(self._filled("tuple(kwargs) == NAMES", f, NAMES=tuple(kwargs)))
        else:  # each is looked up by its name, whatever their order
            tests.append(self._filled("len(kwargs) == VALUE", ast.Constant(len(kwargs))))
        tests.append(self._filled("id(VALUE) not in IDS", f, IDS=by_identity))
        function = self._function
        if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
            key = keys.function_key(function)
            tests.append(
                self._filled("KEY_OF(VALUE) == KEY", f, KEY_OF=keys.function_key, KEY=key)
            )
        else:
            tests += [
                filled("f.__defaults__ is None"),
                filled("f.__kwdefaults__ is None"),
                self._filled("VALUE.__globals__ is GLOBALS", f, GLOBALS=function.__globals__),
            ]
        version = ast.Constant(entry.version)
        tests.append(self._filled("NAMES['_version'] == VALUE", version, NAMES=vars(registry)))
        tests += [guards.test_of(guard, self._objects.name_of) for guard in entry.guards]
        return tests

    def _alike(
        self, value: Any, found: ast.expr, local: ast.Name, table: keys.Table
    ) -> list[ast.expr]:
        """Tests that what is found has the key that the table gives for the value.

        `found` occurs once, first; it binds the name `local`, or is this name.
        """
        cls = type(value)
        of_class = self._filled("type(VALUE) is CLASS", found, CLASS=cls)
        key_of = table.get(cls, keys.other_key)
        if key_of is type or isinstance(value, np.generic):
            return [of_class]
        if key_of is Known or key_of is keys.flag_key:
            return [self._filled("VALUE is OBJECT", found, OBJECT=value)]
        if key_of is keys.literal_key:
            return [of_class, self._filled("VALUE == TEXT", local, TEXT=value)]
        if key_of is keys.array_key:
            return [of_class, *self._alike_array(value, local)]
        if _is_unrolled(value):
            items = keys.KEYS if key_of is keys.tuple_key else keys.ITEM_KEYS
            return [of_class, *self._alike_items(value, local, items)]
        if key_of is keys.list_key and _has_one_kind(value):
            return [of_class, local, self._all_alike(value[0], local)]
        key = key_of(value)
        return [of_class, self._filled("KEY_OF(VALUE) == KEY", local, KEY_OF=key_of, KEY=key)]

    def _alike_array(self, array: ndarray[Any, Any], local: ast.Name) -> list[ast.expr]:
        tests = [self._filled("VALUE.dtype is DTYPE", local, DTYPE=array.dtype)]
        if array.ndim == 1:  # without a tuple for its shape
            comparison = "VALUE.ndim == 1 and len(VALUE) " + ("==" if len(array) == 1 else "!=")
            return [*tests, filled(f"{comparison} 1", VALUE=local)]
        shape = name(f"{local.id}_shape")
        tests.append(
            filled("len(SHAPE := VALUE.shape) == N",
                   SHAPE=shape, VALUE=local, N=ast.Constant(array.ndim))
        )
        if 1 not in array.shape:
            return [*tests, filled("1 not in SHAPE", SHAPE=shape)] if array.ndim else tests
        for axis, size in enumerate(array.shape):
            comparison = "SHAPE[I] == 1" if size == 1 else "SHAPE[I] != 1"
            tests.append(filled(comparison, SHAPE=shape, I=ast.Constant(axis)))
        return tests

    def _alike_items(
        self, container: Any, local: ast.Name, table: keys.Table
    ) -> list[ast.expr]:
        if type(container) is dict:
            tests = [
                self._filled("tuple(VALUE) == NAMES", local, NAMES=tuple(container)),
                self._filled("set(map(type, VALUE)) <= KINDS", local, KINDS={str}),
            ]
        else:
            tests = [filled("len(VALUE) == N", VALUE=local, N=ast.Constant(len(container)))]
        for i, (key, value) in enumerate(_items_of(container)):
            item = name(f"{local.id}_{i}")
            found = filled("(ITEM := VALUE[KEY])", ITEM=item, VALUE=local, KEY=ast.Constant(key))
            tests += self._alike(value, found, item, table)
        return tests

    def _all_alike(self, value: Any, items: ast.expr) -> ast.expr:
        """A call that tells whether all items of a list have the key of a value."""
        item = name("x")
        body = statements(
            "for ITEM in items:\n    if not TESTS: return False\nreturn True",
            ITEM=item, TESTS=all_of(self._alike(value, item, item, keys.ITEM_KEYS)),
        )
        called = f"all_alike_{next(self._numbers)}"
        self._definitions.append(defined(called, ["items"], body))
        return ast.Call(name(called), [items], [])

    # Arguments to inputs

    def _input(
        self, source: Source, positional: Sequence[ast.expr], keyword: Mapping[str, ast.expr]
    ) -> ast.expr:
        """`zyg.binding.value_of` as an expression."""
        key = source.key
        match source.kind:
            case "arg":
                argument: ast.expr = positional[key]
                return argument
            case "keyword":
                return keyword[key]
            case "default":
                return filled("f.__defaults__[KEY]", KEY=ast.Constant(key))
            case "kwdefault":
                return filled("f.__kwdefaults__[KEY]", KEY=ast.Constant(key))
            case "cell":
                return filled("f.__closure__[KEY].cell_contents", KEY=ast.Constant(key))
            case "tuple":
                return tuple_of([self._input(part, positional, keyword) for part in key])
            case "dict":
                names = [ast.Constant(part) for part in key]
                parts = [self._input(part, positional, keyword) for part in key.values()]
                return ast.Dict(names, parts)  # type: ignore[arg-type]
        raise AssertionError(f"plain functions have no inputs from {source.kind}")

    # Cotangents to gradients

    def _collected_gradients(self, result: ast.expr) -> list[ast.stmt]:
        """The general way, for parameters that collect several arguments."""
        body: list[ast.stmt] = []
        if self._mode == "withgradient":
            body = statements("value, bars = RESULT", RESULT=result)
            result = name("bars")
        gradients = self._filled(
            "GRADIENTS_OF(ASSIGNMENT, VALUE, args)", result,
            GRADIENTS_OF=gradients_of, ASSIGNMENT=self._entry.assignment,
        )
        return body + self._returned(gradients)

    def _returned(self, gradients: ast.expr) -> list[ast.stmt]:
        if self._mode == "withgradient":
            gradients = tuple_of([name("value"), gradients])
        return [ast.Return(gradients)]

    def _gradients(self, result: ast.expr, args: tuple[Any, ...]) -> list[ast.stmt]:
        targets = self._entry.assignment.targets
        new = {targets[number] for number in cast("Joint", self._entry.code).new}
        bars = tuple_of([name(f"x{i}_bar") for i in targets])
        if self._mode == "withgradient":
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
        if _is_unrolled(value):
            if cls is dict:
                same = self._filled("tuple(VALUE) == NAMES", bar, NAMES=tuple(value))
            else:
                same = same_length
            return self._own_items(_items_of(value), [*unshared, same], bar, arg)
        if cls is list and _has_one_kind(value):
            items = self._all_own(value[0], bar, arg.expression())
            return [*unshared, same_length, items] if items is not None else []
        return []

    def _of_shape(self, array: ndarray[Any, Any], bar: ast.Name, arg: _Place) -> ast.expr:
        """Whether an array of as many dimensions has the shape of an argument like the array."""
        if array.ndim == 1:
            return filled("len(BAR) == len(ARG)", BAR=bar, ARG=arg.expression())
        return filled("BAR.shape == SHAPE", BAR=bar, SHAPE=arg.shape())

    def _own_items(
        self, items: _Items, tests: list[ast.expr], bar: ast.Name, arg: _Place
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


def _unless_missing(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that give up where a name is missing."""
    (attempt,) = statements("try: pass\nexcept KeyError: return None")
    assert isinstance(attempt, ast.Try)
    attempt.body = body
    return [attempt]


def _is_unrolled(value: Any) -> bool:
    """Whether each item gets tests of its own: those of short tuples, and of dicts by name."""
    if type(value) not in (tuple, dict) or len(value) > MAX_UNROLLED:
        return False
    return type(value) is tuple or all(type(key) is str for key in value)


def _items_of(value: Any) -> _Items:
    items: _Items = enumerate(value) if type(value) is tuple else value.items()
    return items


def _has_one_kind(items: list[Any]) -> bool:
    """Whether there are items, and all have one key."""
    return len({keys.ITEM_KEYS.get(type(x), keys.other_key)(x) for x in items}) == 1


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
