"""What types say about tangents: the type of each, and which functions work element by element."""

from __future__ import annotations

import operator

import numpy as np

from ir.core import Operand, Value
from ir.suggestions import derived
from ir.types import (
    TOP,
    Bottom,
    Dict,
    Known,
    Mapping,
    Scalar,
    Sequence,
    Tuple,
    Type,
    Union,
    join_all,
    widen,
)
from zyg.array_type import Array
from zyg.compiler.reverse.cotangent_types import tangent_type
from zyg.facts.numpy_facts import is_real

NUMBER: Type = Union(frozenset([Scalar(float), Scalar(int)]))
NOTHING: Type = Known(None)

OPERATORS = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod,
    operator.neg, operator.pos, operator.abs, abs, pow,
)
_ELEMENTWISE = {id(f) for f in (*OPERATORS, np.clip, np.nan_to_num, np.sinc)}


def dot_type(type_: Type) -> Type:
    """The type of tangents of values of a type."""
    match widen(type_):
        case Scalar(cls) if cls in (bool, str, bytes, type(None), np.bool_, np.str_):
            return NOTHING
        case Scalar(cls) if issubclass(cls, int):
            return NUMBER
        case Tuple(items):
            return Tuple(tuple(map(dot_type, items)))
        case Sequence(cls, item) if cls in (list, tuple):
            return Sequence(cls, item if isinstance(item, Bottom) else dot_type(item))
        case Dict(items):
            return Dict(tuple((key, dot_type(item)) for key, item in items))
        case Mapping(cls, key, item):
            return Mapping(cls, key, dot_type(item))
        case Union(members):
            return join_all(map(dot_type, sorted(members, key=repr)))
        case Scalar(cls) if not issubclass(cls, float | complex | np.number):
            return TOP
        case other:
            return tangent_type(other)


def is_real_number(type_: Type) -> bool:
    """Whether values are single real numbers of Python or NumPy."""
    match widen(type_):
        case Scalar(cls):
            return issubclass(cls, float | int | np.floating | np.integer) and cls is not bool
        case Union(members):
            return all(map(is_real_number, members))
        case _:
            return False


def is_real_numeric(type_: Type) -> bool:
    """Whether values are real numbers or arrays of them."""
    if isinstance(type_, Array):
        return type_.dtype.kind in "fiu" and is_real(type_)
    if isinstance(type_, Union):
        return all(map(is_real_numeric, type_.members))
    return is_real_number(type_)


def is_elementwise(callee: object) -> bool:
    """Whether a function treats each element of its broadcast operands by itself."""
    if isinstance(callee, np.ufunc):
        return callee.nout == 1 and callee.signature is None
    return id(callee) in _ELEMENTWISE


def dot_name(operand: Operand) -> str:
    return derived(operand.name, "_dot") if isinstance(operand, Value) else "t_dot"


def holds_floats(type_: Type) -> bool:
    """Whether what is stored into such a value is stored as it is."""
    if isinstance(type_, Array):
        return bool(type_.dtype.kind in "fc")
    return isinstance(type_, Sequence | Mapping | Dict)


def may_lack_items(type_: Type) -> bool:
    """Whether a tangent may lack an item that is read of its value: what a `Counter` or a
    `__missing__` makes up is a constant."""
    return type_ == TOP or (isinstance(type_, Mapping) and type_.cls is not dict)
