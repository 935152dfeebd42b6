"""Python functions whose IR the compiler has made: no file has their source.

    made.__code__.co_consts[-1]   an `_Origin`, which knows the IR as long as it is alive
    made.__dict__["ir"]           the IR, which knows the code

The IR is found by the code, as that of all functions is (`ir.parse`), and held by the function: the
collector of garbage doesn't look into code objects, so that a code that held IR which leads back to
it would never be freed.
"""

from __future__ import annotations

import types
import weakref

from ir.core import Function


class _Origin:
    """A constant of one code object, which no other one is equal to."""

    def __init__(self, function: Function) -> None:
        self.function = weakref.ref(function)


def give_ir(made: types.FunctionType, function: Function) -> None:
    """Lets the IR of a function be found by its code, which becomes one of its own."""
    code = made.__code__
    made.__code__ = code.replace(co_consts=(*code.co_consts, _Origin(function)))
    made.__dict__["ir"] = function
    function.code = made.__code__


def ir_of_made(code: types.CodeType) -> Function | None:
    """The IR of a function that the compiler has made, while that is alive."""
    origin = code.co_consts[-1] if code.co_consts else None
    return origin.function() if isinstance(origin, _Origin) else None
