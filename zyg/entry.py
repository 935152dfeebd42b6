"""From a call of the API to the generated code that serves it.

    gradient(f, x, 2.0)  ->  key  ->  Entry: code for (float64[N1], float), valid while guards hold

An entry is what one signature has: the plan by which the arguments of a call become inputs of
generated code and its cotangents gradients, the code, and the guards on which it rests.
"""

from __future__ import annotations

import gc
import types
from _thread import RLock
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ir import record, special_calls
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.heap import HEAP, with_held_inputs
from ir.types import Known, Type
from zyg import cotangent
from zyg.binding import Callee, Plan, Source, callee_of, plan_of, value_of, with_heap_passed
from zyg.compiler.assemble import Compiler
from zyg.compiler.assigned import NONE_SHARED, Outdated, Shared
from zyg.compiler.generated import Joint, Pair
from zyg.compiler.guards import AnyGuard
from zyg.compiler.nesting import may_store_unseen
from zyg.compiler.object_needs import note_lost
from zyg.compiler.specialisation import Specialisation, parameter_type
from zyg.compiler.wrappers import forget_cached
from zyg.compiler.written_only import read_in
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.gradients import Assignment, assignment_of
from zyg.keys import function_key, identified, tuple_key
from zyg.rules import registry
from zyg.shadows import is_running
from zyg.signature import abstract_all, by_identity
from zyg.variants import Variants

if TYPE_CHECKING:
    from zyg.compiler.fields import Fields
    from zyg.guards import Check

special_calls.LATE["copy"] = "zyg.compiler.copies"

MAX_ENTRIES = 1024
# The forms of calls that are found at run time: they give their value, the versions of what they
# change as well, or the same for the pair of an error and the value.
# "inner" is the first of these for a gradient that is itself differentiated.
AT_RUN_TIME = (
    "dispatch", "inner", "update", "held", "attempt", "attempted update", "attempted held",
)
# The kinds of inputs that each form of code differentiates with respect to.
_DIFFERENTIATED = {
    **dict.fromkeys(("gradient", "withgradient", "pullback"), ("arg", "tuple")),
    "_pullback": ("arg", "tuple", "cell"),
    **dict.fromkeys(
        AT_RUN_TIME,
        ("arg", "tuple", "cell", "keyword", "dict", "default", "kwdefault"),
    ),
}
# Forward mode: "tangent:" and, at run time, "tangent call:" and "tangent attempt:" go on with what
# is active (`is_active`).
TANGENT = "tangent"
CALLS_UNTIL_GUARDS_ARE_COMPILED = 2
CALLS_UNTIL_PATH = 3
MAX_ROUNDS = 4
MAX_PATHS = 4  # of one code object
MIN_UNSEEN = 500_000  # objects

# Made by `zyg.fast_path`: from a function and its arguments to what the API returns for a call, or
# to None if the path doesn't serve such a call.
Path: TypeAlias = Callable[[types.FunctionType, tuple[Any, ...], dict[str, Any]], Any]


def is_at_run_time(mode: str) -> bool:
    """Whether code of this form is part of a program that is differentiated."""
    return mode in AT_RUN_TIME or mode.startswith(f"{TANGENT} ")


def is_active(mode: str, source: Source, name: str) -> bool:
    """Whether an input is differentiated: one of the positions and names that a mode lists."""
    if not mode.startswith(TANGENT):
        return source.kind in (*_DIFFERENTIATED[mode], "heap")
    listed = mode.partition(":")[2].split(",")
    match source.kind:
        case "arg" | "keyword":
            return str(source.key) in listed
        case "tuple":
            return any(is_active(mode, part, "") for part in source.key)
        case "dict":
            return any(is_active(mode, part, "") for part in source.key.values())
        case "cell" | "default" | "kwdefault":
            return f".{name}" in listed
        case kind:
            return kind == "heap"


class ChangesArguments(UnsupportedSyntax):
    """A function that is found at run time changes some of its arguments in place."""


@record.node
class Entry:
    """The code for one signature. `is_direct`: its inputs are the positional arguments; `alive`:
    what keys refer to by `id`; `calls_until_path`: 0 if it has a path, or will have none."""

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
    # Whether it changes arguments in place: gradients are those of what they were before.
    changes: bool = False
    # Whether it works on objects, whose cotangents are kept by identity.
    has_heap: bool = False
    mode: str = ""
    # The globals and attributes of classes that it shares, and those that it reads as they are;
    # whether it may change memory that objects hold.
    shared: Shared = record.made(dict)
    plain: Shared = record.made(dict)
    changes_held: bool = False
    alive: list[object] = record.made(list)
    calls_until_path: int = 0
    _checks: int = 0
    _check: Check | None = None

    def is_valid(self) -> bool:
        if registry.version() != self.version:  # a rule was added
            return False
        if self._check is not None:
            return self._check()
        self._checks += 1
        if self._checks > CALLS_UNTIL_GUARDS_ARE_COMPILED:
            return self.check()()
        return all(guard.holds() for guard in self.guards)

    def check(self) -> Check:
        """The guards as one function."""
        if self._check is None:
            # Imported when calls are repeated; many programs make none.
            from zyg.guards import compiled

            self._check = compiled(self.guards)
        return self._check


class CacheInfo(NamedTuple):
    """Counts since the start or the last `cache_clear`; a miss generates code."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class Paths:
    """The paths of one form by the `id` of the code object of a function, newest first.

    Readers take no lock: they find tuples that never change. Writers are serialised by the lock of
    the cache. A path keeps its code object alive.
    """

    def __init__(self) -> None:
        self.by_code: dict[int, tuple[Path, ...]] = {}
        self._made: dict[Entry, tuple[int, Path]] = {}

    def has(self, entry: Entry) -> bool:
        return entry in self._made

    def add(self, entry: Entry, function: types.FunctionType, path: Path) -> None:
        code = id(function.__code__)
        self._made[entry] = code, path
        self.by_code[code] = (path, *self.by_code.get(code, ()))[:MAX_PATHS]

    def drop(self, entry: Entry) -> None:
        """Forgets the path of an entry that is not used any more."""
        if entry not in self._made:
            return
        code, path = self._made.pop(entry)
        left = tuple(other for other in self.by_code.get(code, ()) if other is not path)
        if left:
            self.by_code[code] = left
        else:
            self.by_code.pop(code, None)

    def clear(self) -> None:
        self.by_code.clear()
        self._made.clear()


class Cache:
    """Entries by key, the ones made first dropped first; safe under threads.

    Readers take no lock: they find an entry, which never changes what it means, or none. All that
    writes holds the lock, compilation included.
    """

    def __init__(self, size: int) -> None:
        # Not from `threading`, the import of which takes as long as that of four modules here.
        self.lock = RLock()
        self.entries: OrderedDict[Any, Entry] = OrderedDict()
        self.paths = {form: Paths() for form in ("gradient", "withgradient")}
        self._size = size
        # How many objects the collector of garbage has seen, and has not, as far as is known here.
        self._seen = self._unseen = 0
        self._start()

    def make_old(self) -> None:
        """Has new objects become old ones, though the collector of garbage hasn't seen them.

        Most of what a compilation leaves stays. What does not is collected when there may be as
        much of it as there was of all before.
        """
        self._unseen += gc.get_count()[0]
        gc.freeze()
        gc.unfreeze()
        if self._unseen > max(MIN_UNSEEN, self._seen):
            gc.collect()
            self._unseen, self._seen = 0, len(gc.get_objects())

    def _start(self) -> None:
        self._compiler = Compiler()
        self._compiled_for = registry.version()
        self.variants = Variants()
        self._aliases: dict[Any, tuple[Any, list[object]]] = {}
        # Keys of calls that work on objects: their entries depend on what these hold, too.
        self.on_heap: set[Any] = set()
        # Keys of calls at run time of what changes its arguments in place.
        self.changing: set[Any] = set()
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
        replaced = self.entries.pop(key, None)
        self.entries[key] = entry
        if len(self.on_heap) > self._size:
            self.on_heap.clear()
        dropped = [] if replaced is None else [replaced]
        while len(self.entries) > self._size:
            dropped.append(self.entries.popitem(last=False)[1])
        for old in dropped:
            for paths in self.paths.values():
                paths.drop(old)

    def add_path(
        self, key: Any, entry: Entry, mode: str, function: types.FunctionType,
        args: tuple[Any, ...], kwargs: dict[str, Any],
    ) -> None:
        """Gives the entry that a call has the path that serves such calls."""
        # Imported when calls are repeated; many programs make none.
        from zyg.fast_path import path_of

        with self.lock:
            if self.entries.get(key) is entry and not self.paths[mode].has(entry):
                path = path_of(entry, mode, function, args, kwargs)
                self.paths[mode].add(entry, function, path)

    def info(self) -> CacheInfo:
        return CacheInfo(self.hits, self.misses, self._size, len(self.entries))

    def clear(self) -> None:
        with self.lock:
            self.entries.clear()
            for paths in self.paths.values():
                paths.clear()
            self._start()


cache = Cache(MAX_ENTRIES)


def entry_for(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    """The entry of a call: `mode` says which form of code, and of what it is differentiated."""
    if not is_at_run_time(mode):
        forget_cached()
    key = _key(mode, function, args, kwargs)
    if key in cache.changing:
        raise ChangesArguments("arguments are changed in place", None)
    whole = _heap_key(key, mode, function, args, kwargs) if key in cache.on_heap else key
    try:
        return _found(whole, mode, function, args, kwargs)
    except ChangesArguments:
        if len(cache.changing) > MAX_ENTRIES:
            cache.changing.clear()
        if is_running():
            cache.changing.add(key)
        raise


def changes_no_more(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Notes that a call changes nothing any more: a name that it looks up means another one."""
    cache.changing.discard(_key(mode, function, args, kwargs))


def entry_on_heap(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    """The same in a program that works on objects, for a function that does so as well.

    Even if it only reads what they hold: these reads have to be known by the object's identity.
    """
    key = _key(mode, function, args, kwargs)
    return _found(_heap_key(key, mode, function, args, kwargs), mode, function, args, kwargs)


def entry_sharing(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shared: Shared
) -> Entry:
    """The same for a program that shares at least these globals and attributes of classes."""
    key = _heap_key(_key(mode, function, args, kwargs), mode, function, args, kwargs)
    key = (*key, frozenset(shared))
    return _found(key, mode, function, args, kwargs, shared)


def _key(mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    key: Any
    if type(function) is types.FunctionType:
        key = mode, function_key(function), tuple_key(args)
    else:
        callee = callee_of(function)
        inner = callee.function
        own = function_key(inner) if type(inner) is types.FunctionType else Known(inner)
        held = tuple_key((*callee.leading, *callee.keywords.values()))
        key = mode, own, tuple_key(args), tuple(callee.keywords), held
    if kwargs:
        key = *key, tuple(kwargs), tuple_key(tuple(kwargs.values()))
    return key


def _found(
    key: Any, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
    shared: Shared = NONE_SHARED,
) -> Entry:
    entry = cache.entries.get(key)
    if entry is not None and entry.is_valid():
        cache.hits += 1
        if entry.calls_until_path > 0:
            entry.calls_until_path -= 1
            if entry.calls_until_path == 0:
                cache.add_path(key, entry, mode, function, args, kwargs)
        return entry
    with cache.lock:
        return _found_or_made(key, mode, function, args, kwargs, shared)


def _heap_key(
    key: Any, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The key of a call that works on objects, with the types of what these hold."""
    if is_at_run_time(mode):
        return "heap", key, None
    from zyg.contents_key import state_of  # few programs work on objects

    state = state_of(function, args, kwargs)
    return "heap", key, state


class _FasterOnHeap(Exception):
    """Objects are read, and nothing is stored: there the types of what they hold are known."""


def is_plain_function(function: Any) -> bool:
    """Whether this is a Python function that is known by its code: only these have paths."""
    return type(function) is types.FunctionType and id(function) not in by_identity


def _found_or_made(
    key: Any, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
    shared: Shared,
) -> Entry:
    """The entry of a call whose key has none that is valid; the cache is locked."""
    entry = cache.valid(key) or cache.aliased(key)
    if entry is not None:
        cache.hits += 1
        return entry
    registry.register_imported()
    version = registry.version()
    compiler = cache.compiler_for(version)
    with compiler.assigned.sharing(shared):
        return _made_for(key, mode, function, args, kwargs, version, compiler)


def _made_for(
    key: Any, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
    version: int, compiler: Compiler,
) -> Entry:
    """The entry that is made of a call, and kept under its key."""
    callee = callee_of(function)
    try:
        plan = plan_of(callee, args, kwargs)
        if mode.startswith(("attempt", f"{TANGENT} attempt")):
            from ir.catching import catching  # few calls need it

            plan = Plan(catching(plan.source), plan.inputs)
        values = tuple([value_of(source, callee, args, kwargs) for source in plan.inputs])
        for arg in args:
            refuse_unusual(arg)
        exact = tuple(map(parameter_type, abstract_all(values)))
        types_ = cache.variants.widened(plan.source, exact)
        if types_ != exact and key[0] != "heap":
            alive = identified((callee.function, values))
            key = cache.add_alias(
                key, (mode, plan.source, len(args), tuple(kwargs), types_), alive
            )
            entry = cache.valid(key)
            if entry is not None:
                cache.hits += 1
                return entry
        if key[0] == "heap":
            plan = with_heap_passed(plan)
            if mode in ("held", "attempted held"):
                plan = Plan(with_held_inputs(plan.source), plan.inputs)
            values = tuple([value_of(source, callee, args, kwargs) for source in plan.inputs])
            types_ = tuple(map(parameter_type, abstract_all(values)))
            fields = None
            if not is_at_run_time(mode):
                from zyg.compiler.fields import entered  # few programs work on objects

                fields = entered(function, args, kwargs)
            entry = _made_on_heap(compiler, mode, plan, types_, len(args), fields)
        else:
            try:
                entry = _made(compiler, mode, plan, types_, len(args))
            except (Unsupported, _FasterOnHeap) as reason:
                if type(reason) not in (NeedsHeap, _FasterOnHeap):
                    from zyg.compiler.fields import holds_objects

                    if is_at_run_time(mode) or not holds_objects(function, args, kwargs):
                        raise
                compiler.abandon()
                compiler.needs_heap.clear()
                cache.on_heap.add(key)
                heap_key = _heap_key(key, mode, function, args, kwargs)
                try:
                    return _found_or_made(
                        heap_key, mode, function, args, kwargs, compiler.assigned.shared
                    )
                except (NotDifferentiable, UnsupportedSyntax):
                    if isinstance(reason, NeedsHeap):
                        raise
                    if isinstance(reason, Unsupported):
                        cache.on_heap.discard(key)
                        raise reason from None
                compiler.abandon()
                compiler.needs_heap.clear()
                cache.on_heap.discard(key)
                entry = _made(compiler, mode, plan, types_, len(args), on_values=True)
    except SourceNotFound as error:
        raise NotDifferentiable(str(error)) from None
    except Unsupported as error:
        if isinstance(error, UnsupportedSyntax | ChangesArguments):
            raise
        raise UnsupportedSyntax(error.what, error.location, error.why, error.advice) from None
    entry.version = version
    if mode in cache.paths and is_plain_function(function) and not (
        entry.changes or entry.has_heap
    ):
        entry.calls_until_path = CALLS_UNTIL_PATH
    entry.alive += identified((callee.function, values))
    cache.put(key, entry)
    return entry


def _made_on_heap(
    compiler: Compiler, mode: str, plan: Plan, types_: tuple[Type, ...], count: int,
    fields: Fields | None,
) -> Entry:
    """The entry of code that works on objects.

    That a function does so may show when its adjoint is made: then all is made again.
    """
    try:
        for _ in range(MAX_ROUNDS):
            known = len(compiler.needs_heap)
            try:
                with compiler.apart():
                    return _made(compiler, mode, plan, types_, count, fields)
            except NeedsHeap as error:
                compiler.abandon()
                found = error
                if len(compiler.needs_heap) == known:
                    break
        raise found
    finally:
        compiler.needs_heap.clear()


def _made(
    compiler: Compiler, mode: str, plan: Plan, types_: tuple[Type, ...], count: int,
    fields: Fields | None = None, on_values: bool = False,
) -> Entry:
    """The entry of a signature, made without pauses for the collection of garbage.

    A compilation makes tens of thousands of small objects and little garbage. Python would look
    through them twenty times, which takes a twentieth of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        while True:
            try:
                with compiler.sharing():
                    return _generated(compiler, mode, plan, types_, count, fields, on_values)
            except Outdated:
                compiler.forget()
            except NeedsHeap:
                raise
            except Unsupported:
                compiler.abandon()
                if not compiler.assigned.share_changed():
                    raise
    finally:
        if collecting:
            if not gc.get_freeze_count():
                cache.make_old()
            gc.enable()


def _generated(
    compiler: Compiler, mode: str, plan: Plan, types_: tuple[Type, ...], count: int,
    fields: Fields | None, on_values: bool,
) -> Entry:
    heap = next((i for i, s in enumerate(plan.inputs) if s.kind == "heap"), None)
    if heap is None and compiler.assigned.shared:
        raise NeedsHeap("globals or classes hold what is differentiated", plan.source.loc)
    if fields is None:
        made = compiler.specialiser.specialise(plan.source, types_)
    else:
        made = compiler.with_fields(plan.source, types_, fields)
    inputs = [value.name for value in (*plan.source.captured, *plan.source.params)]
    differentiated = [
        i for i, source in enumerate(plan.inputs) if is_active(mode, source, inputs[i])
    ]
    active = made.flow & frozenset(differentiated)
    if heap is None and made.lost & frozenset(differentiated):
        note_lost(compiler.assigned, made)
        raise Unsupported(
            f"a derivative would get lost in a global that `{plan.source.name}`, or what it calls, "
            "assigns", plan.source.loc,
            advice="pass the value on by arguments, or drop its derivative with zyg.dropgrad",
        )
    if mode == "inner" and may_store_unseen(compiler.specialiser, made, set()):
        raise Unsupported(
            f"`{plan.source.name}` may store into objects, and is called by a gradient inside of "
            "differentiated code", plan.source.loc, advice="let it return what it computes",
        )
    if mode != "inner" and made.stored & frozenset(differentiated):
        raise NeedsHeap("a call may store into objects", plan.source.loc)
    if heap is None and not on_values and not is_at_run_time(mode) and (
        any(callee.reads_objects for callee in made.with_callees())
    ):
        raise _FasterOnHeap
    code: Any
    if mode.startswith(TANGENT):
        # Imported when it is first asked for: most programs need reverse mode only.
        from zyg.compiler.tangent_code import tangents_of

        is_update = "update" in mode.partition(":")[0]
        if is_at_run_time(mode) and any(i != heap for i in made.updates) and not is_update:
            raise _changes(plan)
        code = tangents_of(compiler).tangent(made, active, of_value=not is_update)
        tangents_of(compiler).finish()
    elif mode in ("pullback", "_pullback", *AT_RUN_TIME):
        is_whole = is_at_run_time(mode) and "update" not in mode
        if is_whole and any(i != heap for i in made.updates):
            raise _changes(plan)
        with compiler.for_gradient(mode == "inner"):
            code = compiler.pair(made, active, of_value="update" not in mode)
    else:
        code = compiler.joint(made, active, wants_value=mode != "gradient")
    compiler.finish()
    names = made.all_names()
    _refuse_changed(compiler, plan, read_in(made, heap is not None or is_at_run_time(mode)))
    _refuse_changed(compiler, plan, {
        key: name for key, name in made.all_changed_names().items()
        if (key in names or heap is not None) and key not in compiler.assigned.shared
    })
    passed = [plan.inputs[i] for i in code.passed]
    return Entry(
        plan, made, code, made.all_guards(), 0, tuple(t for t in types_ if t != HEAP),
        assignment_of(plan.inputs, code.active, inputs, count),
        passed,
        passed == [Source("arg", i) for i in range(count)],
        code.function if isinstance(code, Joint) else code.forward.cell.cell_contents,
        any(i != heap for i in made.updates),
        heap is not None,
        mode,
        compiler.assigned.shared,
        names,
        heap is not None and (fields is None or fields.may_be_held()),
    )


def _refuse_changed(compiler: Compiler, plan: Plan, names: Shared) -> None:
    """Raises where a call that runs as it is changes what the program reads, and an adjoint may
    keep a reference to, or where it would be a part of a program on objects but for that."""
    for owner, name in names.values():
        compiler.assigned.change(owner, name)
    for _, name in names.values():
        raise Unsupported(
            f"`{name}`, a global or an attribute of a class, is changed in place by a function "
            "that is called", plan.source.loc, advice="pass it as an argument",
        )


def _changes(plan: Plan) -> ChangesArguments:
    return ChangesArguments(
        f"`{plan.source.name}` changes an argument in place, and is called where zyg "
        "can't tell which function is called", plan.source.loc,
        advice="call it by its name",
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
        args[source.key] if source.kind == "arg" else value_of(source, callee, args, kwargs)
        for source in entry.passed
    ]


def changed_inputs(
    entry: Entry, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    """The inputs that a call changes in place, other than objects by their attributes."""
    callee = callee_of(function)
    sources = [entry.plan.inputs[i] for i in entry.made.handed_out]
    return [value_of(source, callee, args, kwargs) for source in sources]
