"""Functions with gradients of one's own: `track`, `rule`, `defback`, `hook`, `checkpoint`.

    def minus(a, b):                          @rule(minus)
        if istracked(a) or istracked(b):      def _(a, b):
            return track(minus, a, b)             return minus(data(a), data(b)), lambda d: (d, -d)
        return a - b
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from zyg.errors import NotDifferentiable
from zyg.rebinding import method_of_library
from zyg.tracker.graph import TrackedValue, applied, has_tracked, plain, tracked_in
from zyg.tracker.recording import call, known, name_of, register

R = TypeVar("R", bound=Callable[..., Any])


def track(f: Any, *xs: Any, **options: Any) -> Any:
    """Calls a function that has a rule with plain values, and records the call.

    The rule is one of `@rule` or `@defback`, or of the table of zyg: `track(math.sin, x)`.

    >>> import math
    >>> from zyg.tracker import param
    >>> track(math.sin, param(0.0))
    0.0 (tracked)

    So are calls of methods of SciPy's objects: `track(stats.norm.logpdf, x, mu, sigma)`.
    """
    method = method_of_library(f)
    function, args = (f, xs) if method is None else (method[0], (method[1], *xs))
    entry = known(function)
    # What a frozen distribution holds may be tracked.
    held = () if method is None else getattr(method[1], "__dict__", ())
    if not has_tracked(xs) and not has_tracked(options) and not has_tracked(held):
        if entry.is_own and not entry.is_older:  # `f` itself may do nothing but call `track`
            assert entry.rule is not None
            return plain(entry.rule(*args, **options)[0])
        return applied(f, list(xs), options)
    return call(function, args, options)


def rule(f: Any) -> Callable[[R], R]:
    """Registers the rule of `f` for the tracker: its arguments -> (value, back function).

    The back function returns a tuple with a gradient for each argument. The forward part may be
    given tracked values and strips them with `data`; the back part must not, so that it can be
    differentiated again.
    """

    def decorate(function: R) -> R:
        register(f, function)
        return function

    return decorate


# The older style: a back function that hands on what it computes with `propagate`


class _Received(threading.local):
    """What `propagate` was called with, for the back functions that are running."""

    def __init__(self) -> None:
        self.stack: list[dict[Any, list[Any]]] = []


_received = _Received()


def defback(f: Any) -> Callable[[R], R]:
    """Registers the back function of `f`: of the sensitivity and the arguments, tracked as given.

    It calls `propagate(a, ...)` exactly once for each tracked argument.
    """

    def decorate(function: R) -> R:
        def rule_of_older_style(*xs: Any, **options: Any) -> Any:
            return f(*map(plain, xs), **options), back_of_older_style(f, function, xs)

        register(f, rule_of_older_style, is_older=True)
        return function

    return decorate


def back_of_older_style(f: Any, function: Callable[..., Any], xs: tuple[Any, ...]) -> Any:
    """The back function of a recorded call, in terms of one that calls `propagate`."""

    def back(delta: Any) -> tuple[Any, ...]:
        calls: dict[Any, list[Any]] = {}
        _received.stack.append(calls)
        try:
            function(delta, *xs)
        finally:
            _received.stack.pop()
        for x in tracked_in(xs):
            if not calls.get(x.tracker):
                raise TypeError(
                    f"the back function of `{name_of(f)}` must call propagate exactly once for "
                    "each tracked argument: it left one out"
                )
        bars = [calls[x.tracker].pop(0) if isinstance(x, TrackedValue) else None for x in xs]
        if any(calls.values()):
            raise TypeError(
                f"the back function of `{name_of(f)}` must call propagate exactly once for each "
                "tracked argument: it did so more often"
            )
        return tuple(bars)

    return back


def propagate(x: Any, delta: Any) -> None:
    """In a back function of `@defback`: the sensitivity of one argument; none for untracked ones.

    An argument that was given twice takes two calls.
    """
    if not _received.stack:
        raise RuntimeError("propagate is for back functions that @defback registers")
    if isinstance(x, TrackedValue):
        _received.stack[-1].setdefault(x.tracker, []).append(delta)


# Hooks and checkpoints


def hook(f: Callable[[Any], Any], x: Any) -> Any:
    """`x` itself, whose sensitivity goes through `f`.

    >>> from zyg.tracker import gradient
    >>> gradient(lambda x: hook(lambda d: -d, x) * 2, 3.0)
    (-2.0 (tracked),)
    """
    return track(hook, f, x)


register(hook, lambda f, x: (plain(x), lambda delta: (None, f(delta))))


def checkpoint(f: Callable[..., Any], *xs: Any) -> Any:
    """`f(*xs)` without what its gradient needs: `back` runs `f` again."""
    return track(checkpoint, f, *xs)


def checkpoint_rule(f: Callable[..., Any], *xs: Any) -> Any:
    y = f(*map(plain, xs))
    if has_tracked(y):
        raise NotDifferentiable(
            "the function of a checkpoint refers to a tracked value, which would get no gradient: "
            "pass it as an argument"
        )

    def back(delta: Any) -> tuple[Any, ...]:
        from zyg.tracker.gradients import forward

        _, again = forward(f, *xs)
        bars = again(delta)
        return None, *(bars if has_tracked((xs, delta)) else map(plain, bars))

    return y, back


register(checkpoint, checkpoint_rule)
