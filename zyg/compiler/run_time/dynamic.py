"""What generated code asks at run time, where types did not tell.

`pullback_call(f, *args, **kwargs)` looks at the real arguments, finds a rule or compiles, and gives
the value and a back function: y_bar -> the cotangents of `f`, of each positional argument and of
each keyword argument, in their order.
"""

from __future__ import annotations

import functools
import operator
import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ir import facts, primitives, try_primitives
from ir.core import named
from ir.derived import is_named_tuple
from ir.inference.metaclasses import MAKE_CLASS
from ir.library.builtin_facts import IN_PLACE
from ir.memory.memory_facts import CHANGING
from ir.types import TOP, Known, Tuple, Type
from zyg.checkpointing import checkpointed
from zyg.compiler.inference import constructors, conversions, objects, replaced
from zyg.compiler.inference.objects import item_of_class
from zyg.compiler.nested import nested_dispatch
from zyg.compiler.overwriting import held_changes
from zyg.compiler.overwriting.mutation import MUTATING_METHODS
from zyg.compiler.run_time import (
    constant_calls,
    decorated,
    from_api,
    object_attributes,
    object_backs,
    object_calls,
)
from zyg.compiler.run_time.refusals import carries_nothing, refusal, refuse_output, refuse_uncovered
from zyg.compiler.run_time.rule_backs import ApplyBack, RaisedBack, RuleBack, Zero
from zyg.errors import NotDifferentiable
from zyg.held import callables
from zyg.held.held_memory import is_held
from zyg.held.memory_kinds import is_memory
from zyg.held.shadow_calls import is_running
from zyg.rules.registry import (
    is_constant,
    method_of_ufunc,
    rule_of,
    stand_in_of,
    substitute_of,
    takes_pullback,
)
from zyg.signature import BACK, BackFunction, is_by_rules

IN_PLACE_IDS = {id(function) for function in IN_PLACE}


def pullback_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The value of a call, and its back function: y_bar -> (function's, *arguments')."""
    if type(function) is try_primitives.Catching:
        from zyg.compiler.run_time.attempted_calls import attempt_call  # few programs need it

        return attempt_call(function.function, *args, **kwargs)
    if function is primitives.apply:
        return applied(pullback_call, *args)
    if function is checkpointed:
        from zyg.compiler.checkpoints.checkpoint_calls import run_again  # few programs need it

        return run_again(pullback_call, *args, **kwargs)
    if id(function) in NESTED or id(function) in OF_TANGENTS:
        of_pair = NESTED.get(id(function)) or OF_TANGENTS[id(function)]
        pair, back = of_pair(*args, **kwargs)
        return pair, back
    if isinstance(function, BackFunction) and hasattr(function, "pullback"):
        y, back = function.pullback(*args)
        return y, back
    if is_running():
        if function is operator.getitem and type(args[0]) in (list, dict) and (
            type(args[1]) in (int, str)
        ):
            return args[0][args[1]], object_backs.OfItem(*args)
        changed = _changed_in_place(function, args, kwargs)
        if changed is not None:
            return changed
    if type(function) is functools.partial:
        return callables.call_of_partial(pullback_call, function, args, kwargs)
    function = with_source(function, args)
    found = object_calls.call_of_object(pullback_call, function, args, kwargs)
    if found is None:
        found = decorated.call_of_decorated(pullback_call, function, args, kwargs)
    if found is not None:
        return found
    if conversions.takes_numbers(function):
        conversions.unless_taken_apart(function, *args, *kwargs.values())
    rule, function, leading = resolve(function, args)
    replaced.unless_passed_over(function, args)
    if rule is not None or substitute_of(function) is not None:
        refuse_output(function, (*leading, *args), kwargs)
    plain = substitute_of(function) if kwargs or rule is None else None
    is_general = plain is None  # what stands in for a ufunc serves several, and is given it
    plain = plain or stand_in_of(function, (*leading, *args), kwargs)
    if rule is not None and plain is None:
        y, back = _by_rule(rule, function, (*leading, *args), kwargs)
        return y, RuleBack(back, function, len(leading), (*leading, *args), kwargs)
    if plain is not None:
        if is_general and isinstance(function, np.ufunc):
            return callables.call_of_partial(
                pullback_call, functools.partial(plain, function), args, kwargs
            )
        refuse_uncovered(plain, function, (*leading, *args), kwargs)
        y, back = from_api.compile_call(plain, *leading, *args, **kwargs)
        return y, (object_backs.Through(back, object_backs.as_self) if leading else back)
    if is_named_tuple(function):
        return callables.named_tuple(function, *args, **kwargs)
    if function is functools.partial:
        return callables.partial(*args, **kwargs)
    if isinstance(function, type) and issubclass(function, BaseException):
        return function(*args, **kwargs), RaisedBack(1 + len(args) + len(kwargs))
    if is_constant(function):
        given = (*leading, *args)
        if not is_running():
            return function(*given, **kwargs), Zero(1 + len(args) + len(kwargs))
        code = constant_calls.code_in_place_of(function, given, kwargs)
        if code is None:
            y = constant_calls.called_as_it_is(function, given, kwargs)
            return y, Zero(1 + len(args) + len(kwargs))
        function = code
    is_python = isinstance(function, types.FunctionType)
    if is_python and not is_of_ir(function) and not is_by_rules(function):
        of_tuple = callables.method_of_named_tuple(function, (*leading, *args), kwargs)
        y, back = of_tuple or from_api.compile_call(function, *leading, *args, **kwargs)
        return y, (object_backs.Through(back, object_backs.as_self) if leading else back)
    if leading and not isinstance(function, types.BuiltinFunctionType):
        y, back = pullback_call(function, *leading, *args, **kwargs)
        return y, object_backs.Through(back, object_backs.as_self)
    function = decorated.method_of_cache(function)
    owner = replaced.owner_with_derivative(function)
    if carries_nothing((owner, *leading, *args, *kwargs.values())):
        read = function.__get__ if _is_field(function) else function
        return read(*leading, *args, **kwargs), Zero(1 + len(args) + len(kwargs))
    raise refusal(function)


def _is_field(function: Any) -> bool:
    """Whether this is an attribute of a class written in C, which is read of its argument."""
    return isinstance(function, types.GetSetDescriptorType | types.MemberDescriptorType)


def with_source(function: Any, args: tuple[Any, ...]) -> Any:
    """A callable; in the place of an `__init__` that `dataclasses` generated, its like, and in
    that of `cls[key]` the method that answers it."""
    if function is operator.getitem and isinstance(args[0], type):
        return item_of_class(args[0]) or function
    if function is type and len(args) == 3:
        return MAKE_CLASS
    if type(function) is types.MethodType and type(function.__func__) is types.FunctionType:
        plain = constructors.with_source(function.__func__, type(function.__self__))
        return function if plain is function.__func__ else types.MethodType(
            plain, function.__self__
        )
    if type(function) is types.FunctionType and args:
        return decorated.decorator_like(constructors.with_source(function, type(args[0])))
    if type(function) is types.MethodWrapperType:  # `super().__init__` of a namespace
        base: Any = function.__objclass__
        plain = constructors.method_above(
            type(function.__self__), vars(base).get(function.__name__), base
        )
        return function if plain is None else types.MethodType(plain, function.__self__)
    return function


def _changed_in_place(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Any] | None:
    """The value and back function of a change in place of what is found at run time."""
    if id(function) in CHANGING:
        method = object_attributes.changing_method(function, args[0])
        if method is not None:
            _, back = pullback_call(method, *args)
            return args[0], object_backs.Through(back, object_backs.of_operator)
        return held_changes.change(function, *args)
    if function is operator.getitem and isinstance(args[0], defaultdict):
        if args[1] not in args[0] and is_held(args[0]):
            return held_changes.item_made(*args)
        return None
    if function is primitives.augmented_item:
        y, back = pullback_call(operation_on_item(*args), *args[2:])
        return y, object_backs.Through(back, object_backs.of_augmented)
    if id(function) in IN_PLACE_IDS and len(args) == 2:
        method = object_attributes.changing_method(function, args[0])
        if method is not None:
            y, back = pullback_call(method, *args)
            return y, object_backs.Through(back, object_backs.of_operator)
        if is_memory(args[0]):
            y, back = from_api.compile_call(function, *args)
            return y, back
        return pullback_call(IN_PLACE[function], *args)
    if isinstance(function, types.BuiltinMethodType) and is_memory(function.__self__):
        if function.__name__ in MUTATING_METHODS:
            method = replaced.method_of_base(function)
            plain = substitute_of(method)
            if not isinstance(plain, types.FunctionType):
                plain = method
            y, back = from_api.compile_call(plain, function.__self__, *args, **kwargs)
            return y, object_backs.Through(back, object_backs.as_self)
    return None


def operation_on_item(operation: Any, is_array: bool, before: Any, value: Any) -> Any:
    """What `items[index] op= v` does to what an index gives: see `ir.memory.changes`."""
    if not is_array:
        return operation
    if isinstance(before, np.ndarray) and before.ndim > 0:
        if not np.can_cast(np.result_type(before, value), before.dtype, "same_kind"):
            operation(before.copy(), value)  # raises, in the words of NumPy
    return IN_PLACE[operation]


def is_of_ir(function: types.FunctionType) -> bool:
    return str(function.__module__).startswith("ir.")


def _by_rule(rule: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a rule returns; parameters that it doesn't have are refused by name."""
    kwargs = {n: value for n, value in kwargs.items() if n != "out" or value is not None}
    refuse_uncovered(rule, function, args, kwargs)
    if not takes_pullback(rule):
        return rule(*args, **kwargs)
    is_integral = rule.__module__ == "zyg.rules.scipy_integrate"
    is_apart = is_integral or from_api.is_forward.get()
    return rule(*args, **kwargs, pullback=pullback_unless_storing if is_apart else pullback_call)


def pullback_unless_storing(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """`pullback_call` of a function that C calls as well, where what it stores has no derivative:
    for integrals, and in forward mode."""
    found = pullback_call(function, *args, **kwargs)
    unless_storing(function, *args, **kwargs)
    return found


def unless_storing(function: Any, *args: Any, **kwargs: Any) -> None:
    """Raises for a function that stores into objects, and is called by C, or again."""
    if type(function) is types.FunctionType and from_api.may_store(function, args, kwargs):
        raise NotDifferentiable(
            f"{named(function)}, which is called by C, stores what varies with its arguments: let "
            "it only return what it computes"
        )


def resolve(function: Any, args: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """The rule for a callable, the callable itself, and arguments that it brings along."""
    rule = rule_of(function)
    if rule is not None:
        return rule, function, ()
    if isinstance(function, types.MethodType):
        rule = rule_of(function.__func__)
        return rule, function.__func__, (function.__self__,)
    is_of_c = isinstance(function, types.BuiltinMethodType | types.MethodWrapperType)
    if is_of_c and function.__self__ is not None:
        if isinstance(function.__self__, type):
            # A class method is a new object each time, what its class holds is not.
            member = vars(function.__self__).get(function.__name__)
            if rule_of(member) is not None:
                return rule_of(member), member, ()
        elif not isinstance(function.__self__, types.ModuleType):
            if isinstance(function.__self__, np.ufunc):
                plain = method_of_ufunc(function.__self__, function.__name__)
                return None, plain or function, (function.__self__,) if plain else ()
            descriptor = replaced.method_of_base(function)
            if descriptor is not None and (rule_of(descriptor) or is_constant(descriptor)):
                return rule_of(descriptor), descriptor, (function.__self__,)
    if is_by_rules(type(function)) and not isinstance(function, type):
        method = objects.lookup(type(function), "__call__")
        if rule_of(method) is not None or substitute_of(method) is not None:
            return rule_of(method), method, (function,)
    return None, function, ()


def pullback_apply(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """`pullback_call` for `function(*args, **kwargs)`: cotangents of the three operands."""
    items, keywords = tuple(args), dict(kwargs)
    y, back = pullback_call(function, *items, **keywords)

    return y, ApplyBack(back, args, keywords, len(items))


def applied(call: Any, function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """A call of `apply`, as one of what it applies."""
    items, keywords = tuple(args), dict(kwargs)
    y, back = call(function, *items, **keywords)
    whole = ApplyBack(back, args, keywords, len(items))
    return y, object_backs.Through(whole, object_backs.as_applied)


def call_rule(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The value of a call by its rule, and the back function: y_bar -> arguments' cotangents."""
    y, back = _by_rule(rule_of(function), function, args, kwargs)
    return y, RuleBack(back, function, 0, args, kwargs, with_function=False)


facts.changes_unseen(pullback_call, pullback_apply)


@facts.result(pullback_call, pullback_apply, call_rule)
def _type_of_pair(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """A value, which is such a pair where the function gives one, and the back function."""
    function = args[0] if args else TOP
    is_pair = isinstance(function, Known) and id(function.value) in NESTED
    return Tuple((_type_of_pair(args[1:], kwargs) if is_pair else TOP, BACK))


# What these give is a pair of a value and a back function, which has derivatives of its own.
NESTED: dict[int, Callable[..., Any]] = {
    id(pullback_call): nested_dispatch.pullback_of_call,
    id(call_rule): functools.partial(nested_dispatch.pullback_of_call, call_rule),
    id(pullback_apply): nested_dispatch.pullback_of_apply,
}
# What these give is a pair of a value and a tangent. Filled where forward mode is.
OF_TANGENTS: dict[int, Callable[..., Any]] = {}
