"""A function through `ir` and back."""

from __future__ import annotations

from types import FunctionType

import ir


def rebuilt(f: FunctionType) -> FunctionType:
    """The function that f's own IR emits, with f's defaults: they aren't part of the code."""
    function = ir.load(ir.parse(f))
    function.__defaults__ = f.__defaults__
    function.__kwdefaults__ = f.__kwdefaults__
    return function
