"""Which constructs of the language a source text holds, found in its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

LOOPS = (ast.For, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)
OF_NO_CONSTRUCT = (
    ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop,
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def constructs(source: str) -> set[str]:
    """The names, of those in `ALL`, of the constructs in this text."""
    nodes = [
        (node, above) for node, above in walk(ast.parse(source), ())
        if not isinstance(node, OF_NO_CONSTRUCT)
    ]
    return {name for name, test in ALL.items() if any(test(node, above) for node, above in nodes)}


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


CHANGES: dict[str, Callable[[ast.AST, Above], bool]] = {
    "store of an item": place_of(ast.Constant, ast.UnaryOp),
    "store at a variable index": place_of(ast.Call),
    "store of a slice": place_of(ast.Slice),
    "store of a part of a grid": place_of(ast.Tuple),
    "store at an index array": place_of(ast.List),
    "store at a mask": lambda n, up: (
        is_array_place(n, up) and isinstance(n, ast.Subscript) and is_call(n.slice, "chosen")
    ),
    "augmented store": lambda n, up: is_array_place(n, up) and isinstance(up[-1], ast.AugAssign),
    "augmented array": lambda n, up: (
        isinstance(n, ast.AugAssign)
        and isinstance(n.target, ast.Name)
        and n.target.id.startswith(("x", "y", "row"))
    ),
    "overlapping store": is_overlapping,
    "store in a branch": lambda n, up: (
        is_array_place(n, up) and any(isinstance(node, ast.If) for node in up)
    ),
    "store in a loop": lambda n, up: is_array_place(n, up) and bool(loops_around(up)),
    "store in a loop with exits": behind_exit,
    "swapped buffers": is_buffer_swap,
    "swapped buffers in a loop": lambda n, up: is_buffer_swap(n, up) and bool(loops_around(up)),
    "swapped items": lambda n, up: (
        isinstance(n, ast.Tuple) and is_place(n.elts[0], up) and isinstance(up[-1], ast.Assign)
    ),
    "view by a slice": view_by(":"),
    "view by steps": view_by("::2"),
    "reversed view": view_by("::-1"),
    "transposed view": method("T"),
    "reshaped view": method("reshape"),
    "flat view": method("ravel"),
    "second name of an array": lambda n, up: (
        isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Name)
        and isinstance(n.targets[0], ast.Name)
        and n.targets[0].id.startswith("x")
    ),
    "one of two arrays": lambda n, up: (
        isinstance(n, ast.Assign)
        and isinstance(n.value, ast.IfExp)
        and isinstance(n.targets[0], ast.Name)
        and n.targets[0].id.startswith("x")
    ),
    "rows of a loop": lambda n, up: (
        isinstance(n, ast.For) and ast.unparse(n.target).split(", ")[-1].startswith("row")
    ),
    "array argument": lambda n, up: isinstance(n, ast.arg) and n.arg in "xy",
    "helper that changes": lambda n, up: isinstance(n, ast.arg) and n.arg == "v",
    "helper that makes an array": lambda n, up: (
        isinstance(n, ast.Return) and isinstance(n.value, ast.Name) and n.value.id == "v"
    ),
    "add.at": lambda n, up: method("at")(n, up),
    "out=": lambda n, up: isinstance(n, ast.keyword) and n.arg == "out",
    "copyto": of_module("copyto"),
    "empty": of_module("empty"),
    "fill": method("fill"),
    "append": method("append"),
    "insert": method("insert"),
    "extend": method("extend"),
    "pop": method("pop"),
    "del of an item": kind(ast.Delete),
    "list item stored": lambda n, up: (
        is_place(n, up) and isinstance(n, ast.Subscript) and ast.unparse(n.value)[0] == "l"
    ),
    "list slice stored": lambda n, up: (
        is_place(n, up)
        and isinstance(n, ast.Subscript)
        and ast.unparse(n.value)[0] == "l"
        and isinstance(n.slice, ast.Slice)
    ),
    "dict item stored": lambda n, up: (
        is_place(n, up) and isinstance(n, ast.Subscript) and ast.unparse(n.value)[0] == "d"
    ),
    "update": method("update"),
    "setdefault": method("setdefault"),
}


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


THEMES: dict[str, Callable[[ast.AST, Above], bool]] = {
    "class": kind(ast.ClassDef),
    "data class": decorated("dataclass"),
    "property": decorated("property"),
    "attribute stored": is_stored_attribute("o"),
    "attribute stored by a method": is_stored_attribute("self"),
    "method called": on("o", "m"),
    "array of an object changed": is_held_place("x"),
    "object given to a function": lambda n, up: (
        isinstance(n, ast.Call) and (called(n) or "").startswith("h") and bool(n.args)
        and isinstance(n.args[0], ast.Name) and n.args[0].id.startswith("o")
    ),
    "objects in a loop": lambda n, up: (
        isinstance(n, ast.For) and isinstance(n.target, ast.Name) and n.target.id.startswith("o")
    ),
    "try": kind(ast.Try),
    "try in try": lambda n, up: (
        isinstance(n, ast.Try) and any(isinstance(node, ast.Try) for node in up)
    ),
    "try in a loop": lambda n, up: isinstance(n, ast.Try) and bool(loops_around(up)),
    "except": kind(ast.ExceptHandler),
    "except with a name": lambda n, up: isinstance(n, ast.ExceptHandler) and bool(n.name),
    "several handlers": lambda n, up: isinstance(n, ast.Try) and len(n.handlers) > 1,
    "finally": lambda n, up: isinstance(n, ast.Try) and bool(n.finalbody),
    "finally without except": lambda n, up: isinstance(n, ast.Try) and not n.handlers,
    "else of try": lambda n, up: isinstance(n, ast.Try) and bool(n.orelse),
    "raise": kind(ast.Raise),
    "failing operation": lambda n, up: (
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv)
    ),
    "return in try": lambda n, up: (
        isinstance(n, ast.Return) and any(isinstance(node, ast.Try) for node in up)
    ),
    "nonlocal": kind(ast.Nonlocal),
    "closure with a state": lambda n, up: (
        isinstance(n, ast.Nonlocal) and len(functions_around(up)) > 2
    ),
    "deque": made_by("deque"),
    "deque of limited length": lambda n, up: (
        is_call(n, "deque") and isinstance(n, ast.Call) and bool(n.keywords)
    ),
    "pushed": on("q", "append", "extend"),
    "rotate": on("q", "rotate"),
    "taken from a deque": on("q", "pop"),
    "default dict": made_by("defaultdict"),
    "default dict of lists": made_by("defaultdict", "list"),
    "default dict of a lambda": made_by("defaultdict", "lambda"),
    "item of a default dict": lambda n, up: (
        is_place(n, up) and isinstance(n, ast.Subscript) and ast.unparse(n.value)[0] == "g"
    ),
}

ALL: dict[str, Callable[[ast.AST, Above], bool]] = {
    "if": kind(ast.If),
    "else": lambda n, up: isinstance(n, ast.If) and bool(n.orelse),
    "elif": lambda n, up: isinstance(n, ast.If) and isinstance((n.orelse or [None])[0], ast.If),
    "for over range": over("range"),
    "for over zip": over("zip"),
    "for over enumerate": over("enumerate"),
    "for over reversed": over("reversed"),
    "for over a name": lambda n, up: isinstance(n, ast.For) and isinstance(n.iter, ast.Name),
    "for over a tuple": lambda n, up: isinstance(n, ast.For) and isinstance(n.iter, ast.Tuple),
    "for over a slice": lambda n, up: isinstance(n, ast.For) and isinstance(n.iter, ast.Subscript),
    "for over dict items": lambda n, up: method("items")(n, up) and isinstance(up[-2], ast.For),
    "for over dict values": lambda n, up: method("values")(n, up) and isinstance(up[-2], ast.For),
    "for-else": lambda n, up: isinstance(n, ast.For) and bool(n.orelse),
    "while": kind(ast.While),
    "while True": lambda n, up: isinstance(n, ast.While) and isinstance(n.test, ast.Constant),
    "while-else": lambda n, up: isinstance(n, ast.While) and bool(n.orelse),
    "nested loops": lambda n, up: isinstance(n, LOOPS) and len(loops_around(up)) >= 1,
    "loops three deep": lambda n, up: isinstance(n, LOOPS) and len(loops_around(up)) >= 2,
    "break": kind(ast.Break),
    "continue": kind(ast.Continue),
    "break in a nested loop": lambda n, up: isinstance(n, ast.Break) and len(loops_around(up)) > 1,
    "early return": is_early_return,
    "return in a loop": is_returning(1),
    "return in nested loops": is_returning(2),
    "swap or rotation": is_rotation,
    "rotation in a loop": lambda n, up: is_rotation(n, up) and bool(loops_around(up)),
    "nested unpacking": is_nested_target,
    "starred unpacking": lambda n, up: isinstance(n, ast.Starred) and isinstance(n.ctx, ast.Store),
    "chained assignment": lambda n, up: isinstance(n, ast.Assign) and len(n.targets) > 1,
    "augmented assignment": kind(ast.AugAssign),
    "augmented tuple": lambda n, up: (
        isinstance(n, ast.AugAssign) and isinstance(n.value, ast.Tuple)
    ),
    "walrus": kind(ast.NamedExpr),
    "walrus in if": lambda n, up: isinstance(n, ast.NamedExpr) and isinstance(up[-3], ast.If),
    "walrus in while": lambda n, up: isinstance(n, ast.NamedExpr) and isinstance(up[-2], ast.While),
    "walrus in a comprehension": lambda n, up: (
        isinstance(n, ast.NamedExpr) and isinstance(up[-1], ast.ListComp)
    ),
    "ternary": kind(ast.IfExp),
    "short circuit as value": lambda n, up: (
        isinstance(n, ast.BoolOp) and isinstance(up[-1], ast.Call)
    ),
    "short circuit as condition": lambda n, up: (
        isinstance(n, ast.BoolOp) and isinstance(up[-1], ast.If)
    ),
    "chained comparison": lambda n, up: isinstance(n, ast.Compare) and len(n.ops) > 1,
    "membership": lambda n, up: (
        isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.In | ast.NotIn)
    ),
    "not": lambda n, up: isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not),
    "assert": kind(ast.Assert),
    "bound on some paths": is_bound_on_some_paths,
    "helper call": lambda n, up: isinstance(n, ast.Call) and (called(n) or "")[:1] == "h",
    "keyword argument": lambda n, up: isinstance(n, ast.keyword) and n.arg == "k",
    "default": lambda n, up: isinstance(n, ast.arguments) and bool(n.defaults),
    "keyword-only": lambda n, up: isinstance(n, ast.arguments) and bool(n.kwonlyargs),
    "star parameter": lambda n, up: isinstance(n, ast.arguments) and n.vararg is not None,
    "star argument": lambda n, up: isinstance(n, ast.Starred) and isinstance(up[-1], ast.Call),
    "several results": lambda n, up: isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple),
    "recursion": is_recursion,
    "mutual recursion": is_mutual,
    "function as argument": lambda n, up: (
        isinstance(n, ast.Lambda) and isinstance(up[-1], ast.Call) and up[-1].func is not n
    ),
    "inner function": lambda n, up: isinstance(n, ast.FunctionDef) and bool(functions_around(up)),
    "lambda": kind(ast.Lambda),
    "lambda in lambda": lambda n, up: isinstance(n, ast.Lambda) and isinstance(up[-1], ast.Lambda),
    "several lambdas on a line": lambda n, up: (
        isinstance(n, ast.Tuple)
        and all(isinstance(item, ast.Lambda) for item in n.elts[:2])
        and len(n.elts) > 1
    ),
    "function chosen by branch": lambda n, up: (
        isinstance(n, ast.FunctionDef) and isinstance(up[-1], ast.If)
    ),
    "closure in a loop": lambda n, up: isinstance(n, FUNCTIONS) and bool(loops_around(up)),
    "list comprehension": kind(ast.ListComp),
    "dict comprehension": kind(ast.DictComp),
    "filtered comprehension": lambda n, up: isinstance(n, ast.comprehension) and bool(n.ifs),
    "comprehension of two loops": lambda n, up: (
        isinstance(n, COMPREHENSIONS) and len(n.generators) > 1
    ),
    "nested comprehension": lambda n, up: (
        isinstance(n, ast.ListComp) and any(isinstance(node, ast.ListComp) for node in up)
    ),
    "sum of a generator": inside("sum"),
    "any or all": inside("any", "all"),
    "list of a generator": inside("list"),
    "tuple built": lambda n, up: isinstance(n, ast.Assign) and isinstance(n.value, ast.Tuple),
    "tuple concatenated": lambda n, up: isinstance(n, ast.BinOp) and isinstance(n.right, ast.Tuple),
    "list built": lambda n, up: isinstance(n, ast.List) and isinstance(n.ctx, ast.Load),
    "list concatenated": lambda n, up: isinstance(n, ast.BinOp) and isinstance(n.right, ast.List),
    "star in a display": lambda n, up: (
        isinstance(n, ast.Starred)
        and isinstance(up[-1], ast.List | ast.Tuple)
        and isinstance(n.ctx, ast.Load)
    ),
    "slice": kind(ast.Slice),
    "variable index": lambda n, up: isinstance(n, ast.Subscript) and is_call(n.slice, "residue"),
    "negative index": lambda n, up: (
        isinstance(n, ast.Subscript) and isinstance(n.slice, ast.UnaryOp)
    ),
    "dict display": kind(ast.Dict),
    "dict by keywords": lambda n, up: is_call(n, "dict"),
    "dict merged": lambda n, up: isinstance(n, ast.Dict) and None in n.keys,
    "dict get": method("get"),
    "dict item": lambda n, up: (
        isinstance(n, ast.Subscript)
        and isinstance(n.slice, ast.Constant)
        and isinstance(n.slice.value, str)
    ),
    **CHANGES,
    **THEMES,
}
