"""From a call of the API to generated code: binding, lookup, compilation, and back.

An `Entry` is what one signature has: the plan by which the arguments of a call become the inputs of
generated code and its cotangents become gradients of arguments, the code, and the guards on which it
rests. Entries are found by a key that is cheap to make; see `zyg.signature`.
"""

from __future__ import annotations

import types
from collections import OrderedDict
from collections.abc import Callable
from sys import getrefcount
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from ir.binding import CannotBind, bind
from ir.core import Block, Call, Const, Function, Operand, Parameters, Value, Yield
from ir.errors import Unsupported
from ir.parse import parse_code
from ir.record import node
from ir.types import Type
from zyg import cotangent
from zyg.compiler.assemble import Compiler, Joint, Pair
from zyg.compiler.specialise import Specialisation, parameter_type
from zyg.errors import UnsupportedSyntax
from zyg.rules import registry
from zyg.signature import abstract_all, key_of

MAX_ENTRIES = 1024


class Source(NamedTuple):
    """Where an input comes from: `kind` is arg, keyword, default, kwdefault, tuple, dict, cell."""

    kind: str
    key: Any


@node
class Plan:
    """How the arguments of a call are bound to the inputs of generated code."""

    source: Function
    inputs: list[Source]
    is_direct: bool


@node
class Entry:
    plan: Plan
    made: Specialisation
    code: Any
    guards: list[Any]
    version: int
    types: tuple[Type, ...]
    passed: list[int]
    active: list[int]

    def is_valid(self) -> bool:
        if registry.version() != self.version:
            return False
        for guard in self.guards:
            if not guard.holds():
                return False
        return True


class CacheInfo(NamedTuple):
    """Counts since the start or the last `cache_clear`; a miss generates code."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class Cache:
    """Entries by key, least recently made first; safe under threads."""

    def __init__(self, size: int) -> None:
        self._entries: OrderedDict[Any, Entry] = OrderedDict()
        self._lock = RLock()
        self._size = size
        self.compiler = Compiler()
        self.hits = 0
        self.misses = 0

    def get(self, key: Any) -> Entry | None:
        entry = self._entries.get(key)
        if entry is not None and entry.is_valid():
            self.hits += 1
            return entry
        return None

    def put(self, key: Any, make: Callable[[Compiler], Entry]) -> Entry:
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and entry.is_valid():
                return entry
            self.misses += 1
            entry = make(self.compiler)
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
            return entry

    def info(self) -> CacheInfo:
        return CacheInfo(self.hits, self.misses, self._size, len(self._entries))

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self.compiler = Compiler()
            self.hits = self.misses = 0


cache = Cache(MAX_ENTRIES)


def entry_for(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    """The entry of a call: `mode` says which form of code, and of what it is differentiated."""
    if kwargs:
        names = tuple(kwargs)
        key: Any = (mode, key_of(function), key_of(args), names, key_of(tuple(kwargs.values())))
    else:
        key = (mode, key_of(function), key_of(args))
    entry = cache.get(key)
    if entry is not None:
        return entry
    return cache.put(key, lambda compiler: _make(compiler, mode, function, args, kwargs))


def _make(
    compiler: Compiler, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    version = registry.version()
    try:
        plan = plan_of(function, args, kwargs)
        values = tuple(value_of(source, function, args, kwargs) for source in plan.inputs)
        types_ = tuple(map(parameter_type, abstract_all(values)))
        made = compiler.specialiser.specialise(plan.source, types_)
        active = made.flow & frozenset(_differentiated(mode, plan.inputs))
        code: Pair | Joint
        if mode in ("pullback", "_pullback", "dispatch"):
            code = compiler.pair(made, active)
        else:
            code = compiler.joint(made, active, wants_value=mode != "gradient")
        compiler.finish()
    except Unsupported as error:
        if isinstance(error, UnsupportedSyntax):
            raise
        raise UnsupportedSyntax(error.what, error.location, error.why, error.advice) from None
    return Entry(
        plan, made, code, made.all_guards(), version, types_, code.passed, code.active
    )


def _differentiated(mode: str, inputs: list[Source]) -> list[int]:
    kinds: tuple[str, ...] = ("arg", "tuple")
    if mode == "_pullback":
        kinds = ("arg", "tuple", "cell")
    if mode == "dispatch":
        kinds = ("arg", "tuple", "cell", "keyword", "dict")
    return [i for i, source in enumerate(inputs) if source.kind in kinds]


def plan_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
    """How this call binds; a callable without Python code gets a function that calls it."""
    if isinstance(function, types.FunctionType) and registry.rule_of(function) is None:
        source = parse_code(function.__code__, function.__globals__)
        cells = [Source("cell", i) for i in range(len(function.__closure__ or ()))]
        defaults = [Source("default", i) for i in range(len(function.__defaults__ or ()))]
        kwdefaults = {name: Source("kwdefault", name) for name in function.__kwdefaults__ or {}}
        try:
            inputs = bind(
                source, [Source("arg", i) for i in range(len(args))],
                {name: Source("keyword", name) for name in kwargs}, defaults, kwdefaults,
                lambda items: Source("tuple", tuple(items)),
                lambda items: Source("dict", dict(items)),
            )
        except CannotBind:
            function(*args, **kwargs)  # raises the error that Python gives
            raise
        inputs = [*cells, *inputs]
    else:
        source = calling(function, len(args), tuple(kwargs))
        inputs = [Source("arg", i) for i in range(len(args))]
        inputs += [Source("keyword", name) for name in kwargs]
    is_direct = not kwargs and inputs == [Source("arg", i) for i in range(len(args))]
    return Plan(source, inputs, is_direct)


_calling: dict[Any, Function] = {}


def calling(function: Any, count: int, keywords: tuple[str, ...]) -> Function:
    """The IR of a function that does nothing but call `function`."""
    key = id(function), count, keywords
    known = _calling.get(key)
    if known is not None and known.code is function:
        return known
    rule = registry.rule_of(function)
    names = [f"x{i}" for i in range(count)]
    if rule is not None and hasattr(rule, "__code__"):
        own = rule.__code__.co_varnames[: min(rule.__code__.co_argcount, count)]
        names[: len(own)] = own
    params = [Value(name) for name in [*names, *keywords]]
    result = Value("y")
    kwargs: dict[str, Operand] = dict(zip(keywords, params[count:], strict=True))
    call = Call(Const(function), list(params[:count]), kwargs, [result])
    name = getattr(function, "__name__", type(function).__name__)
    made = Function(
        name if str(name).isidentifier() else "call", params, [],
        Block([], [call], Yield([result])), None,
        Parameters(0, len(params), False, 0, False), code=function,
    )
    _calling[key] = made
    return made


def value_of(
    source: Source, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    kind, key = source
    match kind:
        case "arg":
            return args[key]
        case "keyword":
            return kwargs[key]
        case "default":
            return function.__defaults__[key]
        case "kwdefault":
            return function.__kwdefaults__[key]
        case "cell":
            return function.__closure__[key].cell_contents
        case "tuple":
            return tuple(value_of(part, function, args, kwargs) for part in key)
        case _:
            return {n: value_of(part, function, args, kwargs) for n, part in key.items()}


def inputs_of(
    entry: Entry, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The inputs that generated code takes."""
    if entry.plan.is_direct and len(entry.passed) == len(args):
        return args
    inputs = entry.plan.inputs
    return tuple([value_of(inputs[i], function, args, kwargs) for i in entry.passed])


# Cotangents to gradients


def _baseline() -> int:
    items = (np.zeros(1),)
    for item in items:
        return getrefcount(item)
    return 0


_UNSHARED = _baseline()


def gradients_of(
    entry: Entry, bars: tuple[Any, ...], args: tuple[Any, ...]
) -> tuple[Any, ...]:
    """One gradient per positional argument, of its kind, dtype and shape, in memory of its own."""
    inputs = entry.plan.inputs
    found: dict[int, Any] = {}
    for i, bar in zip(entry.active, bars, strict=True):
        kind, key = inputs[i]
        if kind == "arg":
            found[key] = bar
        elif kind == "tuple" and bar is not None:
            for part, part_bar in zip(key, bar, strict=True):
                found[part.key] = part_bar
    del bars
    result = []
    for i, arg in enumerate(args):
        result.append(gradient_of(found.pop(i, None), arg))
    return tuple(result)


def gradient_of(bar: Any, arg: Any) -> Any:
    """One gradient, as the user gets it."""
    cls = type(arg)
    if cls is float:
        return bar if type(bar) is float else cotangent.project(bar, arg)
    if cls is np.ndarray:
        if (
            type(bar) is np.ndarray
            and bar.dtype is arg.dtype
            and bar.shape == arg.shape
            and bar.base is None
            and getrefcount(bar) <= _UNSHARED
        ):
            return bar
        return detached(cotangent.project(bar, arg))
    if cls in (list, tuple, dict):
        return detached(cotangent.project(bar, arg))
    if callable(arg) and isinstance(bar, dict):
        return detached(bar)
    return cotangent.project(bar, arg)


def detached(bar: Any) -> Any:
    """A copy of every array of a gradient: in memory that is nobody else's."""
    if isinstance(bar, np.ndarray):
        return bar.copy() if bar.ndim else bar.copy()
    if isinstance(bar, list | tuple):
        return cotangent.rebuilt(bar, [detached(item) for item in bar])
    if isinstance(bar, dict):
        return {key: detached(item) for key, item in bar.items()}
    return bar
