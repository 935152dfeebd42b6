"""The operands of calls, bound to the parameters of what is called."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from ir import primitives
from ir.binding import bind
from ir.core import Const, Function, Operand
from ir.inference.typed_calls import TypedCalls
from zyg.compiler.specialisation import Target


def read_defaults(
    inference: TypedCalls, function: Operand, target: Target
) -> tuple[list[Operand], dict[str, Operand]]:
    """The defaults of a function object's parameters, and of the keyword-only ones by name."""
    kinds, params = target.source.signature, target.source.params
    first = kinds.positional_only + kinds.positional - len(target.defaults)
    return [
        inference.call(
            primitives.read_default, function, Const(params[first + i].name), Const(i)
        )
        for i in range(len(target.defaults))
    ], {
        name: inference.call(primitives.read_default, function, Const(name))
        for name in target.kwdefaults
    }


def bind_operands(
    inference: TypedCalls,
    source: Function,
    args: Sequence[Operand],
    kwargs: dict[str, Operand],
    like: types.FunctionType | None,
    defaults: Sequence[Operand] | None = None,
    kwdefaults: dict[str, Operand] | None = None,
) -> list[Operand]:
    """The operands of a function's parameters; defaults are those of `like`, unless given."""
    if defaults is None:
        defaults = [Const(v) for v in (like.__defaults__ or ())] if like else []
    if kwdefaults is None:
        known = (like.__kwdefaults__ or {}) if like else {}
        kwdefaults = {name: Const(value) for name, value in known.items()}

    def make_dict(items: Any) -> Operand:
        pairs = [part for name, value in items.items() for part in (Const(name), value)]
        return inference.call(primitives.build_dict, *pairs)

    return bind(
        source, args, kwargs, defaults, kwdefaults,
        lambda items: inference.call(primitives.build_tuple, *items), make_dict,
    )
