"""Forward mode: derivatives along a direction, by generated tangent functions.

    y, y_dot = jvp(f, (x,), (x_dot,))      the value, and its derivative along x_dot
    print(code_tangent(f, x))              the Python that runs

See docs/forward-mode.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numpy import ndarray

from ir.core import named
from zyg.calls.call_forms import ChangesArguments
from zyg.calls.entry import begins_again, entry_for, entry_on_heap, inputs_of
from zyg.calls.entry_cache import Entry, cache
from zyg.calls.gradients import detached, value_and_tangent
from zyg.calls.object_gradients import held_by, memory_in, places_of_memory, refuse_shared
from zyg.calls.program_names import admitted, begun
from zyg.calls.running import ForwardPass
from zyg.calls.tracing import shown
from zyg.compiler.forward_mode import tangent_dispatch, tangent_nesting
from zyg.compiler.run_time import from_api
from zyg.cotangents import cotangent
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import held_memory
from zyg.held.made_errors import unless_unknown
from zyg.inspection import Code, code_text
from zyg.tangents.tangent import tangent_like, zero_tangent
from zyg.tangents.tangent_objects import (
    check_entered,
    current_tangents,
    enter,
    has_table,
    hold_entered,
    left,
    tangents_of_objects,
)

_DOUBLE = np.dtype(float)
# Read for each call; what it holds changes under the lock of the cache.
_paths = cache.paths["tangent"].by_code


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of `f(*primals)` and its derivative along `tangents`.

    Each tangent has the structure, shape and kind of its argument; None stands for zeros, and for
    what is not differentiated. The derivative has the structure of the value.

    >>> jvp(lambda x, n: x**n, (2.0, 3), (1.0, None))
    (8.0, 12.0)
    """
    if not (type(primals) is tuple and type(tangents) is tuple):
        primals, tangents = _arguments(primals), _arguments(tangents)
    try:
        return _jvp(f, primals, tangents)
    except Exception as error:
        if begins_again(error, f, primals, {}):
            return jvp(f, primals, tangents)
        shown(error)
        raise


def _arguments(given: Any) -> tuple[Any, ...]:
    if not isinstance(given, tuple | list):
        raise TypeError(
            "jvp takes primals and tangents as tuples with one entry for each argument, and was "
            f"given one of type {type(given).__name__}"
        )
    return tuple(given)


def _jvp(f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    if type(f) is FunctionType:
        for path in _paths.get(id(f.__code__), ()):
            found: tuple[Any, Any] | None = path(f, primals, tangents)
            if found is not None:
                cache.hits += 1
                return found
    if len(primals) != len(tangents):
        raise TypeError(f"jvp was given {len(primals)} arguments and {len(tangents)} tangents")
    dots = [
        dot if type(dot) is type(x) and (type(x) is float or (
            type(x) is ndarray and dot.dtype is x.dtype is _DOUBLE and dot.shape == x.shape
        )) else tangent_like(dot, x)
        for dot, x in zip(tangents, primals)  # noqa: B905  (as long as each other)
    ]
    entry = entry_for(_mode(dots), f, primals, {})
    if entry.has_heap:
        return _through_heap(entry, f, primals, dots)
    code: Any = entry.code
    if code.positions is None:
        code.positions = _positions(entry)
    if code.positions:
        given = [dots[i] for i in code.positions]
    else:
        given = _dots_of(entry, dots, {}, None, primals, {})
    inputs = primals if entry.is_direct else inputs_of(entry, f, primals, {})
    del dots
    return value_and_tangent(entry.run(*inputs, *given))


def _positions(entry: Entry) -> list[int]:
    """The arguments whose tangents a tangent function takes; none where it takes others too."""
    code: Any = entry.code
    sources = [entry.plan.inputs[i] for i in code.active]
    if any(source.kind != "arg" for source in sources):
        return []
    return [source.key for source in sources]


def _through_heap(
    entry: Entry, f: Any, primals: tuple[Any, ...], dots: Sequence[Any]
) -> tuple[Any, Any]:
    """The same for a call that works on objects."""
    held = held_by(primals)
    places, memory = places_of_memory(held), memory_in(held)
    if entry.changes:
        refuse_shared(entry, memory, f, primals, {})
    entry, memory, names = begun(entry.mode, entry, f, primals, {}, memory)
    with ForwardPass(memory, names, entry.leaves_arrays), tangents_of_objects() as tangents:
        dots = tuple(enter(tangents, x, dot) for x, dot in zip(primals, dots, strict=True))
        code: Any = entry.code
        if code.changes_held:
            hold_entered(tangents, places)
            for x, dot in zip(primals, dots, strict=True):
                check_entered(tangents, x, dot)
        given = _dots_of(entry, dots, {}, None, primals, {})
        y, y_dot = entry.run(*inputs_of(entry, f, primals, {}), *given)
    return y, detached(_shown(y, left(tangents, y, y_dot)))


def _shown(y: Any, dot: Any) -> Any:
    """A tangent as the user sees it, where the value may be an object."""
    return dot if isinstance(dot, dict) and not isinstance(y, dict) else cotangent.project(dot, y)


def _mode(dots: Sequence[Any]) -> str:
    """The form of code for tangents of which some are missing."""
    active = tuple([dot is not None for dot in dots])
    found = _modes.get(active)
    if found is None:
        found = "tangent:" + ",".join(str(i) for i, is_moved in enumerate(active) if is_moved)
        _modes[active] = found
    return found


_modes: dict[tuple[bool, ...], str] = {}


def _with_all_parts(dot: tuple[Any, ...], value: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tangent of a tuple with zeros for parts that have none, as constants among numbers."""
    return tuple([
        zero_tangent(x) if part is None else
        _with_all_parts(part, x) if type(part) is tuple and type(x) is tuple else part
        for part, x in zip(dot, value, strict=True)
    ])


def _dots_of(
    entry: Entry, dots: Sequence[Any], keyword_dots: dict[str, Any], own: Any,
    args: tuple[Any, ...], kwargs: dict[str, Any],
) -> list[Any]:
    """The tangents that a tangent function takes, for its active inputs."""
    source = entry.plan.source
    names = [value.name for value in (*source.captured, *source.params)]

    def of(source: Any, name: str) -> Any:
        match source.kind:
            case "arg":
                dot, value = dots[source.key], args[source.key]
            case "keyword":
                dot, value = keyword_dots[source.key], kwargs[source.key]
            case "tuple":
                return tuple(of(part, "") for part in source.key)
            case "dict":
                return {key: of(part, "") for key, part in source.key.items()}
            case _:
                return own[name]
        if dot is None:
            return zero_tangent(value)
        if type(dot) is tuple and type(value) is tuple:
            return _with_all_parts(dot, value)
        is_single = type(dot) is np.ndarray and dot.ndim == 0
        # Code for numbers changes them by `*=`, which would change the array.
        return dot[()] if is_single and not isinstance(value, np.ndarray) else dot

    code: Any = entry.code
    return [of(entry.plan.inputs[i], names[i]) for i in code.active]


def _compiled_call(
    function: Any, args: tuple[Any, ...], function_dot: Any, dots: tuple[Any, ...],
    kwargs: dict[str, Any], keyword_dots: dict[str, Any], form: str = "call",
) -> Any:
    """The value and tangent of a call that was found at run time.

    With the form "attempt", of the pair of the error, or None, and the value.
    """
    own = {name: dot for name, dot in (function_dot or {}).items() if dot is not None}
    for arg in args:
        if isinstance(arg, BaseException):
            unless_unknown(arg, function)
    active = [str(i) for i, dot in enumerate(dots) if dot is not None]
    active += [name for name, dot in keyword_dots.items() if dot is not None]
    active += [f".{name}" for name in own]
    if not active and not has_table() and form == "call":
        y = function(*args, **kwargs)
        return y, zero_tangent(y)
    mode = f"tangent {form}:" + ",".join(active)
    try:
        entry = entry_for(mode, function, args, kwargs)
        if has_table() and entry.made.works_on_objects and not entry.has_heap:
            entry = entry_on_heap(mode, function, args, kwargs)
    except ChangesArguments:
        if not has_table():
            raise
        form = "update" if form == "call" else "attempted update"
        return _updated(form, active, function, args, own, dots, kwargs, keyword_dots)
    entry = admitted(mode, entry, function, args, kwargs)
    if entry.has_heap and not has_table():
        raise NotDifferentiable(
            f"{named(function)} works on objects, and is called where zyg could not tell which "
            "function is called; call it by its name"
        )
    given = _dots_of(entry, dots, keyword_dots, own, args, kwargs)
    return entry.run(*inputs_of(entry, function, args, kwargs), *given)


def _updated(
    form: str, active: list[str], function: Any, args: tuple[Any, ...], own: dict[str, Any],
    dots: tuple[Any, ...], kwargs: dict[str, Any], keyword_dots: dict[str, Any],
) -> tuple[Any, Any]:
    """The same for a call that changes memory which objects hold."""
    held = current_tangents().held
    mode = f"tangent {form}:" + ",".join(active)
    entry = admitted(mode, entry_for(mode, function, args, kwargs), function, args, kwargs)
    changed = []
    for i in entry.made.handed_out:
        source = entry.plan.inputs[i]
        if source.kind != "arg":
            raise NotDifferentiable(
                f"{named(function)} changes in place what it isn't given as an argument of its own"
            )
        memory = args[source.key]
        held_memory(memory)
        if not held.knows(memory):  # it was there when the call began, and was only read since
            held.hold(memory, dots[source.key])
        changed.append(source.key)
    dots = tuple(held.now(x, dot) for x, dot in zip(args, dots, strict=True))
    missing = [i for i in changed if str(i) not in active]
    if missing:
        more = tuple(held.now(x, dot) for x, dot in zip(args, dots, strict=True))
        active = [*map(str, missing), *active]
        return _updated(form, active, function, args, own, more, kwargs, keyword_dots)
    given = _dots_of(entry, dots, keyword_dots, own, args, kwargs)
    (y, *_), (y_dot, *changed_dots) = entry.run(*inputs_of(entry, function, args, kwargs), *given)
    for i, dot in zip(changed, changed_dots, strict=True):
        held.replace(args[i], dot)
    return y, y_dot


tangent_dispatch.compiled_call = _compiled_call
tangent_nesting.install(jvp)


def _works_on_objects(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the code for a call works on objects, which it may change."""
    try:
        return bool(entry_for("tangent call:", function, args, kwargs).made.works_on_objects)
    except NotDifferentiable:
        return True


from_api.works_on_objects = _works_on_objects


def code_tangent(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Code:
    """The function that `jvp` runs: `f` and its tangent, and those of the functions it calls."""
    try:
        mode = "tangent:" + ",".join(str(i) for i, x in enumerate(args) if _has_numbers(x))
        return code_text(entry_for(mode, f, args, kwargs))
    except Exception as error:
        shown(error)
        raise


def _has_numbers(x: Any) -> bool:
    """Whether an argument holds numbers to be differentiated: counts are not."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fc"
    if isinstance(x, list | tuple | deque):
        return any(map(_has_numbers, x))
    if isinstance(x, dict):
        return any(map(_has_numbers, x.values()))
    return isinstance(x, float | complex | np.inexact)
