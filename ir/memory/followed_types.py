"""What types tell of memory that is followed by what stands for its contents."""

from __future__ import annotations

from ir import facts
from ir.memory.held_functions import captures_memory, may_be_memory
from ir.memory.held_tables import is_known
from ir.memory.held_types import CONTAINERS, item_held
from ir.types import BOTTOM, Known, Tuple, Type, Union, class_of, join_all


def may_capture(type_: Type) -> bool:
    """Whether a value may be a function that has captured memory, or hold one."""
    if isinstance(type_, Tuple):
        return any(map(may_capture, type_.items))
    if isinstance(type_, CONTAINERS):
        return item_held(type_) != BOTTOM and may_capture(item_held(type_))
    return class_of(type_) is None or captures_memory(type_)


def unless_none(type_: Type) -> Type:
    """What a value is if it isn't None."""
    return join_all(type_.members - {Known(None)}) if isinstance(type_, Union) else type_


def may_be_none(type_: Type) -> bool:
    """Whether a value is None, or memory of one known kind."""
    if not isinstance(type_, Union) or Known(None) not in type_.members:
        return False
    inner = unless_none(type_)
    if isinstance(inner, CONTAINERS):
        return not captures_memory(item_held(inner))
    return facts.copies_items(class_of(inner) or object)


def is_tuple(type_: Type) -> bool:
    """Whether a value is a tuple of known memory and of what is no memory."""
    if isinstance(type_, Tuple):
        return all(not may_be_memory(item) or is_known(item) for item in type_.items)
    return class_of(type_) is tuple and is_known(type_)
