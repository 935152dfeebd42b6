"""Keys by which generated code is looked up: as much as signatures say, but cheap to make.

    scale, (np.ones((3, 1)), 2.0, "fast")
    ->  (code of scale, its globals), ((float64, (False, True)), float, (str, "fast"))

Two values share a key exactly if they have one abstraction (`zyg.signature.abstract`). Code and
globals stand in a key as their `id`: code objects of different files can compare equal, and equal
functions that read other globals do other things. So whatever is kept under a key has to keep
alive what `identified` gives.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy import ndarray

from ir.derived import base_of
from ir.outer_cells import captured_owners
from ir.types import Known
from zyg.signature import (
    BackFunction,
    abstract,
    by_identity,
    has_own_names,
    hides_methods,
    is_bound,
    is_callable_object,
    is_known_by_identity,
    is_of_library_object,
)

Key = Any  # hashable
Table: TypeAlias = Mapping[type, Callable[[Any], Key]]


def key_of(value: Any) -> Key:
    """A hashable that two values share exactly if they have the same abstraction."""
    return KEYS.get(type(value), other_key)(value)


def array_key(x: ndarray[Any, Any]) -> Key:
    return ndarray, x.dtype, _dims_key(x.shape)


def _dims_key(shape: tuple[int, ...]) -> Key:
    return tuple([size == 1 for size in shape]) if 1 in shape else len(shape)


def function_key(f: types.FunctionType) -> Key:
    """`key_of` a function."""
    if is_known_by_identity(f):
        return Known(f)
    closure, defaults = f.__closure__, f.__defaults__
    if f.__kwdefaults__ is not None:
        return abstract(f)
    if closure is None and defaults is None:
        return id(f.__code__), id(f.__globals__)
    key: list[Key] = [id(f.__code__), id(f.__globals__)]
    for value in defaults or ():
        find = _SIMPLE_KEYS.get(type(value))
        if find is None:
            return abstract(f)
        key.append(find(value))
    for cell in closure or ():
        try:
            value = cell.cell_contents
        except ValueError:
            return abstract(f)
        find = _SIMPLE_KEYS.get(type(value))
        if find is None or (find is _captured_function_key and captured_owners(f.__code__)):
            return abstract(f)
        key.append(find(value))
    return tuple(key)


def _captured_function_key(f: types.FunctionType) -> Key:
    """The key of a captured function; one that captures something may capture itself."""
    if has_own_names(f):
        return Known(f)
    return function_key(f) if f.__closure__ is None else abstract(f)


def _builtin_key(value: Any) -> Key:
    return type(value) if is_bound(value) else Known(value)


def method_key(method: types.MethodType) -> Key:
    return Known(method) if is_of_library_object(method) else types.MethodType


def list_key(items: list[Any]) -> Key:
    # There are few kinds among many items.
    kinds = set(map(type, items))
    if kinds <= _NUMBERS:
        return list, frozenset(kinds)
    return list, frozenset([ITEM_KEYS.get(type(x), other_key)(x) for x in items])


def tuple_key(items: tuple[Any, ...]) -> Key:
    """`key_of` a tuple."""
    key: list[Key] = []
    for x in items:
        cls = type(x)
        if cls is ndarray:
            # Arrays are most frequent: two entries without a tuple around them. Nothing else puts
            # a dtype into a key.
            shape = x.shape
            key.append(x.dtype)
            key.append(len(shape) if 1 not in shape else _dims_key(shape))
        else:
            key.append(KEYS.get(cls, other_key)(x))
    return tuple(key)


def tuple_item_key(items: tuple[Any, ...]) -> Key:
    key: list[Key] = []
    for x in items:
        cls = type(x)
        if cls is ndarray:
            shape = x.shape
            key.append(x.dtype)
            key.append(len(shape) if 1 not in shape else _dims_key(shape))
        else:
            key.append(ITEM_KEYS.get(cls, other_key)(x))
    return tuple(key)


def dict_key(items: dict[Any, Any]) -> Key:
    key = []
    for name, x in items.items():
        if type(name) is not str:
            return mapping_key(items)
        key.append((name, ITEM_KEYS.get(type(x), other_key)(x)))
    return dict, tuple(key)


def mapping_key(items: Mapping[Any, Any]) -> Key:
    """The key of a mapping of any keys: which kinds of keys and items it has."""
    kinds = [frozenset([ITEM_KEYS.get(type(x), other_key)(x) for x in part])
             for part in (items, items.values())]
    return type(items), *kinds


def defaultdict_key(items: defaultdict[Any, Any]) -> Key:
    return *mapping_key(items), key_of(items.default_factory)


def deque_key(items: deque[Any]) -> Key:
    return deque, list_key(list(items))


def derived_key(items: Any) -> Key:
    """The key of an instance of a class that derives from a container (`ir.derived`)."""
    if isinstance(items, tuple):
        return type(items), tuple_key(tuple(items))
    if not isinstance(items, dict):
        return type(items), list_key(list(items))
    return defaultdict_key(items) if isinstance(items, defaultdict) else mapping_key(items)


def literal_key(value: Any) -> Key:
    return type(value), value


def flag_key(value: bool) -> Key:
    # True == 1 with the same hash: the name of a flag is like nothing else.
    return bool, "True" if value else "False"


def other_key(value: Any) -> Key:
    if hides_methods(value):
        return None
    cls: type = type(value)
    if base_of(cls) is not None and id(cls) not in by_identity:
        return derived_key(value)
    if isinstance(value, np.generic) or is_callable_object(value):
        return type(value)
    if isinstance(value, BackFunction):
        return BackFunction
    if callable(value) or isinstance(value, types.ModuleType):
        return Known(value)
    return type(value)


_CLASSES = (
    float, int, complex, type(None), range, np.float64, np.float32,
)
_NUMBERS = frozenset([float, int, complex, np.float64])
_OBJECTS = (types.ModuleType, np.ufunc, type)
_LITERALS: dict[type, Callable[[Any], Key]] = {
    bool: flag_key, str: literal_key, bytes: literal_key
}
_SIMPLE_KEYS: dict[type, Callable[[Any], Key]] = {
    **dict.fromkeys(_CLASSES, type),
    **dict.fromkeys(_OBJECTS, Known),
    types.BuiltinFunctionType: _builtin_key,
    types.MethodType: method_key,
    **_LITERALS,
    ndarray: array_key,
    types.FunctionType: _captured_function_key,
}
KEYS: Table = {
    **_SIMPLE_KEYS,
    list: list_key,
    tuple: tuple_key,
    dict: dict_key,
    OrderedDict: mapping_key,
    Counter: mapping_key,
    defaultdict: defaultdict_key,
    deque: deque_key,
    types.FunctionType: function_key,
}
# Abstract lists and dicts know no values: two strings in them are alike.
ITEM_KEYS: Table = {
    **KEYS, **dict.fromkeys(_LITERALS, type), tuple: tuple_item_key
}


def identified(value: Any) -> list[object]:
    """The code objects and globals whose `id` stands in the key of a value."""
    return list(_identified(value, set()))


def _identified(value: Any, seen: set[int]) -> Iterator[object]:
    parts: list[Any] = []
    match value:
        case list() | tuple() | deque():
            parts = list(value)
        case dict():
            factory = value.default_factory if isinstance(value, defaultdict) else None
            parts = [*value.values(), factory]
        case types.MethodType():
            parts = [value.__func__, value.__self__]
        case types.FunctionType() if id(value) not in seen:
            seen.add(id(value))
            yield value.__code__
            yield value.__globals__
            parts = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            parts += [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
    for part in parts:
        yield from _identified(part, seen)


def _is_filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
