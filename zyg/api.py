"""The public functions: each binds a call, looks its code up, runs it and hands out gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.core import Const, Operand
from ir.inference import special_calls
from zyg.calls.entry import begins_again, entry_for, inputs_of
from zyg.calls.entry_cache import Entry, cache
from zyg.calls.gradients import gradients_of
from zyg.compiler.inference.dropped_derivatives import call_of_dropgrad
from zyg.compiler.nested import inner_gradients
from zyg.compiler.nested.inner_gradients import differentiates, expansions
from zyg.compiler.run_time import from_api
from zyg.rules import registry
from zyg.rules.registry import R

if TYPE_CHECKING:
    from zyg.calls.back_functions import Pullback
    from zyg.calls.counts import CacheInfo

# Imported where they are needed: what isn't for plain gradients, which are most calls.

# Read for each call; what they hold changes under the lock of the cache.
_gradient_paths = cache.paths["gradient"].by_code
_withgradient_paths = cache.paths["withgradient"].by_code


def pullback(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
    """The value of `f(*args, **kwargs)` and its pullback.

    `back(y_bar)` takes a cotangent of the structure and shape of the value and returns a tuple with
    one gradient per positional argument. It is linear and can be called again.

    >>> y, back = pullback(lambda x, y: x * y, 2.0, 3.0)
    >>> y, back(1.0)
    (6.0, (3.0, 2.0))
    """
    try:
        from zyg.calls.pullback_calls import run_pullback

        return run_pullback("pullback", f, args, kwargs)
    except Exception as error:
        if begins_again(error, f, args, kwargs):
            return pullback(f, *args, **kwargs)
        _show(error)
        raise


def _pullback(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
    """`pullback` whose back function gives the gradient of `f` itself first.

    That is None, or a dict of the gradients of captured variables; other structural zeros are None.

    >>> a = 3
    >>> y, back = _pullback((lambda a: lambda x: x * a)(3), 2)
    >>> back(1)
    ({'a': 2}, 3)
    """
    try:
        from zyg.calls.pullback_calls import run_pullback

        return run_pullback("_pullback", f, args, kwargs)
    except Exception as error:
        if begins_again(error, f, args, kwargs):
            return _pullback(f, *args, **kwargs)
        _show(error)
        raise


def gradient(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """The gradients of a function that returns a real scalar: one per positional argument.

    Each has the kind, shape and dtype of its argument; numbers that don't matter get zeros.
    Raises TypeError for any other result.

    >>> import math
    >>> gradient(math.sin, 0.0)
    (1.0,)
    >>> gradient(pow, 2, 3)
    (12.0, 0)
    """
    try:
        if type(f) is FunctionType:
            for path in _gradient_paths.get(id(f.__code__), ()):
                found: tuple[Any, ...] | None = path(f, args, kwargs)
                if found is not None:
                    cache.hits += 1
                    return found
        entry = entry_for("gradient", f, args, kwargs)
        if entry.has_heap:
            from zyg.calls.object_gradients import gradients_through_heap

            return gradients_through_heap(entry, f, args, kwargs)[1]
        if entry.is_direct and not entry.changes:
            return gradients_of(entry.assignment, entry.run(*args), args)
        likes = _likes(entry, args)
        bars = entry.run(*inputs_of(entry, f, args, kwargs))
        return gradients_of(entry.assignment, bars, likes)
    except Exception as error:
        if begins_again(error, f, args, kwargs):
            return gradient(f, *args, **kwargs)
        _show(error)
        raise


def withgradient(
    f: Callable[..., Any], *args: Any, **kwargs: Any
) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients.

    Where `f` returns a tuple, its first entry is differentiated and the rest is auxiliary.

    >>> withgradient(lambda x: (x * x, "kept"), 3.0)
    ((9.0, 'kept'), (6.0,))
    """
    try:
        if type(f) is FunctionType:
            for path in _withgradient_paths.get(id(f.__code__), ()):
                found: tuple[Any, tuple[Any, ...]] | None = path(f, args, kwargs)
                if found is not None:
                    cache.hits += 1
                    return found
        return _withgradient(f, args, kwargs)
    except Exception as error:
        if begins_again(error, f, args, kwargs):
            return withgradient(f, *args, **kwargs)
        _show(error)
        raise


def _withgradient(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    entry = entry_for("withgradient", f, args, kwargs)
    if entry.has_heap:
        from zyg.calls.object_gradients import gradients_through_heap

        return gradients_through_heap(entry, f, args, kwargs)
    likes = _likes(entry, args)
    y, bars = entry.run(*inputs_of(entry, f, args, kwargs))
    return y, gradients_of(entry.assignment, bars, likes)


def _likes(entry: Entry, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What gradients are like: the arguments as they are before the call changes them."""
    if not entry.changes:
        return args
    from zyg.held.keeping import prototype

    return tuple(map(prototype, args))


def _show(error: Exception) -> None:
    from zyg.calls.tracing import shown

    shown(error)


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The function that gives the gradient of `f` with respect to some of its arguments.

    >>> grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (3.0, 2.0)
    """
    return wraps(f, updated=())(_gradient_function(f, argnums))


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that gives `(value, gradient)`, as `scipy.optimize.minimize(jac=True)` takes it.

    With `has_aux`, `f` returns `(value, auxiliary)` and so does the first entry of the result.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return wraps(f, updated=())(_value_and_gradient_function(f, argnums, has_aux))


# The same but for names and documentation, which is what differentiated code calls.


@registry.substitute(grad)
def _gradient_function(f: Any, argnums: Any = 0) -> Any:
    def gradient_function(*args: Any, **kwargs: Any) -> Any:
        return _selected(argnums, gradient(f, *args, **kwargs))

    return gradient_function


@registry.substitute(value_and_grad)
def _value_and_gradient_function(f: Any, argnums: Any = 0, has_aux: bool = False) -> Any:
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        value, gradients = withgradient(f, *args, **kwargs)
        if not has_aux and isinstance(value, tuple):
            raise TypeError(
                "the function returned a tuple; use has_aux=True if all but its first entry is "
                "auxiliary"
            )
        return value, _selected(argnums, gradients)

    return value_and_gradient


def _selected(argnums: Any, gradients: Any) -> Any:
    if isinstance(argnums, int):
        return gradients[argnums]
    return tuple([gradients[i] for i in argnums])


def dropgrad(x: Any) -> Any:
    """`x` itself, through which no derivative flows.

    Raises `NotDifferentiable` for objects and iterators, whose derivatives are those of what is
    read from them; and for an array or container that an object holds, in code that changes memory
    of its kind in place: drop that of a copy.

    >>> gradient(lambda x: x * dropgrad(x), 3.0)
    (3.0,)
    """
    return x


registry.constant(dropgrad)
special_calls.special(dropgrad)(call_of_dropgrad)


def nograd(g: Callable[..., Any]) -> Callable[..., Any]:
    """Declares that the results of `g`, and what it stores, carry no derivative; can be used as a
    decorator.

    >>> @nograd
    ... def note(history, x):
    ...     history.append(x * x)
    >>> def f(x):
    ...     history = []
    ...     note(history, x)
    ...     return history[0] * x
    >>> gradient(f, 3.0)
    (9.0,)
    """
    registry.register_own(g)
    registry.constant(g)
    return g


def adjoint(*callees: object) -> Callable[[R], R]:
    """Registers a rule for one or several callables; a later rule replaces an earlier one."""
    registry.register_own(*callees)
    return registry.adjoint(*callees)


def cache_info() -> CacheInfo:
    """How often generated code was found, how often it was made, and how much is kept."""
    return cache.info()


def cache_clear() -> None:
    """Forgets all generated code, and what was found out of the functions and classes it is for."""
    cache.clear()


def _compile_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    from zyg.calls.pullback_calls import compile_call

    return compile_call(function, *args, **kwargs)


def _compile_attempt(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    from zyg.calls.pullback_calls import compile_attempt

    return compile_attempt(function, *args, **kwargs)


def _found_pair(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from zyg.calls.pullback_calls import found_pair

    return found_pair(function, args, kwargs)


def _ends_of_pair(entry: Any, y: Any, count: int, names: tuple[str, ...]) -> Any:
    from zyg.calls.pullback_calls import ends_of_pair

    return ends_of_pair(entry, y, count, names)


def _may_store(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    from zyg.calls.pullback_calls import may_store

    return may_store(function, args, kwargs)


def _why_not_compiled(function: Any, args: tuple[Any, ...]) -> Exception | None:
    from zyg.calls.pullback_calls import why_not_compiled

    return why_not_compiled(function, args)


def _gradient_of_unknown(inference: Any, args: Any, with_value: bool, loc: Any) -> Any:
    """A call of `gradient` in differentiated code, of a function that isn't known there."""
    from zyg.inside.calls_inside import gradient_inside, withgradient_inside  # few programs need it

    function = withgradient_inside if with_value else gradient_inside
    return inference.typed_call(Const(function), args, {}, ["t"], loc)[0]


def _pullback_inside(
    specialiser: Any, inference: Any, args: Any, kwargs: Any, loc: Any
) -> Any:
    """A call of `pullback` in differentiated code."""
    from zyg.compiler.nested.pullbacks_inside import check_pullback
    from zyg.inside.calls_inside import pullback_inside  # few programs need it

    if kwargs:
        return None
    check_pullback(specialiser, inference, args[1:], loc)
    return inference.typed_call(Const(pullback_inside), args, kwargs, ["t"], loc)[0]


def _made_by(maker: Any) -> Any:
    """For a call in differentiated code that gives a function: that is like the user's."""

    def expanded(
        specialiser: Any, inference: Any, args: Any, kwargs: Any, loc: Any
    ) -> Operand:
        made: Operand = inference.typed_call(Const(maker), args, kwargs, ["t"], loc)[0]
        return made

    return expanded


def _solver_inside(solver: Any) -> Any:
    from zyg.inside.solvers_inside import code_for  # few programs need it

    return code_for(solver)


def _ndenumerate_inside(*given: Any) -> Operand | None:
    from zyg.compiler.inference.iteration_calls import expanded_ndenumerate  # few programs need it

    return expanded_ndenumerate(*given)


from_api.compile_call = _compile_call
from_api.compile_attempt = _compile_attempt
from_api.found_pair = _found_pair
from_api.ends_of_pair = _ends_of_pair
from_api.why_not_compiled = _why_not_compiled
from_api.may_store = _may_store
differentiates(gradient, with_value=False)
registry.gradient_function = _gradient_function
expansions[id(pullback)] = _pullback_inside
expansions[id(grad)] = _made_by(_gradient_function)
expansions[id(value_and_grad)] = _made_by(_value_and_gradient_function)
expansions[id(np.ndenumerate)] = _ndenumerate_inside
inner_gradients.unknown = _gradient_of_unknown
inner_gradients.solver_inside = _solver_inside
differentiates(withgradient, with_value=True)
