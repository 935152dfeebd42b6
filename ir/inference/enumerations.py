"""Members of enumerations: constants, known when code is made, whatever they hold.

A NamedTuple that is known then is called as they are.

    Unit.CM.value        ->    0.01
    for u in Unit:       ->    for u in (Unit.CM, Unit.M):
    Act.RELU(x)          ->    Act.__call__(Act.RELU, x)
"""

from __future__ import annotations

import enum
import types
from typing import Any

from ir.core import Const, Operand
from ir.derived import found_in
from ir.inference.special_calls import is_literal


def name_or_value(member: Any, name: str) -> Operand | None:
    """What `member.name` or `member.value` gives, where it is a literal."""
    if not isinstance(member, enum.Enum) or name not in ("name", "value"):
        return None
    if found_in(type(member), name) is not vars(enum.Enum)[name]:
        return None
    found = getattr(member, name)
    return Const(found) if is_literal(found) else None


def called_method(member: Any) -> types.FunctionType | None:
    """The function that a call of a member is a call of."""
    is_known = isinstance(member, enum.Enum | tuple)
    method = found_in(type(member), "__call__") if is_known else None
    return method if isinstance(method, types.FunctionType) else None


def members_of(operand: Operand) -> Operand | None:
    """All members of an enumeration, which are what iterating over it gives."""
    if isinstance(operand, Const) and isinstance(operand.value, enum.EnumMeta):
        return Const(tuple(operand.value))
    return None
