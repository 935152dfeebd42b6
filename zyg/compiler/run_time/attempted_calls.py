"""Calls whose error is a value, because a handler of the program goes on after it.

    attempt_call(f, *args)  ->  (error or None, value), back function
"""

from __future__ import annotations

import functools
import operator
import types
from typing import Any

import numpy as np

from ir import primitives
from ir.library.builtin_facts import IN_PLACE
from ir.memory.memory_facts import CHANGING
from zyg.compiler.inference import members, objects
from zyg.compiler.run_time import from_api, object_attributes, object_backs, object_calls
from zyg.compiler.run_time.dynamic import (
    IN_PLACE_IDS,
    applied,
    is_of_ir,
    operation_on_item,
    pullback_call,
    with_source,
)
from zyg.compiler.run_time.memory import refuse_lost_changes
from zyg.compiler.run_time.rule_backs import BackOfValue
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.held import callables
from zyg.rules.registry import is_constant, rule_of, substitute_of
from zyg.signature import is_by_rules, is_for_run_time, is_users

# What calls no Python code of the user's, but for what it is given.
_WRITTEN_IN_C = (types.BuiltinFunctionType, types.MethodDescriptorType, np.ufunc)


def attempt_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The pair (error or None, value) of a call, and its back function.

    What has changed nothing before it failed may raise its error as well.
    """
    if function is primitives.apply:
        return applied(attempt_call, *args)
    if function is primitives.augmented_item:
        pair, back = attempt_call(operation_on_item(*args), *args[2:])
        return pair, object_backs.Through(back, object_backs.of_augmented)
    if type(function) is functools.partial:
        return callables.call_of_partial(attempt_call, function, args, kwargs)
    function = with_source(function, args)
    is_method = isinstance(function, types.MethodType)
    plain = function.__func__ if is_method else function
    leading = (function.__self__,) if is_method else ()
    if is_users(type(plain)) and not isinstance(plain, type):
        method = objects.lookup(type(plain), "__call__")
        if isinstance(method, types.FunctionType) and not is_method:
            pair, back = attempt_call(method, function, *args, **kwargs)
            return pair, object_backs.Through(back, object_backs.as_callee)
    if is_compiled(plain):
        pair, back = from_api.compile_attempt(plain, *leading, *args, **kwargs)
        return pair, (object_backs.Through(back, object_backs.as_self) if leading else back)
    found = None if kwargs else attempted_method(attempt_call, function, args)
    if found is not None:
        return found
    try:
        y, back = pullback_call(function, *args, **kwargs)
    except (NotDifferentiable, UnsupportedSyntax):
        raise
    except Exception as error:
        if may_call((function, *args, *kwargs.values())):
            refuse_lost_changes(error)
        raise
    return (None, y), BackOfValue(back)


def attempted_method(
    attempt: Any, function: Any, args: tuple[Any, ...]
) -> tuple[Any, Any] | None:
    """The same for an operator that is a method of an object's class; `attempt` calls it."""
    if id(function) in CHANGING or (id(function) in IN_PLACE_IDS and len(args) == 2):
        method = object_attributes.changing_method(function, args[0])
        if method is not None:
            (error, value), back = attempt(method, *args)
            pair = error, args[0] if id(function) in CHANGING else value
            return pair, object_backs.Through(back, object_backs.of_operator)
        function = IN_PLACE.get(function, function)
    return object_calls.attempted_operator(attempt, function, args)


def is_compiled(function: Any) -> bool:
    """Whether code is made for a Python function, and nothing else answers for it."""
    return type(function) is types.FunctionType and not (
        is_of_ir(function) or is_by_rules(function) or rule_of(function) is not None
        or substitute_of(function) is not None or is_constant(function)
        or is_for_run_time(function)
    )


def may_call(values: tuple[Any, ...]) -> bool:
    """Whether a call of the first of these with the others may run Python code of the user's."""
    function, *args = values
    if id(function) in CHANGING and type(args[0]) in (list, dict, np.ndarray):
        return False
    if function is operator.getitem and type(args[0]) in (list, dict, tuple, np.ndarray):
        return not _is_plain_data(args[1])
    if function is getattr and len(args) == 2 and type(args[1]) is str:
        hooks = (objects.ANY_NAME, "__getattribute__", args[1])
        found = [objects.lookup(type(args[0]), name) for name in hooks]
        if found[::2] == [None, None] and members.is_of_python(found[1], "__getattribute__"):
            return False
    return not isinstance(function, _WRITTEN_IN_C) or not all(map(_is_plain_data, args))


def _is_plain_data(value: Any) -> bool:
    """Whether nothing that is done with a value runs code of the user's."""
    if type(value) in (list, tuple, set):
        return all(map(_is_plain_data, value))
    if type(value) is dict:
        return all(map(_is_plain_data, (*value, *value.values())))
    if isinstance(value, np.ndarray | np.generic):
        return not value.dtype.hasobject
    return value is None or type(value) in (int, float, complex, bool, str, bytes, range, slice)
