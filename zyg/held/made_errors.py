"""Exceptions as objects, in programs where what catches one uses a number that it holds.

    raise Converged(x)       ->    error = new_error(Converged); error.args = (x,)
                                   Converged.__init__(error, x); raise error

Those that a program makes itself are followed: what is read of others, which were made by code that
isn't looked into, has no known derivative.
"""

from __future__ import annotations

from typing import Any

from ir import facts
from ir.late import imported
from ir.types import TOP, Instance, Known, Type
from zyg.errors import NotDifferentiable
from zyg.held.shadow_calls import state


def new_error(cls: Any) -> Any:
    """An exception that holds nothing yet."""
    made = cls.__new__(cls)
    for program in _following():
        program.errors[id(made)] = made
    return made


def _following() -> list[Any]:
    """The forward pass and the tangents of objects that run in this thread."""
    found = imported("zyg.tangents.tangent_objects")
    tangents = found.current_tangents() if found is not None and found.has_table() else None
    return [program for program in (state.run, tangents) if program is not None]


facts.fresh(new_error)


@facts.result(new_error)
def _type_of_new(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Instance(args[0].value) if isinstance(args[0], Known) else TOP


def is_following() -> bool:
    """Whether a program runs that may have made exceptions which are objects."""
    return bool(_following())


def is_made(error: object) -> bool:
    """Whether the program that runs has made an exception, so that what it holds is followed."""
    return any(id(error) in program.errors for program in _following())


def unless_unknown(error: BaseException, function: Any) -> None:
    """Raises where a function is given an exception that may hold numbers with derivatives, if the
    program hasn't made it, or doesn't follow what it holds."""
    if not is_made(error) and any(map(_may_hold_number, (*error.args, *vars(error).values()))):
        name = getattr(function, "__qualname__", function)
        raise NotDifferentiable(
            f"{name} is given a caught {type(error).__name__}, and a number that was to be "
            "differentiated may be in it; hand the number on in another way than in an exception"
        )


def _may_hold_number(value: Any) -> bool:
    return not isinstance(value, bool | int | str | bytes | BaseException | None)
