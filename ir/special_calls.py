"""Calls that inference resolves by itself: names, attributes, displays, unpacking, items.

    load_global('math')                 ->  the module
    getattr(x, 'T')                     ->  a call of the descriptor, where the type of x is known
    a, b = unpack(build_tuple(x, y))    ->  x, y

A handler gives the operands of the results, or None where the call stays a call.
"""

from __future__ import annotations

import dataclasses
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import (
    Call,
    Const,
    Function,
    Lambda,
    Location,
    Operand,
    Value,
    type_of,
)
from ir.errors import Unsupported
from ir.heap import (
    attribute_deleted,
    attribute_read,
    attribute_set,
    attribute_stored,
    delete_attribute,
    set_attribute,
)
from ir.types import (
    LITERALS,
    TOP,
    Closure,
    Dict,
    Known,
    Mapping,
    Method,
    Scalar,
    Sequence,
    Tuple,
    Type,
    class_of,
    join_all,
    widen,
)

if TYPE_CHECKING:
    from ir.infer import Inference

HEAP_TYPE = 1 << 9  # in `__flags__`: made by a class statement
Folded = list[Operand] | None
Special = Callable[
    ["Inference", list[Operand], dict[str, Operand], list[str], "Location | None"], Folded
]
SPECIAL: dict[int, Special] = {}


def special(*callees: object) -> Callable[[Special], Special]:
    def register(function: Special) -> Special:
        for callee in callees:
            SPECIAL[id(callee)] = function
        return function

    return register


def typed(
    inference: Inference, callee: object, args: list[Operand], names: list[str],
    loc: Location | None, *types_: Type,
) -> list[Operand]:
    results = [Value(name, type_) for name, type_ in zip(names, types_, strict=True)]
    inference._define(Call(Const(callee), args, {}, results, loc))
    return list(results)


@special(primitives.load_global)
def _load_global(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if not isinstance(args[0], Const):
        return None
    type_ = self.surroundings.global_type(self.globals, args[0].value)
    if isinstance(type_, Known):
        return [Const(type_.value)]
    if self.globals is not self.home and args[0].value in self.globals:
        foreign: list[Operand] = [Const(self.globals), args[0]]
        return typed(self, operator.getitem, foreign, names, loc, type_)
    return typed(self, primitives.load_global, args, names, loc, type_)


@special(getattr)
def _getattr(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if is_unbound(args[-1]) and isinstance(args[1], Const):
        stored = facts.attribute_of(widen(type_of(args[0])), args[1].value)
        is_method = isinstance(stored, Method)
        return typed(self, getattr, args, names, loc, TOP if is_method else stored)
    if len(args) != 2 or not isinstance(args[1], Const):
        return _read_by_any_name(self, args, names, loc)
    owner, name = args[0], args[1].value
    if isinstance(owner, Const):
        if isinstance(owner.value, type) and self.places is not None:
            found = self._of_class(owner, name, names, loc)
            if found is not None:
                return found
        if isinstance(owner.value, types.ModuleType | type):
            type_ = self.surroundings.attribute_type(owner.value, name)
            if isinstance(type_, Known):
                return [Const(type_.value)]
            return typed(self, getattr, args, names, loc, type_)
        if type(owner.value) in (int, float, complex):
            found = getattr(owner.value, name, None)
            if type(found) in (int, float):
                return [Const(found)]
    owner_type = type_of(owner)
    owner_type = widen(owner_type)
    type_ = facts.attribute_of(owner_type, name)
    if isinstance(type_, Method) and isinstance(type_.function, Known):
        (result,) = typed(self, getattr, args, names, loc, type_)
        assert isinstance(result, Value)
        self.methods[result] = Const(type_.function.value), owner
        return [result]
    descriptor = _descriptor(owner_type, name)
    if descriptor is not None:
        return self.typed_call(Const(descriptor), [owner], {}, names, loc)
    above = self._of_super(owner, name)
    if above is not None:
        return bound_method(self, above[0], above[1], [owner, args[1]], names, loc)
    if self.places is not None:
        found = read_attribute(self, owner, name, names, loc)
        if found is not None:
            return found
    return typed(self, getattr, args, names, loc, type_)


def _read_by_any_name(
    self: Inference, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """`getattr(o, name)` for a name that is computed, or with a default."""
    if self.places is None or self.surroundings.member(type_of(args[0]), "").kind == "other":
        return None
    self.works_on_objects = True
    if self.heap is None:
        return None
    return typed(self, attribute_read, [self.current_heap(loc), *args], names, loc, TOP)


def bound_method(
    self: Inference, function: Any, first: Operand, read: list[Operand], names: list[str],
    loc: Location | None,
) -> list[Operand]:
    """A method: a call of it is one of its function with the object in front."""
    type_ = Method(Known(function), type_of(first))
    (method,) = typed(self, getattr, read, names, loc, type_)
    assert isinstance(method, Value)
    self.methods[method] = Const(function), first
    return [method]


def read_attribute(
    self: Inference, owner: Operand, name: str, names: list[str], loc: Location | None
) -> Folded:
    """Reads what an object may hold, in a function that takes the heap; others note that they
    would need it."""
    assert self.places is not None
    member = self.surroundings.member(type_of(owner), name)
    if member.kind == "other":
        return None
    if member.kind in ("method", "static", "of class"):
        cls = class_of(type_of(owner))
        self.surroundings.note_lookup(cls, name)
        if not self.surroundings.is_of_class(cls, name):
            self.works_on_objects = True
            return None
        if member.kind == "static":
            return [Const(member.getter)]
        first = owner if member.kind == "method" else Const(cls)
        return bound_method(self, member.getter, first, [owner, Const(name)], names, loc)
    self.works_on_objects = True
    self.reads_objects |= member.kind == "stored"
    self.surroundings.note_lookup(class_of(type_of(owner)), name)
    if self.heap is None:
        return None
    if member.kind == "computed" and member.getter is not None:
        return self.typed_call(Const(member.getter), [owner], {}, names, loc)
    operands: list[Operand] = [self.current_heap(loc), owner, Const(name)]
    type_ = self.surroundings.field_type(owner, name) if member.kind == "stored" else TOP
    made = typed(self, attribute_read, operands, names, loc, type_)
    self.places.held.expose(made)
    return made


@special(primitives.special_method)
def _special_method(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """The method that a statement calls, which Python looks up in the class alone."""
    if self.places is None or not isinstance(args[1], Const):
        return None
    found = self.surroundings.member(type_of(args[0]), args[1].value)
    if found.kind != "method":
        return None
    self.surroundings.note_lookup(class_of(type_of(args[0])), args[1].value)
    type_ = Method(Known(found.getter), type_of(args[0]))
    (method,) = typed(self, primitives.special_method, args, names, loc, type_)
    assert isinstance(method, Value)
    self.methods[method] = Const(found.getter), args[0]
    return [method]


@special(set_attribute, setattr)
def _set_attribute(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 3 or kwargs:
        return None
    owner, name, value = args
    if not isinstance(name, Const) or type(name.value) is not str:
        return self.unknown_call(Const(setattr), args, names, loc)
    member = self.surroundings.member(type_of(owner), name.value)
    if member.kind == "other":
        cls = owner.value if isinstance(owner, Const) else None
        place = f"the class {cls.__name__}" if isinstance(cls, type) else "what is no plain object"
        raise Unsupported(f"the attribute `{name.value}` is stored into {place}", loc)
    self.surroundings.note_lookup(class_of(type_of(owner)), "__setattr__")
    if member.hook is not None:
        return self.typed_call(Const(member.hook), args, {}, names, loc)
    self.surroundings.note_lookup(class_of(type_of(owner)), name.value)
    if member.store == "computed":
        return self.typed_call(Const(member.setter), [owner, value], {}, names, loc)
    if member.store == "unknown":
        return self.unknown_call(Const(setattr), args, names, loc)
    _store(self, attribute_stored, [owner, name, value], [value], loc)
    return [Const(None)]


@special(object.__setattr__)
def _set_directly(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 3 or not isinstance(args[1], Const):
        return None
    member = self.surroundings.member(type_of(args[0]), args[1].value)
    if member.store == "computed":
        return self.typed_call(Const(member.setter), [args[0], args[2]], {}, names, loc)
    if member.store != "plain":
        return self.unknown_call(Const(object.__setattr__), args, names, loc)
    _store(self, attribute_set, args, [args[2]], loc)
    return [Const(None)]


@special(delete_attribute, delattr)
def _delete_attribute(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 2 or not isinstance(args[1], Const):
        return None
    cls = class_of(type_of(args[0]))
    if not self.surroundings.member(type_of(args[0]), args[1].value).is_plainly_deleted:
        return self.unknown_call(Const(delattr), args, names, loc)
    self.surroundings.note_lookup(cls, "__delattr__")
    _store(self, attribute_deleted, args, [], loc)
    return [Const(None)]


@special(dataclasses.replace)
def _replace(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    cls = class_of(type_of(args[0])) if args else None
    if self.places is not None:
        self.current_heap(loc)  # where objects that were made are known by their classes
    if cls is None or not dataclasses.is_dataclass(cls) or self.heap is None:
        return None
    given = dict(kwargs)
    for field in dataclasses.fields(cls):
        if field.init and field.name not in given:
            given[field.name] = self.call(getattr, args[0], Const(field.name), loc=loc)
    return self.typed_call(Const(cls), [], given, names, loc)


def _store(
    self: Inference, callee: Any, operands: list[Operand], held: list[Operand],
    loc: Location | None,
) -> None:
    assert self.places is not None
    heap = self.current_heap(loc)
    if held:
        name = operands[1]
        assert isinstance(name, Const)
        self.surroundings.note_store(type_of(operands[0]), name.value, type_of(held[0]))
    self.places.held.store(callee, heap, operands, held, loc)


@special(primitives.build_tuple)
def _build_tuple(
    self: Inference,
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
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    item = join_all(widen(type_of(arg)) for arg in args)
    return typed(self, primitives.build_list, args, names, loc, Sequence(list, item))


@special(primitives.build_dict)
def _build_dict(
    self: Inference,
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
    self: Inference,
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
    self: Inference,
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
        case Tuple(item_types) if len(item_types) == count:
            return typed(self, primitives.unpack, args, names, loc, *item_types)
        case _:
            item = facts.item_of(type_)
            return typed(self, primitives.unpack, args, names, loc, *[item] * count)


@special(primitives.unpack_starred)
def _unpack_starred(
    self: Inference,
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
    return typed(self, primitives.unpack_starred, args, names, loc, *found)


@special(primitives.check_bound)
def _check_bound(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    return typed(self, primitives.check_bound, args, names, loc, type_of(args[0]))


@special(primitives.apply)
def _apply(
    self: Inference,
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
    if parts is None:
        return None
    return self.typed_call(function, parts, keywords, names, loc)


@special(primitives.merge_dicts)
def _merge_dicts(
    self: Inference,
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
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    types_ = [type_ for type_ in map(type_of, args) if isinstance(type_, Tuple)]
    if len(types_) != len(args):
        return None
    whole: list[Operand] = []
    for arg, type_ in zip(args, types_, strict=True):
        parts = self.parts(arg)
        if parts is None:
            count = len(type_.items)
            parts = [self.call(operator.getitem, arg, Const(i), loc=loc) for i in range(count)]
        whole += parts
    return [self.call(primitives.build_tuple, *whole, name=names[0], loc=loc)]


@special(operator.truth)
def _truth(
    self: Inference,
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


@special(operator.getitem)
def _getitem(
    self: Inference,
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
    return None


@special(primitives.read_captured)
def _read_captured(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if not isinstance(args[1], Const):
        return None
    function, name = args[0], args[1].value
    made = self.definitions.get(function) if isinstance(function, Value) else None
    if isinstance(made, Lambda):
        for value, operand in zip(made.function.captured, made.captures, strict=True):
            if value.name == name:
                return [operand]
    type_ = type_of(function)
    if isinstance(type_, Closure):
        captured = _captured_names(type_.code)
        found = type_.captures[captured.index(name)]
        if isinstance(found, Known):
            return [Const(found.value)]
        return typed(self, primitives.read_captured, args, names, loc, found)
    return None


@special(primitives.read_default)
def _read_default(
    self: Inference,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    function, name, *rest = [*args, Const(None)][:3]
    if not isinstance(name, Const) or not isinstance(place := rest[0], Const):
        return None
    made = self.definitions.get(function) if isinstance(function, Value) else None
    if isinstance(made, Lambda):
        keyword_only = place.value is None
        return [made.kwdefaults[name.value] if keyword_only else made.defaults[place.value]]
    type_ = type_of(function)
    if not isinstance(type_, Closure):
        return None
    by_name = dict(type_.kwdefaults)
    found = by_name[name.value] if place.value is None else type_.defaults[place.value]
    if isinstance(found, Known):
        return [Const(found.value)]
    return typed(self, primitives.read_default, args, names, loc, found)


def is_unbound(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is primitives.UNBOUND


def _captured_names(code: Any) -> list[str]:
    if isinstance(code, Function):
        return [value.name for value in code.captured]
    return list(code.co_freevars)


def _descriptor(owner: Type, name: str) -> object | None:
    """What an attribute is read by, where it is a field of a class written in C."""
    cls = class_of(owner)
    found = getattr(cls, name, None) if cls is not None else None
    kinds = types.GetSetDescriptorType | types.MemberDescriptorType
    if not isinstance(found, kinds) or found.__objclass__.__flags__ & HEAP_TYPE:
        return None  # a slot of a user's class is a plain attribute
    return found


def is_literal(value: object) -> bool:
    if type(value) is tuple:
        return all(map(is_literal, value))
    if type(value) is slice:
        return all(map(is_literal, (value.start, value.stop, value.step)))
    return type(value) in LITERALS


def literal_keys(operands: list[Operand]) -> list[str] | None:
    keys = [o.value for o in operands if isinstance(o, Const) and type(o.value) is str]
    return keys if len(keys) == len(operands) else None
