"""`next` in `try` as a step that doesn't fail, and a `raise` behind it.

    try:                               try:
        x = next(items)                    alive@1, item@1, end@1 = advanced(items)
    except StopIteration:      ==>         if not alive@1:
        return total                           raise StopIteration(end@1)
                                           x = item@1
                                       except StopIteration:
                                           return total

What `next` changes in the iterator happens then in a statement of its own, which does not fail.

A StopIteration that would leave a generator function is a RuntimeError, as Python makes it one:

    def pairs(items):                  def pairs(items):
        yield next(items)      ==>         try:
                                               yield next(items)
                                           except StopIteration as stopped@:
                                               raise RuntimeError(...) from stopped@
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import count
from typing import Any

import gast

from ir.generators import advanced, sending, throwing
from ir.syntax.jumps import is_generator
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS, children, statements_in

Statements = list[Any]
BODIES = ("body", "orelse", "finalbody")
METHODS = {"send": sending, "throw": throwing}
SIMPLE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Return)


def hoist_next(function: Any, module_globals: dict[str, Any]) -> None:
    """Takes `next` apart in the bodies of `try` of a function, in place."""
    if not any(isinstance(node, gast.Try) for node in statements_in([function])):
        return
    names = [node for node in gast.walk(function) if isinstance(node, gast.Name)]
    is_bound = any(name.id == "next" and not isinstance(name.ctx, gast.Load) for name in names)
    if "next" in module_globals or is_bound:
        return
    serial = count(1)
    for node in gast.walk(function):
        if isinstance(node, gast.Try):
            node.body = _hoisted(node.body, serial, stopped)


def start_iterators(function: Any, module_globals: dict[str, Any]) -> None:
    """Has iterators of Python's own that `next` asks go on by steps from where they are made, in
    place: `pairs = zip(xs, ys)` becomes `pairs = iter(zip(xs, ys))`."""
    nodes = list(gast.walk(function))
    asked = {
        node.args[0].id for node in nodes
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
        and node.func.id == "next" and node.args and isinstance(node.args[0], gast.Name)
    }
    for node in nodes:
        match node:
            case gast.Assign(
                targets=[gast.Name(id=name)],
                value=gast.Call(func=gast.Name(id="enumerate" | "zip" | "map" | "reversed")),
            ) if name in asked and node.value.func.id not in module_globals:
                node.value = NodeMaker(node.value).call(iter, node.value)


def guard_generators(function: Any) -> None:
    """Lets no StopIteration leave the generator functions in a function, in place."""
    for node in gast.walk(function):
        if isinstance(node, gast.FunctionDef) and is_generator(node) and any(
            map(_may_stop, node.body)
        ):
            made = NodeMaker(node.body[0])
            error = made.call(RuntimeError, made.constant("generator raised StopIteration"))
            handler = made.node(gast.ExceptHandler(
                type=made.constant(StopIteration), name=made.store("stopped@"),
                body=[made.node(gast.Raise(exc=error, cause=made.load("stopped@")))],
            ))
            node.body = [made.node(
                gast.Try(body=node.body, handlers=[handler], orelse=[], finalbody=[])
            )]


def _may_stop(node: Any) -> bool:
    """Whether something in a node looks as if it raised StopIteration, and nothing catches that."""
    match node:
        case gast.Name(id="StopIteration") | gast.Attribute(attr="__next__" | "send" | "throw"):
            return True
        case gast.Call(func=gast.Name(id="next"), args=[_]):
            return True
        case gast.Try() if any(map(_catches_stop, node.handlers)):
            parts = [*node.handlers, *node.orelse, *node.finalbody]
            return any(map(_may_stop, parts))
        case gast.ExceptHandler():
            return any(map(_may_stop, node.body))
        case _:
            return not isinstance(node, FUNCTIONS) and any(map(_may_stop, children(node)))


def _catches_stop(handler: Any) -> bool:
    match handler.type:
        case None | gast.Name(id="StopIteration" | "Exception" | "BaseException"):
            return True
        case _:
            return False


def stopped(made: NodeMaker, end: Any) -> Any:
    """What `next` does at the end of an iterator."""
    error = made.node(gast.IfExp(
        test=made.compare(end, gast.Is(), made.constant(None)),
        body=made.call(StopIteration), orelse=made.call(StopIteration, copy.deepcopy(end)),
    ))
    return made.node(gast.Raise(exc=error, cause=None))


def _hoisted(
    statements: Statements, serial: Any, ended: Callable[[NodeMaker, Any], Any]
) -> Statements:
    done: Statements = []
    for statement in statements:
        if isinstance(statement, SIMPLE):
            done += hoisted(statement, serial, ended)
            continue
        for field in BODIES:
            if isinstance(getattr(statement, field, None), list):
                setattr(statement, field, _hoisted(getattr(statement, field), serial, ended))
        done.append(statement)
    return done


def hoisted(
    statement: Any, serial: Any, ended: Callable[[NodeMaker, Any], Any]
) -> Statements:
    """A statement with the calls of `next` in it before it, if nothing comes before these."""
    calls = _calls(statement)
    steps = [call for call in calls if is_next(call)]
    others = [call for call in calls if not is_next(call)]
    if not steps or any(
        not all(_holds(call, step) for step in steps) for call in others
    ):
        return [statement]
    done: Statements = []
    for call in steps:
        made = NodeMaker(call)
        number = next(serial)
        alive, item, end = (f"{base}@next{number}" for base in ("alive", "item", "end"))
        names = [made.store(name) for name in (alive, item, end)]
        done.append(made.unpack(names, _step(made, call)))
        missed = made.node(gast.UnaryOp(op=gast.Not(), operand=made.load(alive)))
        done.append(made.branch(missed, [ended(made, made.load(end))]))
        _replace(statement, call, made.load(item))
    return [*done, statement]


def is_next(node: Any) -> bool:
    """Whether a node is a call of `next`, `send` or `throw` with simple arguments."""
    if not isinstance(node, gast.Call) or not node.args or node.keywords:
        return False
    if any(isinstance(arg, gast.Starred) or _calls(arg) for arg in node.args):
        return False
    match node.func:
        case gast.Name(id="next"):
            return len(node.args) == 1
        case gast.Attribute(value=owner, attr="send"):
            return len(node.args) == 1 and not _calls(owner)
        case gast.Attribute(value=owner, attr="throw"):
            return len(node.args) < 4 and not _calls(owner)
        case _:
            return False


def _step(made: NodeMaker, call: Any) -> Any:
    if isinstance(call.func, gast.Attribute):
        return made.call(METHODS[call.func.attr], call.func.value, *call.args)
    return made.call(advanced, call.args[0])


def _calls(node: Any) -> list[Any]:
    """The calls in a node in the order of its text, without those that may not be made."""
    if isinstance(node, (*FUNCTIONS, gast.IfExp, gast.BoolOp)):
        return []
    found = [call for child in children(node) for call in _calls(child)]
    return [node, *found] if isinstance(node, gast.Call) else found


def _holds(node: Any, inner: Any) -> bool:
    return any(child is inner for child in gast.walk(node))


def _replace(node: Any, old: Any, new: Any) -> None:
    for field in node._fields:
        value = getattr(node, field, None)
        if value is old:
            setattr(node, field, new)
        elif isinstance(value, list):
            value[:] = [new if item is old else item for item in value]
            for item in value:
                if isinstance(item, gast.AST):
                    _replace(item, old, new)
        elif isinstance(value, gast.AST):
            _replace(value, old, new)
