"""Which classes of memory a value may be, or lead to, as far as its type tells.

    classes_reached(dict[str: list[float]])   -> {dict, list}

Objects whose attributes are followed lead to nothing by themselves: what they hold has types of its
own.
"""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, ModuleType

import numpy as np

from ir import facts
from ir.heap import Heap, Identity
from ir.memory.contents import is_composed, is_immutable_class, of_parts, united
from ir.types import Around, Bottom, Closure, Known, Mapping, Type, class_of

CONSTANTS = (
    int, float, complex, bool, str, bytes, type(None), type, BuiltinFunctionType, ModuleType,
    np.ufunc,
)


def classes_reached(type_: Type) -> set[type] | None:
    """The classes, where all arrays are of one; None where it can be anything."""
    match type_:
        case Bottom():
            return set()
        case Known(value):
            return set() if _is_constant(value) else None
        case Closure(captures=captures, defaults=defaults, kwdefaults=keywords):
            captured = [*captures, *defaults, *(part for _, part in keywords)]
            return united(classes_reached, captured)
        case Mapping(factory=factory) if classes_reached(factory) is None:
            return None
        case Around():
            return None
        case _ if is_composed(type_):
            return of_parts(classes_reached, type_)
        case _:
            return _of_instance(class_of(type_))


def _is_constant(value: object) -> bool:
    if isinstance(value, FunctionType):
        return not (value.__closure__ or value.__defaults__ or value.__kwdefaults__)
    return isinstance(value, CONSTANTS)


def _of_instance(cls: type | None) -> set[type] | None:
    if cls is None:
        return None
    if cls in (Heap, Identity) or facts.is_object(cls):
        return set()
    may_hold_more = issubclass(cls, tuple | frozenset | FunctionType | BaseException)
    if is_immutable_class(cls) and not may_hold_more:
        return set()
    return {np.ndarray} if facts.copies_items(cls) else None
