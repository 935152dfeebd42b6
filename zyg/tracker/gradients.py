"""Gradients as functions of functions: `gradient` and `forward`, nested or not.

    y, back = forward(lambda a, b: a * b, 2, 3)     (6.0 (tracked), back)
    back(1)                                         (3.0 (tracked), 2.0 (tracked))

The arguments are wrapped afresh, and stay connected to tracked values that were given: what the
back function of `forward` computes is recorded as well, and can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import project, zeros_like
from zyg.errors import NotDifferentiable
from zyg.tracker.graph import (
    Call,
    Tracked,
    TrackedArray,
    TrackedReal,
    TrackedValue,
    data,
    has_tracked,
    inline,
    param,
    plain,
    same,
    tracked_in,
    wrapped,
)
from zyg.tracker.propagation import check_loss, propagated, seed
from zyg.tracker.recording import call, register

NESTING = (
    "Use `gradient(...; nest = true)`, here gradient(f, *xs, nest=True), for nested derivatives"
)


class Params:
    """Tracked values by identity, in order; each once."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._values: dict[Tracked, Any] = {}
        self.update(values)

    def add(self, x: Any) -> None:
        if not isinstance(x, TrackedValue):
            raise TypeError(f"a parameter is a tracked value, not {x!r}: make it with param(x)")
        self._values.setdefault(x.tracker, x)

    def update(self, values: Iterable[Any]) -> None:
        for x in values:
            self.add(x)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values.values())

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, x: object) -> bool:
        return isinstance(x, TrackedValue) and x.tracker in self._values

    def __repr__(self) -> str:
        return f"Params({list(self)})"


class Grads:
    """The gradients of several tracked values: `grads[W]`, zeros where nothing came."""

    def __init__(self, params: Params, bars: dict[Tracked, Any]) -> None:
        self._params = params
        self._bars = bars

    def __getitem__(self, x: Any) -> Any:
        if not isinstance(x, TrackedValue) or x not in self._params:
            raise KeyError("Object not tracked: these gradients are not for it")
        return self._bars[x.tracker]

    def __contains__(self, x: object) -> bool:
        return x in self._params

    def __iter__(self) -> Iterator[Any]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def items(self) -> Iterator[tuple[Any, Any]]:
        return ((x, self[x]) for x in self._params)

    def __repr__(self) -> str:
        shown = ", ".join(f"{inline(x)}: {inline(g)}" for x, g in self.items())
        return f"Grads({shown})"


def forward(f: Callable[..., Any], *xs: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The value of `f`, and the function from its sensitivity to the gradients.

    `forward(f, *xs)` is for the gradients of arguments, as a tuple; `forward(f, Params([W, b]))`
    calls `f()`, and its back function gives `Grads`. Where `f` gives several values, the back
    function takes a tuple of sensitivities.

    >>> y, back = forward(lambda a, b: a * b, 2, 3)
    >>> y, back(1)
    (6.0 (tracked), (3.0 (tracked), 2.0 (tracked)))
    """
    if len(xs) == 1 and isinstance(xs[0], Params):
        params = xs[0]
        y = f()
        return y, lambda delta: Grads(params, _sensitivities(y, delta, params))
    args = [_argument(x) for x in xs]
    params = Params(x for x in args if isinstance(x, TrackedValue))
    y = f(*args)

    def back(delta: Any) -> tuple[Any, ...]:
        bars = _sensitivities(y, delta, params)
        return tuple([bars[x.tracker] if isinstance(x, TrackedValue) else None for x in args])

    return y, back


def _argument(x: Any) -> Any:
    """A number or array as a parameter of its own; flags, texts and functions as they are."""
    if x is None or isinstance(x, (bool, str)) or callable(x):
        return x
    return param(x)


def _sensitivities(y: Any, delta: Any, params: Params) -> dict[Tracked, Any]:
    """The tracked gradients of `y` for all `params`."""
    targets = frozenset(x.tracker for x in params)
    bars: dict[Tracked, Any] = {}
    if isinstance(y, TrackedValue):
        bars = propagated([y.tracker], seed(delta, y.data), targets, nested=True)
    elif isinstance(y, (list, tuple)) and has_tracked(y):
        whole = Tracked(0, Call(joined, (y,), back=joined_rule(y)[1]), False, None, plain(y))
        bars = propagated([whole], _seeds(delta, y), targets, nested=True)
    elif has_tracked(y):
        raise TypeError(f"a function that gives a {type(y).__name__}: give arrays or numbers")
    return _apart({x.tracker: _as_tracked(bars.get(x.tracker), x.data) for x in params})


def _seeds(delta: Any, y: Any) -> list[Any]:
    """The sensitivities of several results; nothing for those that have no derivative."""
    if not isinstance(delta, (list, tuple)) or len(delta) != len(y):
        raise ValueError(f"a function that gives {len(y)} values takes as many sensitivities")
    return [
        seed(bar, value.data) if isinstance(value, TrackedValue)
        else _seeds(bar, value) if has_tracked(value) and bar is not None else None
        for bar, value in zip(delta, y, strict=True)
    ]  # fmt: skip


def joined(values: Any) -> Any:
    """Several results of a function as one value, for a walk that begins at all of them."""
    return values


def joined_rule(values: Any) -> Any:
    return plain(values), lambda bar: (bar,)


register(joined, joined_rule)


def _apart(bars: dict[Tracked, Any]) -> dict[Tracked, Any]:
    """The gradients, none of which shares its memory with another one."""
    seen: set[int] = set()
    for tracker, bar in bars.items():
        if id(bar.data) in seen and isinstance(bar.data, np.ndarray):
            bars[tracker] = wrapped(bar.data.copy(), same(bar).tracker.f)
        seen.add(id(bar.data))
    return bars


def _as_tracked(bar: Any, value: Any) -> Any:
    """A gradient as a tracked value of the shape and kind of what it belongs to."""
    if isinstance(bar, TrackedValue):
        return bar
    if has_tracked(bar):
        return call(np.reshape, (call(np.array, (bar,)), np.shape(value)))
    own = plain_copy(project(bar, value))
    return wrapped(own, Call(constant, (own,), back=lambda delta: (None,)))


def plain_copy(x: Any) -> Any:
    return x.copy() if hasattr(x, "copy") else x


def constant(x: Any) -> Any:
    """A gradient that no tracked value went into: its own gradient is zero."""
    return x


def constant_rule(x: Any) -> Any:
    return plain(x), lambda delta: (None,)


register(constant, constant_rule)


def gradient(f: Callable[..., Any], *xs: Any, nest: bool = False) -> tuple[Any, ...]:
    """The gradients of `f(*xs)`, a real number, one for each argument.

    They print as tracked values; `data(g)` is the plain one. With `nest`, they can be
    differentiated again, as by an outer `gradient`; without, that raises.

    >>> gradient(lambda a, b: a * b, 2, 3)
    (3.0 (tracked), 2.0 (tracked))
    >>> gradient(lambda x: gradient(lambda y: y**3, x, nest=True)[0], 2.0, nest=True)
    (12.0 (tracked),)
    """
    if nest:
        y, back = forward(f, *xs)
        check_loss(y)
        gradients: tuple[Any, ...] = back(1.0)
        return gradients
    args = [_argument(data(x)) for x in xs]
    targets = [x for x in args if isinstance(x, TrackedValue)]
    y = f(*args)
    check_loss(y)
    # The gradient depends on tracked values that were given, and on those that `f` refers to.
    sources = [*tracked_in(xs), *_others(y, targets)] if has_tracked((xs, y)) else []
    bars: dict[Tracked, Any] = {}
    if isinstance(y, TrackedValue):
        roots, sensitivity = [y.tracker], seed(1.0, y.data)
        del y
        bars = propagated(roots, sensitivity, frozenset(), nested=False)
    results = []
    for x in args:
        if isinstance(x, TrackedValue):
            value = plain_copy(project(bars.get(x.tracker), x.data))
            results.append(wrapped(value, Call(nobacksies, tuple(sources), back=refuse_nesting)))
        else:
            results.append(None)
    return tuple(results)


def _others(y: Any, targets: list[TrackedValue]) -> list[TrackedValue]:
    """The tracked values that `y` was computed from and that are not among `targets`."""
    if not isinstance(y, TrackedValue):
        return []
    known = {x.tracker for x in targets}
    found: list[TrackedValue] = []
    waiting, seen = [y], {y.tracker}
    while waiting:
        x = waiting.pop()
        if x.tracker.isleaf:
            if x.tracker not in known:
                found.append(x)
            continue
        for inner in tracked_in(x.tracker.f.args):
            if inner.tracker not in seen:
                seen.add(inner.tracker)
                waiting.append(inner)
    return found


def nobacksies(*sources: Any) -> Any:
    """What the results of a `gradient` that is not nested depend on."""
    raise NotDifferentiable(NESTING)


def refuse_nesting(delta: Any) -> Any:
    raise NotDifferentiable(NESTING)


register(nobacksies, lambda *sources: (None, refuse_nesting))


def isolated(f: Callable[..., Any], *args: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The plain value of `f(*args)` and its back function, with cotangents of `f` and arguments.

    For rules that differentiate a function which they are given. What the function refers to gets
    no gradient, so it must not be tracked.
    """
    inner = [param(x) if _is_numeric(x) else x for x in args]
    targets = [x for x in inner if isinstance(x, TrackedValue)]
    y = f(*inner)
    if _others(y, targets):
        raise NotDifferentiable(
            "a function that is called by a rule refers to a tracked value, which would get no "
            "gradient: pass it as an argument"
        )

    def back(delta: Any) -> tuple[Any, ...]:
        bars: dict[Tracked, Any] = {}
        if isinstance(y, (TrackedReal, TrackedArray)):
            bars = propagated([y.tracker], seed(delta, y.data), frozenset(), nested=False)
        return None, *[
            project(bars.get(x.tracker), x.data) if isinstance(x, TrackedValue) else zeros_like(x)
            for x in inner
        ]

    return data(y), back


def _is_numeric(x: Any) -> bool:
    return not isinstance(x, (bool, str)) and hasattr(x, "__add__") and not isinstance(
        x, (list, tuple, dict)
    )
