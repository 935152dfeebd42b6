"""Which classes of memory a value may be, or lead to, as far as its type tells.

    classes_reached(dict[str: list[float]])   -> {dict, list}

Objects whose attributes are followed lead to nothing by themselves: what they hold has types of its
own.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, ModuleType

import numpy as np

from ir import facts
from ir.contents import is_immutable_class
from ir.heap import Heap, Identity
from ir.types import (
    Around,
    Bottom,
    Closure,
    Dict,
    Known,
    Mapping,
    Method,
    Sequence,
    Tuple,
    Type,
    Union,
    class_of,
)

CONSTANTS = (
    int, float, complex, bool, str, bytes, type(None), type, BuiltinFunctionType, ModuleType,
    np.ufunc,
)


def classes_reached(type_: Type) -> frozenset[type] | None:
    """The classes, where all arrays are of one; None where it can be anything."""
    match type_:
        case Bottom():
            return frozenset()
        case Known(value):
            return frozenset() if _is_constant(value) else None
        case Closure(captures=captures, defaults=defaults, kwdefaults=keywords):
            return _united([*captures, *defaults, *(part for _, part in keywords)])
        case Union(members):
            return _united(members)
        case Tuple(items):
            return _united(items)
        case Method(self=owner):
            return classes_reached(owner)
        case Sequence(cls, item):
            return _with(cls, classes_reached(item)) if cls is not range else frozenset()
        case Dict(items):
            return _with(dict, _united(value for _, value in items))
        case Mapping(cls, key, item, factory):
            return _with(cls, _united([key, item, factory]))
        case Around():
            return None
        case _:
            return _of_instance(class_of(type_))


def _is_constant(value: object) -> bool:
    if isinstance(value, FunctionType):
        return not (value.__closure__ or value.__defaults__ or value.__kwdefaults__)
    return isinstance(value, CONSTANTS)


def _of_instance(cls: type | None) -> frozenset[type] | None:
    if cls is None:
        return None
    if cls in (Heap, Identity) or facts.is_object(cls):
        return frozenset()
    if is_immutable_class(cls) and not issubclass(cls, tuple | frozenset | FunctionType):
        return frozenset()
    return frozenset([np.ndarray]) if facts.copies_items(cls) else None


def _united(types: Iterable[Type]) -> frozenset[type] | None:
    found: frozenset[type] = frozenset()
    for type_ in types:
        classes = classes_reached(type_)
        if classes is None:
            return None
        found |= classes
    return found


def _with(cls: type, classes: frozenset[type] | None) -> frozenset[type] | None:
    if classes is None:
        return None
    return classes if cls is tuple else classes | {cls}
