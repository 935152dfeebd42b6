"""Tangents of numbers that objects hold: items of a dict in the place of calls of a table.

    x_dot = read_dot(b, 'x', x)            b_dots = dots_of(b)
    store_dot(b, 'v', t)            ->     x_dot = b_dots.get('x', 0.0)
                                           b_dots['v'] = t

The dict of an object is looked up once, where the object is at hand. It is done in code that nobody
differentiates any more, before that is printed.
"""

from __future__ import annotations

import ast
from typing import Any

from ir import facts
from ir.core import Block, Call, Const, Function, Op, Value, blocks_of, type_of
from ir.emit import statement_form
from ir.emit.render import expression_form, subscript
from ir.heap import Contents
from ir.rewrite import walk
from ir.types import TOP, Instance, Scalar, class_of, widen
from zyg.compiler.inference.objects import is_place
from zyg.tangents.tangent_objects import dots_of, read_dot, store_dot

FLOAT = Scalar(float)


def dot_in(dots: dict[str, Any], name: str, zero: float) -> Any:
    return dots.get(name, zero)


def put_dot(dots: dict[str, Any], name: str, dot: Any) -> None:
    dots[name] = dot


facts.effect(put_dot)


def use_dicts(function: Function) -> None:
    """Rewrites a tangent function in place."""
    asked: dict[Value, Value] = {}
    for op in walk(function.body):
        obj = _number_of(op)
        if obj is not None and obj not in asked:
            asked[obj] = Value(f"{obj.name}_dots", TOP)
    if asked:
        inputs = [value for value in (*function.captured, *function.params) if value in asked]
        _rewrite(function.body, asked, inputs)


def _number_of(op: Op) -> Value | None:
    """The object of which an operation reads or stores the tangent of a number."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const) or len(op.args) != 3:
        return None
    obj, _, number = op.args
    if op.callee.value not in (read_dot, store_dot):
        return None
    type_, cls = type_of(obj), class_of(type_of(obj))
    is_object = isinstance(type_, Instance) and cls is not None and is_place(cls) and (
        not issubclass(cls, Contents)
    )
    return obj if isinstance(obj, Value) and is_object and widen(type_of(number)) == FLOAT else None


def _rewrite(block: Block, asked: dict[Value, Value], begin: list[Value]) -> None:
    ops: list[Op] = []

    def look_up(values: list[Value]) -> None:
        ops.extend(
            Call(Const(dots_of), [value], {}, [asked[value]]) for value in values if value in asked
        )

    look_up([*begin, *block.params])
    for op in block.ops:
        for inner in blocks_of(op):
            _rewrite(inner, asked, [])
        obj = _number_of(op)
        if obj is not None:
            assert isinstance(op, Call) and isinstance(op.callee, Const)
            is_read = op.callee.value is read_dot
            last = Const(0.0) if is_read else op.args[2]
            op.callee = Const(dot_in if is_read else put_dot)
            op.args = [asked[obj], op.args[1], last]
        ops.append(op)
        look_up(op.results)
    block.ops = ops


@expression_form(dot_in)
def _print_read(args: list[ast.expr], environment: Any) -> ast.expr:
    get = ast.Attribute(value=args[0], attr="get", ctx=ast.Load())
    return ast.Call(func=get, args=args[1:], keywords=[])


@statement_form(put_dot)
def _print_store(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Assign(targets=[subscript(args[0], args[1])], value=args[2], type_comment=None)
