"""Partial functions that a function makes for itself: functions that have captured their arguments.

    step = partial(euler, rhs, dt=0.1)    step_0 = rhs
                                   ==>    step = lambda *more, **named: (
                                              euler(step_0, *more, **{'dt': 0.1, **named}))

Calls of those are code of which all is known. A partial function that is returned, stored or asked
for its parts stays one, and so does one that is handed on where somebody might ask what it is.
"""

from __future__ import annotations

import builtins
import copy
import functools
import types
from typing import Any

import gast

from ir.syntax.known_names import UNKNOWN, known_value, names_in, new_name
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS, local_names, parameters, stores_of

LOOPS = (gast.For, gast.While, gast.AsyncFor)
# The built-in callables that call what they are given, and don't look at it otherwise.
CALLING = (map, filter, sorted, min, max)


def lower_partial_functions(function: Any, module_globals: dict[str, Any]) -> None:
    """Puts functions in the place of partial ones, in place."""
    lowering = _Lowering(function, module_globals)
    if not lowering.names_the_class():
        lowering.function(function, frozenset())


class _Lowering:
    def __init__(self, function: Any, module_globals: dict[str, Any]) -> None:
        self._globals = module_globals
        self._names = names_in(function)
        self._parents = {
            child: node for node in gast.walk(function) for child in gast.iter_child_nodes(node)
        }

    def names_the_class(self) -> bool:
        """Whether `partial` is read other than to be called: something may be asked whether it is
        one."""
        return any(
            _name_of(node) == "partial" and getattr(parent, "func", None) is not node
            for node, parent in self._parents.items()
        )

    def function(self, node: Any, hidden: frozenset[str]) -> None:
        hidden |= local_names(node)
        body = node.body if isinstance(node.body, list) else [node.body]
        inner = []
        pending = list(body)
        while pending:
            child = pending.pop()
            if isinstance(child, FUNCTIONS):
                inner.append(child)
                pending += [*child.args.defaults, *filter(None, child.args.kw_defaults)]
                continue
            if isinstance(child, gast.Call):
                self._call(child, node, hidden)
            pending += gast.iter_child_nodes(child)
        for child in inner:
            self.function(child, hidden)

    def _call(self, call: Any, function: Any, hidden: frozenset[str]) -> None:
        if known_value(call.func, self._globals, hidden) is not functools.partial or not call.args:
            return
        if isinstance(call.args[0], gast.Starred):
            return
        parent = self._parents[call]
        # A method brings its object along, which who is handed it asks for.
        is_method = isinstance(call.args[0], gast.Attribute | gast.Call) and not self._is_fixed(
            call.args[0], hidden
        )
        if self._is_called(call, parent, hidden, is_method):
            self._replace(call, self._applied(call, hidden))
        elif isinstance(parent, gast.Assign) and len(parent.targets) == 1:
            (target,) = parent.targets
            if isinstance(target, gast.Name) and self._is_only_called(
                target.id, function, hidden, is_method
            ):
                self._assigned(call, parent, target.id, function, hidden)

    def _is_called(
        self, node: Any, parent: Any, hidden: frozenset[str], is_method: bool
    ) -> bool:
        """Whether a call is all that a function is used for, or what it is handed on to."""
        if is_method:
            return isinstance(parent, gast.Call) and parent.func is node
        if isinstance(parent, gast.keyword):
            parent = self._parents[parent]
        if not isinstance(parent, gast.Call):
            return False
        if parent.func is node:
            return True
        if isinstance(parent.func, gast.Name) and parent.func.id in hidden:
            return True
        callee = known_value(parent.func, self._globals, hidden)
        if callee is UNKNOWN or isinstance(callee, type) or _is_built_in(callee):
            return any(callee is one for one in CALLING)
        return not isinstance(callee, types.FunctionType) or not _names_partial(callee.__code__)

    def _is_only_called(
        self, name: str, function: Any, hidden: frozenset[str], is_method: bool
    ) -> bool:
        if isinstance(function, gast.Lambda) or name in parameters(function.args):
            return False
        if name not in local_names(function):
            return False  # it is another function's
        return all(
            self._is_called(node, self._parents[node], hidden, is_method)
            for node in gast.walk(function)
            if isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Load)
        )

    def _assigned(
        self, call: Any, statement: Any, name: str, function: Any, hidden: frozenset[str]
    ) -> None:
        """Replaces the statement that assigns a partial function."""
        is_sole = len(stores_of(function.body)[name]) == 1 and not self._is_in_loop(statement)
        if not is_sole:  # each one holds what the variables were when it was made
            self._replace(call, self._applied(call, hidden))
            return
        # The function is made behind what it captures, so that it holds that as it is.
        behind = copy.copy(call)
        behind.lineno, behind.col_offset = call.end_lineno, call.end_col_offset
        made = NodeMaker(behind)
        parts = _Parts(call, self._is_fixed(call.args[0], hidden), name, self._names)
        lines = [made.assign(part, value) for part, value in parts.captured.items()]
        lines.append(made.assign(name, parts.function(made)))
        place = _place_of(statement, self._parents[statement])
        at = next(i for i, other in enumerate(place) if other is statement)
        place[at : at + 1] = lines

    def _applied(self, call: Any, hidden: frozenset[str]) -> Any:
        """A function as an expression, which makes it of the values that it captures."""
        made = NodeMaker(call)
        parts = _Parts(call, self._is_fixed(call.args[0], hidden), "given", self._names)
        if not parts.captured:
            return parts.function(made)
        maker = made.function(list(parts.captured), parts.function(made))
        return made.node(gast.Call(func=maker, args=list(parts.captured.values()), keywords=[]))

    def _is_fixed(self, callee: Any, hidden: frozenset[str]) -> bool:
        return known_value(callee, self._globals, hidden) is not UNKNOWN

    def _is_in_loop(self, node: Any) -> bool:
        while not isinstance(node, FUNCTIONS):
            if isinstance(node, LOOPS):
                return True
            node = self._parents[node]
        return False

    def _replace(self, call: Any, new: Any) -> None:
        """Puts an expression in the place of a call."""
        parent = self._parents[call]
        for field, value in gast.iter_fields(parent):
            if value is call:
                setattr(parent, field, new)
            elif isinstance(value, list):
                value[:] = [new if item is call else item for item in value]
        for node in gast.walk(new):
            for child in gast.iter_child_nodes(node):
                self._parents[child] = node
        self._parents[new] = parent


class _Parts:
    """What a partial function holds, by the names of the variables that stand for it."""

    def __init__(self, call: Any, is_fixed: bool, name: str, names: set[str]) -> None:
        self._names = names
        self.captured: dict[str, Any] = {}
        callee, *args = call.args
        self._callee = callee if is_fixed else self._variable(f"{name}_function", callee)
        self._args = [self._argument(f"{name}_{i}", arg) for i, arg in enumerate(args)]
        self._keywords = [
            (keyword.arg, self._argument(f"{name}_{keyword.arg or 'named'}", _copied(keyword)))
            for keyword in call.keywords
        ]

    def _argument(self, name: str, value: Any) -> Any:
        if isinstance(value, gast.Constant):
            return value
        if isinstance(value, gast.Starred):
            made = NodeMaker(value)
            items = self._variable(name, made.call(tuple, value.value))
            return made.node(gast.Starred(value=items, ctx=gast.Load()))
        return self._variable(name, value)

    def _variable(self, name: str, value: Any) -> Any:
        name = new_name(name, self._names)
        self.captured[name] = value
        return NodeMaker(value).load(name)

    def function(self, made: NodeMaker) -> Any:
        more, named = new_name("more", self._names), new_name("named", self._names)
        keywords: Any = made.load(named)
        if self._keywords:
            keys = [None if name is None else made.constant(name) for name, _ in self._keywords]
            values = [value for _, value in self._keywords]
            keywords = made.node(gast.Dict(keys=[*keys, None], values=[*values, keywords]))
        body = made.node(gast.Call(
            func=self._callee,
            args=[*self._args, made.node(gast.Starred(value=made.load(more), ctx=gast.Load()))],
            keywords=[gast.keyword(arg=None, value=keywords)],
        ))
        return made.function([], body, more, named)


def _copied(keyword: Any) -> Any:
    """What a keyword is given; of `**named` a copy, since that may change."""
    is_all = keyword.arg is None
    return NodeMaker(keyword.value).call(dict, keyword.value) if is_all else keyword.value


def _name_of(node: Any) -> str | None:
    match node:
        case gast.Name(id=name) | gast.Attribute(attr=name):
            return str(name)
        case _:
            return None


def _names_partial(code: types.CodeType) -> bool:
    """Whether a function names `partial`: it may ask what it is given."""
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return "partial" in code.co_names or any(map(_names_partial, inner))


def _is_built_in(callee: Any) -> bool:
    return any(callee is value for value in vars(builtins).values())


def _place_of(statement: Any, parent: Any) -> list[Any]:
    """The list of statements that one stands in."""
    for _, value in gast.iter_fields(parent):
        if isinstance(value, list) and any(item is statement for item in value):
            return value
    raise AssertionError("a statement stands in a list")
