"""Attributes of what may be None or a number as well: of the object that it is then.

    y = o.x    ->    t = present(o, 'x')
                     y = t.x
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir import primitives
from ir.core import Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special, typed
from ir.types import Instance, Type, Union, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


def object_unless_plain(
    self: TypedCalls, owner: Operand, name: str, loc: Location | None, is_stored: bool = False
) -> Operand:
    """What may be an object, None or a number, behind a read or store of an attribute that these
    don't have: that object."""
    found = _object_in(self, type_of(owner), name)
    if found is None or not isinstance(owner, Value):
        return owner
    operands: list[Operand] = [owner, Const(name), *([Const(True)] if is_stored else [])]
    (same,) = typed(self, primitives.present, operands, [owner.name], loc, found)
    if self.places is not None and isinstance(same, Value):
        self.places.name_again(owner, same)
    return same


def _object_in(self: TypedCalls, type_: Type, name: str) -> Type | None:
    """The type of an object, of what may be that or of classes which have no such attribute."""
    if not isinstance(type_, Union):
        return None
    classes = {member: class_of(member) for member in type_.members}
    objects = [member for member, cls in classes.items() if cls not in primitives.VALUES]
    others = [cls for cls in classes.values() if cls in primitives.VALUES]
    if len(objects) != 1 or any(hasattr(cls, name) for cls in others):
        return None
    (found,) = objects
    is_object = isinstance(found, Instance) and (
        self.surroundings.member(found, name).kind != "other"
    )
    return found if is_object else None


@special(primitives.present)
def _present(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """Generated code that is looked at again, where more may be known."""
    owner, name, *stored = args
    assert isinstance(name, Const)
    if isinstance(type_of(owner), Instance):
        return [owner]
    same = object_unless_plain(self, owner, name.value, loc, bool(stored))
    return None if same is owner else [same]
