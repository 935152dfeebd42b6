"""Operations to statements and expressions: calls, constants, assignments of what they give.

    Call(operator.add, x, 1) -> t       t = x + 1        or `x + 1` where `t` is read, if just once
"""

from __future__ import annotations

import ast
import builtins
import operator
from typing import Any

from ir import primitives
from ir.core import (
    Block,
    Call,
    Const,
    Function,
    If,
    Location,
    Op,
    Operand,
    Value,
    exit_operands,
    is_end_guarded,
    type_of,
)
from ir.emit.forms import statements
from ir.emit.inlining import Inlining
from ir.emit.lower import lower
from ir.emit.naming import Naming
from ir.emit.order import append, is_store
from ir.emit.render import BINARY, Environment, attribute, call_node, name_node, subscript
from ir.emit.text import LOCATION
from ir.heap import delete_attribute, set_attribute
from ir.rewrite import blocks, count_uses
from ir.types import Scalar, Type, Union


def globals_read(block: Block) -> set[str]:
    """The names of the globals that a block loads."""
    return {
        op.args[0].value
        for inner in blocks(block) for op in inner.ops
        if isinstance(op, Call) and isinstance(op.callee, Const)
        and op.callee.value is primitives.load_global and isinstance(op.args[0], Const)
    }


class OperationEmitter:
    """Prints operations that own no blocks, and the names of what they give."""

    def __init__(self, function: Function, environment: Environment) -> None:
        self.function = function
        self.environment = environment
        lower(self.function.body)
        ops = [op for block in blocks(self.function.body) for op in block.ops]
        self.consuming = {
            op for op in ops
            if isinstance(op, Call) and isinstance(op.callee, Const)
            and id(op.callee.value) in statements
        }
        self.uses = count_uses(self.function.body)
        self.inlining = Inlining(self.function.body, self.consuming, self.uses)
        self.definitions = {value: op for op in ops for value in op.results}
        self.naming = Naming(
            self.function, self.inlining, globals_read(self.function.body), self.consuming,
            self.uses,
        )
        environment.reserved |= set(self.naming.names.values())
        self.loops: list[list[Value]] = []
        self.ends: list[int] = []  # where what is guarded ends among the statements
        self.statements: list[ast.stmt] = []
        self.location: Location | None = None

    # Expressions

    def operand(self, operand: Operand) -> ast.expr:
        if isinstance(operand, Const):
            return self.environment.constant(operand.value)
        if operand in self.inlining.inlined:
            return self.expression(self.definitions[operand])
        return name_node(self.naming.name(operand))

    def expression(self, op: Op) -> ast.expr:
        match op:
            case Call():
                return self.call(op)
            case If():
                then, orelse = (self.operand(*exit_operands(block.exit)) for block in op.blocks)
                return ast.IfExp(test=self.condition(op.cond), body=then, orelse=orelse)
            case _:
                raise AssertionError(op)

    def condition(self, operand: Operand) -> ast.expr:
        """The test of a branch, which takes the truth value by itself."""
        if isinstance(operand, Value) and operand in self.inlining.inlined:
            op = self.definitions[operand]
            if isinstance(op, Call) and isinstance(op.callee, Const):
                if op.callee.value is operator.truth:
                    return self.operand(op.args[0])
        return self.operand(operand)

    def call(self, op: Call) -> ast.expr:
        args = [self.operand(arg) for arg in op.args]
        kwargs = {name: self.operand(arg) for name, arg in op.kwargs.items()}
        if isinstance(op.callee, Const):
            callee = op.callee.value
            if callee is operator.truth and type_of(op.args[0]) in (Scalar(int), Scalar(float)):
                callee, args = operator.ne, [*args, self.operand(Const(0))]  # no call
            return call_node(callee, args, kwargs, self.environment)
        keywords = [ast.keyword(arg=name, value=value) for name, value in kwargs.items()]
        return ast.Call(func=self.operand(op.callee), args=args, keywords=keywords)

    # Statements

    def add(self, statement: ast.stmt, location: Location | None = None) -> None:
        setattr(statement, LOCATION, location or self.location)
        self.statements.append(statement)

    def assign(self, results: list[Value], value: ast.expr) -> None:
        if len(results) == 1:
            (result,) = results
            if not self.uses[result]:
                self.add(ast.Expr(value=value))
                return
            name = self.target(result)
            if not isinstance(value, ast.Name) or value.id != name.id:  # else it says nothing
                self.add(ast.Assign(targets=[name], value=value, type_comment=None))
            return
        targets: list[ast.expr] = [self.target(result) for result in results]
        target = ast.Tuple(elts=targets, ctx=ast.Store())
        self.add(ast.Assign(targets=[target], value=value, type_comment=None))

    def target(self, value: Value) -> ast.Name:
        naming = self.naming
        name = naming.name(value) if self.uses[value] else naming.unread
        return name_node(name, store=True)

    def call_statement(self, op: Call) -> None:
        callee = op.callee.value if isinstance(op.callee, Const) else None
        if is_end_guarded(op):
            self.ends.append(len(self.statements))
            return
        if callee is append:
            items, item = op.args
            if isinstance(items, Value) and self.uses[items] > 1:
                self.append(items, item)
            return
        if op in self.consuming:
            self.consume(op, callee)
            return
        if is_store(op) and not self.uses[op.results[0]]:
            build = attribute if callee is set_attribute else subscript
            place = build(self.operand(op.args[0]), self.operand(op.args[1]))
            value = self.operand(op.args[2])
            self.add(ast.Assign(targets=[place], value=value, type_comment=None))
            return
        if callee is delete_attribute and not self.uses[op.results[0]]:
            place = attribute(self.operand(op.args[0]), self.operand(op.args[1]))
            self.add(ast.Delete(targets=[place]))
            return
        if callee is primitives.unpack and len(op.results) > 1:
            self.assign(op.results, self.operand(op.args[0]))
            return
        if callee is primitives.unpack_starred and len(op.results) > 1:
            self.unpack_starred(op)
            return
        if self.is_augmented(op):
            self.add(
                ast.AugAssign(
                    target=self.target(op.result), op=BINARY[callee], value=self.operand(op.args[1])
                )
            )
            return
        self.assign(op.results, self.call(op))

    def append(self, items: Operand, item: Operand) -> None:
        function = ast.Attribute(value=self.operand(items), attr="append", ctx=ast.Load())
        call = ast.Call(func=function, args=[self.operand(item)], keywords=[])
        self.add(ast.Expr(value=call))

    def consume(self, op: Call, callee: object) -> None:
        args = [self.operand(arg) for arg in op.args]
        statement = statements[id(callee)](args, self.environment)
        if statement is not None:
            self.add(statement)

    def is_augmented(self, op: Call) -> bool:
        """Whether `x = x + y` can be printed as `x += y`: for scalars that is the same."""
        if not isinstance(op.callee, Const) or not _is(op.callee.value, BINARY):
            return False
        left = op.args[0]
        return (
            isinstance(left, Value)
            and left not in self.inlining.inlined
            and bool(self.uses[op.result])
            and _is_scalar(type_of(left))
            and self.naming.name(left) == self.naming.name(op.result)
        )

    def unpack_starred(self, op: Call) -> None:
        assert isinstance(op.args[1], Const)
        before: int = op.args[1].value
        targets: list[ast.expr] = [self.target(result) for result in op.results]
        targets[before] = ast.Starred(value=targets[before], ctx=ast.Store())
        target = ast.Tuple(elts=targets, ctx=ast.Store())
        self.add(ast.Assign(targets=[target], value=self.operand(op.args[0]), type_comment=None))

    def known_class(self, operand: Operand) -> object:
        """The class that an operand of `except` is, as far as that can be told."""
        if isinstance(operand, Const):
            return operand.value
        match self.definitions.get(operand):
            case Call(Const(callee), [Const(str(name))]) if callee is primitives.load_global:
                return self.function.globals.get(name, getattr(builtins, name, None))
            case _:
                return None


def _is(callee: object, table: dict[Any, Any]) -> bool:
    try:
        return callee in table
    except TypeError:
        return False


def _is_scalar(type_: Type) -> bool:
    if isinstance(type_, Union):
        return all(map(_is_scalar, type_.members))
    return isinstance(type_, Scalar)
