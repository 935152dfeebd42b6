"""What is memory that can be changed in place, and what leads to some: tuples, views, functions."""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from functools import lru_cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from ir.derived import copied
from ir.heap import Cell
from zyg.cotangents.cotangent import is_list_of, rebuilt
from zyg.held.held_views import VIEWS, is_read_later, sources_of
from zyg.held.reaching import attributes_of
from zyg.signature import METHODS, is_users

MEMORY = (np.ndarray, list, dict, deque, set, bytearray)
CONTAINERS = (list, dict, deque)
# What may have captured memory.
CACHED = type(lru_cache(len))
FUNCTIONS = (FunctionType, partial, CACHED, *METHODS)
# Classes of which most values are: no memory is in them.
PLAIN = frozenset([float, int, np.float64, str, bool, type(None), complex])


def is_memory(value: Any) -> bool:
    """Whether a value can be changed in place, other than an object by its attributes."""
    return isinstance(value, MEMORY)


def reaches_memory(value: Any) -> bool:
    """Whether a value is memory, or a tuple that holds some."""
    if type(value) in PLAIN:
        return False
    return isinstance(value, MEMORY) or (
        isinstance(value, tuple) and any(map(reaches_memory, value))
    )


def leads_to_memory(value: Any) -> bool:
    """The same, or whether it is a view of a dict, or a function that has captured memory."""
    return reaches_memory(value) or isinstance(value, VIEWS) or captures_memory(value)


def captures_memory(value: Any) -> bool:
    """Whether a value is a function that has captured memory, or a tuple that holds one."""
    if isinstance(value, tuple):
        return any(map(captures_memory, value))
    return isinstance(value, FUNCTIONS) and any(True for _ in memory_captured(value))


def items_of(value: Any) -> Any:
    """What a container holds, as far as that may be memory."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple | deque) else ()


def memory_in(value: Any) -> Iterator[Any]:
    """The memory that is reached from a value through containers, itself included."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        current = pending.pop()
        if type(current) in PLAIN or id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current, MEMORY):
            yield current
        pending.extend(items_of(current))


def memory_behind(value: Any) -> list[Any]:
    """The memory that a view or an iterator will come to."""
    found, pending, seen = [], [value], set()
    while pending:
        current = pending.pop()
        if is_memory(current):
            found.append(current)
        elif isinstance(current, tuple):
            pending.extend(tuple.__iter__(current))  # an element may say what `+=` is
        elif is_read_later(current) and id(current) not in seen:
            seen.add(id(current))
            pending += sources_of(current)
    return found


def captured_by(function: Any) -> dict[str, Any]:
    """What a function has captured, and its defaults, by the names that cotangents have for it; the
    memory that a bound method is one of."""
    if isinstance(function, METHODS):
        return {"__self__": function.__self__} if is_memory(function.__self__) else {}
    if isinstance(function, CACHED):
        return captured_by(function.__wrapped__) if isinstance(
            function.__wrapped__, FUNCTIONS
        ) else {}
    if isinstance(function, partial):
        return {"func": function.func, "args": function.args, "keywords": function.keywords}
    code = function.__code__
    found = dict(function.__dict__.get("captured", ()))
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # a variable that isn't bound yet
            continue
    defaults = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return {**found, **dict(zip(names, defaults, strict=True)), **(function.__kwdefaults__ or {})}


def memory_captured(value: Any) -> Iterator[Any]:
    """The memory that the functions in a value have captured, at any depth."""
    seen: set[tuple[int, bool]] = set()
    pending = [(value, False)]
    while pending:
        current, is_captured = pending.pop()
        if type(current) in PLAIN or (id(current), is_captured) in seen:
            continue
        seen.add((id(current), is_captured))
        is_function = isinstance(current, FUNCTIONS)
        if is_captured and isinstance(current, MEMORY):
            yield current
        inner = captured_by(current).values() if is_function else items_of(current)
        pending += [(item, is_captured or is_function) for item in inner]


def held_by(value: Any) -> list[Any]:
    """What a value leads to: the items of a container, what a function has captured or is a method
    of, what a shared variable holds, and the attributes of objects of the user's classes."""
    if type(value) in PLAIN:
        return []
    if isinstance(value, FUNCTIONS):
        return [*captured_by(value).values(), getattr(value, "__self__", None)]
    if isinstance(value, Cell):
        with contextlib.suppress(NameError):  # it isn't set
            return [value.contents]
    attributes = attributes_of(value) if is_users(type(value)) else {}
    return [*items_of(value), *attributes.values()]


# Of other subclasses, `copy` would make a plain dict.
_DICTS = (dict, OrderedDict, defaultdict, Counter)


def kept_contents(value: Any) -> Any:
    """A copy of memory whose contents an adjoint reads, and that may be changed in place later."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        if is_list_of(PLAIN, value):
            return [*value]
        if hasattr(value, "_fields"):
            return copied(value, kept_contents)
        return rebuilt(value, [kept_contents(item) for item in value])
    if isinstance(value, deque):
        return deque(map(kept_contents, value), value.maxlen)
    if type(value) in _DICTS:
        kept = value.copy()
        for key, item in value.items():
            kept[key] = kept_contents(item)
        return kept
    if isinstance(value, set | bytearray):
        return value.copy()
    if hasattr(type(value), "with_own_memory"):
        return value.with_own_memory(kept_contents)
    return value
