"""Calls that the run time finds, in programs that take them to leave objects alone.

    y = f(x)           unless_on_objects(f, x)
                       y = f(x)
                       unless_giving_objects(y)

Where that isn't so, the run time refuses the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core import Const, Location, Operand, Value, type_of
from ir.memory.place_state import check_call

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


def set_apart(
    inference: TypedCalls, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None,
) -> bool:
    """Appends what is looked at in front of a call; gives whether the run time finds the callee."""
    surroundings = inference.surroundings
    if surroundings.sets_apart(type_of(callee)):
        check = check_call(surroundings.unless_on_objects, [callee, *args], loc, kwargs)
        inference.ops.append(check)
        return True
    if isinstance(callee, Const):
        asked = surroundings.unknown_operands(callee.value, args)
        if asked:
            check = check_call(surroundings.unless_operators_of_objects, asked, loc)
            inference.ops.append(check)
    return False


def check_given(inference: TypedCalls, results: list[Value], loc: Location | None) -> None:
    """Appends what is looked at behind such a call."""
    check = inference.surroundings.unless_giving_objects
    inference.ops += [check_call(check, [value], loc) for value in results]


def unless_changed(
    inference: TypedCalls, value: Operand, symbol: str, loc: Location | None
) -> None:
    """Appends what is looked at in front of an augmented assignment to what isn't known."""
    check = inference.surroundings.unless_mutable
    inference.ops.append(check_call(check, [value, Const(symbol)], loc))
