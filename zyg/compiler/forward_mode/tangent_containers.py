"""Calls with containers of which the value and the tangent are made together at run time."""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

from ir import primitives
from zyg.tangents.tangent import tangent_or_zero
from zyg.tangents.tangent_sets import order_of, regrouped_tangent

Values = tuple[Any, ...]


def joined(function: Any, args: Values, dots: Values) -> Any:
    """The value and tangent of `xs + ys`, `xs * n` or `n * xs` for sequences; None for others."""
    are_items = [isinstance(arg, list | tuple | deque) for arg in args]
    others = [arg for arg, is_items in zip(args, are_items, strict=True) if not is_items]
    if len(others) != (0 if function is operator.add else 1) or len(args) != 2:
        return None
    if not all(isinstance(other, int) for other in others):
        return None
    y = function(*args)
    parts = [
        tangent_or_zero(dot, arg) if is_items else arg
        for arg, dot, is_items in zip(args, dots, are_items, strict=True)
    ]
    return y, function(*parts)


def regrouped(args: Values, dots: Values) -> tuple[Any, Any]:
    """A set that is changed in place, and the tangents of its members, in its order."""
    members, method, *others = args
    before = order_of(members)
    y = primitives.regrouped(*args)
    member, member_dot = (others[0], dots[2]) if others else (None, None)
    return y, regrouped_tangent(y, before, method, member, dots[0], member_dot)
