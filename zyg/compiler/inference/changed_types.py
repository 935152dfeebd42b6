"""What containers that objects hold are taken for behind changes of them, by their types alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ir.bounded_types import LARGE, bounded, size_of
from ir.memory.held_tables import Kind, kind_of_item, kind_of_items, may_be_one
from ir.memory.held_types import CONTAINERS, item_held
from ir.types import (
    TOP,
    Dict,
    Instance,
    Mapping,
    Sequence,
    Tuple,
    Type,
    Union,
    class_of,
    join_all,
    members_of,
)

# The kinds of which the items of a container may be; None where that isn't known.
Kinds: TypeAlias = frozenset[Kind] | None
# What containers have been changed to, by their class, the kinds of their items, and whether they
# were elements of others.
Changed = dict[tuple[type | None, Kinds, bool], Type]
# Whether a container may be one that was changed: by the kinds of items of that, and whether it was
# an element; and by its own type, and how deep it stands.
Sameness: TypeAlias = Callable[[Kinds, bool, Type, int], bool]
NUMBERS: Kinds = frozenset([()])


def kinds_of_items(type_: Type) -> Kinds:
    kind = kind_of_items(type_)
    if kind is None and isinstance(type_, CONTAINERS):
        kinds = {kind_of_item(item) for item in members_of(item_held(type_))}
        return None if None in kinds else frozenset(kinds)
    return None if kind is None else frozenset([kind])


def may_be_same(changed: Kinds, is_element: bool, type_: Type, depth: int) -> bool:
    kinds = kinds_of_items(type_)
    return changed is None or kinds is None or any(
        may_be_one(first, second) for first in changed for second in kinds
    )


def joined_within(type_: Type, changed: Changed, is_same: Sameness, depth: int = 0) -> Type:
    """A type of which the containers, at any depth, may be some that have changed to these."""
    def within(item: Type) -> Type:
        return joined_within(item, changed, is_same, depth + 1)

    before = type_
    match type_:
        case Sequence(cls, item) if cls is not range:
            type_ = Sequence(cls, within(item))
        case Mapping(cls, key, item, factory):
            type_ = Mapping(cls, key, within(item), factory)
        case Dict(items):
            type_ = Dict(tuple((key, within(item)) for key, item in items))
        case Tuple(items):
            type_ = Tuple(tuple(map(within, items)))
        case Union(members):
            return join_all([
                joined_within(member, changed, is_same, depth) for member in members
            ])
        case _:
            pass
    if not isinstance(type_, CONTAINERS):
        return type_
    of = class_of(type_)
    found = [
        of_anything(type_) if cls is None else new
        for (cls, kind, is_element), new in changed.items()
        if cls in (None, of) and is_same(kind, is_element, type_, depth)
    ]
    if not found:
        return type_
    joined = join_all([type_, *found])
    return bounded(before, joined) if size_of(joined) > LARGE else joined


def of_anything(type_: Type) -> Type:
    """The same container, or object, about whose items nothing is known."""
    match type_:
        case Instance():
            return type_
        case Sequence(cls, _):
            return Sequence(cls, TOP)
        case Mapping(cls, _, _):
            return Mapping(cls, TOP, TOP)
        case Dict():
            return Mapping(dict, TOP, TOP)
        case _:
            return TOP
