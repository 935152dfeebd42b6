"""The callables that patterns of `match` become: what Python asks of a subject, one by one.

    case Point(x, y):        attributes = match_attributes(Point, 2)       ("x", "y")
                             x = match_attribute(subject, attributes, 0)   UNBOUND where it lacks it
                             if is_present(x): ...
"""

from __future__ import annotations

from typing import Any

from ir.primitives import UNBOUND

# What CPython's `match` looks for in the flags of a class.
SEQUENCE_FLAG, MAPPING_FLAG, MATCH_SELF_FLAG = 1 << 5, 1 << 6, 1 << 22


def is_present(value: Any) -> bool:
    """Whether a part of the subject of a `match` was found."""
    return value is not UNBOUND


def is_sequence(value: Any) -> bool:
    """Whether a sequence pattern can match a value: lists, tuples, ranges, deques; no text."""
    return bool(type(value).__flags__ & SEQUENCE_FLAG)


def is_mapping(value: Any) -> bool:
    """Whether a mapping pattern can match a value."""
    return bool(type(value).__flags__ & MAPPING_FLAG)


def is_instance(value: Any, cls: Any) -> bool:
    """`isinstance` as a class pattern asks it: of one class."""
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    return isinstance(value, cls)


def match_attributes(cls: Any, count: int, *keywords: str) -> tuple[str | None, ...]:
    """The attributes that the `count` positional patterns of a class pattern are matched with.

    None stands for the subject itself, which `int(x)` and the like match.
    """
    name = cls.__name__
    if hasattr(cls, "__match_args__"):
        found = cls.__match_args__
        if type(found) is not tuple:
            raise TypeError(
                f"{name}.__match_args__ must be a tuple (got {type(found).__name__})"
            )
        allowed = len(found)
    else:
        found = (None,)
        allowed = 1 if cls.__flags__ & MATCH_SELF_FLAG else 0
    if count > allowed:
        plural = "" if allowed == 1 else "s"
        raise TypeError(
            f"{name}() accepts {allowed} positional sub-pattern{plural} ({count} given)"
        )
    seen: list[str] = []
    for attribute in (*found[:count], *keywords):
        if attribute is not None and type(attribute) is not str:
            raise TypeError(
                f"__match_args__ elements must be strings (got {type(attribute).__name__})"
            )
        if attribute in seen:
            raise TypeError(f"{name}() got multiple sub-patterns for attribute {attribute!r}")
        seen += [] if attribute is None else [attribute]
    return tuple(found[:count])


def match_attribute(subject: Any, attributes: tuple[str | None, ...], position: int) -> Any:
    """What a positional pattern of a class pattern is matched with, or `UNBOUND`."""
    name = attributes[position]
    return subject if name is None else getattr(subject, name, UNBOUND)


def check_keys(*keys: Any) -> None:
    """Raises for keys of a mapping pattern that turn out to be equal."""
    seen = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)


def without_keys(mapping: Any, *keys: Any) -> dict[Any, Any]:
    """What `**rest` of a mapping pattern is bound to."""
    return {key: value for key, value in dict(mapping).items() if key not in keys}
