"""Refuses changes in place, which are not differentiated yet.

Inference looks through functions; what it finds out about a container would be wrong behind a
change of that container. So functions that change one are not looked through either: they are
called as they are where nothing is differentiated, and refused where something is.
"""

from __future__ import annotations

import ast
import inspect
import types

import numpy as np

from ir import facts
from ir.core import Const, Location, Operand, Value, type_of
from ir.errors import SourceNotFound
from ir.infer import Inference
from ir.locate import locate
from ir.types import Dict, Instance, Mapping, Sequence, Top, Type
from zyg.array_type import Array
from zyg.errors import UnsupportedSyntax
from zyg.numpy_changes import is_users
from zyg.rules.registry import is_constant, substitute_of

MUTATING_METHODS = {
    *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update"),
    *("setdefault", "popitem", "add", "discard", "appendleft", "popleft", "extendleft"),
    *("fill", "resize", "put", "partition", "itemset", "setfield", "setflags", "byteswap"),
    *("__setitem__", "__delitem__", "__iadd__", "rotate", "difference_update"),
}
MUTATING_FUNCTIONS = {
    id(f) for f in (
        np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal,
        setattr, delattr,
    )
}



def unsupported(what: str, loc: Location | None, advice: str = "") -> UnsupportedSyntax:
    return UnsupportedSyntax(what, loc, "", advice)


def refuse_mutation(
    inference: Inference,
    callee: Operand,
    args: list[Operand],
    kwargs: dict[str, Operand],
    loc: Location | None,
) -> None:
    """Raises for a call that is known to change one of its arguments."""
    if not kwargs and is_harmless(callee):
        return
    out = kwargs.get("out")
    is_given = out is not None and not (isinstance(out, Const) and out.value is None)
    if is_given and not is_users(callee):
        raise unsupported("writing into an array by `out=` is not supported", loc)
    if isinstance(callee, Value):
        bound = inference.methods.get(callee)
        if bound is not None and _is_mutating(bound[0].value):
            raise _changes_object(bound[0].value.__name__, loc)
        return
    value = callee.value
    if substitute_of(value) is not None:
        return
    if isinstance(value, np.ufunc) and len(args) > value.nin:
        raise unsupported("writing into an array is not supported", loc)
    if id(value) in MUTATING_FUNCTIONS:
        raise unsupported(
            f"`{value.__name__}` changes its argument in place, which is not supported", loc
        )
    if _is_mutating(value):
        raise _changes_object(value.__name__, loc)
    if getattr(value, "__name__", "") == "at" and isinstance(
        getattr(value, "__self__", None), np.ufunc
    ):
        raise unsupported("`ufunc.at` changes its argument in place, which is not supported", loc)


def is_harmless(callee: Operand) -> bool:
    """Whether no call of a callee, without keywords, changes anything: what most callees are."""
    return isinstance(callee, Const) and facts.is_pure(callee.value) and (
        not isinstance(callee.value, np.ufunc)
    )


def _is_mutating(method: object) -> bool:
    return (
        isinstance(method, types.MethodDescriptorType)
        and method.__name__ in MUTATING_METHODS
        and not issubclass(method.__objclass__, str | bytes | tuple)
    )


def _changes_object(method: str, loc: Location | None) -> UnsupportedSyntax:
    return unsupported(f"`.{method}()` changes its object in place, which is not supported", loc)


def refuse_changing_call(
    callee: Operand, args: list[Operand], kwargs: dict[str, Operand], loc: Location | None
) -> None:
    """Raises for a call, kept as it is, that may change an array or container it is given."""
    if not isinstance(callee, Const) or not isinstance(callee.value, types.FunctionType):
        return
    function = callee.value
    if (function.__module__ or "").startswith(("zyg.", "ir.")) or is_constant(function):
        return  # declared to be of no concern
    code = function.__code__
    given = [*zip(code.co_varnames[: code.co_argcount], args, strict=False), *kwargs.items()]
    if code.co_flags & inspect.CO_VARARGS:
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        given += [(rest, arg) for arg in args[code.co_argcount :]]
    changeable = frozenset(name for name, arg in given if _is_changeable(type_of(arg)))
    if changeable and changes_parameters(function, changeable):
        raise unsupported(
            f"`{function.__name__}` changes an argument in place, which is not supported", loc,
            "let it return a new value",
        )


def _is_changeable(type_: Type) -> bool:
    return isinstance(type_, Array | Dict | Mapping | Instance | Top) or (
        isinstance(type_, Sequence) and type_.cls is list
    )


def changes_parameters(function: types.FunctionType, parameters: frozenset[str]) -> bool:
    """Whether the source of a function stores into what some of its parameters refer to."""
    try:
        node = locate(function.__code__, function.__globals__).node
    except SourceNotFound:
        return False
    names = set(parameters)
    nodes = list(ast.walk(node))
    for child in nodes:  # other names of the same object, or of a part of it
        if isinstance(child, ast.Assign) and _root(child.value) in names:
            names |= {target.id for target in child.targets if isinstance(target, ast.Name)}
    for child in nodes:
        match child:
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(
                ctx=ast.Store() | ast.Del()
            ):
                if _root(child) in names:
                    return True
            case ast.AugAssign(target=ast.Name(id=name)) if name in names:
                return True
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)):
                if attr in MUTATING_METHODS and _root(owner) in names:
                    return True
            case ast.keyword(arg="out", value=value) if _root(value) in names:
                return True
    return False


def _root(node: ast.AST) -> str | None:
    """The variable that an expression is a part of."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
