"""Arrays made of lists that are written out: as many dimensions as there are brackets.

    np.array([[a, b], [c, d]])     list[list[float]]  ->  float64[?, ?]

The type of a list says nothing of its length, and an empty list of lists has one dimension only.
"""

from __future__ import annotations

import numpy as np

from ir import primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.special_calls import Folded, special
from ir.typed_calls import TypedCalls
from ir.types import Tuple, Type
from zyg.array_type import Array
from zyg.numpy_arrangements import array


@special(np.array)
def _array(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if not args or not _displays(self, args[0]):
        return None
    others = tuple(map(type_of, args[1:]))
    type_ = array(
        (_written_out(self, args[0]), *others), {name: type_of(v) for name, v in kwargs.items()}
    )
    if not isinstance(type_, Array) or type_.dims is None:
        return None
    made = Value(names[0], type_)
    self._define(Call(Const(np.array), args, kwargs, [made], loc))
    return [made]


def _displays(self: TypedCalls, operand: Operand) -> list[Operand]:
    """The items of a list that was written out, where it still holds these."""
    op = self.definitions.get(operand) if isinstance(operand, Value) else None
    is_list = isinstance(op, Call) and isinstance(op.callee, Const) and (
        op.callee.value is primitives.build_list
    )
    return op.args if is_list else []  # type: ignore[union-attr]  # then it is a call


def _written_out(self: TypedCalls, operand: Operand) -> Type:
    items = _displays(self, operand)
    return Tuple(tuple(_written_out(self, item) for item in items)) if items else type_of(operand)
