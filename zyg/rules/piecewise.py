"""`np.piecewise`: its functions compute values, as rules do, and change no objects."""

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
        chosen = x[condition]
        value = function(chosen, *args, **kw) if callable(function) else function
        y = np.where(condition, placed(value, condition), y)
    return y


def placed(value, condition):
    """Values for where a condition holds, in an array of its shape; 0 elsewhere."""
    if np.ndim(value) == 0:
        return value
    numbers = np.cumsum(np.reshape(condition, -1)) - 1
    numbers = np.reshape(np.maximum(numbers, 0), np.shape(condition))
    return value[numbers] if len(value) > 0 else 0
