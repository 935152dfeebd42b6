"""Variables whose contents a function and the functions inside of it share, and change in place.

    memo = {}                          a cell holds the dict:
    def power(n):                          memo = cell(); memo.contents = {}
        if n not in memo:                  def power(n): ... memo.contents[n] = ...
            memo[n] = ...
        return memo[n]

What a function object captures has a second name there. If the contents never change while there
are two names, that does no harm; otherwise the variable lives in a cell, an object by which all
that know it reach its contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from ir.memory.memory_facts import CHANGING_METHODS
from ir.syntax.scope import FUNCTIONS, body_of, children, free_names, local_names

# Functions of libraries that change their first argument.
CHANGING_FUNCTIONS = {
    "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left",
    "insort_right", "copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal",
    "shuffle", "at",
}


def shared_and_changed(function: gast.AST) -> set[str]:
    """The variables of a function that functions in it capture, and whose contents one of them
    changes, or the function itself once they are there."""
    found: set[str] = set()
    body, own = body_of(function), local_names(function)
    nodes = list(_nodes(body, False))
    functions = [(node, loops) for node, loops in nodes if isinstance(node, FUNCTIONS)]
    if not functions:
        return found
    changes = [
        (name, (node.lineno, node.col_offset), loops)
        for node, loops in nodes if (name := changed_by(node)) is not None
    ]
    for node, loops in functions:
        captured = own & set(free_names(node))
        if captured:
            position = node.lineno, node.col_offset
            found |= captured & {
                *_changed_inside(node),
                *(
                    name for name, where, around in changes
                    if where > position or any(loop in around for loop in loops)
                ),
            }
    return found


def _changed_inside(function: gast.AST) -> set[str]:
    """The variables whose contents a function changes, under their names or names of its own."""
    nodes = [node for node, _ in _nodes(children(function), True)]
    found = set(filter(None, map(changed_by, nodes)))
    known = -1
    while known < len(found):
        known = len(found)
        for node in nodes:
            match node:
                case gast.Assign(targets=targets, value=value):
                    names = {target.id for target in targets if isinstance(target, gast.Name)}
                case gast.For(target=gast.Name(id=name), iter=value):
                    names = {name}
                case _:
                    continue
            root = _root(value)
            if root is not None and names & found:
                found.add(root)
    return found


def changed_by(node: gast.AST) -> str | None:
    """The variable whose contents a node changes under its own name, if it does."""
    match node:
        case gast.Subscript(ctx=gast.Store() | gast.Del()):
            return _root(node)
        case gast.Call(func=gast.Attribute(value=owner, attr=method)) if (
            method in CHANGING_METHODS and _root(owner) is not None
        ):
            return _root(owner)
        case gast.Call(
            func=gast.Attribute(attr=function) | gast.Name(id=function), args=[first, *_]
        ) if function in CHANGING_FUNCTIONS:
            return _root(first)
        case gast.keyword(arg="out", value=value):
            return _root(value)
        case _:
            return None


def _nodes(
    nodes: Iterable[gast.AST], in_functions: bool, loops: tuple[gast.AST, ...] = ()
) -> Iterator[tuple[gast.AST, tuple[gast.AST, ...]]]:
    """All nodes with the loops around them; of functions, the definitions alone."""
    for node in nodes:
        yield node, loops
        if in_functions or not isinstance(node, FUNCTIONS):
            around = (*loops, node) if isinstance(node, gast.For | gast.While) else loops
            yield from _nodes(children(node), in_functions, around)


def _root(node: gast.AST) -> str | None:
    """The variable of whose contents an expression is a part."""
    while isinstance(node, gast.Subscript):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None
