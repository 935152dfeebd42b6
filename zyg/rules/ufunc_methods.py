"""The methods of ufuncs in terms of reductions, cumulations and calls of the ufunc itself.

    np.add.reduce(x, axis=1)            np.sum(x, axis=1)
    np.arctan2.reduce(x)                a loop over the items: y = np.arctan2(y, item)
    np.multiply.outer(x, y)             np.multiply(x[:, None], y)

A function stands for a method of some ufuncs, and takes the ufunc as its first argument. What has
no derivatives (comparisons, logic) is called as it is.
"""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.cotangents.cotangent_items import scatter
from zyg.facts.numpy_example import by_example
from zyg.rules.array_stores import all_on_the_way
from zyg.rules.binary import weight, weight2
from zyg.rules.operators import unless_zero
from zyg.rules.options import UFUNCS, of_two
from zyg.rules.registry import Rule, adjoint, constant, is_constant, of_ufuncs, rule_of
from zyg.rules.sums import restored

# Reductions


@of_ufuncs("reduce", np.add)
def add_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=0, where=True
):
    start = 0 if initial is None else initial
    return np.sum(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=start, where=where)


@of_ufuncs("reduce", np.multiply)
def multiply_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    if initial is None:
        return np.prod(array, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    return np.prod(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@of_ufuncs("reduce", np.maximum)
def maximum_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    items = as_dtype(array, dtype)
    return np.max(items, axis=axis, keepdims=keepdims, initial=initial, where=where)


@of_ufuncs("reduce", np.minimum)
def minimum_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    items = as_dtype(array, dtype)
    return np.min(items, axis=axis, keepdims=keepdims, initial=initial, where=where)


@of_ufuncs("reduce", np.fmax)
def fmax_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    items = as_dtype(array, dtype)
    return np.nanmax(items, axis=axis, keepdims=keepdims, initial=initial, where=where)


@of_ufuncs("reduce", np.fmin)
def fmin_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    items = as_dtype(array, dtype)
    return np.nanmin(items, axis=axis, keepdims=keepdims, initial=initial, where=where)


def as_dtype(array, dtype):
    return np.asarray(array) if dtype is None else np.asarray(array).astype(dtype)


@of_ufuncs("reduce", np.logaddexp)
def logaddexp_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    y = log_sum_exp(chosen(as_dtype(array, dtype), where, -np.inf), axis, keepdims)
    return y if initial is None else np.logaddexp(initial, y)


@of_ufuncs("reduce", np.logaddexp2)
def logaddexp2_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    y = log2_sum_exp2(chosen(as_dtype(array, dtype), where, -np.inf), axis, keepdims)
    return y if initial is None else np.logaddexp2(initial, y)


@of_ufuncs("reduce", np.hypot)
def hypot_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    y = length(chosen(as_dtype(array, dtype), where, 0), axis, keepdims)
    return y if initial is None else np.hypot(initial, y)


def chosen(items, where, neutral):
    """The items that a mask lets through, and in the place of the others what changes nothing."""
    return items if where is True else np.where(where, items, neutral)


# What NumPy does, which functions here stand for.
OF_NUMPY = {ufunc: ufunc.reduce for ufunc in (np.logaddexp, np.logaddexp2, np.hypot)}
SUMS_AT = np.add.reduceat


def log_sum_exp(array, axis, keepdims):
    return OF_NUMPY[np.logaddexp](array, axis=axis, keepdims=keepdims)


@adjoint(log_sum_exp)
def log_sum_exp_rule(array, axis, keepdims):
    shape = np.shape(array)
    y = log_sum_exp(array, axis, keepdims)

    def back(y_bar):
        part = weight(array, restored(y, shape, axis, keepdims))
        return restored(y_bar, shape, axis, keepdims) * part, None, None

    return y, back


def log2_sum_exp2(array, axis, keepdims):
    return OF_NUMPY[np.logaddexp2](array, axis=axis, keepdims=keepdims)


@adjoint(log2_sum_exp2)
def log2_sum_exp2_rule(array, axis, keepdims):
    shape = np.shape(array)
    y = log2_sum_exp2(array, axis, keepdims)

    def back(y_bar):
        part = weight2(array, restored(y, shape, axis, keepdims))
        return restored(y_bar, shape, axis, keepdims) * part, None, None

    return y, back


def length(array, axis, keepdims):
    """The root of the sum of squares."""
    return OF_NUMPY[np.hypot](array, axis=axis, keepdims=keepdims)


@adjoint(length)
def length_rule(array, axis, keepdims):
    shape = np.shape(array)
    y = length(array, axis, keepdims)

    def back(y_bar):
        part = array / unless_zero(restored(y, shape, axis, keepdims))
        return restored(y_bar, shape, axis, keepdims) * part, None, None

    return y, back


for _function in (log_sum_exp, log2_sum_exp2, length):
    facts.result(_function)(by_example(_function))
    facts.pure(_function)
    facts.fresh(_function)


def ordered_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    """The reduction by a ufunc whose order counts: each result is an operand of the next call."""
    items = as_dtype(array, dtype)
    axis = only_axis(ufunc, np.ndim(items), axis)
    unless_begun(ufunc, initial, where)
    y, rest = first_and_rest(items, axis, initial)
    if where is True:
        for row in rest:
            y = ufunc(y, row)
    else:
        masks = np.moveaxis(np.broadcast_to(where, np.shape(items)), axis, 0)
        for row, mask in zip(rest, masks, strict=True):
            y = np.where(mask, ufunc(y, row), y)
    return np.expand_dims(y, axis) if keepdims else y


@of_ufuncs("reduce", np.subtract)
def subtract_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    unless_begun(ufunc, initial, where)
    items = chosen(as_dtype(array, dtype), where, 0)
    axis = only_axis(ufunc, np.ndim(items), axis)
    first, rest = first_and_rest(items, axis, initial)
    y = first - np.sum(rest, axis=0)
    return np.expand_dims(y, axis) if keepdims else y


@of_ufuncs("reduce", np.divide)
def divide_reduce(
    ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    unless_begun(ufunc, initial, where)
    items = chosen(as_dtype(array, dtype), where, 1)
    axis = only_axis(ufunc, np.ndim(items), axis)
    first, rest = first_and_rest(items, axis, initial)
    y = first / np.prod(rest, axis=0)
    return np.expand_dims(y, axis) if keepdims else y


def first_and_rest(items, axis, initial):
    """What a reduction starts with, and the rows that it takes one after the other."""
    rows = np.moveaxis(items, axis, 0)
    if initial is None:
        return rows[0], rows[1:]
    return initial + np.zeros_like(rows[0]), rows


def unless_begun(ufunc, initial, where):
    if initial is None and where is not True:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where "
            "mask one has to specify 'initial'"
        )


def only_axis(ufunc, ndim, axis):
    """The axis of a reduction of which NumPy allows one only."""
    if isinstance(axis, tuple) and len(axis) == 1:
        return axis[0]
    if axis is None and ndim == 1:
        return 0
    if axis is None or isinstance(axis, tuple):
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may "
            "be specified"
        )
    return axis


# Cumulations


@of_ufuncs("accumulate", np.add)
def add_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    return np.cumsum(array, axis, dtype)


@of_ufuncs("accumulate", np.multiply)
def multiply_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    return np.cumprod(array, axis, dtype)


def ordered_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    """All results on the way of `ordered_reduce`."""
    rows = np.moveaxis(as_dtype(array, dtype), axis, 0)
    return np.moveaxis(all_on_the_way(ufunc, rows), 0, axis)


@of_ufuncs("accumulate", np.subtract)
def subtract_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(as_dtype(array, dtype), axis, 0)
    y = np.concatenate((rows[:1], rows[:1] - np.cumsum(rows[1:], 0)))
    return np.moveaxis(y, 0, axis)


@of_ufuncs("accumulate", np.divide)
def divide_accumulate(ufunc, array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(as_dtype(array, dtype), axis, 0)
    y = np.concatenate((rows[:1], rows[:1] / np.cumprod(rows[1:], 0)))
    return np.moveaxis(y, 0, axis)


# Parts of an axis


@of_ufuncs("reduceat", np.add)
def add_reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    rows = np.moveaxis(as_dtype(array, dtype), axis, 0)
    return np.moveaxis(sums_at(rows, indices), 0, axis)


def sums_at(rows, indices):
    return SUMS_AT(rows, indices, 0)


@adjoint(sums_at)
def sums_at_rule(rows, indices):
    shape = np.shape(rows)

    def back(y_bar):
        places, owners = places_of_parts(indices, shape[0])
        return scatter(y_bar[owners], shape, places), None

    return sums_at(rows, indices), back


def places_of_parts(indices, length):
    """The places of the items of all parts of `reduceat`, and the number of the part of each."""
    starts = np.asarray(indices)
    counts = np.maximum(np.append(starts[1:], length) - starts, 1)
    owners = np.repeat(np.arange(len(starts)), counts)
    firsts = np.cumsum(counts) - counts
    return np.arange(len(owners)) - firsts[owners] + starts[owners], owners


def parts_reduced(ufunc, array, indices, axis=0, dtype=None, out=None):
    """A reduction of each part by itself."""
    rows = np.moveaxis(as_dtype(array, dtype), axis, 0)
    starts = [int(i) for i in indices]
    stops = [*starts[1:], len(rows)]
    pairs = zip(starts, stops, strict=True)
    found = [ufunc.reduce(rows[i : max(j, i + 1)]) for i, j in pairs]
    return np.moveaxis(np.stack(found), 0, axis)


# Products


def outer_of(
    ufunc, A, B, *, where=True, dtype=None, casting="same_kind", order="K", subok=True
):
    is_plain = where is True and dtype is None and order == "K"
    if is_plain and np.ndim(A) == 1 and np.ndim(B) == 1:  # which types know
        return ufunc(np.expand_dims(A, 1), B)
    spread = np.reshape(A, (*np.shape(A), *[1 for _ in range(np.ndim(B))]))
    if is_plain:
        return ufunc(spread, B)
    return of_two(ufunc, spread, B, where=where, dtype=dtype, casting=casting, order=order)


# The ufuncs that have no function of their own above


def reduce_plainly(ufunc, *args, **kwargs):
    return ufunc.reduce(*args, **kwargs)


def accumulate_plainly(ufunc, *args, **kwargs):
    return ufunc.accumulate(*args, **kwargs)


def reduceat_plainly(ufunc, *args, **kwargs):
    return ufunc.reduceat(*args, **kwargs)


def outer_plainly(ufunc, *args, **kwargs):
    return ufunc.outer(*args, **kwargs)


PLAIN: dict[str, Rule] = {
    "reduce": reduce_plainly, "accumulate": accumulate_plainly, "reduceat": reduceat_plainly,
    "outer": outer_plainly,
}
GENERAL: dict[str, Rule] = {
    "reduce": ordered_reduce, "accumulate": ordered_accumulate, "reduceat": parts_reduced,
    "outer": outer_of,
}
constant(*PLAIN.values())
# Looked into, each would be found to call itself, and to return nothing.
facts.result(*PLAIN.values())(lambda args, kwargs: TOP)
if hasattr(np.ufunc, "resolve_dtypes"):  # of NumPy 1.25
    constant(np.ufunc.resolve_dtypes)

for _ufunc in UFUNCS.values():
    if is_constant(_ufunc) and _ufunc.nin == 2:
        for _method, _function in PLAIN.items():
            of_ufuncs(_method, _ufunc)(_function)
    elif rule_of(_ufunc) is not None and _ufunc.nin == 2 and _ufunc.nout == 1:
        for _method, _function in GENERAL.items():
            of_ufuncs(_method, _ufunc, replace=False)(_function)
