"""Substitutes of functions that call functions: plain Python, whose code is differentiated."""

from __future__ import annotations

import functools
import operator

from ir import facts, primitives
from ir.memory.held_walks import item_at
from ir.types import Scalar
from zyg.held.iterators import items_of
from zyg.held.memory_kinds import FUNCTIONS
from zyg.rules.registry import Unread, adjoint, constant, goes_beyond, stand_in, substitute


class MISSING:
    """The default of a parameter that has none: a class, of which it is known which one it is."""


NOTHING = "reduce() of empty iterable with no initial value"


@substitute(functools.reduce)
def reduce(function, iterable, initial=MISSING, /):
    if initial is not MISSING:
        for item in iterable:
            initial = function(initial, item)
        return initial
    if isinstance(iterable, (list, tuple)):
        if len(iterable) == 0:
            raise TypeError(NOTHING)
        total = iterable[0]
        for position in range(1, len(iterable)):  # the function may change what is ahead
            total = function(total, iterable[position])
        return total
    total = MISSING
    for item in iterable:
        total = item if total is MISSING else function(total, item)
    if total is MISSING:
        raise TypeError(NOTHING)
    return total


@substitute(primitives.augmented_part)
def augmented_part(operation, plain, is_array, before, value):
    return plain(before, value) if is_array else operation(before, value)


@substitute(item_at)
def item_at_(items, position):
    return position if isinstance(items, dict) else items[position]


@substitute(max)
def max_with(*candidates, key=None, default=MISSING):
    if len(candidates) != 1:
        return several(max, candidates, default)[position_of(max, candidates, key)]
    items = items_of(candidates[0])
    if len(items) == 0 and default is not MISSING:
        return default
    return items[position_of(max, items, key)]


@substitute(min)
def min_with(*candidates, key=None, default=MISSING):
    if len(candidates) != 1:
        return several(min, candidates, default)[position_of(min, candidates, key)]
    items = items_of(candidates[0])
    if len(items) == 0 and default is not MISSING:
        return default
    return items[position_of(min, items, key)]


def several(extreme, candidates, default):
    """The arguments of `max` or `min`, which must be one or more, and then without a default."""
    if default is not MISSING or len(candidates) == 0:
        refuse(extreme, candidates, {} if default is MISSING else {"default": default})
    return candidates


def refuse(extreme, args, kwargs):
    """Raises the error that Python has for such a call."""
    extreme(*args, **kwargs)


def position_of(extreme, items, key):
    """Where the first of the largest or smallest items stands; `key` is called once for each."""
    keys = items if key is None else [key(item) for item in items]
    if len(keys) == 0:
        refuse(extreme, (keys,), {})
    return extreme(range(len(keys)), key=keys.__getitem__)


constant(refuse, position_of)


@facts.result(position_of)
def type_of_position(args, kwargs):
    return Scalar(int)


# The callables that `operator` makes


@substitute(operator.methodcaller)
def methodcaller(name, /, *args, **kwargs):
    return lambda obj: getattr(obj, name)(*args, **kwargs)


def call_method(obj, name, /, *args, **kwargs):
    return getattr(obj, name)(*args, **kwargs)


def get_item(obj, key):
    return obj[key]


def get_attribute(obj, path):
    for name in path.split("."):
        obj = getattr(obj, name)
    return obj


def get_several(obj, read, keys):
    return tuple([read(obj, key) for key in keys])


@adjoint(functools.update_wrapper)
def update_wrapper(
    wrapper, wrapped, assigned=functools.WRAPPER_ASSIGNMENTS, updated=functools.WRAPPER_UPDATES
):
    y = functools.update_wrapper(wrapper, wrapped, assigned, updated)
    return y, lambda y_bar: (y_bar, wrapped_bar(y_bar), None, None)


@goes_beyond(functools.update_wrapper)
def wraps_object(wrapper=None, *others, **options):
    """Whether this is no function, but an object that is called like one."""
    cls = wrapper.cls if isinstance(wrapper, Unread) else type(wrapper)
    return cls is not None and not issubclass(cls, FUNCTIONS)


@stand_in(functools.update_wrapper)
def update_object(
    wrapper, wrapped, assigned=functools.WRAPPER_ASSIGNMENTS, updated=functools.WRAPPER_UPDATES
):
    describe(wrapper, wrapped, assigned, updated)
    wrapper.__wrapped__ = wrapped
    return wrapper


def describe(wrapper, wrapped, assigned, updated):
    functools.update_wrapper(wrapper, wrapped, assigned, updated)


constant(describe)


def wrapped_bar(y_bar):
    """The cotangent of `f.__wrapped__`, which stands beside those of what `f` has captured."""
    return y_bar.get("__wrapped__") if isinstance(y_bar, dict) else None


# Functions that remember what they gave; `zyg.compiler.run_time.decorated` looks through calls of
# them


@substitute(functools.lru_cache)
def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return remembering(maxsize, 128, typed)
    return lambda function: remembering(function, maxsize, typed)


@substitute(functools.cache)
def cache(user_function, /):
    return remembering(user_function, None, False)


def remembering(function, maxsize, typed):
    return functools.lru_cache(maxsize, typed)(function)


@adjoint(remembering)
def remembering_(function, maxsize, typed):
    return remembering(function, maxsize, typed), lambda y_bar: (y_bar, None, None)
