"""What methods of mappings and deques that change them mean to inference.

    d.setdefault(k, v)             d_1 = defaulted(d, k, v); getitem(d_1, k)
    d[k] (a defaultdict)           d_1 = touched(d, k); getitem(d_1, k)
    q.append(v) (a deque)          q_1 = pushed(q, v)
    q.popleft()                    item_to_pop(q, 0); q_1 = deleted(q, 0)
"""

from __future__ import annotations

import operator
import types
from collections import OrderedDict, defaultdict, deque
from typing import Any

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.derived import container_class
from ir.errors import Unsupported
from ir.inference.special_calls import Folded, special
from ir.inference.typed_branches import is_same_operand
from ir.inference.typed_calls import TypedCalls
from ir.library.fact_rules import call_type
from ir.memory.changes import appended, stored_type
from ir.memory.held_functions import may_be_memory
from ir.types import BOTTOM, TOP, Closure, Dict, Known, Mapping, Scalar, Sequence, Type, class_of

NONE = Const(None)
# What makes items of a defaultdict that no derivative flows into.
PLAIN_FACTORIES = (list, dict, set, float, int, complex, str, bool, deque, OrderedDict)


def _change(
    self: TypedCalls, callee: Any, args: list[Operand], loc: Location | None, type_: Type,
    held: list[Operand],
) -> Folded:
    if self.places is None:
        return None
    self.places.change(callee, args[0], args[1:], loc, type_, held)
    return [NONE]


@special(dict.update)
def _update(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """`d.update({'a': v}, b=w)` as a store for each key, where all keys are known."""
    if self.places is None or self.attempting is not None or not 1 <= len(args) <= 2:
        return None
    others = [type_of(arg) for arg in args[1:]]
    if class_of(type_of(args[0])) is not dict or not all(
        isinstance(other, Dict) and class_of(other) is dict for other in others
    ):
        return None
    stores: list[tuple[Operand, Operand]] = []
    for arg, other in zip(args[1:], others, strict=True):
        assert isinstance(other, Dict)
        for name, _ in other.items:
            stores.append((Const(name), self.call(operator.getitem, arg, Const(name), loc=loc)))
    stores += [(Const(name), value) for name, value in kwargs.items()]
    for store in stores:
        self.typed_call(Const(operator.setitem), [args[0], *store], {}, ["_"], loc)
    return [NONE]


@special(dict.setdefault)
@special(OrderedDict.setdefault)
def _setdefault(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or kwargs or not 2 <= len(args) <= 3:
        return None
    default = args[2] if len(args) == 3 else NONE
    type_ = defaulted_type(type_of(args[0]), type_of(args[1]), type_of(default))
    mapping = self.places.change(
        primitives.defaulted, args[0], [args[1], default], loc, type_, [default]
    )
    return [self.call(operator.getitem, mapping, args[1], name=names[0], loc=loc)]


def read_of_defaultdict(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """An item of a defaultdict, which makes those that are missing; None where it makes none."""
    type_ = type_of(args[0])
    assert self.places is not None and isinstance(type_, Mapping)
    if _is_touched(self, *args):
        return self._append(Const(operator.getitem), args, kwargs, names, loc)
    made = default_type(type_)
    if made == TOP and isinstance(type_.factory, Closure | Known):
        made = self.surroundings.call_type(type_.factory, (), {})
    if made is None:
        return None
    grown = stored_type(type_, type_of(args[1]), made)
    mapping: Operand
    if may_be_memory(made) and self.heap is not None and self.surroundings.follows_contents():
        # What is made has to be known before an object holds it.
        new = self.call(_factory_of(self, args[0], loc), name="made", loc=loc)
        changed = self.places.change(
            primitives.defaulted, args[0], [args[1], new], loc, grown, [new]
        )
        mapping = self.places.read(changed, loc)
    else:
        mapping = self.places.change(primitives.touched, args[0], [args[1]], loc, grown, [])
    return self._append(Const(operator.getitem), [mapping, args[1]], kwargs, names, loc)


def _factory_of(self: TypedCalls, mapping: Operand, loc: Location | None) -> Operand:
    type_ = type_of(mapping)
    assert isinstance(type_, Mapping)
    if isinstance(type_.factory, Known):
        return Const(type_.factory.value)
    factory = self.call(getattr, mapping, Const("default_factory"), name="make", loc=loc)
    if isinstance(factory, Value):
        factory.type = type_.factory
    return factory


def _is_touched(self: TypedCalls, mapping: Operand, key: Operand) -> bool:
    """Whether a mapping has just been asked for a key: a second time changes nothing.

    So it is in the adjoints of adjoints, which have the change that the first one is made of. What
    objects hold may have changed under another name meanwhile.
    """
    assert self.places is not None
    if self.places.is_in_versions:
        return True
    if self.heap is not None and self.surroundings.may_change_held():
        return False
    found = self.definitions.get(mapping) if isinstance(mapping, Value) else None
    return isinstance(found, Call) and isinstance(found.callee, Const) and (
        found.callee.value is primitives.touched and is_same_operand(found.args[1], key)
    )


@special(defaultdict)
def _defaultdict(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is not None and args and not (
        _makes_constants(type_of(args[0])) or _is_of_another(self, args[0])
    ):
        raise Unsupported(
            "what a defaultdict makes for a missing key may depend on what its function has "
            "captured, and has no derivative", loc, advice="use `setdefault`, or `if key not in d`",
        )
    return None


def _is_of_another(self: TypedCalls, factory: Operand) -> bool:
    """Whether it is the factory of a defaultdict that was made before."""
    made = self.definitions.get(factory) if isinstance(factory, Value) else None
    return isinstance(made, Call) and isinstance(made.callee, Const) and (
        made.callee.value is vars(defaultdict)["default_factory"]
    )


def _makes_constants(factory: Type) -> bool:
    """Whether a function without arguments gives the same each time, and changes nothing."""
    match factory:
        case Closure(captures=captures, defaults=defaults):
            return all(map(_makes_constants, (*captures, *defaults)))
        case Known(value):
            return not isinstance(value, types.MethodType)
        case Scalar(cls):
            return issubclass(cls, int | str | bytes)
        case _:
            return False


def defaulted_type(mapping: Type, key: Type, default: Type) -> Type:
    """The type of a dict behind `mapping.setdefault(key, default)`."""
    if isinstance(mapping, Dict) and isinstance(key, Known) and key.value in dict(mapping.items):
        return mapping
    return stored_type(mapping, key, default)


def touched_type(mapping: Type, key: Type) -> Type:
    """The type of a defaultdict behind `mapping[key]`."""
    made = default_type(mapping) if isinstance(mapping, Mapping) else None
    return mapping if made is None else stored_type(mapping, key, made)


def default_type(type_: Mapping) -> Type | None:
    """The type of what a defaultdict makes for a missing key; None where it makes nothing."""
    match type_.factory:
        case Known(None):
            return None
        case Known(factory) if factory is dict:
            return Mapping(dict, BOTTOM, BOTTOM)
        case Known(factory) if factory in PLAIN_FACTORIES:
            return call_type(factory)
        case _:
            return TOP


@special(deque.append)
def _append(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    type_ = appended(tuple(map(type_of, args)), {})
    return _change(self, primitives.pushed, args, loc, type_, args[1:])


@special(deque.appendleft)
def _appendleft(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    type_ = appended(tuple(map(type_of, args)), {})
    return _change(self, primitives.pushed_left, args, loc, type_, args[1:])


@special(deque.rotate)
def _rotate(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    args = args if len(args) == 2 else [*args, Const(1)]
    return _change(self, primitives.rotated, args, loc, type_of(args[0]), [])


@special(deque.clear)
@special(dict.clear)
@special(OrderedDict.clear)
def _clear(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    return _change(self, primitives.emptied, args, loc, _emptied(args[0]), [])


def _emptied(items: Operand) -> Type:
    type_ = type_of(items)
    return type_ if isinstance(type_, Mapping | Sequence) else facts.abstract({})


@special(OrderedDict.move_to_end)
def _move_to_end(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    last = kwargs.get("last", args[2] if len(args) > 2 else Const(True))
    given = [args[0], args[1], last]
    return _change(self, primitives.moved_to_end, given, loc, type_of(args[0]), [])


def _regrouping(method: Any) -> None:
    @special(method)
    def regroup(
        self: TypedCalls,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> Folded:
        given = [args[0], Const(method.__name__), *args[1:]]
        return _change(self, primitives.regrouped, given, loc, type_of(args[0]), [])


for _method in (
    set.add, set.discard, set.remove, set.clear, set.difference_update,
    set.intersection_update, set.symmetric_difference_update,
):
    _regrouping(_method)


def _popping(method: Any, index: int) -> None:
    @special(method)
    def pop(
        self: TypedCalls,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> Folded:
        if self.places is None or len(args) != 1 or container_class(type_of(args[0])) is not deque:
            return None
        position = Const(index)
        item = self.call(primitives.item_to_pop, args[0], position, name=names[0], loc=loc)
        type_ = type_of(args[0])
        self.places.change(primitives.deleted, args[0], [position], loc, type_, [])
        return [item]


_popping(deque.pop, -1)
_popping(deque.popleft, 0)


@facts.result(
    primitives.pushed, primitives.pushed_left,
)
def pushed(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return appended(args, kwargs)


@facts.result(primitives.regrouped)
@facts.result(primitives.rotated, primitives.emptied, primitives.moved_to_end, primitives.cycled)
def changed(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


@facts.result(primitives.touched)
def touched(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return touched_type(*args)


@facts.result(primitives.defaulted)
def defaulted(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return defaulted_type(*args)
