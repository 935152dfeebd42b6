"""What generated code asks at run time, where types did not tell.

`pullback_call(f, *args, **kwargs)` looks at the real arguments, finds a rule or compiles, and gives
the value and a back function: y_bar -> the cotangents of `f`, of each positional argument and of
each keyword argument, in their order.
"""

from __future__ import annotations

import collections
import functools
import operator
import types
from collections.abc import Callable
from pickle import PicklingError
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.memory_facts import CHANGING
from ir.typed_calls import IN_PLACE
from ir.types import TOP, Tuple, Type
from zyg import callables, cotangent
from zyg.checkpointing import checkpointed
from zyg.compiler import (
    decorated,
    from_api,
    held_changes,
    nested_backs,
    nested_dispatch,
    object_attributes,
    object_backs,
    object_calls,
    objects,
)
from zyg.compiler.captured import captured_by, nested_function, path_of, with_captured
from zyg.compiler.memory import refuse_lost_changes
from zyg.compiler.mutation import MUTATING_METHODS
from zyg.compiler.wrappers import is_for_run_time
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.held_memory import is_memory
from zyg.rules.registry import (
    adjoint,
    constant,
    covers,
    is_constant,
    method_of_ufunc,
    rule_of,
    stand_in_of,
    substitute_of,
    takes_pullback,
    without_output,
)
from zyg.shadows import is_running
from zyg.signature import BACK, BackFunction, is_by_rules, is_users

_IN_PLACE = {id(function) for function in IN_PLACE}
# What calls no Python code of the user's, but for what it is given.
_WRITTEN_IN_C = (types.BuiltinFunctionType, types.MethodDescriptorType, np.ufunc)
MUTABLE = (list, dict, set, bytearray, collections.deque, np.ndarray)


def pullback_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The value of a call, and its back function: y_bar -> (function's, *arguments')."""
    if type(function) is primitives.Catching:
        return attempt_call(function.function, *args, **kwargs)
    if function is primitives.apply:
        return _applied(pullback_call, *args)
    if function is checkpointed:
        from zyg.compiler.checkpoint_calls import run_again  # few programs need it

        return run_again(pullback_call, *args, **kwargs)
    if id(function) in NESTED:
        pair, back = NESTED[id(function)](*args, **kwargs)
        return pair, back
    if isinstance(function, BackFunction) and hasattr(function, "pullback"):
        y, back = function.pullback(*args)
        return y, back
    if is_running():
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
    rule, function, leading = resolve(function, args)
    if rule is not None or substitute_of(function) is not None:
        _refuse_output(function, (*leading, *args), kwargs)
    plain = substitute_of(function) if kwargs or rule is None else None
    plain = plain or stand_in_of(function, (*leading, *args), kwargs)
    if rule is not None and plain is None:
        y, back = _by_rule(rule, function, (*leading, *args), kwargs)
        return y, RuleBack(back, function, len(leading), len(leading) + len(args), kwargs)
    if plain is not None:
        if isinstance(function, np.ufunc):
            return callables.call_of_partial(
                pullback_call, functools.partial(plain, function), args, kwargs
            )
        _refuse_uncovered(plain, function, (*leading, *args), kwargs)
        y, back = from_api.compile_call(plain, *leading, *args, **kwargs)
        return y, (object_backs.Through(back, object_backs.as_self) if leading else back)
    if callables.is_named_tuple(function):
        return callables.named_tuple(function, *args, **kwargs)
    if function is functools.partial:
        return callables.partial(*args, **kwargs)
    if isinstance(function, type) and issubclass(function, BaseException):
        return function(*args, **kwargs), _Raised(1 + len(args) + len(kwargs))
    if is_constant(function):
        return function(*leading, *args, **kwargs), Zero(1 + len(args) + len(kwargs))
    is_python = isinstance(function, types.FunctionType)
    if is_python and not is_of_ir(function) and not is_by_rules(function):
        of_tuple = callables.method_of_named_tuple(function, (*leading, *args), kwargs)
        y, back = of_tuple or from_api.compile_call(function, *leading, *args, **kwargs)
        return y, (object_backs.Through(back, object_backs.as_self) if leading else back)
    if leading and not isinstance(function, types.BuiltinFunctionType):
        y, back = pullback_call(function, *leading, *args, **kwargs)
        return y, object_backs.Through(back, object_backs.as_self)
    if _carries_nothing((*leading, *args, *kwargs.values())):
        return function(*leading, *args, **kwargs), Zero(1 + len(args) + len(kwargs))
    raise refusal(function)


def with_source(function: Any, args: tuple[Any, ...]) -> Any:
    """A callable; in the place of an `__init__` that `dataclasses` generated, its like."""
    if type(function) is types.MethodType and type(function.__func__) is types.FunctionType:
        plain = objects.with_source(function.__func__, type(function.__self__))
        return function if plain is function.__func__ else types.MethodType(
            plain, function.__self__
        )
    if type(function) is types.FunctionType and args:
        return objects.with_source(function, type(args[0]))
    return function


def attempt_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The pair (error or None, value) of a call, and its back function.

    What has changed nothing before it failed may raise its error as well.
    """
    if function is primitives.apply:
        return _applied(attempt_call, *args)
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
    if _is_plain_function(plain):
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
        if _may_call((function, *args, *kwargs.values())):
            refuse_lost_changes(error)
        raise
    return (None, y), _BackOfValue(back)


def attempted_method(
    attempt: Any, function: Any, args: tuple[Any, ...]
) -> tuple[Any, Any] | None:
    """The same for an operator that is a method of an object's class; `attempt` calls it."""
    if id(function) in CHANGING or (id(function) in _IN_PLACE and len(args) == 2):
        method = object_attributes.changing_method(function, args[0])
        if method is not None:
            (error, value), back = attempt(method, *args)
            pair = error, args[0] if id(function) in CHANGING else value
            return pair, object_backs.Through(back, object_backs.of_operator)
        function = IN_PLACE.get(function, function)
    return object_calls.attempted_operator(attempt, function, args)


def _is_plain_function(function: Any) -> bool:
    """Whether code is made for a Python function, and nothing else answers for it."""
    return type(function) is types.FunctionType and not (
        is_of_ir(function) or is_by_rules(function) or rule_of(function) is not None
        or substitute_of(function) is not None or is_constant(function)
        or is_for_run_time(function)
    )


def _may_call(values: tuple[Any, ...]) -> bool:
    """Whether a call of the first of these with the others may run Python code of the user's."""
    function, *args = values
    if id(function) in CHANGING and type(args[0]) in (list, dict, np.ndarray):
        return False
    if function is operator.getitem and type(args[0]) in (list, dict, tuple, np.ndarray):
        return not _is_plain_data(args[1])
    if function is getattr and len(args) == 2 and type(args[1]) is str:
        hooks = (objects.ANY_NAME, "__getattribute__", args[1])
        found = [objects.lookup(type(args[0]), name) for name in hooks]
        if found == [None, object.__getattribute__, None]:
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


class _BackOfValue(BackFunction):
    """The back function of a call that has not failed, for the pair (None, value)."""

    __slots__ = ("_back",)

    def __init__(self, back: Any) -> None:
        self._back = back

    def __call__(self, pair_bar: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._back(None if pair_bar is None else pair_bar[1])
        return found

    def with_own_memory(self, copy: Callable[[Any], Any]) -> _BackOfValue:
        """The same with copies of what it holds."""
        return _BackOfValue(copy(self._back))


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
    if id(function) in _IN_PLACE and len(args) == 2:
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
            method = getattr(type(function.__self__), function.__name__)
            plain = substitute_of(method)
            if not isinstance(plain, types.FunctionType):
                plain = method
            y, back = from_api.compile_call(plain, function.__self__, *args, **kwargs)
            return y, object_backs.Through(back, object_backs.as_self)
    return None


def is_of_ir(function: types.FunctionType) -> bool:
    return str(function.__module__).startswith("ir.")


def _refuse_output(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises for a call of a library's function that writes its result into an array."""
    if type(function) is types.FunctionType and not str(function.__module__).startswith("numpy"):
        return
    _, _, out = without_output(function, args, kwargs)
    if out is not None:
        raise NotDifferentiable(
            f"{full_name(function)} is told to write into an array by `out`, but what it is "
            "called with is known only while the program runs: use its result"
        )


def _refuse_uncovered(
    rule: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raises for arguments of a call for which its rule or substitute has no parameters."""
    if not covers(rule, len(args), kwargs):
        unknown = [f"`{name}`" for name in kwargs if not covers(rule, 0, (name,))]
        what = unknown[0] if unknown else f"number {rule.__code__.co_argcount + 1}"
        raise NotDifferentiable(
            f"the rule for {full_name(function)} does not cover its argument {what}"
        )


def _by_rule(rule: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a rule returns; parameters that it doesn't have are refused by name."""
    kwargs = {n: value for n, value in kwargs.items() if n != "out" or value is not None}
    _refuse_uncovered(rule, function, args, kwargs)
    if takes_pullback(rule):
        return rule(*args, **kwargs, pullback=pullback_call)
    return rule(*args, **kwargs)


def resolve(function: Any, args: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """The rule for a callable, the callable itself, and arguments that it brings along."""
    rule = rule_of(function)
    if rule is not None:
        return rule, function, ()
    if isinstance(function, types.MethodType):
        rule = rule_of(function.__func__)
        return rule, function.__func__, (function.__self__,)
    if isinstance(function, types.BuiltinMethodType) and function.__self__ is not None:
        if isinstance(function.__self__, type):
            # A class method is a new object each time, what its class holds is not.
            member = vars(function.__self__).get(function.__name__)
            if rule_of(member) is not None:
                return rule_of(member), member, ()
        elif not isinstance(function.__self__, types.ModuleType):
            if isinstance(function.__self__, np.ufunc):
                plain = method_of_ufunc(function.__self__, function.__name__)
                return None, plain or function, (function.__self__,) if plain else ()
            descriptor = getattr(type(function.__self__), function.__name__, None)
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

    return y, _ApplyBack(back, args, keywords, len(items))


def _applied(call: Any, function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """A call of `apply`, as one of what it applies."""
    items, keywords = tuple(args), dict(kwargs)
    y, back = call(function, *items, **keywords)
    whole = _ApplyBack(back, args, keywords, len(items))
    return y, object_backs.Through(whole, object_backs.as_applied)


class _ApplyBack(BackFunction):
    """The back function of `function(*args, **kwargs)`: cotangents of the three operands."""

    def __init__(self, back: Any, args: Any, keywords: dict[str, Any], count: int) -> None:
        self._back = back
        self._args = args
        self._keywords = keywords
        self._count = count

    def __call__(self, y_bar: Any) -> tuple[Any, Any, Any]:
        function_bar, *bars = self._back(y_bar)
        keywords = self._keywords
        bar_of = dict(zip(keywords, bars[self._count :], strict=True))
        keyword_bars = {
            name: cotangent.keyword_bar(bar, name, keywords[name]) for name, bar in bar_of.items()
        }
        args_bar = cotangent.from_items(bars[: self._count], self._args)
        return function_bar, args_bar, keyword_bars

    def with_own_memory(self, copy: Callable[[Any], Any]) -> _ApplyBack:
        """The same with copies of what it holds."""
        held = copy(self._back), copy(self._args), copy(self._keywords)
        return _ApplyBack(*held, self._count)


def call_rule(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The value of a call by its rule, and the back function: y_bar -> arguments' cotangents."""
    y, back = _by_rule(rule_of(function), function, args, kwargs)
    return y, RuleBack(back, function, 0, len(args), kwargs, with_function=False)


class RuleBack(BackFunction):
    """The back function of a rule, with one cotangent for each argument, in a tuple."""

    def __init__(
        self,
        back: Any,
        function: Any,
        leading: int,
        count: int,
        kwargs: dict[str, Any],
        with_function: bool = True,
    ) -> None:
        self._back = back
        self._function = function
        self._leading = leading
        self._count = count
        self._with_function = with_function
        self._kwargs = dict.fromkeys(kwargs)
        self._slots = [_slot(function, name) for name in kwargs]
        # What it has called may have changed objects.
        self._runs_always = is_running() and takes_pullback(rule_of(function) or function)

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is None and not self._runs_always:
            bars: tuple[Any, ...] = (None,) * (self._count + len(self._slots))
        else:
            return self.of_returned(self._back(y_bar))
        return self._arranged(bars)

    def pullback(self, y_bar: Any) -> Any:
        """The cotangents, and the function to (this function's, y_bar's)."""
        return self.nested().pullback(y_bar)

    def nested(self) -> nested_backs.NestedBack:
        """The same as code that can be differentiated."""
        return nested_backs.NestedBack(
            self._back, (), nested_backs.as_it_is,
            functools.partial(nested_backs.as_returned, self), self.as_returned,
        )

    def of_returned(self, returned: Any) -> tuple[Any, ...]:
        """The cotangents of the call from what the rule's own back function returned."""
        name = getattr(self._function, "__name__", repr(self._function))
        count = max(self._count, _positional(self._function))
        if count == 1:
            found: tuple[Any, ...] = (cotangent.checked_gradient(returned, name),)
        else:
            required = min(_required(self._function), count)
            found = cotangent.checked_gradients(returned, required, count, name)
        keywords = [cotangent.NO_SLOT if slot is None else found[slot] for slot in self._slots]
        return self._arranged((*found[: self._count], *keywords))

    def _arranged(self, bars: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self._with_function:
            return bars
        if self._leading:
            return ({"__self__": bars[0]}, *bars[self._leading :])
        return (None, *bars)

    def as_returned(self, bars_bar: tuple[Any, ...], returned: Any) -> Any:
        """The transpose of `of_returned`: of what the back function returned, from those of the
        cotangents of the call."""
        if self._with_function:
            own, *rest = bars_bar
            first = [None if own is None else own.get("__self__")] if self._leading else []
            bars_bar = (*first, *rest)
        if type(returned) is not tuple:
            return bars_bar[0]
        found: list[Any] = [None] * len(returned)
        given = min(self._count, len(returned))
        found[:given] = bars_bar[:given]
        for slot, bar in zip(self._slots, bars_bar[self._count :], strict=True):
            if slot is not None and slot < len(returned):
                found[slot] = cotangent.accumulate(found[slot], bar)
        return tuple(found)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> RuleBack:
        """The same with copies of what it holds."""
        return self.with_captured({name: copy(v) for name, v in self.captured().items()})

    def captured(self) -> dict[str, Any]:
        """What the rule's own back function reads, by name."""
        return captured_by(self._back)

    def with_captured(self, captured: dict[str, Any]) -> RuleBack:
        """The same back function with other values in the place of what it reads."""
        return self._with(with_captured(self._back, captured)) if captured else self

    def _with(self, back: Any) -> RuleBack:
        made = RuleBack(
            back, self._function, self._leading, self._count, self._kwargs, self._with_function
        )
        made._runs_always = self._runs_always
        return made

    def __reduce__(self) -> Any:
        path = path_of(getattr(self._back, "__code__", None), rule_of(self._function))
        if path is None or self._back.__defaults__ or self._back.__kwdefaults__:
            raise PicklingError(
                f"the back function of the rule for {full_name(self._function)} can't be "
                "pickled: it is no plain nested function of the rule"
            )
        plain = self._with(None)
        return _restored, (self._function, path, self.captured(), vars(plain))


def _restored(
    function: Any, path: tuple[int, ...], captured: dict[str, Any], state: dict[str, Any]
) -> RuleBack:
    rule = rule_of(function)
    if rule is None:
        raise NotDifferentiable(
            f"the pickled pullback needs the rule for {full_name(function)}: import its module"
        )
    restored = RuleBack.__new__(RuleBack)
    vars(restored).update(state, _back=nested_function(rule, path, captured))
    return restored


def _slot(function: Any, keyword: str) -> int | None:
    """The position of the gradient of a keyword argument among those that a rule returns."""
    code = getattr(rule_of(function), "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount]
    return names.index(keyword) if keyword in names else None


def _positional(function: Any) -> int:
    """How many gradients a rule may return: one for each parameter that has a position."""
    code = getattr(rule_of(function), "__code__", None)
    return 0 if code is None else code.co_argcount


def _required(function: Any) -> int:
    """How many gradients a rule has to return at least."""
    rule = rule_of(function)
    if not isinstance(rule, types.FunctionType):
        return 0
    return rule.__code__.co_argcount - len(rule.__defaults__ or ())


class Zero(BackFunction):
    """The back function of a call that nothing flows through."""

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Zero:
        return self

    def __init__(self, count: int) -> None:
        self._count = count

    def __call__(self, y_bar: Any) -> tuple[None, ...]:
        return (None,) * self._count

    def pullback(self, y_bar: Any) -> Any:
        return self(y_bar), Zero(2)


def refuse_payload(held: Any) -> None:
    """Raises where a cotangent arrives at what a caught exception holds."""
    if held is not None:
        raise NotDifferentiable(
            "a number that an exception holds was differentiated when it was raised, and is used "
            "by what caught it; hand the number on in another way than in an exception"
        )


class _Raised(Zero):
    """The back function of making an exception, which nothing may flow through."""

    def __call__(self, y_bar: Any) -> tuple[None, ...]:
        if y_bar is not None:
            raise NotDifferentiable("what an exception holds can't be differentiated")
        return super().__call__(y_bar)


def _carries_nothing(values: tuple[Any, ...]) -> bool:
    """Whether none of these values can carry a derivative."""
    return not any(map(_carries, values))


def _carries(value: Any) -> bool:
    if isinstance(value, bool | str | bytes | type | types.ModuleType) or value is None:
        return False
    if isinstance(value, int | float | complex | np.number):
        return True
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind != "b")
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_carries, value))
    if isinstance(value, dict):
        return any(map(_carries, value.values()))
    if isinstance(value, types.FunctionType):
        return any(_carries(cell.cell_contents) for cell in value.__closure__ or ())
    return not (callable(value) and isinstance(value, types.BuiltinFunctionType | np.ufunc))


def refusal(function: Any) -> NotDifferentiable:
    """The error for a callable without source and without a rule."""
    name = full_name(function)
    return NotDifferentiable(
        f"{name} has no rule; define one with @zyg.adjoint({name}), or keep derivatives out of "
        f"the call with zyg.dropgrad or zyg.nograd"
    )


def full_name(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    module = getattr(function, "__module__", None)
    if name is None:
        return f"a {type(function).__name__} object"
    if module in (None, "builtins"):
        return str(name)
    public = str(module).partition("._")[0] if is_by_rules(function) else module
    return f"{public}.{name}"


def unless_mutable(value: Any, symbol: str) -> Any:
    """The left operand of an augmented assignment, if that makes a new object."""
    if isinstance(value, MUTABLE):
        raise UnsupportedSyntax(
            f"an augmented assignment changes {_described(value)} in place, which is not "
            "supported; write `x = x + y` instead of `x += y`"
        )
    if getattr(type(value), f"__i{symbol.strip('_')}__", None) is not None:
        raise UnsupportedSyntax(
            f"an augmented assignment may change a {type(value).__name__} in place, which is "
            "not supported"
        )
    return value


def unless_builtin_container(value: Any, name: str) -> Any:
    """The object whose method `name` is asked for, if that method doesn't change it in place."""
    if isinstance(value, MUTABLE) and hasattr(value, name):
        raise UnsupportedSyntax(
            f"`.{name}()` changes {_described(value)} in place, which is not supported"
        )
    return value


def _described(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def loss_and_rest(y: Any) -> Any:
    """A result whose first entry, or which itself, is a real scalar."""
    real_scalar(y[0] if isinstance(y, tuple) and y else y)
    return y


def unit_seed(y: Any) -> Any:
    """The seed of a loss: one, and the structural zero for what else was returned."""
    return (1.0, *[None] * (len(y) - 1)) if isinstance(y, tuple) else 1.0


@adjoint(loss_and_rest)
def _loss_and_rest_rule(y: Any) -> Any:
    return loss_and_rest(y), lambda y_bar: (y_bar,)


def real_scalar(y: Any) -> Any:
    """The result of a function whose gradient is asked for: a real number or 0-d array."""
    if isinstance(y, int | float | np.integer | np.floating) and not isinstance(y, bool):
        return y
    if isinstance(y, np.ndarray) and y.ndim == 0 and y.dtype.kind in "fiu":
        return y
    kind = f"an array of shape {y.shape}" if isinstance(y, np.ndarray) else type(y).__name__
    raise TypeError(
        f"gradient needs a function that returns a real scalar, this one returned {kind}; "
        "use zyg.jacobian, or zyg.pullback with a seed of that shape"
    )


@adjoint(real_scalar)
def _real_scalar_rule(y: Any) -> Any:
    return real_scalar(y), lambda y_bar: y_bar


constant(unit_seed)


@facts.result(pullback_call, pullback_apply, call_rule)
def _type_of_pair(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Tuple((TOP, BACK))


# What these give is a pair of a value and a back function, which has derivatives of its own.
NESTED: dict[int, Callable[..., Any]] = {
    id(pullback_call): nested_dispatch.pullback_of_call,
    id(call_rule): functools.partial(nested_dispatch.pullback_of_call, call_rule),
    id(pullback_apply): nested_dispatch.pullback_of_apply,
}
