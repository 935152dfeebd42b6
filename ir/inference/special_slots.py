"""The methods behind statements, where a program calls them by name: what the statement means.

    dict.__setitem__(d, k, v), d.__setitem__(k, v)    ->    d[k] = v
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.core import Const, Location, Operand, Value, type_of
from ir.derived import BASES, SLOTS, is_derived
from ir.inference.special_calls import Folded, special
from ir.types import class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


_GROWN = vars(list)["__iadd__"]


def _slot(method: Any, meaning: Any) -> None:
    @special(method)
    def call(
        self: TypedCalls,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> Folded:
        owner = type_of(args[0]) if args else None
        if owner is None or kwargs or not (class_of(owner) in BASES or is_derived(owner)):
            return None  # a class may say something else about the statement
        if method is _GROWN and isinstance(args[0], Value) and self.places is not None:
            # The list itself, where `items += more` may ask the class of `more`.
            self.typed_call(Const(list.extend), args, {}, ["_"], loc)
            return [self.places.latest(args[0])]
        return self.typed_call(Const(meaning), args, {}, names, loc)


for _cls in BASES:
    for _name, _meaning in SLOTS.items():
        if _name in vars(_cls) and not hasattr(vars(_cls)[_name], "__code__"):
            _slot(vars(_cls)[_name], _meaning)
