"""Entries, the code of one signature each, and the cache that holds them.

    cache.valid(key)  ->  Entry: valid while no rule is added and its guards hold; or None

An entry that is asked for again and again gets a path (`zyg.calls.path_writer`), which needs no
key.
"""

from __future__ import annotations

import gc
import types
from _thread import RLock
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import forgettable, record
from ir.late import late
from ir.types import Type
from zyg.calls.binding import Plan, Source
from zyg.calls.gradients import Assignment
from zyg.calls.variants import Variants
from zyg.compiler.assemble import Compiler
from zyg.compiler.assigned import Shared
from zyg.compiler.generated import Joint, Pair
from zyg.compiler.guards import AnyGuard
from zyg.compiler.specialisation import Specialisation
from zyg.rules import registry

if TYPE_CHECKING:
    from zyg.calls import counts
    from zyg.calls.guards import Check
else:  # for those who look at the cache
    counts = late("zyg.calls.counts")

MAX_ENTRIES = 1024
CALLS_UNTIL_GUARDS_ARE_COMPILED = 2
CALLS_UNTIL_PATH = 3
MAX_PATHS = 4  # of one code object
MIN_UNSEEN = 500_000  # objects

# From a function, its arguments, and keyword arguments or tangents, to what the API returns for a
# call, or to None if the path doesn't serve such a call.
Path: TypeAlias = Callable[[types.FunctionType, tuple[Any, ...], Any], Any]


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
    # whether it may change memory that objects hold, and that but for arrays.
    shared: Shared = record.made(dict)
    plain: Shared = record.made(dict)
    changes_held: bool = False
    leaves_arrays: bool = False
    # Whether it may find that names mean the same memory, and then can't begin again.
    looks_first: bool = False
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
            from zyg.calls.guards import compiled

            self._check = compiled(self.guards)
        return self._check


def form_of(mode: str) -> str:
    """The form of a call, without what is differentiated: "tangent" of "tangent:0,1"."""
    return mode.partition(":")[0]


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
        self.paths = {form: Paths() for form in ("gradient", "withgradient", "tangent")}
        self._size = size
        # How many objects the collector of garbage has seen, and has not, as far as is known here.
        self._seen = self._unseen = 0
        self._is_frozen = False
        self._start()

    @contextmanager
    def without_pauses(self) -> Iterator[None]:
        """Puts off the collection of garbage.

        A compilation makes tens of thousands of small objects and little garbage. Python would
        look through them twenty times, which takes a twentieth of the time.
        """
        collecting = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collecting:
                self.make_old()
                gc.enable()

    def make_old(self) -> None:
        """Has new objects become old ones, though the collector of garbage hasn't seen them.

        Most of what a compilation leaves stays. What does not is collected when there may be as
        much of it as there was of all before. Nothing is done in a program that has frozen objects
        itself: they would thaw. That is found out once, since Python counts them one by one.
        """
        self._is_frozen = self._is_frozen or gc.get_freeze_count() > 0
        if self._is_frozen:
            return
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
        # Those of calls whose memory that is changed lives in cells.
        self.in_cells: set[Any] = set()
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
        self, key: Any, entry: Entry, function: types.FunctionType, args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """Gives the entry that a call has the path that serves such calls, if there can be one."""
        paths = self.paths[form_of(entry.mode)]
        with self.lock:
            if self.entries.get(key) is not entry or paths.has(entry):
                return
            # Imported when calls are repeated; many programs make none.
            if paths is self.paths["tangent"]:
                from zyg.calls import tangent_path

                path = tangent_path.path_of(entry, function, args)
            else:
                from zyg.calls import fast_path

                path = fast_path.path_of(entry, function, args, kwargs)
            if path is not None:
                paths.add(entry, function, path)

    def info(self) -> counts.CacheInfo:
        return counts.CacheInfo(self.hits, self.misses, self._size, len(self.entries))

    def clear(self) -> None:
        with self.lock:
            self.entries.clear()
            for paths in self.paths.values():
                paths.clear()
            forgettable.forget()
            self._start()


cache = Cache(MAX_ENTRIES)
