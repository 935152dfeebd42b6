"""Mappings that are objects of the user's, given to what makes dicts: their `keys` are asked.

    dict(settings)       ->  dict(dict_of_mapping(settings))     {key: settings[key] for key in ...}
    f(**settings)        ->  f(**dict_of_mapping(settings))
    dict(pairs)          ->  dict(listed(pairs))                 an object that gives pairs
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping
from typing import Any

from ir import primitives
from ir.late import imported
from ir.types import Instance, Top, Type, Union, class_of
from zyg.compiler.inference.objects import is_place, overloads
from zyg.rules import taking_all

# What takes a mapping or pairs, and where; None: mappings alone, in all places.
_POSITIONS: dict[int, int | None] = {
    **{id(callee): 0 for callee in (dict, OrderedDict, Counter)},
    **{
        id(callee): 1 for callee in (
            defaultdict, dict.__init__, dict.update, OrderedDict.update, operator.ior,
        )
    },
    id(primitives.merge_dicts): None,
}


def mappings_of(callee: object, types_: tuple[Type, ...]) -> list[tuple[int, Any, bool]]:
    """The operands of a call that are objects of which a dict is made, each with the function that
    makes what takes its place, and whether it is certain to be one.

    Where types tell nothing, the rules raise for an object (`zyg.rules.containers`).
    """
    found: list[tuple[int, Any, bool]] = []
    for i in _places(callee, len(types_)):
        if callee is operator.ior and not _is_dict(types_[0]):
            continue
        type_ = types_[i]
        makers = [maker_of(callee, one.cls) for one in _members(type_) if isinstance(one, Instance)]
        if any(maker is not None for maker in makers):
            is_certain = isinstance(type_, Instance)
            found.append((i, makers[0] if is_certain else taking_all.as_items_of_dict, is_certain))
    return found


def _members(type_: Type) -> tuple[Type, ...]:
    return tuple(type_.members) if isinstance(type_, Union) else (type_,)


def mapping_of(callee: object, args: tuple[Any, ...]) -> tuple[int, Any] | None:
    """The place of an object of which a call makes a dict, and the function for it."""
    for i in _places(callee, len(args)):
        maker = maker_of(callee, type(args[i]))
        if maker is not None and (callee is not operator.ior or isinstance(args[0], dict)):
            return i, maker
    return None


def _places(callee: object, count: int) -> range:
    if id(callee) not in _POSITIONS:
        patterns = imported("ir.patterns")  # programs with patterns have it
        is_rest = patterns is not None and callee is patterns.without_keys
        return range(min(count, 1)) if is_rest else range(0)
    position = _POSITIONS[id(callee)]
    return range(count) if position is None else range(position, count)[:1]


def maker_of(callee: object, cls: type) -> Any:
    """The function that makes a dict, or a list of pairs, of an object of a class; None for what
    isn't an object that computes its items."""
    if not is_place(cls):
        return None
    has_keys = issubclass(cls, Mapping) if callee is Counter else overloads(cls, "keys")
    if has_keys:
        return taking_all.dict_of_mapping
    return taking_all.listed if overloads(cls, "__iter__") else None


def _is_dict(type_: Type) -> bool:
    cls = class_of(type_)
    return isinstance(type_, Top) or (cls is not None and issubclass(cls, dict))
