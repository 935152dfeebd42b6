"""Calls of small functions in terms of the operations of these.

    sigmoid = lambda t: 1 / (1 + exp(-t))           u = -z; v = exp(u); w = 1 + v
    y = sigmoid(z)                           ->     y = 1 / w

The functions are those of modules, the helpers that rules are made of, and local ones. Only what is
a row of calls is inlined, as far as the types tell: where they leave a branch open, the call stays.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ir import primitives
from ir.binding import CannotBind, bind
from ir.core import Call, Const, Function, Lambda, Location, Operand, Raise, Value, Yield, type_of
from ir.suggestions import suggest_names
from ir.types import BOTTOM, widen

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

MAX_INLINED = 12  # inside of each other


def inlined_call(
    inference: TypedCalls, callee: types.FunctionType, args: list[Operand],
    kwargs: dict[str, Operand], names: list[str], loc: Location | None,
) -> list[Operand] | None:
    """The result of a call of a known function; None for a call that stays.

    What a helper of rules returns is known from the body, also where its call stays.
    """
    if len(inference._inlining) > MAX_INLINED or callee in inference._inlining:
        return None
    code = inference.surroundings.inlinable(callee)
    if code is None or (inference.attempting is not None and not code.is_own):
        return None
    kwdefaults = {name: Const(value) for name, value in code.kwdefaults.items()}
    exit = _inlined(
        inference, callee, code.source, args, kwargs, list(map(Const, code.defaults)), kwdefaults,
        {}, names, loc, code.is_own,
    )
    if isinstance(exit, Value | Const):
        return [exit]
    if exit is None or not code.is_own:
        return None
    result_type = widen(type_of(exit.values[0])) if isinstance(exit, Yield) else BOTTOM
    made = Value(names[0], result_type)
    inference._define(Call(Const(callee), args, kwargs, [made], loc))
    return [made]


def inlined_closure(
    inference: TypedCalls, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> list[Operand] | None:
    """The result of a call of a function that is defined here; None for a call that stays."""
    made = inference.definitions.get(callee) if isinstance(callee, Value) else None
    if not isinstance(made, Lambda) or len(names) != 1 or inference.attempting is not None:
        return None
    source = made.function
    if len(inference._inlining) > MAX_INLINED or source in inference._inlining:
        return None
    if not inference.surroundings.is_inlined(source):
        return None
    captured = dict(zip(source.captured, made.captures, strict=True))
    exit = _inlined(
        inference, source, source, args, kwargs, made.defaults, made.kwdefaults, captured, names,
        loc, False,
    )
    return [exit] if isinstance(exit, Value | Const) else None


def _inlined(
    inference: TypedCalls, callee: object, source: Function, args: list[Operand],
    kwargs: dict[str, Operand], defaults: Sequence[Operand], kwdefaults: Mapping[str, Operand],
    captured: dict[Value, Operand], names: list[str], loc: Location | None, is_own: bool,
) -> Operand | Yield | Raise | None:
    """The result of a body in a row; otherwise how that ends, and nothing of it is kept."""
    state = inference.ops, inference.globals, inference.place
    known = len(inference.definitions), len(inference.methods)
    memory = None if inference.places is None else inference.places.state.copy()
    inference.ops, inference.globals = [], source.globals
    inference.place = (inference.place or loc) if is_own else inference.place
    inference._inlining.append(callee)

    def make_dict(items: Mapping[str, Operand]) -> Operand:
        pairs = [part for name, value in items.items() for part in (Const(name), value)]
        return inference.call(primitives.build_dict, *pairs)

    try:
        bound = bind(
            source, args, kwargs, defaults, kwdefaults,
            lambda items: inference.call(primitives.build_tuple, *items), make_dict,
        )
        given = dict(zip(source.params, bound, strict=True))
        if not is_own:
            suggest_names(given)
        exit = inference.inline(source.body, {**captured, **given})
        inlined = inference.ops
    except CannotBind:
        return None
    finally:
        inference._inlining.pop()
        inference.ops, inference.globals, inference.place = state
    if isinstance(exit, Yield) and all(isinstance(op, Call) for op in inlined):
        result = exit.values[0]
        if isinstance(result, Value) and result.name == "t":
            result.name = names[0]
        inference.ops += inlined
        return result
    # What was defined there is not kept: it came last.
    while len(inference.definitions) > known[0]:
        inference.definitions.popitem()
    while len(inference.methods) > known[1]:
        inference.methods.popitem()
    if inference.places is not None and memory is not None:
        inference.places.state = memory
    return exit
