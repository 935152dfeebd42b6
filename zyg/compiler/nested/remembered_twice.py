"""Calls of functions that remember their values, in a gradient that is differentiated in turn.

    (y, back), outer = pullback_of_remembered(f, x)

All calls with equal arguments share what the first one has computed. Where the value is a number,
so do their derivatives: the slopes, which are the cotangents for 1, and the products of the second
derivatives with a direction, each of which is computed once and scaled. So a recursion takes a time
by the number of values that it remembers. The cotangent of such a back function is a direction:
that of `y_bar * bars_bar`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from zyg.compiler.nested.nested_backs import OuterBack, is_zero
from zyg.compiler.run_time.remembered import is_made_of_numbers, scaled
from zyg.compiler.run_time.wrappers import count_call, differentiated_caches
from zyg.cotangents.cotangent import accumulate, rebuilt
from zyg.signature import BackFunction

Values: TypeAlias = tuple[Any, ...]
Bars: TypeAlias = tuple[Any, ...]
Keywords: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[Any, ...]


def pullback_of_remembered(
    pullback: Callable[..., Any], function: Any, args: Values, kwargs: Keywords
) -> tuple[Any, Any]:
    """What `pullback_call(pullback_call, function, *args)` gives; `pullback` makes such a pair."""
    kept = _kept(pullback, function, args, kwargs)
    count_call(function, args, kwargs)
    if kept.slopes is None:
        return (kept.y, kept.back), kept.outer
    return (kept.y, SharedBack(kept)), OuterBack(kept, _back_of_call)


def tangent_of_remembered(
    pullback: Callable[..., Any],
    function: Any,
    args: Values,
    own_dot: Any,
    dots: Values,
    kwargs: Keywords,
) -> tuple[Any, Any] | None:
    """The pair of a value and back function, with its tangent; `dots` has those of the keyword
    arguments, too. None where the value is no number."""
    kept = _kept(pullback, function, args, kwargs)
    if kept.slopes is None:
        return None
    count_call(function, args, kwargs)
    direction = own_dot, *dots
    back_dot = None if is_zero(direction) else (kept.second(direction),)
    return (kept.y, SharedBack(kept)), (_product(kept.slopes, direction), back_dot)


def _kept(pullback: Callable[..., Any], function: Any, args: Values, kwargs: Keywords) -> Kept:
    key = pullback_of_remembered, function
    of_key = differentiated_caches.get(key)
    if of_key is None:
        size = function.cache_parameters()["maxsize"]

        def computed(*args: Any, **kwargs: Any) -> Kept:
            return Kept(*pullback(function.__wrapped__, *args, **kwargs))

        of_key = functools.lru_cache(maxsize=size, typed=True)(computed)
        differentiated_caches[key] = of_key
    kept: Kept = of_key(*args, **kwargs)
    return kept


class Kept:
    """What is remembered: the value, its back function, and that of the pair of both.

    `slopes` are the cotangents for 1 of a number that depends on real numbers and arrays alone;
    else None, and each call runs the back functions for itself.
    """

    __slots__ = ("_back_of_slopes", "_is_own", "_products", "back", "outer", "slopes", "y")

    def __init__(self, pair: Any, outer: Any) -> None:
        self.y, self.back = pair
        self.outer = outer
        self.slopes: Any = None
        self._back_of_slopes: Any = None
        self._products: dict[Path, Any] = {}
        self._is_own = False
        if isinstance(self.y, float) and hasattr(self.back, "pullback"):
            slopes, back = self.back.pullback(1.0)
            if is_made_of_numbers(slopes) and not any(map(np.iscomplexobj, _leaves(slopes))):
                self.slopes, self._back_of_slopes = slopes, back

    def second(self, direction: Any) -> Any:
        """The cotangents of the arguments by that of the slopes. By numbers there is one for each
        of them; what goes to arrays is computed when it is asked for."""
        found, others = None, direction
        for path, factor in list(_numbers_in(direction)):
            others = _without(others, path)
            if factor == 0:
                continue
            if path not in self._products:
                self._products[path] = self._run(_at(self.slopes, path, 1.0))
            found = accumulate(found, scaled(self._products[path], float(factor)))
        if any(True for _ in _leaves(others)):
            found = accumulate(found, self._run(others))
        return found

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Kept:
        """Itself, with copies of what it holds: those of the first time will do."""
        if not self._is_own:
            self._is_own = True
            self.back, self.outer = copy(self.back), copy(self.outer)
            self._back_of_slopes = copy(self._back_of_slopes)
        return self

    def _run(self, direction: Any) -> Any:
        held_bar, _ = self._back_of_slopes(direction)
        return self.outer((None, held_bar))[1:]


class SharedBack(BackFunction):
    """The back function of a call, by what is remembered."""

    __slots__ = ("_kept",)

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def __call__(self, y_bar: Any) -> Bars:
        return self._bars(y_bar)

    def _bars(self, y_bar: Any) -> Bars:
        if y_bar is None:
            return (None,) * len(self._kept.slopes)
        bars: Bars = scaled(self._kept.slopes, _real(y_bar))
        return bars

    def pullback(self, y_bar: Any) -> tuple[Bars, BackFunction]:
        """The cotangents, and the function to (this function's, y_bar's)."""

        def back_of_back(slopes: Any, bars_bar: Any) -> Bars:
            if is_zero(bars_bar):
                return None, None
            own = None if y_bar is None else (scaled(bars_bar, _real(y_bar)),)
            return own, _product(slopes, bars_bar)

        return self._bars(y_bar), OuterBack(self._kept.slopes, back_of_back)

    def tangent(self, own_dot: Any, y_bar: Any, y_bar_dot: Any, _: Any) -> tuple[Bars, Bars]:
        """The cotangents and their tangents."""
        dots = self._bars(y_bar_dot)
        if own_dot is not None and y_bar is not None:
            dots = accumulate(dots, scaled(own_dot[0], _real(y_bar)))
        return self._bars(y_bar), dots

    def with_own_memory(self, copy: Callable[[Any], Any]) -> SharedBack:
        """The same with copies of what it holds."""
        self._kept.with_own_memory(copy)
        return self


def _back_of_call(kept: Kept, pair_bar: Any) -> Bars:
    """The cotangents of a call, by those of its value and of its back function."""
    count = 1 + len(kept.slopes)
    if is_zero(pair_bar):
        return (None,) * count
    y_bar, own_bar = pair_bar
    bars = None if y_bar is None else scaled(kept.slopes, _real(y_bar))
    if own_bar is not None:
        bars = accumulate(bars, kept.second(own_bar[0]))
    return None, *((None,) * len(kept.slopes) if bars is None else bars)


def _real(bar: Any) -> float:
    """The cotangent of a number that is real."""
    return float(np.real(bar))


def _product(slopes: Any, direction: Any) -> Any:
    """The sum of all products of a slope with its part of a direction; None if there is none."""
    if slopes is None or direction is None:
        return None
    if isinstance(slopes, dict):
        pairs = [(own, direction.get(name)) for name, own in slopes.items()]
    elif isinstance(slopes, tuple | list):
        pairs = list(zip(slopes, direction, strict=True))
    else:
        return float(np.sum(np.multiply(slopes, direction)))
    terms = [term for pair in pairs if (term := _product(*pair)) is not None]
    return sum(terms[1:], terms[0]) if terms else None


def _parts(bar: Any) -> list[tuple[Any, Any]] | None:
    """The parts of a cotangent by name or place; None of a number or an array."""
    if isinstance(bar, dict):
        return list(bar.items())
    return list(enumerate(bar)) if isinstance(bar, tuple | list) else None


def _leaves(bar: Any) -> Iterator[Any]:
    for _, leaf in _by_path(bar, ()):
        yield leaf


def _by_path(bar: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    parts = _parts(bar)
    if parts is not None:
        for key, part in parts:
            yield from _by_path(part, (*path, key))
    elif bar is not None:
        yield path, bar


def _numbers_in(direction: Any) -> Iterator[tuple[Path, Any]]:
    return ((path, leaf) for path, leaf in _by_path(direction, ()) if np.ndim(leaf) == 0)


def _without(direction: Any, path: Path) -> Any:
    return _put(direction, path, lambda bar: bar, None)


def _at(slopes: Any, path: Path, value: Any) -> Any:
    """A direction that has one number alone."""
    return _put(slopes, path, lambda bar: None, value)


def _put(bar: Any, path: Path, other: Callable[[Any], Any], value: Any) -> Any:
    """A cotangent with another value at one place, and what `other` gives at all others."""
    if not path:
        return value
    first, *rest = path
    parts = {
        key: _put(part, tuple(rest), other, value) if key == first else other(part)
        for key, part in _parts(bar) or ()
    }
    return parts if isinstance(bar, dict) else rebuilt(bar, list(parts.values()))
