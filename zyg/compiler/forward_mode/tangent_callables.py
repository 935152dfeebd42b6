"""What classes make of a call: NamedTuples, partial functions, exceptions, with their tangents.

The tangent of a NamedTuple is a NamedTuple of tangents, that of a partial function a dict of those
of what it holds: `{"func": ..., "args": ..., "keywords": ...}`.
"""

from __future__ import annotations

import functools
from typing import Any

from ir.derived import is_named_tuple
from ir.generators import watched_object
from zyg.held import callables
from zyg.tangents.tangent import settled, settled_tangent, tangent_or_zero

Values = tuple[Any, ...]
OF_NAMED_TUPLES = (callables._REPLACE, callables._MAKE)


def is_of_named_tuple(function: Any) -> bool:
    """Whether a function is `_replace` or `_make` of NamedTuples."""
    return getattr(function, "__code__", None) in OF_NAMED_TUPLES


def without_gaps(dot: Any, y: Any) -> Any:
    """The tangent of a tuple or dict, of which parts may be missing."""
    if dot is None:
        return None
    if isinstance(y, dict):
        return {key: tangent_or_zero(dot.get(key), item) for key, item in y.items()}
    return tuple.__new__(type(y), map(tangent_or_zero, dot, y))


def made_by_class(
    function: Any, args: Values, dots: Values, kwargs: dict[str, Any], kwarg_dots: dict[str, Any]
) -> Any:
    """The value and tangent of making a NamedTuple, a partial function, an exception or an object
    that holds nothing yet."""
    if function is object.__new__ or function is watched_object:
        return function(*args, **kwargs), None
    if function is functools.partial:
        return _partial(args, dots, kwargs, kwarg_dots)
    if isinstance(function, type) and issubclass(function, BaseException):
        return function(*args, **kwargs), None  # what it holds is refused where it is read
    if is_named_tuple(function):
        y: Any = function(*args, **kwargs)
        by_name = dict(zip(function._fields, dots, strict=False))
        by_name.update(kwarg_dots)
        whole = [
            tangent_or_zero(by_name.get(name), x) for name, x in zip(y._fields, y, strict=True)
        ]
        return y, tuple.__new__(function, whole)
    code = getattr(function, "__code__", None)
    callables.unless_own_fields(function, args)
    if code is callables._REPLACE and len(args) == 1:
        y = function(args[0], **kwargs)
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


def _partial(
    args: Values, dots: Values, kwargs: dict[str, Any], kwarg_dots: dict[str, Any]
) -> tuple[Any, Any]:
    """Making a partial function; one of a partial function holds the arguments of both."""
    function, *rest = args
    y: Any = functools.partial(function, *rest, **kwargs)
    dot: dict[str, Any] = {
        "func": dots[0], "args": tuple(dots[1:]), "keywords": dict(kwarg_dots),
    }
    if y.func is not function:
        inner = dots[0] or {}
        before = inner.get("args") or (None,) * (len(y.args) - len(rest))
        dot = {
            "func": inner.get("func"), "args": (*before, *dots[1:]),
            "keywords": {**(inner.get("keywords") or {}), **kwarg_dots},
        }
    return y, dot
