"""`np.maximum.accumulate` and `np.minimum.accumulate`: items taken where the last best one stands.

The places of these never fall along the axis, so that the cotangents that belong to one item stand
in a row: they are added run by run (`zyg.runs`).
"""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.array_type import Array, array_of
from zyg.rules.registry import adjoint, constant, of_ufuncs
from zyg.rules.ufunc_methods import as_dtype
from zyg.runs import at_runs, last_best, sums_of_runs


@of_ufuncs("accumulate", np.maximum, np.minimum)
def extremum_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    items = as_dtype(array, dtype)
    return at_runs(items, last_best(ufunc, items, axis), axis)


constant(last_best)


@facts.result(last_best)
def places_type(args, kwargs):
    """Integers of the shape of the array. (What `last_best` calls stands for its callers.)"""
    array = args[1]
    return array_of(np.dtype(np.intp), array.dims) if isinstance(array, Array) else TOP


@facts.result(at_runs, sums_of_runs)
def items_type(args, kwargs):
    return args[0] if isinstance(args[0], Array) else TOP


@adjoint(at_runs)
def at_runs_rule(items, places, axis):
    def back(y_bar):
        return sums_of_runs(y_bar, places, axis), None, None

    return at_runs(items, places, axis), back


@adjoint(sums_of_runs)
def sums_of_runs_rule(bars, places, axis):
    def back(y_bar):
        return at_runs(y_bar, places, axis), None, None

    return sums_of_runs(bars, places, axis), back
