"""Attributes that are computed, by methods that inference knows, and the methods themselves.

    o.area      of a property       ->  Circle.area.fget(o)
    o.price     of a descriptor     ->  Price.__get__(descriptor, o, type(o))
    C.count     of a metaclass      ->  Counting.count.fget(C)
    o.scale(x)                      ->  Circle.scale(o, x)
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ir import try_primitives
from ir.core import Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special, typed
from ir.late import late
from ir.types import Known, Method, class_of

if TYPE_CHECKING:
    from ir.inference import case_by_case
    from ir.inference.surroundings import Member
    from ir.inference.typed_calls import TypedCalls
else:
    case_by_case = late("ir.inference.case_by_case")


def bound_method(
    self: TypedCalls, function: Any, first: Operand, read: list[Operand], names: list[str],
    loc: Location | None,
) -> list[Operand]:
    """A method: a call of it is one of its function with the object in front."""
    type_ = Method(Known(function), type_of(first))
    (method,) = typed(self, getattr, read, names, loc, type_)
    assert isinstance(method, Value)
    self.methods[method] = Const(function), first
    return [method]


@special(try_primitives.special_method)
def _special_method(
    self: TypedCalls,
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
    (method,) = typed(self, try_primitives.special_method, args, names, loc, type_)
    assert isinstance(method, Value)
    self.methods[method] = Const(found.getter), args[0]
    return [method]


def read_of_metaclass(
    self: TypedCalls, cls: Const, name: Operand, kind: str, function: types.FunctionType,
    names: list[str], loc: Location | None,
) -> list[Operand]:
    """Reads what the metaclass of a class answers with."""
    assert isinstance(name, Const)
    self.surroundings.note_lookup(type(cls.value), name.value)
    if kind == "method":
        return bound_method(self, function, cls, [cls, name], names, loc)
    given: list[Operand] = [cls, name] if kind == "any" else [cls]
    return self.typed_call(Const(function), given, {}, names, loc)


def computed(
    self: TypedCalls, member: Member, owner: Operand, names: list[str], loc: Location | None
) -> list[Operand]:
    """What computes an attribute: of a property, or the method of a descriptor."""
    given = [owner]
    if member.descriptor is not None:
        self.surroundings.note_lookup(type(member.descriptor), "__get__")
        given = [Const(member.descriptor), owner, Const(class_of(type_of(owner)))]
    return self.typed_call(Const(member.getter), given, {}, names, loc)


def computed_unless_stored(
    self: TypedCalls, member: Member, owner: Operand, name: str, names: list[str],
    loc: Location | None,
) -> Folded:
    """An attribute that is computed where the object holds none, and stored then, or not."""
    cls = class_of(type_of(owner))
    if member.kind == "missing":
        self.surroundings.note_lookup(cls, "__getattr__")
        if self.surroundings.is_of_class(cls, name):
            return self.typed_call(Const(member.getter), [owner, Const(name)], {}, names, loc)
        return case_by_case.read_or_computed(self, member.getter, owner, name, True, names, loc)
    if not self.surroundings.is_made_inside(cls):
        return None  # it may have been computed before, from what isn't known
    return case_by_case.read_or_computed(self, member.getter, owner, name, False, names, loc)
