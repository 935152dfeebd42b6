"""Calls of functions that remember their values, differentiated once for equal arguments.

    area(2)      the first call: a pair of value and back function, which is kept
    area(2)      a later one: the value, and a back function that adds to what the first one gets

So a recursion takes a time by the number of values that it remembers, not by the number of ways in
which they are come by. Where an argument has a derivative of its own, as a number does, each call
gives its own argument a cotangent: equal ones may come from unlike variables.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir.discrete import is_discrete
from zyg import shadows
from zyg.compiler.objects import is_place
from zyg.compiler.wrappers import differentiated_caches
from zyg.cotangent import accumulate, rebuilt
from zyg.shadow_calls import current_run, running

Back: TypeAlias = Callable[[Any], tuple[Any, ...]]
Differentiate: TypeAlias = Callable[..., tuple[Any, Back]]


def call(
    pullback: Differentiate, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Back]:
    """The value and the back function of a call of what `functools.lru_cache` has made."""
    cache = differentiated_caches.get(function)
    if cache is None:
        cache = differentiated_caches[function] = _Cache(pullback, function)
    y, back = cache.call(args, kwargs)
    return y, back


class _Cache:
    """What a cached function is to plain calls, for differentiated ones.

    It has as much room as the function's own. Arguments are told apart by their classes, since
    derivatives may differ between 2 and 2.0.
    """

    def __init__(self, pullback: Differentiate, function: Any) -> None:
        size = function.cache_parameters()["maxsize"]
        self._pullback = pullback
        self._function = function.__wrapped__
        self._of_key = functools.lru_cache(maxsize=size, typed=True)(self._computed)
        self._is_new = False

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Back]:
        self._is_new = False
        y, kept = self._of_key(*args, **kwargs)
        is_new, self._is_new = self._is_new, False
        if not isinstance(kept, Kept):
            if isinstance(kept, RememberedBack) and not is_new:
                kept.is_shared = True
            return y, kept
        return y, FirstBack(kept) if is_new else LaterBack(kept, 1 + len(args) + len(kwargs))

    def _computed(self, *args: Any, **kwargs: Any) -> tuple[Any, Back | Kept]:
        run = current_run()
        y, back = self._pullback(self._function, *args, **kwargs)
        self._is_new = True
        if run is not None and not any(map(_has_cotangent, (*args, *kwargs.values()))):
            return y, Kept(back, run)
        return y, RememberedBack(back) if isinstance(y, float) else back


def _has_cotangent(value: Any) -> bool:
    """Whether an argument gets a cotangent where it is passed; objects get theirs in the table."""
    if type(value) in (tuple, frozenset):
        return any(map(_has_cotangent, value))
    return not (is_discrete(value) or is_place(type(value)))


class Kept:
    """The back function of a value that is remembered, in a program on objects."""

    __slots__ = ("back", "is_own", "run")

    def __init__(self, back: Back, run: object) -> None:
        self.back = back
        self.run = run
        self.is_own = False

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Kept:
        """The same, with copies of what it holds: those of the first time will do."""
        if not self.is_own:
            self.back, self.is_own = copy(self.back), True
        return self


class FirstBack:
    """The back function of the call that computed a value: it runs for all calls that had it."""

    __slots__ = ("_kept",)

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        table = running.shadows
        if table is not None:
            y_bar = accumulate(y_bar, table.take_remembered(self._kept))
        return self._kept.back(y_bar)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> FirstBack:
        self._kept.with_own_memory(copy)
        return self


class LaterBack:
    """The back function of a call that has found a value: the one that computed it gets all."""

    __slots__ = ("_count", "_kept", "_run")

    def __init__(self, kept: Kept, count: int) -> None:
        self._kept = kept
        self._count = count
        self._run = current_run()

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        table = running.shadows
        is_of_pass = table is not None and self._run is self._kept.run
        if table is None or not is_of_pass or not table.add_remembered(self._kept, y_bar):
            return self._kept.back(y_bar)
        return (None,) * self._count

    def with_own_memory(self, copy: Callable[[Any], Any]) -> LaterBack:
        self._kept.with_own_memory(copy)
        return self


class RememberedBack:
    """The back function of a number that is remembered, by arguments that have cotangents.

    Where several calls had the value it runs for the cotangent 1, and each is given that, scaled.
    What leaves something to objects runs each time.
    """

    __slots__ = ("_back", "_is_own", "_of_one", "is_shared")

    def __init__(self, back: Back) -> None:
        self._back = back
        self._is_own = self.is_shared = False
        self._of_one: Any = None

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if not self.is_shared or not isinstance(y_bar, float):
            return self._back(y_bar)
        if self._of_one is None:
            with shadows.asked_again() as table:
                bars = self._back(1.0)
            self._of_one = bars if table.is_empty() and _may_be_scaled(bars) else ()
        if self._of_one == ():
            return self._back(y_bar)
        scaled: tuple[Any, ...] = _scaled(self._of_one, float(y_bar))
        return scaled

    def with_own_memory(self, copy: Callable[[Any], Any]) -> RememberedBack:
        """The same, with copies of what it holds: those of the first time will do."""
        if not self._is_own:
            self._back, self._is_own = copy(self._back), True
        return self


def _may_be_scaled(bar: Any) -> bool:
    """Whether a cotangent consists of numbers and arrays."""
    if isinstance(bar, dict):
        return all(map(_may_be_scaled, bar.values()))
    if isinstance(bar, list | tuple):
        return all(map(_may_be_scaled, bar))
    return bar is None or isinstance(bar, int | float | complex | np.ndarray | np.generic)


def _scaled(bar: Any, factor: float) -> Any:
    if isinstance(bar, dict):
        return {key: _scaled(own, factor) for key, own in bar.items()}
    if isinstance(bar, list | tuple):
        return rebuilt(bar, [_scaled(own, factor) for own in bar])
    return bar if bar is None or type(bar) is int else bar * factor
