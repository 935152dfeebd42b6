"""`dataclasses.replace` of an object whose class is known: a call of the class.

    replace(point, x=0.0)    ->    Point(x=0.0, y=point.y)
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ir.core import Const, Location, Operand, type_of
from ir.inference.special_calls import Folded, special
from ir.types import class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


@special(dataclasses.replace)
def _replace(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    cls = class_of(type_of(args[0])) if args else None
    if self.places is not None:
        self.current_heap(loc)  # where objects that were made are known by their classes
    if cls is None or not dataclasses.is_dataclass(cls) or self.heap is None:
        return None
    given = dict(kwargs)
    for field in dataclasses.fields(cls):
        if field.init and field.name not in given:
            given[field.name] = self.call(getattr, args[0], Const(field.name), loc=loc)
    return self.typed_call(Const(cls), [], given, names, loc)
