"""Operators, calls and iteration of objects of the user's classes, at run time.

    v + w      ->  type(v).__add__(v, w), or type(w).__radd__(w, v)
    o(x)       ->  type(o).__call__(o, x)

Each is looked up as Python does it, and the method that is found is differentiated.
"""

from __future__ import annotations

import enum
import functools
import itertools
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ir.generators import (
    Generator,
    advanced,
    iterated,
    sending,
    settled,
    started,
    throwing,
)
from ir.heap import new_object
from ir.library.container_facts import DICT_ITEMS
from ir.primitives import UNBOUND
from zyg.compiler.inference.asked_for_keys import mapping_of
from zyg.compiler.inference.constructors import constructor, has_rule_of_user, is_derived_class
from zyg.compiler.inference.objects import (
    COMPARISONS,
    INIT_OF_ERRORS,
    OPERATORS,
    Back,
    Differentiate,
    is_error,
    is_sparse_matrix,
    lookup,
    overloads,
)
from zyg.compiler.inference.plain_operands import unless_product_of_matrices
from zyg.compiler.inference.stepping import consumer_of, step_of
from zyg.compiler.run_time import from_api
from zyg.compiler.run_time.object_attributes import Made, attribute, changed_attribute
from zyg.compiler.run_time.object_backs import (
    STORES,
    Through,
    alone,
    as_callee,
    as_constructor,
    differentiated,
    picked,
    swapped,
)
from zyg.cotangents.cotangent import from_items
from zyg.cotangents.missing_items import makes_missing
from zyg.errors import NotDifferentiable
from zyg.held.held_views import VIEWS, bars_of_view, dict_of
from zyg.held.iterators import Steps, step_bars
from zyg.held.made_errors import is_made
from zyg.held.readers import Once, Taken
from zyg.held.shadow_calls import current_shadows, is_running
from zyg.rules.generators import each_pair, each_value
from zyg.rules.taking_all import listed, taken
from zyg.signature import by_identity, is_users


def call_of_object(
    pullback: Differentiate, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Back] | None:
    """The value and the back function of a call that a user's class answers; None if none does."""
    if function is sum and args and isinstance(args[0], Once):
        return pullback(sum, list(args[0]), *args[1:], **kwargs)  # which looks at them before
    if function is sum and args and hasattr(args[0], "__len__"):
        if any(overloads(type(x), name) for x in args[0] for name in ("__add__", "__radd__")):
            return _added(pullback, args[0], *args[1:], *kwargs.values())
    if not kwargs and any(function is store for store in STORES):
        return changed_attribute(pullback, function, *args)
    if id(function) in INIT_OF_ERRORS and args and not kwargs and is_made(args[0]):
        if isinstance(args[0], StopIteration) and len(args) > 1:
            raise NotDifferentiable(
                "a StopIteration that holds numbers is made by a function which is found when the "
                "program runs; call that by its name"
            )
        _, back = changed_attribute(pullback, setattr, args[0], "args", args[1:])
        return None, Through(back, functools.partial(_of_held, len(args) - 1))
    if getattr(function, "__module__", None) in ("copy", "dataclasses"):
        from zyg.compiler.run_time.deep_copies import copied  # which few programs need

        return copied(pullback, function, args, kwargs)
    if function is advanced:
        return _step(pullback, *args)
    if (function is sending or function is throwing) and not isinstance(args[0], Generator):
        raise NotDifferentiable(
            f"`{function.__name__[:-3]}` of a {type(args[0]).__name__} in `try` can't be "
            "differentiated; call it before"
        )
    if function is settled:
        return _settled(pullback, *args)
    if function is started:
        return _iterator(pullback, *args)
    mapping = mapping_of(function, args)
    if mapping is not None:
        return _with_items(pullback, function, *mapping, args, kwargs)
    consumer = consumer_of(function, args)
    if consumer is not None:
        return pullback(consumer, *args, **kwargs)
    if function is getattr:
        return attribute(pullback, *args) if 1 < len(args) < 4 and not kwargs else None
    if function is operator.getitem and len(args) == 2 and makes_missing(*args):
        return differentiated(pullback, lookup(type(args[0]), "__missing__"), *args)
    names = OPERATORS.get(id(function))
    if names is not None and function is not operator.matmul and any(
        is_sparse_matrix(type(arg)) for arg in args
    ):
        unless_product_of_matrices(function, *args)
    if function is pow and len(args) == 3 and overloads(type(args[0]), "__pow__"):
        return differentiated(pullback, lookup(type(args[0]), "__pow__"), *args)
    if names is not None and not kwargs and 0 < len(args) < 3:
        asked = zip(args, names, strict=False)
        if any(name is not None and overloads(type(arg), name) for arg, name in asked):
            if names[1] is None:
                return differentiated(pullback, lookup(type(args[0]), names[0]), *args)
            return _operator(pullback, function, names[0], names[1], args)
    if isinstance(function, type) and is_derived_class(function):
        from zyg.rules.derived_classes import made_of  # few programs need it

        y, back = pullback(made_of, function, *args, **kwargs)
        return y, Through(back, as_callee)
    if isinstance(function, type) and is_running() and not is_error(function):
        if has_rule_of_user(function):
            raise NotDifferentiable(
                f"a {function.__name__} is made, which has a rule of its own, in code that follows "
                "what objects hold; make it outside, and pass it on, or give rules to its methods"
            )
        made = constructor(function, kwargs)
        if made is not None and made.init is None:
            count = 1 + len(args) + len(kwargs)
            made_bars = functools.partial(_picked_none, count)
            return function(*args, **kwargs), Through(alone, made_bars)
        obj = None if made is None else new_object(function)
        why_not = from_api.why_not_compiled
        if made is not None and (kwargs or why_not(made.init, (obj, *args)) is None):
            _, back = pullback(made.init, obj, *args, **kwargs)
            return obj, Through(Made(back, obj), as_constructor)
    cls = type(function)
    is_asked = is_users(cls) or isinstance(function, enum.Enum)
    if is_asked and id(function) not in by_identity:
        call = lookup(cls, "__call__")
        if isinstance(call, types.FunctionType):
            y, back = pullback(call, function, *args, **kwargs)
            return y, Through(back, as_callee)
    return None


def _of_held(count: int, bars: Any) -> tuple[Any, ...]:
    """The cotangents of what an exception is given, from that of the tuple that it holds."""
    return None, None, *(bars[3] or (None,) * count)


def _step(pullback: Differentiate, obj: Any, *given: Any) -> tuple[Any, Back]:
    """The next step of an iterator that is found at run time."""
    step = step_of(type(obj))
    if isinstance(obj, Taken) and not any(one is not None for one in given):
        return obj.step(), TakenBack(obj, len(given))
    if type(obj) is itertools.count:  # what tells apart events of one time
        item = next(obj)
        if type(item) is int:
            nothing = functools.partial(_picked_none, 2 + len(given))
            return (True, item, UNBOUND), Through(alone, nothing)
    if type(obj) is np.ndindex:  # it gives indices
        return Taken(obj).step(), Through(alone, functools.partial(_picked_none, 2 + len(given)))
    if step is None:
        raise NotDifferentiable(
            f"`next` and generators take items out of a {type(obj).__name__}, which can't be "
            "differentiated here; make a list of its items"
        )
    if step.__code__.co_argcount > 1:
        return pullback(step, obj, *given)
    y, back = pullback(step, obj)
    return y, Through(back, functools.partial(_first_of, len(given)))


def _first_of(missing: int, bars: Any) -> tuple[Any, ...]:
    return (*bars, *(None,) * missing)


def _iterator(pullback: Differentiate, obj: Any) -> tuple[Any, Back]:
    """What is iterated over by steps, of what is found at run time."""
    cls = type(obj)
    if overloads(cls, "__iter__"):
        y, back = pullback(lookup(cls, "__iter__"), obj)
        if step_of(type(y)) is not None:
            return y, back
        again, last = _iterator(pullback, y)
        return again, Through(last, functools.partial(_behind, back))
    if step_of(cls) is not None or cls is Taken:  # an iterator is its own
        return obj, Through(alone, functools.partial(picked, 0, 1, 2))
    if hasattr(obj, "__next__") or isinstance(obj, Once):
        items = Taken(obj)
        return items, StartedBack(items)
    if isinstance(obj, VIEWS):
        shown = dict_of(obj)
        y, back = pullback(each_pair if isinstance(obj, DICT_ITEMS) else each_value, shown)
        return y, Through(back, functools.partial(_as_view, obj, tuple(shown)))
    return pullback(iterated, obj)


def _as_view(view: Any, keys: tuple[Any, ...], bars: Any) -> tuple[Any, ...]:
    return None, None if bars[1] is None else bars_of_view(bars[1], view, keys)


class TakenBack:
    """The back function of taking an item out of a plain iterator."""

    __slots__ = ("_missing", "_position", "items")

    def __init__(self, items: Taken, missing: int) -> None:
        self.items = items
        self._missing = missing
        self._position = items.count - 1 if items.is_alive else None

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        item_bar = None if y_bar is None else y_bar[1]
        if self._position is not None:
            current_shadows().add(self.items, str(self._position), item_bar)
        return (None, None, *(None,) * self._missing)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> TakenBack:
        return self


class StartedBack:
    """The back function of beginning to take items out of a plain iterator, one by one."""

    __slots__ = ("items",)

    def __init__(self, items: Taken) -> None:
        self.items = items

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        bars = [shadows.take(self.items, str(i)) for i in range(self.items.count)]
        if all(bar is None for bar in bars):
            return None, None
        return None, from_items(bars, self.items.source)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> StartedBack:
        return self


def _settled(pullback: Differentiate, items: Any, count: int | None) -> tuple[Any, Back]:
    """The items of what may be an iterator that goes on by steps, or an object that makes one,
    where all are taken."""
    cls = type(items)
    if overloads(cls, "__iter__"):
        y, back = pullback(lookup(cls, "__iter__"), items)
        again, last = _settled(pullback, y, count)
        return again, Through(last, functools.partial(_as_items, back))
    if step_of(cls) is None:
        return items, Through(alone, functools.partial(picked, 0, 1, 3))
    y, back = pullback(listed, items) if count is None else pullback(taken, items, count)
    return y, back if count is not None else Through(back, functools.partial(_first_of, 1))


def _with_items(
    pullback: Differentiate, function: Any, place: int, maker: Any, args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, Back]:
    """A call that makes a dict of an object, in two steps: `maker` gives its items."""
    items, first = pullback(maker, args[place])
    y, back = pullback(function, *args[:place], items, *args[place + 1 :], **kwargs)
    return y, Through(back, functools.partial(_as_mapping, first, place + 1))


def _as_mapping(back: Back, place: int, bars: Any) -> tuple[Any, ...]:
    return *bars[:place], back(bars[place])[1], *bars[place + 1 :]


def _behind(back: Back, bars: Any) -> tuple[Any, ...]:
    return back(bars[1])


def _as_items(back: Back, bars: Any) -> tuple[Any, ...]:
    return None, back(bars[1])[1], None


def _added(pullback: Differentiate, items: Any, *start: Any) -> tuple[Any, Back]:
    """`sum` of objects that overload `+`."""
    steps = Steps(pullback, operator.add)
    initial = start[0] if start else 0
    totals = list(steps.over(items, initial))

    def back(y_bar: Any) -> tuple[Any, ...]:
        bars = [*(None for _ in totals[1:]), y_bar]
        items_bar, _, start_bar = step_bars(bars, steps, items, initial)
        return (None, items_bar, start_bar)[: 2 + len(start)]

    return totals[-1], back


def _operator(
    pullback: Differentiate, function: Any, name: str, reflected: str, args: tuple[Any, ...]
) -> tuple[Any, Back]:
    if len(args) != 2:
        raise NotDifferentiable(
            f"{function.__name__} of an object takes two arguments in differentiated code"
        )
    for method, is_swapped in _candidates(name, reflected, *args):
        given = args[::-1] if is_swapped else args
        y, back = differentiated(pullback, method, *given)
        if y is not NotImplemented:
            return y, Through(back, swapped) if is_swapped else back
    return _declined(function, args), Through(alone, functools.partial(_picked_none, 3))


def _declined(function: Any, args: tuple[Any, ...]) -> Any:
    """What an operator gives that no method in Python answers: Python's error, or what compares
    identities. NumPy's numbers and arrays answer, too, by calling such methods from C.
    """
    y = function(*args)
    if function not in COMPARISONS and any(isinstance(x, np.ndarray | np.generic) for x in args):
        kinds = " and ".join(type(x).__name__ for x in args)
        raise NotDifferentiable(
            f"`{function.__name__}` of {kinds}, which no method in Python takes, is taken apart by "
            "NumPy; make a float of a number first, with float(x)"
        )
    return y


def attempted_operator(
    attempt: Differentiate, function: Any, args: tuple[Any, ...]
) -> tuple[Any, Back] | None:
    """An operator's pair of an error, or None, and its value; None if no user's class answers."""
    name, reflected = OPERATORS.get(id(function), (None, None))
    if name is None or len(args) > 2 or not any(
        of is not None and overloads(type(arg), of)
        for arg, of in zip(args, (name, reflected), strict=False)
    ):
        return None
    if reflected is None:
        return attempt(lookup(type(args[0]), name), *args)
    for method, is_swapped in _candidates(name, reflected, *args):
        pair, back = attempt(method, *(args[::-1] if is_swapped else args))
        if pair[1] is not NotImplemented:
            return pair, Through(back, swapped) if is_swapped else back
    return (None, _declined(function, args)), Through(alone, functools.partial(_picked_none, 3))


def _picked_none(count: int, bars: Any) -> tuple[Any, ...]:
    return (None,) * count


def _candidates(name: str, reflected: str, x: Any, y: Any) -> Iterator[tuple[Any, bool]]:
    """The methods that an operator asks, in their order, and whether the operands are swapped.

    Those of numbers and texts, written in C, give way to methods in Python.
    """
    left, right = lookup(type(x), name), lookup(type(y), reflected)
    if type(x) is type(y) and (name, reflected) not in COMPARISONS.values():
        right = None
    is_subclass = type(y) is not type(x) and issubclass(type(y), type(x))
    order = [(left, False), (right, True)]
    if is_subclass and right is not lookup(type(x), reflected):
        order.reverse()
    elif (
        isinstance(x, np.ndarray) or (isinstance(x, np.generic) and _is_like_array(type(y)))
    ) and not _gives_way(type(y)):
        kind = "an array" if isinstance(x, np.ndarray) else "a number of NumPy"
        raise NotDifferentiable(
            f"{kind} in front of an object of class {type(y).__name__} takes the operator apart "
            "item by item; put the object in front, or set its class's `__array_ufunc__` to None"
        )
    elif isinstance(x, str | bytes) and name == "__mod__":
        return
    yield from [(method, swap) for method, swap in order if hasattr(method, "__code__")]


def _is_like_array(cls: type) -> bool:
    """Whether NumPy makes an array of such an object, which has items."""
    has_items = hasattr(cls, "__len__") and hasattr(cls, "__getitem__")
    return has_items or hasattr(cls, "__array__") or hasattr(cls, "__array_interface__")


def _gives_way(cls: type) -> bool:
    """Whether NumPy leaves an operator to this class."""
    return getattr(cls, "__array_ufunc__", True) is None or (
        getattr(cls, "__array_priority__", 0) > 0
    )
