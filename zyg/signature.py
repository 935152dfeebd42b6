"""What generated code is made for: the abstraction of arguments.

    f(np.ones((3, 1)), 2, "fast")    ->  (float64[N1, 1], int, ="fast")

Sizes are no part of it, except that a dimension of length 1 is told from all others: it broadcasts.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from ir.derived import HEAP_TYPE, as_class, base_of, known_by_rules
from ir.forgettable import forgettable
from ir.outer_cells import captured_owners, captures_changed
from ir.types import (
    TOP,
    Around,
    Closure,
    Dict,
    Instance,
    Known,
    Mapping,
    Scalar,
    Sequence,
    Tuple,
    Type,
    join_all,
    widen,
)

# Ids of callables that are known by what they are, not by their code: those with a rule. The
# registry of rules adds to them, and keeps these callables alive.
by_identity: set[int] = set()
NOTHING = Known(None)
# Libraries whose Python code is not looked at: it ends in C or Fortran, by way of callbacks,
# caches and workspaces.
BY_RULES = ("scipy",)
known_by_rules.update((*BY_RULES, "numpy"))


# How deep functions are looked at that others capture.
MAX_NESTED = 24


def abstract(value: Any) -> Type:
    """The type of a value at hand that is no argument: its sizes get no names."""
    return _Abstraction(first_symbol=None).of(value)


def abstract_all(values: tuple[Any, ...]) -> tuple[Type, ...]:
    """The types of several arguments; each size has a symbol of its own."""
    abstraction = _Abstraction(first_symbol=1)
    return tuple(map(abstraction.of, values))


class _Abstraction:
    """Numbers the sizes of one signature, and notices functions that capture themselves."""

    def __init__(self, first_symbol: int | None) -> None:
        self._next_symbol = first_symbol
        # The functions that are looked at, with those that have captured them; None between two
        # where the inner one was come to in another way.
        self._open: list[object] = []

    def of(self, value: Any) -> Type:
        cls: type = type(value)
        if cls in (float, int, complex):
            return Scalar(cls)
        if cls in (bool, str, bytes) or value is None:
            return Known(value)
        if cls is np.ndarray:
            type_ = abstract_array(value, self._next_symbol)
            if self._next_symbol is not None:
                self._next_symbol += value.ndim
            return type_
        if cls is tuple:
            return Tuple(tuple(map(self.of, value)))
        if cls is list:
            return Sequence(list, self._item(value))
        if cls is dict:
            if all(type(key) is str for key in value):
                return Dict(tuple((key, widen(self.of(item))) for key, item in value.items()))
            return self._mapping(value, dict)
        if cls is OrderedDict or cls is Counter:
            return self._mapping(value, cls)
        if cls is defaultdict:
            return self._mapping(value, cls, self.of(value.default_factory))
        if cls is deque:
            return Sequence(deque, self._item(list(value)))
        if cls is range:
            return Sequence(range, Scalar(int))
        if isinstance(value, np.generic):
            return Scalar(cls)
        if cls is types.FunctionType and not is_known_by_identity(value):
            return self._function(value)
        if hides_methods(value):
            return TOP
        if base_of(cls) is not None and id(cls) not in by_identity:
            if isinstance(value, tuple):
                return as_class(cls, self.of(tuple(value)))
            if not isinstance(value, dict):
                return Sequence(cls, self._item(list(value)))
            factory = value.default_factory if isinstance(value, defaultdict) else None
            return self._mapping(value, cls, self.of(factory))
        if isinstance(value, BackFunction):
            return BACK
        if cls is types.MethodType and is_of_library_object(value):
            return Known(value)
        if is_bound(value) or is_callable_object(value):
            return Instance(cls)  # `o.method` is a new object each time
        if callable(value) or cls is types.ModuleType:
            return Known(value)
        return Instance(cls)

    def _mapping(self, value: Any, cls: type, factory: Type = NOTHING) -> Type:
        key = join_all(dict.fromkeys(widen(self.of(key)) for key in value))
        return Mapping(cls, key, self._item(list(value.values())), factory)

    def _item(self, items: list[Any]) -> Type:
        """The join of the items' types; sizes have no names, since items may differ in them."""
        first_symbol, self._next_symbol = self._next_symbol, None
        found = [widen(self.of(item)) for item in items]
        self._next_symbol = first_symbol
        return join_all(dict.fromkeys(found))

    def _function(self, function: types.FunctionType, is_captured: bool = False) -> Type:
        if len(self._open) >= MAX_NESTED or any(function is outer for outer in self._open):
            return TOP  # a chain of functions, each of which captures the one before
        opened = [function] if is_captured or not self._open else [None, function]
        self._open += opened
        try:
            captures = self._captures(function)
            defaults = tuple(map(self.of, function.__defaults__ or ()))
            kwdefaults = tuple(
                (name, self.of(value)) for name, value in (function.__kwdefaults__ or {}).items()
            )
        finally:
            del self._open[-len(opened) :]
        return Closure(function.__code__, function.__globals__, captures, defaults, kwdefaults)

    def _captures(self, function: types.FunctionType) -> tuple[Type, ...]:
        cells = function.__closure__
        if cells is None:
            return ()
        owners = captured_owners(function.__code__)
        if not owners:
            return tuple(map(self._cell, cells))
        return tuple([
            self._cell(cell, name in owners)
            for name, cell in zip(function.__code__.co_freevars, cells, strict=True)
        ])

    def _cell(self, cell: types.CellType, is_owner: bool = False) -> Type:
        try:
            value = cell.cell_contents
        except ValueError:
            return TOP
        if type(value) is not types.FunctionType or is_known_by_identity(value):
            return self.of(value)
        if is_owner or has_own_names(value):
            return Known(value)
        for levels, outer in enumerate(reversed(self._open)):
            if outer is value:
                return Around(levels)
            if outer is None:
                break
        return self._function(value, is_captured=True)


def abstract_captured(value: Any, is_owner: bool) -> Type:
    """The abstraction of what a captured variable holds; `is_owner`: its attributes are stored."""
    if type(value) is types.FunctionType and (is_owner or has_own_names(value)):
        return Known(value)
    return abstract(value)


def is_known_by_identity(function: types.FunctionType) -> bool:
    """Whether a function stands for itself, and not for its code and what it has captured."""
    return id(function) in by_identity or captures_changed(function)


def has_own_names(function: types.FunctionType) -> bool:
    """Whether a function was given attributes: it is one more thing than its code, then."""
    names = function.__dict__
    return bool(names) and any(not name.startswith("__") for name in names)


class BackFunction:
    """What generated code gets for calls that it finds at run time: known by its class alone."""

    __slots__ = ()


def is_callable_object(value: Any) -> bool:
    """Whether a value is an object of a user's class that can be called: a layer of a network."""
    return is_users(type(value)) and not isinstance(value, type) and id(value) not in by_identity


BACK = Instance(BackFunction)


def is_users(cls: type) -> bool:
    """Whether a class was made by a class statement, other than for constants and numbers.

    Those count that stand for SciPy's classes (`zyg.rules.scipy_objects`).
    """
    return bool(cls.__flags__ & HEAP_TYPE) and not (
        issubclass(cls, enum.Enum)
        or (
            cls.__module__.partition(".")[0] in ("fractions", "decimal", "zyg", "ir", *BY_RULES)
            and not cls.__module__.startswith("zyg.rules.scipy_")
        )
    )


def is_by_rules(function: Any) -> bool:
    """Whether a Python function is differentiated by its rule alone, as if written in C."""
    module = str(getattr(function, "__module__", None))
    return module.partition(".")[0] in BY_RULES or module.startswith("numpy.ma.")


def is_dispatching(function: Any) -> bool:
    """Whether this is what `functools.singledispatch` makes."""
    return isinstance(function, types.FunctionType) and function.__code__ is _DISPATCHING


def is_for_run_time(function: Any) -> bool:
    """Whether what a Python function does is looked into when it is called only."""
    return is_dispatching(function) or is_record(function)


def is_record(function: Any) -> bool:
    """Whether this is `dataclasses.asdict` or `astuple`."""
    return is_of_dataclasses(function, "asdict", "astuple")


def is_of_dataclasses(function: Any, *names: str) -> bool:
    """Whether this is one of some functions of `dataclasses`; the module is large."""
    return getattr(function, "__module__", None) == "dataclasses" and (
        getattr(function, "__name__", None) in names
    )


def hides_methods(value: Any) -> bool:
    """Whether an object holds something of its own under the name of a method of its class."""
    held = getattr(value, "__dict__", None)
    cls: type = type(value)
    return type(held) is dict and is_users(cls) and not methods_of(cls).isdisjoint(held)


@forgettable(maxsize=4096)
def methods_of(cls: type) -> frozenset[str]:
    """The names under which a class has methods of any kind."""
    kinds = (types.FunctionType, staticmethod, classmethod)
    return frozenset(
        name for base in cls.__mro__ for name, held in vars(base).items() if isinstance(held, kinds)
    )


_DISPATCHING = getattr(functools.singledispatch(lambda x: x), "__code__", None)
METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)

# What a built-in function has as its `__self__` that is no method of an object.
_OWNERS_OF_FUNCTIONS = (types.ModuleType, type, types.NoneType)


def is_bound(value: Any) -> bool:
    """Whether a value is a method that brings the object along that it is called on."""
    cls = type(value)
    return cls is types.MethodType or (
        cls is types.BuiltinFunctionType
        and not isinstance(value.__self__, _OWNERS_OF_FUNCTIONS)
    )


# Objects that are names of libraries, by their ids.
_library_objects: dict[int, object] = {}


def is_of_library_object(method: types.MethodType) -> bool:
    """Whether a method is bound to an object that a library has under a name, as `stats.norm.cdf`:
    there is one of these objects, which nobody changes."""
    owner = method.__self__
    if id(owner) in _library_objects:
        return True
    if not is_by_rules(type(owner)):
        return False
    module = sys.modules.get(type(owner).__module__)
    is_named = any(held is owner for held in list(vars(module).values())) if module else False
    if is_named:
        _library_objects[id(owner)] = owner
    return is_named


def abstract_array(value: np.ndarray[Any, Any], first_symbol: int | None) -> Type:
    from zyg.array_type import abstract_array as abstract_argument
    from zyg.array_type import abstract_known_array

    if first_symbol is None:
        return abstract_known_array(value)
    return abstract_argument(value, first_symbol)
