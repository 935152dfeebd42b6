"""Python's syntax tree to gast's, as `gast.ast_to_gast` makes it, but several times as fast.

gast hides how the trees of Python's versions differ, which concerns few kinds of node: these go
through its own visitor, all others are copied field by field.
"""

from __future__ import annotations

import ast
from ast import AST
from typing import Any

import gast
from gast.ast3 import Ast3ToGAst

# Nodes that say all by their kind (operators, contexts): one of each is enough.
_shared: dict[type, Any] = {}
# The gast class of nodes that are copied; None for those that its visitor changes.
_copied: dict[type, type | None] = {}


def to_gast(node: ast.AST) -> Any:
    """The gast tree of a syntax tree; operators and contexts in it are shared."""
    kind = type(node)
    found = _shared.get(kind)
    if found is not None:
        return found
    if kind is ast.Name:
        # gast's names can carry an annotation: they are its parameters too.
        target, fields = gast.Name, {**vars(node), "annotation": None, "type_comment": None}
    elif kind is ast.FunctionDef:
        target, fields = gast.FunctionDef, {"type_params": [], **vars(node)}
    else:
        if kind not in _copied:
            _copied[kind] = _target(kind)
        target, fields = _copied[kind], dict(vars(node))
        if target is None:
            return _VISITOR.visit_changed(node)
    new = target.__new__(target)
    for field in node._fields:
        value = fields.get(field)
        if isinstance(value, AST):
            fields[field] = to_gast(value)
        elif value and type(value) is list:
            fields[field] = [to_gast(item) if isinstance(item, AST) else item for item in value]
    new.__dict__ = fields
    if not fields:
        _shared[kind] = new
    return new


def _target(kind: type) -> Any:
    name = kind.__name__
    return None if f"visit_{name}" in vars(Ast3ToGAst) else getattr(gast, name, None)


class _Visitor(Ast3ToGAst):  # type: ignore[misc]
    """gast's visitor for one node, whose children are converted here."""

    def visit_changed(self, node: ast.AST) -> Any:
        return super().visit(node)

    def visit(self, node: ast.AST) -> Any:
        return to_gast(node)


_VISITOR = _Visitor()
