"""From a call of the API to the generated code that serves it.

    gradient(f, x, 2.0)  ->  key  ->  Entry: code for (float64[N1], float), valid while guards hold

An entry is what one signature has: the plan by which the arguments of a call become inputs of
generated code and its cotangents gradients, the code, and the guards on which it rests.
"""

from __future__ import annotations

import types
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from ir import record
from ir.errors import SourceNotFound, Unsupported
from ir.types import Known, Type
from zyg import cotangent
from zyg.binding import Callee, Plan, Source, callee_of, plan_of, value_of
from zyg.compiler.assemble import Compiler, Joint, Pair
from zyg.compiler.decorated import forget_cached
from zyg.compiler.specialise import AnyGuard, Specialisation, parameter_type
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.gradients import Assignment, assignment_of
from zyg.guards import Check, all_hold, compiled
from zyg.keys import function_key, identified, tuple_key
from zyg.rules import registry
from zyg.signature import abstract_all
from zyg.variants import Variants

MAX_ENTRIES = 1024
# The kinds of inputs that each form of code differentiates with respect to.
_DIFFERENTIATED = {
    **dict.fromkeys(("gradient", "withgradient", "pullback"), ("arg", "tuple")),
    "_pullback": ("arg", "tuple", "cell"),
    "dispatch": ("arg", "tuple", "cell", "keyword", "dict", "default", "kwdefault"),
}
CALLS_UNTIL_GUARDS_ARE_COMPILED = 2


@record.node
class Entry:
    """The code for one signature. `is_direct`: its inputs are the positional arguments; `alive`:
    what keys refer to by `id`."""

    plan: Plan
    made: Specialisation
    code: Pair | Joint
    guards: list[AnyGuard]
    version: int
    types: tuple[Type, ...]
    assignment: Assignment
    passed: list[Source]
    is_direct: bool
    run: Callable[..., Any]
    alive: list[object] = record.made(list)
    _calls: int = 0
    _check: Check | None = None

    def is_valid(self) -> bool:
        if registry.version() != self.version:  # a rule was added
            return False
        if self._check is not None:
            return self._check()
        self._calls += 1
        if self._calls > CALLS_UNTIL_GUARDS_ARE_COMPILED:
            self._check = compiled(self.guards)
        return all_hold(self.guards)


class CacheInfo(NamedTuple):
    """Counts since the start or the last `cache_clear`; a miss generates code."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class Cache:
    """Entries by key, the ones made first dropped first; safe under threads.

    Readers take no lock: they find an entry, which never changes what it means, or none. All that
    writes holds the lock, compilation included.
    """

    def __init__(self, size: int) -> None:
        self.entries: OrderedDict[Any, Entry] = OrderedDict()
        self.lock = RLock()
        self._size = size
        self._start()

    def _start(self) -> None:
        self._compiler = Compiler()
        self._compiled_for = registry.version()
        self.variants = Variants()
        self._aliases: dict[Any, tuple[Any, list[object]]] = {}
        self.hits = 0
        self.misses = 0

    def compiler_for(self, version: int) -> Compiler:
        """The compiler that knows the rules as they are now; what it made before is forgotten
        when a rule is added."""
        if version != self._compiled_for:
            self._compiler = Compiler()
            self._compiled_for = version
        return self._compiler

    def valid(self, key: Any) -> Entry | None:
        """The entry of a key if its code can still be used."""
        entry = self.entries.get(key)
        return entry if entry is not None and entry.is_valid() else None

    def aliased(self, key: Any) -> Entry | None:
        """The entry of the wider signature that serves a key."""
        alias = self._aliases.get(key)
        return None if alias is None else self.valid(alias[0])

    def add_alias(self, key: Any, wider: Any, alive: list[object]) -> Any:
        if len(self._aliases) >= self._size:
            self._aliases.clear()
        self._aliases[key] = wider, alive
        return wider

    def put(self, key: Any, entry: Entry) -> None:
        self.misses += 1
        self.entries[key] = entry
        self.entries.move_to_end(key)
        while len(self.entries) > self._size:
            self.entries.popitem(last=False)

    def info(self) -> CacheInfo:
        return CacheInfo(self.hits, self.misses, self._size, len(self.entries))

    def clear(self) -> None:
        with self.lock:
            self.entries.clear()
            self._start()


cache = Cache(MAX_ENTRIES)


def entry_for(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    """The entry of a call: `mode` says which form of code, and of what it is differentiated."""
    key: Any
    if mode != "dispatch":
        forget_cached()
    if type(function) is types.FunctionType:
        key = mode, function_key(function), tuple_key(args)
    else:
        callee, leading, keywords = callee_of(function)
        own = function_key(callee) if type(callee) is types.FunctionType else Known(callee)
        held = tuple_key((*leading, *keywords.values()))
        key = mode, own, tuple_key(args), tuple(keywords), held
    if kwargs:
        key = *key, tuple(kwargs), tuple_key(tuple(kwargs.values()))
    entry = cache.entries.get(key)
    if entry is not None and entry.is_valid():
        cache.hits += 1
        return entry
    with cache.lock:
        return _found_or_made(key, mode, function, args, kwargs)


def _found_or_made(
    key: Any, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    """The entry of a call whose key has none that is valid; the cache is locked."""
    entry = cache.valid(key) or cache.aliased(key)
    if entry is not None:
        cache.hits += 1
        return entry
    version = registry.version()
    compiler = cache.compiler_for(version)
    callee = callee_of(function)
    try:
        plan = plan_of(callee, args, kwargs)
        values = tuple([value_of(source, callee, args, kwargs) for source in plan.inputs])
        for arg in args:
            refuse_unusual(arg)
        exact = tuple(map(parameter_type, abstract_all(values)))
        types_ = cache.variants.widened(plan.source, exact)
        if types_ != exact:
            alive = identified((callee.function, values))
            key = cache.add_alias(
                key, (mode, plan.source, len(args), tuple(kwargs), types_), alive
            )
            entry = cache.valid(key)
            if entry is not None:
                cache.hits += 1
                return entry
        entry = _made(compiler, mode, plan, types_, len(args))
    except SourceNotFound as error:
        raise NotDifferentiable(str(error)) from None
    except Unsupported as error:
        if isinstance(error, UnsupportedSyntax):
            raise
        raise UnsupportedSyntax(error.what, error.location, error.why, error.advice) from None
    entry.version = version
    entry.alive += identified((callee.function, values))
    cache.put(key, entry)
    return entry


def _made(
    compiler: Compiler, mode: str, plan: Plan, types_: tuple[Type, ...], count: int
) -> Entry:
    made = compiler.specialiser.specialise(plan.source, types_)
    differentiated = [i for i, s in enumerate(plan.inputs) if s.kind in _DIFFERENTIATED[mode]]
    active = made.flow & frozenset(differentiated)
    code: Pair | Joint
    if mode in ("pullback", "_pullback", "dispatch"):
        code = compiler.pair(made, active)
    else:
        code = compiler.joint(made, active, wants_value=mode != "gradient")
    compiler.finish()
    names = [value.name for value in (*plan.source.captured, *plan.source.params)]
    passed = [plan.inputs[i] for i in code.passed]
    return Entry(
        plan, made, code, made.all_guards(), 0, types_,
        assignment_of(plan.inputs, code.active, names, count),
        passed,
        passed == [Source("arg", i) for i in range(count)],
        code.function if isinstance(code, Joint) else code.forward.cell.cell_contents,
    )


def refuse_unusual(arg: Any) -> None:
    """Raises NotDifferentiable for arguments that hold arrays which have no gradients."""
    if isinstance(arg, np.ndarray):
        cotangent.refuse_unusual(arg)
    elif type(arg) in (list, tuple):
        for item in arg:
            refuse_unusual(item)
    elif type(arg) is dict:
        for item in arg.values():
            refuse_unusual(item)


def inputs_of(
    entry: Entry, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Sequence[Any]:
    """The inputs that generated code takes."""
    if entry.is_direct:
        return args
    callee = Callee(function, (), {})
    if type(function) is not types.FunctionType:
        callee = callee_of(function)
    return [
        args[key] if kind == "arg" else value_of(Source(kind, key), callee, args, kwargs)
        for kind, key in entry.passed
    ]
