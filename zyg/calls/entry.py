"""From a call of the API to the generated code that serves it.

    gradient(f, x, 2.0)  ->  key  ->  Entry: code for (float64[N1], float), valid while guards hold

An entry is what one signature has: the plan by which the arguments of a call become inputs of
generated code and its cotangents gradients, the code, and the guards on which it rests.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.errors import HeldByError, NamesUnknown, NeedsHeap, SourceNotFound, Unsupported
from ir.heap import with_held_inputs
from ir.inference import special_calls
from ir.late import imported, late
from ir.outer_cells import CellChanges, note_changes, note_no_changes
from ir.types import Known, Type
from zyg import unusual_arrays
from zyg.calls.binding import Callee, Plan, callee_of, plan_of, value_of, with_heap_passed
from zyg.calls.call_forms import (
    TANGENT,
    ChangesArguments,
    FasterOnHeap,
    is_at_run_time,
    made_of_signature,
    made_on_heap,
)
from zyg.calls.entry_cache import CALLS_UNTIL_PATH, MAX_ENTRIES, Entry, cache, form_of
from zyg.calls.keys import function_key, identified, tuple_key
from zyg.compiler.assemble import Compiler
from zyg.compiler.assigned import NONE_SHARED, Shared
from zyg.compiler.nested.inner_gradients import MayBeLocal
from zyg.compiler.specialisation import parameter_type
from zyg.errors import NotDifferentiable, SharedMemory, UnsupportedSyntax
from zyg.held.shadow_calls import is_running
from zyg.rules import registry
from zyg.signature import abstract_all, is_known_by_identity

if TYPE_CHECKING:
    from zyg.calls import beginning_again
else:  # few programs have names of which nobody knows whether they meet
    beginning_again = late("zyg.calls.beginning_again")

special_calls.LATE["copy"] = "zyg.compiler.run_time.copies"


# The types of arguments that objects hold no parts of.
NUMBERS = frozenset([float, int, bool, str, complex, type(None), np.float64])


class WiderKey(tuple[Any, ...]):
    """The key of code that was made for wider types than those of the call: the mode, the source,
    the number of arguments, the names of keyword arguments, and the types."""

    __slots__ = ()

    @property
    def types(self) -> tuple[Type, ...]:
        types_: tuple[Type, ...] = self[-1]
        return types_


def entry_for(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    """The entry of a call: `mode` says which form of code, and of what it is differentiated."""
    try:
        return _entry_for(mode, function, args, kwargs)
    except CellChanges as change:
        _accept(change, mode)
    except (UnsupportedSyntax, NotDifferentiable) as error:
        entry = None
        if not is_at_run_time(mode) and not is_running():
            entry = _entry_following(mode, function, args, kwargs)
        if entry is None and isinstance(error, SharedMemory):
            entry = entry_in_cells(mode, function, args, kwargs)
        if entry is None:
            raise
        return entry
    return entry_for(mode, function, args, kwargs)


def _accept(change: CellChanges, mode: str) -> None:
    """Lets a captured variable be one that programs change; refused while a program runs, whose
    code may have read it as one that doesn't."""
    if is_at_run_time(mode) or is_running():
        raise NotDifferentiable(
            f"`{change.variable}`, which a function has captured that was made before, is changed "
            "by a call that is found at run time; call the function by its name"
        ) from None
    with cache.lock:
        note_changes([(change.cell, change.variable)])
        _forget_specialisations()


def _entry_following(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry | None:
    """The entry of a call that was refused, where its functions change captured memory: by their
    variables. None where there are no such, or it is refused all the same."""
    from zyg.calls.captured_changes import changed_variables  # few programs are refused

    variables = changed_variables([function, *args, *kwargs.values()])
    if not variables:
        return None
    with cache.lock:
        note_changes(variables)
        _forget_specialisations()
        try:
            return entry_for(mode, function, args, kwargs)
        except (UnsupportedSyntax, NotDifferentiable):
            note_no_changes(variables)
            _forget_specialisations()
            return None


def entry_in_cells(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry | None:
    """The entry of a call that changes memory whose names aren't all known: the variables under
    which it does so live in cells (`ir.syntax.changed_names`). None where that is refused all the
    same, or a program runs that knows no objects."""
    if is_at_run_time(mode) and not is_running():
        return None
    with cache.lock:
        key = _key(mode, function, args, kwargs)
        if key in cache.in_cells:
            return None  # it was such an entry that refused
        if len(cache.in_cells) > MAX_ENTRIES:
            cache.in_cells.clear()
        cache.in_cells.add(key)
        try:
            whole = _heap_key(key, mode, function, args, kwargs)
            return _found(whole, mode, function, args, kwargs)
        except (UnsupportedSyntax, NotDifferentiable, CellChanges):
            cache.in_cells.discard(key)
            return None


def begins_again(
    error: Exception, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """Whether a call that has raised an error can be made again, by other code: it has found that
    names mean the same memory, and has left no trace (`zyg.calls.beginning_again`)."""
    if not isinstance(error, SharedMemory) or not error.form:
        return False
    form, error.form = error.form, ""
    return entry_in_cells(form, function, args, kwargs) is not None


def _forget_specialisations() -> None:
    compiler = cache.compiler_for(registry.version())
    compiler.forget()
    compiler.needs_heap.clear()


def _entry_for(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Entry:
    if not is_at_run_time(mode):
        wrappers = imported("zyg.compiler.run_time.wrappers")
        if wrappers is not None:
            wrappers.forget_cached()
    key = _key(mode, function, args, kwargs)
    if key in cache.changing:
        raise ChangesArguments("arguments are changed in place", None)
    in_cells = key in cache.in_cells
    is_on_heap = in_cells or key in cache.on_heap
    whole = _heap_key(key, mode, function, args, kwargs) if is_on_heap else key
    try:
        entry = _found(whole, mode, function, args, kwargs)
        if entry.looks_first and beginning_again.given_shared(
            entry, inputs_of(entry, function, args, kwargs)
        ):
            return entry_in_cells(mode, function, args, kwargs) or entry
        return entry
    except ChangesArguments:
        if len(cache.changing) > MAX_ENTRIES:
            cache.changing.clear()
        if is_running():
            cache.changing.add(key)
        raise
    except (UnsupportedSyntax, NotDifferentiable):
        if not in_cells:
            raise
        cache.in_cells.discard(key)  # a name means another function since it was made
    return _entry_for(mode, function, args, kwargs)


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
    try:
        key = _key(mode, function, args, kwargs)
        return _found(_heap_key(key, mode, function, args, kwargs), mode, function, args, kwargs)
    except CellChanges as change:
        _accept(change, mode)
    except SharedMemory:
        entry = entry_in_cells(mode, function, args, kwargs)
        if entry is None:
            raise
        return entry
    return entry_on_heap(mode, function, args, kwargs)


def entry_sharing(
    mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shared: Shared
) -> Entry:
    """The same for a program that shares at least these globals and attributes of classes."""
    try:
        key = _heap_key(_key(mode, function, args, kwargs), mode, function, args, kwargs)
        key = (*key, frozenset(shared))
        return _found(key, mode, function, args, kwargs, shared)
    except CellChanges as change:
        _accept(change, mode)
    return entry_sharing(mode, function, args, kwargs, shared)


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
                cache.add_path(key, entry, function, args, kwargs)
        return entry
    with cache.lock:
        return _found_or_made(key, mode, function, args, kwargs, shared)


def _heap_key(
    key: Any, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The key of a call that works on objects, with the types of what these hold."""
    kind = "cells" if key in cache.in_cells else "heap"
    if is_at_run_time(mode):
        return kind, key, None
    from zyg.calls.contents_key import state_of  # few programs work on objects

    state = state_of(function, args, kwargs)
    return kind, key, state


def is_plain_function(function: Any) -> bool:
    """Whether this is a Python function that is known by its code: only these have paths."""
    return type(function) is types.FunctionType and not is_known_by_identity(function)


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
    with compiler.assigned.sharing(shared), cache.without_pauses():
        return _made_for(key, mode, function, args, kwargs, version, compiler)


def _made_for(
    key: Any, mode: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
    version: int, compiler: Compiler,
) -> Entry:
    """The entry that is made of a call, and kept under its key."""
    callee = callee_of(function)
    in_cells = key[0] == "cells"
    is_on_heap = in_cells or key[0] == "heap"
    try:
        plan = plan_of(callee, args, kwargs, in_cells)
        if mode.startswith(("attempt", f"{TANGENT} attempt")):
            from ir.catching import catching  # few calls need it

            plan = Plan(catching(plan.source), plan.inputs)
        values = tuple([value_of(source, callee, args, kwargs) for source in plan.inputs])
        for arg in args:
            refuse_unusual(arg)
        exact = tuple(map(parameter_type, abstract_all(values)))
        types_ = cache.variants.widened(plan.source, exact)
        if types_ != exact and not is_on_heap:
            alive = identified((callee.function, values))
            wider = WiderKey((mode, plan.source, len(args), tuple(kwargs), types_))
            key = cache.add_alias(key, wider, alive)
            entry = cache.valid(key)
            if entry is not None:
                cache.hits += 1
                return entry
        if is_on_heap:
            plan = with_heap_passed(plan)
            if mode in ("held", "attempted held"):
                plan = Plan(with_held_inputs(plan.source), plan.inputs)
            values = tuple([value_of(source, callee, args, kwargs) for source in plan.inputs])
            types_ = tuple(map(parameter_type, abstract_all(values)))
            if isinstance(key[1], WiderKey):  # it serves other known values, too
                position = next(i for i, s in enumerate(plan.inputs) if s.kind == "heap")
                types_ = (*key[1].types[:position], types_[position], *key[1].types[position:])
            fields = None
            if not is_at_run_time(mode):
                from zyg.compiler.inference.fields import entered  # few programs work on objects

                fields = entered(function, args, kwargs)
            try:
                with compiler.with_cells(True) if in_cells else nullcontext():
                    entry = made_on_heap(compiler, mode, plan, types_, len(args), fields)
            except MayBeLocal:
                compiler.abandon()
                found = entry_in_cells(mode, function, args, kwargs)
                if found is not None:
                    return found
                compiler.abandon()
                with compiler.with_cells(False):
                    entry = made_on_heap(compiler, mode, plan, types_, len(args), fields)
        else:
            try:
                entry = made_of_signature(compiler, mode, plan, types_, len(args))
            except (Unsupported, FasterOnHeap) as reason:
                if not isinstance(reason, NeedsHeap | FasterOnHeap):
                    from zyg.compiler.inference.fields import holds_objects

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
                    if isinstance(reason, NeedsHeap) and not isinstance(reason, HeldByError):
                        raise
                    if isinstance(reason, Unsupported) and not isinstance(reason, HeldByError):
                        cache.on_heap.discard(key)
                        raise reason from None
                compiler.abandon()
                compiler.needs_heap.clear()
                cache.on_heap.discard(key)
                entry = made_of_signature(compiler, mode, plan, types_, len(args), on_values=True)
    except SourceNotFound as error:
        raise NotDifferentiable(str(error)) from None
    except Unsupported as error:
        if isinstance(error, UnsupportedSyntax | ChangesArguments):
            raise
        refusal = SharedMemory if isinstance(error, NamesUnknown) else UnsupportedSyntax
        raise refusal(error.what, error.location, error.why, error.advice) from None
    entry.version = version
    if form_of(mode) in cache.paths and is_plain_function(function) and not entry.changes and (
        not entry.has_heap or (
            form_of(mode) != TANGENT and _is_given_no_objects(entry, function, args, kwargs)
        )
    ):
        entry.calls_until_path = CALLS_UNTIL_PATH
    if not in_cells and not is_at_run_time(mode) and may_find_shared(entry):
        entry.calls_until_path = 0
    entry.alive += identified((callee.function, values))
    cache.put(key, entry)
    return entry


def may_find_shared(entry: Entry) -> bool:
    """Whether code may find when it runs that names mean the same memory: then it begins again, or
    looks first at what it is given."""
    if imported("zyg.compiler.run_time.memory") is None:
        return False  # which it would ask
    from zyg.compiler.checkpoints.starting_again import asks_at_run_time, may_begin_again

    if not asks_at_run_time(entry.made):
        return False
    if not entry.shared and may_begin_again(entry.made):
        beginning_again.watched(entry)
        return True
    entry.looks_first = not entry.has_heap and bool(beginning_again.changed_inputs(entry))
    return entry.looks_first


def _is_given_no_objects(
    entry: Entry, function: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """Whether a program works on objects of its own alone, and is given nothing but numbers."""
    may_meet_names = entry.changes_held and (bool(entry.plain) or not entry.leaves_arrays)
    return not (
        entry.shared or may_meet_names
        or function.__closure__ or function.__defaults__ or function.__kwdefaults__
    ) and all(type(value) in NUMBERS for value in (*args, *kwargs.values()))


def refuse_unusual(arg: Any) -> None:
    """Raises NotDifferentiable for arguments that hold arrays which have no gradients."""
    if isinstance(arg, np.ndarray):
        unusual_arrays.refuse_unusual(arg)
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
