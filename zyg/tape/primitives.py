"""What the tape knows of functions: the rules of zyg, and primitives with a vjp of their own.

    sigmoid = primitive(plain_sigmoid, lambda d, y, x: d * (y * (1 - y)))
    sigmoid(0.5)        a plain number: plain_sigmoid(0.5)
    sigmoid(x)          one node of the tape of x: Node #1 { op=sigmoid input=[#0] }
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import zyg.rules  # noqa: F401  (registers the rules)
from zyg.cotangents.cotangent import prototype, zeros_like
from zyg.errors import NotDifferentiable
from zyg.rules import registry
from zyg.rules.creation import ABOUT_TYPES


class UndifferentiablePrimitive(NotDifferentiable):
    """The gradient of an operation that has none: "undifferentiable primitive error"."""


@dataclass(frozen=True)
class Known:
    """What the tape does with the calls of one callable."""

    rule: Callable[..., Any] | None = None
    substitute: Callable[..., Any] | None = None
    vjp: Callable[..., Any] | None = None  # of a primitive: (d, y, *xs) -> gradients
    is_primitive: bool = False
    is_constant: bool = False  # results have no derivative
    is_static: bool = False  # results follow from types and shapes


# What follows from the types and shapes of arguments stays plain.
STATIC: set[Any] = {
    len, callable, zeros_like, prototype,
    np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.zeros_like, np.ones_like,
    np.empty_like, np.broadcast_shapes,
    *[
        getattr(cls, name)
        for cls in (np.ndarray, np.generic)
        for name in ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags")
    ],
    np.ndarray.__len__,
    *(np.result_type, np.can_cast, np.min_scalar_type, np.common_type, np.isscalar, np.iterable),
}  # fmt: skip
# What gives plain results of other kinds than numbers, which may follow from values: texts, dates.
ABOUT_VALUES: set[Any] = {
    getattr(np, name) for name in ABOUT_TYPES if hasattr(np, name)
} - STATIC - {np.isreal, np.iscomplex}

_own: dict[Any, Known] = {
    function: Known(is_constant=True) for function in (operator.and_, operator.or_, operator.xor)
}
_known: dict[Any, Known] = {}
_known_at = -1


def register(function: Any, entry: Known) -> None:
    """Gives a callable an entry of the tape's, which goes before the table of rules."""
    _own[function] = entry
    _known.pop(function, None)


def known(function: Any) -> Known:
    """What is known of a callable; raises NotDifferentiable where nothing is."""
    global _known_at
    if _known_at != registry.version():
        _known.clear()
        _known_at = registry.version()
    try:
        return _known[function]
    except (KeyError, TypeError):
        found = _looked_up(function)
    if found is None:
        registry.register_imported()  # ufuncs of SciPy don't say where they come from
        found = _looked_up(function)
    if found is None:
        raise NotDifferentiable(
            f"`{name_of(function)}` has no rule, called with a value of a tape; define one with "
            f"@zyg.adjoint, make it a primitive (tape.primitive), or call it with x.val"
        )
    with contextlib.suppress(TypeError):  # a callable object that has no hash
        _known[function] = found
    _known_at = registry.version()  # late rules may have been registered
    return found


def _looked_up(function: Any) -> Known | None:
    with contextlib.suppress(TypeError):
        if function in _own:
            return _own[function]
        if function in STATIC or function in ABOUT_VALUES:
            return Known(is_static=True)
    rule, substitute = registry.rule_of(function), registry.substitute_of(function)
    if rule is not None or substitute is not None:
        return Known(rule, substitute)
    return Known(is_constant=True) if registry.is_constant(function) else None


def is_flat(function: Any) -> bool:
    """Whether the results of a function have no derivative."""
    return known(function).is_constant


def name_of(function: Any) -> str:
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", str(function))
    return f"{module}.{name}" if isinstance(module, str) else str(name)


def primitive(f: Callable[..., Any], vjp: Callable[..., Any] | None) -> Callable[..., Any]:
    """Registers `f` as an operation of the tape; gives the function that records its calls.

    `vjp(d, y, *xs)` takes the gradient of the result, the result, and the arguments, and returns
    a tuple of gradients, or the one of a single argument. It runs on values of a tape, so what it
    computes can be differentiated again. Both may branch: the branch that is taken is recorded.
    Without a vjp, gradients through `f` raise `UndifferentiablePrimitive`.

    >>> from zyg import tape
    >>> cube = tape.primitive(lambda x: x**3, lambda d, y, x: d * (3 * x**2))
    >>> cube(2.0), tape.gradient(cube, 2.0)
    (8.0, (12.0,))
    """
    register(f, Known(vjp=vjp, is_primitive=True))

    @functools.wraps(f)
    def recording(*xs: Any, **options: Any) -> Any:
        from zyg.tape.recording import call
        from zyg.tape.wrappers import has_wrappers

        if has_wrappers(xs) or has_wrappers(options):
            return call(f, xs, options)
        return f(*xs, **options)

    return recording


def _sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), written so that nothing overflows."""
    tanh = math.tanh if type(x) is float else np.tanh
    return 0.5 + 0.5 * tanh(0.5 * x)


_sigmoid.__name__ = _sigmoid.__qualname__ = "sigmoid"

sigmoid = primitive(_sigmoid, lambda d, y, x: d * (y * (1 - y)))
