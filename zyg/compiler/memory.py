"""What generated code asks about memory while it runs."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ir import facts
from ir.emit import statement_form
from ir.emit.render import name_node
from ir.places import CHANGING
from ir.types import Type
from zyg.cotangent import cleared_view, taken_view
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.rules.registry import adjoint, constant


def check_distinct(value: Any, changed: Any) -> None:
    """Raises where two names mean memory that was changed in place under one of them."""
    if isinstance(value, np.ndarray) and isinstance(changed, np.ndarray):
        is_shared = np.may_share_memory(value, changed) and np.shares_memory(value, changed)
    else:
        is_shared = value is changed
    if is_shared:
        kind = type(value).__name__
        raise UnsupportedSyntax(
            f"two names mean the same {kind} or overlapping parts of it, and it is changed in "
            "place under one of them; zyg can't follow that: change a copy, or use one name"
        )


def check_view(items: Any, view: Any) -> None:
    """Raises where what may be a view of an array that was changed in place is a copy."""
    if view.size and not np.may_share_memory(items, view):
        raise UnsupportedSyntax(
            "an array is changed in place that `reshape` or `ravel` was called for; the result is "
            "a copy here, no view: copy it yourself"
        )


def refuse_lost_changes(error: BaseException) -> None:
    """Raises where a handler goes on behind something that may have changed memory and failed."""
    raise NotDifferentiable(
        f"what raised {type(error).__name__} may have changed something in place before, and the "
        "handler goes on with that; zyg can't tell how far it came: let the function check its "
        "arguments before it changes them, or catch the exception in the function that changes"
    ) from error


constant(check_distinct, check_view, refuse_lost_changes)


def written_view(items: Any, view: Any, part: Any, *args: Any) -> Any:
    """`items` when its view `part`, which is `view(items, *args)`, has been changed in place."""
    if part.size and not np.may_share_memory(items, part):
        raise UnsupportedSyntax(
            f"the result of `{view.__name__}` is changed in place, and is a copy here, no view: "
            "copy it yourself"
        )
    return items


@adjoint(written_view)
def _written_view_rule(items, view, part, *args):  # type: ignore[no-untyped-def]
    def back(bar):  # type: ignore[no-untyped-def]
        part_bar = taken_view(bar, view, args)
        return cleared_view(bar, view, args), None, part_bar, *[None for _ in args]

    return written_view(items, view, part, *args), back


@facts.result(written_view)
def _written_view_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


CHANGING.add(id(written_view))


@statement_form(written_view)
def _print_written_view(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = name_node(environment.add(written_view, "written_view"))
    return ast.Expr(value=ast.Call(func=function, args=args, keywords=[]))
