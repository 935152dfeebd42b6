"""Which constructs of the language a source text holds, found in its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from tests.fuzz.expressions import OPERATORS
from tests.fuzz.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    LOOPS,
    OF_NO_CONSTRUCT,
    Above,
    behind_exit,
    called,
    decorated,
    functions_around,
    inside,
    is_array_place,
    is_bound_on_some_paths,
    is_buffer_swap,
    is_call,
    is_early_return,
    is_held_place,
    is_mutual,
    is_nested_target,
    is_overlapping,
    is_place,
    is_recursion,
    is_returning,
    is_rotation,
    is_stored_attribute,
    kind,
    loops_around,
    made_by,
    method,
    of_module,
    on,
    over,
    place_of,
    view_by,
    walk,
)


def constructs(source: str) -> set[str]:
    """The names, of those in `ALL`, of the constructs in this text."""
    nodes = [
        (node, above) for node, above in walk(ast.parse(source), ())
        if not isinstance(node, OF_NO_CONSTRUCT)
    ]
    return {name for name, test in ALL.items() if any(test(node, above) for node, above in nodes)}


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


MORE: dict[str, Callable[[ast.AST, Above], bool]] = {
    "list of what can be changed": lambda n, up: (
        isinstance(n, ast.Assign) and ast.unparse(n.targets[0])[0] == "z"
        and isinstance(n.value, ast.List | ast.ListComp)
    ),
    "dict of what can be changed": lambda n, up: (
        isinstance(n, ast.Assign) and ast.unparse(n.targets[0])[0] == "z"
        and isinstance(n.value, ast.Dict | ast.DictComp)
    ),
    "store through a container": lambda n, up: (
        is_place(n, up) and isinstance(n, ast.Subscript) and isinstance(n.value, ast.Subscript)
        and ast.unparse(n.value)[0] == "z"
    ),
    "loop over what can be changed": lambda n, up: (
        isinstance(n, ast.For) and re.search(r"\bz\d", ast.unparse(n.iter)) is not None
    ),
    "name of an item of a container": lambda n, up: (
        isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
        and isinstance(n.value, ast.Subscript) and ast.unparse(n.value)[0] == "z"
    ),
    "derived class": lambda n, up: isinstance(n, ast.ClassDef) and bool(n.bases),
    "super": made_by("super"),
    "static method": decorated("staticmethod"),
    "class method": decorated("classmethod"),
    "setter": lambda n, up: (
        isinstance(n, ast.FunctionDef)
        and any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in n.decorator_list)
    ),
    "operator of a class": lambda n, up: (
        isinstance(n, ast.FunctionDef) and n.name in OPERATORS
    ),
    "slots": lambda n, up: isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__slots__",
    "with": kind(ast.With),
    "manager of the program": lambda n, up: (
        isinstance(n, ast.FunctionDef) and n.name == "__exit__"
    ),
    "raised again": lambda n, up: (
        isinstance(n, ast.Raise) and any(isinstance(node, ast.ExceptHandler) for node in up)
    ),
    "helper that raises": lambda n, up: (
        isinstance(n, ast.Raise) and (functions_around(up) or ["program"])[0][0] == "h"
    ),
    "match": kind(ast.Match),
    "guard of a case": lambda n, up: isinstance(n, ast.match_case) and n.guard is not None,
    "sequence pattern": kind(ast.MatchSequence),
    "map": made_by("map"),
    "filter": made_by("filter"),
    "reduce": made_by("reduce"),
    "partial": made_by("partial"),
    "itertools": lambda n, up: is_call(n, "accumulate", "chain", "islice", "product"),
    "min or max by key": lambda n, up: is_call(n, "min", "max"),
    "sorted": made_by("sorted"),
    "sort of a list": on("l", "sort", "reverse"),
    "named tuple": made_by("Point"),
}

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
    **MORE,
    **MORE,
}
