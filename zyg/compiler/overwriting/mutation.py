"""Refuses changes in place that nothing follows: those by calls that are made as they are.

What inference finds out about a container would be wrong behind such a change, and its derivative
lost. The changes that are differentiated have become operations of their own by then.
"""

from __future__ import annotations

import ast
import inspect
import operator
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts, primitives
from ir.core import (
    Call,
    Const,
    For,
    Function,
    Lambda,
    Location,
    Loop,
    Operand,
    Value,
    type_of,
)
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.heap import HEAP_NAME
from ir.inference.typed_calls import TypedCalls
from ir.library.builtin_facts import IN_PLACE
from ir.rewrite import walk
from ir.syntax.locate import locate
from ir.types import Closure, Dict, Instance, Known, Mapping, Sequence, Top, Type, Union
from zyg.array_type import Array
from zyg.compiler.inference.constructors import has_rule_of_user
from zyg.errors import UnsupportedSyntax
from zyg.rules.registry import is_constant, rule_of, substitute_of

if TYPE_CHECKING:
    from zyg.compiler.specialise import Specialiser

MUTATING_METHODS = {
    *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update"),
    *("setdefault", "popitem", "add", "discard", "appendleft", "popleft", "extendleft"),
    *("fill", "resize", "put", "partition", "itemset", "setfield", "setflags", "byteswap"),
    *("__setitem__", "__delitem__", "__iadd__", "rotate", "difference_update"),
    *("move_to_end", "subtract"),
}
MUTATING_FUNCTIONS = {
    id(f) for f in (
        np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal,
        setattr, delattr,
    )
}
# The same in place of statements, and what fills a container anew.
_STORING_SLOTS = {
    getattr(cls, name)
    for cls in (list, dict, set, deque, OrderedDict, defaultdict)
    for name in ("__init__", "__ior__", "__iand__", "__ixor__", "__isub__", "__imul__")
    if name in vars(cls)
}


def unsupported(what: str, loc: Location | None, advice: str = "") -> UnsupportedSyntax:
    return UnsupportedSyntax(what, loc, "", advice)


def is_users(callee: Operand) -> bool:
    """Whether a callee is a Python function of the user's, whose `out` means what it says."""
    if isinstance(callee, Value):
        return isinstance(callee.type, Closure)
    module = getattr(callee.value, "__module__", None) or ""
    is_function = isinstance(callee.value, types.FunctionType)
    return is_function and module.partition(".")[0] not in ("numpy", "scipy")


def refuse_mutation(
    inference: TypedCalls,
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
        if bound is not None and is_mutating(bound[0].value):
            raise _changes_object(bound[0].value.__name__, loc)
        return
    error = _change_by(callee.value, args, loc)
    if error is not None and substitute_of(callee.value) is None:
        raise error


def _change_by(value: Any, args: list[Operand], loc: Location | None) -> UnsupportedSyntax | None:
    """The error for a callable that is known to change one of its arguments."""
    if isinstance(value, np.ufunc) and len(args) > value.nin:
        return unsupported("writing into an array is not supported", loc)
    if id(value) in MUTATING_FUNCTIONS:
        return unsupported(
            f"`{value.__name__}` changes its argument in place, which is not supported", loc
        )
    if is_mutating(value):
        return _changes_object(value.__name__, loc)
    if getattr(value, "__name__", "") == "at" and isinstance(
        getattr(value, "__self__", None), np.ufunc
    ):
        return unsupported("`ufunc.at` changes its argument in place, which is not supported", loc)
    return None


def is_harmless(callee: Operand) -> bool:
    """Whether no call of a callee, without keywords, changes anything: what most callees are."""
    return isinstance(callee, Const) and (id(callee.value) in _OPERATORS or (
        facts.is_pure(callee.value) and not isinstance(callee.value, np.ufunc)
    ))


_OPERATORS = frozenset(map(id, (
    *IN_PLACE.values(), operator.neg, operator.pos, operator.truth, operator.not_, operator.getitem,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.is_,
    operator.is_not, operator.contains, abs, len, isinstance,
)))  # fmt: skip


def is_mutating(method: object) -> bool:
    return (
        isinstance(method, types.MethodDescriptorType | types.WrapperDescriptorType)
        and (method.__name__ in MUTATING_METHODS or method in _STORING_SLOTS)
        and not issubclass(method.__objclass__, str | bytes | tuple)
    )


def _changes_object(method: str, loc: Location | None) -> UnsupportedSyntax:
    return unsupported(f"`.{method}()` changes its object in place, which is not supported", loc)


def refuse_changing_call(
    specialiser: Specialiser, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None, on_heap: bool,
) -> None:
    """Raises for a call, kept as it is, that may change an array or container it is given.

    `on_heap`: that may be memory which an object holds. Else it may be an object, for which code
    has to be made with the heap.
    """
    callee_type = type_of(callee)
    if isinstance(callee_type, Closure) and isinstance(callee_type.code, Function):
        _refuse_changing_ir(callee_type.code, args, loc)
        return
    if isinstance(callee_type, Closure):
        code, module_globals = callee_type.code, callee_type.globals
    elif isinstance(callee_type, Known) and isinstance(callee_type.value, types.FunctionType):
        function = callee_type.value
        if is_constant(function) or substitute_of(function) is not None or (
            rule_of(function) is not None and not has_rule_of_user(function)
        ):
            return  # declared to be of no concern; the other code is looked at
        code, module_globals = callee_type.value.__code__, callee_type.value.__globals__
    else:
        return
    if str(module_globals.get("__name__")).startswith(("zyg.", "ir.")):
        return
    if _may_change_unknown(specialiser, callee_type, args, kwargs):
        what = f"`{code.co_name}` may change in place what it is given, under an unknown name"
        if not on_heap:
            raise NeedsHeap(what, loc, advice="let it return a new value")
        raise unsupported(what, loc, "let it return a new value")
    given = [*zip(code.co_varnames[: code.co_argcount], args, strict=False), *kwargs.items()]
    if code.co_flags & inspect.CO_VARARGS:
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        given += [(rest, arg) for arg in args[code.co_argcount :]]
    changeable = frozenset(name for name, arg in given if _is_changeable(type_of(arg)))
    if changeable and _changes_when_called(code, module_globals, changeable):
        what = f"`{code.co_name}` changes an argument in place, which is not supported"
        if not on_heap:  # that may be an object
            raise NeedsHeap(what, loc, advice="let it return a new value")
        raise unsupported(what, loc, "let it return a new value")


def _may_change_unknown(
    specialiser: Specialiser, callee: Type, args: list[Operand], kwargs: dict[str, Operand]
) -> bool:
    """Whether a function that is given memory may change some by `+=` and the like of which nothing
    is known: that may be the same."""
    types_ = tuple(map(type_of, args))
    kwtypes = {name: type_of(arg) for name, arg in kwargs.items() if name != HEAP_NAME}
    if not any(map(_is_changeable, (*types_, *kwtypes.values()))):
        return False
    try:
        made = specialiser.call(callee, types_, kwtypes)
    except (Unsupported, SourceNotFound):
        return False  # what is refused is looked at where it is called
    return made is not None and any(
        isinstance(op, Call) and isinstance(op.callee, Const)
        and any(op.callee.value is in_place for in_place in IN_PLACE)
        and isinstance(type_of(op.args[0]), Top | Union) and _is_changeable(type_of(op.args[0]))
        for one in made.with_callees() for op in walk(one.function.body)
    )


def _refuse_changing_ir(function: Function, args: list[Operand], loc: Location | None) -> None:
    """The same for a function that the program makes: parameters with augmented assignments."""
    params = zip(function.params, args, strict=False)
    names = {param for param, arg in params if _is_changeable(type_of(arg))}
    for op in walk(function.body):
        if isinstance(op, Loop):
            names.update(
                param for param, init in zip(op.carried, op.init, strict=False)
                if any(init is name for name in names)
            )
        if not isinstance(op, Call) or not isinstance(op.callee, Const):
            continue
        is_augmented = any(op.callee.value is in_place for in_place in IN_PLACE)
        if is_augmented and any(op.args[0] is name for name in names):
            raise unsupported(
                f"`{function.name}` changes an argument in place, which is not supported", loc,
                "let it return a new value",
            )


def may_change_captured(callee_type: Type) -> bool:
    """Whether a function may change in place what it has captured, as far as its code tells."""
    match callee_type:
        case Closure(Function() as source, captures=captures):
            if not any(map(_is_changeable, captures)):
                return False
            return _changes(source, set(source.captured), set())
        case Closure(code, module_globals):
            return changes_parameters(code, module_globals, frozenset(code.co_freevars))
        case Known(types.FunctionType() as function):
            return changes_parameters(
                function.__code__, function.__globals__, frozenset(function.__code__.co_freevars)
            )
        case _:
            return False


_HANDING_ON = (
    operator.getitem, getattr, primitives.alias, *primitives.PASSING_ON,
)
_STORING = (operator.setitem, operator.delitem, *IN_PLACE)


def _changes(function: Function, roots: set[Value], seen: set[tuple[int, int]]) -> bool:
    """Whether code changes some values in place, or parts of them."""
    names: set[Operand] = set(roots)
    for op in walk(function.body):
        if isinstance(op, Loop):
            pairs = zip(op.carried, op.init, strict=False)
            names.update(param for param, init in pairs if init in names)
            if isinstance(op, For) and any(items in names for items in op.iterables):
                names.update(op.items)
        elif isinstance(op, Lambda):
            inner = {
                value for value, operand in zip(op.function.captured, op.captures, strict=True)
                if operand in names
            }
            key = id(op.function), len(inner)
            if inner and key not in seen:
                seen.add(key)
                if _changes(op.function, inner, seen):
                    return True
        elif isinstance(op, Call) and op.args and op.args[0] in names:
            callee = op.callee.value if isinstance(op.callee, Const) else None
            if any(callee is function for function in _STORING):
                return True
            if callee is getattr and isinstance(op.args[1], Const) and (
                op.args[1].value in MUTATING_METHODS
            ):
                return True
            if any(callee is function for function in _HANDING_ON):
                names.update(op.results)
    return False


def _is_changeable(type_: Type) -> bool:
    if isinstance(type_, Union):
        return any(map(_is_changeable, type_.members))
    return isinstance(type_, Array | Dict | Mapping | Instance | Top) or (
        isinstance(type_, Sequence) and issubclass(type_.cls, list | deque)
    )


def changes_parameters(
    code: types.CodeType, module_globals: dict[str, Any], parameters: frozenset[str]
) -> bool:
    """Whether the source of a function stores into what some of its parameters refer to."""
    return _stores_into(_nodes_of(code, module_globals, ast.walk), set(parameters))


def _changes_when_called(
    code: types.CodeType, module_globals: dict[str, Any], parameters: frozenset[str]
) -> bool:
    """The same of what one call runs: functions that it makes and returns are called later."""
    return _stores_into(_nodes_of(code, module_globals, _run_by), set(parameters))


def _nodes_of(
    code: types.CodeType, module_globals: dict[str, Any],
    of: Callable[[ast.AST], Iterable[ast.AST]],
) -> list[ast.AST]:
    """Some nodes of the source of a function; none where it isn't known."""
    try:
        return list(of(locate(code, module_globals).node))
    except SourceNotFound:
        return []


def _stores_into(nodes: list[ast.AST], names: set[str]) -> bool:
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
                if attr in _ALL_CHANGING and (
                    _is_super(owner) or (child.args and _root(child.args[0]) in names)
                ):
                    return True  # `super().append(x)`, `list.append(self, x)`
            case ast.keyword(arg="out", value=value) if _root(value) in names:
                return True
    return False


def _run_by(function: ast.AST) -> list[ast.AST]:
    """What a call of a function may run: not the bodies of those that it only makes and returns."""
    nodes = list(ast.walk(function))
    returned = {id(node.value) for node in nodes if isinstance(node, ast.Return)}
    used = {
        node.id for node in nodes
        if isinstance(node, ast.Name) and id(node) not in returned
    }
    left_out = {
        id(inner)
        for node in nodes if isinstance(node, ast.FunctionDef) and node is not function
        and node.name not in used and not node.decorator_list
        for statement in node.body for inner in ast.walk(statement)
    }
    return [node for node in nodes if id(node) not in left_out]


_ALL_CHANGING = MUTATING_METHODS | {method.__name__ for method in _STORING_SLOTS}


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _root(node.func) == "super"


def _root(node: ast.AST) -> str | None:
    """The variable that an expression is a part of."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
