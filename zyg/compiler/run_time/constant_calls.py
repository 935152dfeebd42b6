"""Calls of functions that are declared to have no derivative, where the run time finds them.

In a program that works on objects, what such a function changes has no derivative from then on: it
is called as code in which none flows (`zyg.compiler.inference.declared_constant`). What can't be
such code is called as it is, and may change nothing.
"""

from __future__ import annotations

import types
from typing import Any

from zyg.compiler.inference.declared_constant import code_of_constant
from zyg.compiler.run_time import from_api
from zyg.held.dropped_memory import dropped_given
from zyg.held.kinds_of_items import all_kept


def code_in_place_of(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> types.FunctionType | None:
    """The code that is called in the place of a function; None where that is called as it is."""
    if not isinstance(function, types.FunctionType):
        return None
    code = code_of_constant(function)
    if code is None or kwargs or from_api.why_not_compiled(code, args) is not None:
        return None
    return code


def called_as_it_is(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives; raises if it changes what the user's program holds, or gives that away."""
    if isinstance(function, types.FunctionType):
        return dropped_given(all_kept(function, *args, **kwargs), args, kwargs.values())
    return function(*args, **kwargs)
