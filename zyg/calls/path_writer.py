"""From an entry to straight code for its calls: checks, unpacking, generated code, results.

    def path(f, args, kwargs):
        try:
            if not (len(args) == 2 and not kwargs and f.__globals__ is v0 and ...):
                return None
            x0, x1 = args
        except KeyError:
            return None
        if not (type(x0) is ndarray and x0.dtype is float64 and
                x0.ndim == 1 and len(x0) != 1 and type(x1) is float):
            return None
        ... run(x0, x1) ...

Paths are found by the code object of a function. A path serves the calls whose key is that of the
call it was made from, or fewer: what it tests is what `zyg.calls.keys` puts into keys, and that
guards hold. A call that it doesn't serve gets None, and goes the general way.
"""

from __future__ import annotations

import abc
import ast
import types
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy import ndarray

from ir.types import Known
from zyg.calls import guards, keys
from zyg.calls.binding import Source
from zyg.calls.templates import Objects, all_of, defined, filled, name, statements, tuple_of
from zyg.rules import registry
from zyg.signature import by_identity

if TYPE_CHECKING:
    from zyg.calls.entry_cache import Entry, Path

Items: TypeAlias = Iterable[tuple[Any, Any]]

MAX_UNROLLED = 32  # items of a tuple or dict


class PathWriter(abc.ABC):
    """Writes the path of one entry.

    A value at hand stands for all those of its key. In the path, the argument `i` is `x{i}`, item
    `j` of it `x{i}_{j}`, its shape `x{i}_shape`.
    """

    _rest = "kwargs"  # what a path is given behind the function and its arguments

    def __init__(self, entry: Entry, function: types.FunctionType) -> None:
        self._entry = entry
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
        body += self._results(inputs, args)
        path = defined("path", ["f", "args", self._rest], body)
        made: Any = self._objects.function("path", [*self._definitions, path])
        made.alive = self._entry.alive  # what the keys in its tests refer to by `id`
        return cast("Path", made)

    @abc.abstractmethod
    def _results(self, inputs: list[ast.expr], args: tuple[Any, ...]) -> list[ast.stmt]:
        """Runs the code, and returns what the API does."""

    def _run(self, inputs: list[ast.expr]) -> ast.expr:
        run = self._objects.name_of(self._entry.run)
        if not self._entry.has_heap:
            return ast.Call(run, inputs, [])
        from zyg.calls.running import joint_leaving_arrays, joint_without_objects  # few need them

        call = joint_leaving_arrays if self._entry.leaves_arrays else joint_without_objects
        return ast.Call(self._objects.name_of(call), [run, *inputs], [])

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
        tests = [
            self._filled("len(args) == VALUE", ast.Constant(len(args))),
            self._rest_test(args, kwargs),
            self._filled("id(VALUE) not in IDS", f, IDS=by_identity),
        ]
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
        writer = guards.GuardWriter(self._objects)
        return [*tests, *(test for guard in entry.guards for test in writer.tests(guard))]

    def _rest_test(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ast.expr:
        if not kwargs:
            return filled("not kwargs")
        if any(source.kind == "dict" for source in self._entry.plan.inputs):
            return self._filled("tuple(kwargs) == NAMES", name("kwargs"), NAMES=tuple(kwargs))
        # Each is looked up by its name, whatever their order.
        return self._filled("len(kwargs) == VALUE", ast.Constant(len(kwargs)))

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
        if is_unrolled(value):
            items = keys.KEYS if key_of is keys.tuple_key else keys.ITEM_KEYS
            return [of_class, *self._alike_items(value, local, items)]
        if key_of is keys.list_key and has_one_kind(value):
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
        for i, (key, value) in enumerate(items_of(container)):
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
        """`zyg.calls.binding.value_of` as an expression."""
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
                names: list[ast.expr | None] = [ast.Constant(part) for part in key]
                parts = [self._input(part, positional, keyword) for part in key.values()]
                return ast.Dict(names, parts)
        raise AssertionError(f"plain functions have no inputs from {source.kind}")


def _unless_missing(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that give up where a name is missing."""
    (attempt,) = statements("try: pass\nexcept KeyError: return None")
    assert isinstance(attempt, ast.Try)
    attempt.body = body
    return [attempt]


def is_unrolled(value: Any) -> bool:
    """Whether each item gets tests of its own: those of short tuples, and of dicts by name."""
    if type(value) not in (tuple, dict) or len(value) > MAX_UNROLLED:
        return False
    return type(value) is tuple or all(type(key) is str for key in value)


def items_of(value: Any) -> Items:
    items: Items = enumerate(value) if type(value) is tuple else value.items()
    return items


def has_one_kind(items: list[Any]) -> bool:
    """Whether there are items, and all have one key."""
    return len({keys.ITEM_KEYS.get(type(x), keys.other_key)(x) for x in items}) == 1
