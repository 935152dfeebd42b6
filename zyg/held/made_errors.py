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
from zyg.held.shadow_calls import is_running, state


def new_error(cls: Any) -> Any:
    """An exception that holds nothing yet."""
    made = cls.__new__(cls)
    if state.run is not None:
        state.run.errors[id(made)] = made
    tangents = _current_tangents()
    if tangents is not None:
        tangents.of(made)
    return made


def _current_tangents() -> Any:
    """The tangents of objects in the tangent function that runs, if one does."""
    found = imported("zyg.tangents.tangent_objects")
    return found.current_tangents() if found is not None and found.has_table() else None


facts.fresh(new_error)


@facts.result(new_error)
def _type_of_new(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Instance(args[0].value) if isinstance(args[0], Known) else TOP


def is_following() -> bool:
    """Whether a program runs that may have made exceptions which are objects."""
    return is_running() or _current_tangents() is not None


def is_made(error: object) -> bool:
    """Whether the program that runs has made an exception, so that what it holds is followed."""
    if state.run is not None and id(error) in state.run.errors:
        return True
    tangents = _current_tangents()
    return tangents is not None and id(error) in tangents.tables


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
