"""Items of a dict by keys that are put together: `p["W" + name]` is one of those that begin so.

    p: {Wi: float64[N1, N2], Wo: float64[N3, N4], bi: float64[N5], bo: float64[N6]}
    p[f"W{i}"]: float64[?, ?]
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from ir import primitives
from ir.core import Call, Const, Operand, Value, type_of
from ir.types import Dict, Type, class_of, join_all

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

# How a text begins and ends, and whether it is no more than that beginning.
Ends = tuple[str, str, bool]
UNKNOWN: Ends = ("", "", False)


def item_by_key(self: TypedCalls, items: Operand, key: Operand) -> Type | None:
    """The type of an item of a dict with known keys, where the key's beginning or end tells some of
    them; None where it doesn't."""
    type_ = type_of(items)
    if not isinstance(type_, Dict) or not isinstance(key, Value):
        return None
    begins, ends, is_whole = _ends(self, key)
    found = [
        item for name, item in type_.items
        if (name == begins if is_whole else _is_between(name, begins, ends))
    ]
    return join_all(found) if 0 < len(found) < len(type_.items) else None


def _is_between(name: str, begins: str, ends: str) -> bool:
    is_long_enough = len(name) >= len(begins) + len(ends)
    return is_long_enough and name.startswith(begins) and name.endswith(ends)


def _ends(self: TypedCalls, text: Operand) -> Ends:
    if isinstance(text, Const):
        return (text.value, text.value, True) if type(text.value) is str else UNKNOWN
    made = self.definitions.get(text) if isinstance(text, Value) else None
    match made:
        case Call(Const(callee), parts) if callee is primitives.build_string or (
            callee is operator.add and all(class_of(type_of(part)) is str for part in parts)
        ):
            begins, ends, is_whole = "", "", True
            for part in parts:
                first, last, is_known = _ends(self, part)
                begins = begins + first if is_whole else begins
                ends = ends + last if is_known else last
                is_whole = is_whole and is_known
            return begins, ends, is_whole
        case Call(Const(operator.mod), [Const(str() as form), *_]):
            return form.partition("%")[0], "", False
    return UNKNOWN
