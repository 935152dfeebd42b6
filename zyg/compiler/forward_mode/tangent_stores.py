"""Changes of tangents in place, where `ownership` finds that nobody else reads them.

    u_dot = placed(u_dot, i, v_dot)         u_dot[i] = v_dot
    items_dot = with_last(items_dot, v)     items_dot.append(v)
"""

from __future__ import annotations

import ast
from typing import Any

from ir import facts
from ir.emit import statement_form
from zyg.compiler.reverse.consuming import IN_PLACE, set_item_into
from zyg.compiler.reverse.ownership import LOOKING, consumes
from zyg.tangents.tangent import part_of, placed, with_last


def append_into(buffer: Any, value: Any) -> Any:
    buffer.append(value)
    return buffer


@statement_form(append_into)
def _print_append(args: list[ast.expr], environment: Any) -> ast.stmt:
    function = ast.Attribute(value=args[0], attr="append", ctx=ast.Load())
    return ast.Expr(value=ast.Call(func=function, args=args[1:], keywords=[]))


IN_PLACE.add(id(append_into))
facts.fresh(placed, part_of, with_last)
LOOKING.append(part_of)
consumes(placed, set_item_into)
consumes(with_last, append_into)
