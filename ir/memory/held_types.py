"""What types tell of containers that objects hold: whether they hold memory, and what beside it."""

from __future__ import annotations

from collections import deque

from ir import facts
from ir.memory.held_functions import may_be_memory, may_be_numbers
from ir.types import TOP, Dict, Iterator, Mapping, Sequence, Tuple, Type, Union, class_of, join_all

# The types of what holds items: lists, dicts and the like.
CONTAINERS = (Sequence, Mapping, Dict)


def item_held(type_: Type) -> Type:
    """The type of what a container holds: the items of a list, the values of a dict."""
    if isinstance(type_, Mapping):
        return type_.item
    if isinstance(type_, Dict):
        return join_all([item for _, item in type_.items])
    return facts.item_of(type_)


def is_container(type_: Type) -> bool:
    """Whether values of this type are arrays or containers, for whose contents objects may stand.
    What libraries hold in their own ways isn't followed."""
    cls = class_of(type_)
    return cls is not None and (
        facts.copies_items(cls) or issubclass(cls, list | tuple | dict | deque | set | frozenset)
    )


def is_memory_of_memory(type_: Type) -> bool:
    """Whether a value of this type is a container of memory. What is unknown is looked at when it
    is put there (`ir.memory.followed_memory`)."""
    kinds = kinds_held(type_)
    return TOP not in kinds and any(map(may_be_memory, kinds))


def kinds_held(type_: Type) -> list[Type]:
    """The types of what a container holds: of a dict with known keys, those of each."""
    if isinstance(type_, Dict):
        return [item for _, item in type_.items]
    return [item_held(type_)] if isinstance(type_, CONTAINERS) else []


def is_mixed(type_: Type) -> bool:
    """Whether a container holds numbers beside memory: `[(t, x)]`, or `{"x": x, "t": t}`, where
    `x` is an array."""
    if not is_memory_of_memory(type_):
        return False
    if isinstance(type_, Dict) and any(map(may_be_numbers, kinds_held(type_))):
        return True
    return any(map(is_mixed_tuple, kinds_held(type_)))


def is_mixed_tuple(type_: Type) -> bool:
    """Whether a value is a tuple of memory and of numbers that have derivatives."""
    if isinstance(type_, Union):
        return any(map(is_mixed_tuple, type_.members))
    return isinstance(type_, Tuple) and may_be_memory(type_) and may_be_numbers(type_)


def is_table(type_: Type) -> bool:
    """Whether a container holds memory alone, so that nothing in it has a cotangent of its own."""
    return is_memory_of_memory(type_) and not is_mixed(type_)


def is_deep(type_: Type) -> bool:
    """Whether what reads all of a value may read memory in it."""
    match type_:
        case Union(members):
            return any(map(is_deep, members))
        case Tuple(items):
            return any(map(may_be_memory, items))
        case Iterator(item=item):
            return item != TOP and may_be_memory(item)
    return is_memory_of_memory(type_)
