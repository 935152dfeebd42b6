"""`np.piecewise`, written out as code that calls its functions in turn."""

from __future__ import annotations

import numpy as np

from zyg.rules.registry import substitute


@substitute(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    x = np.asarray(x)
    conditions = [*condlist] if np.ndim(condlist[0]) == np.ndim(x) else [condlist]
    conditions = [np.asarray(condition, bool) for condition in conditions]
    if len(funclist) == len(conditions) + 1:
        conditions = [*conditions, np.logical_not(np.any(np.stack(conditions), axis=0))]
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        value = value_where(condition, x, function, args, kw)
        y = np.where(condition, placed(value, condition), y)
    return y if y.dtype == x.dtype else y.astype(x.dtype)


def value_where(condition, x, function, args, kw):
    """What stands for the elements of x at which a condition holds, in their order."""
    if not callable(function):
        return function
    chosen = x[condition]
    # As in NumPy, a function isn't called for nothing: it may have effects, or fail.
    return function(chosen, *args, **kw) if len(chosen) > 0 else 0


def placed(value, condition):
    """Values for where a condition holds, in an array of its shape; 0 elsewhere."""
    if np.ndim(value) == 0:
        return value
    numbers = np.cumsum(np.reshape(condition, -1)) - 1
    numbers = np.reshape(np.maximum(numbers, 0), np.shape(condition))
    return value[numbers]
