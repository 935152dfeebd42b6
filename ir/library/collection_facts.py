"""What inference knows of calls that make dicts, sets and collections, copy them and view them.

    dict.get     (dict[str, float], str)       -> float | None
    sorted       (tuple[float, ...])           -> list[float]

Imported by the first program that has one of them.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from ir import facts, primitives
from ir.derived import container_class
from ir.library.container_facts import DICT_ITEMS, DICT_KEYS, DICT_VALUES, values_of
from ir.library.fact_rules import INT, NONE, STR, declare
from ir.types import (
    BOTTOM,
    TOP,
    Bottom,
    Dict,
    Instance,
    Iterator,
    Known,
    Mapping,
    Sequence,
    Tuple,
    Type,
    any_keys,
    class_of,
    join,
    join_all,
    widen,
)


@declare(sorted)
def sorted_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Sequence(list, facts.item_of(args[0]) if args else TOP)


@declare(dict)
def dict_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args:
        return Dict(tuple(kwargs.items()))
    if len(args) == 1 and isinstance(args[0], Dict):
        return Dict(tuple({**dict(args[0].items), **kwargs}.items()))
    if len(args) == 1:
        return made_mapping(dict, args[0], kwargs)
    return Instance(dict)


def made_mapping(cls: type, source: Type, kwargs: dict[str, Type]) -> Type:
    """The type of a mapping made of another one, or of pairs of keys and items, and of names."""
    if isinstance(source, Dict):
        source = any_keys(source)
    if isinstance(source, Mapping):
        key, item = source.key, source.item
    elif isinstance(pair := facts.item_of(source), Tuple) and len(pair.items) == 2:
        key, item = map(widen, pair.items)
    elif isinstance(pair, Bottom):
        key, item = BOTTOM, BOTTOM
    else:
        return Instance(cls)
    if kwargs:
        key, item = join(key, STR), join_all([item, *map(widen, kwargs.values())])
    return Mapping(cls, key, item)


@declare(primitives.merge_dicts)
def merged_dicts(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    parts = [any_keys(part) if isinstance(part, Dict) else part for part in args]
    if not all(isinstance(part, Mapping) for part in parts):
        return Instance(dict)
    keys = (part.key for part in parts if isinstance(part, Mapping))
    items = (part.item for part in parts if isinstance(part, Mapping))
    return Mapping(dict, join_all(keys), join_all(items))


@declare(deque)
def deque_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    given = args[0] if args else kwargs.get("iterable")
    return Sequence(deque, BOTTOM if given is None else widen(facts.item_of(given)))


@declare(primitives.flatten)
def flattened(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Sequence(list, facts.item_of(facts.item_of(args[0])))


@declare(set, primitives.build_set)
def set_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Instance(set)


@declare(OrderedDict)
def ordered_dict(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return made_mapping(OrderedDict, args[0] if args else Dict(()), kwargs)


@declare(defaultdict)
def defaultdict_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    factory = args[0] if args else NONE
    made = made_mapping(defaultdict, args[1] if len(args) > 1 else Dict(()), kwargs)
    if not isinstance(made, Mapping):
        return made
    return Mapping(defaultdict, made.key, made.item, factory)


@declare(Counter)
def counter(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of a mapping that mapping, of anything else the numbers of its items."""
    if args and isinstance(args[0], Dict | Mapping):
        return made_mapping(Counter, args[0], kwargs)
    key = widen(facts.item_of(args[0])) if args else BOTTOM
    if kwargs:
        key = join(key, STR)
    return Mapping(Counter, key, join_all([INT, *map(widen, kwargs.values())]))


@declare(dict.get)
def dict_get(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (Dict() as mapping, Known(str(key)), *default):
            found = dict(mapping.items).get(key)
            return found if found is not None else (default[0] if default else NONE)
        case (Dict() | Mapping() as mapping, _, *default):
            return join(values_of(mapping), default[0] if default else NONE)
        case _:
            return TOP


def _declare_view(method: object, cls: type, item: Any) -> None:
    @declare(method)
    def view(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        known = len(args) == 1 and isinstance(args[0], Dict | Mapping)
        return Iterator(cls, item(args[0]) if known else TOP)


def _pair(type_: Dict | Mapping) -> Type:
    return Tuple((facts.item_of(type_), values_of(type_)))


@declare(dict.copy, list.copy, deque.copy, OrderedDict.copy, defaultdict.copy)
def copied(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if not args or not isinstance(args[0], Dict | Mapping | Sequence):
        return TOP
    items = args[0]
    base = container_class(items)
    if base is class_of(items) or base not in (list, dict):
        return items  # others copy themselves by their class
    return Sequence(list, items.item) if isinstance(items, Sequence) else (
        Mapping(dict, items.key, items.item) if isinstance(items, Mapping) else items
    )


_ORDERED: OrderedDict[str, Any] = OrderedDict()
_declare_view(dict.keys, DICT_KEYS, facts.item_of)
_declare_view(dict.values, DICT_VALUES, values_of)
_declare_view(dict.items, DICT_ITEMS, _pair)
_declare_view(OrderedDict.keys, type(_ORDERED.keys()), facts.item_of)
_declare_view(OrderedDict.values, type(_ORDERED.values()), values_of)
_declare_view(OrderedDict.items, type(_ORDERED.items()), _pair)
