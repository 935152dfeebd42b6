"""The `__next__` of an iterator class as a function that says where it ends: its step.

    def __next__(self):                      def step(self):
        if self.i >= self.n:                     if self.i >= self.n:
            raise StopIteration        ==>           return False, UNBOUND, None
        self.i += 1                              self.i += 1
        return self.x * self.i                   return True, self.x * self.i, UNBOUND

So nothing fails at the end of an iterator, and what it has changed before counts.
"""

from __future__ import annotations

import types
from itertools import count
from typing import Any

import gast

from ir.core import Function
from ir.errors import IRError
from ir.forgettable import IdentityTable
from ir.made_functions import give_ir
from ir.primitives import UNBOUND
from ir.syntax.function_parser import FunctionParser
from ir.syntax.generator_expressions import lower_generator_expressions
from ir.syntax.jumps import is_generator, outcome
from ir.syntax.locate import locate
from ir.syntax.matching import lower_matches
from ir.syntax.next_calls import SIMPLE, hoist_next, hoisted
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS

Statements = list[Any]
_steps: IdentityTable[types.CodeType, tuple[types.FunctionType | None]] = IdentityTable()


def step_of_method(method: types.FunctionType) -> types.FunctionType | None:
    """The step of an iterator class by its `__next__`; None where that has no source."""
    known = _steps.of(method.__code__)
    if known is not None:
        return known[0]
    try:
        function = _parsed(method)
    except IRError:
        made = None
    else:
        made = _made(function, method)
    _steps.note(method.__code__, (made,))
    return made


def _parsed(method: types.FunctionType) -> Function:
    code = method.__code__
    source = locate(code, method.__globals__)
    node = source.gast_node
    lower_matches(node)
    lower_generator_expressions(node)
    hoist_next(node, method.__globals__)
    if not is_generator(node):
        has_own_next = "next" in method.__globals__
        node.body = _Steps(has_own_next).statements(node.body, is_guarded=False)
        node.body.append(outcome(node, True, NodeMaker(node).constant(None), _unbound(node)))
    parser = FunctionParser(
        node, source.file, code.co_name, source.class_name, method.__globals__,
        captured=list(code.co_freevars), enclosing=None,
    )
    return parser.function()


def _unbound(like: Any) -> Any:
    return NodeMaker(like).constant(UNBOUND)


class _Steps:
    """Puts what a step returns in the place of `return` and of `raise StopIteration`."""

    def __init__(self, has_own_next: bool) -> None:
        self._has_own_next = has_own_next
        self._serial = count(1)

    def statements(self, statements: Statements, is_guarded: bool) -> Statements:
        done: Statements = []
        for statement in statements:
            if isinstance(statement, SIMPLE) and not is_guarded and not self._has_own_next:
                *before, statement = hoisted(statement, self._serial, _ended)
                done += before
            done.append(self._statement(statement, is_guarded))
        return done

    def _statement(self, node: Any, is_guarded: bool) -> Any:
        match node:
            case gast.Return():
                value = node.value or NodeMaker(node).constant(None)
                return outcome(node, True, value, _unbound(node))
            case gast.Raise(exc=gast.Name(id="StopIteration")) if not is_guarded:
                return outcome(node, False, _unbound(node), NodeMaker(node).constant(None))
            case gast.Raise(
                exc=gast.Call(func=gast.Name(id="StopIteration"), args=args, keywords=[])
            ) if not is_guarded and len(args) < 2:
                value = args[0] if args else NodeMaker(node).constant(None)
                return outcome(node, False, _unbound(node), value)
            case _ if isinstance(node, (*FUNCTIONS, gast.ClassDef)):
                return node
        inside = is_guarded or isinstance(node, gast.With)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list):
                guarded = inside or (isinstance(node, gast.Try) and field == "body")
                setattr(node, field, self.statements(getattr(node, field), guarded))
        for handler in getattr(node, "handlers", ()):
            handler.body = self.statements(handler.body, inside)
        return node


def _ended(made: NodeMaker, end: Any) -> Any:
    return outcome(end, False, made.constant(UNBOUND), end)


def _made(function: Function, method: types.FunctionType) -> types.FunctionType:
    code = _run_plain.__code__.replace(co_name=function.name)
    made = types.FunctionType(code, method.__globals__, method.__name__)
    made.__kwdefaults__ = {"run": _plain_step, "method": method}
    give_ir(made, function)
    return made


def _run_plain(self: Any, *, run: Any, method: Any) -> Any:
    return run(self, method)


def _plain_step(obj: Any, method: Any) -> tuple[bool, Any, Any]:
    """The step of an iterator, where nothing is differentiated."""
    try:
        return True, method(obj), UNBOUND
    except StopIteration as stop:
        return False, UNBOUND, stop.value
