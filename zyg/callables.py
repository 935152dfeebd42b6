"""Calls of NamedTuple classes and of `functools.partial` objects, looked into at run time.

Each gives the value and a back function: y_bar -> the cotangents of the callee, of each positional
argument and of each keyword argument. The cotangent of a NamedTuple is a tuple, of a partial
function `{"func": ..., "args": ..., "keywords": ...}`.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable
from typing import Any, TypeAlias

from zyg.cotangent import from_items, keyword_bar
from zyg.cotangent_items import item
from zyg.iterators import items_of

Back: TypeAlias = Callable[[Any], tuple[Any, ...]]
Keywords: TypeAlias = dict[str, Any]


def is_named_tuple(cls: Any) -> bool:
    """Whether calling this class does no more than to make a NamedTuple."""
    if not isinstance(cls, type) or not issubclass(cls, tuple) or not hasattr(cls, "_fields"):
        return False
    maker = next(base for base in cls.__mro__ if "__new__" in base.__dict__)
    return "_fields" in maker.__dict__ and cls.__init__ is object.__init__


def named_tuple(cls: Any, *args: Any, **kwargs: Any) -> tuple[Any, Back]:
    positions = [*range(len(args)), *(cls._fields.index(name) for name in kwargs)]
    y = cls(*args, **kwargs)
    return y, lambda y_bar: (None, *(item(y_bar, i) for i in positions))


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
    if code is _REPLACE and len(args) == 1:
        y = function(*args, **kwargs)
        return y, _Replaced(y._fields, tuple(kwargs))
    if code is _AS_DICT and len(args) == 1 and not kwargs:
        return function(*args), _AsDict(args[0]._fields)
    if code is _MAKE and len(args) == 2 and not kwargs:
        items = items_of(args[1])
        return function(args[0], items), lambda y_bar: (None, None, from_items(y_bar, items))
    return None


class _Replaced:
    """The back function of `_replace`: a field that was replaced has no part of the old tuple."""

    def __init__(self, fields: tuple[str, ...], replaced: tuple[str, ...]) -> None:
        self._fields = fields
        self._replaced = replaced

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is None:
            return (None,) * (2 + len(self._replaced))
        bar_of = dict(zip(self._fields, y_bar, strict=True))
        kept = tuple([None if n in self._replaced else bar_of[n] for n in self._fields])
        return None, kept, *(bar_of[name] for name in self._replaced)


class _AsDict:
    """The back function of `_asdict`."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._fields = fields

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is None:
            return None, None
        return None, tuple([y_bar.get(name) for name in self._fields])


def partial(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Back]:
    """Making a partial function."""
    y = functools.partial(function, *args, **kwargs)
    return y, lambda y_bar: _partial_bars(y_bar, y, function, args, kwargs)


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
    held = len(function.args)

    def call_back(y_bar: Any) -> tuple[Any, ...]:
        own, *bars = back(y_bar)
        pairs = zip(keywords, bars[held + len(args) :], strict=True)
        bar_of = {n: keyword_bar(bar, n, keywords[n]) for n, bar in pairs}
        function_bar = {
            "func": own,
            "args": tuple(bars[:held]),
            "keywords": {n: bar_of[n] for n in function.keywords if n not in kwargs},
        }
        return function_bar, *bars[held : held + len(args)], *(bar_of[n] for n in kwargs)

    return y, call_back
