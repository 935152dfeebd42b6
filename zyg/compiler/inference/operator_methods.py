"""The methods by which operators ask the objects of known classes.

    v * w      type(v).__mro__ says: __mul__(v, w), and where that declines, __rmul__(w, v)
"""

from __future__ import annotations

import types
from typing import Any

from ir.derived import base_of
from ir.library.builtin_facts import IN_PLACE as PLAIN
from ir.types import Type, Union, class_of
from zyg.compiler.inference.objects import (
    CERTAIN,
    COMPARISONS,
    IN_PLACE,
    REFLECTED,
    is_hashable,
    is_place,
    lookup,
)

# They decline what they don't know.
_NUMBERS = (float, int, complex, bool)


def _class_of(type_: Type) -> type | None:
    """The class of a first operand; for one of several classes of numbers, any of these."""
    if isinstance(type_, Union):
        classes = [class_of(member) for member in type_.members]
        return classes[0] if all(cls in _NUMBERS for cls in classes) else None
    return class_of(type_)


def _answers(cls: type) -> bool:
    """Whether the methods of operators are asked for in a class."""
    return is_place(cls) or base_of(cls) is not None


def operator_method(callee: object, types_: tuple[Type, ...]) -> tuple[str, Any] | None:
    """The name and function of the method that an operator is certain to call on an object."""
    cls = class_of(types_[0]) if types_ else None
    if cls is None or not is_hashable(callee) or not _answers(cls):
        return None
    names: tuple[str, ...] = ()
    if callee is str and len(types_) == 1:
        names = ("__str__", "__repr__")
    elif callee in CERTAIN:
        names = (CERTAIN[callee],)
    elif callee in IN_PLACE and len(types_) == 2:
        names = IN_PLACE[callee]
    elif callee in REFLECTED and len(types_) == 2:
        other = class_of(types_[1])
        if other is None or (other is not cls and issubclass(other, cls)):
            return None  # whose reflected method would come first
        names = (REFLECTED[callee][0],)
    for name in names:
        method = lookup(cls, name)
        if isinstance(method, types.WrapperDescriptorType) and base_of(cls) is not None:
            return None  # the container's
        if isinstance(method, types.FunctionType):
            is_certain = callee is str or callee in CERTAIN
            may_decline = not is_certain and names_not_implemented(method)
            return None if may_decline else (name, method)
    return None


def methods_asked(
    callee: object, types_: tuple[Type, ...]
) -> list[tuple[type, str, Any, bool]]:
    """What a binary operator asks in turn: a class, a name, the method there, and whether the
    operands are swapped. Nothing where that can't be told."""
    if not is_hashable(callee) or len(types_) != 2:
        return []
    left, right = _class_of(types_[0]), class_of(types_[1])
    if left is None or right is None:
        return []
    # What is concatenated and repeated as a sequence asks the other operand first.
    is_plain = left in _NUMBERS or (left in (list, tuple) and is_place(right))
    if not (_answers(left) or is_plain):
        return []
    if callee in IN_PLACE:
        name, _ = IN_PLACE[callee]
        in_place = lookup(left, name) if _answers(left) else None
        plain: Any = callee
        later = methods_asked(PLAIN[plain], types_)
        return later if in_place is None else [(left, name, in_place, False), *later]
    if callee not in REFLECTED:
        return []
    name, reflected = REFLECTED[callee]
    is_asked = _answers(right) and (right is not left or callee in COMPARISONS)
    of_right = lookup(right, reflected) if is_asked else None
    found = [(left, name, lookup(left, name), False)] if _answers(left) else []
    if of_right is not None:
        # A subclass comes first, with a method of its own.
        is_first = right is not left and issubclass(right, left) and (
            callee in COMPARISONS or of_right is not lookup(left, reflected)
        )
        found.insert(0 if is_first else len(found), (right, reflected, of_right, True))
    return [one for one in found if one[2] is not None]


def names_not_implemented(method: types.FunctionType) -> bool:
    return "NotImplemented" in method.__code__.co_names
