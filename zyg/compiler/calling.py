"""A callable without Python code as a function in IR: one that does nothing but call it."""

from __future__ import annotations

from typing import Any

from ir.core import Block, Call, Const, Function, Operand, Parameters, Value, Yield
from ir.forgettable import IdentityTable
from zyg.rules import registry

_calling: IdentityTable[Any, Function] = IdentityTable()


def calling(function: Any, count: int, keywords: tuple[str, ...]) -> Function:
    """The IR of a function that does nothing but call `function`."""
    known = _calling.of(function, (count, keywords))
    if known is not None:
        return known
    rule = registry.rule_of(function)
    names = [f"x{i}" for i in range(count)]
    if rule is not None and hasattr(rule, "__code__"):
        own = rule.__code__.co_varnames[: min(rule.__code__.co_argcount, count)]
        names[: len(own)] = own
    params = [Value(name) for name in [*names, *keywords]]
    result = Value("y")
    kwargs: dict[str, Operand] = dict(zip(keywords, params[count:], strict=True))
    call = Call(Const(function), list(params[:count]), kwargs, [result])
    name = getattr(function, "__name__", type(function).__name__)
    made = Function(
        name if str(name).isidentifier() else "call", params, [],
        Block([], [call], Yield([result])), None,
        Parameters(0, len(params), False, 0, False), code=function,
    )
    _calling.note(function, made, (count, keywords))
    return made
