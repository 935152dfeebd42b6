"""Finds squares of sizes, whose derivatives are better than what the parts make of them.

    r = np.linalg.norm(x)         r = np.linalg.norm(x)
    y = r ** 2                    y = r ** 2, with the rule of square_of_norm(operator.pow, r, 2, x)

A size has a kink at 0, and its square has none: by the rule of the square alone, the second
derivative at 0 would be 0. What stands between the two is pure: `x` is what it was.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Set
from typing import Any

import numpy as np

from ir.core import Call, Const, Op, Operand, Value, type_of
from ir.simplify import is_pure
from ir.types import Sequence, Tuple, Type
from zyg.arrays import squares
from zyg.compiler.reverse.cotangent_types import is_numeric

SIZES: dict[object, Any] = {
    abs: squares.square_of_absolute,
    operator.abs: squares.square_of_absolute,
    np.absolute: squares.square_of_absolute,
    np.fabs: squares.square_of_absolute,
    math.fabs: squares.square_of_absolute,
    math.hypot: squares.square_of_hypot,
    np.hypot: squares.square_of_hypot,
    np.linalg.norm: squares.square_of_norm,
}
POWERS = (operator.pow, np.power, pow)
PRODUCTS = (operator.mul, np.multiply)


def square_of_size(
    callee: Const, args: list[Operand], ops: list[Op], own: Set[Op]
) -> tuple[Const, list[Operand], dict[str, Operand]] | None:
    """The callee and the operands of a call that squares a size, if `ops` have computed one.

    Those in `own` are there for tangents, and change nothing of the program's.
    """
    other = _other(callee.value, args)
    if other is None:
        return None
    for op in reversed(ops):
        if op in own:
            continue
        if not isinstance(op, Call) or not isinstance(op.callee, Const) or not is_pure(op):
            return None
        if args[0] in op.results:
            made = SIZES.get(op.callee.value) if _is_hashable(op.callee.value) else None
            if made is None or not _is_plain(op):
                return None
            return Const(made), [callee, args[0], other, *op.args], dict(op.kwargs)
    return None


def _other(function: object, args: list[Operand]) -> Operand | None:
    """What a function that squares its first operand is given beside it; None if it doesn't."""
    if len(args) == 1:
        return Const(None) if function is np.square else None
    if len(args) != 2 or not isinstance(args[0], Value):
        return None
    other = args[1]
    if any(function is power for power in POWERS):
        number = other.value if isinstance(other, Const) else None
        return other if type(number) in (int, float) and number == 2 else None
    is_product = any(function is product for product in PRODUCTS)
    return other if is_product and other is args[0] else None


def _is_plain(op: Call) -> bool:
    """Whether the operands are numbers and arrays, and the options those of the rules."""
    varying = [arg for arg in (*op.args, *op.kwargs.values()) if not isinstance(arg, Const)]
    return all(_is_of_numbers(type_of(arg)) for arg in varying) and set(op.kwargs) <= {
        "ord", "axis", "keepdims"
    }


def _is_of_numbers(type_: Type) -> bool:
    match type_:
        case Sequence(_, item):
            return is_numeric(item)
        case Tuple(items):
            return all(map(is_numeric, items))
        case _:
            return is_numeric(type_)


def _is_hashable(function: object) -> bool:
    return getattr(type(function), "__hash__", None) is not None
