"""`np.maximum.accumulate` and `np.minimum.accumulate`: each item is one that stands before it.

The cotangents that belong to one item stand in a row: they are added run by run
(`zyg.arrays.runs`).
"""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.array_type import Array, array_of
from zyg.arrays.runs import at_runs, begins, running, sums_of_runs
from zyg.rules.registry import adjoint, constant, of_ufuncs
from zyg.rules.ufunc_methods import as_dtype


@of_ufuncs("accumulate", np.maximum, np.minimum)
def extremum_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    return running(ufunc, as_dtype(array, dtype), axis)


constant(begins)


@facts.result(begins)
def mask_type(args, kwargs):
    return array_of(np.dtype(bool), args[0].dims) if isinstance(args[0], Array) else TOP


@facts.result(running)
def running_type(args, kwargs):
    return args[1] if isinstance(args[1], Array) else TOP


@facts.result(at_runs, sums_of_runs)
def items_type(args, kwargs):
    return args[0] if isinstance(args[0], Array) else TOP


facts.fresh(running, begins, at_runs, sums_of_runs)


@adjoint(running)
def running_rule(ufunc, items, axis):
    y = running(ufunc, items, axis)

    def back(y_bar):
        return None, sums_of_runs(y_bar, begins(items, y, axis), axis), None

    return y, back


@adjoint(at_runs)
def at_runs_rule(items, begins, axis):
    def back(y_bar):
        return sums_of_runs(y_bar, begins, axis), None, None

    return at_runs(items, begins, axis), back


@adjoint(sums_of_runs)
def sums_of_runs_rule(bars, begins, axis):
    def back(y_bar):
        return at_runs(y_bar, begins, axis), None, None

    return sums_of_runs(bars, begins, axis), back
