"""Under which variables a function changes memory in place.

    chosen = a if x > 0 else b         `chosen`; `a` and `b` may mean the same
    chosen[0] = x

Where inference can't tell which other names such memory has, these variables live in cells: what
objects hold is known by its identity, whatever its names are. The source tells, without types.
"""

from __future__ import annotations

import types
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Iterator
from typing import Any

import gast

from ir import facts
from ir.core import Call, Const, Operand, Value
from ir.syntax.known_names import UNKNOWN, known_value
from ir.syntax.scope import COMPREHENSIONS, FUNCTIONS, body_of, children, parameters
from ir.syntax.shared_memory import changed_by

METHODS = {name for cls in (list, dict, set, deque, str) for name in dir(cls)}


def names_of_changed(
    function: gast.AST, variables: Container[str], module_globals: dict[str, Any]
) -> set[str]:
    """The variables under which a function changes memory in place, or gives it to others that may.

    `variables`: its own, and those that it has captured.
    """
    return _Names(function, variables, module_globals).of_changed()


class _Names:
    """What the variables of one function may mean."""

    def __init__(
        self, function: gast.AST, variables: Container[str], module_globals: dict[str, Any]
    ) -> None:
        self._params = set(parameters(function.args))
        self._nodes = list(_nodes(body_of(function)))
        self._variables = variables
        self._globals = module_globals

    def of_changed(self) -> set[str]:
        links: dict[str, set[str]] = defaultdict(set)
        for names in map(self._meeting, self._nodes):
            for name in names:
                links[name] |= names - {name}
        found = {
            *filter(None, map(changed_by, self._nodes)), *self._given(),
            *(name for name in self._augmented() if links[name] or self._has_others(name)),
        }
        return {name for name in found if name in self._variables}

    def _has_others(self, name: str) -> bool:
        """Whether this is one of several parameters, which may mean the same."""
        return name in self._params and len(self._params) > 1

    def _augmented(self) -> Iterator[str]:
        """What is changed in place if it is an array or list; a number that is added up isn't."""
        for node in self._nodes:
            if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
                yield node.target.id

    def _given(self) -> Iterator[str]:
        """What is given to functions of the user's, which may change it."""
        for node in self._nodes:
            if not isinstance(node, gast.Call) or self._is_of_library(node.func):
                continue
            if isinstance(node.func, gast.Attribute):
                if node.func.attr in METHODS:
                    continue
                yield from self._meant(node.func.value)
            for arg in (*node.args, *(keyword.value for keyword in node.keywords)):
                yield from self._meant(arg)

    def _is_of_library(self, func: gast.AST) -> bool:
        callee = self._known(func)
        if callee is UNKNOWN:
            return False
        function = vars(callee).get("__init__") if isinstance(callee, type) else callee
        return not isinstance(function, types.FunctionType) or facts.is_pure(callee)

    def _known(self, node: gast.AST) -> Any:
        return known_value(node, self._globals, self._variables)

    def _meeting(self, node: gast.AST) -> set[str]:
        """The names that may mean, or hold, the same memory behind a node."""
        targets: Iterable[gast.AST]
        match node:
            case gast.Assign(targets=targets, value=value):
                pass
            case gast.AnnAssign(target=target, value=gast.AST() as value) | gast.NamedExpr(
                target=target, value=value
            ) | gast.For(target=target, iter=value) | gast.comprehension(
                target=target, iter=value
            ):
                targets = [target]
            case gast.Call(func=gast.Attribute(value=owner), args=args) if (
                self._known(node.func) is UNKNOWN
            ):
                targets, value = [owner], gast.Tuple(list(args), gast.Load())
            case _:
                return set()
        return {name for part in (*targets, value) for name in self._meant(part)}

    def _meant(self, node: gast.AST) -> Iterator[str]:
        """The variables with which the value of an expression may share memory."""
        match node:
            case gast.Name(id=name):
                if name in self._variables:
                    yield name
            case gast.BinOp(left=left, right=right):  # of lists
                for side in (left, right):
                    if isinstance(side, gast.Name | gast.List | gast.ListComp | gast.BinOp):
                        yield from self._meant(side)
            case gast.Constant() | gast.UnaryOp() | gast.Compare() | gast.JoinedStr():
                pass
            case gast.Subscript(value=value) | gast.Attribute(value=value):
                yield from self._meant(value)
            case gast.Lambda() | gast.FunctionDef():
                pass
            case gast.IfExp(body=body, orelse=orelse):
                yield from self._meant(body)
                yield from self._meant(orelse)
            case gast.Call(func=func, args=args, keywords=keywords):
                if self._gives_new(node):
                    return
                if isinstance(func, gast.Attribute):
                    yield from self._meant(func.value)
                for part in (*args, *(keyword.value for keyword in keywords)):
                    yield from self._meant(part)
            case _ if isinstance(node, COMPREHENSIONS):
                for clause in node.generators:
                    yield from self._meant(clause.iter)
                for part in children(node):
                    if not isinstance(part, gast.comprehension):
                        yield from self._meant(part)
            case _:
                for part in children(node):
                    yield from self._meant(part)

    def _gives_new(self, node: gast.Call) -> bool:
        """Whether what a call of a library's function gives shares no memory with its operands."""
        callee = self._known(node.func)
        if callee is UNKNOWN:
            return False
        if callee is sum:
            return len(node.args) == 1
        of_numbers = getattr(callee, "__module__", "") in ("builtins", "math", "cmath")
        if of_numbers and facts.is_pure(callee):
            return True
        kwargs = {keyword.arg: _operand(keyword.value) for keyword in node.keywords}
        if None in kwargs or any(isinstance(arg, gast.Starred) for arg in node.args):
            return facts.is_always_fresh(callee)
        return facts.is_fresh(Call(Const(callee), list(map(_operand, node.args)), kwargs, []))


def _operand(node: gast.AST) -> Operand:
    """What the source tells of an operand: it is one of unknown type, if it is no literal."""
    return Const(node.value) if isinstance(node, gast.Constant) else Value("")


def _nodes(nodes: Iterable[gast.AST]) -> Iterator[gast.AST]:
    """All nodes of a function but those of functions in it."""
    for node in nodes:
        yield node
        if not isinstance(node, FUNCTIONS):
            yield from _nodes(children(node))
