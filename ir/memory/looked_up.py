"""What `get` of a dict means to inference: a test and a read, whose derivatives need no copy of it.

    d.get(k, v)         if contains(d, k): getitem(d, k)        else: v

A mapping pattern reads by `get` too, and stays one call: it is no part of the user's program.
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict

from ir.core import Block, Call, Const, If, Location, Operand, Raise, Value, Yield, type_of
from ir.inference.special_calls import Folded, is_unbound, special, typed
from ir.inference.typed_calls import TypedCalls
from ir.types import TOP, Dict, Known, Mapping, Tuple, Type, Union, class_of, join_all

# Other classes that derive from dict may read an item in a way of their own.
_CLASSES = (dict, defaultdict, OrderedDict, Counter)
NONE = Const(None)
_KEYS = (int, bool, float, str, bytes, type(None))


@special(dict.get)
def _get(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if kwargs or not 2 <= len(args) <= 3:
        return None
    mapping, key, *given = args
    if given and is_unbound(given[0]):
        type_ = _type_in_pattern(type_of(mapping), type_of(key))
        return typed(self, dict.get, args, names, loc, type_)
    if self.places is None or self.attempting is not None:
        return None
    type_ = type_of(mapping)
    if not isinstance(type_, Dict | Mapping) or class_of(type_) not in _CLASSES:
        return None
    if not _is_plain(type_of(key)):
        return None
    is_there = self.call(operator.contains, mapping, key, loc=loc)
    item, found = Value(names[0]), Value(names[0])
    read_item = Call(Const(operator.getitem), [mapping, key], {}, [item], loc)
    read, default = Block([], [read_item], Yield([item])), Block([], [], Yield(given or [NONE]))
    whole = Block([], [If(is_there, read, default, [found], loc)], Yield([found]))
    exit = self.inline(whole, {})
    assert not isinstance(exit, Raise)
    return exit.values


def _type_in_pattern(mapping: Type, key: Type) -> Type:
    """The type of what a mapping pattern finds: `UNBOUND` stands for a key that is missing."""
    match mapping, key:
        case Dict(items), Known(str(name)) if name in dict(items):
            return dict(items)[name]
        case Dict(items), _:
            return join_all(item for _, item in items)
        case _:
            return TOP


def _is_plain(type_: Type) -> bool:
    """Whether a key is compared with others without code of the user's."""
    match type_:
        case Tuple(items):
            return all(map(_is_plain, items))
        case Union(members):
            return all(map(_is_plain, members))
        case _:
            return class_of(type_) in _KEYS
