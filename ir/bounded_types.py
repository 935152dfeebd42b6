"""Types that grow with each round of a recursion: how large they are, and where they are cut."""

from __future__ import annotations

from collections.abc import Iterable

from ir.types import (
    PARTED,
    TOP,
    Closure,
    Dict,
    Iterator,
    Mapping,
    Method,
    NamedTuple,
    Sequence,
    Tuple,
    Type,
    Union,
    join,
    join_all,
    members_of,
)


def size_of(type_: Type) -> int:
    """How many types a type is made of."""
    match type_:
        case Tuple(items) | NamedTuple(_, _, items):
            parts = items
        case Sequence(_, item) | Iterator(_, item):
            parts = (item,)
        case Dict(items):
            parts = tuple(item for _, item in items)
        case Mapping(_, key, item) | Method(key, item):
            parts = key, item
        case Closure(_, _, captures, defaults, kwdefaults):
            parts = *captures, *defaults, *(item for _, item in kwdefaults)
        case Union(members):
            parts = tuple(members)
        case _:
            parts = ()
    return 1 + sum(map(size_of, parts))


# What holds what it is made of is of no finite type: types with more parts than that are bounded.
LARGE = 200


def bounded(before: Type, after: Type) -> Type:
    """Covers two approximations, and is nested no more deeply than the earlier one.

    What a recursion returns may hold what it returned, and what it is given what it was given:
    `(x, (x, (x, ...` is of no finite type, so that the parts which only the later one has are taken
    for unknown.
    """
    after = join(before, after)
    if before == after:
        return after
    return join_all([_bounded(members_of(before), member) for member in members_of(after)])


def _bounded(before: Iterable[Type], member: Type) -> Type:
    if not isinstance(member, PARTED) or member in before:
        return member
    for other in before:
        match other, member:
            case Tuple(old), Tuple(new) if len(old) == len(new):
                return Tuple(tuple(map(bounded, old, new)))
            case Sequence(old_class, old_item), Sequence(cls, item) if type(other) is type(
                member
            ) is Sequence and old_class is cls:
                return Sequence(cls, bounded(old_item, item))
            case Closure(), Closure() if other.join_with(member) is not None:
                return _bounded_closure(other, member)
    return TOP


def _bounded_closure(before: Closure, after: Closure) -> Closure:
    """The same for two functions of one code."""
    return Closure(
        after.code, after.globals, tuple(map(bounded, before.captures, after.captures)),
        tuple(map(bounded, before.defaults, after.defaults)),
        tuple(
            (name, bounded(a, b))
            for (_, a), (name, b) in zip(before.kwdefaults, after.kwdefaults, strict=True)
        ),
    )
