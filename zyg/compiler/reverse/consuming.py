"""Accumulation in place: what `ownership` puts in the place of sums whose operand dies.

Each consumes its first argument. They are printed as statements: `a += b`, `a[i] += b`.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ir.emit import statement_form
from ir.emit.render import attribute, expression_form, name_node, subscript
from zyg.cotangents import cotangent, cotangent_items
from zyg.cotangents.cotangent_items import (
    accumulate_at,
    clear_at,
    cycle_back,
    insert_place,
    take_push_back,
)
from zyg.cotangents.cotangent_places import drop_place, item_in
from zyg.held import shadow_calls


def add_into(buffer: Any, value: Any) -> Any:
    buffer += value
    return buffer


def subtract_into(buffer: Any, value: Any) -> Any:
    buffer -= value
    return buffer


def add_item_into(buffer: Any, index: Any, value: Any) -> Any:
    buffer[index] += value
    return buffer


def subtract_item_into(buffer: Any, index: Any, value: Any) -> Any:
    buffer[index] -= value
    return buffer


def accumulate_into(buffer: Any, index: Any, value: Any) -> Any:
    return accumulate_at(buffer, index, value)


def clear_into(buffer: Any, index: Any) -> Any:
    buffer[index] = 0
    return buffer


def set_item_into(buffer: Any, index: Any, value: Any) -> Any:
    """Clears an item and adds to it."""
    buffer[index] = value
    return buffer


def add_in_into(buffer: Any, value: Any, *path: Any) -> Any:
    *outer, last = path
    item_in(buffer, *outer)[last] += value
    return buffer


def set_in_into(buffer: Any, value: Any, *path: Any) -> Any:
    *outer, last = path
    item_in(buffer, *outer)[last] = value
    return buffer


def drop_place_into(buffer: Any, *path: Any) -> Any:
    *outer, last = path
    drop_place(item_in(buffer, *outer), last)
    return buffer


def insert_place_into(buffer: Any, zero: Any, *path: Any) -> Any:
    *outer, last = path
    insert_place(item_in(buffer, *outer), last, zero)
    return buffer


def append_into(buffer: Any, value: Any) -> Any:
    buffer.append(value)
    return buffer


def drop_key_into(buffer: Any, key: Any) -> Any:
    del buffer[key]
    return buffer


def clear_key_to_into(buffer: Any, key: Any, before: Any) -> Any:
    if before is None:
        del buffer[key]
    else:
        buffer[key] = cotangent.zeros_like(before)
    return buffer


def clear_to_into(buffer: Any, index: Any, before: Any) -> Any:
    buffer[index] = cotangent.zeros_like(before)
    return buffer


def clear_at_into(buffer: Any, index: Any) -> Any:
    return clear_at(buffer, index)


def drop_last_into(buffer: Any) -> Any:
    del buffer[-1]
    return buffer


IN_PLACE = {
    id(f) for f in (
        add_into, subtract_into, add_item_into, subtract_item_into, accumulate_into, clear_into,
        set_item_into, clear_at_into, drop_last_into, insert_place, take_push_back, cycle_back,
        add_in_into, set_in_into, clear_to_into, drop_place_into, insert_place_into,
        drop_key_into, clear_key_to_into, append_into,
        shadow_calls.add, shadow_calls.take,
    )
}


def _place(node: ast.expr) -> ast.Name | ast.Subscript:
    """The variable or item that a statement changes."""
    assert isinstance(node, ast.Name | ast.Subscript), "only variables and items are changed"
    return node


def _increase(place: ast.expr, bar: ast.expr) -> ast.stmt:
    """`place += bar`, or `place -= positive` for a negated one."""
    assert isinstance(place, ast.Attribute | ast.Subscript)
    match bar:
        case ast.UnaryOp(ast.USub(), positive):
            return ast.AugAssign(target=place, op=ast.Sub(), value=positive)
        case value:
            return ast.AugAssign(target=place, op=ast.Add(), value=value)


@expression_form(cotangent.add)
def _print_sum(args: list[ast.expr], environment: Any) -> ast.expr:
    return ast.BinOp(left=args[0], op=ast.Add(), right=args[1])


@expression_form(cotangent.subtract)
def _print_difference(args: list[ast.expr], environment: Any) -> ast.expr:
    return ast.BinOp(left=args[0], op=ast.Sub(), right=args[1])


@expression_form(cotangent.sum_over)
def _print_sum_over(args: list[ast.expr], environment: Any) -> ast.expr:
    # The ufunc's method costs half of what the array's method does.
    add = ast.Attribute(value=name_node(environment.add(np, "np")), attr="add", ctx=ast.Load())
    function = ast.Attribute(value=add, attr="reduce", ctx=ast.Load())
    keywords = [ast.keyword(arg="axis", value=args[1])]
    if len(args) > 2:
        keywords.append(ast.keyword(arg="keepdims", value=args[2]))
    return ast.Call(func=function, args=[args[0]], keywords=keywords)


@expression_form(cotangent_items.copied)
def _print_copied(args: list[ast.expr], environment: Any) -> ast.expr:
    method = ast.Attribute(value=subscript(args[0], args[1]), attr="copy", ctx=ast.Load())
    return ast.Call(func=method, args=[], keywords=[])


def _method(name: str) -> Any:
    def expression(args: list[ast.expr], environment: Any) -> ast.expr:
        function = ast.Attribute(value=args[0], attr=name, ctx=ast.Load())
        return ast.Call(func=function, args=args[1:], keywords=[])

    return expression


expression_form(shadow_calls.add)(_method("add"))
expression_form(shadow_calls.take)(_method("take"))
expression_form(shadow_calls.records)(_method("records"))


@expression_form(shadow_calls.record)
def _print_record(args: list[ast.expr], environment: Any) -> ast.expr:
    return subscript(args[0], args[1])


@expression_form(shadow_calls.bar_of)
def _print_bar_of(args: list[ast.expr], environment: Any) -> ast.expr:
    return attribute(args[0], args[1])


@statement_form(shadow_calls.set_bar)
def _print_set_bar(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Assign(targets=[attribute(args[0], args[1])], value=args[2], type_comment=None)


@statement_form(shadow_calls.increase_bar)
def _print_increase_bar(args: list[ast.expr], environment: Any) -> ast.stmt:
    return _increase(attribute(args[0], args[1]), args[2])


@expression_form(cotangent.zeros_list)
def _print_zeros_list(args: list[ast.expr], environment: Any) -> ast.expr:
    zeros = ast.List(elts=[ast.Constant(value=0.0, kind=None)], ctx=ast.Load())
    length = ast.Call(func=environment.constant(len), args=args, keywords=[])
    return ast.BinOp(left=zeros, op=ast.Mult(), right=length)


@statement_form(add_into)
def _print_add(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.AugAssign(target=_place(args[0]), op=ast.Add(), value=args[1])


@statement_form(subtract_into)
def _print_subtract(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.AugAssign(target=_place(args[0]), op=ast.Sub(), value=args[1])


@statement_form(add_item_into)
def _print_add_item(args: list[ast.expr], environment: Any) -> ast.stmt:
    return _increase(subscript(args[0], args[1]), args[2])


@statement_form(subtract_item_into)
def _print_subtract_item(args: list[ast.expr], environment: Any) -> ast.stmt:
    place = _place(subscript(args[0], args[1]))
    return ast.AugAssign(target=place, op=ast.Sub(), value=args[2])


@statement_form(accumulate_into)
def _print_accumulate(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(accumulate_at, "accumulate_at"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))


@statement_form(set_item_into)
def _print_set_item(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Assign(targets=[subscript(args[0], args[1])], value=args[2], type_comment=None)


@statement_form(clear_into)
def _print_clear(args: list[ast.expr], environment: Any) -> ast.stmt:
    zero = ast.Constant(value=0, kind=None)
    return ast.Assign(targets=[subscript(args[0], args[1])], value=zero, type_comment=None)


def _subscripts(items: ast.expr, path: list[ast.expr]) -> ast.expr:
    for index in path:
        items = subscript(items, index)
    return items


@expression_form(item_in)
def _print_item_in(args: list[ast.expr], environment: Any) -> ast.expr:
    return _subscripts(args[0], args[1:])


@statement_form(add_in_into)
def _print_add_in(args: list[ast.expr], environment: Any) -> ast.stmt:
    return _increase(_subscripts(args[0], args[2:]), args[1])


@statement_form(set_in_into)
def _print_set_in(args: list[ast.expr], environment: Any) -> ast.stmt:
    place = _subscripts(args[0], args[2:])
    return ast.Assign(targets=[place], value=args[1], type_comment=None)


@statement_form(clear_to_into)
def _print_clear_to(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(cotangent.zeros_like, "zeros_like"))
    zeros = ast.Call(func=function, args=args[2:], keywords=[])
    return ast.Assign(targets=[subscript(args[0], args[1])], value=zeros, type_comment=None)


@statement_form(clear_at_into)
def _print_clear_at(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(clear_at, "clear_at"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))


@statement_form(drop_last_into)
def _print_drop_last(args: list[ast.expr], environment: Any) -> ast.stmt:
    last = ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1, kind=None))
    return ast.Delete(targets=[subscript(args[0], last)])


@statement_form(append_into)
def _print_append(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = ast.Attribute(value=args[0], attr="append", ctx=ast.Load())
    return ast.Expr(value=ast.Call(func=function, args=args[1:], keywords=[]))


@statement_form(cycle_back)
def _print_cycle_back(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(cycle_back, "cycle_back"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))


@statement_form(drop_key_into)
def _print_drop_key(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Delete(targets=[subscript(args[0], args[1])])


@statement_form(drop_place_into)
def _print_drop_place(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Delete(targets=[_subscripts(args[0], args[1:])])


@statement_form(insert_place_into)
def _print_insert_place(args: list[ast.expr], environment: Any) -> ast.stmt:
    *outer, last = args[2:]
    function = name_node(environment.add(insert_place, "insert_place"))
    row = _subscripts(args[0], outer)
    return ast.Expr(value=ast.Call(func=function, args=[row, last, args[1]], keywords=[]))


@statement_form(clear_key_to_into)
def _print_clear_key_to(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(clear_key_to_into, "clear_key_to_into"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))
