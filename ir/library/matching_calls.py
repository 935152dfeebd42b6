"""Calls that `match` statements are made of, where the types of subject and class are known.

    part = match_attribute(point, attributes, 0)      part = point.x
    is_present(part)                            ->    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir import facts, patterns, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.inference.abstract_classes import is_instance
from ir.inference.special_calls import Folded, literal_keys, special, typed
from ir.library.fact_rules import BOOL, always, declare
from ir.types import BOTTOM, Dict, Known, Type, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


@facts.fold(patterns.is_instance)
def fold_is_instance(call: Call) -> Call | None:
    """A class pattern of a known class asks what `isinstance` does."""
    subject, cls = call.args
    if isinstance(cls, Const) and isinstance(cls.value, type):
        return Call(Const(isinstance), [subject, cls], {}, call.results, call.loc)
    return None


special(patterns.is_instance)(is_instance)


@declare(patterns.is_sequence)
def is_sequence(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls = class_of(args[0])
    return BOOL if cls is None else Known(bool(cls.__flags__ & patterns.SEQUENCE_FLAG))


@declare(patterns.is_mapping)
def is_mapping(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls = class_of(args[0])
    return BOOL if cls is None else Known(bool(cls.__flags__ & patterns.MAPPING_FLAG))


always(BOOL, patterns.is_instance, patterns.is_present)
facts.pure(patterns.is_sequence, patterns.is_mapping, patterns.is_present)


@special(patterns.without_keys)
def _without_keys(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    type_, keys = type_of(args[0]), literal_keys(args[1:])
    if not isinstance(type_, Dict) or keys is None:
        return None
    rest = Dict(tuple((name, item) for name, item in type_.items if name not in keys))
    return typed(self, patterns.without_keys, args, names, loc, rest)


@special(patterns.is_present)
def _is_present(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """The part of a subject that is the subject itself, or that its type has, is there."""
    found = self.definitions.get(args[0]) if isinstance(args[0], Value) else None
    if not isinstance(found, Call):
        return [Const(type_of(args[0]) != BOTTOM)]
    if isinstance(found.callee, Const) and found.callee.value is dict.get:
        match tuple(map(type_of, found.args)):
            case (Dict(items), Known(key), *_) if key in dict(items):
                return [Const(True)]
    return None


@special(patterns.match_attributes)
def _match_attributes(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    cls = args[0].value if isinstance(args[0], Const) else None
    if not isinstance(cls, type) or not all(isinstance(arg, Const) for arg in args):
        return None
    for owner in cls.__mro__:
        if "__match_args__" in vars(owner):
            self.surroundings.attribute_type(owner, "__match_args__")  # notes a guard
            break
    try:
        known = [arg.value for arg in args[1:] if isinstance(arg, Const)]
        found = patterns.match_attributes(cls, *known)
    except (TypeError, AttributeError):  # it will be raised when the program runs
        return None
    return [Const(found)]


@special(patterns.match_attribute)
def _match_attribute(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    subject, attributes, position = args
    if not isinstance(attributes, Const) or not isinstance(position, Const):
        return None
    name = attributes.value[position.value]
    if name is None:
        return [subject]
    return self.typed_call(
        Const(getattr), [subject, Const(name), Const(primitives.UNBOUND)], {}, names, loc
    )
