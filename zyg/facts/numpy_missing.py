"""What leaves out or replaces NaN, as inference writes it: by a mask.

    np.nansum(y)     ->  np.sum(np.where(np.isnan(y), 0, y))
    np.nan_to_num(y) ->  np.where(np.isfinite(y), y, replaced(y))

Thus what stands in the mask is an arm of `np.where`, and what it was computed from has no NaN in
its cotangent (`zyg.compiler.reverse.masks`). Other arguments are left to the rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir import facts
from ir.core import Const, Location, Operand, type_of
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.types import Type
from zyg.array_type import Array, rank_of

SHAPING = {"axis", "keepdims"}
REPLACING = {"nan", "posinf", "neginf"}


def replaced(y: Any, **numbers: Any) -> Any:
    """What stands for the numbers that aren't finite; the others are there as well."""
    return np.nan_to_num(y, **numbers)


facts.total(replaced)
facts.fresh(replaced)


@facts.result(replaced)
def _like_numbers(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


def _real_array(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand]
) -> Array | None:
    """The type of an array of real numbers."""
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
    if _real_array(self, args, kwargs) is None:
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
    type_ = _real_array(self, args, kwargs)
    if type_ is None:
        return None
    is_number = self.call(np.logical_not, self.call(np.isnan, args[0], loc=loc), loc=loc)
    numbers = self.call(np.where, is_number, args[0], Const(0), loc=loc)
    (total,) = self.typed_call(Const(np.sum), [numbers, *args[1:]], kwargs, ["total"], loc)
    # In the dtype of the sum, which division keeps.
    counting = kwargs | {"dtype": Const(type_.dtype)}
    (count,) = self.typed_call(Const(np.sum), [is_number, *args[1:]], counting, ["count"], loc)
    return [self.call(np.divide, total, count, name=names[0], loc=loc)]


@special(np.nan_to_num)
def _nan_to_num(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if len(args) != 1 or kwargs.keys() - REPLACING or _real_array(self, args, {}) is None:
        return None
    if not all(isinstance(operand, Const) for operand in kwargs.values()):
        return None  # they have cotangents
    if not rank_of(type_of(args[0])):
        return None  # of a 0-d array it gives a number, and `np.where` an array
    is_finite = self.call(np.isfinite, args[0], loc=loc)
    (others,) = self.typed_call(Const(replaced), args, kwargs, ["t"], loc)
    return [self.call(np.where, is_finite, args[0], others, name=names[0], loc=loc)]
