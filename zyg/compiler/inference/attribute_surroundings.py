"""What inference is told of attributes, of objects, classes and modules, and what that rests on."""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

from ir.core import Const, Operand, type_of
from ir.inference.surroundings import Member
from ir.late import late
from ir.shared_names import Names, names_of
from ir.types import (
    BOTTOM,
    TOP,
    Instance,
    Type,
    class_of,
    join,
    widen,
)
from zyg.compiler.assigned import is_of_users
from zyg.compiler.guards import Absent, Guard, Subclassing, enter, shared_at_entry
from zyg.compiler.inference.constructors import method_above
from zyg.compiler.inference.contents_surroundings import ContentsSurroundings
from zyg.compiler.inference.deciding_functions import CACHED
from zyg.compiler.inference.members import is_class_store, is_descriptor, member
from zyg.compiler.inference.objects import is_error, is_of_logging, lookup
from zyg.compiler.specialisation import Specialisation
from zyg.rules.registry import is_constant
from zyg.signature import abstract, is_users

if TYPE_CHECKING:
    from zyg.compiler.run_time import decorated
    from zyg.compiler.specialise import Specialiser
    from zyg.held import memory_kinds
else:
    decorated = late("zyg.compiler.run_time.decorated")
    memory_kinds = late("zyg.held.memory_kinds")


class AttributeSurroundings(ContentsSurroundings):
    """Answers questions about attributes, and notes the guards of the answers."""

    is_class_store = staticmethod(is_class_store)

    def __init__(self, specialiser: Specialiser, made: Specialisation) -> None:
        self._specialiser = specialiser
        self._made = made
        self.ruled: list[object] = []  # the rules that are being looked into

    def member(self, type_: Type, name: str) -> Member:
        cls = class_of(type_)
        if cls is None or not is_error(cls) or self._specialiser.follows_errors():
            return member(type_, name)
        if name != "args" and name in vars(BaseException):
            return Member("other")
        from zyg.held.made_errors import is_following  # few programs need it

        # The run time asks who has made it, if it knows.
        return Member("unknown" if self._made.heap is not None or is_following() else "other")

    def captures_memory_now(self, function: Any) -> bool:
        # The program follows what is held by variables that it changes.
        if self._specialiser.has_outer_cells(function):
            return False
        return super().captures_memory_now(function)

    def is_assigned(self, owner: object, name: str) -> bool:
        return self._specialiser.assigned.is_stored(owner, name)

    def note_assigned(self, owner: object, name: str, type_: Type) -> None:
        self._specialiser.assigned.store(owner, name, type_)

    def is_shared(self, owner: object, name: str) -> bool:
        return self._specialiser.assigned.is_shared(owner, name)

    def shared_type(self, owner: Any, name: str) -> Type:
        fields = self._specialiser.fields
        if fields is None:
            return TOP
        container = vars(owner) if isinstance(owner, type) else owner
        cls = type(names_of(owner))
        if name not in container:  # it will be stored
            fields.store(cls, name, BOTTOM)
        else:
            type_, guard = shared_at_entry(container, name, fields.is_of_nested())
            fields.store(cls, name, type_)
            if guard is not None:
                self._made.guards[id(container), name] = guard
            self.note_objects(container, name, abstract(container[name]))
        found: Type = fields.ask("type_of", cls, name)
        return found

    def sharing_in_class(self, cls: type | None, name: str) -> str | None:
        assigned = self._specialiser.assigned
        if cls is None or not assigned.shared:
            return None
        if not any(assigned.is_shared(base, name) for base in cls.__mro__):
            return None
        return "own" if [base for base in cls.__mro__ if name in vars(base)] == [cls] else "found"

    def bases_with(
        self, cls: type | None, name: str, ends: bool, below: type | None = None
    ) -> list[type] | None:
        found: list[type] = []
        bases = () if cls is None else cls.__mro__
        for base in bases[bases.index(below) + 1 :] if below in bases else bases:
            held = vars(base).get(name)
            if hasattr(type(held), "__get__"):
                return None
            if self.is_shared(base, name):
                found.append(base)
            elif name in vars(base):
                return [*found, base]
            elif base is not object:
                self._made.guards[id(base), name] = Absent(vars(base), name)
        return found if found and (ends or name in vars(found[-1])) else None

    def class_with_memory(self, cls: type | None, name: str) -> type | None:
        base = None if cls is None else next((b for b in cls.__mro__ if name in vars(b)), None)
        if cls is None or base is None or not memory_kinds.is_memory(vars(base)[name]):
            return None
        if not self.is_of_class(cls, name):
            return None
        self.note_absent_below(cls, base, name)
        return base

    def note_absent_below(self, cls: type, base: type, name: str) -> None:
        """Sees to it that a class and its bases up to one don't come to have a name."""
        for below in cls.__mro__[: cls.__mro__.index(base)]:
            self._made.guards[id(below), name] = Absent(vars(below), name)

    def note_read_of_class(self, cls: type | None, name: str) -> None:
        for base in () if cls is None else cls.__mro__:
            if name in vars(base):
                if is_users(base):
                    self._made.names[id(base), name] = base, name
                return

    def may_change_aside(self, owner: object, name: str) -> bool:
        if self._specialiser.assigned.shared or isinstance(owner, type):
            return False
        if not is_of_users(owner):
            return False
        self._made.aside[id(owner), name] = owner, name
        return True

    def note_changed_name(self, owner: object, name: str) -> None:
        if not is_of_users(owner):
            return
        self._specialiser.assigned.change(owner, name)
        # It may fail, and its callers run it as it is.
        for made in self._specialiser._stack:
            made.changed_names[id(owner), name] = owner, name

    def field_type(self, owner: Operand, name: str) -> Type:
        fields = self._specialiser.fields
        cls = class_of(type_of(owner))
        if fields is None or cls is None:
            return TOP
        if isinstance(owner, Const) and not isinstance(owner.value, Names):
            # an object of the compile time
            self.note_objects((owner.value,), 0, type_of(owner))
        from zyg.compiler.inference.fields import PLAIN  # few programs work on objects

        type_: Type = fields.ask("type_of", cls, name)
        for base in cls.__mro__:
            if name in vars(base) and type(vars(base)[name]) in PLAIN:
                of_class = widen(abstract(vars(base)[name]))
                return join(type_, self._specialiser.assigned.read(base, name, of_class))
        return type_

    def text_of_descriptor(self, descriptor: Any, name: str) -> str | None:
        fields = self._specialiser.fields
        held = getattr(descriptor, "__dict__", {})
        if fields is None or type(held.get(name)) is not str or not is_descriptor(descriptor):
            return None
        if member(Instance(type(descriptor)), name).kind != "stored" or not fields.ask(
            "is_never_assigned", type(descriptor), name
        ):
            return None
        self.note_lookup(type(descriptor), name)
        self._made.guards[id(held), name] = Guard(held, name, held[name])
        return str(held[name])

    def note_store(self, owner: Type | None, name: str, type_: Type) -> None:
        fields = self._specialiser.fields
        if fields is not None:
            fields.is_stored = True
            fields.store(None if owner is None else class_of(owner), name, type_)

    def note_objects(self, container: Any, name: str | int, type_: Type) -> None:
        """Notes the objects that a name leads to: no argument tells what they hold."""
        if self._specialiser.fields is not None:
            self._specialiser.fields.named.add(widen(type_))
            enter(self._specialiser.fields, self._made.guards, container, name, type_)

    def note_constant(self, container: Any, name: str) -> None:
        value = container[name]
        # Beside the guard for its type, which others rest on.
        self._made.guards[id(value), name] = Guard(container, name, value)

    def note_lookup(self, cls: type | None, name: str) -> None:
        for base in () if cls is None else cls.__mro__:
            container = vars(base)
            if base is object:
                return
            if name in container:
                if not self.is_shared(base, name):  # whose type is looked at where it is read
                    self._made.guards[id(base), name] = Guard(container, name, container[name])
                return
            self._made.guards[id(base), name] = Absent(container, name)

    def is_subclass(self, cls: type, above: type) -> bool:
        answer = issubclass(cls, above)
        self._made.guards[cls, above] = Subclassing(cls, above, answer)
        return answer

    def plain_method(self, cls: type | None, name: str) -> Any:
        if cls is CACHED and name in ("cache_clear", "cache_info"):
            return decorated.clear_cache if name == "cache_clear" else decorated.info_of_cache
        found = lookup(cls, name) if cls is not None and is_of_logging(cls) else None
        return found if isinstance(found, types.FunctionType) and is_constant(found) else None

    def method_by_class(self, cls: type | None, name: str) -> Any:
        found = None if cls is None else lookup(cls, name)
        if type(found) is not functools.singledispatchmethod or not self.is_of_class(cls, name):
            return None
        self.note_lookup(cls, name)
        return found

    def is_made_inside(self, cls: type | None) -> bool:
        fields = self._specialiser.fields
        return fields is not None and bool(fields.ask("is_made_inside", cls))

    def has_nothing(self, cls: type | None, name: str) -> bool:
        if cls is not None and self._specialiser.fields is not None:
            self._specialiser.fields.note_name(cls, name)
        if cls is None or lookup(cls, name) is not None or not self.is_of_class(cls, name):
            return False
        self.note_lookup(cls, name)
        return True

    def is_of_class(self, cls: type | None, name: str) -> bool:
        fields = self._specialiser.fields
        return fields is not None and bool(fields.ask("is_never_stored", cls, name))

    def above(self, cls: type, below: type, name: str) -> Any:
        bases = cls.__mro__
        if below not in bases:
            return None
        for base in bases[bases.index(below) + 1 :]:
            container = vars(base)
            if name in container:
                found = container[name]
                if base is object and name in ("__init__", "__init_subclass__", "__setattr__"):
                    return found
                self._made.guards[id(base), name] = Guard(container, name, found)
                return method_above(cls, found, base)
            if base is not object:
                self._made.guards[id(base), name] = Absent(container, name)
        return None
