"""Calls with tracked arguments: computed by the rule on plain data, and recorded.

    call(np.multiply, (W, 2.0), {})
    ->  y, back = rule_of(np.multiply)(W.data, 2.0)
        a TrackedArray of y, whose call is Call(np.multiply, (W, 2.0)) with this `back`

A callable that has a substitute runs as that Python code on the tracked values; one whose results
carry no derivative is called on plain data. All others raise.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import zyg.rules  # noqa: F401  (registers the rules)
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable
from zyg.pruning import without
from zyg.rebinding import Rebinding
from zyg.rules import registry
from zyg.tracker.graph import (
    NO_OPTIONS,
    TRACKED,
    Call,
    applied,
    component,
    component_rule,
    has_tracked,
    identity,
    identity_rule,
    plain,
    wrapped,
)


@dataclass(frozen=True)
class Known:
    """What the tracker does with the calls of one callable."""

    rule: Callable[..., Any] | None = None
    substitute: Callable[..., Any] | None = None
    is_constant: bool = False
    is_own: bool = False  # a rule of the tracker's, which runs on tracked values as it is
    is_older: bool = False  # one whose back function hands on what it computes with `propagate`


# Rules for the tracker alone: they may use `data` and the back function of the older style.
_own: dict[Any, Callable[..., Any]] = {component: component_rule, identity: identity_rule}
_older: set[Any] = set()
_known: dict[Any, Known] = {}
_known_at = -1


def register(function: Any, rule: Callable[..., Any], is_older: bool = False) -> None:
    """Gives a callable a rule of the tracker's, which goes before those of the table."""
    _own[function] = rule
    _older.discard(function)
    if is_older:
        _older.add(function)
    _known.pop(function, None)


def known(function: Any) -> Known:
    """What is registered for a callable; raises NotDifferentiable where nothing is."""
    global _known_at
    if _known_at != registry.version():
        _known.clear()
        _known_at = registry.version()
    try:
        return _known[function]
    except (KeyError, TypeError):
        found = _looked_up(function)
    if found is None:
        registry.register_imported()  # ufuncs of SciPy don't say where they come from
        found = _looked_up(function)
    if found is None:
        raise NotDifferentiable(
            f"`{name_of(function)}` has no rule, called with a tracked value; define one with "
            f"@zyg.adjoint or @zyg.tracker.rule, or call it with tracker.data(x)"
        )
    with contextlib.suppress(TypeError):  # a callable object that has no hash
        _known[function] = found
    _known_at = registry.version()  # late rules may have been registered
    return found


def _looked_up(function: Any) -> Known | None:
    try:
        own = _own.get(function)
    except TypeError:
        own = None
    if own is not None:
        return Known(rule=own, is_own=True, is_older=function in _older)
    rule, substitute = registry.rule_of(function), registry.substitute_of(function)
    if rule is not None or substitute is not None:
        return Known(rule, substitute)
    return Known(is_constant=True) if registry.is_constant(function) else None


def name_of(function: Any) -> str:
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", str(function))
    return f"{module}.{name}" if isinstance(module, str) else str(name)


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] = NO_OPTIONS) -> Any:
    """The result of a call with tracked values among its arguments, tracked."""
    entry = known(function)
    if entry.is_constant:
        return applied(function, [plain(arg) for arg in args], plain(kwargs))
    if entry.substitute is not None and (kwargs or entry.rule is None):
        return REBINDING.rebound(entry.substitute)(*args, **kwargs)
    if not entry.is_own:
        plain_code = registry.stand_in_of(function, args, kwargs)
        if plain_code is not None:
            leading = (function,) if isinstance(function, np.ufunc) else ()
            return REBINDING.rebound(plain_code)(*leading, *args, **kwargs)
    rule = entry.rule
    assert rule is not None
    if kwargs and not entry.is_own:
        args, kwargs = _bound(function, rule, args, kwargs)
    if entry.is_older:
        y, back = rule(*args, **kwargs)
        return wrapped(y, Call(function, args, kwargs, back))
    values = [arg.data if type(arg) in TRACKED else plain(arg) for arg in args]
    options = kwargs
    if not entry.is_own:
        rule = of_tracked(rule, args)
    if registry.takes_pullback(rule):
        options = {**kwargs, "pullback": pullback_for_rules}
    y, back = rule(*values, **options)
    return wrapped(y, Call(function, args, kwargs, back))


INEXACT = frozenset([np.ndarray, float, np.float64, complex])


def of_tracked(rule: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """A rule without the gradients of numbers and arrays that aren't tracked."""
    untracked = tuple([i for i, arg in enumerate(args) if type(arg) in INEXACT])
    return without(rule, untracked) if untracked else rule


REBINDING = Rebinding(has_tracked, plain, call, {is_sparse: is_sparse})


@functools.lru_cache(1024)
def signature_of(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


def _bound(
    function: Any, rule: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with tracked keyword arguments by position, where they have a gradient."""
    signature = signature_of(rule)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        named = ", ".join(kwargs)
        raise NotDifferentiable(
            f"the rule of `{name_of(function)}` has no derivative for a call with the keyword "
            f"arguments {named}: {error}"
        ) from None
    if not has_tracked(kwargs):
        return args, kwargs
    bound.apply_defaults()
    options = {name: value for name, value in bound.kwargs.items() if name != "pullback"}
    if has_tracked(options):
        raise NotDifferentiable(
            f"the rule of `{name_of(function)}` has no gradient for one of its keyword arguments "
            f"that is tracked: {', '.join(kwargs)}"
        )
    return bound.args, options


def rule_on_tracked(recorded: Call, value: Any) -> Any:
    """The back function of a recorded call, as a function of tracked values.

    The rule runs again, on the tracked arguments: what its back function computes is recorded.
    It must give the value that was recorded, or else an argument has changed in between.
    """
    entry = known(recorded.func)
    rule = entry.rule
    assert rule is not None
    if entry.is_own:
        y, back = rule(*recorded.args, **recorded.kwargs)
        check_unchanged(y, value, recorded)
        return back
    if registry.takes_pullback(rule):
        raise NotDifferentiable(
            f"`{name_of(recorded.func)}` calls functions that it is given: the tracker has no "
            "second derivative of it"
        )
    rule = of_tracked(rule, recorded.args)
    y, back = REBINDING.rebound(rule)(*recorded.args, **recorded.kwargs)
    check_unchanged(y, value, recorded)
    return back


def check_unchanged(now: Any, then: Any, recorded: Call) -> None:
    """Raises where a recorded call gives another value than it gave when it was recorded."""
    if not _are_close(plain(now), then):
        raise RuntimeError(
            f"an argument of `{name_of(recorded.func)}` was changed since the call was recorded, "
            "by tracker.update or in place: take this gradient before the change"
        )


def _are_close(now: Any, then: Any) -> bool:
    if isinstance(then, (list, tuple)):
        return len(now) == len(then) and all(map(_are_close, now, then))
    if now is then or then is None or isinstance(then, str):
        return now is then or bool(now == then)
    return np.shape(now) == np.shape(then) and bool(
        np.array_equal(now, then) or np.allclose(now, then, 1e-5, 1e-9, equal_nan=True)
    )


def check_gradients(bars: Any, recorded: Call) -> tuple[Any, ...]:
    """What a back function returned, as one gradient for each argument of the call."""
    count = len(recorded.args)
    if type(bars) is tuple and len(bars) >= count:
        return bars
    entry = known(recorded.func)
    if not entry.is_own and entry.rule is not None:
        given = bars if type(bars) is tuple else (bars,)
        if len(given) >= registry.count_of_required(entry.rule):
            return given + (None,) * (count - len(given))
    raise TypeError(
        f"Gradient is not a tuple of length {count}: what the back function of "
        f"`{name_of(recorded.func)}` returned"
    )


def pullback_for_rules(function: Any, *args: Any) -> Any:
    """`pullback` for rules that differentiate a function which they are given."""
    from zyg.tracker.gradients import isolated

    return isolated(function, *args)
