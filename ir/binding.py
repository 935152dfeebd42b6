"""Binds the arguments of a call to the parameters of a function, before it runs.

Works on anything that stands for an argument (operands, types): the caller says how a tuple of
surplus positional arguments and a dict of surplus keywords are made.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ir.core import Function

A = TypeVar("A")


class CannotBind(Exception):
    """The arguments don't fit, so the call raises a TypeError when it runs."""


def bind(
    function: Function,
    args: Sequence[A],
    kwargs: Mapping[str, A],
    defaults: Sequence[A],
    kwdefaults: Mapping[str, A],
    make_tuple: Callable[[Sequence[A]], A],
    make_dict: Callable[[Mapping[str, A]], A],
) -> list[A]:
    """One argument for each of `function.params`; raises `CannotBind` where Python would."""
    kinds = function.signature
    names = [param.name for param in function.params]
    positional = kinds.positional_only + kinds.positional
    keyword_start = positional + kinds.vararg
    keyword_only = range(keyword_start, keyword_start + kinds.keyword_only)
    surplus = dict(kwargs)
    # By position: parameters of generated functions may be named alike.
    bound: dict[int, A] = dict(zip(range(positional), args, strict=False))
    if len(args) > positional and not kinds.vararg:
        raise CannotBind
    for i in [*range(kinds.positional_only, positional), *keyword_only]:
        if names[i] in surplus:
            if i in bound:
                raise CannotBind
            bound[i] = surplus.pop(names[i])
    for i, default in zip(reversed(range(positional)), reversed(defaults), strict=False):
        bound.setdefault(i, default)
    for i in keyword_only:
        if names[i] in kwdefaults:
            bound.setdefault(i, kwdefaults[names[i]])
    if surplus and not kinds.kwarg:
        raise CannotBind
    result = []
    for i in range(len(names)):
        if i < positional or i in keyword_only:
            if i not in bound:
                raise CannotBind
            result.append(bound[i])
        elif kinds.vararg and i == positional:
            result.append(make_tuple(args[positional:]))
        else:
            result.append(make_dict(surplus))
    return result


def is_method_of_container(function: Any) -> bool:
    """Whether a function is a method like `list.append`."""
    return isinstance(function, types.MethodDescriptorType) and (
        function.__objclass__ in (list, dict, set, deque, OrderedDict, defaultdict)
    )


def error_of_call(function: Any, args: Any, kwargs: Any) -> Any:
    """What a call raises that has too many arguments, or too few; of a method of a container,
    without that."""
    if is_method_of_container(function):
        args = (function.__objclass__(), *args)
    try:
        function(*args, **kwargs)
    except TypeError as error:
        return error.with_traceback(None)
    raise AssertionError("the call has as many arguments as it takes")
