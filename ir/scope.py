"""Which names a function's source binds itself, and which it reads from outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
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
        for name in _assigned(node, comprehension=False):
            names.setdefault(name)
    return list(names)


def _assigned(node: gast.AST, comprehension: bool) -> Iterator[str]:
    match node:
        case gast.Name(ctx=gast.Store() | gast.Del()):
            if not comprehension:
                yield node.id
            return
        case gast.NamedExpr():
            yield node.target.id
            yield from _assigned(node.value, comprehension)
            return
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
            yield node.name
            outside = list(node.decorator_list)
            if not isinstance(node, gast.ClassDef):
                outside += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            for child in outside:
                yield from _assigned(child, comprehension)
            return
        case gast.Lambda():
            for child in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                yield from _assigned(child, comprehension)
            return
        case gast.Import() | gast.ImportFrom():
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0]
            return
        case gast.ExceptHandler() if node.name is not None:
            yield node.name.id if isinstance(node.name, gast.AST) else node.name
    inside = comprehension or isinstance(node, COMPREHENSIONS)
    for child in gast.iter_child_nodes(node):
        yield from _assigned(child, inside)


def body_of(node: gast.AST) -> list[gast.AST]:
    return [node.body] if isinstance(node, gast.Lambda) else node.body


def local_names(node: gast.AST) -> set[str]:
    """The names that belong to a function definition: parameters and assigned names."""
    declared = {
        name
        for child in _own_nodes(node)
        if isinstance(child, gast.Global | gast.Nonlocal)
        for name in child.names
    }
    return (set(parameters(node.args)) | set(assigned(body_of(node)))) - declared


def free_names(node: gast.AST) -> list[str]:
    """The names that a function definition reads but doesn't bind, in order of appearance."""
    found: dict[str, None] = {}
    _free(body_of(node), local_names(node), found)
    return list(found)


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
                _free(gast.iter_child_nodes(node), bound | targets, found)
            case _:
                _free(gast.iter_child_nodes(node), bound, found)


def _own_nodes(node: gast.AST) -> Iterator[gast.AST]:
    """The nodes of a definition that are not part of a nested one."""
    for child in body_of(node):
        yield from _walk_own(child)


def _walk_own(node: gast.AST) -> Iterator[gast.AST]:
    yield node
    if isinstance(node, FUNCTIONS) or isinstance(node, gast.ClassDef):
        return
    for child in gast.iter_child_nodes(node):
        yield from _walk_own(child)
