"""Changes in place as the statements that they stand for.

    stored(a, i, v)              a[i] = v
    stored(a, ..., a + v)        a += v
    added_at(a, i, v)            a[i] += v
    written(a, i, row)           (nothing: the memory is the same)
"""

from __future__ import annotations

import ast
from typing import Any

from ir import primitives
from ir.emit.forms import statement_form, statements
from ir.emit.render import attribute, name_node, subscript
from ir.heap import attribute_deleted, attribute_set, attribute_stored, class_stored
from ir.shared_names import ASIDE


def _place(node: ast.expr) -> ast.Name | ast.Subscript:
    """The variable or item that a statement changes."""
    assert isinstance(node, ast.Name | ast.Subscript), "only variables and items are changed"
    return node


def _stored(args: list[ast.expr]) -> ast.stmt:
    items, index, value = args
    is_whole = isinstance(index, ast.Constant) and index.value is ...
    if is_whole and isinstance(items, ast.Name) and isinstance(value, ast.BinOp):
        if isinstance(value.left, ast.Name) and value.left.id == items.id:
            return ast.AugAssign(target=items, op=value.op, value=value.right)
    return ast.Assign(targets=[subscript(items, index)], value=value, type_comment=None)


def _method(name: str) -> Any:
    def statement(args: list[ast.expr], environment: Any) -> ast.stmt:
        function = ast.Attribute(value=args[0], attr=name, ctx=ast.Load())
        return ast.Expr(value=ast.Call(func=function, args=args[1:], keywords=[]))

    return statement


@statement_form(primitives.spliced)
@statement_form(primitives.stored)
def _print_stored(args: list[ast.expr], environment: Any) -> ast.stmt:
    return _stored(args)


@statement_form(primitives.overwritten)
def _print_overwritten(args: list[ast.expr], environment: Any) -> ast.stmt:
    whole = _stored([args[0], ast.Constant(value=..., kind=None), args[1]])
    if isinstance(whole, ast.AugAssign):
        return whole
    function = name_node(environment.add(primitives.overwritten, "overwritten"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))


@statement_form(primitives.stored_back)
def _print_stored_back(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(primitives.stored_back, "stored_back"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))


@statement_form(primitives.added_at)
def _print_added(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.AugAssign(target=_place(subscript(args[0], args[1])), op=ast.Add(), value=args[2])


@statement_form(primitives.subtracted_at)
def _print_subtracted(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.AugAssign(target=_place(subscript(args[0], args[1])), op=ast.Sub(), value=args[2])


@statement_form(primitives.written)
def _print_written(args: list[ast.expr], environment: Any) -> None:
    return None


@statement_form(class_stored)
@statement_form(attribute_stored)
def _print_attribute_stored(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Assign(targets=[attribute(args[1], args[2])], value=args[3], type_comment=None)


@statement_form(primitives.store_global)
def _print_global_stored(args: list[ast.expr], environment: Any) -> ast.stmt | None:
    """An attribute of a module, function or cell; other globals are stored by a call."""
    assert isinstance(args[0], ast.Name)
    owner = environment.objects[args[0].id].owner
    if owner is None:
        function = name_node(environment.add(primitives.store_global, "store_global"))
        return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))
    del environment.objects[args[0].id]
    place = attribute(environment.constant(owner), args[1])
    return ast.Assign(targets=[place], value=args[2], type_comment=None)


@statement_form(attribute_deleted)
def _print_attribute_deleted(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Delete(targets=[attribute(args[1], args[2])])


@statement_form(attribute_set)
def _print_attribute_set(args: list[ast.expr], environment: Any) -> ast.stmt:
    owner = ast.Attribute(value=environment.constant(object), attr="__setattr__", ctx=ast.Load())
    return ast.Expr(value=ast.Call(func=owner, args=args[1:], keywords=[]))


@statement_form(primitives.deleted)
def _print_deleted(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Delete(targets=[subscript(args[0], args[1])])


@statement_form(primitives.touched)
def _print_touched(args: list[ast.expr], environment: Any) -> ast.stmt:
    return ast.Expr(value=subscript(args[0], args[1]))


@statement_form(primitives.regrouped)
def _print_regrouped(args: list[ast.expr], environment: Any) -> ast.stmt:
    members, method, *rest = args
    assert isinstance(method, ast.Constant) and isinstance(method.value, str)
    function = ast.Attribute(value=members, attr=method.value, ctx=ast.Load())
    return ast.Expr(value=ast.Call(func=function, args=rest, keywords=[]))


@statement_form(primitives.cycled)
def _print_cycled(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(primitives.cycled, "cycled"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))


for _callee, _name in (
    (primitives.appended, "append"), (primitives.extended, "extend"),
    (primitives.inserted, "insert"), (primitives.defaulted, "setdefault"),
    (primitives.pushed, "append"), (primitives.pushed_left, "appendleft"),
    (primitives.rotated, "rotate"), (primitives.emptied, "clear"),
    (primitives.moved_to_end, "move_to_end"),
):
    statement_form(_callee)(_method(_name))


for _change, _effect in ASIDE.items():
    if _change in statements:
        statement_form(_effect)(statements[_change])
