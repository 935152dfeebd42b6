"""What selects items, as inference writes it: by `np.where`, or an index.

    np.select([a > 1, a > 0], [x, y], z)    ->    np.where(a > 1, x, np.where(a > 0, y, z))
    a.view()                                ->    a[...]

An infinite derivative of what `np.select` doesn't select thus doesn't count
(`zyg.compiler.reverse.masks`). Masks whose number isn't known, and what holds other numbers than
floats of one dtype, are left to the rule.
"""

from __future__ import annotations

import operator

import numpy as np

from ir.core import Const, Location, Operand, type_of
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.types import Scalar
from zyg.array_type import Array


@special(np.ndarray.view)
def _view(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 1 or kwargs or not isinstance(type_of(args[0]), Array):
        return None
    return self.typed_call(Const(operator.getitem), [args[0], Const(...)], {}, names, loc)


_OPTIONS = ("condlist", "choicelist", "default")


@special(np.select)
def _select(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    given = dict(zip(_OPTIONS, args, strict=False)) | kwargs
    if self.places is None or len(args) + len(kwargs) != len(given) or not (
        {"condlist", "choicelist"} <= given.keys() <= {*_OPTIONS}
    ):
        return None
    masks, choices = self.parts(given["condlist"]), self.parts(given["choicelist"])
    chosen = given.get("default", Const(0))
    if not masks or not choices or len(masks) != len(choices):
        return None
    if not all(map(_is_mask, masks)) or not _are_floats([*choices, chosen]):
        return None
    for mask, choice in zip(reversed(masks), reversed(choices), strict=True):
        (chosen,) = self.typed_call(Const(np.where), [mask, choice, chosen], {}, names, loc)
    return [chosen]


def _is_mask(operand: Operand) -> bool:
    type_ = type_of(operand)
    return isinstance(type_, Array) and type_.dtype == np.bool_


def _are_floats(operands: list[Operand]) -> bool:
    """Whether these are arrays of floats of one dtype, one at least, and Python's numbers."""
    arrays = [type_ for type_ in map(type_of, operands) if isinstance(type_, Array)]
    numbers = [operand for operand in operands if not isinstance(type_of(operand), Array)]
    return (
        bool(arrays) and arrays[0].dtype in (np.float32, np.float64)
        and all(array.dtype == arrays[0].dtype for array in arrays)
        and all(map(_is_number, numbers))
    )


def _is_number(operand: Operand) -> bool:
    if isinstance(operand, Const):
        return type(operand.value) in (int, float)
    type_ = type_of(operand)
    return isinstance(type_, Scalar) and type_.cls is float
