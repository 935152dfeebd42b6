"""Functions in a function that remember their values: by a table that is a variable like others.

    @lru_cache(maxsize=None)        best_memo, best_kept = {}, {}
    def best(i, j):                 def best_computed(i, j):
        ...                             ...
        return value                    return value
                             ==>    def best(i, j):
                                        best_key = i, j
                                        if not is_discrete(best_key):
                                            if "best" not in best_kept:
                                                best_kept["best"] = lru_cache(maxsize=None)(
                                                    best_computed)
                                            return best_kept["best"](i, j)
                                        if best_key in best_memo:
                                            return best_memo[best_key]
                                        ...
                                        best_memo[best_key] = value
                                        return best_memo[best_key]

What is computed once has one adjoint then, which runs once. A table of a given size loses what was
asked for least recently: each value that is found is put at its end. `best.cache_clear()` empties
the tables, and `best.__wrapped__` is `best_computed`. By numbers that may depend on an input
a value can't be looked up: of equal ones each has a derivative of its own. Those calls stay what
they are, for the run time.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections import Counter
from typing import Any

import gast

from ir import facts
from ir.core import Call, Const, Operand
from ir.errors import Unsupported
from ir.syntax.discrete import is_discrete
from ir.syntax.jumps import is_generator
from ir.syntax.known_names import known_value, names_in, new_name
from ir.syntax.node_maker import NodeMaker, Statements
from ir.syntax.scope import FUNCTIONS, local_names, statements_in, stores_of

# The entries of a table that grows without bound: as many as `lru_cache` keeps, if nobody says.
LEAST_SIZE = 128


def lower_cached_functions(function: Any, module_globals: dict[str, Any]) -> None:
    """Puts tables in the place of `functools.lru_cache` and `cache` in a function, in place."""
    _lower(function, frozenset(), names_in(function), module_globals)


def _lower(
    node: Any, hidden: frozenset[str], names: set[str], module_globals: dict[str, Any]
) -> None:
    hidden |= local_names(node)
    if isinstance(node.body, list):
        _Lowering(node, hidden, names, module_globals).statements(node.body)
    pending = list(node.body) if isinstance(node.body, list) else [node.body]
    while pending:
        child = pending.pop()
        if isinstance(child, FUNCTIONS):
            _lower(child, hidden, names, module_globals)
        else:
            pending += gast.iter_child_nodes(child)


def unless_replaced(decorator: Any, known: Any) -> None:
    """Raises where a name of the standard library's means something else than it did before."""
    if decorator is not known:
        raise Unsupported(
            f"the name of the decorator {known.__name__} was given to something else",
            advice="define the function anew, too",
        )


@facts.fold(unless_replaced)
def _fold_known(call: Call) -> Operand | None:
    """Nothing, where the decorator is known: what it is was looked at now."""
    decorator, known = call.args
    if not isinstance(decorator, Const) or not isinstance(known, Const):
        return None
    unless_replaced(decorator.value, known.value)
    return Const(None)


class _Lowering:
    def __init__(
        self, outer: Any, hidden: frozenset[str], names: set[str], module_globals: dict[str, Any]
    ) -> None:
        self._names = names  # which new ones have to differ from
        self._globals = module_globals
        self._hidden = hidden
        self._stores = stores_of(outer.body)
        self._outer = outer
        self._attributes = Counter(
            node.value.id for node in gast.walk(outer)
            if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name)
        )
        self._known = Counter(name for node in gast.walk(outer) if (name := _of_table(node)))
        self._hiding = {
            name for node in gast.walk(outer) if isinstance(node, FUNCTIONS) and node is not outer
            for name in local_names(node)
        }

    def statements(self, body: list[Any]) -> None:
        for statement in list(body):
            if isinstance(statement, gast.FunctionDef):
                if self._is_cached(statement):
                    place = next(i for i, other in enumerate(body) if other is statement)
                    body[place : place + 1] = self._lowered(statement)
            elif not isinstance(statement, FUNCTIONS):
                for field in ("body", "orelse", "finalbody"):
                    self.statements(getattr(statement, field, None) or [])
                for handler in getattr(statement, "handlers", ()):
                    self.statements(handler.body)

    def _is_cached(self, node: Any) -> bool:
        """Whether a function has no other decorator, and nobody asks for more than its values, the
        function behind it, or to forget them."""
        if len(node.decorator_list) != 1 or node.args.vararg or node.args.kwarg:
            return False
        if self._attributes[node.name] > self._known[node.name] or (
            node.name in self._attributes and node.name in self._hiding
        ):
            return False
        if len(self._stores[node.name]) > 1 or is_generator(node):
            return False
        if any(isinstance(one, gast.Try) and one.finalbody for one in statements_in(node.body)):
            return False  # what is returned may be something else, or nothing
        decorator = node.decorator_list[0]
        if not isinstance(decorator, gast.Call):
            return self._value_of(decorator) in (functools.cache, functools.lru_cache)
        return self._value_of(decorator.func) is functools.lru_cache and _size(decorator) != 0

    def _value_of(self, node: Any) -> Any:
        return known_value(node, self._globals, self._hidden)

    def _lowered(self, node: Any) -> Statements:
        made = NodeMaker(node)
        name, (decorator,) = node.name, node.decorator_list
        memo, kept, computed, key, value = (
            new_name(f"{name}_{role}", self._names)
            for role in ("memo", "kept", "computed", "key", "value")
        )
        named = decorator.func if isinstance(decorator, gast.Call) else decorator
        check = made.expression(
            made.call(unless_replaced, named, made.constant(self._value_of(named)))
        )
        if name in self._attributes:
            _OfTables(name, memo, kept, computed).visit(self._outer)
        size = _size(decorator) if isinstance(decorator, gast.Call) else None
        body = copy.deepcopy(node)
        body.name, body.decorator_list = computed, []
        body.args.defaults, body.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
        positional = [arg.id for arg in [*node.args.posonlyargs, *node.args.args]]
        keywords = [arg.id for arg in node.args.kwonlyargs]
        items = [made.load(arg) for arg in (*positional, *keywords)]
        of_name = made.constant(name)
        cached = made.node(gast.Call(func=decorator, args=[made.load(computed)], keywords=[]))
        run = made.node(gast.Call(
            func=made.item(kept, of_name), args=[made.load(arg) for arg in positional],
            keywords=[gast.keyword(arg=arg, value=made.load(arg)) for arg in keywords],
        ))
        node.decorator_list = []
        statements = [*node.body, made.returned(made.constant(None))]
        docstring = statements[:1] if _is_docstring(statements[0]) else []
        node.body = [
            *docstring,
            made.assign(key, items[0] if len(items) == 1 else made.tuple(items)),
            made.branch(made.negated(made.call(is_discrete, made.load(key))), [
                made.branch(made.compare(of_name, gast.NotIn(), made.load(kept)), [
                    made.assign_item(kept, of_name, cached),
                ]),
                made.returned(run),
            ]),
            made.branch(made.compare(made.load(key), gast.In(), made.load(memo)), [
                *([] if size is None else [
                    made.assign(value, made.item(memo, made.load(key))),
                    made.delete_item(memo, made.load(key)),
                    made.assign_item(memo, made.load(key), made.load(value)),
                ]),
                made.returned(made.item(memo, made.load(key))),
            ]),
            *_remembering(statements[len(docstring):], memo, key, value, size),
        ]
        tables = [made.assign(table, made.empty_dict()) for table in (memo, kept)]
        return [check, *tables, body, node]


def _is_docstring(statement: Any) -> bool:
    match statement:
        case gast.Expr(value=gast.Constant(value=str())):
            return True
        case _:
            return False


def _of_table(node: Any) -> str | None:
    """The name of a function, where `name.cache_clear()` or `name.__wrapped__` is asked for."""
    match node:
        case gast.Call(
            func=gast.Attribute(value=gast.Name(id=str(name)), attr="cache_clear"), args=[],
            keywords=[],
        ):
            return name
        case gast.Attribute(
            value=gast.Name(id=str(name)), attr="__wrapped__", ctx=gast.Load()
        ):
            return name
        case _:
            return None


class _OfTables(ast.NodeTransformer):
    """Puts what works on the tables of a function in the place of what asks for its attributes."""

    def __init__(self, name: str, memo: str, kept: str, computed: str) -> None:
        self._name, self._tables, self._computed = name, (memo, kept), computed

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        if _of_table(node) != self._name:
            return node
        made = NodeMaker(node)
        cleared = [
            made.node(gast.Call(func=made.attribute(table, "clear"), args=[], keywords=[]))
            for table in self._tables
        ]
        return made.node(gast.Subscript(
            value=made.tuple(cleared), slice=made.constant(0), ctx=gast.Load()
        ))

    def visit_Attribute(self, node: Any) -> Any:
        self.generic_visit(node)
        return NodeMaker(node).load(self._computed) if _of_table(node) == self._name else node


def _remembering(
    statements: Statements, memo: str, key: str, name: str, size: int | None
) -> Statements:
    """Statements of a function that puts what it returns into a table."""
    found: Statements = []
    for statement in statements:
        if isinstance(statement, gast.Return):
            made = NodeMaker(statement)
            value = made.constant(None) if statement.value is None else statement.value
            if size is None:
                found.append(made.assign_item(memo, made.load(key), value))
                found.append(made.returned(made.item(memo, made.load(key))))
                continue
            keys = made.call(list, made.load(memo))
            first = made.node(gast.Subscript(value=keys, slice=made.constant(0), ctx=gast.Load()))
            found += [
                made.assign(name, value),
                made.branch(made.compare(made.load(key), gast.In(), made.load(memo)), [
                    made.returned(made.load(name)),  # as a call inside has stored
                ]),
                made.branch(made.length(memo, gast.GtE(), size), [
                    made.delete_item(memo, first),
                ]),
                made.assign_item(memo, made.load(key), made.load(name)),
                made.returned(made.item(memo, made.load(key))),
            ]
            continue
        if not isinstance(statement, FUNCTIONS):
            for field in ("body", "orelse", "finalbody"):
                if getattr(statement, field, None):
                    inner = getattr(statement, field)
                    setattr(statement, field, _remembering(inner, memo, key, name, size))
            for part in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]:
                part.body = _remembering(part.body, memo, key, name, size)
        found.append(statement)
    return found


def _size(decorator: Any) -> int | None:
    """The entries that a call of `lru_cache` asks for; None for as many as there are. 0 where that
    isn't known, and where equal arguments of several classes have entries of their own."""
    given = dict(zip(("maxsize", "typed"), decorator.args, strict=False))
    given.update((keyword.arg, keyword.value) for keyword in decorator.keywords)
    values = {
        name: node.value for name, node in given.items() if isinstance(node, gast.Constant)
    }
    if len(values) < len(given) or values.get("typed", False) is not False:
        return 0
    size = values.get("maxsize", LEAST_SIZE)
    if size is None:
        return None
    if type(size) is not int:
        return 0
    return None if size >= LEAST_SIZE else max(size, 0)
