"""Attempts as `try` statements.

    y_3 = try:                      try:
        y = truediv(1, x)               y = 1 / x
    else:                   ->      except ZeroDivisionError:
        yield y                         y = 0.0
    except ZeroDivisionError:
        yield 0.0
"""

from __future__ import annotations

import ast


def statement(
    body: list[ast.stmt], orelse: list[ast.stmt], catches: list[ast.expr], name: str | None,
    handler: list[ast.stmt], passing: list[ast.expr],
) -> tuple[ast.stmt, list[ast.stmt]]:
    """A `try` statement, and what stands behind it; exceptions of `passing` pass the handler."""
    if all(map(_is_copy, orelse)):
        body, orelse = [*body, *orelse], []
    clauses: list[ast.ExceptHandler] = []
    if passing:
        clauses.append(_clause(passing, None, [ast.Raise(exc=None, cause=None)]))
    clauses.append(_clause(catches, name, handler or [ast.Pass()]))
    behind: list[ast.stmt] = []
    if handler and isinstance(handler[-1], ast.Return | ast.Break | ast.Continue | ast.Raise):
        orelse, behind = [], orelse
    made = ast.Try(body=body or [ast.Pass()], handlers=clauses, orelse=orelse, finalbody=[])
    return made, behind


def _clause(
    catches: list[ast.expr], name: str | None, body: list[ast.stmt]
) -> ast.ExceptHandler:
    kind: ast.expr = catches[0]
    if len(catches) > 1:
        kind = ast.Tuple(elts=catches, ctx=ast.Load())
    return ast.ExceptHandler(type=kind, name=name, body=body)


def _is_copy(node: ast.stmt) -> bool:
    """Whether a statement can't fail: it gives something at hand a name."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.Constant) and (
        all(isinstance(target, ast.Name) for target in node.targets)
    )
