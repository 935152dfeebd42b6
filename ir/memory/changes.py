"""What the calls that change an object in place mean to inference: a new version of the object.

    operator.setitem(a, i, v)      a_1 = stored(a, i, v)
    xs.append(v)                   xs_1 = appended(xs, v)
    a += v (an array)              t = a + v; a_1 = overwritten(a, t)
    a[i] += v                      a_1 = added_at(a, i, v)
"""

from __future__ import annotations

import operator
from collections import Counter, deque
from numbers import Integral
from typing import Any

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.derived import as_class, container_class, found_in, is_asked, replaces
from ir.errors import Unsupported
from ir.heap import attribute_read
from ir.inference import case_by_case
from ir.inference.setting_apart import unless_changed
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.library.builtin_facts import IN_PLACE
from ir.memory.memory_facts import is_array_like, is_mutable
from ir.memory.place_state import check_call
from ir.simplify import is_silent
from ir.types import (
    TOP,
    Dict,
    Instance,
    Known,
    Mapping,
    Scalar,
    Sequence,
    Slice,
    Top,
    Tuple,
    Type,
    Union,
    any_keys,
    class_of,
    join,
    join_all,
    members_of,
    widen,
)

NONE = Const(None)


def stored_type(items: Type, index: Type, value: Type) -> Type:
    """The type of a container behind `items[index] = value`."""
    match items:
        case Sequence(cls, item) if issubclass(cls, list | deque):
            is_slice = isinstance(index, Slice) or (
                isinstance(index, Known) and isinstance(index.value, slice)
            )
            new = facts.item_of(value) if is_slice else value
            return Sequence(cls, join(item, widen(new)))
        case Dict(fields):
            if isinstance(index, Known) and type(index.value) is str:
                return Dict(tuple({**dict(fields), index.value: widen(value)}.items()))
            return stored_type(any_keys(items), index, value)
        case Mapping(cls, key, item, factory):
            return Mapping(cls, join(key, widen(index)), join(item, widen(value)), factory)
        case Tuple(parts):  # of which an item was changed in place
            if isinstance(index, Known) and index.value not in range(-len(parts), len(parts)):
                return items  # there is nothing to change
            known = range(len(parts))[index.value] if isinstance(index, Known) else None
            return Tuple(tuple(
                widen(value) if i == known else part if known is not None else (
                    join(part, widen(value))
                )
                for i, part in enumerate(parts)
            ))
        case Union(members):
            return join_all([stored_type(member, index, value) for member in members])
        case _:
            return items


@special(operator.setitem)
def _setitem(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 3 or not is_mutable(type_of(args[0])):
        return None
    cases = _unless_container(self, operator.setitem, args, names, loc)
    if cases is not None:
        return cases
    unless_replaced(self, args[0], "__setitem__", loc)
    _store(self, primitives.stored, args, loc)
    return [NONE]


def _unless_container(
    self: TypedCalls, callee: Any, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """A change of an item of what may be an object as well, which has a method for that."""
    if not any(map(is_asked, members_of(type_of(args[0])))):
        return None
    return case_by_case.by_kinds(self, callee, args, names, loc)


def unless_replaced(
    self: TypedCalls, items: Operand, method: str, loc: Location | None
) -> None:
    """Refuses a change of what has code of its own for that: it derives from a container, or is an
    object in the place of one. Where types don't tell, the run time does."""
    for type_ in members_of(type_of(items)):
        cls = class_of(type_)
        if cls is not None and replaces(cls, method):
            raise Unsupported(
                f"{cls.__name__} derives from a container and replaces its `{method}`", loc,
                advice="let the class hold the container in an attribute",
            )
    assert self.places is not None
    is_held = isinstance(items, Value) and self.places.held.is_held(items)
    if class_of(type_of(items)) is None and not is_held:  # what is held is looked at by its change
        check = self.surroundings.unless_replaced
        self.ops.append(check_call(check, [items, Const(method)], loc))


def _store(
    self: TypedCalls, callee: Any, args: list[Operand], loc: Location | None
) -> None:
    assert self.places is not None
    target, index, value = args
    type_ = stored_type(type_of(target), type_of(index), type_of(value))
    if self.places.is_element_at(value, target, index):
        return  # what stands there already, and was changed in place
    # A value stored into an array is copied; any other container holds it.
    held = [] if is_array_like(type_of(target)) else [value]
    if not held:
        self.surroundings.refuse_taken_apart(self, Const(primitives.stored), args, loc)
    is_slice = isinstance(widen(type_of(index)), Slice) or (
        isinstance(index, Const) and isinstance(index.value, slice)
    )
    if isinstance(type_of(target), Sequence) and is_slice:
        callee, value = primitives.spliced, self.call(list, value, loc=loc)
    self.places.change(callee, target, [index, value], loc, type_, held, index)


@special(primitives.augmented)
def _augmented(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    operation, items, before, value = args
    assert isinstance(operation, Const)
    callee = operation
    # What an index gives of an array is a part of its memory, a copy, or a number: to store the new
    # values back is right for all of them. A container holds an array that is changed.
    if is_array_like(type_of(items)):
        callee = Const(IN_PLACE[operation.value])
    is_open = _may_be_changed(type_of(items)) and _may_be_changed(type_of(before))
    if self.places is not None and is_open:
        if isinstance(before, Value):
            self.places.note_names(before, loc)
        is_array = self.call(hasattr, items, Const("dtype"), loc=loc)
        if self.heap is None:
            given = [operation, Const(IN_PLACE[operation.value]), is_array, before, value]
            return self.typed_call(Const(primitives.augmented_part), given, {}, names, loc)
        given = [operation, is_array, before, value]
        return self.unknown_call(Const(primitives.augmented_item), given, names, loc)
    return self.typed_call(callee, [before, value], {}, names, loc)


_ADDING = {
    operator.add: primitives.added_at, operator.sub: primitives.subtracted_at,
}


@special(primitives.store_back)
def _store_back(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or not is_mutable(type_of(args[0])):
        return None
    if any(map(is_asked, members_of(type_of(args[0])))):  # an object, which has a method for that
        return self.typed_call(Const(operator.setitem), args, kwargs, names, loc)
    unless_replaced(self, args[0], "__setitem__", loc)
    target, index, after = args
    is_array = is_array_like(type_of(target))
    shorter = _addition(self, target, index, after) if is_array else None
    if shorter is not None:
        callee, value = shorter
        self.places.change(callee, target, [index, value], loc, type_of(target), [])
    else:
        is_safe = not is_array or facts.same_kind(type_of(target), type_of(after))
        _store(self, primitives.stored if is_safe else primitives.stored_back, args, loc)
    return [NONE]


def _addition(
    self: TypedCalls, target: Operand, index: Operand, after: Operand
) -> tuple[Any, Operand] | None:
    """Whether `after` is what stands at the index with something added, and nothing else."""
    added = self.definitions.get(after) if isinstance(after, Value) else None
    if not isinstance(added, Call) or not isinstance(added.callee, Const):
        return None
    if added.callee.value not in _ADDING or not self.ops or self.ops[-1] is not added:
        return None
    before = self.definitions.get(added.args[0]) if isinstance(added.args[0], Value) else None
    if not isinstance(before, Call) or not isinstance(before.callee, Const):
        return None
    if before.callee.value is not operator.getitem or before.args[1] is not index:
        return None
    if before.args[0] is not target and not (
        isinstance(index, Const) and isinstance(before.args[1], Const)
    ):
        return None
    if before.args[0] is not target or not _is_plain_index(type_of(index)):
        return None
    if not facts.same_kind(type_of(target), type_of(after)):
        return None
    at = next((i for i, op in enumerate(self.ops) if op is before), None)
    if at is None:
        return None
    between = self.ops[at + 1 : -1]
    if not all(isinstance(op, Call) and (is_silent(op) or _only_reads(op)) for op in between):
        return None
    if any(before.result in op.args for op in between if isinstance(op, Call)):
        return None
    self.ops.pop()
    del self.ops[at]
    return _ADDING[added.callee.value], added.args[1]


def _only_reads(op: Call) -> bool:
    """Whether all that an operation can do beside giving an item of an array, or what an object
    holds, is to fail since there is none."""
    callee = op.callee.value if isinstance(op.callee, Const) else None
    if callee is attribute_read:
        return len(op.args) == 3 and class_of(op.result.type) is not None
    return callee is operator.getitem and is_array_like(type_of(op.args[0]))


def _is_plain_index(type_: Type) -> bool:
    """Whether an index can't name one element twice."""
    match type_:
        case Known(value):
            parts = value if isinstance(value, tuple) else (value,)
            return all(isinstance(part, int | slice | type(...)) for part in parts)
        case Slice():
            return True
        case _:
            items = getattr(type_, "items", None)
            if isinstance(items, tuple):
                return all(isinstance(item, Type) and _is_plain_index(item) for item in items)
            cls = getattr(type_, "cls", None)
            return isinstance(cls, type) and issubclass(cls, Integral) and not issubclass(cls, bool)


@special(operator.delitem)
def _delitem(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or not is_mutable(type_of(args[0])):
        return None
    cases = _unless_container(self, operator.delitem, args, names, loc)
    if cases is not None:
        return cases
    unless_replaced(self, args[0], "__delitem__", loc)
    type_ = deleted(tuple(map(type_of, args)), {})
    self.places.change(primitives.deleted, args[0], [args[1]], loc, type_, [])
    return [NONE]


@special(list.append)
def _append(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    return _grow(self, primitives.appended, args, 2, loc)


@special(list.insert)
@special(deque.insert)
def _insert(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    return _grow(self, primitives.inserted, args, 3, loc)


@special(list.extend)
def _extend(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 2:
        return None
    _extended(self, args[0], args[1], loc)
    return [NONE]


def _extended(self: TypedCalls, items: Operand, more: Operand, loc: Location | None) -> Value:
    assert self.places is not None
    added = self.call(list, more, loc=loc)
    type_ = extended((type_of(items), type_of(added)), {})
    return self.places.change(primitives.extended, items, [added], loc, type_, [more])


def _grow(
    self: TypedCalls, callee: Any, args: list[Operand], count: int, loc: Location | None
) -> Folded:
    if self.places is None or len(args) != count:
        return None
    type_ = appended(tuple(map(type_of, args)), {})
    self.places.change(callee, args[0], args[1:], loc, type_, [args[-1]])
    return [NONE]


@special(list.pop)
def _pop(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or not 1 <= len(args) <= 2:
        return None
    index = args[1] if len(args) == 2 else Const(-1)
    items = type_of(args[0])
    item = self.call(primitives.item_to_pop, args[0], index, name=names[0], loc=loc)
    self.places.change(primitives.deleted, args[0], [index], loc, items, [])
    return [item]


@facts.result(primitives.item_to_pop)
def item_to_pop(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return facts.item_of(args[0])


@facts.result(
    primitives.stored, primitives.stored_back, primitives.spliced, primitives.written
)
def stored(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return stored_type(*args)


@facts.result(primitives.overwritten, primitives.added_at, primitives.subtracted_at)
def changed(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


@facts.result(primitives.deleted)
def deleted(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    match args:
        case (Sequence() | Instance() | Mapping(), _):
            return args[0]
        case (Dict(fields), Known(str(key))):
            return Dict(tuple((name, type_) for name, type_ in fields if name != key))
        case (Dict() as items, _):
            return any_keys(items)
        case _:
            return TOP


@facts.result(primitives.appended, primitives.inserted)
def appended(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Sequence(_list_class(args[0]), join(facts.item_of(args[0]), widen(args[-1])))


def _list_class(type_: Type) -> type:
    cls = class_of(type_)
    return cls if cls is not None and issubclass(cls, list | deque) else list


@facts.result(primitives.extended)
def extended(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    item = join(facts.item_of(args[0]), facts.item_of(args[1]))
    return Sequence(_list_class(args[0]), item)


def _may_be_changed(type_: Type) -> bool:
    """Whether an augmented assignment may change what nothing is known of."""
    members = type_.members if isinstance(type_, Union) else (type_,)
    return any(isinstance(member, Top) for member in members)


def _may_be_array_or_number(type_: Type) -> bool:
    """Whether this is an array in some iterations, and the number that a sum starts with before."""
    members = type_.members if isinstance(type_, Union) else ()
    return any(map(is_array_like, members)) and all(
        is_array_like(member) or isinstance(widen(member), Scalar) for member in members
    )


def _is_asked_first(type_: Type) -> bool:
    """Whether `items += more` is `items + more`, by a method of the class of `more`: a list's own
    way comes after that."""
    cls = class_of(type_)
    return cls not in (None, int, float, complex, bool) and found_in(cls, "__radd__") is not None


_OF_SETS: dict[Any, Any] = {
    operator.or_: set.update, operator.and_: set.intersection_update,
    operator.sub: set.difference_update, operator.xor: set.symmetric_difference_update,
}


def _in_place(callee: Any, plain: Any) -> None:
    @special(callee)
    def handler(
        self: TypedCalls,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> Folded:
        if self.places is None:
            return None
        items = type_of(args[0])
        whole: list[Operand]
        if self.heap is not None and _may_be_changed(items):
            if isinstance(args[0], Value):
                self.places.note_names(args[0], loc)
            if self.surroundings.sets_apart(items):
                unless_changed(self, args[0], plain.__name__, loc)
                return self.typed_call(Const(plain), args, kwargs, names, loc)
            return self.unknown_call(Const(callee), args, names, loc)
        if plain is operator.add and isinstance(items, Sequence) and (
            container_class(items) is list
        ):
            if _is_asked_first(type_of(args[1])):
                return self.typed_call(Const(plain), args, kwargs, names, loc)
            if class_of(type_of(args[1])) is None:
                check = self.surroundings.unless_asked_first
                self.ops.append(check_call(check, [args[1]], loc))
            return [_extended(self, args[0], args[1], loc)]
        cls = class_of(items)
        is_mapping = cls is not None and issubclass(cls, dict) and not issubclass(cls, Counter)
        if plain is operator.or_ and is_mapping:
            self.typed_call(Const(dict.update), args, {}, ["_"], loc)
            return [self.places.latest(args[0])] if isinstance(args[0], Value) else None
        if cls is set and plain in _OF_SETS and class_of(type_of(args[1])) in (set, frozenset):
            self.typed_call(Const(_OF_SETS[plain]), args, {}, ["_"], loc)
            return [self.places.latest(args[0])] if isinstance(args[0], Value) else None
        if plain is operator.mul and container_class(items) is list:
            value = self.call(plain, *args, loc=loc)
            whole = [Const(slice(None)), value]
            type_ = as_class(cls, type_of(value)) if cls is not None else TOP
            return [self.places.change(
                primitives.spliced, args[0], whole, loc, type_, [value]
            )]
        if _may_be_array_or_number(items):
            return case_by_case.by_kinds(self, callee, args, names, loc)
        if not is_array_like(items):
            return None
        value = self.call(plain, *args, loc=loc)
        type_ = type_of(args[0])
        if isinstance(value, Value):
            value.type = value.type.of_one_shape(type_)  # or storing it raises
        if facts.same_kind(type_, type_of(value)):
            whole = [Const(...), value]
            return [self.places.change(primitives.stored, args[0], whole, loc, type_, [])]
        return [self.places.change(primitives.overwritten, args[0], [value], loc, type_, [])]


for _callee, _plain in IN_PLACE.items():
    _in_place(_callee, _plain)
