"""Calls of NamedTuple classes and of `functools.partial` objects, looked into at run time.

Each gives the value and a back function: y_bar -> the cotangents of the callee, of each positional
argument and of each keyword argument. The cotangent of a NamedTuple is a tuple, of a partial
function `{"func": ..., "args": ..., "keywords": ...}`.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeAlias

from ir.derived import is_named_tuple
from zyg.cotangents.cotangent import from_items
from zyg.cotangents.cotangent_items import item
from zyg.cotangents.cotangent_returned import keyword_bar
from zyg.errors import NotDifferentiable
from zyg.held.iterators import items_of

Back: TypeAlias = Callable[[Any], tuple[Any, ...]]
Keywords: TypeAlias = dict[str, Any]


class _Back:
    """The back function of a call: a function of `y_bar` and of what the call leaves for it."""

    def __init__(self, bars: Callable[..., tuple[Any, ...]], *held: Any) -> None:
        self._bars = bars
        self._held = held

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return self._bars(y_bar, *self._held)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> _Back:
        return _Back(self._bars, *map(copy, self._held))


def named_tuple(cls: Any, *args: Any, **kwargs: Any) -> tuple[Any, Back]:
    positions = (*range(len(args)), *(cls._fields.index(name) for name in kwargs))
    return cls(*args, **kwargs), _Back(_bars_of_items, positions)


def _bars_of_items(y_bar: Any, positions: tuple[int, ...]) -> tuple[Any, ...]:
    return None, *(item(y_bar, i) for i in positions)


_METHODS = namedtuple("_METHODS", "field")
_REPLACE, _MAKE, _AS_DICT = (getattr(method, "__code__", None) for method in (
    vars(_METHODS)["_replace"], vars(_METHODS)["_make"].__func__, vars(_METHODS)["_asdict"]
))


def method_of_named_tuple(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Back] | None:
    """`_replace`, `_make` and `_asdict`, as functions of the tuple or class; None for others."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    unless_own_fields(function, args)
    if code is _REPLACE and len(args) == 1:
        y = function(*args, **kwargs)
        return y, _Back(_bars_of_replaced, y._fields, tuple(kwargs))
    if code is _AS_DICT and len(args) == 1 and not kwargs:
        return function(*args), _Back(_bars_of_dict, args[0]._fields)
    if code is _MAKE and len(args) == 2 and not kwargs:
        items = items_of(args[1])
        return function(args[0], items), _Back(_bars_of_iterable, items)
    return None


def unless_own_fields(function: Any, args: tuple[Any, ...]) -> None:
    """Raises for these functions of a class that says itself what items or fields are, which they
    follow."""
    is_one = type(function) is FunctionType and function.__code__ in (_REPLACE, _MAKE, _AS_DICT)
    if not args or not is_one:
        return
    cls = args[0] if isinstance(args[0], type) else type(args[0])
    if not is_named_tuple(cls):
        raise NotDifferentiable(
            f"`{function.__name__}` of {cls.__name__}, which replaces what a NamedTuple has, can't "
            "be differentiated; make the object by its class"
        )


def _bars_of_replaced(
    y_bar: Any, fields: tuple[str, ...], replaced: tuple[str, ...]
) -> tuple[Any, ...]:
    """A field that was replaced has no part of the old tuple."""
    if y_bar is None:
        return (None,) * (2 + len(replaced))
    bar_of = dict(zip(fields, y_bar, strict=True))
    kept = tuple([None if name in replaced else bar_of[name] for name in fields])
    return None, kept, *(bar_of[name] for name in replaced)


def _bars_of_dict(y_bar: Any, fields: tuple[str, ...]) -> tuple[Any, ...]:
    if y_bar is None:
        return None, None
    return None, tuple([y_bar.get(name) for name in fields])


def _bars_of_iterable(y_bar: Any, items: Any) -> tuple[Any, ...]:
    return None, None, from_items(y_bar, items)


def partial(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Back]:
    """Making a partial function."""
    y = functools.partial(function, *args, **kwargs)
    return y, _Back(_partial_bars, y, function, args, kwargs)


def _partial_bars(
    y_bar: Any, y: functools.partial[Any], function: Any, args: tuple[Any, ...], kwargs: Keywords
) -> tuple[Any, ...]:
    """A partial function of a partial function holds the arguments of both."""
    if y_bar is None:
        return (None,) * (2 + len(args) + len(kwargs))
    inner = len(y.args) - len(args)
    arg_bars = y_bar.get("args") or (None,) * len(y.args)
    bars = y_bar.get("keywords") or {}
    function_bar = y_bar.get("func")
    if y.func is not function:
        function_bar = {
            "func": function_bar,
            "args": arg_bars[:inner],
            "keywords": {n: bars.get(n) for n in function.keywords if n not in kwargs},
        }
    return None, function_bar, *arg_bars[inner:], *(bars.get(n) for n in kwargs)


def call_of_partial(
    pullback: Any, function: functools.partial[Any], args: tuple[Any, ...], kwargs: Keywords
) -> tuple[Any, Back]:
    """A call of a partial function, as the call of the function in it."""
    keywords = {**function.keywords, **kwargs}
    y, back = pullback(function.func, *function.args, *args, **keywords)
    counts = len(function.args), len(args)
    own = tuple([name for name in function.keywords if name not in kwargs])
    return y, _Back(_bars_of_call, back, counts, keywords, own, tuple(kwargs))


def _bars_of_call(
    y_bar: Any, back: Back, counts: tuple[int, int], keywords: Keywords,
    own: tuple[str, ...], given: tuple[str, ...],
) -> tuple[Any, ...]:
    function_bar, *bars = back(y_bar)
    held, count = counts
    pairs = zip(keywords, bars[held + count :], strict=True)
    bar_of = {name: keyword_bar(bar, name, keywords[name]) for name, bar in pairs}
    callee_bar = {
        "func": function_bar,
        "args": tuple(bars[:held]),
        "keywords": {name: bar_of[name] for name in own},
    }
    return callee_bar, *bars[held : held + count], *(bar_of[name] for name in given)
