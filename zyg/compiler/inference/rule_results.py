"""The types that calls with rules give, by inference of the rules."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ir.core import Const, Operand, Value, type_of
from ir.inference.infer import Inference
from ir.parse import parse_code
from ir.types import BOTTOM, TOP, Known, Type, widen
from zyg.compiler.inference.arguments import bind_operands
from zyg.compiler.inference.objects import lookup
from zyg.rules.registry import rule_of, substitute_of
from zyg.signature import is_bound, is_by_rules

if TYPE_CHECKING:
    from zyg.compiler.inference.surroundings import ProgramSurroundings


def method_by_rules(callee: Any) -> tuple[Any, Any] | None:
    """The code that stands for a method of a library's object, or for its call, and the object."""
    function: Any
    if isinstance(callee, types.MethodType):
        function, owner = callee.__func__, callee.__self__
    elif isinstance(callee, types.BuiltinFunctionType) and is_bound(callee):
        function, owner = lookup(type(callee.__self__), callee.__name__), callee.__self__
    elif not isinstance(callee, type) and is_by_rules(type(callee)):
        function, owner = lookup(type(callee), "__call__"), callee
    else:
        return None
    substitute = substitute_of(function)
    if substitute is None:
        return None
    return (substitute if is_by_rules(function) else function), owner


def rule_result(
    surroundings: ProgramSurroundings,
    callee: object,
    args: tuple[Type, ...],
    kwargs: dict[str, Type],
) -> Type:
    """The type of the value that a rule returns for such arguments."""
    rule = rule_of(callee)
    if not isinstance(rule, types.FunctionType) or callee in surroundings.ruled:
        return TOP
    surroundings.ruled.append(callee)
    try:
        return _rule_result(surroundings, rule, args, kwargs)
    finally:
        surroundings.ruled.pop()


def _rule_result(
    surroundings: ProgramSurroundings,
    rule: types.FunctionType,
    args: tuple[Type, ...],
    kwargs: dict[str, Type],
) -> Type:
    try:
        source = parse_code(rule.__code__, rule.__globals__)
        operands: list[Operand] = [_operand(type_) for type_ in args]
        keywords = {name: _operand(type_) for name, type_ in kwargs.items()}
        inference = Inference(surroundings, rule.__globals__)
        bound = bind_operands(inference, source, operands, keywords, rule)
    except Exception:  # the call itself will say what is wrong
        return TOP
    if source.captured:
        return TOP
    exit = inference.inline(source.body, dict(zip(source.params, bound, strict=True)))
    values = getattr(exit, "values", None)
    parts = inference.parts(values[0]) if values else None
    found = widen(type_of(parts[0])) if parts is not None and len(parts) == 2 else TOP
    # A rule that calls what it stands for, by a function declared constant, seems never to return.
    return TOP if found == BOTTOM else found


def _operand(type_: Type) -> Operand:
    return Const(type_.value) if isinstance(type_, Known) else Value("x", type_)
