"""Cotangents of arrays that are joined where it is known how many there are, and of how many
dimensions each.

    z = np.concatenate((x, y))         ->    x_bar = z_bar[:x.shape[0]]; y_bar = z_bar[x.shape[0]:]
    z = np.stack((x, y), axis=1)       ->    x_bar = z_bar[:, 0]; y_bar = z_bar[:, 1]
    a, b = np.split(z, 2)              ->    z_bar = np.concatenate([a_bar, b_bar])

The functions of `zyg.rules.joining` stay where a list of arrays isn't written out.
"""

from __future__ import annotations

import operator

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.types import Known, Tuple, Type
from zyg.array_type import Array, is_number
from zyg.cotangents import cotangent
from zyg.rules import joining

facts.pure(joining.likes_of)
facts.total(joining.likes_of)


@special(joining.likes_of)
def likes_of(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """Each of the arrays in a tuple leaves what is asked of it."""
    arrays = _arrays_in(self, args[0], loc)
    if arrays is None:
        return None
    likes = [self.call(cotangent.prototype, array, loc=loc) for array in arrays]
    return [self.call(primitives.build_tuple, *likes, loc=loc)]


@special(joining.concatenate_bar)
def concatenate_bar(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    bar, arrays, axis = args
    likes, count = _arrays_in(self, arrays, loc), _dimensions(bar)
    if likes is None or count is None:
        return None
    ranks = set(map(_dimensions, likes))
    match type_of(axis):
        case Known(None) if ranks <= {0, 1} and count == 1:
            return _cut(self, bar, likes, 0, loc)
        case Known(int(along)) if ranks == {count} and -count <= along < count:
            return _cut(self, bar, likes, along % count, loc)
    return None


@special(joining.stack_bar)
def stack_bar(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    bar, arrays, axis = args
    likes, count, along = _arrays_in(self, arrays, loc), _dimensions(bar), type_of(axis)
    if likes is None or count is None or not isinstance(along, Known):
        return None
    if set(map(_dimensions, likes)) != {count - 1} or not -count <= along.value < count:
        return None
    before = (slice(None),) * (along.value % count)
    pieces = [
        _piece(self, bar, Const((*before, i) if before else i), like, loc)
        for i, like in enumerate(likes)
    ]
    return [self.call(primitives.build_tuple, *pieces, loc=loc)]


@special(joining.vstack_bar)
def vstack_bar(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """Rows are stacked, and matrices joined along their rows."""
    ranks = _ranks(args[1])
    function = stack_bar if ranks == {1} else concatenate_bar
    return function(self, [*args, Const(0)], kwargs, names, loc)


@special(joining.hstack_bar)
def hstack_bar(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    axis = 0 if _ranks(args[1]) == {1} else 1
    return concatenate_bar(self, [*args, Const(axis)], kwargs, names, loc)


@special(joining.column_stack_bar)
def column_stack_bar(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    function = stack_bar if _ranks(args[1]) == {1} else concatenate_bar
    return function(self, [*args, Const(1)], kwargs, names, loc)


@special(cotangent.filled)
def filled(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> Folded:
    """A list that was written out has no structural zeros where all of its items are arrays."""
    made = self.definitions.get(args[0]) if isinstance(args[0], Value) else None
    if not isinstance(made, Call) or not isinstance(made.callee, Const):
        return None
    is_display = made.callee.value in (primitives.build_list, primitives.build_tuple)
    return [args[0]] if is_display and all(map(_is_numeric, map(type_of, made.args))) else None


def _is_numeric(type_: Type) -> bool:
    return isinstance(type_, Array) or is_number(type_)


def _dimensions(operand: Operand) -> int | None:
    type_ = type_of(operand)
    if isinstance(type_, Array):
        return None if type_.dims is None else len(type_.dims)
    return 0 if is_number(type_) else None


def _ranks(arrays: Operand) -> set[int | None]:
    type_ = type_of(arrays)
    if not isinstance(type_, Tuple):
        return {None}
    return {_dimensions(Value("t", item)) for item in type_.items}


def _arrays_in(self: TypedCalls, arrays: Operand, loc: Location | None) -> list[Operand] | None:
    type_ = type_of(arrays)
    if not isinstance(type_, Tuple) or not type_.items or not all(map(_is_numeric, type_.items)):
        return None
    return [
        self.call(operator.getitem, arrays, Const(i), loc=loc) for i in range(len(type_.items))
    ]


def _cut(
    self: TypedCalls, bar: Operand, likes: list[Operand], axis: int, loc: Location | None
) -> list[Operand]:
    """The pieces of a cotangent that lie one behind the other along an axis."""
    before = [Const(slice(None))] * axis
    start: Operand = Const(0)
    pieces = []
    for i, like in enumerate(likes):
        if _dimensions(like) == 0:
            index, end = start, self.call(operator.add, start, Const(1), loc=loc)
        else:
            shape = self.call(np.shape, like, loc=loc)
            length = self.call(operator.getitem, shape, Const(axis), loc=loc)
            end = length if i == 0 else self.call(operator.add, start, length, loc=loc)
            ends = start if i > 0 else Const(None), end if i < len(likes) - 1 else Const(None)
            index = self.call(slice, *ends, Const(None), loc=loc)
        if before:
            index = self.call(primitives.build_tuple, *before, index, loc=loc)
        pieces.append(_piece(self, bar, index, like, loc))
        start = end
    return [self.call(primitives.build_tuple, *pieces, loc=loc)]


def _piece(
    self: TypedCalls, bar: Operand, index: Operand, like: Operand, loc: Location | None
) -> Operand:
    """A piece of a cotangent, of the shape and realness of the array that it belongs to."""
    bar_type, like_type = type_of(bar), type_of(like)
    if not isinstance(like_type, Array) or not isinstance(bar_type, Array):
        return self.call(cotangent.unbroadcast, self.call(operator.getitem, bar, index), like)
    piece = Value("t", Array(bar_type.dtype, like_type.dims))
    self._define(Call(Const(operator.getitem), [bar, index], {}, [piece], loc))
    return self.call(cotangent.realness_of, like, piece, loc=loc)
