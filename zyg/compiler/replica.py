"""The replica of an array that was changed in place, in which an adjoint takes the changes back.

    factor[i, j] = s                  old = factor[i, j]; factor[i, j] = s       forward
                                 ->   factor[i, j] = old                         adjoint, on a copy

As the changes themselves, taking one back is a function from the array before to the array behind.
"""

from __future__ import annotations

import ast
from typing import Any

from ir import facts
from ir.emit import statement_form
from ir.emit.render import subscript
from ir.fact_rules import declare
from ir.types import Type
from zyg.cotangent import cleared, taken
from zyg.rules.registry import adjoint


def restored(contents: Any, index: Any, old: Any) -> Any:
    """An array whose items at `index` are again what they were; changes the array."""
    contents[index] = old
    return contents


def restored_part(contents: Any, index: Any, part: Any) -> Any:
    """The whole of a view at `index` that was restored: the same memory."""
    return contents


for _callee in (restored, restored_part):
    facts.pure(_callee)
    declare(_callee)(lambda args, kwargs: args[0])
    _callee.changes = (0,)  # type: ignore[attr-defined]


@statement_form(restored)
def _print_restored(args: list[ast.expr], environment: Any) -> ast.stmt:
    place = subscript(args[0], args[1])
    return ast.Assign(targets=[place], value=args[2], type_comment=None)


@statement_form(restored_part)
def _print_restored_part(args: list[ast.expr], environment: Any) -> None:
    return None


@adjoint(restored)
def restored_rule(contents: Any, index: Any, old: Any) -> Any:
    return restored(contents, index, old), lambda bar: (
        cleared(bar, index), None, taken(bar, index)
    )


@adjoint(restored_part)
def restored_part_rule(contents: Any, index: Any, part: Any) -> Any:
    return restored_part(contents, index, part), lambda bar: (
        cleared(bar, index), None, taken(bar, index)
    )
