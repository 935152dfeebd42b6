"""Which names a function's source binds itself, and which it reads from outside."""

from __future__ import annotations

import math
from collections.abc import Iterable

import gast

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
ASSIGNMENTS = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.NamedExpr)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def parameters(arguments: gast.arguments) -> list[str]:
    """The parameter names in the order of `Function.params`."""
    nodes = [*arguments.posonlyargs, *arguments.args]
    nodes += [arguments.vararg] if arguments.vararg else []
    nodes += arguments.kwonlyargs
    nodes += [arguments.kwarg] if arguments.kwarg else []
    return [node.id for node in nodes]


def assigned(nodes: Iterable[gast.AST]) -> list[str]:
    """The names that statements bind in their own scope, in the order of their first binding.

    Targets of comprehensions are theirs; a walrus inside a comprehension binds outside of it.
    """
    names: dict[str, None] = {}
    for node in nodes:
        _bind(node, False, names, set())
    return list(names)


def _bind(
    node: gast.AST, comprehension: bool, names: dict[str, None], declared: set[str]
) -> None:
    """Adds the names that a node binds, and those that it declares global or nonlocal."""
    kind = type(node)
    if kind is gast.Name:
        if not comprehension and isinstance(node.ctx, gast.Store | gast.Del):
            names[node.id] = None
        return
    if kind in _BINDING:
        match node:
            case gast.NamedExpr():
                names[node.target.id] = None
                _bind(node.value, comprehension, names, declared)
                return
            case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
                names[node.name] = None
                outside = list(node.decorator_list)
                if not isinstance(node, gast.ClassDef):
                    outside += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
                for child in outside:
                    _bind(child, comprehension, names, declared)
                return
            case gast.Lambda():
                for child in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                    _bind(child, comprehension, names, declared)
                return
            case gast.Import() | gast.ImportFrom():
                for alias in node.names:
                    names[alias.asname or alias.name.split(".")[0]] = None
                return
            case gast.Global() | gast.Nonlocal():
                declared.update(node.names)
                return
            case gast.ExceptHandler() if node.name is not None:
                names[node.name.id if isinstance(node.name, gast.AST) else node.name] = None
            case _ if kind in COMPREHENSIONS:
                comprehension = True
    for child in children(node):
        _bind(child, comprehension, names, declared)


_BINDING = {
    gast.NamedExpr, gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda,
    gast.Import, gast.ImportFrom, gast.Global, gast.Nonlocal, gast.ExceptHandler, *COMPREHENSIONS,
}


def children(node: gast.AST) -> list[gast.AST]:
    """The nodes directly below a node that have fields themselves: `gast.iter_child_nodes`
    without operators and contexts.
    """
    if type(node) in _LEAVES:
        annotation = getattr(node, "annotation", None)
        return [] if annotation is None else [annotation]
    found = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, gast.AST)]
        elif isinstance(value, gast.AST) and value._fields:
            found.append(value)
    return found


_LEAVES = {gast.Name, gast.Constant}  # most nodes; parameters are names with an annotation
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


def statements_in(statements: Iterable[gast.AST]) -> list[gast.AST]:
    """These statements and all inside them, the clauses that hold them included."""
    found = list(statements)
    for node in found:  # which grows
        for field in _BODIES:
            inner = getattr(node, field, None)
            if type(inner) is list:
                found += inner
    return found


def body_of(node: gast.AST) -> list[gast.AST]:
    return [node.body] if isinstance(node, gast.Lambda) else node.body


def local_names(node: gast.AST) -> set[str]:
    """The names that belong to a function definition: parameters and assigned names."""
    names = dict.fromkeys(parameters(node.args))
    declared: set[str] = set()
    for child in body_of(node):
        _bind(child, False, names, declared)
    return set(names) - declared


def free_names(node: gast.AST) -> list[str]:
    """The names that a function definition reads but doesn't bind, in order of appearance."""
    found: dict[str, None] = {}
    _free(body_of(node), local_names(node), found)
    return list(found)


def kinds_in(nodes: Iterable[gast.AST]) -> set[type[gast.AST]]:
    """The kinds of these nodes and of all below them."""
    kinds: set[type[gast.AST]] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        kinds.add(type(node))
        pending += children(node)
    return kinds


def rebound_captures(node: gast.AST) -> tuple[set[str], set[str]]:
    """The variables of a function that nested functions capture and that change afterwards.

    Its own variables, and the targets of its comprehensions. A nested function that stores into a
    variable (`nonlocal`) counts as such a change.
    """
    own = local_names(node)
    last = _last_stores(body_of(node))
    found: set[str] = set()
    targets: set[str] = set()

    # Nodes with the variables of the loops around them, and those of comprehensions.
    pending: list[tuple[gast.AST, list[set[str]], set[str]]]
    pending = [(child, [], set()) for child in body_of(node)]
    for current, loops, bound in pending:  # which grows
        if isinstance(current, FUNCTIONS):
            position = current.lineno, current.col_offset
            stored = _stored_outside(current)
            for name in free_names(current):
                if name in bound:
                    targets.add(name)
                elif name in own and (
                    name in stored
                    or name == getattr(current, "name", None)  # decorated, and recursive
                    or any(name in loop for loop in loops)
                    or last.get(name, position) > position
                ):
                    found.add(name)
            inner = [*current.args.defaults, *filter(None, current.args.kw_defaults)]
        else:
            if isinstance(current, gast.For | gast.While):
                loops = [*loops, set(assigned([current]))]
            elif isinstance(current, COMPREHENSIONS):
                bound = bound | set(assigned([clause.target for clause in current.generators]))
            inner = children(current)
        pending += [(child, loops, bound) for child in inner]
    return found, targets


def _last_stores(nodes: list[gast.AST]) -> dict[str, tuple[float, int]]:
    """Where variables of this scope are bound last: by assignments, behind their values."""
    found = {name: max(map(_position, stores)) for name, stores in stores_of(nodes).items()}
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ASSIGNMENTS):
            end = getattr(node, "end_lineno", math.inf), getattr(node, "end_col_offset", 0)
            for name in assigned([node]):
                found[name] = max(end, found.get(name, end))
        if not isinstance(node, FUNCTIONS):
            pending += children(node)
    return found


def _position(store: gast.AST) -> tuple[float, int]:
    # A function is bound behind its defaults. What has no place of its own was made from the
    # statement; it may stand anywhere.
    first = store.body[0] if isinstance(store, gast.FunctionDef) else store
    return getattr(first, "lineno", math.inf), getattr(first, "col_offset", 0)


def _stored_outside(function: gast.AST) -> set[str]:
    """The variables of functions around it that a function, or one in it, stores into."""
    found: set[str] = set()
    for child in gast.walk(function):
        if isinstance(child, gast.Nonlocal):
            found.update(child.names)
    return found


def _free(nodes: Iterable[gast.AST], bound: set[str], found: dict[str, None]) -> None:
    for node in nodes:
        match node:
            case gast.Name():
                if node.id not in bound:
                    found.setdefault(node.id)
            case gast.Global() | gast.Nonlocal():
                for name in node.names:
                    found.setdefault(name)
            case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.Lambda():
                outside = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
                outside += getattr(node, "decorator_list", [])
                _free(outside, bound, found)
                for name in free_names(node):
                    if name not in bound:
                        found.setdefault(name)
            case _ if isinstance(node, COMPREHENSIONS):
                targets = {
                    child.id
                    for generator in node.generators
                    for child in gast.walk(generator.target)
                    if isinstance(child, gast.Name)
                }
                _free(children(node), bound | targets, found)
            case _:
                _free(children(node), bound, found)


def stores_of(nodes: Iterable[gast.AST]) -> dict[str, list[gast.AST]]:
    """The nodes of this scope that bind names, by name."""
    found: dict[str, list[gast.AST]] = {}
    pending = list(nodes)
    while pending:
        node = pending.pop()
        match node:
            case gast.Name():
                if isinstance(node.ctx, gast.Store | gast.Del):
                    found.setdefault(node.id, []).append(node)
                continue
            case gast.FunctionDef() | gast.ClassDef():
                found.setdefault(node.name, []).append(node)
            case gast.Import() | gast.ImportFrom():
                for alias in node.names:
                    found.setdefault(alias.asname or alias.name, []).append(node)
            case gast.comprehension():
                pending += [node.iter, *node.ifs]  # its target is its own
                continue
        if not isinstance(node, FUNCTIONS):
            pending += children(node)
    return found


def static_functions(node: gast.AST) -> dict[str, gast.AST]:
    """The functions that a body defines once and never binds again.

    Only those that can be made again anywhere: undecorated, with defaults that are constant.
    """
    definitions = {
        child.name: child
        for child in body_of(node)
        if isinstance(child, gast.FunctionDef)
        and not child.decorator_list
        and all(
            isinstance(default, gast.Constant)
            for default in [*child.args.defaults, *filter(None, child.args.kw_defaults)]
        )
    }
    if not definitions:
        return {}
    stores = stores_of(body_of(node))
    params = set(parameters(node.args))
    return {
        name: definition for name, definition in definitions.items()
        if len(stores[name]) == 1 and name not in params
    }
