"""What remembers values, in forward mode: with each value, its tangent.

    @lru_cache                area(r), r_dot  ->  what was remembered for `r`, if it was for the
    def area(r): ...                              same tangents

    @cached_property          c.area          ->  the value and the tangent that were stored
    def area(self): ...

A remembered value is found by the arguments alone. Where these are equal to earlier ones and have
other tangents, the function runs again for its tangent.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from zyg.compiler.inference.objects import lookup
from zyg.compiler.run_time import from_api
from zyg.compiler.run_time.wrappers import count_call, differentiated_caches
from zyg.errors import NotDifferentiable
from zyg.held.memory_kinds import CACHED
from zyg.tangents.tangent import is_same_tangent
from zyg.tangents.tangent_objects import has_table

TangentCall = Callable[..., tuple[Any, Any]]
Values = tuple[Any, ...]
Keywords = dict[str, Any]


class _Kept:
    """A value that is remembered, and its tangents along the directions that were asked for."""

    __slots__ = ("_found", "args", "value")

    def __init__(self, value: Any, args: Values) -> None:
        self.value = value
        self.args = args
        self._found: list[tuple[Values, Any]] = []

    def note(self, dots: Values, dot: Any) -> None:
        self._found.append((dots, dot))

    def along(self, dots: Values) -> tuple[Any] | None:
        """The tangent along this direction, in a tuple; None if it was not asked for before."""
        for known, dot in self._found:
            if all(map(is_same_tangent, self.args, known, dots)):
                return (dot,)
        return None


def remembered(
    call: TangentCall, function: Any, args: Values, function_dot: Any, dots: Values,
    kwargs: Keywords, kwarg_dots: Keywords,
) -> Any:
    """The value and tangent of a call of a function that remembers; None for another callable."""
    if type(function) is not CACHED:
        return None
    key = remembered, function
    cache: _Cache | None = differentiated_caches.get(key)
    if cache is None:
        cache = differentiated_caches[key] = _Cache(function)
    kept, is_new = cache.kept(call, args, function_dot, dots, kwargs, kwarg_dots)
    count_call(function, args, kwargs)
    direction = *dots, *(kwarg_dots.get(name) for name in kwargs)
    found = kept.along(direction)
    if found is None:
        assert not is_new
        if has_table() and from_api.works_on_objects(function.__wrapped__, args, kwargs):
            raise NotDifferentiable(
                f"{function.__name__} remembers its values and works on objects, and is called "
                "for equal arguments with different tangents; use zyg.pullback"
            )
        _, dot = call(
            (function.__wrapped__, *args), (function_dot, *dots), kwargs, kwarg_dots
        )
        kept.note(direction, dot)
        return kept.value, dot
    return kept.value, found[0]


class _Cache:
    """As many values as a function remembers; arguments of different classes are told apart."""

    def __init__(self, function: Any) -> None:
        size = function.cache_parameters()["maxsize"]
        self._function = function.__wrapped__
        self._of_key = functools.lru_cache(maxsize=size, typed=True)(self._computed)
        self._call: tuple[Any, ...] = ()
        self._is_new = False

    def kept(self, *call: Any) -> tuple[_Kept, bool]:
        self._call, self._is_new = call, False
        _, args, _, _, kwargs, _ = call
        kept = self._of_key(*args, **kwargs)
        return kept, self._is_new

    def _computed(self, *args: Any, **kwargs: Any) -> _Kept:
        call, _, function_dot, dots, _, kwarg_dots = self._call
        y, dot = call((self._function, *args), (function_dot, *dots), kwargs, kwarg_dots)
        kept = _Kept(y, (*args, *kwargs.values()))
        kept.note((*dots, *(kwarg_dots.get(name) for name in kwargs)), dot)
        self._is_new = True
        return kept


def cached_property_read(call: TangentCall, function: Any, args: Values, dots: Values) -> Any:
    """The value and tangent of a cached property of what is no object on the heap; None for
    another call."""
    if function is not getattr or has_table() or len(args) != 2:
        return None
    obj, name = args
    found = lookup(type(obj), name) if isinstance(name, str) else None
    if not isinstance(found, functools.cached_property):
        return None
    stored, key = obj.__dict__, (cached_property_read, id(obj), name)
    if name not in stored:
        y, dot = call((found.func, obj), (None, dots[0]))
        stored[name] = y
        differentiated_caches[key] = obj, y, dot
    elif key not in differentiated_caches or differentiated_caches[key][1] is not stored[name]:
        raise NotDifferentiable(
            f"the cached property `{name}` of this {type(obj).__name__} was computed before, so "
            "that nothing is known of what it was computed from; delete it first, with "
            f"`del x.{name}`"
        )
    _, y, dot = differentiated_caches[key]
    return y, dot
