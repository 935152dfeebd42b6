"""Calls that were found at run time by a gradient which is itself differentiated.

    y, back = pullback_call(f, x)         in the inner gradient, whose code is differentiated:

    (y, back), back_of_call = pullback_call(pullback_call, f, x)
    bars, back_of_back = pullback_call(back, y_bar)

What the inner gradient calls is code: the forward and the back function of `f`, or the rule and
the back function that it returned. Calls of these are differentiated as any others.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.derived import is_named_tuple
from ir.late import late
from zyg.compiler.nested.contents_objects import has_contents
from zyg.compiler.nested.found_calls import (
    Found,
    found_call,
    reads_texts,
    refuse_objects,
    unless_on_objects,
)
from zyg.compiler.nested.nested_backs import (
    ArrangedBack,
    OuterBack,
    is_zero,
    made_of_arguments,
    of_apply,
)
from zyg.compiler.run_time import from_api
from zyg.errors import NotDifferentiable
from zyg.held.held_memory import is_known
from zyg.held.memory_kinds import CACHED, is_memory
from zyg.held.shadow_calls import current_shadows, is_running
from zyg.rules.registry import is_constant, rule_of, takes_pullback
from zyg.signature import BackFunction
from zyg.tangents.tangent_objects import has_table

if TYPE_CHECKING:
    from zyg.compiler.nested import remembered_twice
    from zyg.compiler.run_time import decorated, dynamic, refusals, rule_backs
    from zyg.compiler.run_time.seen_objects import SeenValue
else:  # which is on top of this
    decorated = late("zyg.compiler.run_time.decorated")
    dynamic = late("zyg.compiler.run_time.dynamic")
    refusals = late("zyg.compiler.run_time.refusals")
    remembered_twice = late("zyg.compiler.nested.remembered_twice")
    rule_backs = late("zyg.compiler.run_time.rule_backs")

Values = tuple[Any, ...]
Bars = tuple[Any, ...]


def pullback_of_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """What `pullback_call(pullback_call, function, *args)` gives."""
    count = 2 + len(args) + len(kwargs)
    if _is_constant(function, args, kwargs):
        function = decorated.method_of_cache(function)
        zero = rule_backs.Zero(count - 1)
        return (function(*args, **kwargs), zero), rule_backs.Zero(count)
    seen = see_all((function, *args, *kwargs.values())) if is_running() else None
    linear = made_of_arguments(function, args, kwargs)
    if linear is not None:
        y, linear_back = linear

        def back_of_linear(back: Any, pair_bar: Any) -> Bars:
            bars = back(None if pair_bar is None else pair_bar[0])
            return None, *(bars if seen is None else leave_all(seen, bars))

        return (y, linear_back), OuterBack(linear_back, back_of_linear)
    if isinstance(function, BackFunction):
        return _pair_of_back(function, *args)
    if function is dynamic.pullback_call:
        return _pair_of_pair(args[0], args[1:], kwargs)
    if type(function) is CACHED:
        unless_on_objects(function, args, kwargs)
        return remembered_twice.pullback_of_remembered(pullback_apart, function, args, kwargs)
    return _pair_of_found(found_call(function, args, kwargs), count, seen)


def pullback_apart(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The same for a function that leaves objects alone, wherever it is called."""
    return _pair_of_found(found_call(function, args, kwargs), 2 + len(args) + len(kwargs), None)


def _pair_of_found(
    found: Found, count: int, seen: list[SeenValue] | None
) -> tuple[Any, Any]:
    whole, back = from_api.compile_call(found.forward, *found.inputs, **found.keywords)
    y, held = whole

    def back_of_call(back: Any, pair_bar: Any) -> Bars:
        if pair_bar is None or all(bar is None for bar in pair_bar):
            return (None,) * count
        y_bar, own_bar = pair_bar
        held_bar = own_bar[0] if isinstance(own_bar, tuple) else own_bar
        bars = found.arranged(back((y_bar, held_bar)))
        return None, *(bars if seen is None else leave_all(seen, bars))

    return (y, found.back_of(y, held)), OuterBack(back, back_of_call)


def _is_constant(function: Any, args: Values, kwargs: dict[str, Any]) -> bool:
    """Whether nothing that a call gives has a derivative: so it is of `cached.cache_info`, too, and
    of what is written in C and is given texts alone (`pattern.findall(text)`)."""
    return (is_constant(function) and rule_of(function) is None) or (
        decorated.is_method_of_cache(function)
    ) or reads_texts(function, args, kwargs)


def see_all(values: Values) -> list[SeenValue]:
    """What the operands of a call hold that code which works on objects knows by its identity."""
    from zyg.compiler.run_time.seen_objects import see  # few programs need it

    return list(map(see, values))


def leave_all(seen: list[SeenValue], bars: Bars) -> Bars:
    """Leaves cotangents to what was seen; gives the rest."""
    from zyg.compiler.run_time.seen_objects import leave

    shadows = current_shadows()
    return tuple([leave(shadows, one, bar) for one, bar in zip(seen, bars, strict=True)])


def _pair_of_back(function: Any, bar: Any) -> tuple[Any, Any]:
    """What a third derivative needs of a call of a back function."""
    if not hasattr(function, "pullback_of_pullback"):
        if not hasattr(function, "nested"):
            raise NotDifferentiable(
                "a gradient that finds at run time what it calls is differentiated twice; call "
                "functions by their names"
            )
        function = function.nested()
    pair, back = function.pullback_of_pullback(bar)
    return pair, OuterBack(back, lambda back, pair_bar: (None, *back(pair_bar)))


def _pair_of_pair(function: Any, args: Values, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """What a third derivative needs of `pullback_call(function, *args)`."""
    count = 3 + len(args) + len(kwargs)
    if made_of_arguments(function, args, kwargs) is not None or function is dynamic.call_rule:
        raise NotDifferentiable(
            f"a gradient calls {refusals.full_name(function)}, which it finds at run time, and is "
            "differentiated twice; call it by its name"
        )
    if isinstance(function, BackFunction) or function is dynamic.pullback_call:
        raise NotDifferentiable("the fourth derivative of what is found at run time")
    if _is_constant(function, args, kwargs):
        function = decorated.method_of_cache(function)
        zero = rule_backs.Zero(count - 2)
        pair = function(*args, **kwargs), zero
        return (pair, rule_backs.Zero(count - 1)), rule_backs.Zero(count)
    seen = see_all((function, *args, *kwargs.values())) if is_running() else None
    found = found_call(function, args, kwargs)
    (whole, back), outer = pullback_of_call(found.forward, *found.inputs, **found.keywords)
    y, held = whole
    made = found.back_of(y, held)

    def as_whole(pair_bar: Any) -> Any:
        y_bar, own_bar = pair_bar
        return y_bar, own_bar[0] if isinstance(own_bar, tuple) else own_bar

    def as_pair(whole_bar: Any) -> Any:
        y_bar, held_bar = whole_bar
        return y_bar, (held_bar,) if made.held and held_bar is not None else held_bar

    def arranged(bars: Bars) -> Bars:
        return None, *found.arranged(bars)

    def as_inputs(bars_bar: Bars) -> Bars:
        _, own, *rest = bars_bar
        return None, *found.dots(own, tuple(rest))

    def back_of_pair(outer: Any, pair_bar: Any) -> Bars:
        if is_zero(pair_bar):
            return (None,) * count
        inner_bar, back_bar = pair_bar
        whole_bar = None if is_zero(inner_bar) else as_whole(inner_bar)
        bars = found.arranged(outer((whole_bar, back_bar))[1:])
        return None, None, *(bars if seen is None else leave_all(seen, bars))

    second = ArrangedBack(back, as_whole, arranged, as_inputs, as_pair)
    return ((y, made), second), OuterBack(outer, back_of_pair)


def pullback_of_apply(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """What `pullback_call(pullback_apply, function, args, kwargs)` gives."""
    items, keywords = tuple(args), dict(kwargs)
    (y, back), outer = pullback_of_call(function, *items, **keywords)
    arranged, layout = of_apply(args, items, keywords, back)

    def back_of_apply(outer: Any, pair_bar: Any) -> Bars:
        return None, *layout.arranged(outer(pair_bar)[1:])

    return (y, arranged), OuterBack(outer, back_of_apply)


def tangent_of_call(
    call: Any, function: Any, args: Values, function_dot: Any, dots: Values,
    kwargs: dict[str, Any], kwarg_dots: dict[str, Any],
) -> tuple[Any, Any]:
    """The pair of a value and back function, with its tangent; `call` differentiates forwards."""
    if _is_constant(function, args, kwargs) or (
        function is getattr and _is_read_of_an_error(*args)
    ):
        function = decorated.method_of_cache(function)
        y = function(*args, **kwargs)
        return (y, rule_backs.Zero(1 + len(args) + len(kwargs))), None
    if type(function) is CACHED:
        unless_on_objects(function, args, kwargs)
        remembered = remembered_twice.tangent_of_remembered(
            pullback_apart, function, args, function_dot,
            (*dots, *(kwarg_dots.get(name) for name in kwargs)), kwargs,
        )
        return remembered or tangent_of_call(
            call, function.__wrapped__, args, function_dot, dots, kwargs, kwarg_dots
        )
    rule = rule_of(function)
    is_apart = all(map(_is_apart, (*args, *kwargs.values())))
    if rule is not None and (takes_pullback(rule) or not is_apart):
        refuse_objects(function)
    found = found_call(function, args, kwargs)
    # A table of tangents that is at hand would have to be told what the function reads and stores.
    if rule is None and (
        has_table() or found.works_on_objects or not all(map(_is_apart, found.inputs))
    ):
        refuse_objects(function)
    of_keywords = tuple([kwarg_dots.get(name) for name in kwargs])
    given = found.dots(function_dot, (*dots, *of_keywords))
    count = len(found.inputs)
    of_names = dict(zip(found.keywords, given[count:], strict=False))  # `pullback` has none
    whole, whole_dot = call(
        found.forward, found.inputs, None, given[:count], found.keywords,
        {name: of_names.get(name) for name in found.keywords},
    )
    y, held = whole
    y_dot, held_dot = whole_dot
    back = found.back_of(y, held)
    return (y, back), (y_dot, (held_dot,) if back.held else held_dot)


def _is_read_of_an_error(error: Any, name: str, *default: Any) -> bool:
    """Whether an attribute of an exception is read, and no number, object or container."""
    if not isinstance(error, BaseException) or not hasattr(error, name):
        return False
    value = getattr(error, name)
    return value is None or isinstance(value, str | BaseException | types.TracebackType)


def _is_apart(value: Any) -> bool:
    """Whether a value is surely neither an object nor memory that objects hold, nor holds one.

    Memory for whose contents something stands is read as a value.
    """
    if is_memory(value) and is_known(value) and not has_contents(value):
        return False
    cls = type(value)
    if cls in (list, tuple, set, frozenset) or is_named_tuple(cls):
        return all(map(_is_apart, value))
    if cls is dict:
        return all(map(_is_apart, value.values()))
    if cls is np.ndarray:
        return not value.dtype.hasobject
    return isinstance(value, np.generic) or cls in (float, int, bool, complex, str, type(None))
