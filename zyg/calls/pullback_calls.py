"""Calls that hand out a back function: those of `zyg.pullback`, and those found at run time.

    y, back = zyg.pullback(f, x)              a `Pullback`, for the user
    y, back = pullback_call(function, x)      a back function for generated code

A program that asks for gradients of functions that are known needs none of this.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ir.core import Call, Const, Op, named, type_of
from ir.heap import STORES
from ir.rewrite import walk
from zyg.calls.back_functions import (
    Adjoint,
    DispatchedBack,
    Gradients,
    ObjectsBack,
    Pullback,
    StructuralGradients,
    UpdateBack,
)
from zyg.calls.call_forms import ChangesArguments
from zyg.calls.entry import changes_no_more, entry_for, entry_on_heap, inputs_of
from zyg.calls.entry_cache import Entry
from zyg.calls.object_gradients import pullback_through_heap
from zyg.calls.program_names import admitted, unless_shared
from zyg.calls.saved_values import protected
from zyg.calls.seeds import Like, filled
from zyg.compiler.activity import may_vary
from zyg.compiler.generated import Pair
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.held.held_memory import is_held
from zyg.held.keeping import prototype
from zyg.held.shadow_calls import is_running


def run_pullback(
    mode: str, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Pullback]:
    entry = entry_for(mode, f, args, kwargs)
    if entry.has_heap:
        return pullback_through_heap(mode, entry, f, args, kwargs)
    code = _pair_of(entry)
    likes = tuple(map(prototype, args)) if entry.changes else args
    y, saved = entry.run(*inputs_of(entry, f, args, kwargs))
    saved = protected(saved, code.copied, len(code.saved_names))
    finish: Any
    if mode == "_pullback":
        finish = StructuralGradients(entry.assignment, len(args))
    else:
        finish = Gradients(entry.assignment, likes)
    description = f"{named(f)}({', '.join(map(repr, entry.types))})"
    return y, Pullback(Adjoint(code.back), saved, Like(y), finish, description)


def _pair_of(entry: Entry) -> Pair:
    assert isinstance(entry.code, Pair)
    return entry.code


def compile_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, DispatchedBack]:
    """Run-time dispatch: the value of a call and its raw back function."""
    return _compiled("dispatch", "update", function, args, kwargs)


def may_store(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of a Python function puts what varies with its arguments into objects, or into
    variables of other functions, as far as is known."""
    try:
        entry = entry_for("dispatch", function, args, kwargs)
        if entry.made.works_on_objects and not entry.has_heap:
            entry = entry_on_heap("dispatch", function, args, kwargs)
    except (NotDifferentiable, UnsupportedSyntax):
        return True
    return any(
        _stores_what_varies(op)
        for made in entry.made.with_callees() for op in walk(made.function.body)
    )


def _stores_what_varies(op: Op) -> bool:
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    return op.callee.value in STORES and any(may_vary(type_of(arg)) for arg in op.args[3:])


def compile_attempt(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, DispatchedBack]:
    """The same for the catching variant of a function."""
    return _compiled("attempt", "attempted update", function, args, kwargs)


def _compiled(
    mode: str, update: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, DispatchedBack]:
    try:
        entry = entry_for(mode, function, args, kwargs)
        if is_running() and entry.made.works_on_objects and not entry.has_heap:
            entry = entry_on_heap(mode, function, args, kwargs)
        entry = admitted(mode, entry, function, args, kwargs)
    except ChangesArguments:
        if not is_running():
            raise
        found = _updated(mode, update, function, args, kwargs)
        if found is not None:
            return found
        entry = entry_on_heap(update.replace("update", "held"), function, args, kwargs)
    if entry.has_heap and not is_running():
        raise NotDifferentiable(
            f"{named(function)} works on objects, and is called where zyg could not tell which "
            "function is called; call it by its name"
        )
    y, saved = entry.run(*inputs_of(entry, function, args, kwargs))
    finish = StructuralGradients(entry.assignment, len(args), tuple(kwargs))
    made = ObjectsBack if entry.has_heap else DispatchedBack
    return y, made(Adjoint(_pair_of(entry).back), saved, finish, Like(y))


def _updated(
    mode: str, update: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, DispatchedBack] | None:
    """Run-time dispatch of a call that changes memory which objects hold, and is given all of it.

    None where each change of that memory has to be seen: the call reads objects, which may hold it,
    or changes what has left its container, or the arguments are not known by identity alone.
    """
    entry = entry_for(update, function, args, kwargs)
    entry = admitted(update, entry, function, args, kwargs)
    made = entry.made
    if not made.handed_out and not entry.has_heap:
        changes_no_more(mode, function, args, kwargs)
        return _compiled(mode, update, function, args, kwargs)
    sources = [entry.plan.inputs[i] for i in made.handed_out]
    is_on_heap = entry.has_heap or made.works_on_objects
    if is_on_heap or any(source.kind != "arg" for source in sources):
        return None
    if any(effect.deep and effect.moves for effect in made.effects):
        return None
    changed = [source.key for source in sources]
    if not all(is_held(args[position]) for position in changed):
        return None
    from zyg.held.watched_memory import watched  # few calls change what objects hold

    with watched([args[position] for position in changed]) as held:
        whole, saved = entry.run(*inputs_of(entry, function, args, kwargs))
    y, *_ = whole
    finish = StructuralGradients(entry.assignment, len(args), tuple(kwargs))
    positions = dict(zip(changed, held, strict=True))
    return y, UpdateBack(Adjoint(_pair_of(entry).back), saved, finish, Like(whole), positions)


def found_pair(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Entry, list[Any]]:
    """The entry of a call whose pair of functions is itself differentiated, and its inputs."""
    entry = entry_for("inner", function, args, kwargs)
    if entry.has_heap:
        raise NotDifferentiable(
            f"{named(function)} works on objects, and is called by a gradient that finds it at run "
            "time, and is itself differentiated; call it by its name"
        )
    unless_shared(entry, function)
    return entry, list(inputs_of(entry, function, args, kwargs))


def ends_of_pair(
    entry: Entry, y: Any, count: int, names: tuple[str, ...]
) -> tuple[StructuralGradients, Callable[[Any], Any]]:
    """How what the back function gives is arranged, and what it takes as the seed."""
    finish = StructuralGradients(entry.assignment, count, names)
    return finish, partial(filled, like=Like(y))


def why_not_compiled(function: Any, args: tuple[Any, ...]) -> Exception | None:
    """Why there is no code for a call of a Python function; None if there is."""
    try:
        entry_for("dispatch", function, args, {})
    except ChangesArguments as error:
        return None if is_running() else error  # objects may hold what it changes
    except (NotDifferentiable, UnsupportedSyntax) as error:
        return error
    return None
