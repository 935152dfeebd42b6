"""Questions about nodes of syntax trees, of which `constructs` makes what it looks for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

LOOPS = (ast.For, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)
OF_NO_CONSTRUCT = (
    ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop,
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Above = tuple[ast.AST, ...]


def walk(node: ast.AST, above: Above) -> Iterator[tuple[ast.AST, Above]]:
    """Each node with those above it, outermost first."""
    yield node, above
    for child in ast.iter_child_nodes(node):
        yield from walk(child, (*above, node))


def loops_around(above: Above) -> list[ast.AST]:
    """The loops of the same function around a place, outermost first, `else` parts included."""
    loops: list[ast.AST] = []
    for node in above:
        loops = [] if isinstance(node, FUNCTIONS) else loops
        loops += [node] if isinstance(node, LOOPS) else []
    return loops


def functions_around(above: Above) -> list[str]:
    return [node.name for node in above if isinstance(node, ast.FunctionDef)]


def is_call(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Call) and called(node) in names


def called(node: ast.Call) -> str | None:
    return node.func.id if isinstance(node.func, ast.Name) else None


def over(*names: str) -> Callable[[ast.AST, Above], bool]:
    """A `for` over a call of one of these functions."""
    return lambda node, above: isinstance(node, ast.For) and is_call(node.iter, *names)


def kind(*classes: type[ast.AST]) -> Callable[[ast.AST, Above], bool]:
    return lambda node, above: isinstance(node, classes)


def inside(*names: str) -> Callable[[ast.AST, Above], bool]:
    """A generator expression as the argument of one of these functions."""
    return lambda node, above: isinstance(node, ast.GeneratorExp) and is_call(above[-1], *names)


def method(name: str) -> Callable[[ast.AST, Above], bool]:
    return lambda node, above: isinstance(node, ast.Attribute) and node.attr == name


def is_rotation(node: ast.AST, above: Above) -> bool:
    """Several names assigned in parallel, one of them read by another's value."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)):
        return False
    targets = {n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name)}
    read = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    return isinstance(node.value, ast.Tuple) and len(targets & read) >= 2


def is_early_return(node: ast.AST, above: Above) -> bool:
    return isinstance(node, ast.Return) and isinstance(above[-1], ast.If)


def is_returning(depth: int) -> Callable[[ast.AST, Above], bool]:
    return lambda node, above: isinstance(node, ast.Return) and len(loops_around(above)) >= depth


def is_nested_target(node: ast.AST, above: Above) -> bool:
    return (
        isinstance(node, ast.Tuple)
        and isinstance(node.ctx, ast.Store)
        and (isinstance(above[-1], ast.Tuple))
    )


def is_recursion(node: ast.AST, above: Above) -> bool:
    return isinstance(node, ast.Call) and called(node) in functions_around(above)


def is_mutual(node: ast.AST, above: Above) -> bool:
    """A call of a function that is defined later."""
    if not (isinstance(node, ast.Call) and functions_around(above)):
        return False
    module = above[0]
    assert isinstance(module, ast.Module)
    names = [f.name for f in module.body if isinstance(f, ast.FunctionDef)]
    if functions_around(above)[0] not in names:
        return False  # a method
    here = names.index(functions_around(above)[0])
    return called(node) in names[here + 1 :]


def is_place(node: ast.AST, above: Above) -> bool:
    """An item or slice that is stored to."""
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def is_array_place(node: ast.AST, above: Above) -> bool:
    """The same of an array, by its name."""
    if not (is_place(node, above) and isinstance(node, ast.Subscript)):
        return False
    name = next((n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)), "")
    return name.startswith(("x", "y", "row"))


def place_of(*classes: type[ast.AST]) -> Callable[[ast.AST, Above], bool]:
    """A store into an array by an index of one of these kinds."""
    return lambda n, up: (
        is_array_place(n, up) and isinstance(n, ast.Subscript) and isinstance(n.slice, classes)
    )


def view_by(step: str) -> Callable[[ast.AST, Above], bool]:
    """An array bound to a name, as seen by a slice with such a step, or any."""
    return lambda n, up: (
        isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and n.targets[0].id.startswith("x")
        and isinstance(n.value, ast.Subscript)
        and step in ast.unparse(n.value.slice)
    )


def is_overlapping(node: ast.AST, above: Above) -> bool:
    """A store from an array into another part of it."""
    if not isinstance(node, ast.Assign | ast.AugAssign):
        return False
    if not isinstance(node.value, ast.Subscript):
        return False
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    return isinstance(target, ast.Subscript) and (
        ast.unparse(target.value) == ast.unparse(node.value.value)
        and isinstance(target.slice, ast.Slice | ast.Tuple)
    )


def is_buffer_swap(node: ast.AST, above: Above) -> bool:
    return is_rotation(node, above) and isinstance(node, ast.Assign) and all(
        name.id.startswith(("x", "y")) for name in ast.walk(node.targets[0])
        if isinstance(name, ast.Name)
    ) and not any(isinstance(n, ast.Subscript) for n in ast.walk(node))


def behind_exit(node: ast.AST, above: Above) -> bool:
    """A store in a loop that may be left early."""
    loops = loops_around(above)
    return is_array_place(node, above) and any(
        isinstance(n, ast.Break | ast.Continue | ast.Return)
        for loop in loops for n in ast.walk(loop)
    )


def of_module(name: str) -> Callable[[ast.AST, Above], bool]:
    return lambda n, up: isinstance(n, ast.Attribute) and ast.unparse(n) == f"np.{name}"


def is_bound_on_some_paths(node: ast.AST, above: Above) -> bool:
    """`if c: m = ...`, with no `else`, where this is the first time the name is bound."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id.startswith("m")
        and isinstance(above[-1], ast.If)
    )


def is_stored_attribute(prefix: str) -> Callable[[ast.AST, Above], bool]:
    """A store into an attribute of what a name that begins like this means."""
    return lambda n, up: (
        isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and ast.unparse(n.value).startswith(prefix)
    )


def is_held_place(attribute: str) -> Callable[[ast.AST, Above], bool]:
    """An item or part of what an object holds by an attribute, stored to."""
    return lambda n, up: (
        is_place(n, up) and isinstance(n, ast.Subscript)
        and isinstance(n.value, ast.Attribute) and n.value.attr == attribute
    )


def decorated(name: str) -> Callable[[ast.AST, Above], bool]:
    return lambda n, up: (
        isinstance(n, ast.FunctionDef | ast.ClassDef)
        and any(isinstance(d, ast.Name) and d.id == name for d in n.decorator_list)
    )


def on(prefix: str, *names: str) -> Callable[[ast.AST, Above], bool]:
    """A call of one of these methods of what a name that begins like this means."""
    return lambda n, up: (
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr.startswith(names)
        and ast.unparse(n.func.value).startswith(prefix)
    )


def made_by(name: str, argument: str = "") -> Callable[[ast.AST, Above], bool]:
    return lambda n, up: is_call(n, name) and (
        not argument or (isinstance(n, ast.Call) and ast.unparse(n.args[0]).startswith(argument))
    )
