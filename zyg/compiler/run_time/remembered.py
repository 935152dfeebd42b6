"""Calls of functions that remember their values, differentiated once for equal arguments.

    area(2)      the first call: a pair of value and back function, which is kept
    area(2)      a later one: the value, and a back function that adds to what the first one gets

So a recursion takes a time by the number of values that it remembers, not by the number of ways in
which they are come by; and what a value was computed from, of what objects held, is that of the
first call. Where an argument has a derivative of its own, as a number does, each call gives its own
argument a cotangent: equal ones may come from unlike variables.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir.syntax.discrete import is_discrete
from zyg.compiler.inference.objects import is_place
from zyg.compiler.run_time.wrappers import count_call, differentiated_caches
from zyg.cotangents.cotangent import accumulate, rebuilt
from zyg.held import shadows
from zyg.held.held_memory import identity_of
from zyg.held.memory_kinds import memory_in
from zyg.held.shadow_calls import current_run, running, state

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
    count_call(function, args, kwargs)
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
        if is_new:
            return y, FirstBack(kept)
        kept.is_shared = True
        return y, LaterBack(kept, 1 + len(args) + len(kwargs))

    def _computed(self, *args: Any, **kwargs: Any) -> tuple[Any, Kept]:
        y, back = self._pullback(self._function, *args, **kwargs)
        self._is_new = True
        takes_numbers = any(map(_has_cotangent, (*args, *kwargs.values())))
        return y, Kept(back, takes_numbers, y)


def _has_cotangent(value: Any) -> bool:
    """Whether an argument gets a cotangent where it is passed; objects get theirs in the table."""
    if type(value) in (tuple, frozenset):
        return any(map(_has_cotangent, value))
    return not (is_discrete(value) or is_place(type(value)))


class Kept:
    """The back function of a value that is remembered.

    `takes_numbers`: its arguments have cotangents, which each call gives its own. `is_number`: the
    value is one, so that a back function which leaves nothing to objects need run once, for the
    cotangent 1. `run`: the forward pass that has computed it, if that works on objects.
    """

    __slots__ = (
        "_is_own", "_new", "_of_one", "back", "is_number", "is_shared", "run", "takes_numbers",
    )

    def __init__(self, back: Back, takes_numbers: bool, value: Any) -> None:
        self.back = back
        self.takes_numbers = takes_numbers
        self.is_number = isinstance(value, float)
        self.run = current_run()
        # The memory in the value that no object held when it was computed.
        self._new: list[Any] = []
        if takes_numbers and state.held is not None and not self.is_number:
            self._new = [one for one in memory_in(value) if state.held.of(one) is None]
        # Whether several calls had the value.
        self.is_shared = self._is_own = False
        self._of_one: Any = None

    def own_memory(self, copy: Callable[[Any], Any]) -> None:
        """Keeps copies of what it holds: those of the first time will do."""
        if not self._is_own:
            self.back, self._is_own = copy(self.back), True

    def scaled(self, y_bar: Any) -> tuple[Any, ...] | None:
        """The cotangents of a call by those for 1; None where it has to run."""
        is_of_table = self.run is not None and not self.takes_numbers
        if is_of_table or not (self.is_shared and self.is_number and isinstance(y_bar, float)):
            return None
        if self._of_one is None:
            with shadows.asked_again() as table:
                bars = self.back(1.0)
            self._of_one = bars if table.is_empty() and is_made_of_numbers(bars) else ()
        return None if self._of_one == () else scaled(self._of_one, float(y_bar))

    def of_arguments(self, y_bar: Any) -> tuple[Any, ...]:
        """What a call gives its arguments; what it leaves to objects is left out.

        Objects may hold the value by now, which they didn't when it was computed.
        """
        with shadows.asked_again():
            if self._new and state.held is not None:
                known = state.held.known
                keys = [key for key in map(identity_of, self._new) if key in known]
                state.held.let_go(dict.fromkeys(keys))
            return self.back(y_bar)


class FirstBack:
    """The back function of the call that computed a value: objects get from it what they get of all
    calls that had the value."""

    __slots__ = ("_kept",)

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        kept, table = self._kept, running.shadows
        bars = kept.scaled(y_bar)
        if bars is not None:
            return bars
        others = None if table is None else table.take_remembered(kept)
        if others is None:
            return kept.back(y_bar)
        if not kept.takes_numbers:
            return kept.back(accumulate(y_bar, others))
        bars = kept.of_arguments(y_bar)
        kept.back(accumulate(y_bar, others))
        return bars

    def with_own_memory(self, copy: Callable[[Any], Any]) -> FirstBack:
        self._kept.own_memory(copy)
        return self


class LaterBack:
    """The back function of a call that has found a value."""

    __slots__ = ("_count", "_kept", "_run")

    def __init__(self, kept: Kept, count: int) -> None:
        self._kept = kept
        self._count = count
        self._run = current_run()

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        kept, table = self._kept, running.shadows
        bars = kept.scaled(y_bar)
        if bars is not None:
            return bars
        if table is None or self._run is not kept.run or not table.add_remembered(kept, y_bar):
            return kept.back(y_bar)
        return kept.of_arguments(y_bar) if kept.takes_numbers else (None,) * self._count

    def with_own_memory(self, copy: Callable[[Any], Any]) -> LaterBack:
        self._kept.own_memory(copy)
        return self


def is_made_of_numbers(bar: Any) -> bool:
    """Whether a cotangent consists of numbers and arrays."""
    if isinstance(bar, dict):
        return all(map(is_made_of_numbers, bar.values()))
    if isinstance(bar, list | tuple):
        return all(map(is_made_of_numbers, bar))
    return bar is None or isinstance(bar, int | float | complex | np.ndarray | np.generic)


def scaled(bar: Any, factor: float) -> Any:
    if isinstance(bar, dict):
        return {key: scaled(own, factor) for key, own in bar.items()}
    if isinstance(bar, list | tuple):
        return rebuilt(bar, [scaled(own, factor) for own in bar])
    return bar if bar is None or type(bar) is int else bar * factor
