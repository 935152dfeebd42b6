"""The invariants of the IR, checked between passes in the tests.

Every value is defined once, before it is read, in a block that encloses the reader; each operation
agrees in number with its blocks: parameters, yielded values, results.
"""

from __future__ import annotations

from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Lambda,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    exit_operands,
    operands_of,
)
from ir.errors import IRError


class InvalidIR(IRError):
    """A pass has produced IR that breaks an invariant."""


def verify(function: Function) -> None:
    """Raises `InvalidIR` unless the function keeps every invariant."""
    scope: set[Value] = set()
    defined: set[Value] = set()
    _define([*function.captured, *function.params], scope, defined)
    _verify_block(function.body, scope, defined)
    if isinstance(function.body.exit, Yield) and len(function.body.exit.values) != 1:
        raise InvalidIR(f"{function.name} returns {len(function.body.exit.values)} values")


def verify_block(block: Block, scope: set[Value]) -> None:
    """Checks a block that reads the values of `scope` from outside."""
    _verify_block(block, set(scope), set(scope))


def _define(values: list[Value], scope: set[Value], defined: set[Value]) -> None:
    for value in values:
        if value in defined:
            raise InvalidIR(f"{value} is defined twice")
        defined.add(value)
        scope.add(value)


def _verify_block(block: Block, outer: set[Value], defined: set[Value]) -> None:
    scope = set(outer)
    _define(block.params, scope, defined)
    for op in block.ops:
        for operand in operands_of(op):
            _verify_operand(operand, scope, op)
        _verify_op(op, scope, defined)
        _define(op.results, scope, defined)
    for operand in exit_operands(block.exit):
        _verify_operand(operand, scope, block.exit)


def _verify_operand(operand: Operand, scope: set[Value], reader: object) -> None:
    match operand:
        case Const():
            return
        case Value():
            if operand not in scope:
                raise InvalidIR(f"{operand} is read by {reader!r} where it is not defined")
        case _:
            raise InvalidIR(f"{operand!r} is no operand")


def _verify_op(op: Op, scope: set[Value], defined: set[Value]) -> None:
    match op:
        case Call():
            if not op.results:
                raise InvalidIR(f"a call of {op.callee!r} has no result")
        case If():
            for block in op.blocks:
                _expect_yield(block, len(op.results), op)
                _verify_block(block, scope, defined)
        case Try():
            if op.body.params or len(op.handler.params) != 1:
                raise InvalidIR("the handler of a Try takes the exception, its body nothing")
            for block in op.blocks:
                _expect_yield(block, len(op.results), op)
                _verify_block(block, scope, defined)
        case For():
            if op.backwards is False and len(op.iterables) < 1:
                raise InvalidIR("a loop without an iterable")
            _verify_loop(op, len(op.iterables), scope, defined)
        case While():
            _verify_loop(op, 0, scope, defined)
        case Lambda():
            if len(op.captures) != len(op.function.captured):
                raise InvalidIR(f"{op.result} captures the wrong number of values")


def _verify_loop(op: For | While, items: int, scope: set[Value], defined: set[Value]) -> None:
    if len(op.body.params) != items + len(op.init):
        raise InvalidIR(f"{op!r} has {len(op.body.params)} parameters")
    if len(op.results) < len(op.init):
        raise InvalidIR(f"{op!r} has fewer results than carried values")
    _expect_yield(op.body, 1 + len(op.results), op)
    _verify_block(op.body, scope, defined)


def _expect_yield(block: Block, count: int, op: Op) -> None:
    match block.exit:
        case Yield(values):
            if len(values) != count:
                raise InvalidIR(f"{op!r} needs {count} values, its block yields {len(values)}")
        case Raise():
            pass
