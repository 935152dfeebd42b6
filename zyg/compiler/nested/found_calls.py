"""What a call that was found at run time is, as code that can be differentiated.

    f(x)            the forward and the back function of `f`, which were generated
    math.sin(x)     its rule, and the back function that it returns
    o.area          that of the property's function

Calls of methods, partial functions and objects are those of what they call, with cotangents in
another order.
"""

from __future__ import annotations

import enum
import functools
import os
import types
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ir.late import late
from zyg.compiler.inference import objects, replaced
from zyg.compiler.inference.objects import is_place
from zyg.compiler.nested import inner_gradients
from zyg.compiler.nested.nested_backs import NestedBack, as_it_is, as_returned
from zyg.compiler.run_time import decorated, from_api, object_backs
from zyg.errors import NotDifferentiable
from zyg.held.memory_kinds import CACHED, is_memory
from zyg.held.reaching import items_held, reached
from zyg.held.shadow_calls import is_running
from zyg.rules.registry import (
    is_constant,
    is_solver,
    rule_of,
    stand_in_of,
    substitute_of,
    takes_pullback,
)
from zyg.signature import BackFunction, by_identity, is_by_rules, is_for_run_time, is_users

if TYPE_CHECKING:
    from zyg.compiler.run_time import dynamic, refusals, rule_backs
else:  # which is on top of this
    dynamic = late("zyg.compiler.run_time.dynamic")
    refusals = late("zyg.compiler.run_time.refusals")
    rule_backs = late("zyg.compiler.run_time.rule_backs")

# The modules of functions that work on cotangents, never on objects of the user's.
_OF_COTANGENTS = "zyg.cotangents.cotangent"
_NOT_OF_USERS = ("zyg.", "ir.", "numpy")
Values = tuple[Any, ...]
Bars = tuple[Any, ...]


class Found(ABC):
    """A call as one of code that can be differentiated: that gives the value and what is held."""

    __slots__ = ("forward", "inputs", "keywords")

    def __init__(self, forward: Any, inputs: Values, keywords: dict[str, Any]) -> None:
        self.forward = forward
        self.inputs = inputs
        self.keywords = keywords

    @property
    def works_on_objects(self) -> bool:
        """Whether the code reads or changes what objects hold."""
        return False

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
        self._entry, inputs = from_api.found_pair(function, args, kwargs)
        pair = self._entry.code
        super().__init__(as_callable(pair.forward), tuple(inputs), {})
        self._back = as_callable(pair.back)
        self._count, self._names = len(args), tuple(kwargs)

    @property
    def works_on_objects(self) -> bool:
        return bool(self._entry.made.works_on_objects)

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
        if type(held) is not types.FunctionType:
            raise NotDifferentiable(
                f"the rule of {refusals.full_name(self._function)} returns a "
                f"{type(held).__name__}, which is itself differentiated here; let it return a "
                "function that is nested in the rule"
            )
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

    @property
    def works_on_objects(self) -> bool:
        return self._inner.works_on_objects

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


def _of_callable(function: Any, args: Values, kwargs: dict[str, Any]) -> Found | None:
    """A call of an object whose class has `__call__`; None of others."""
    cls = type(function)
    is_asked = is_users(cls) or isinstance(function, enum.Enum)
    call = objects.lookup(cls, "__call__") if is_asked else None
    if not isinstance(call, types.FunctionType) or id(function) in by_identity:
        return None
    inner = found_call(call, (function, *args), kwargs)

    def spread(bars: Any) -> Bars:
        own, *rest = bars
        return None, own, *rest

    return FoundThrough(inner, object_backs.as_callee, spread)


def _of_attribute(obj: Any, name: str, *default: Any) -> Found | None:
    """A read of an attribute that a user's class computes, as a call of what computes it."""
    cls = type(obj)
    if not is_users(cls) or isinstance(obj, type) or default or (
        objects.overloads(cls, objects.ALL_NAMES)
    ):
        return None
    found = objects.lookup(cls, name)
    any_name = objects.lookup(cls, objects.ANY_NAME)
    if isinstance(found, property) and found.fget is not None and any_name is None:
        return _of_getter(found_call(found.fget, (obj,), {}), 1, 2)
    if objects.overloads(type(found), "__get__") and not isinstance(found, objects.COMPUTED):
        getter, is_data = objects.lookup(type(found), "__get__"), hasattr(type(found), "__set__")
        if is_data or name not in getattr(obj, "__dict__", ()):
            return _of_getter(found_call(getter, (found, obj, cls), {}), 2, 4)
    if found is None and any_name is not None and name not in getattr(obj, "__dict__", ()):
        return _of_getter(found_call(any_name, (obj, name), {}), 1, 3)
    return None


def _of_decorated(function: Any, args: Values, kwargs: dict[str, Any]) -> Found | None:
    """A call of what the standard library makes of functions; None of others."""
    chosen = decorated.dispatched(function, args)
    if chosen is not None:
        return found_call(chosen, args, kwargs)
    bound = decorated.bound_by_class(function, args)
    if bound is not None:
        return FoundThrough(
            found_call(bound, args, kwargs), decorated.of_bound,
            lambda bars: (bars[0] and {"__self__": bars[0].get("obj")}, *bars[1:]),
        )
    if not decorated.is_getter(function) or len(args) != 1 or kwargs:
        return None
    callee, given, keywords = decorated.read_by(function, args[0])
    rest = (None,) * (len(given) + len(keywords) - 1)
    return FoundThrough(
        found_call(callee, given, keywords), lambda bars: (None, bars[1]),
        lambda bars: (None, bars[1], *rest),
    )


def _of_getter(inner: Found, position: int, count: int) -> Found:
    """`getattr(obj, name)` by a call of a method, of which `obj` is the operand at a position."""

    def arrange(bars: Any) -> Bars:
        return None, bars[position], None

    def spread(bars: Any) -> Bars:
        found: list[Any] = [None] * count
        found[position] = bars[1]
        return tuple(found)

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
    is_nested = id(function) in dynamic.NESTED and function is not dynamic.call_rule
    if is_nested or isinstance(function, BackFunction):
        raise NotDifferentiable(
            "forward mode does not follow a gradient of a gradient that finds at run time what it "
            "calls; call functions by their names, or use zyg.pullback"
        )
    if id(function) in _callables:
        return FoundFunction(function, args, kwargs)
    if type(function) is functools.partial:
        return _of_partial(function, args, kwargs)
    if type(function) is types.MethodType and rule_of(function) is None and not is_by_rules(
        type(function.__self__)
    ):
        return _of_method(function, args, kwargs)
    is_read = function is getattr and not kwargs
    of_object = _of_attribute(*args) if is_read else (
        _of_callable(function, args, kwargs) or _of_decorated(function, args, kwargs)
    )
    if of_object is not None:
        return of_object
    if function is dynamic.call_rule:
        function, *rest = args
        return FoundRule(rule_of(function), function, (), tuple(rest), kwargs, False)
    rule, plain_function, leading = dynamic.resolve(function, args)
    plain = substitute_of(plain_function) if kwargs or rule is None else None
    plain = plain or stand_in_of(plain_function, (*leading, *args), kwargs)
    if is_solver(plain_function):
        plain = inner_gradients.solver_inside(plain_function)
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


def reads_texts(function: Any, args: Values, kwargs: dict[str, Any]) -> bool:
    """Whether a call is of a function that is written in C, and is given texts alone, or reads the
    environment, which holds nothing else."""
    if isinstance(getattr(function, "__self__", None), type(os.environ)):
        return True
    if not isinstance(function, types.BuiltinMethodType) or rule_of(function) is not None:
        return False
    owner, given = function.__self__, (*args, *kwargs.values())
    is_of_text = isinstance(owner, str | bytes)
    return (
        not is_memory(owner) and (is_of_text or bool(given))
        and all(isinstance(value, str | bytes | int) for value in given)
        and replaced.owner_with_derivative(function) is None
    )


def unless_on_objects(function: Any, args: Values, kwargs: dict[str, Any]) -> None:
    """Raises for a call that was found at run time and may store into objects."""
    if reads_texts(function, args, kwargs):
        return
    if type(function) is CACHED:
        function = function.__wrapped__
    if is_constant(function) and rule_of(function) is None:
        module = str(getattr(function, "__module__", ""))
        if isinstance(function, types.FunctionType) and not module.startswith(_NOT_OF_USERS):
            raise NotDifferentiable(
                f"{refusals.full_name(function)} isn't looked into, is found at run time, and may "
                "change objects, in code whose gradient is differentiated in turn"
            )
        return
    try:
        works_on_objects = found_call(function, args, kwargs).works_on_objects or (
            _is_of_api(function) and _reaches_objects(function)
        )
    except NameError:  # what it has captured isn't bound yet: nobody has looked at the call
        works_on_objects = True
    if works_on_objects:
        raise NotDifferentiable(
            f"{refusals.full_name(function)} works on objects, in code whose gradient is "
            "differentiated in turn, and is found at run time; call it by its name"
        )


def _is_of_api(function: Any) -> bool:
    """Whether this is a function that `zyg.grad` and the like have given."""
    return isinstance(function, types.FunctionType) and (
        function.__globals__.get("__name__") == "zyg.api"
    )


def _reaches_objects(function: Any) -> bool:
    """Whether a function has objects, or what it captures, calls or holds has some."""
    return any(is_place(type(found)) for found in reached(function, _parts))


def _parts(value: Any) -> Any:
    if isinstance(value, types.MethodType):
        return [value.__self__]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, types.FunctionType):
        return [cell.cell_contents for cell in value.__closure__ or ()]
    return items_held(value)


def as_callable(generated: Any) -> Any:
    """A generated function as one that can be differentiated: it is known by its identity."""
    if id(generated) not in _callables:
        _callables[id(generated)] = generated
        by_identity.add(id(generated))
        weakref.finalize(generated, by_identity.discard, id(generated)).atexit = False
    return generated


_callables: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
