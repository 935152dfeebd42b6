"""What generated tangent code asks at run time, where types did not tell.

`tangent_call((f, x), (None, x_dot))` gives `f(x)` and its tangent: by the tangent function of `f`,
made for the arguments at hand. Where there is none, because a rule is no more than a function that
runs, the tangent comes from the back function, one coordinate of the value at a time: that costs as
many calls of it as the value has numbers.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ir import primitives
from ir.infer import IN_PLACE
from ir.places import CHANGING
from zyg import callables
from zyg.compiler import decorated, dynamic, memory, object_attributes, object_calls
from zyg.compiler.mutation import MUTATING_METHODS
from zyg.compiler.object_attributes import Read, Stored
from zyg.compiler.object_backs import Refusing
from zyg.compiler.objects import is_place, lookup
from zyg.compiler.tangent_iterators import PAIRED
from zyg.cotangent import like_mapping, rebuilt
from zyg.errors import NotDifferentiable, ZygError
from zyg.rules.registry import is_constant, rule_of, substitute_of, takes_pullback
from zyg.rules.attributes import METHODS, is_field, is_of_class
from zyg.rules.tangent_registry import is_read_twice, linear_in, tangent, tangent_of
from zyg.shadows import is_memory, is_running
from zyg.signature import is_by_rules, is_users
from zyg.tangent import (
    holds_numbers,
    inner_product,
    is_same_tangent,
    picked,
    placed_view,
    settled,
    settled_tangent,
    tangent_items,
    tangent_or_zero,
    zero_tangent,
)
from zyg.tangent_objects import delete_dot, read_dot, store_dot

Values = tuple[Any, ...]
_IN_PLACE = set(IN_PLACE)
_NAMED_TUPLE = (callables._REPLACE, callables._MAKE)


def _not_set(*args: Any) -> Any:
    raise RuntimeError("`zyg.forward` has to be imported first")


# Set by `zyg.forward`: the value and tangent of a call of a function that can be compiled.
compiled_call: Callable[..., Any] = _not_set


def tangent_call(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None = None,
    kwarg_dots: dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The value and the tangent of a call: the function comes first, then its arguments."""
    y, dot = _tangent_call(primals, dots, kwargs, kwarg_dots)
    return y, zero_tangent(y) if dot is None else dot


def _tangent_call(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None,
    kwarg_dots: dict[str, Any] | None,
) -> Any:
    function, *args = primals
    function_dot, *arg_dots = dots
    kwargs, kwarg_dots = kwargs or {}, kwarg_dots or {}
    is_of_named_tuple = getattr(function, "__code__", None) in _NAMED_TUPLE
    if type(function) is types.FunctionType and not is_of_named_tuple and (
        _is_known_at_once(function)
    ):
        return compiled_call(function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots)
    if is_running() and _may_change(function) and is_memory(
        getattr(function, "__self__", None) if not args or hasattr(function, "__self__")
        and is_memory(function.__self__) else args[0]
    ):
        raise NotDifferentiable(
            "forward mode does not follow changes in place of what objects hold yet; use "
            "zyg.pullback"
        )
    is_operator = isinstance(function, types.BuiltinFunctionType) and function in _IN_PLACE
    if is_operator and len(args) == 2 and not is_memory(args[0]):
        method = object_attributes.changing_method(function, args[0])
        found = IN_PLACE[function] if method is None else method
        return tangent_call((found, *args), (None, *arg_dots))
    if type(function) is primitives.Catching:
        return _attempt(
            function.function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots
        )
    found = by_protocols(function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots)
    if found is not None:
        return found
    if is_constant(function):
        y = function(*args, **kwargs)
        return y, zero_tangent(y)
    if not is_of_named_tuple and isinstance(function, types.BuiltinMethodType):
        _, plain, leading = dynamic.resolve(function, tuple(args))
        if leading:
            own = function_dot.get("__self__") if isinstance(function_dot, dict) else None
            return tangent_call((plain, *leading, *args), (None, own, *arg_dots), kwargs, kwarg_dots)
    if not is_of_named_tuple and _is_known_at_once(function):
        return compiled_call(
            function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots
        )
    if isinstance(function, types.MethodType):
        own = function_dot.get("__self__") if isinstance(function_dot, dict) else None
        return tangent_call(
            (function.__func__, function.__self__, *args), (None, own, *arg_dots), kwargs,
            kwarg_dots,
        )
    paired = _paired(function)
    if paired is not None:
        return paired(tangent_call, primals, dots, kwargs, kwarg_dots)
    made = _made_by_class(function, tuple(args), tuple(arg_dots), kwargs, kwarg_dots)
    if made is not None:
        return made
    if all(dot is None for dot in kwarg_dots.values()):
        found = _declared(function, tuple(args), tuple(arg_dots), kwargs)
        if found is not None:
            return found
    if is_running():
        refuse_objects(function, (*args, *kwargs.values()))
    return by_rows(
        lambda: dynamic.pullback_call(function, *args, **kwargs), function,
        (function_dot, *arg_dots, *(kwarg_dots.get(name) for name in kwargs)),
    )


def tangent_apply(primals: Values, dots: Values) -> tuple[Any, Any]:
    """The same for `function(*args, **kwargs)`."""
    function, args, kwargs = primals
    function_dot, args_dot, kwargs_dot = dots
    args, kwargs = tuple(args), dict(kwargs)
    arg_dots = [None] * len(args) if args_dot is None else list(args_dot)
    return tangent_call(
        (function, *args), (function_dot, *arg_dots), kwargs, dict(kwargs_dot or {})
    )


def _attempt(
    function: Any, args: Values, function_dot: Any, dots: Values, kwargs: dict[str, Any],
    kwarg_dots: dict[str, Any],
) -> Any:
    """The pair (error or None, value) of a call, and its tangent."""
    if isinstance(function, types.MethodType):
        own = function_dot.get("__self__") if isinstance(function_dot, dict) else None
        return _attempt(
            function.__func__, (function.__self__, *args), None, (own, *dots), kwargs, kwarg_dots
        )
    if is_users(type(function)) and not isinstance(function, type):
        method = lookup(type(function), "__call__")
        if isinstance(method, types.FunctionType):
            return _attempt(method, (function, *args), None, (None, *dots), kwargs, kwarg_dots)
    if dynamic._is_plain_function(function):
        return compiled_call(function, args, function_dot, dots, kwargs, kwarg_dots, "attempt")
    try:
        y, dot = tangent_call((function, *args), (function_dot, *dots), kwargs, kwarg_dots)
    except ZygError:
        raise
    except Exception as error:
        if dynamic._may_call((function, *args, *kwargs.values())):
            memory.refuse_lost_changes(error)
        raise
    return (None, y), (None, dot)


def _made_by_class(
    function: Any, args: Values, dots: Values, kwargs: dict[str, Any], kwarg_dots: dict[str, Any]
) -> Any:
    """The value and tangent of making a NamedTuple, a partial function or an exception."""
    if function is functools.partial:
        return _partial(args, dots, kwargs, kwarg_dots)
    if isinstance(function, type) and issubclass(function, BaseException):
        return function(*args, **kwargs), None  # what it holds is refused where it is read
    if callables.is_named_tuple(function):
        y = function(*args, **kwargs)
        by_name = dict(zip(function._fields, dots, strict=False))
        by_name.update(kwarg_dots)
        whole = [
            tangent_or_zero(by_name.get(name), x) for name, x in zip(y._fields, y, strict=True)
        ]
        return y, tuple.__new__(function, whole)
    code = getattr(function, "__code__", None)
    if code is callables._REPLACE and len(args) == 1:
        y = function(*args, **kwargs)
        before = tangent_or_zero(dots[0], args[0])
        whole = [
            tangent_or_zero(kwarg_dots.get(name), x) if name in kwargs else dot
            for name, x, dot in zip(y._fields, y, before, strict=True)
        ]
        return y, tuple.__new__(type(y), whole)
    if code is callables._MAKE and len(args) == 2:
        items = settled(args[1])
        whole = list(settled_tangent(dots[1], items))
        return function(args[0], items), tuple.__new__(args[0], whole)
    return None


def _may_change(function: Any) -> bool:
    if id(function) in CHANGING:
        return True
    is_operator = isinstance(function, types.BuiltinFunctionType) and function in _IN_PLACE
    return is_operator or (
        isinstance(function, types.BuiltinMethodType) and function.__name__ in MUTATING_METHODS
    )


def by_protocols(
    function: Any, args: Values, function_dot: Any, dots: Values, kwargs: dict[str, Any],
    kwarg_dots: dict[str, Any],
) -> Any:
    """A call that a user's class, a partial function or a decorator answers; None for others."""
    recorder = Recorder()
    recorder.note(function, function_dot)
    args = tuple(map(recorder.told_apart, args, dots))
    kwargs = {name: recorder.told_apart(x, kwarg_dots.get(name)) for name, x in kwargs.items()}
    found: Any
    if type(function) is functools.partial:
        return _call_of_partial(function, args, function_dot, dots, kwargs, kwarg_dots)
    else:
        found = object_calls.call_of_object(recorder, function, args, kwargs)
        if found is None:
            found = decorated.call_of_decorated(recorder, function, args, kwargs)
    if found is None:
        return None
    y, back = found
    if isinstance(back, Read):
        return y, read_dot(back._obj, back._name, y)
    if isinstance(back, Stored) and back._count == 3:
        delete_dot(back._obj, back._name)
    elif isinstance(back, Stored):
        _refuse_memory(back._value)
        store_dot(back._obj, back._name, recorder.dot_of(back._value))
    elif isinstance(back, Refusing) and holds_numbers(y):
        back(y)
    return y, recorder.dot_of(y)


def _call_of_partial(
    function: functools.partial[Any], args: Values, function_dot: Any, dots: Values,
    kwargs: dict[str, Any], kwarg_dots: dict[str, Any],
) -> tuple[Any, Any]:
    """A call of a partial function: the tangent of that has those of what it holds."""
    held = function_dot or {}
    held_args = held.get("args") or (None,) * len(function.args)
    held_keywords = held.get("keywords") or {}
    return tangent_call(
        (function.func, *function.args, *args), (held.get("func"), *held_args, *dots),
        {**function.keywords, **kwargs}, {**held_keywords, **kwarg_dots},
    )


def _partial(
    args: Values, dots: Values, kwargs: dict[str, Any], kwarg_dots: dict[str, Any]
) -> tuple[Any, Any]:
    """Making a partial function; one of a partial function holds the arguments of both."""
    function, *rest = args
    y = functools.partial(*args, **kwargs)
    dot = {"func": dots[0], "args": tuple(dots[1:]), "keywords": dict(kwarg_dots)}
    if y.func is not function:
        inner = dots[0] or {}
        before = inner.get("args") or (None,) * (len(y.args) - len(rest))
        dot = {
            "func": inner.get("func"), "args": (*before, *dots[1:]),
            "keywords": {**(inner.get("keywords") or {}), **kwarg_dots},
        }
    return y, dot


def _refuse_memory(value: Any) -> None:
    """Raises for memory that an object comes to hold unseen, and that may be changed in place."""
    if is_memory(value):
        raise NotDifferentiable(
            "an array, list or dict is stored into an object that forward mode only finds at run "
            "time: use zyg.pullback"
        )


class Recorder:
    """Stands where reverse mode asks for the pullback of a call, and notes tangents of results.

    What is passed on is known by its identity. That two values with different tangents are one
    object is an error.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}

    def note(self, value: Any, dot: Any) -> None:
        if type(value) in (list, tuple) and type(dot) in (list, tuple):
            for item, part in zip(value, dot, strict=True):
                self.note(item, part)
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return
        before = self._known.get(id(value))
        if before is not None:
            if before[1] is dot or is_same_tangent(value, before[1], dot):
                return
            raise NotDifferentiable(
                "two arguments of a call that an object or a decorator answers are one object, and "
                "have different tangents: pass copies"
            )
        self._known[id(value)] = value, dot

    def told_apart(self, value: Any, dot: Any) -> Any:
        """Notes a value, or a copy of a number that is known with another tangent."""
        before = self._known.get(id(value))
        is_number = isinstance(value, float | complex | np.inexact)
        if is_number and before is not None and not is_same_tangent(value, before[1], dot):
            value = value * type(value)(1)
        self.note(value, dot)
        return value

    def dot_of(self, value: Any) -> Any:
        found = self._known.get(id(value))
        if found is not None:
            return found[1]
        if isinstance(value, tuple):
            return rebuilt(value, list(map(self.dot_of, value)))
        if holds_numbers(value):
            raise NotDifferentiable(
                "forward mode lost sight of a number that an object's method or a decorator "
                "returned: use zyg.pullback"
            )
        return zero_tangent(value)

    def _given(self, value: Any) -> Any:
        found = self._known.get(id(value))
        return None if found is None else found[1]

    def __call__(self, function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        y, dot = tangent_call(
            (function, *args), (self._given(function), *map(self._given, args)), kwargs,
            {name: self._given(value) for name, value in kwargs.items()},
        )
        return self.told_apart(y, dot), no_back


def no_back(y_bar: Any) -> Any:
    raise NotDifferentiable("a tangent was found, and no back function")


def refuse_objects(function: Any, values: Values) -> None:
    """Raises where what isn't known is given objects, whose tangents it would not see."""
    for value in values:
        if isinstance(value, list | tuple | dict):
            refuse_objects(function, tuple(value.values() if isinstance(value, dict) else value))
        elif is_place(type(value)):
            raise NotDifferentiable(
                f"forward mode can't tell what {_name(function)} reads of a {type(value).__name__}"
            )


def _declared(function: Any, args: Values, dots: Values, kwargs: dict[str, Any]) -> Any:
    """The value and tangent of a call by a declared tangent; None if there is none."""
    if not str(getattr(rule_of(function), "__module__", "")).startswith("zyg."):
        return None
    declared, groups = tangent_of(function), linear_in(function, kwargs)
    if declared is None and (groups is None or len(groups) != 1):
        return None
    if is_read_twice(function) and args:
        args = settled(args[0]), *args[1:]
        dots = settled_tangent(dots[0], args[0]), *dots[1:]
    whole = [zero_tangent(x) if dot is None else dot for x, dot in zip(args, dots, strict=True)]
    y = function(*args, **kwargs)
    if declared is not None:
        return y, declared(y, *args, *whole, **kwargs)
    assert groups is not None
    given = [whole[i] if i in groups[0] else x for i, x in enumerate(args)]
    return y, function(*given, **kwargs)


def rule_call(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None = None,
    kwarg_dots: dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The same for a callable that has a rule."""
    function, *args = primals
    if is_running():
        found = by_protocols(function, tuple(args), None, tuple(dots[1:]), kwargs or {}, {})
        if found is not None:
            return found
    rule: Any = rule_of(function)
    is_plain = type(rule) is types.FunctionType and not takes_pullback(rule)
    paired = _paired(function)
    if paired is not None:
        return paired(tangent_call, primals, dots, kwargs or {}, kwarg_dots or {})
    if not kwarg_dots or all(dot is None for dot in kwarg_dots.values()):
        found = _declared(function, tuple(args), tuple(dots[1:]), kwargs or {})
        if found is not None:
            return found
    if is_plain and not kwargs and all(map(_is_numeric, args)) and is_single(function):
        return compiled_call(function, tuple(args), None, tuple(dots[1:]), {}, {})
    return rule_by_rows(primals, dots, kwargs, kwarg_dots)


def rule_by_rows(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None = None,
    kwarg_dots: dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The same by the back function, coordinate by coordinate."""
    function, *args = primals
    keywords, keyword_dots = kwargs or {}, kwarg_dots or {}
    return by_rows(
        lambda: dynamic.call_rule(function, *args, **keywords), function,
        (*dots[1:], *(keyword_dots.get(name) for name in keywords)),
    )


def is_single(function: Any) -> bool:
    """Whether code can be made for a callable by itself."""
    return not isinstance(function, types.GetSetDescriptorType | types.MemberDescriptorType)


def tangent_by_rule(
    function: Any, args: Values, dots: Values, kwargs: dict[str, Any] | None = None
) -> Any:
    """The tangent of a call by its rule alone, coordinate by coordinate."""
    return by_rows(lambda: dynamic.call_rule(function, *args, **(kwargs or {})), function, dots)[1]


@tangent(memory.written_view)
def _written_view(y: Any, items: Any, view: Any, part: Any, *rest: Any) -> Any:
    count = (len(rest) - 3) // 2
    return placed_view(rest[count], view, rest[count + 2], rest[:count])


@tangent(functools.update_wrapper)
def _update_wrapper(y: Any, *both: Any, **kwargs: Any) -> Any:
    return both[len(both) // 2]


@tangent(primitives.catching, primitives.catching_found)
def _catching(y: Any, function: Any, function_dot: Any) -> Any:
    return function_dot


@tangent(primitives.attempted)
def _attempted(y: Any, items: Any, items_dot: Any) -> Any:
    return tangent_items(items_dot, items)


@tangent(primitives.special_method)
def _special_method(y: Any, owner: Any, name: str, owner_dot: Any, name_dot: Any) -> Any:
    return {"__self__": owner_dot}


@tangent(getattr)
def attribute_tangent(value: Any, obj: Any, name: str, *rest: Any) -> Any:
    """The tangent of `getattr(obj, name)`, or with a default, which is `value`."""
    obj_dot = rest[(len(rest) - 2) // 2]
    if len(rest) > 2 and not hasattr(obj, name):
        return rest[-1]
    if is_running() and is_place(type(obj)):
        if not is_field(obj, name, getattr(type(obj), name, None)) and holds_numbers(value):
            raise NotDifferentiable(
                f"forward mode has no tangent for the attribute `{name}` of {type(obj).__name__}"
            )
        return read_dot(obj, name, value)
    if isinstance(obj, BaseException) and holds_numbers(value):
        raise NotDifferentiable(
            f"`{name}` of a caught {type(obj).__name__} is used, and a number that was to be "
            "differentiated may be in it; hand the number on in another way than in an exception"
        )
    if obj_dot is None or isinstance(obj, type | types.ModuleType):
        return zero_tangent(value)
    if isinstance(value, METHODS) and type(value.__self__) is type(obj):
        return {"__self__": obj_dot}
    descriptor = getattr(type(obj), name, None)
    if is_constant(descriptor) or is_of_class(value, descriptor):
        return zero_tangent(value)
    if rule_of(descriptor) is not None:
        return rule_call((descriptor, obj), (None, obj_dot))[1]
    fields = getattr(type(obj), "_fields", ())
    if isinstance(obj, tuple) and name in fields:
        return obj_dot[fields.index(name)]
    if isinstance(obj_dot, dict) and is_field(obj, name, descriptor):
        return picked(obj_dot, name, value)
    raise NotDifferentiable(
        f"forward mode has no tangent for the attribute `{name}` of {type(obj).__name__}"
    )


class _Replayed:
    """The items of an iterator, which can be walked over again."""

    def __init__(self, items: Any) -> None:
        self._items = items
        self._read: list[Any] = []

    def __iter__(self) -> Iterator[Any]:
        yield from self._read
        for item in self._items:
            self._read.append(item)
            yield item


def by_rows(differentiate: Callable[[], tuple[Any, Any]], function: Any, dots: Values) -> Any:
    """A value and its tangent, which has the inner product of a cotangent and the tangents of the
    arguments for each coordinate."""
    y, back = differentiate()
    if all(dot is None for dot in dots):
        return y, zero_tangent(y)
    refuse_unknown(y, function)
    zero = zero_tangent(y)
    dots = tuple(_Replayed(dot) if hasattr(dot, "__next__") else dot for dot in dots)

    def derivative(seed: Any) -> Any:
        bars = back(seed)
        return sum([inner_product(bar, dot) for bar, dot in zip(bars, dots, strict=False)])

    return y, _with_coordinates(zero, lambda seed: derivative(seed))


def _with_coordinates(zero: Any, derivative: Callable[[Any], Any]) -> Any:
    """A tangent in the structure of a zero tangent; `derivative` is asked for unit cotangents."""
    if zero is None:
        return None
    if isinstance(zero, np.ndarray):
        found = np.zeros_like(zero)
        for index in np.ndindex(zero.shape):
            unit = np.zeros_like(zero)
            unit[index] = 1
            found[index] = derivative(unit)
            if zero.dtype.kind == "c":
                unit[index] = 1j
                found[index] += 1j * derivative(unit)
        return found
    if isinstance(zero, list | tuple | deque):
        parts = []
        for i in range(len(zero)):
            def inner(unit: Any, i: int = i) -> Any:
                return derivative(rebuilt(zero, [
                    unit if k == i else part for k, part in enumerate(zero)
                ]))

            parts.append(_with_coordinates(zero[i], inner))
        return deque(parts, zero.maxlen) if isinstance(zero, deque) else rebuilt(zero, parts)
    if isinstance(zero, dict):
        return like_mapping(zero, {
            key: _with_coordinates(
                part, lambda unit, key=key: derivative({**zero, key: unit})
            ) for key, part in zero.items()
        })
    if isinstance(zero, complex | np.complexfloating):
        return derivative(type(zero)(1)) + 1j * derivative(type(zero)(1j))
    found = derivative(type(zero)(1))
    return type(zero)(found) if isinstance(zero, np.floating) else found


def refuse_unknown(y: Any, function: Any) -> None:
    """Raises for a value that holds what has no coordinates: objects, functions, iterators."""
    if isinstance(y, list | tuple | deque | set | frozenset):
        for item in y:
            refuse_unknown(item, function)
    elif isinstance(y, dict):
        for item in y.values():
            refuse_unknown(item, function)
    elif not isinstance(y, _COORDINATES) and y is not None:
        raise NotDifferentiable(
            f"the tangent of what {_name(function)} returns ({type(y).__name__}) isn't known to "
            "forward mode; use zyg.pullback"
        )


_COORDINATES = (int, float, complex, np.generic, np.ndarray, str, bytes, range, slice, type)


def _paired(function: Any) -> Any:
    is_known = isinstance(function, type | types.BuiltinFunctionType | types.ClassMethodDescriptorType)
    return PAIRED.get(function) if is_known else None


def _is_numeric(x: Any) -> bool:
    return isinstance(x, float | int | complex | np.number | np.ndarray)


def _is_known_at_once(function: Any) -> bool:
    """Whether a function is compiled as it is."""
    if rule_of(function) is not None:
        return False
    if substitute_of(function) is not None:
        return True
    if is_constant(function):
        return False
    return type(function) is types.FunctionType and not (
        dynamic.is_of_ir(function) or is_by_rules(function)
        or decorated.is_dispatching(function)
    )


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", function))


# What the forward pass calls at run time, and what a tangent function calls in its place.
IN_PLACE_OF: dict[Any, Any] = {
    dynamic.pullback_call: tangent_call,
    dynamic.pullback_apply: tangent_apply,
    dynamic.call_rule: rule_by_rows,
}
