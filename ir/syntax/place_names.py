"""What expressions are called: `u_i` for `u[i]`, `m_ij` for `m[i, j]`, `vx` for `body.vx`, and
`cos_x` for `math.cos(x)`.
"""

from __future__ import annotations

import gast

# The letters of an index: longer ones would say too much.
_LONGEST_INDEX = 2
# Attributes that are a form of the whole: `A.T` is `A_T`.
_OF_ARRAYS = ("T", "real", "imag")
_OPTIONS = {"axis", "keepdims"}


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
        case gast.Attribute(value=gast.Name(), attr=attr) if attr in _OF_ARRAYS:
            owner = name_of_place(node.value)
            return None if owner is None else f"{owner}_{attr}"
        case gast.Attribute():
            return str(node.attr)
        case gast.Subscript():
            return name_of_item(node)
    return None


def name_of_call(node: gast.Call) -> str | None:
    """What a function of a variable is called, as in mathematics; also if it is a method."""
    if not all(keyword.arg in _OPTIONS for keyword in node.keywords):
        return None
    function, arguments = node.func, node.args
    if isinstance(function, gast.Attribute) and not arguments:
        arguments = [function.value]
    is_named = isinstance(function, gast.Name | gast.Attribute)
    if not is_named or len(arguments) != 1 or not isinstance(arguments[0], gast.Name):
        return None
    name = function.attr if isinstance(function, gast.Attribute) else name_of_place(function)
    of = name_of_place(arguments[0])
    return None if name is None or of is None else f"{name}_{of}"
