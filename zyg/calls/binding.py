"""How the arguments of a call become the inputs of generated code.

    def scale(x, *rest, factor=2.0): ...        scale(a, b, c)
    ->  x from argument 0, rest from the tuple of arguments 1 and 2, factor from the defaults

Inputs of generated code are the captured variables of a function and then its parameters.
"""

from __future__ import annotations

import inspect
import types
from functools import partial
from typing import Any

from ir.binding import CannotBind, bind
from ir.core import Function
from ir.heap import HEAP_NAME, TOKEN, with_heap
from ir.parse import parse_code
from ir.record import node, record
from zyg.signature import by_identity, is_known_by_identity


@record
class Source:
    """Where an input comes from: `kind` is arg, keyword, leading, default, kwdefault, tuple,
    dict, cell or heap, `key` the position or name there."""

    kind: str
    key: Any


@node
class Plan:
    """How the arguments of a call are bound to the inputs of generated code."""

    source: Function
    inputs: list[Source]


@record
class Callee:
    """What a callable calls, and the arguments that it brings along."""

    function: Any
    leading: tuple[Any, ...]
    keywords: dict[str, Any]


def callee_of(function: Any) -> Callee:
    """The function behind methods, partial functions and objects with a `__call__`."""
    leading: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while id(function) not in by_identity:
        if type(function) is types.MethodType:
            leading = (function.__self__, *leading)
            function = function.__func__
        elif type(function) is partial:
            leading = (*function.args, *leading)
            keywords = {**function.keywords, **keywords}
            function = function.func
        else:
            call = inspect.getattr_static(type(function), "__call__", None)
            if type(call) is not types.FunctionType:
                break
            leading = (function, *leading)
            function = call
    return Callee(function, leading, keywords)


def plan_of(
    callee: Callee, args: tuple[Any, ...], kwargs: dict[str, Any], in_cells: bool = False
) -> Plan:
    """How this call binds; a callable without Python code gets a function that calls it.

    Raises Python's own TypeError where the arguments don't fit.
    """
    function = callee.function
    if not callable(function):
        function(*args, **kwargs)  # raises Python's error
    given = [Source("leading", i) for i in range(len(callee.leading))]
    given += [Source("arg", i) for i in range(len(args))]
    keywords = {name: Source("keyword", name) for name in {**callee.keywords, **kwargs}}
    if type(function) is not types.FunctionType or is_known_by_identity(function):
        from zyg.compiler.calling import calling  # few calls need it

        source = calling(function, len(given), tuple(keywords))
        return Plan(source, [*given, *keywords.values()])
    source = parse_code(function.__code__, function.__globals__, in_cells=in_cells)
    cells = [Source("cell", i) for i in range(len(function.__closure__ or ()))]
    defaults = [Source("default", i) for i in range(len(function.__defaults__ or ()))]
    kwdefaults = {name: Source("kwdefault", name) for name in function.__kwdefaults__ or {}}
    try:
        inputs = bind(
            source, given, keywords, defaults, kwdefaults,
            lambda items: Source("tuple", tuple(items)),
            lambda items: Source("dict", dict(items)),
        )
    except CannotBind:
        # Binding fails before anything runs, and Python's own error says why.
        function(*callee.leading, *args, **{**callee.keywords, **kwargs})
        raise
    return Plan(source, [*cells, *inputs])


def with_heap_passed(plan: Plan) -> Plan:
    """The plan for the same function with the heap as one more parameter."""
    source = with_heap(plan.source)
    position = next(i for i, param in enumerate(source.params) if param.name == HEAP_NAME)
    inputs = list(plan.inputs)
    inputs.insert(len(source.captured) + position, Source("heap", None))
    return Plan(source, inputs)


def value_of(
    source: Source, callee: Callee, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The value of an input in a call."""
    key = source.key
    match source.kind:
        case "arg":
            return args[key]
        case "keyword":
            return kwargs[key] if key in kwargs else callee.keywords[key]
        case "leading":
            return callee.leading[key]
        case "default":
            return callee.function.__defaults__[key]
        case "kwdefault":
            return callee.function.__kwdefaults__[key]
        case "cell":
            return callee.function.__closure__[key].cell_contents
        case "heap":
            return TOKEN
        case "tuple":
            return tuple([value_of(part, callee, args, kwargs) for part in key])
        case _:
            return {n: value_of(part, callee, args, kwargs) for n, part in key.items()}
