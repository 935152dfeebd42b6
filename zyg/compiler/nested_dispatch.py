"""Calls that were found at run time by a gradient which is itself differentiated.

    y, back = pullback_call(f, x)         in the inner gradient, whose code is differentiated:

    (y, back), back_of_call = pullback_call(pullback_call, f, x)
    bars, back_of_back = pullback_call(back, y_bar)

What the inner gradient calls is code: the forward and the back function of `f`, or the rule and
the back function that it returned. Calls of these are differentiated as any others.
"""

from __future__ import annotations

import functools
import types
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ir.late import late
from zyg.compiler import from_api, object_backs
from zyg.compiler.nested_backs import (
    ArrangedBack,
    NestedBack,
    OuterBack,
    as_it_is,
    as_returned,
    is_zero,
    made_of_arguments,
)
from zyg.compiler.wrappers import is_for_run_time
from zyg.errors import NotDifferentiable
from zyg.rules.registry import (
    is_constant,
    rule_of,
    stand_in_of,
    substitute_of,
    takes_pullback,
)
from zyg.shadows import is_running
from zyg.signature import BackFunction, by_identity, is_by_rules

if TYPE_CHECKING:
    from zyg.compiler import dynamic, refusals, rule_backs
else:  # which is on top of this
    dynamic = late("zyg.compiler.dynamic")
    refusals = late("zyg.compiler.refusals")
    rule_backs = late("zyg.compiler.rule_backs")

# The modules of functions that work on cotangents, never on objects of the user's.
_OF_COTANGENTS = "zyg.cotangent"
Values = tuple[Any, ...]
Bars = tuple[Any, ...]


class Found(ABC):
    """A call as one of code that can be differentiated: that gives the value and what is held."""

    __slots__ = ("forward", "inputs", "keywords")

    def __init__(self, forward: Any, inputs: Values, keywords: dict[str, Any]) -> None:
        self.forward = forward
        self.inputs = inputs
        self.keywords = keywords

    @abstractmethod
    def back_of(self, y: Any, held: Any) -> NestedBack:
        """The back function of the call."""

    @abstractmethod
    def arranged(self, bars: Bars) -> Bars:
        """The cotangents of the call from those of the inputs and keyword arguments."""

    @abstractmethod
    def dots(self, own: Any, dots: Values) -> Values:
        """The tangents of the inputs from those of the function and its arguments."""


class FoundFunction(Found):
    """A call of a Python function, whose forward and back function were generated."""

    __slots__ = ("_assignment", "_back", "_count", "_entry", "_names")

    def __init__(self, function: Any, args: Values, kwargs: dict[str, Any]) -> None:
        refuse_objects(function)
        self._entry, inputs = from_api.found_pair(function, args, kwargs)
        pair = self._entry.code
        super().__init__(as_callable(pair.forward), tuple(inputs), {})
        self._back = as_callable(pair.back)
        self._count, self._names = len(args), tuple(kwargs)

    def back_of(self, y: Any, held: Any) -> NestedBack:
        finish, seed_of = from_api.ends_of_pair(self._entry, y, self._count, self._names)
        return NestedBack(self._back, (held,), seed_of, finish.shared, finish.as_given)

    def arranged(self, bars: Bars) -> Bars:
        own: dict[str, Any] = {}
        found: list[Any] = [None] * (self._count + len(self._names))
        for source, bar in zip(self._entry.passed, bars[1:], strict=True):
            self._place(source, bar, own, found)
        return own or None, *found

    def _place(self, source: Any, bar: Any, own: dict[str, Any], found: list[Any]) -> None:
        match source.kind:
            case "arg":
                found[source.key] = bar
            case "keyword":
                found[self._count + self._names.index(source.key)] = bar
            case "tuple":
                for i, part in enumerate(source.key):
                    self._place(part, None if bar is None else bar[i], own, found)
            case "dict":
                for name, part in source.key.items():
                    self._place(part, None if bar is None else bar.get(name), own, found)
            case _:
                if bar is not None:
                    own[self._name_of(source)] = bar

    def _name_of(self, source: Any) -> str:
        """What the function holds under this place: a captured variable or a default."""
        plan = self._entry.plan
        values = [*plan.source.captured, *plan.source.params]
        return str(values[plan.inputs.index(source)].name)

    def dots(self, own: Any, dots: Values) -> Values:
        return tuple([self._dot_of(source, own or {}, dots) for source in self._entry.passed])

    def _dot_of(self, source: Any, own: dict[str, Any], dots: Values) -> Any:
        match source.kind:
            case "arg":
                return dots[source.key]
            case "keyword":
                return dots[self._count + self._names.index(source.key)]
            case "tuple":
                parts = tuple([self._dot_of(part, own, dots) for part in source.key])
                return None if all(part is None for part in parts) else parts
            case "dict":
                of = {name: self._dot_of(part, own, dots) for name, part in source.key.items()}
                return None if all(part is None for part in of.values()) else of
            case _:
                return own.get(self._name_of(source))


class FoundRule(Found):
    """A call of what has a rule: that is a function whose back function is a closure."""

    __slots__ = ("_function", "_given", "_leading", "_with_function")

    def __init__(
        self, rule: Any, function: Any, leading: Values, args: Values, kwargs: dict[str, Any],
        with_function: bool = True,
    ) -> None:
        kwargs = {n: value for n, value in kwargs.items() if n != "out" or value is not None}
        super().__init__(rule, (*leading, *args), kwargs)
        self._function = function
        self._given = kwargs
        self._leading = leading
        self._with_function = with_function
        if isinstance(rule, types.FunctionType) and takes_pullback(rule):
            refuse_objects(function)
            self.keywords = {**kwargs, "pullback": dynamic.pullback_call}
        if not isinstance(rule, types.FunctionType):
            raise NotDifferentiable(
                f"a gradient calls {refusals.full_name(function)}, which it finds at run time, and "
                "its rule can't be differentiated there; call it by its name"
            )

    def back_of(self, y: Any, held: Any) -> NestedBack:
        layout = rule_backs.RuleBack(
            None, self._function, len(self._leading), tuple(self.inputs), self._given,
            self._with_function,
        )
        return NestedBack(
            held, (), as_it_is, functools.partial(as_returned, layout),
            layout.as_returned,
        )

    def arranged(self, bars: Bars) -> Bars:
        _, *rest = bars[: 1 + len(self.inputs) + len(self._given)]
        if not self._with_function:
            return tuple(rest)
        if self._leading:
            return {"__self__": rest[0]}, *rest[len(self._leading) :]
        return None, *rest

    def dots(self, own: Any, dots: Values) -> Values:
        if self._leading:
            return (own or {}).get("__self__"), *dots
        return dots


class FoundThrough(Found):
    """A call by way of another one, that of a bound method's or partial function's function."""

    __slots__ = ("_arrange", "_count", "_inner", "_spread")

    def __init__(
        self, inner: Found, arrange: Callable[[Any], Bars], spread: Callable[[Any], Bars]
    ) -> None:
        super().__init__(inner.forward, inner.inputs, inner.keywords)
        self._inner = inner
        self._arrange = arrange
        # What each cotangent of the other call is of: the transpose of `arrange`.
        self._spread = spread

    def back_of(self, y: Any, held: Any) -> NestedBack:
        back = self._inner.back_of(y, held)
        arranged, as_given = back.arranged, back.as_given
        return NestedBack(
            back.code, back.held, back.seed_of,
            lambda given: self._arrange(arranged(given)),
            lambda bars_bar, given: as_given(self._spread(bars_bar), given),
        )

    def arranged(self, bars: Bars) -> Bars:
        return self._arrange(self._inner.arranged(bars))

    def dots(self, own: Any, dots: Values) -> Values:
        spread = self._spread((own, *dots))
        return self._inner.dots(spread[0], spread[1:])


def _of_method(function: types.MethodType, args: Values, kwargs: dict[str, Any]) -> Found:
    inner = found_call(function.__func__, (function.__self__, *args), kwargs)

    def spread(bars: Any) -> Bars:
        own, *rest = bars
        return None, None if own is None else own.get("__self__"), *rest

    return FoundThrough(inner, object_backs.as_self, spread)


def _of_partial(function: functools.partial[Any], args: Values, kwargs: dict[str, Any]) -> Found:
    keywords = {**function.keywords, **kwargs}
    inner = found_call(function.func, (*function.args, *args), keywords)
    count = len(function.args)

    def arrange(bars: Any) -> Bars:
        own, *rest = bars
        of_keyword = dict(zip(keywords, rest[count + len(args) :], strict=True))
        held = {n: of_keyword[n] for n in function.keywords if n not in kwargs}
        whole = {"func": own, "args": tuple(rest[:count]), "keywords": held}
        return whole, *rest[count : count + len(args)], *(of_keyword[n] for n in kwargs)

    def spread(bars: Any) -> Bars:
        own, *rest = bars
        own = own or {}
        held = own.get("keywords") or {}
        given = dict(zip(kwargs, rest[len(args) :], strict=True))
        return (
            own.get("func"), *(own.get("args") or (None,) * count), *rest[: len(args)],
            *(given.get(name, held.get(name)) for name in keywords),
        )

    return FoundThrough(inner, arrange, spread)


def refuse_objects(function: Any) -> None:
    """Raises where code works on objects: what the call does with these isn't followed."""
    if is_running() and not str(function.__module__).startswith(_OF_COTANGENTS):
        raise NotDifferentiable(
            "a gradient inside of code that works on objects calls "
            f"{refusals.full_name(function)}, which it finds at run time"
        )


def found_call(function: Any, args: Values, kwargs: dict[str, Any]) -> Found:
    """The code of a call that was found at run time; raises where there is none."""
    if id(function) in dynamic.NESTED or isinstance(function, BackFunction):
        raise NotDifferentiable(
            "forward mode does not follow a gradient of a gradient that finds at run time what it "
            "calls; call functions by their names, or use zyg.pullback"
        )
    if id(function) in _alive:
        return FoundFunction(function, args, kwargs)
    if type(function) is functools.partial:
        return _of_partial(function, args, kwargs)
    if type(function) is types.MethodType and rule_of(function) is None and not is_by_rules(
        type(function.__self__)
    ):
        return _of_method(function, args, kwargs)
    if function is dynamic.call_rule:
        function, *rest = args
        return FoundRule(rule_of(function), function, (), tuple(rest), kwargs, False)
    rule, plain_function, leading = dynamic.resolve(function, args)
    plain = substitute_of(plain_function) if kwargs or rule is None else None
    plain = plain or stand_in_of(plain_function, (*leading, *args), kwargs)
    if rule is not None and plain is None:
        return FoundRule(rule, plain_function, leading, args, kwargs)
    if plain is None and type(plain_function) is types.FunctionType and not leading and not (
        dynamic.is_of_ir(plain_function) or is_by_rules(plain_function)
        or is_for_run_time(plain_function) or is_constant(plain_function)
    ):
        return FoundFunction(plain_function, args, kwargs)
    if isinstance(plain, types.FunctionType) and not leading:
        return FoundFunction(plain, args, kwargs)
    raise NotDifferentiable(
        f"a gradient calls {refusals.full_name(function)}, which it finds at run time, and is "
        "itself differentiated; call it by its name"
    )


def pullback_of_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """What `pullback_call(pullback_call, function, *args)` gives."""
    count = 2 + len(args) + len(kwargs)
    if is_constant(function) and rule_of(function) is None:
        zero = rule_backs.Zero(count - 1)
        return (function(*args, **kwargs), zero), rule_backs.Zero(count)
    linear = made_of_arguments(function, args, kwargs)
    if linear is not None:
        y, linear_back = linear
        return (y, linear_back), OuterBack(linear_back, lambda back, pair_bar: (
            None, *back(None if pair_bar is None else pair_bar[0])
        ))
    if isinstance(function, BackFunction):
        return _pair_of_back(function, *args)
    if function is dynamic.pullback_call:
        return _pair_of_pair(args[0], args[1:], kwargs)
    found = found_call(function, args, kwargs)
    whole, back = from_api.compile_call(found.forward, *found.inputs, **found.keywords)
    y, held = whole

    def back_of_call(back: Any, pair_bar: Any) -> Bars:
        if pair_bar is None or all(bar is None for bar in pair_bar):
            return (None,) * count
        y_bar, own_bar = pair_bar
        held_bar = own_bar[0] if isinstance(own_bar, tuple) else own_bar
        return None, *found.arranged(back((y_bar, held_bar)))

    return (y, found.back_of(y, held)), OuterBack(back, back_of_call)


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
    if is_constant(function) and rule_of(function) is None:
        zero = rule_backs.Zero(count - 2)
        pair = function(*args, **kwargs), zero
        return (pair, rule_backs.Zero(count - 1)), rule_backs.Zero(count)
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
        return None, None, *found.arranged(outer((whole_bar, back_bar))[1:])

    second = ArrangedBack(back, as_whole, arranged, as_inputs, as_pair)
    return ((y, made), second), OuterBack(outer, back_of_pair)


def pullback_of_apply(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """What `pullback_call(pullback_apply, function, args, kwargs)` gives."""
    raise NotDifferentiable(
        f"a gradient calls {refusals.full_name(function)} with starred arguments, finds it at run "
        "time, and is itself differentiated; call it with its arguments one by one"
    )


def tangent_of_call(
    call: Any, function: Any, args: Values, function_dot: Any, dots: Values,
    kwargs: dict[str, Any], kwarg_dots: dict[str, Any],
) -> tuple[Any, Any]:
    """The pair of a value and back function, with its tangent; `call` differentiates forwards."""
    if is_constant(function) and rule_of(function) is None:
        y = function(*args, **kwargs)
        return (y, rule_backs.Zero(1 + len(args) + len(kwargs))), None
    found = found_call(function, args, kwargs)
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


def as_callable(generated: Any) -> Any:
    """A generated function as one that can be differentiated: it is known by its identity."""
    by_identity.add(id(generated))
    _alive[id(generated)] = generated
    return generated


_alive: dict[int, Any] = {}
