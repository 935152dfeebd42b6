"""Generators that catch GeneratorExit: it is raised where they stopped when they are closed.

    try:                            try:
        yield x                         try:
    except GeneratorExit:    ==>            yield x
        print("closed")                 except GeneratorExit:
                                            print("closed")
                                    except GeneratorExit:
                                        if closing@: return
                                        raise

Other generators run what stands in their `finally` and `with`, without an exception.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

import gast

from ir.syntax.jumps import CLOSING, Statements, yields
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS, children


def catches_exit(body: Statements, is_builtin: Callable[[str], bool]) -> bool:
    """Whether a `yield` stands in a `try` that would catch GeneratorExit."""
    return any(
        isinstance(node, gast.Try) and any(map(yields, node.body))
        and any(_catches(handler.type, is_builtin) for handler in node.handlers)
        for node in _nodes(body)
    )


def _nodes(nodes: Any) -> Iterator[Any]:
    for node in nodes:
        yield node
        if not isinstance(node, FUNCTIONS):
            yield from _nodes(children(node))


def _catches(kind: Any, is_builtin: Callable[[str], bool]) -> bool:
    """Whether a handler may catch GeneratorExit, which no class but BaseException is above."""
    match kind:
        case None:
            return True
        case gast.Tuple(elts=kinds):
            return any(_catches(one, is_builtin) for one in kinds)
        case gast.Name(id=name) if is_builtin(name):
            return issubclass(GeneratorExit, getattr(builtins, name, ()))
        case _:
            return False


def ended_by_exit(body: Statements) -> Statements:
    """The same statements, where GeneratorExit ends the generator if it is being closed."""
    made = NodeMaker(body[0])
    ends = made.branch(made.load(CLOSING), [made.returned(made.constant(None))])
    handler = made.node(gast.ExceptHandler(
        type=made.constant(GeneratorExit), name=None,
        body=[ends, made.node(gast.Raise(exc=None, cause=None))],
    ))
    return [made.node(gast.Try(body=body, handlers=[handler], orelse=[], finalbody=[]))]
