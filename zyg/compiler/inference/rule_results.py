"""The types that calls with rules give, by inference of the rules."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ir import facts
from ir.core import Const, Operand, Value, type_of
from ir.inference.infer import Inference
from ir.parse import parse_code
from ir.types import BOTTOM, TOP, Closure, Known, Type, widen
from zyg.compiler.inference.arguments import bind_operands
from zyg.compiler.inference.objects import lookup
from zyg.compiler.origins import is_of_zyg
from zyg.compiler.specialisation import Specialisation, is_unknown, setting_type
from zyg.rules.registry import rule_of, stood_for, substitute_of
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


def declared_result(
    made: Specialisation, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
) -> Type:
    """What is known of the function of a library that code of ours stands for, where the code
    itself doesn't tell."""
    if not is_unknown(made.result) or not is_of_zyg(made.source.globals) or made.updates:
        return made.result
    function = callee.value if isinstance(callee, Known) else None
    if isinstance(callee, Closure):
        function = stood_for(callee.code)
    elif isinstance(function, types.FunctionType):
        function = stood_for(function.__code__) or function
    result_of = None if facts.is_helper(function) else facts.result_of(function)
    if result_of is None:
        return made.result
    # Of what is part of the signature: other calls may have this specialisation, too.
    named = {name: setting_type(type_) for name, type_ in kwargs.items()}
    found = result_of(tuple(map(setting_type, args)), named)
    return made.result if is_unknown(found) else found


def with_declared_type(
    made: Operand, callee: object, args: list[Operand], kwargs: dict[str, Operand]
) -> Operand:
    """What code in the place of a library's call gives, with what is known of that call."""
    result_of = facts.result_of(callee) if isinstance(made, Value) else None
    if result_of is None or not isinstance(made, Value) or not is_unknown(made.type):
        return made
    named = {name: type_of(arg) for name, arg in kwargs.items()}
    found = result_of(tuple(map(type_of, args)), named)
    made.type = made.type if is_unknown(found) else found
    return made


def _operand(type_: Type) -> Operand:
    return Const(type_.value) if isinstance(type_, Known) else Value("x", type_)
