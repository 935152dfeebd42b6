"""Functions that say of themselves what they stand for, where all callees have to be known.

    @functools.wraps(f)
    def wrapper(*args): ...        ->    wrapper = update_wrapper(wrapper, f)

What is made so is the function itself, so that calls of it are calls of its code. Others than
derivatives of derivatives leave it to the run time.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ir.core import Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special, typed
from ir.types import Closure, Known, Method

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


def wrapping(wrapped: Any, wrapper: Any) -> Any:
    """What `functools.wraps(wrapped)` does with a function."""
    return functools.update_wrapper(wrapper, wrapped)


@special(functools.wraps)
def _wraps(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.heap is None or not self.surroundings.is_apart() or len(args) != 1 or kwargs:
        return None
    method = Method(Known(wrapping), type_of(args[0]))
    (result,) = typed(self, functools.wraps, args, names, loc, method)
    assert isinstance(result, Value)
    self.methods[result] = Const(wrapping), args[0]
    return [result]


@special(wrapping)
def _wrapping(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if len(args) != 2 or kwargs:
        return None
    wrapped, wrapper = args
    return self.typed_call(Const(functools.update_wrapper), [wrapper, wrapped], {}, names, loc)


@special(functools.update_wrapper)
def _update_wrapper(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.heap is None or not self.surroundings.is_apart() or len(args) != 2 or kwargs:
        return None
    type_ = type_of(args[0])
    if not isinstance(type_, Closure):
        return None
    return typed(self, functools.update_wrapper, args, names, loc, type_)
