"""Functions made for one purpose, from text in Python's syntax with parts filled in.

    filled("type(VALUE) is CLASS", VALUE=name("x"), CLASS=objects.name_of(float))
    ->  type(x) is v0           with v0 a free variable of the made function that holds `float`

For the functions that check whether generated code may run, which nobody has to read.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

# In the folder of this package, so that tracebacks leave the frames of made functions out.
FILE = os.path.join(os.path.dirname(__file__), "<made>")


class Objects:
    """The objects that a made function refers to, under names of their own."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._values: dict[str, Any] = {}

    def name_of(self, value: Any) -> ast.Name:
        given = self._names.setdefault(id(value), f"v{len(self._names)}")
        self._values[given] = value
        return name(given)

    def function(self, called: str, definitions: Sequence[ast.stmt]) -> Any:
        """The function of this name among the definitions."""
        result = ast.Return(name(called))
        outer = defined("outer", list(self._values), [*definitions, result])
        tree = ast.fix_missing_locations(ast.Module([outer], []))
        namespace: dict[str, Any] = {}
        exec(compile(tree, FILE, "exec", dont_inherit=True), namespace)
        return namespace["outer"](*self._values.values())


def name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def tuple_of(items: Sequence[ast.expr]) -> ast.expr:
    return ast.Tuple(list(items), ast.Load())


def all_of(tests: Sequence[ast.expr]) -> ast.expr:
    """Whether all of several tests hold, tried in their order."""
    return ast.BoolOp(ast.And(), [*tests, ast.Constant(True), ast.Constant(True)])


def filled(text: str, **parts: ast.expr) -> ast.expr:
    """An expression with other expressions in the place of some of its names."""
    (statement,) = _parsed(text)
    assert isinstance(statement, ast.Expr)
    expression: ast.expr = _with_parts(statement.value, parts)
    return expression


def statements(text: str, **parts: ast.expr) -> list[ast.stmt]:
    """`filled` for statements; a name or a tuple of names can stand for what is assigned to."""
    return [_with_parts(statement, parts) for statement in _parsed(text)]


def defined(called: str, parameters: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    """The definition of a function."""
    (function,) = statements("def function(): pass")
    assert isinstance(function, ast.FunctionDef)
    function.name = called
    function.args.args = [ast.arg(parameter) for parameter in parameters]
    function.body = body
    return function


@cache
def _parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def _with_parts(node: Any, parts: dict[str, ast.expr]) -> Any:
    """A copy, since what was parsed once serves many times."""
    if isinstance(node, ast.Name) and node.id in parts:
        part = parts[node.id]
        return part if isinstance(node.ctx, ast.Load) else _assigned(part)
    if isinstance(node, list):
        return [_with_parts(item, parts) for item in node]
    if isinstance(node, ast.AST):
        fields = {field: _with_parts(value, parts) for field, value in ast.iter_fields(node)}
        return type(node)(**fields)
    return node


def _assigned(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Tuple):
        return ast.Tuple([_assigned(item) for item in target.elts], ast.Store())
    assert isinstance(target, ast.Name)
    return ast.Name(target.id, ast.Store())
