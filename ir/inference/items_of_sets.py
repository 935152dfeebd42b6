"""What `sorted(set(text))` gives: items of which the type of a set says nothing."""

from __future__ import annotations

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special, typed
from ir.inference.typed_calls import TypedCalls
from ir.types import Scalar, Sequence, Type, join_all, members_of, widen

PLAIN = (str, bytes, int, float, bool)


@special(sorted)
def _sorted(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """Of a set that was made here of texts or numbers, and is as it was made."""
    if kwargs or len(args) != 1 or not isinstance(args[0], Value):
        return None
    item = _item_of_set(self, args[0])
    if item is None or not all(
        isinstance(member, Scalar) and member.cls in PLAIN for member in members_of(item)
    ):
        return None
    return typed(self, sorted, args, names, loc, Sequence(list, item))


def _item_of_set(self: TypedCalls, items: Value) -> Type | None:
    match self.definitions.get(items):
        case Call(Const(callee), [given]) if callee is set or callee is frozenset:
            return widen(facts.item_of(type_of(given)))
        case Call(Const(callee), given) if callee is primitives.build_set and given:
            return join_all(widen(type_of(item)) for item in given)
    return None
