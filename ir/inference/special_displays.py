"""Displays, unpacking and items that inference resolves.

    a, b = unpack(build_tuple(x, y))    ->  x, y
    getitem(build_list(x, y), 1)        ->  y, where nothing changes the list
    getitem(stored(d, k, v), k)         ->  v
"""

from __future__ import annotations

import operator
import types
from collections import defaultdict
from typing import TYPE_CHECKING

from ir import facts, primitives
from ir.core import (
    Call,
    Const,
    Location,
    Operand,
    Value,
    type_of,
)
from ir.inference.computed_keys import item_by_key
from ir.inference.special_calls import (
    Folded,
    is_literal,
    literal_keys,
    special,
    typed,
)
from ir.types import (
    BOTTOM,
    TOP,
    Dict,
    Instance,
    Mapping,
    NamedTuple,
    Scalar,
    Sequence,
    Tuple,
    Type,
    class_of,
    join_all,
    widen,
)

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


@special(primitives.build_tuple)
def _build_tuple(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    literals = [arg.value for arg in args if isinstance(arg, Const) and is_literal(arg.value)]
    if len(literals) == len(args):
        return [Const(tuple(literals))]
    type_ = Tuple(tuple(map(type_of, args)))
    return typed(self, primitives.build_tuple, args, names, loc, type_)


@special(primitives.build_list)
def _build_list(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    item = join_all(widen(type_of(arg)) for arg in args)
    return typed(self, primitives.build_list, args, names, loc, Sequence(list, item))


@special(primitives.build_dict)
def _build_dict(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    keys, values = literal_keys(args[::2]), args[1::2]
    type_: Type = TOP
    if keys is not None:
        types_ = (widen(type_of(value)) for value in values)
        type_ = Dict(tuple(dict(zip(keys, types_, strict=True)).items()))
    else:
        keys_and_items = [[widen(type_of(arg)) for arg in args[i::2]] for i in (0, 1)]
        type_ = Mapping(dict, *map(join_all, keys_and_items))
    return typed(self, primitives.build_dict, args, names, loc, type_)


@special(dict)
def _dict(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if args:
        return None
    pairs = [part for name, value in kwargs.items() for part in (Const(name), value)]
    return self.typed_call(Const(primitives.build_dict), pairs, {}, names, loc)


@special(primitives.unpack)
def _unpack(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if not isinstance(args[1], Const):
        return None
    items, count = args[0], args[1].value
    parts = self.parts(items)
    if len(names) == 1:  # a tuple of one or no item, as such
        if parts is not None and len(parts) == count:
            return [self.call(primitives.build_tuple, *parts, name=names[0], loc=loc)]
        whole = type_of(items)
        if not isinstance(whole, Tuple) or len(whole.items) != count:
            whole = Tuple((facts.item_of(whole),) * count)
        return typed(self, primitives.unpack, args, names, loc, whole)
    if parts is not None and len(parts) == count:
        return parts
    type_ = type_of(items)
    match type_:
        case Tuple(item_types) | NamedTuple(items=item_types) if len(item_types) == count:
            return typed(self, primitives.unpack, args, names, loc, *item_types)
        case _:
            item = BOTTOM if type_ == BOTTOM else facts.item_of(type_)
            return typed(self, primitives.unpack, args, names, loc, *[item] * count)


@special(primitives.unpack_starred)
def _unpack_starred(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if not isinstance(args[1], Const) or not isinstance(args[2], Const):
        return None
    items, before, after = args[0], args[1].value, args[2].value
    item = facts.item_of(type_of(items))
    match type_of(items):
        case Tuple(types_) if len(types_) >= before + after:
            stop = len(types_) - after
            found = [*types_[:before], Sequence(list, join_all(map(widen, types_[before:stop]))),
                     *types_[stop:]]
        case _:
            found = [item] * before + [Sequence(list, item)] + [item] * after
    if len(names) == 1:
        return typed(self, primitives.unpack_starred, args, names, loc, Tuple(tuple(found)))
    return typed(self, primitives.unpack_starred, args, names, loc, *found)


@special(primitives.check_bound)
def _check_bound(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    (checked,) = typed(self, primitives.check_bound, args, names, loc, type_of(args[0]))
    if self.places is not None and isinstance(args[0], Value) and isinstance(checked, Value):
        self.places.name_again(args[0], checked)
    return [checked]


@special(primitives.apply)
def _apply(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    function, star, double = args
    keywords = self.keywords(double)
    fields = type_of(double)
    if keywords is None and isinstance(fields, Dict):
        keywords = {
            name: self.call(operator.getitem, double, Const(name), loc=loc)
            for name, _ in fields.items
        }
    parts = self.parts(star)
    if keywords is None:
        return None
    type_ = type_of(star)
    if parts is None and isinstance(type_, Tuple):
        count = len(type_.items)
        parts = [self.call(operator.getitem, star, Const(i), loc=loc) for i in range(count)]
    if parts is None and self.places is not None:
        from ir.inference import case_by_case, starred_calls  # few programs need them

        found = starred_calls.by_count(self, function, star, keywords, names, loc)
        if found is None and isinstance(function, Value) and self.surroundings.is_apart():
            return case_by_case.called_by_cases(
                self, function, [star, double], {}, names, loc, primitives.apply
            )
        return found
    if parts is None:
        return None
    return self.typed_call(function, parts, keywords, names, loc)


@special(primitives.merge_dicts)
def _merge_dicts(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    types_ = [type_ for type_ in map(type_of, args) if isinstance(type_, Dict)]
    if len(types_) != len(args):
        return None
    merged: dict[str, Operand] = {}
    for arg, type_ in zip(args, types_, strict=True):
        known = self.keywords(arg)
        for name, _ in type_.items:
            merged[name] = known[name] if known is not None else self.call(
                operator.getitem, arg, Const(name), loc=loc
            )
    pairs = [part for name, value in merged.items() for part in (Const(name), value)]
    return [self.call(primitives.build_dict, *pairs, name=names[0], loc=loc)]


@special(operator.add)
def _add(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    types_ = list(map(type_of, args))
    constant = [isinstance(arg, Const) and type(arg.value) is tuple for arg in args]
    if all(constant) or not all(
        is_constant or isinstance(type_, Tuple)
        for is_constant, type_ in zip(constant, types_, strict=True)
    ):
        return None
    whole: list[Operand] = []
    for arg, type_ in zip(args, types_, strict=True):
        parts = self.parts(arg)
        if parts is None:
            assert isinstance(type_, Tuple)
            count = len(type_.items)
            parts = [self.call(operator.getitem, arg, Const(i), loc=loc) for i in range(count)]
        whole += parts
    return [self.call(primitives.build_tuple, *whole, name=names[0], loc=loc)]


@special(operator.truth)
def _truth(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    type_ = type_of(args[0])
    if type_ == Scalar(bool):
        return [args[0]]
    if isinstance(args[0], Const) and isinstance(args[0].value, types.FunctionType | type):
        return [Const(True)]
    return None


@special(operator.not_)
def _not(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """`not x` asks a class as `if x` does."""
    if not isinstance(type_of(args[0]), Instance):
        return None
    truth = self.call(operator.truth, args[0], loc=loc)
    made = self.definitions.get(truth) if isinstance(truth, Value) else None
    if isinstance(made, Call) and isinstance(made.callee, Const):
        if made.callee.value is operator.truth:
            return None  # which Python asks as well
    return [self.call(operator.not_, truth, name=names[0], loc=loc)]


@special(operator.getitem)
def _getitem(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    type_ = type_of(args[0])
    if self.places is not None and isinstance(type_, Mapping) and (
        issubclass(type_.cls, defaultdict)
    ):
        from ir.memory.collection_changes import read_of_defaultdict  # few programs have one

        made = read_of_defaultdict(self, args, kwargs, names, loc)
        if made is not None:
            return made
    return read_item(self, args, kwargs, names, loc)


def read_item(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    items, index = args
    parts = self.parts(items)
    if parts is not None and isinstance(index, Const):
        if type(index.value) is int and -len(parts) <= index.value < len(parts):
            return [parts[index.value]]
        if type(index.value) is slice and self.is_tuple(items):
            chosen = parts[index.value]
            return [self.call(primitives.build_tuple, *chosen, name=names[0], loc=loc)]
    if isinstance(items, Value) and isinstance(index, Const) and type(index.value) is str:
        keywords = self.keywords(items)
        if keywords is not None and index.value in keywords:
            return [keywords[index.value]]
    stored = _just_stored(self, items, index)
    if stored is not None:
        return [stored]
    type_ = item_by_key(self, items, index)
    if type_ is None:
        return None
    (made,) = self._append(Const(operator.getitem), args, kwargs, names, loc)
    if isinstance(made, Value):
        made.type = type_
    return [made]


def _just_stored(self: TypedCalls, items: Operand, index: Operand) -> Operand | None:
    """The number that the last change of a list or dict has put where it is read now."""
    if self.places is None or not isinstance(items, Value) or self.places.held.is_held(items):
        return None
    made = self.definitions.get(items)
    if not isinstance(made, Call) or not isinstance(made.callee, Const):
        return None
    if made.callee.value is not primitives.stored:
        return None
    _, key, value = made.args
    if key is not index or class_of(type_of(items)) not in (list, dict):
        return None
    is_plain = widen(type_of(index)) in (Scalar(int), Scalar(str))
    return value if is_plain and isinstance(widen(type_of(value)), Scalar) else None
