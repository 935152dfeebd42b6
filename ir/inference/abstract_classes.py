"""`isinstance` of abstract classes, with which classes may be registered.

    isinstance(shape, Shape)     ->  True, or `type(shape) is Circle`, for what it may be
"""

from __future__ import annotations

import operator
from abc import ABCMeta
from typing import TYPE_CHECKING

from ir.core import Const, Location, Operand, type_of
from ir.inference.special_calls import Folded, special
from ir.types import class_of, members_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


@special(isinstance)
def is_instance(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 2 or kwargs or not isinstance(args[1], Const):
        return None
    cls = args[1].value
    if not isinstance(cls, type) or type(cls) is not ABCMeta:
        return None
    kinds = {class_of(member) for member in members_of(type_of(args[0]))}
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None
    below = [kind for kind in known if self.surroundings.is_subclass(kind, cls)]
    if len(below) in (0, len(known)):
        return [Const(bool(below))]
    if len(below) > 1:
        return None
    own = self.call(type, args[0], loc=loc)
    return self.typed_call(Const(operator.is_), [own, Const(below[0])], {}, names, loc)
