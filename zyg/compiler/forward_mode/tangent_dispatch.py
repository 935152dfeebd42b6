"""What generated tangent code asks at run time, where types did not tell.

`tangent_call((f, x), (None, x_dot))` gives `f(x)` and its tangent: by the tangent function of `f`,
made for the arguments at hand. Where there is none, because a rule is no more than a function that
runs, the tangent comes from the back function, one coordinate of the value at a time: that costs as
many calls of it as the value has numbers.
"""

from __future__ import annotations

import copy
import functools
import operator
import types
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ir import facts, primitives, try_primitives
from ir.derived import replaces
from ir.library.builtin_facts import IN_PLACE
from ir.memory.memory_facts import CHANGING
from zyg import array_type
from zyg.checkpointing import checkpointed
from zyg.compiler.forward_mode.tangent_caches import cached_property_read, remembered
from zyg.compiler.forward_mode.tangent_callables import (
    is_of_named_tuple,
    made_by_class,
    without_gaps,
)
from zyg.compiler.forward_mode.tangent_containers import regrouped
from zyg.compiler.forward_mode.tangent_declared import (
    by_jvp,
    declared_tangent,
    has_tangent_as_iterator,
)
from zyg.compiler.forward_mode.tangent_iterators import paired
from zyg.compiler.forward_mode.tangent_protocols import by_protocols, call_of_partial
from zyg.compiler.forward_mode.tangent_recorder import Recorder
from zyg.compiler.forward_mode.tangent_rows import by_rows, name_of
from zyg.compiler.inference import conversions
from zyg.compiler.inference.objects import is_place, iterates, lookup
from zyg.compiler.inference.replaced import ADVICE, what_is_passed_over
from zyg.compiler.nested import nested_backs, nested_dispatch
from zyg.compiler.overwriting.mutation import MUTATING_METHODS
from zyg.compiler.run_time import (
    attempted_calls,
    constant_calls,
    decorated,
    dynamic,
    memory,
    object_attributes,
    rule_backs,
)
from zyg.compiler.run_time.copies import object_copier
from zyg.compiler.run_time.refusals import refuse_uncovered
from zyg.errors import NotDifferentiable, ZygError
from zyg.held.memory_kinds import FUNCTIONS, is_memory
from zyg.held.readers import read_once
from zyg.rules.registry import is_constant, rule_of, substitute_of, takes_pullback
from zyg.rules.tangent_registry import is_read_late
from zyg.signature import BackFunction, is_by_rules, is_dispatching, is_users
from zyg.tangents.tangent import unless_asked, with_wrapped, zero_tangent
from zyg.tangents.tangent_objects import change, has_table, live_items
from zyg.tangents.tangent_sets import of_sets

Values = tuple[Any, ...]
TangentCall = Callable[..., tuple[Any, Any]]
_IN_PLACE = set(IN_PLACE)
_METHODS: dict[tuple[type, str], Any] = {
    (list, "append"): primitives.appended, (list, "insert"): primitives.inserted,
    (deque, "append"): primitives.pushed, (deque, "appendleft"): primitives.pushed_left,
}
_NUMBERS = frozenset([float, int, np.float64])  # what no class of the user's answers for


def _not_set(*args: Any) -> Any:
    raise RuntimeError("`zyg.forward` has to be imported first")


# Set by `zyg.forward`: the value and tangent of a call of a function that can be compiled.
compiled_call: Callable[..., Any] = _not_set


def _compiled(*call: Any) -> tuple[Any, Any]:
    found: tuple[Any, Any] = compiled_call(*call)
    return found


def _known(function: Any, args: Values, *dots_and_named: Any) -> tuple[Any, Any]:
    """The call of a function that is compiled as it is, or by what stands for it."""
    plain = substitute_of(function)
    if plain is not None:
        refuse_uncovered(plain, function, args, dots_and_named[2])
    return _compiled(function, args, *dots_and_named)


def tangent_call(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None = None,
    kwarg_dots: dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The value and the tangent of a call: the function comes first, then its arguments."""
    if primals[0] is checkpointed:  # what it does is for reverse mode
        return tangent_call(primals[1:], dots[1:], kwargs, kwarg_dots)
    y, dot = _tangent_call(primals, dots, kwargs, kwarg_dots)
    if dot is None and primals[0] is iter and dots[1] is not None:
        _unless_lost(primals[1])
    if dot is None and id(primals[0]) not in CHANGING:
        dot = zero_tangent(y)
    return y, dot


def _unless_lost(items: Any) -> None:
    """Raises for the iterator without a tangent that a class gives which derives from a container:
    its `__iter__` may have called the method that it replaces."""
    if isinstance(items, list | tuple | deque | dict) and replaces(type(items), "__iter__"):
        cls = type(items)
        raise NotDifferentiable(f"{what_is_passed_over(list.__iter__, cls)}; {ADVICE}")


def _tangent_call(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None,
    kwarg_dots: dict[str, Any] | None,
) -> Any:
    function, *args = primals
    function_dot, *arg_dots = dots
    function = dynamic.with_source(function, tuple(args))
    kwargs, kwarg_dots = kwargs or {}, kwarg_dots or {}
    if id(function) in dynamic.NESTED:
        return tangent_of_pair(function, tuple(args), tuple(arg_dots), kwargs, kwarg_dots)
    if isinstance(function, BackFunction):
        return tangent_of_back(function, function_dot, args[0], arg_dots[0])
    if id(function) in dynamic.OF_TANGENTS:
        return by_rows(
            lambda: dynamic.pullback_call(function, *args, **kwargs), function,
            (function_dot, *arg_dots, *(kwarg_dots.get(name) for name in kwargs)),
            (function, *args, *kwargs.values()),
        )
    if type(function) is types.FunctionType and not is_of_named_tuple(function) and (
        _is_known_at_once(function)
    ):
        return _known(function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots)
    if has_table():
        found = _changed_in_place(function, tuple(args), tuple(arg_dots), kwargs, kwarg_dots)
        if found is not None:
            return found
        if is_read_late(function) or paired(function) is not None:
            arg_dots = list(map(live_items, args, arg_dots))
    is_operator = isinstance(function, types.BuiltinFunctionType) and function in _IN_PLACE
    if is_operator and len(args) == 2 and not is_memory(args[0]):
        method = object_attributes.changing_method(function, args[0])
        plainly = IN_PLACE[function] if method is None else method
        return tangent_call((plainly, *args), (None, *arg_dots))
    if type(function) is try_primitives.Catching:
        return _attempt(
            function.function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots
        )
    if has_table() and function is copy.copy and len(args) == 1 and is_place(type(args[0])):
        copier = object_copier(type(args[0]))
        if copier is not None:
            return tangent_call((copier, *args), (None, *arg_dots))
    if function is functools.update_wrapper and isinstance(args[0], FUNCTIONS):
        wrapped_dot = arg_dots[1] if len(args) > 1 else kwarg_dots.get("wrapped")
        dot = with_wrapped(arg_dots[0], wrapped_dot)
        return function(*args, **kwargs), dot
    found = remembered(
        tangent_call, function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots
    )
    if found is None:
        found = cached_property_read(tangent_call, function, tuple(args), tuple(arg_dots))
    if found is not None:
        return found
    found = by_protocols(
        tangent_call, function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots
    )
    if found is not None:
        return found
    if is_constant(function):
        if not has_table():
            y = function(*args, **kwargs)
            return y, zero_tangent(y)
        code = constant_calls.code_in_place_of(function, tuple(args), kwargs)
        if code is not None:
            return _known(code, tuple(args), None, tuple(arg_dots), kwargs, kwarg_dots)
        y = constant_calls.called_as_it_is(function, tuple(args), kwargs)
        return y, zero_tangent(y)
    if not is_of_named_tuple(function) and isinstance(function, types.BuiltinMethodType):
        _, plain, leading = dynamic.resolve(function, tuple(args))
        if leading:
            own = function_dot.get("__self__") if isinstance(function_dot, dict) else None
            inner = plain, *leading, *args
            return tangent_call(inner, (None, own, *arg_dots), kwargs, kwarg_dots)
    if not is_of_named_tuple(function) and _is_known_at_once(function):
        return _known(function, tuple(args), function_dot, tuple(arg_dots), kwargs, kwarg_dots)
    if isinstance(function, types.MethodType):
        own = function_dot.get("__self__") if isinstance(function_dot, dict) else None
        return tangent_call(
            (function.__func__, function.__self__, *args), (None, own, *arg_dots), kwargs,
            kwarg_dots,
        )
    if function is read_once and has_tangent_as_iterator(args[0]):
        return rule_call(primals, dots, kwargs, kwarg_dots)
    walk = paired(function)
    if walk is not None:
        return walk(tangent_call, primals, dots, kwargs, kwarg_dots)
    made = made_by_class(function, tuple(args), tuple(arg_dots), kwargs, kwarg_dots)
    if made is not None:
        return made
    if conversions.takes_numbers(function):
        conversions.unless_taken_apart(function, *args, *kwargs.values())
    found = by_jvp(tangent_call, function, tuple(args), tuple(arg_dots), kwargs, kwarg_dots)
    if found is not None:
        return found
    if all(dot is None for dot in kwarg_dots.values()):
        found = declared_tangent(function, tuple(args), tuple(arg_dots), kwargs)
        if found is not None:
            return found
    if has_table() and function is not copy.copy:
        refuse_objects(function, (*args, *kwargs.values()))
    return by_rows(
        lambda: dynamic.pullback_call(function, *args, **kwargs), function,
        (function_dot, *arg_dots, *(kwarg_dots.get(name) for name in kwargs)),
        (function, *args, *kwargs.values()),
    )


def tangent_of_pair(
    function: Any, args: Values, dots: Values, kwargs: dict[str, Any], kwarg_dots: dict[str, Any]
) -> tuple[Any, Any]:
    """A value and its back function, which an inner gradient found at run time, with tangents."""
    if function is dynamic.pullback_call:
        linear = nested_backs.made_of_arguments(args[0], args[1:], kwargs)
        if linear is not None and args[0] is not getattr:
            made = made_by_class(args[0], args[1:], dots[1:], kwargs, kwarg_dots)
            of_keywords = [kwarg_dots.get(name) for name in kwargs]
            y, back = linear
            y_dot = without_gaps(back.tangent_of_value((*dots, *of_keywords)), y) if (
                made is None
            ) else made[1]
            return linear, (y_dot, None)
        return nested_dispatch.tangent_of_call(
            _compiled, args[0], args[1:], dots[0], dots[1:], kwargs, kwarg_dots
        )
    if function is dynamic.call_rule:
        return nested_dispatch.tangent_of_call(
            _compiled, function, args, None, dots, kwargs, kwarg_dots
        )
    items, item_dots, keywords, keyword_dots = _unpacked(args, dots)
    pair, pair_dot = tangent_of_pair(
        dynamic.pullback_call, (args[0], *items), (dots[0], *item_dots), keywords, keyword_dots
    )
    y, back = pair
    return (y, nested_backs.of_apply(args[1], items, keywords, back)[0]), pair_dot


def tangent_of_back(back: Any, own_dot: Any, y_bar: Any, y_bar_dot: Any) -> tuple[Any, Any]:
    """The cotangents that such a back function gives, with tangents."""
    if isinstance(back, nested_backs.LinearBack | rule_backs.Zero):
        return back(y_bar), back(y_bar_dot)
    if isinstance(back, nested_backs.ArrangedBack):
        return back.tangent(own_dot, y_bar, y_bar_dot, tangent_of_back)
    nested: Any = back if hasattr(back, "tangent") else None
    if nested is None and hasattr(back, "nested"):
        nested = back.nested()
    if nested is None:
        raise NotDifferentiable("forward mode can't follow this back function; use zyg.pullback")
    found: tuple[Any, Any] = nested.tangent(own_dot, y_bar, y_bar_dot, _compiled)
    return found


def tangent_apply(primals: Values, dots: Values) -> tuple[Any, Any]:
    """The same for `function(*args, **kwargs)`."""
    return _applied(tangent_call, primals, dots)


def _applied(call: TangentCall, primals: Values, dots: Values) -> tuple[Any, Any]:
    args, arg_dots, kwargs, kwarg_dots = _unpacked(primals, dots)
    return call((primals[0], *args), (dots[0], *arg_dots), kwargs, kwarg_dots)


def _unpacked(
    primals: Values, dots: Values
) -> tuple[Values, list[Any], dict[str, Any], dict[str, Any]]:
    """The arguments of `function(*args, **kwargs)` one by one, with their tangents."""
    _, args, kwargs = primals
    _, args_dot, kwargs_dot = dots
    args = tuple(args)
    arg_dots = [None] * len(args) if args_dot is None else list(args_dot)
    return args, arg_dots, dict(kwargs), dict(kwargs_dot or {})


def _attempt_call(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None = None,
    kwarg_dots: dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """`tangent_call` of the catching variant of a function."""
    function, *args = primals
    function_dot, *arg_dots = dots
    found: tuple[Any, Any] = _attempt(
        function, tuple(args), function_dot, tuple(arg_dots), kwargs or {}, kwarg_dots or {}
    )
    return found


def _attempt(
    function: Any, args: Values, function_dot: Any, dots: Values, kwargs: dict[str, Any],
    kwarg_dots: dict[str, Any],
) -> Any:
    """The pair (error or None, value) of a call, and its tangent."""
    function = dynamic.with_source(function, args)
    if function is primitives.apply:
        return _applied(_attempt_call, args, dots)
    if type(function) is functools.partial:
        return call_of_partial(
            _attempt_call, function, args, function_dot, dots, kwargs, kwarg_dots
        )
    if isinstance(function, types.MethodType):
        own = function_dot.get("__self__") if isinstance(function_dot, dict) else None
        return _attempt(
            function.__func__, (function.__self__, *args), None, (own, *dots), kwargs, kwarg_dots
        )
    if is_users(type(function)) and not isinstance(function, type):
        method = lookup(type(function), "__call__")
        if isinstance(method, types.FunctionType):
            return _attempt(method, (function, *args), None, (None, *dots), kwargs, kwarg_dots)
    if attempted_calls.is_compiled(function):
        return _compiled(function, args, function_dot, dots, kwargs, kwarg_dots, "attempt")
    recorder = Recorder(_attempt_call)
    given = tuple(map(recorder.told_apart, args, dots))
    found = None if kwargs else attempted_calls.attempted_method(recorder, function, given)
    if found is not None:
        return found[0], recorder.dot_of(found[0])
    try:
        y, dot = tangent_call((function, *args), (function_dot, *dots), kwargs, kwarg_dots)
    except ZygError:
        raise
    except Exception as error:
        if attempted_calls.may_call((function, *args, *kwargs.values())):
            memory.refuse_lost_changes(error)
        raise
    return (None, y), (None, dot)


def _changed_in_place(
    function: Any, args: Values, dots: Values, kwargs: dict[str, Any],
    kwarg_dots: dict[str, Any],
) -> tuple[Any, Any] | None:
    """The value and tangent of a change of memory that objects hold; None for another call."""
    if function is primitives.regrouped:
        y, y_dot = regrouped(args, dots)
        if any(dot is not None and np.any(dot) for dot in y_dot):
            raise NotDifferentiable(
                "a set that objects hold is changed in place, and numbers in it are differentiated "
                "in forward mode; use zyg.pullback"
            )
        return y, None
    if id(function) in CHANGING:
        method = object_attributes.changing_method(function, args[0])
        if method is not None:
            tangent_call((method, *args), (None, *dots))
            return args[0], None
        change(function, args, dots[1:])
        return args[0], None
    if function is primitives.augmented_item:
        operation = dynamic.operation_on_item(*args)
        return tangent_call((operation, *args[2:]), (None, *dots[2:]), {}, {})
    is_operator = isinstance(function, types.BuiltinFunctionType) and function in _IN_PLACE
    if is_operator and len(args) == 2 and is_memory(args[0]):
        return _compiled(function, args, None, dots, kwargs, kwarg_dots)
    if function is operator.getitem and isinstance(args[0], defaultdict):
        if args[1] not in args[0]:
            change(primitives.touched, args, dots[1:])
        return None
    if isinstance(function, types.BuiltinMethodType) and is_memory(function.__self__):
        known = _METHODS.get((type(function.__self__), function.__name__))
        if known is not None and not kwargs:
            change(known, (function.__self__, *args), dots)
            return None, None
        if function.__name__ in MUTATING_METHODS:
            plain = getattr(type(function.__self__), function.__name__)
            given = function.__self__, *args
            return _compiled(plain, given, None, (None, *dots), kwargs, kwarg_dots)
    return None


def refuse_objects(function: Any, values: Values) -> None:
    """Raises where what isn't known is given objects, whose tangents it would not see."""
    for value in values:
        if isinstance(value, list | tuple | dict | deque | set | frozenset):
            refuse_objects(function, tuple(value.values() if isinstance(value, dict) else value))
        elif is_place(type(value)) and not isinstance(value, BaseException):
            raise NotDifferentiable(
                f"forward mode can't tell what {name_of(function)} reads of a "
                f"{type(value).__name__}"
            )


def rule_call(
    primals: Values, dots: Values, kwargs: dict[str, Any] | None = None,
    kwarg_dots: dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The same for a callable that has a rule."""
    function, *args = primals
    if function is read_once and has_tangent_as_iterator(args[0]):
        y, y_dot = rule_call(tuple(args), tuple(dots[1:]), kwargs, kwarg_dots)
        # The adjoint that is differentiated here rests on its being read in one place.
        return (read_once(iter, y) if hasattr(y, "__next__") else y), y_dot
    if has_table() and not all(type(arg) in _NUMBERS for arg in args):
        found: tuple[Any, Any] | None = by_protocols(
            tangent_call, function, tuple(args), None, tuple(dots[1:]), kwargs or {}, {}
        )
        if found is not None:
            return found
        if iterates(function):
            for arg, dot in zip(args, dots[1:], strict=True):
                if dot is None:
                    unless_asked(arg)
    rule: Any = rule_of(function)
    found = by_jvp(
        tangent_call, function, tuple(args), tuple(dots[1:]), kwargs or {}, kwarg_dots or {}
    )
    if found is not None:
        return found
    is_plain = type(rule) is types.FunctionType and not takes_pullback(rule)
    walk = paired(function)
    if walk is not None:
        pair: tuple[Any, Any] = walk(
            tangent_call, primals, dots, kwargs or {}, kwarg_dots or {}
        )
        return pair
    is_of_numbers = all(map(array_type.is_number_or_array, args))
    if not is_of_numbers and not kwargs:
        found = of_sets(function, tuple(args), tuple(dots[1:]))
        if found is not None:
            return found
    if not is_of_numbers and conversions.takes_numbers(function):
        conversions.unless_taken_apart(function, *args)
    if not kwarg_dots or all(dot is None for dot in kwarg_dots.values()):
        found = declared_tangent(function, tuple(args), tuple(dots[1:]), kwargs or {})
        if found is not None:
            return found
    if is_plain and not kwargs and is_of_numbers and is_single(function):
        return _compiled(function, tuple(args), None, tuple(dots[1:]), {}, {})
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
        (*args, *keywords.values()),
    )


def is_single(function: Any) -> bool:
    """Whether code can be made for a callable by itself."""
    return not isinstance(function, types.GetSetDescriptorType | types.MemberDescriptorType)


def tangent_by_rule(
    function: Any, args: Values, dots: Values, kwargs: dict[str, Any] | None = None
) -> Any:
    """The tangent of a call by its rule alone, coordinate by coordinate."""
    return by_rows(
        lambda: dynamic.call_rule(function, *args, **(kwargs or {})), function, dots, args
    )[1]


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
        or is_dispatching(function) or function.__code__ is decorated.DISPATCHING_METHOD
    )


# What the forward pass calls at run time, and what a tangent function calls in its place.
IN_PLACE_OF: dict[Any, Any] = {
    dynamic.pullback_call: tangent_call,
    dynamic.pullback_apply: tangent_apply,
    dynamic.call_rule: rule_by_rows,
}
facts.changes_unseen(tangent_call, tangent_apply)
