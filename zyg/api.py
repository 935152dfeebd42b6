"""The public functions: each binds a call, looks its code up, runs it and hands out gradients."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

import ir
import zyg
from ir.core import named
from ir.tracebacks import relocate
from zyg import cotangent
from zyg.compiler import dynamic
from zyg.entry import (
    CacheInfo,
    Entry,
    cache,
    detached,
    entry_for,
    gradients_of,
    inputs_of,
)
from zyg.pullback import Like, Pullback, protected
from zyg.rules import registry

_HIDDEN = tuple(os.path.dirname(package.__file__) + os.sep for package in (ir, zyg))


def pullback(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
    """The value of `f(*args, **kwargs)` and its pullback.

    `back(y_bar)` takes a cotangent of the structure and shape of the value and returns a tuple with
    one gradient per positional argument. It is linear and can be called again.

    >>> y, back = pullback(lambda x, y: x * y, 2.0, 3.0)
    >>> y, back(1.0)
    (6.0, (3.0, 2.0))
    """
    try:
        return _run_pullback("pullback", f, args, kwargs)
    except Exception as error:
        relocate(error, _HIDDEN)
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
        return _run_pullback("_pullback", f, args, kwargs)
    except Exception as error:
        relocate(error, _HIDDEN)
        raise


def _run_pullback(
    mode: str, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Pullback]:
    entry = entry_for(mode, f, args, kwargs)
    y, saved = entry.code.forward.cell.cell_contents(*inputs_of(entry, f, args, kwargs))
    saved = protected(saved, entry.code.copied, len(entry.code.saved_names))
    likes = tuple(map(_prototype, args))
    finish = partial(_raw_gradients if mode == "_pullback" else _spread, entry, likes)
    description = f"{named(f)}({', '.join(map(repr, entry.types))})"
    return y, Pullback(
        partial(_run_back, entry.code.back.cell.cell_contents), saved, Like(y), finish, description
    )


def _run_back(back: Any, saved: Any, seed: Any) -> Any:
    try:
        return back(saved, seed)
    except Exception as error:
        relocate(error, _HIDDEN)
        raise


def _prototype(arg: Any) -> Any:
    """An argument without its contents, as far as gradients need it."""
    if isinstance(arg, np.ndarray):
        return cotangent.prototype(arg)
    if type(arg) in (list, tuple):
        return type(arg)(map(_prototype, arg))
    if type(arg) is dict:
        return {key: _prototype(item) for key, item in arg.items()}
    return arg


def _bars(entry: Entry, bars: Any) -> tuple[Any, ...]:
    if bars is None:
        return (None,) * len(entry.active)
    return (bars,) if len(entry.active) == 1 else tuple(bars)


def _spread(entry: Entry, likes: tuple[Any, ...], bars: Any) -> tuple[Any, ...]:
    return gradients_of(entry, _bars(entry, bars), likes)


def _raw_gradients(entry: Entry, likes: tuple[Any, ...], bars: Any) -> tuple[Any, ...]:
    own: dict[str, Any] = {}
    found: dict[int, Any] = {}
    for i, bar in zip(entry.active, _bars(entry, bars), strict=True):
        kind, key = entry.plan.inputs[i]
        if kind == "cell":
            own[entry.plan.source.captured[key].name] = detached(bar)
        elif kind == "arg":
            found[key] = detached(bar)
        else:
            for part, part_bar in zip(key, bar, strict=True):
                found[part.key] = detached(part_bar)
    return own or None, *(found.get(i) for i in range(len(likes)))


def gradient(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """The gradients of a function that returns a real scalar: one per positional argument.

    Each has the kind, shape and dtype of its argument; numeric arguments that don't matter get zeros.
    Raises TypeError for any other result.

    >>> import math
    >>> gradient(math.sin, 0.0)
    (1.0,)
    >>> gradient(pow, 2, 3)
    (12.0, 0)
    """
    try:
        entry = entry_for("gradient", f, args, kwargs)
        bars = entry.code.function(*inputs_of(entry, f, args, kwargs))
        return gradients_of(entry, bars, args)
    except Exception as error:
        relocate(error, _HIDDEN)
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
        return _withgradient(f, args, kwargs)
    except Exception as error:
        relocate(error, _HIDDEN)
        raise


def _withgradient(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    entry = entry_for("withgradient", f, args, kwargs)
    y, bars = entry.code.function(*inputs_of(entry, f, args, kwargs))
    return y, gradients_of(entry, bars, args)


def _select(argnums: int | Sequence[int], gradients: tuple[Any, ...]) -> Any:
    if isinstance(argnums, int):
        return gradients[argnums]
    return tuple(gradients[i] for i in argnums)


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The function that gives the gradient of `f` with respect to some of its arguments.

    >>> grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (3.0, 2.0)
    """

    @wraps(f, updated=())
    def gradient_function(*args: Any, **kwargs: Any) -> Any:
        return _select(argnums, gradient(f, *args, **kwargs))

    return gradient_function


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that gives `(value, gradient)`, as `scipy.optimize.minimize(jac=True)` takes it.

    With `has_aux`, `f` returns `(value, auxiliary)` and so does the first entry of the result.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """

    @wraps(f, updated=())
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        value, gradients = withgradient(f, *args, **kwargs)
        if not has_aux and isinstance(value, tuple):
            raise TypeError(
                "the function returned a tuple; use has_aux=True if all but its first entry is "
                "auxiliary"
            )
        return value, _select(argnums, gradients)

    return value_and_gradient


def dropgrad(x: Any) -> Any:
    """`x` itself, through which no derivative flows.

    >>> gradient(lambda x: x * dropgrad(x), 3.0)
    (3.0,)
    """
    return x


registry.constant(dropgrad)


def nograd(g: Callable[..., Any]) -> Callable[..., Any]:
    """Declares that the results of `g` carry no derivative; can be used as a decorator."""
    registry.constant(g)
    return g


adjoint = registry.adjoint


def cache_info() -> CacheInfo:
    """How often generated code was found, how often it was made, and how much is kept."""
    return cache.info()


def cache_clear() -> None:
    """Forgets all generated code."""
    cache.clear()


def _compile_call(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """Run-time dispatch: the value of a call and its raw back function."""
    entry = entry_for("dispatch", function, args, kwargs)
    y, saved = entry.code.forward.cell.cell_contents(*inputs_of(entry, function, args, kwargs))
    back = entry.code.back.cell.cell_contents
    names = tuple(kwargs)

    def call_back(y_bar: Any) -> tuple[Any, ...]:
        if y_bar is None:
            return (None,) * (1 + len(args) + len(names))
        bars = _bars(entry, back(saved, y_bar))
        own: dict[str, Any] = {}
        found: dict[Any, Any] = {}
        for i, bar in zip(entry.active, bars, strict=True):
            kind, key = entry.plan.inputs[i]
            if kind == "cell":
                own[entry.plan.source.captured[key].name] = bar
            elif kind in ("arg", "keyword"):
                found[key] = bar
            elif kind == "dict":
                for name, part in key.items():
                    found[part.key] = cotangent.item(bar, name)
            elif bar is not None:
                for part, part_bar in zip(key, bar, strict=True):
                    found[part.key] = part_bar
        keys = [*range(len(args)), *names]
        return own or None, *(found.get(key) for key in keys)

    return y, call_back


dynamic.compile_call = _compile_call

