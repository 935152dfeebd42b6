"""Calls that a user's class, a partial function or a decorator answers, in forward mode.

Reverse mode says what such a call means by the back function that it gives. What that would do with
cotangents tells where tangents come from, and where they are kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from zyg.compiler.forward_mode.tangent_copies import tangent_of_copy
from zyg.compiler.forward_mode.tangent_recorder import Recorder
from zyg.compiler.run_time import decorated, object_calls
from zyg.compiler.run_time.object_attributes import CachedBack, Read, Stored
from zyg.compiler.run_time.object_backs import Refusing, Through
from zyg.compiler.run_time.object_calls import StartedBack, TakenBack
from zyg.tangents.tangent import holds_numbers, tangent_items, tangent_or_zero
from zyg.tangents.tangent_objects import current_tangents, delete_dot, read_dot, store_held

Values = tuple[Any, ...]
Keywords = dict[str, Any]
TangentCall = Callable[..., tuple[Any, Any]]


def by_protocols(
    call: TangentCall, function: Any, args: Values, function_dot: Any, dots: Values,
    kwargs: Keywords, kwarg_dots: Keywords,
) -> Any:
    """A call that a user's class, a partial function or a decorator answers; None for others."""
    if type(function) is functools.partial:
        return call_of_partial(call, function, args, function_dot, dots, kwargs, kwarg_dots)
    recorder = Recorder(call)
    recorder.note(function, function_dot)
    args = tuple(map(recorder.told_apart, args, dots))
    kwargs = {name: recorder.told_apart(x, kwarg_dots.get(name)) for name, x in kwargs.items()}
    found: Any = object_calls.call_of_object(recorder, function, args, kwargs)
    if found is None:
        found = decorated.call_of_decorated(recorder, function, args, kwargs)
    if found is None:
        return None
    y, back = found
    match back.back if isinstance(back, Through) else back:
        case Read() as read:
            return y, read_dot(read.obj, read.name, y)
        case Stored(count=3) as deleted:
            delete_dot(deleted.obj, deleted.name)
        case Stored() as stored:
            store_held(stored.obj, stored.name, stored.value, recorder.dot_of(stored.value))
        case CachedBack() as cached:
            store_held(cached.obj, cached.name, y, recorder.dot_of(y))
        case StartedBack() as started:
            _start(recorder, started.items)
            return y, None
        case TakenBack() as taken:
            return y, _step(taken.items, y)
        case Refusing() as refusing if holds_numbers(y):
            refusing(y)
        case other if args:
            copied = tangent_of_copy(y, other, recorder.dot_of(args[0]))
            if copied is not None:
                return y, copied[0]
    return y, recorder.dot_of(y)


_TANGENTS = "tangents"  # of the items that an iterator gives, which are taken one by one


def _start(recorder: Recorder, items: Any) -> None:
    """Begins to take items out of a plain iterator, with their tangents."""
    dot = recorder.known_dot(items.source)
    current_tangents().of(items)[_TANGENTS] = iter(tangent_items(dot, items.source))


def _step(items: Any, y: Any) -> Any:
    """The tangent of a step: whether there is an item, the item, and what is returned at the end.
    """
    is_alive, item, _ = y
    if not is_alive:
        return None, None, None
    return None, tangent_or_zero(next(current_tangents().of(items)[_TANGENTS]), item), None


def call_of_partial(
    call: TangentCall, function: functools.partial[Any], args: Values, function_dot: Any,
    dots: Values, kwargs: Keywords, kwarg_dots: Keywords,
) -> tuple[Any, Any]:
    """A call of a partial function: the tangent of that has those of what it holds."""
    held = function_dot or {}
    held_args = held.get("args") or (None,) * len(function.args)
    held_keywords = held.get("keywords") or {}
    return call(
        (function.func, *function.args, *args), (held.get("func"), *held_args, *dots),
        {**function.keywords, **kwargs}, {**held_keywords, **kwarg_dots},
    )
