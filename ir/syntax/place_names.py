"""What expressions are called: `u_i` for `u[i]`, `m_ij` for `m[i, j]`, `vx` for `body.vx`, and
`cos_x` for `math.cos(x)`.
"""

from __future__ import annotations

import gast

# The letters of an index: longer ones would say too much.
_LONGEST_INDEX = 2


def name_of_item(node: gast.Subscript) -> str | None:
    """What an item is called: by its key, or by its container and its index."""
    index = node.slice
    if isinstance(index, gast.Constant):
        return index.value if isinstance(index.value, str) else None
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    if not all(isinstance(part, gast.Name) for part in parts):
        return None
    indices = "".join(part.id for part in parts)
    container = name_of_place(node.value)
    if container is None or len(indices) > _LONGEST_INDEX:
        return None
    is_item = isinstance(node.value, gast.Subscript)
    return container + indices if is_item else f"{container}_{indices}"


def name_of_place(node: gast.AST) -> str | None:
    """What a name, an attribute or an item is called."""
    match node:
        case gast.Name():
            return None if "@" in node.id else str(node.id)  # the first are the compiler's
        case gast.Attribute():
            return str(node.attr)
        case gast.Subscript():
            return name_of_item(node)
    return None


def name_of_call(node: gast.Call) -> str | None:
    """What a function of a variable is called, as in mathematics."""
    if node.keywords or len(node.args) != 1 or not isinstance(node.args[0], gast.Name):
        return None
    function, argument = name_of_place(node.func), name_of_place(node.args[0])
    if function is None or argument is None or isinstance(node.func, gast.Subscript):
        return None
    return f"{function}_{argument}"
