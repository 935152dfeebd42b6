"""What handlers ask of the exceptions that they get.

    sys.exc_info()       ->    type(error), error, error.__traceback__
    error.value          ->    one_of(error, (Converged,)).value      for second derivatives
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ir import primitives
from ir.core import Call, Const, Location, Operand, Value
from ir.heap import contents_read
from ir.inference.special_calls import Folded, special, typed
from ir.memory.place_state import check_call
from ir.types import Instance, join_all

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


@special(sys.exc_info)
def _exc_info(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """In a handler, of the exception that it gets."""
    if not self.handling or args or kwargs or self.places is None:
        return None
    error, name = self.handling[-1], Const("__traceback__")
    (kind,) = self.typed_call(Const(type), [error], {}, ["kind"], loc)
    (traceback,) = self.typed_call(Const(getattr), [error, name], {}, ["traceback"], loc)
    parts = [kind, error, traceback]
    return self.typed_call(Const(primitives.build_tuple), parts, {}, names, loc)


@special(sys.exception)
def _exception(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    return [self.handling[-1]] if self.handling and not args and not kwargs else None


def known_error(self: TypedCalls, owner: Operand, loc: Location | None) -> Operand:
    """A caught exception as one of the classes that the program raises, where others would be of no
    use: in code whose gradient is differentiated in turn."""
    caught = caught_as(self, owner)
    classes = () if caught is None else self.surroundings.errors_made(self.caught[caught])
    if not classes:
        return owner
    check = self.surroundings.unless_made
    self.ops.append(check_call(check, [owner, Const(classes)], loc))
    assert isinstance(owner, Value)
    operands: list[Operand] = [owner, Const(classes)]
    (same,) = self.typed_call(Const(primitives.one_of), operands, {}, [owner.name], loc)
    return same


def caught_as(self: TypedCalls, owner: Operand) -> Value | None:
    """What a handler has caught, if this is that; it may be read again of what objects hold."""
    while self.caught and isinstance(owner, Value):
        if owner in self.caught:
            return owner
        match self.definitions.get(owner):
            case Call(Const(callee), [_, held]) if callee is contents_read:
                owner = held
            case _:
                return None
    return None


@special(primitives.one_of)
def _one_of(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    owner, classes = args
    assert isinstance(owner, Value) and isinstance(classes, Const)
    type_ = join_all(map(Instance, classes.value))
    (same,) = typed(self, primitives.one_of, args, names, loc, type_)
    if self.places is not None and isinstance(same, Value):
        self.places.name_again(owner, same)
    return [same]
