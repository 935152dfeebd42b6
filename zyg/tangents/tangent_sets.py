"""Tangents of sets that are changed in place: lists, in the order of the members.

    s.add(x)      before = order_of(s)
                  s.add(x)
                  s_dot = regrouped_tangent(s, before, 'add', x, s_dot, x_dot)

Which order the members have only the set knows, so that it is asked before the change.
"""

from __future__ import annotations

import operator
from typing import Any

from ir import facts
from zyg.tangents.tangent import tangent_or_zero


def order_of(members: Any) -> list[Any]:
    """The members of a set in its order, as it is now."""
    return list(members)


def regrouped_tangent(
    y: Any, before: list[Any], method: str, member: Any, members_dot: Any, member_dot: Any
) -> list[Any]:
    """The tangent of a set `y` behind a change by a method, which was given this member (or set of
    members)."""
    dot_of = _dots_of(before, members_dot)
    if method == "add":
        dot_of.setdefault(member, member_dot)
    elif method == "symmetric_difference_update":
        dot_of = {**_dots_of(member, member_dot), **dot_of}
    return [tangent_or_zero(dot_of.get(one), one) for one in y]


def of_sets(
    function: Any, args: tuple[Any, ...], dots: tuple[Any, ...]
) -> tuple[Any, list[Any]] | None:
    """What an operator gives of two sets, and its tangent; None for other operands."""
    if function not in _OPERATORS or not all(isinstance(arg, set | frozenset) for arg in args):
        return None
    first, second = map(_dots_of, args, dots)
    dot_of = {**second, **first}
    y = function(*args)
    return y, [tangent_or_zero(dot_of.get(one), one) for one in y]


_OPERATORS = (operator.sub, operator.or_, operator.and_, operator.xor)


def _dots_of(members: Any, dot: Any) -> dict[Any, Any]:
    if dot is None:
        return dict.fromkeys(members)
    return dict(zip(members, dot, strict=True))


facts.effect(order_of)
