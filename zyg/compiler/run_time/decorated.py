"""Calls of what decorators of the standard library make: looked through at run time.

    @lru_cache            area(r)   ->  the wrapped function, differentiated once per argument
    def area(r): ...                    (zyg.compiler.run_time.remembered)

    @singledispatch       size(x)   ->  the function that is registered for the class of `x`
    def size(x): ...
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import Any, TypeAlias

from ir import facts
from zyg.compiler.forward.captured import captured_by
from zyg.compiler.run_time.object_backs import Through
from zyg.compiler.run_time.wrappers import counting_of, forget_values
from zyg.errors import NotDifferentiable
from zyg.held.memory_kinds import CACHED
from zyg.rules.functional import (
    call_method,
    get_attribute,
    get_item,
    get_several,
    lru_cache,
)
from zyg.rules.registry import constant
from zyg.signature import is_dispatching

Back: TypeAlias = Callable[[Any], tuple[Any, ...]]
Differentiate: TypeAlias = Callable[..., tuple[Any, Back]]

# The function that `lru_cache(maxsize=2)` gives.
_DECORATING = next(
    (
        code for code in functools.lru_cache.__code__.co_consts
        if isinstance(code, types.CodeType) and {"maxsize", "typed"} <= {*code.co_freevars}
        and code.co_varnames[:1] == ("user_function",)
    ),
    None,
)
DISPATCHING_METHOD = next(
    (
        code for code in functools.singledispatchmethod.__get__.__code__.co_consts
        if isinstance(code, types.CodeType) and {"cls", "obj"} <= {*code.co_freevars}
    ),
    None,
)


def call_of_decorated(
    pullback: Differentiate, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Back] | None:
    """The value and the back function of such a call; None for other callables."""
    if type(function) is CACHED:
        from zyg.compiler.run_time import remembered  # few programs need it

        return remembered.call(pullback, function, args, kwargs)
    chosen = dispatched(function, args)
    if chosen is not None:
        return pullback(chosen, *args, **kwargs)
    bound = bound_by_class(function, args)
    if bound is not None:
        y, back = pullback(bound, *args, **kwargs)
        return y, Through(back, of_bound)
    if is_getter(function) and len(args) == 1 and not kwargs:
        callee, given, keywords = read_by(function, args[0])
        y, back = pullback(callee, *given, **keywords)
        return y, Through(back, _of_first)
    return None


def decorator_like(function: Any) -> Any:
    """In the place of what `lru_cache(...)` gives, whose code is that of the cache, its like."""
    if _DECORATING is None or function.__code__ is not _DECORATING:
        return function
    held = captured_by(function)
    like: Callable[..., Any] = lru_cache
    return like(held["maxsize"], held["typed"])


def is_method_of_cache(function: Any) -> bool:
    """Whether a callable is `f.cache_clear`, say, of a cached function."""
    is_of_c = isinstance(function, types.BuiltinMethodType)
    return is_of_c and type(function.__self__) is CACHED


def method_of_cache(method: Any) -> Any:
    """In the place of a method of a cached function, what does the same to what differentiated
    calls remember; other callables as they are."""
    if not is_method_of_cache(method):
        return method
    function = method.__self__
    if method.__name__ == "cache_clear":
        forget_values(function)
    if method.__name__ == "cache_info":
        counting = counting_of(function)
        if counting is None:
            return method
        if any(method()[:2]):
            raise NotDifferentiable(
                f"`cache_info` of {function.__name__}, of which some calls were differentiated and "
                "others were not: they have caches of their own; clear it before"
            )
        return counting.cache_info
    return method


def clear_cache(function: Any) -> None:
    """What `function.cache_clear()` does for plain and for differentiated calls."""
    method_of_cache(function.cache_clear)()


def info_of_cache(function: Any) -> Any:
    """What `function.cache_info()` tells of plain or of differentiated calls."""
    return method_of_cache(function.cache_info)()


constant(clear_cache, info_of_cache)
facts.effect(clear_cache, info_of_cache)


def dispatched(function: Any, args: tuple[Any, ...]) -> Any:
    """The function that one by `singledispatch` calls; None for other callables."""
    if not args or not is_dispatching(function):
        return None
    return function.dispatch(args[0].__class__)


def bound_by_class(function: Any, args: tuple[Any, ...]) -> Any:
    """The method that one by `functools.singledispatchmethod`, bound to an object, calls; None for
    other callables."""
    code = getattr(function, "__code__", None)
    if not args or code is None or code is not DISPATCHING_METHOD:
        return None
    held = captured_by(function)
    dispatch = held["dispatch"] if "dispatch" in held else held["self"].dispatcher.dispatch
    return dispatch(args[0].__class__).__get__(held["obj"], held["cls"])


def of_bound(bars: Any) -> tuple[Any, ...]:
    """The cotangents of a call of such a function, from those of a call of the method."""
    own, *rest = bars
    return None if own is None else {"obj": own.get("__self__")}, *rest


_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def is_getter(function: Any) -> bool:
    """Whether a callable is one of those that `operator` makes."""
    return type(function) in _GETTERS


def read_by(function: Any, obj: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """What such a callable does with an object, as a call whose first argument that is.

    What it holds is a constant.
    """
    maker, held = function.__reduce__()
    if type(function) is operator.methodcaller:
        keywords = maker.keywords if isinstance(maker, functools.partial) else {}
        return call_method, (obj, *((*maker.args, *held) if keywords else held)), keywords
    read = get_item if type(function) is operator.itemgetter else get_attribute
    if len(held) == 1:
        return read, (obj, held[0]), {}
    return get_several, (obj, read, held), {}


def _of_first(bars: Any) -> tuple[Any, ...]:
    """The cotangents of a call of one argument; what else was passed is a constant."""
    return None, bars[1]
