"""What types say about cotangents: which kind they are of, and whether they can be missing."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from ir.core import Const, Operand, Value
from ir.suggestions import derived
from ir.types import (
    TOP,
    Closure,
    Dict,
    Known,
    Mapping,
    Scalar,
    Sequence,
    Tuple,
    Type,
    Union,
    any_keys,
    join_all,
    widen,
)
from zyg.array_type import Array
from zyg.compiler.activity import may_vary
from zyg.held.shadow_calls import is_table

NONE = Const(None)
_FLOATS = (Scalar(float), Scalar(np.float64))


def tangent_type(type_: Type) -> Type:
    """The type of cotangents of values of a type, as zeros have it."""
    match widen(type_):
        case Tuple(items):
            return Tuple(tuple(map(tangent_type, items)))
        case Closure() | Dict():
            return TOP
        case Union(members) as union:
            if not is_numeric(union):  # of several tuples, say, in which structural zeros may be
                return TOP
            return join_all(map(tangent_type, sorted(members, key=repr)))
        case Array(dtype, dims) if dtype.kind not in "fc":
            return Array(np.dtype(float), dims)
        case Scalar() | Array() as same:
            return same
        case _:
            return TOP


def seed_type(type_: Type) -> Type:
    """The type of the cotangent that a back function is given for a value of a type.

    It is a list or dict where the value is one of floats, or a table of them: who calls it has put
    zeros in the place of structural zeros.
    """
    match widen(type_):
        case Tuple(items):
            return Tuple(tuple(map(seed_type, items)))
        case Sequence() | Mapping() as items if is_container_of_floats(items):
            return items
        case other:
            return tangent_type(other)


def is_container_of_floats(type_: Type) -> bool:
    """Whether values are lists or dicts of floats, or of such containers, at any depth."""
    if not isinstance(type_, Sequence | Mapping) or type_.cls not in (list, dict):
        return False
    return type_.item in _FLOATS or is_container_of_floats(type_.item)


def is_array(type_: Type) -> TypeGuard[Array]:
    return isinstance(type_, Array)


def is_numeric(type_: Type) -> bool:
    match type_:
        case Union(members):
            return all(map(is_numeric, members))
        case Known(value):
            return isinstance(value, int | float | complex)
        case Scalar():
            return may_vary(type_)
        case _:
            return is_array(type_)


def is_integer(type_: Type) -> bool:
    match type_:
        case Known(value):
            return isinstance(value, int)
        case Scalar(cls):
            return issubclass(cls, int)
        case Sequence(cls):
            return cls is range
        case _:
            return False


def is_number(type_: Type) -> bool:
    match type_:
        case Known(value):
            return type(value) in (int, float)
        case Scalar(cls):
            return issubclass(cls, float | int) and cls is not bool
        case _:
            return False


def is_inexact(type_: Type) -> bool:
    match type_:
        case Known(value):
            return type(value) in (float, complex)
        case Scalar(cls):
            return issubclass(cls, float | complex | np.inexact)
        case _:
            return is_array(type_) and type_.dtype.kind in "fc"


def holds_inexact(type_: Type) -> bool:
    """Whether all numbers of a cotangent are surely no integers."""
    match type_:
        case Tuple(items):
            return all(map(holds_inexact, items))
        case Sequence(_, item):
            return holds_inexact(item)
        case Union(members):
            return all(map(holds_inexact, members))
        case _:
            return is_inexact(type_) or type_ == Known(None)


def is_none(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is None


def may_be_none(type_: Type) -> bool:
    """Whether a cotangent of this type may be the structural zero at run time."""
    if isinstance(type_, Tuple | Sequence | Mapping):
        return False
    if isinstance(type_, Known):
        return type_.value is None
    return not is_table(type_) and not is_numeric(type_)


def is_buffer(type_: Type) -> bool:
    """Whether cotangents of this type are never a structural zero, and can be added to."""
    is_container = isinstance(type_, Sequence | Mapping) and type_.cls in (list, dict)
    return is_array(type_) or is_container


def as_mapping(type_: Type) -> Type:
    """The type of a dict whose keys don't matter."""
    return any_keys(type_) if isinstance(type_, Dict) else type_


def bar_name(operand: Operand) -> str:
    return derived(operand.name, "_bar") if isinstance(operand, Value) else "t_bar"


def callee_name(callee: object) -> str:
    return str(getattr(callee, "__name__", callee))
