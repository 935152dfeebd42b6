"""What a program says about its own derivative: functions for cotangents, and whether there is one.

    y = zyg.hook(clipped, x)        y = x, and in reverse x_bar = clipped(y_bar)
    if zyg.isderiving(): ...        the branch of code that is differentiated
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const
from zyg.cotangents.cotangent import inexact, project
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import tangent


def hook(function: Callable[[Any], Any], x: Any) -> Any:
    """`x` itself, whose cotangent goes through `function`: to look at it, or to change it.

    `function` takes the cotangent, of the shape of `x`, and returns what stands for it from there
    on. It is called once in each reverse pass that reaches `x`. Forward mode has no cotangents, and
    refuses.

    >>> import zyg
    >>> zyg.gradient(lambda x: hook(lambda x_bar: -x_bar, x) ** 2, 3.0)
    (-6.0,)
    """
    return x


def hooked(function, x_bar):
    """What a hook makes of a cotangent."""
    return checked(function(x_bar), x_bar)


def checked(found, x_bar):
    if found is None or np.shape(found) != np.shape(x_bar):
        what = "None" if found is None else f"one of the shape {np.shape(found)}"
        raise ValueError(
            f"a hook returns a cotangent of the shape {np.shape(x_bar)}, this one returned {what}"
        )
    return inexact(found)


@adjoint(hooked)
def hooked_rule(function, x_bar, *, pullback=None):
    found, back = pullback(function, x_bar)
    return checked(found, x_bar), lambda bar: back(bar)


@adjoint(hook)
def hook_rule(function, x):
    return x, lambda y_bar: (None, hooked(function, project(y_bar, x)))


@tangent(hook)
def hook_tangent(y, function, x, function_dot, x_dot):
    raise NotDifferentiable(
        "zyg.hook changes a cotangent, and forward mode has none: use zyg.gradient or zyg.pullback"
    )


def isderiving() -> bool:
    """Whether this code runs as a part of a derivative: False in a plain call.

    Functions that nothing differentiated is given to are called as they are, and find False.

    >>> import zyg
    >>> f = lambda x: x * x if isderiving() else x
    >>> f(3.0), zyg.gradient(f, 3.0)
    (3.0, (6.0,))
    """
    return False


constant(isderiving)


@facts.fold(isderiving)
def fold_isderiving(call: Call) -> Const:
    return Const(True)
