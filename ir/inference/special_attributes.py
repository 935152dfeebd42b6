"""Attributes that inference resolves: of modules, classes, and objects of known classes.

    getattr(x, 'T')      ->  a call of the descriptor, where the type of x is known
    getattr(p, 'x')      ->  attribute_read(heap, p, 'x')
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ir import facts, primitives
from ir.core import Const, Location, Operand, Value, type_of
from ir.derived import HEAP_TYPE, found_in, is_derived
from ir.errors import Unsupported
from ir.heap import (
    attribute_read,
    found_attribute,
    holds_attribute,
    stored_attribute,
)
from ir.inference import written_out
from ir.inference.caught_errors import known_error
from ir.inference.computed_attributes import (
    bound_method,
    computed,
    computed_unless_stored,
    read_of_metaclass,
)
from ir.inference.enumerations import name_or_value
from ir.inference.metaclasses import asked_of_metaclass
from ir.inference.present_objects import object_unless_plain
from ir.inference.special_calls import Folded, is_unbound, special, typed
from ir.inference.surroundings import STORED
from ir.late import late
from ir.memory.contents import holds_memory
from ir.memory.memory_facts import CHANGING_METHODS
from ir.primitives import UNBOUND
from ir.shared_names import has_names, owner_of_names
from ir.types import (
    TOP,
    Closure,
    Instance,
    Known,
    Method,
    Scalar,
    Slice,
    Type,
    Union,
    class_of,
    widen,
)

if TYPE_CHECKING:
    from ir.inference import (
        case_by_case,
        computed_names,
        found_names,
        special_names,
        unknown_owners,
    )
    from ir.inference.typed_calls import TypedCalls
else:
    case_by_case = late("ir.inference.case_by_case")
    special_names = late("ir.inference.special_names")
    computed_names = late("ir.inference.computed_names")
    found_names = late("ir.inference.found_names")
    unknown_owners = late("ir.inference.unknown_owners")


@special(getattr)
def _getattr(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if is_unbound(args[-1]) and isinstance(args[1], Const):
        stored = facts.attribute_of(widen(type_of(args[0])), args[1].value)
        is_method = isinstance(stored, Method)
        if self.places is not None and not is_method:
            found = _read_of_pattern(self, args, names, loc)
            if found is not None:
                return found
        return typed(self, getattr, args, names, loc, TOP if is_method else stored)
    if len(args) != 2 or not isinstance(args[1], Const):
        return _read_by_any_name(self, args, names, loc)
    owner, name = args[0], args[1].value
    if isinstance(owner, Const):
        if isinstance(owner.value, type) and self.places is not None:
            answer = asked_of_metaclass(owner.value, name)
            if answer is not None:
                return read_of_metaclass(self, owner, args[1], *answer, names, loc)
            found = self._of_class(owner, name, names, loc)
            if found is not None:
                return found
        if isinstance(owner.value, type) and self.places is not None:
            shared = _read_shared(self, owner, args[1], names, loc)
            if shared is not None:
                return shared
            if self.surroundings.is_assigned(owner.value, name):
                return found_names.read_of_class(self, owner, args[1], names, loc)
        if has_names(owner.value, name):
            if self.surroundings.is_shared(owner_of_names(owner.value), name):
                holder = owner_of_names(owner.value)
                return special_names.read_shared(self, holder, args[1], names, loc)
        if isinstance(owner.value, type) or has_names(owner.value, name):
            type_ = self.surroundings.attribute_type(owner.value, name)
            if isinstance(type_, Known):
                return [Const(type_.value)]
            return typed(self, getattr, args, names, loc, type_)
        if type(owner.value) is property and name in ("fget", "fset", "fdel"):
            return [Const(getattr(owner.value, name))]
        if facts.is_fixed(owner.value):
            method = getattr(owner.value, name, None)
            if isinstance(method, types.MethodType):
                return [Const(method)]
        text = self.surroundings.text_of_descriptor(owner.value, name)
        if text is not None:
            return [Const(text)]
        of_member = name_or_value(owner.value, name)
        if of_member is not None:
            return [of_member]
        if name == "name" and written_out.is_field(owner.value):
            return [Const(owner.value.name)]
        if type(owner.value) in (int, float, complex, slice):
            of_number: object = getattr(owner.value, name, UNBOUND)
            if type(of_number) in (int, float, type(None)):
                return [Const(of_number)]
    owner_type = type_of(owner)
    owner_type = widen(owner_type)
    if name == "__class__" and self.surroundings.member(owner_type, name).kind != "unknown":
        return self.typed_call(Const(type), [owner], {}, names, loc)
    if self.places is not None:
        owner = object_unless_plain(self, owner, name, loc)
        if name == "args" or name not in vars(BaseException):
            owner = known_error(self, owner, loc)
    args, owner_type = [owner, args[1]], widen(type_of(owner))
    if self.places is not None and is_derived(owner_type) and not isinstance(owner_type, Instance):
        from ir.inference.special_derived import read_of_derived  # few programs need it

        return read_of_derived(self, owner, name, names, loc)
    member = _only_member_with(owner_type, name)
    if member is not None:
        assert isinstance(owner, Value)
        (same,) = typed(self, primitives.having, args, [owner.name], loc, member)
        if self.places is not None and isinstance(same, Value):
            self.places.name_again(owner, same)
        if isinstance(member, Known) and isinstance(member.value, type):
            return self.typed_call(Const(getattr), [Const(member.value), args[1]], {}, names, loc)
        owner, owner_type, args = same, member, [same, args[1]]
    type_ = facts.attribute_of(owner_type, name)
    if isinstance(owner_type, Slice) and isinstance(type_, Known):
        return [Const(type_.value)]
    if isinstance(owner_type, Slice) and type_ != TOP:
        return typed(self, getattr(slice, name), [owner], names, loc, type_)
    if isinstance(owner_type, Closure) and type_ != TOP:
        return typed(self, getattr, args, names, loc, type_)
    if isinstance(type_, Method) and isinstance(type_.function, Known):
        (result,) = typed(self, getattr, args, names, loc, type_)
        assert isinstance(result, Value)
        self.methods[result] = Const(type_.function.value), owner
        return [result]
    descriptor = _descriptor(owner_type, name)
    if descriptor is not None:
        return self.typed_call(Const(descriptor), [owner], {}, names, loc)
    if name == "__dict__" and self.heap is not None and (
        self.surroundings.member(owner_type, name).kind != "other"
    ):
        raise Unsupported(
            "`__dict__` would be a second name of all that an object holds", loc,
            advice="ask for its items where it stands, or copy it: `dict(x.__dict__)`",
        )
    above = self._of_super(owner, name)
    if above is not None and name == "__new__":  # which is given the class
        return [Const(above[0])]
    if above is not None:
        return bound_method(self, above[0], above[1], [owner, args[1]], names, loc)
    if self.heap is not None and owner_type == TOP and (asked := self.asks_above(owner)):
        of_base: Folded = found_names.read_above(self, *asked[:2], name, names, loc)
        if of_base is not None:
            return of_base
    if name == "__traceback__" and owner_type == TOP:  # of an exception, which `with` hands on
        return typed(self, getattr, args, names, loc, Instance(types.TracebackType))
    if self.places is not None:
        if isinstance(owner, Value) and class_of(owner_type) is None and (
            name in CHANGING_METHODS
        ):
            self.places.note_names(owner, loc)
            self.reads_objects = True  # which holds what is changed, as far as is known
        found = read_attribute(self, owner, name, names, loc)
        if found is not None:
            return found
    plain = self.surroundings.plain_method(class_of(owner_type), name)
    if plain is not None:
        return bound_method(self, plain, owner, args, names, loc)
    return typed(self, getattr, args, names, loc, type_)


@special(hasattr)
def _hasattr(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """Whether an object of a known class holds an attribute, which nothing computes."""
    if self.places is not None and self.heap is not None and len(args) == 2 and not kwargs:
        by_names: Folded = computed_names.by_names(self, hasattr, args, names, loc)
        if by_names is not None:
            return by_names
    if self.places is None or len(args) != 2 or kwargs or not isinstance(args[1], Const):
        return None
    cls, name = class_of(type_of(args[0])), args[1].value
    if isinstance(args[0], Const) and type(args[0].value) is types.FunctionType and (
        has_names(args[0].value, name)
    ):
        given: list[Operand] = [Const(primitives.Namespace(vars(args[0].value))), args[1]]
        return typed(self, primitives.is_global, given, names, loc, Scalar(bool))
    if self.surroundings.member(type_of(args[0]), name).kind != "stored":
        return None
    self.works_on_objects = True
    self.reads_objects = True
    if self.heap is None:
        return None
    self.surroundings.note_lookup(cls, "__getattr__")
    if self.surroundings.has_nothing(cls, name):
        return [Const(False)]
    self.surroundings.note_lookup(cls, name)
    return self.typed_call(Const(holds_attribute), args, {}, names, loc)


def _only_member_with(type_: Type, name: str) -> Type | None:
    """Of the types that a value may have the one of which an attribute can be read; None unless
    all others are classes without it."""
    members = type_.members if isinstance(type_, Union) else ()
    found = []
    for member in members:
        cls = class_of(member)
        if cls is None:
            return None
        if found_in(cls, name) is not None:
            found.append(member)
        elif cls not in primitives.VALUES:
            return None
    return found[0] if len(found) == 1 and len(members) > 1 else None


def _read_shared(
    self: TypedCalls, cls: Const, name: Const, names: list[str], loc: Location | None
) -> Folded:
    """Reads an attribute of a class through which derivatives go."""
    found = self.surroundings.sharing_in_class(cls.value, name.value)
    if found is None:
        return None
    if found == "own":
        return special_names.read_shared(self, cls.value, name, names, loc)
    return found_names.read_found(self, cls, name, names, loc)


def _read_by_any_name(
    self: TypedCalls, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """`getattr(o, name)` for a name that is computed, or with a default."""
    owner, key = args[0], args[1]
    if self.places is not None and isinstance(owner, Const) and isinstance(key, Const) and (
        isinstance(owner.value, type) or has_names(owner.value, key.value)
    ):
        return found_names.read_of_names(self, owner.value, key.value, args, names, loc)
    if isinstance(key, Const) and isinstance(key.value, str):
        known = facts.attribute_of(widen(type_of(owner)), key.value)
        if known != TOP and not isinstance(known, Method):  # which is no default
            return typed(self, getattr, args, names, loc, known)
    if self.places is None or self.surroundings.member(type_of(args[0]), "").kind == "other":
        return None
    self.works_on_objects = True
    if self.heap is None:
        return None
    if len(args) == 3 and isinstance(args[1], Const):
        found = case_by_case.read_or_default(self, args, names, loc)
    else:
        found = computed_names.by_names(self, getattr, args, names, loc)
    if found is not None:
        return found
    return typed(self, attribute_read, [self.current_heap(loc), *args], names, loc, TOP)


def _read_of_pattern(
    self: TypedCalls, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """`getattr(o, name, UNBOUND)`, by which a class pattern asks for what may be missing."""
    owner, name = args[0], args[1]
    assert isinstance(name, Const)
    member = self.surroundings.member(type_of(owner), name.value)
    if member.kind not in ("stored", "computed", "computed once", "missing", "unknown"):
        return None
    self.works_on_objects = True
    self.reads_objects |= member.kind == "stored"
    self.surroundings.note_lookup(class_of(type_of(owner)), name.value)
    if self.heap is None:
        return None
    if member.kind != "stored":
        return self.unknown_call(Const(getattr), args, names, loc)
    found = case_by_case.read_or_default(self, args, names, loc)
    if found is not None:
        return found
    cls = class_of(type_of(owner))
    if self.surroundings.class_with_memory(cls, name.value) is not None or (
        self.surroundings.sharing_in_class(cls, name.value) is not None
    ):
        return read_attribute(self, owner, name.value, names, loc)  # the class has it
    self.surroundings.note_read_of_class(cls, name.value)
    assert self.places is not None
    type_ = self.surroundings.field_type(owner, name.value)
    (made,) = typed(self, attribute_read, [self.current_heap(loc), *args], names, loc, type_)
    assert isinstance(made, Value)
    return [self.places.held.was_read(made, loc)]


def read_attribute(
    self: TypedCalls, owner: Operand, name: str, names: list[str], loc: Location | None
) -> Folded:
    """Reads what an object may hold, in a function that takes the heap; others note that they
    would need it."""
    assert self.places is not None
    member = self.surroundings.member(type_of(owner), name)
    if member.kind == "other":
        if not _is_class(type_of(owner)) or hasattr(type, name):
            return None
        self.works_on_objects = True
        if self.heap is None:
            return None
        # Of one of several classes, which may hold what is differentiated.
        of_each = found_names.read_of_classes(self, owner, name, names, loc)
        if of_each is not None:
            return of_each
        (read,) = typed(
            self, attribute_read, [self.current_heap(loc), owner, Const(name)], names, loc, TOP
        )
        assert isinstance(read, Value)
        return [self.places.held.was_read(read, loc)]
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
    if self.heap is not None and self.surroundings.is_apart():
        by_class = self.surroundings.method_by_class(class_of(type_of(owner)), name)
        if by_class is not None:
            return bound_method(self, by_class, owner, [owner, Const(name)], names, loc)
    if self.surroundings.asks_by_cases() and (
        case_by_case.is_method_of_cases(self, type_of(owner), name)
    ):
        method = Method(TOP, type_of(owner))  # calls ask for the class: see `by_methods`
        return typed(self, getattr, [owner, Const(name)], names, loc, method)
    self.works_on_objects = True
    self.reads_objects |= member.kind == "stored"
    self.surroundings.note_lookup(class_of(type_of(owner)), name)
    if self.heap is None:
        return None
    if is_of_cases(self, type_of(owner), name):
        cases = case_by_case.by_cases(self, getattr, [owner, Const(name)], names, loc)
        if cases is not None:
            return cases
    if unknown_owners.is_asked(self, owner):
        of_known: Folded = unknown_owners.read_by_classes(self, owner, name, names, loc)
        if of_known is not None:
            return of_known
    if member.kind == "stored":
        base = self.surroundings.class_with_memory(class_of(type_of(owner)), name)
        if base is not None:
            return self.typed_call(Const(getattr), [Const(base), Const(name)], {}, names, loc)
        if self.surroundings.sharing_in_class(class_of(type_of(owner)), name) is not None:
            return found_names.read_found(self, owner, Const(name), names, loc)
        self.surroundings.note_read_of_class(class_of(type_of(owner)), name)
    if member.kind == "computed" and member.getter is not None:
        return computed(self, member, owner, names, loc)
    # What is computed once is called as any function, so that what it changes is followed. A
    # `__getattr__` that may change memory stays with the run time: any attribute may ask for it.
    if member.kind == "computed once":
        found = computed_unless_stored(self, member, owner, name, names, loc)
        if found is not None:
            return found
    is_known = member.kind == "stored" or (
        member.kind == "missing" and self.surroundings.is_apart()
    )
    if not is_known and (
        self.surroundings.may_change_memory(getattr, [type_of(owner)], name)
    ):
        return self.unknown_call(Const(getattr), [owner, Const(name)], names, loc)
    if member.kind == "missing":
        found = computed_unless_stored(self, member, owner, name, names, loc)
        if found is not None:
            return found
    heap = self.current_heap(loc)
    if member.kind != "stored":
        reading: Any = found_attribute if member.kind in STORED else attribute_read
        (made,) = typed(self, reading, [heap, owner, Const(name)], names, loc, TOP)
        assert isinstance(made, Value)
        return [self.places.held.was_read(made, loc)]
    return [_read_of_field(self, heap, owner, name, names, loc)]


@special(stored_attribute)
def _stored_attribute(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    owner, name = args
    assert isinstance(name, Const)
    return [_read_of_field(self, self.current_heap(loc), owner, name.value, names, loc)]


def _is_class(type_: Type) -> bool:
    metaclass = class_of(type_)
    return metaclass is not None and issubclass(metaclass, type)


def _read_of_field(
    self: TypedCalls, heap: Operand, owner: Operand, name: str, names: list[str],
    loc: Location | None,
) -> Operand:
    """Reads what has been stored; what was read before is known by what was told of it since."""
    place = heap, owner, name
    mapping = self.copied[1] if self.copied is not None else {}
    if place in self.fields_read and (known := mapping.get(self.fields_read[place])) is not None:
        return known
    type_ = self.surroundings.field_type(owner, name)
    (made,) = typed(self, attribute_read, [heap, owner, Const(name)], names, loc, type_)
    assert isinstance(made, Value) and self.places is not None
    if isinstance(type_, Union) and not holds_memory(type_):
        mapping[self.fields_read.setdefault(place, Value(name))] = made
    return self.places.held.was_read(made, loc)


def is_of_cases(self: TypedCalls, type_: Type, name: str) -> bool:
    """Whether all of several classes are those of objects, of which an attribute is no method."""
    return isinstance(type_, Union) and all(
        self.surroundings.member(member, name).kind in ("stored", "computed")
        for member in type_.members
    )


_OF_ERRORS = ("args", "value")


def _descriptor(owner: Type, name: str) -> object | None:
    """What an attribute is read by, where it is a field of a class written in C."""
    cls = class_of(owner)
    if cls is None or name in vars(type):
        return None  # what each class has of its own, such as `__name__`, objects may have as well
    if name in _OF_ERRORS and issubclass(cls, BaseException):
        return None  # which exceptions hold, as objects do
    found = found_in(cls, name)
    kinds = types.GetSetDescriptorType | types.MemberDescriptorType
    if not isinstance(found, kinds) or found.__objclass__.__flags__ & HEAP_TYPE:
        return None  # a slot of a user's class is a plain attribute
    return found
