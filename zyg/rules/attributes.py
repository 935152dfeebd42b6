"""The rules of reading attributes, of NamedTuples and of `functools.partial` objects.

The cotangent of an object is a dict of those of its attributes; of a NamedTuple, a tuple; of a bound
method, `{"__self__": ...}`; of a partial function, `{"func": ..., "args": ..., "keywords": ...}`.
"""

from __future__ import annotations

import functools
import types

import numpy as np

from zyg.cotangent import item, keyword_bar, one_hot
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, is_constant, rule_of

constant(hasattr, vars)
METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


@adjoint(getattr)
def getattr_(obj, name, /):
    y = getattr(obj, name)
    return y, lambda y_bar: (attribute_bar(y_bar, y, obj, name), None)


def attribute_bar(y_bar, y, obj, name):
    """The cotangent of an object of which one attribute was read."""
    if y_bar is None or isinstance(obj, (type, types.ModuleType)):
        return None
    if isinstance(y, METHODS) and y.__self__ is obj:
        return y_bar.get("__self__")
    descriptor = getattr(type(obj), name, None)
    if is_constant(descriptor):
        return None
    rule = rule_of(descriptor)
    if rule is not None:
        bars = rule(obj)[1](y_bar)
        return bars[0] if isinstance(bars, tuple) else bars
    fields = getattr(type(obj), "_fields", ())
    if isinstance(obj, tuple) and name in fields:
        return one_hot(y_bar, obj, fields.index(name))
    if is_field(obj, name, descriptor):
        return {name: y_bar}
    raise NotDifferentiable(
        f"the attribute `{name}` of {type(obj).__name__} can't be differentiated: it is computed "
        f"when it is read; call a plain function instead"
    )


def is_field(obj, name, descriptor):
    """Whether an attribute is stored in the object, or in its class for all objects."""
    if isinstance(obj, (np.ndarray, np.generic)):
        return False
    if name in getattr(obj, "__dict__", ()):
        return True
    if isinstance(descriptor, types.MemberDescriptorType):
        return True
    if isinstance(obj, functools.partial) and name in ("func", "args", "keywords"):
        return True
    return descriptor is not None and not hasattr(type(descriptor), "__get__")


def is_named_tuple(cls):
    """Whether calling this class does no more than to make a NamedTuple."""
    if not isinstance(cls, type) or not issubclass(cls, tuple) or not hasattr(cls, "_fields"):
        return False
    maker = [base for base in cls.__mro__ if "__new__" in base.__dict__][0]
    return "_fields" in maker.__dict__ and cls.__init__ is object.__init__


def named_tuple(cls, *args, **kwargs):
    """A NamedTuple, and the cotangents of what its fields were given."""
    positions = [*range(len(args)), *[cls._fields.index(name) for name in kwargs]]
    return cls(*args, **kwargs), lambda y_bar: (None, *[item(y_bar, i) for i in positions])


def partial(function, *args, **kwargs):
    """A partial function, and the cotangents of what it holds."""
    y = functools.partial(function, *args, **kwargs)
    return y, lambda y_bar: partial_bars(y_bar, y, function, args, kwargs)


def partial_bars(y_bar, y, function, args, kwargs):
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
    return None, function_bar, *arg_bars[inner:], *[bars.get(n) for n in kwargs]


def call_of_partial(function, *args, pullback=None, **kwargs):
    """A call of a partial function, as the call of the function in it."""
    keywords = {**function.keywords, **kwargs}
    y, back = pullback(function.func, *function.args, *args, **keywords)
    count = len(function.args)
    return y, lambda y_bar: call_bars(back(y_bar), function, count, len(args), keywords, kwargs)


def call_bars(bars, function, held, given, keywords, kwargs):
    """The cotangents of a partial function and of the arguments that it was called with."""
    pairs = zip(keywords, bars[1 + held + given :], strict=True)
    bar_of = {n: keyword_bar(bar, n, keywords[n]) for n, bar in pairs}
    function_bar = {
        "func": bars[0],
        "args": tuple(bars[1 : 1 + held]),
        "keywords": {n: bar_of[n] for n in function.keywords if n not in kwargs},
    }
    return function_bar, *bars[1 + held : 1 + held + given], *[bar_of[n] for n in kwargs]
