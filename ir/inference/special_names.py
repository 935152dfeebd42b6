"""Globals and attributes of classes that a program shares: reads and stores of them.

    load_global('LOG')           ->  attribute_read(heap, names, 'LOG')
    store_global(space, 'T', v)  ->  attribute_stored(heap, names, 'T', v)

That is where derivatives may go through them (`ir.shared_names`). All others stay what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.core import Const, Location, Operand, Value, type_of
from ir.errors import NeedsHeap
from ir.heap import attribute_deleted, attribute_read, attribute_stored
from ir.inference.special_calls import Folded, special, typed
from ir.shared_names import names_of
from ir.types import Instance

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


def read_shared(
    self: TypedCalls, owner: Any, name: Const, names: list[str], loc: Location | None
) -> list[Operand]:
    """Reads a shared name of a module, or one that a class itself has."""
    holder = Const(names_of(owner))
    operands: list[Operand] = [heap_of_names(self, loc), holder, name]
    type_ = self.surroundings.shared_type(owner, name.value)
    return exposed(self, typed(self, attribute_read, operands, names, loc, type_), loc)


def store_shared(
    self: TypedCalls, owner: Any, name: Const, value: Operand, loc: Location | None
) -> list[Operand]:
    holder, heap = Const(names_of(owner)), heap_of_names(self, loc)
    assert self.places is not None
    self.surroundings.note_store(Instance(type(holder.value)), name.value, type_of(value))
    self.places.held.store(attribute_stored, heap, [holder, name, value], [value], loc)
    return [Const(None)]


def heap_of_names(self: TypedCalls, loc: Location | None) -> Value:
    self.works_on_objects = True
    if self.places is None:
        raise NeedsHeap(
            "a global that is changed is read, in a function that is differentiated more than "
            "once", loc, advice="pass it as an argument",
        )
    return self.current_heap(loc)


def exposed(self: TypedCalls, made: list[Operand], loc: Location | None) -> list[Operand]:
    (found,) = made
    assert self.places is not None and isinstance(found, Value)
    return [self.places.held.was_read(found, loc)]


@special(primitives.store_global)
def _store_global(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    namespace, name, value = args
    if not isinstance(namespace, Const) or not isinstance(name, Const):
        return None
    owner = namespace.value.contents
    if self.surroundings.is_shared(owner, name.value):
        return store_shared(self, owner, name, value, loc)
    self.surroundings.note_assigned(owner, name.value, type_of(value))
    return None


@special(primitives.read_global)
def _read_global(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    namespace, name = args
    if not isinstance(namespace, Const) or not isinstance(name, Const):
        return None
    owner = namespace.value.contents
    if self.surroundings.is_shared(owner, name.value):
        return read_shared(self, owner, name, names, loc)
    return None


@special(primitives.delete_global)
def _delete_global(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    namespace, name = args
    if not isinstance(namespace, Const) or not isinstance(name, Const):
        return None
    owner = namespace.value.contents
    if not self.surroundings.is_shared(owner, name.value):
        return None
    heap = heap_of_names(self, loc)
    assert self.places is not None
    self.places.held.store(attribute_deleted, heap, [Const(names_of(owner)), name], [], loc)
    return [Const(None)]
