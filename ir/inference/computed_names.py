"""Attributes by names that are computed, as branches on the names that are known of a class.

    v = getattr(o, name)        unless_known_name(o, name, ('x', 'y'))
                                v = if name == 'x':
                                        yield o.x
                                    else:
                                        yield o.y

That is so where all that the program does with objects has to be known, since its derivative is
differentiated in turn: what attributes hold stays known. Other names are refused when they come.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ir.core import Block, Call, Const, If, Location, Op, Operand, Value, Yield, type_of
from ir.heap import attribute_read
from ir.inference.special_calls import Folded, typed
from ir.inference.standing_in import standing_in
from ir.memory.place_state import check_call
from ir.rewrite import Mapping
from ir.types import BOTTOM, Instance, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

MAX_NAMES = 12


def by_names(
    self: TypedCalls, callee: Any, args: list[Operand], names: list[str], loc: Location | None
) -> Folded:
    """The result of a call of `getattr`, `setattr` or the like of an object of a known class; None
    where that isn't asked in code."""
    owner, name, *others = args
    type_ = type_of(owner)
    if not isinstance(type_, Instance) or not isinstance(name, Value):
        return None
    if not self.surroundings.is_apart() or self.surroundings.member(type_, "").kind == "other":
        return None
    known = self.surroundings.names_of_class(class_of(type_))
    if len(known) > MAX_NAMES:
        return None
    self.ops.append(
        check_call(self.surroundings.unless_known_name, [owner, name, Const(known)], loc)
    )
    if not known:  # nothing was stored so far; a later look may find more
        heap = self.current_heap(loc)
        if callee is not getattr:
            return [Const(None)]
        return typed(self, attribute_read, [heap, owner, Const("?")], names, loc, BOTTOM)
    cases = _Cases(callee, owner, name, others, loc)
    result = Value(names[0])
    operands = [operand for operand in args if isinstance(operand, Value)]
    mapping: Mapping = {operand: operand for operand in operands}
    return standing_in(self, cases.asked(list(known), result), mapping, [result])


class _Cases:
    """The same call for one name after the other."""

    def __init__(
        self, callee: Any, owner: Operand, name: Value, others: list[Operand], loc: Location | None
    ) -> None:
        self._callee, self._owner, self._name = callee, owner, name
        self._others, self._loc = others, loc

    def asked(self, names: list[str], result: Value) -> list[Op]:
        first, *rest = names
        if not rest:
            args = [self._owner, Const(first), *self._others]
            return [Call(Const(self._callee), args, {}, [result], self._loc)]
        is_first, found, other = Value("t"), Value(result.name), Value(result.name)
        ask = Call(Const(operator.eq), [self._name, Const(first)], {}, [is_first], self._loc)
        arms = [
            Block([], self.asked(left, value), Yield([value]))
            for left, value in (([first], found), (rest, other))
        ]
        return [ask, If(is_first, arms[0], arms[1], [result], self._loc)]
