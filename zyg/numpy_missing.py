"""Sums and means that leave out NaN, as inference writes them: by a mask.

    np.nansum(y)     ->  np.sum(np.where(np.isnan(y), 0, y))

Thus what stands in the mask is an arm of `np.where`, and what it was computed from has no NaN in
its cotangent (`zyg.compiler.masks`). Other arguments are left to the rules.
"""

from __future__ import annotations

import numpy as np

from ir.core import Const, Location, Operand, type_of
from ir.special_calls import Folded, special
from ir.typed_calls import TypedCalls
from zyg.array_type import Array

SHAPING = {"axis", "keepdims"}


def _summed_array(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand]
) -> Array | None:
    """The type of an array of real numbers of which a program wants a sum or a mean."""
    if self.places is None or len(args) not in (1, 2) or kwargs.keys() - SHAPING:
        return None
    type_ = type_of(args[0])
    if not isinstance(type_, Array) or type_.dtype not in (np.float32, np.float64):
        return None
    return type_


@special(np.nansum)
def _nansum(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if _summed_array(self, args, kwargs) is None:
        return None
    is_missing = self.call(np.isnan, args[0], loc=loc)
    numbers = self.call(np.where, is_missing, Const(0), args[0], loc=loc)
    return self.typed_call(Const(np.sum), [numbers, *args[1:]], kwargs, names, loc)


@special(np.nanmean)
def _nanmean(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    type_ = _summed_array(self, args, kwargs)
    if type_ is None:
        return None
    is_number = self.call(np.logical_not, self.call(np.isnan, args[0], loc=loc), loc=loc)
    numbers = self.call(np.where, is_number, args[0], Const(0), loc=loc)
    (total,) = self.typed_call(Const(np.sum), [numbers, *args[1:]], kwargs, ["total"], loc)
    # In the dtype of the sum, which division keeps.
    counting = kwargs | {"dtype": Const(type_.dtype)}
    (count,) = self.typed_call(Const(np.sum), [is_number, *args[1:]], counting, ["count"], loc)
    return [self.call(np.divide, total, count, name=names[0], loc=loc)]
