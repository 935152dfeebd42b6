"""Stores into attributes, and deletions of them, as inference resolves them.

    set_attribute(p, 'x', v)     ->  attribute_stored(heap, p, 'x', v)
    delete_attribute(p, 'x')     ->  attribute_deleted(heap, p, 'x')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.derived import is_derived
from ir.errors import Unsupported
from ir.heap import (
    attribute_deleted,
    attribute_set,
    attribute_stored,
    class_stored,
    delete_attribute,
    set_attribute,
    store_attribute,
)
from ir.inference.caught_errors import known_error
from ir.inference.present_objects import object_unless_plain
from ir.inference.special_attributes import is_of_cases
from ir.inference.special_calls import Folded, special
from ir.late import late
from ir.shared_names import has_names, owner_of_names
from ir.types import BOTTOM, class_of

if TYPE_CHECKING:
    from ir.inference import case_by_case, computed_names, special_names, unknown_owners
    from ir.inference.surroundings import Member
    from ir.inference.typed_calls import TypedCalls
else:
    case_by_case = late("ir.inference.case_by_case")
    special_names = late("ir.inference.special_names")
    computed_names = late("ir.inference.computed_names")
    unknown_owners = late("ir.inference.unknown_owners")


@special(set_attribute, setattr)
def _set_attribute(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 3 or kwargs:
        return None
    owner, name, value = args
    if is_derived(type_of(owner)):
        from ir.inference.special_derived import changed_by_attribute  # few programs need it

        return changed_by_attribute(self, "__setattr__", owner, [name, value], loc)
    if not isinstance(name, Const) or type(name.value) is not str:
        return computed_names.by_names(self, setattr, args, names, loc) or (
            self.unknown_call(Const(setattr), args, names, loc)
        )
    if isinstance(owner, Const) and has_names(owner.value, name.value):
        given = [Const(primitives.Namespace(owner_of_names(owner.value), owner.value)), name, value]
        return self.typed_call(Const(primitives.store_global), given, {}, names, loc)
    owner = object_unless_plain(self, owner, name.value, loc, is_stored=True)
    owner = known_error(self, owner, loc)
    args = [owner, name, value]
    if is_of_cases(self, type_of(owner), name.value):
        found = case_by_case.by_cases(self, set_attribute, args, names, loc)
        if found is not None:
            return found
    if unknown_owners.is_asked(self, owner):
        return unknown_owners.store_by_classes(self, owner, name.value, value, loc)
    member = self.surroundings.member(type_of(owner), name.value)
    if member.kind == "other" and isinstance(owner, Const) and (
        isinstance(owner.value, type)
        and self.surroundings.is_class_store(owner.value, name.value)
    ):
        if self.surroundings.is_shared(owner.value, name.value):
            return special_names.store_shared(self, owner.value, name, value, loc)
        heap = self.current_heap(loc)
        self.surroundings.note_assigned(owner.value, name.value, type_of(value))
        self.places.held.store(class_stored, heap, args, [], loc)
        return [Const(None)]
    if member.kind == "other" and member.setter is not None:
        if _is_its_own(self, owner, name.value, value):
            return [Const(None)]
        return self.typed_call(Const(member.setter), [owner, value], {}, names, loc)
    if type_of(owner) == BOTTOM:  # of what holds nothing as yet nothing is known
        return self.unknown_call(Const(setattr), args, names, loc)
    if member.kind == "other":
        cls = owner.value if isinstance(owner, Const) else None
        place = f"the class {cls.__name__}" if isinstance(cls, type) else "what is no plain object"
        raise Unsupported(f"the attribute `{name.value}` is stored into {place}", loc)
    self.surroundings.note_lookup(class_of(type_of(owner)), "__setattr__")
    if member.hook is not None:
        return self.typed_call(Const(member.hook), args, {}, names, loc)
    self.surroundings.note_lookup(class_of(type_of(owner)), name.value)
    if member.store == "computed":
        return _stored_by_setter(self, member, owner, value, names, loc)
    if member.store == "unknown":
        return self.unknown_call(Const(setattr), args, names, loc)
    _store(self, attribute_stored, [owner, name, value], [value], loc)
    return [Const(None)]


def _is_its_own(self: TypedCalls, owner: Operand, name: str, value: Operand) -> bool:
    """Whether a value is the view that an attribute gives, changed in place: `z.real += x` stores
    it where it stands already."""
    if self.places is None or not isinstance(owner, Value) or not isinstance(value, Value):
        return False
    places = self.places
    view = places.definition(places.origin(value))
    return (
        isinstance(view, Call) and isinstance(view.callee, Const) and facts.is_view(view)
        and view.callee.value is getattr(class_of(owner.type), name)
        and isinstance(view.args[0], Value)
        and places.origin(view.args[0]) is places.origin(owner)
    )


@special(object.__setattr__)
def _set_directly(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 3:
        return None
    if is_derived(type_of(args[0])):
        cls = class_of(type_of(args[0]))
        raise Unsupported(f"an attribute is stored in a {cls and cls.__name__}", loc)
    if not isinstance(args[1], Const):
        return computed_names.by_names(self, object.__setattr__, args, names, loc) or (
            self.unknown_call(Const(object.__setattr__), args, names, loc)
        )
    member = self.surroundings.member(type_of(args[0]), args[1].value)
    if member.store == "computed":
        return _stored_by_setter(self, member, args[0], args[2], names, loc)
    if member.store != "plain":
        return self.unknown_call(Const(object.__setattr__), args, names, loc)
    _store(self, attribute_set, args, [args[2]], loc)
    return [Const(None)]


@special(store_attribute)
def _store_in_object(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """What is computed once, which no `__setattr__` hears of."""
    owner, name, value = args
    assert isinstance(name, Const)
    hook = self.surroundings.member(type_of(owner), name.value).hook
    self.surroundings.note_lookup(class_of(type_of(owner)), "__setattr__")
    _store(self, attribute_stored if hook is None else attribute_set, args, [value], loc)
    return [Const(None)]


def _stored_by_setter(
    self: TypedCalls, member: Member, owner: Operand, value: Operand, names: list[str],
    loc: Location | None,
) -> Folded:
    """Calls what stores into an attribute: of a property, or the method of a descriptor."""
    given = [owner, value]
    if member.descriptor is not None:
        self.surroundings.note_lookup(type(member.descriptor), "__set__")
        given = [Const(member.descriptor), *given]
    return self.typed_call(Const(member.setter), given, {}, names, loc)


@special(delete_attribute, delattr)
def _delete_attribute(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 2:
        return None
    if is_derived(type_of(args[0])):
        from ir.inference.special_derived import changed_by_attribute  # few programs need it

        return changed_by_attribute(self, "__delattr__", args[0], args[1:], loc)
    if not isinstance(args[1], Const):
        return computed_names.by_names(self, delattr, args, names, loc) or (
            self.unknown_call(Const(delattr), args, names, loc)
        )
    if isinstance(args[0], Const) and has_names(args[0].value, args[1].value):
        named: list[Operand] = [Const(primitives.Namespace(owner_of_names(args[0].value))), args[1]]
        return self.typed_call(Const(primitives.delete_global), named, {}, names, loc)
    cls = class_of(type_of(args[0]))
    if not self.surroundings.member(type_of(args[0]), args[1].value).is_plainly_deleted:
        return self.unknown_call(Const(delattr), args, names, loc)
    self.surroundings.note_lookup(cls, "__delattr__")
    _store(self, attribute_deleted, args, [], loc)
    return [Const(None)]


def _store(
    self: TypedCalls, callee: Any, operands: list[Operand], held: list[Operand],
    loc: Location | None,
) -> None:
    assert self.places is not None
    heap = self.current_heap(loc)
    if held:
        name = operands[1]
        assert isinstance(name, Const)
        self.surroundings.note_store(type_of(operands[0]), name.value, type_of(held[0]))
    self.places.held.store(callee, heap, operands, held, loc)
