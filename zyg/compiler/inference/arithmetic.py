"""Calls of numbers and arrays: most calls of a program, of which little is to be asked.

They ask no object, change nothing, give no iterator, and take no option, so that what inference
asks of a call in general is left out for them: half of the time that it takes.
"""

from __future__ import annotations

import operator
import types

import numpy as np

from ir import facts
from ir.types import Type, Union
from zyg.array_type import Array, is_number
from zyg.rules.registry import covers, is_beyond, is_constant, rule_of, takes_pullback

_OPERATORS = frozenset(map(id, (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.matmul, operator.neg, operator.pos, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, operator.truth,
)))  # fmt: skip


def is_arithmetic(callee: object, operands: list[Type]) -> bool:
    """Whether a call is of an operator, or of a pure function of NumPy's that is written in C and
    that zyg has a rule for, and all that it is given are operands, numbers or arrays."""
    count = len(operands)
    is_operator = id(callee) in _OPERATORS
    if not is_operator:
        if isinstance(callee, np.ufunc):
            if count != callee.nin:
                return False
        elif count != 1 or isinstance(callee, type | types.FunctionType):
            return False
        if not facts.is_pure(callee):
            return False
    return all(map(_is_operand, operands)) and _is_by_rule(callee, count)


def _is_operand(type_: Type) -> bool:
    if isinstance(type_, Union):
        return all(map(_is_operand, type_.members))
    return type(type_) is Array or is_number(type_)


# What `_is_by_rule` found, and by which rule.
_found: dict[tuple[int, int], tuple[object, bool]] = {}


def _is_by_rule(callee: object, count: int) -> bool:
    """Whether what zyg knows of a callable serves for all its calls with so many operands."""
    rule = rule_of(callee)
    if rule is None:
        return is_constant(callee) and id(callee) in _OPERATORS
    known, found = _found.get((id(callee), count), (None, False))
    if known is not rule:
        found = (
            str(rule.__module__).startswith("zyg.") and not takes_pullback(rule)
            and not is_beyond(callee) and covers(rule, count, ())
        )
        _found[id(callee), count] = rule, found
    return found
