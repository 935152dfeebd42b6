"""Stand-ins of NumPy's functions for arguments that their rules have no parameters for.

    np.sum(x, where=m)              np.sum(np.where(m, x, 0))
    np.var(x, mean=c)               the sum of squared distances from c
    np.exp(x, dtype=np.float32)     np.exp(x.astype(np.float32))
    np.log(x, where=m, out=y)       a copy of y, where [m] is np.log(x[m])

Their code is differentiated. What a mask excludes has no part in the value, and so no derivative,
be it infinite or NaN. Nothing here writes into `out`: who calls does, where there is one.
"""

from __future__ import annotations

import numpy as np

from zyg.cotangent import inexact_dtype
from zyg.errors import NotDifferentiable
from zyg.rules.reductions import aligned
from zyg.rules.registry import is_constant, rule_of, stand_in, substitute

# Reductions


@stand_in(np.sum, np.ndarray.sum)
def masked_sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return np.sum(
        np.where(where, a, 0), axis=axis, dtype=dtype, keepdims=keepdims, initial=initial
    )


@stand_in(np.nansum)
def masked_nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return np.nansum(
        np.where(where, a, 0), axis=axis, dtype=dtype, keepdims=keepdims, initial=initial
    )


@stand_in(np.prod, np.ndarray.prod)
def masked_prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    chosen = a if where is True else np.where(where, a, 1)
    y = np.prod(chosen, axis=axis, dtype=dtype, keepdims=keepdims)
    return y * np.asarray(initial).astype(y.dtype)


@stand_in(np.max, np.amax, np.ndarray.max)
def masked_max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    check_start(initial, "maximum")
    chosen = start_or_item(a, initial, where)
    return np.max(chosen, axis=axis, keepdims=keepdims, initial=initial)


@stand_in(np.min, np.amin, np.ndarray.min)
def masked_min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    check_start(initial, "minimum")
    chosen = start_or_item(a, initial, where)
    return np.min(chosen, axis=axis, keepdims=keepdims, initial=initial)


@stand_in(np.nanmax)
def masked_nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    check_start(initial, "fmax")
    chosen = start_or_item(a, initial, where)
    return np.nanmax(chosen, axis=axis, keepdims=keepdims, initial=initial)


@stand_in(np.nanmin)
def masked_nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    check_start(initial, "fmin")
    chosen = start_or_item(a, initial, where)
    return np.nanmin(chosen, axis=axis, keepdims=keepdims, initial=initial)


def check_start(initial, name):
    if initial is None:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one "
            "has to specify 'initial'"
        )


def start_or_item(a, initial, where):
    """The items that a mask lets through, and in the place of the others the initial value."""
    a = np.asarray(a)
    return np.where(where, a, np.asarray(initial).astype(a.dtype))


@stand_in(np.mean, np.ndarray.mean)
def masked_mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    # In the dtype of integers sums would overflow.
    summed = inexact_dtype(a) if dtype is None else dtype
    total = np.sum(np.where(where, a, 0), axis=axis, dtype=summed, keepdims=keepdims)
    return total / chosen_count(a, axis, keepdims, where, total)


@stand_in(np.nanmean)
def masked_nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    is_number = np.logical_and(where, np.logical_not(np.isnan(a)))
    return masked_mean(a, axis, dtype, None, keepdims, is_number)


def chosen_count(a, axis, keepdims, where, like):
    """How many items a mask lets through, as numbers of the precision of `like`."""
    chosen = np.broadcast_to(where, np.shape(a))
    return np.sum(chosen, axis=axis, dtype=np.real(like).dtype, keepdims=keepdims)


@stand_in(np.var, np.ndarray.var)
def masked_var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None,
):
    ddof = freedom(ddof, correction)
    if mean is None:
        mean = masked_mean(a, axis, dtype, None, True, where)
    distance = np.where(where, a - mean, 0)
    if np.iscomplexobj(distance):
        squares = np.square(np.real(distance)) + np.square(np.imag(distance))
    else:
        squares = np.square(distance)
    total = np.sum(squares, axis=axis, dtype=real_dtype(dtype), keepdims=keepdims)
    return total / (chosen_count(a, axis, keepdims, where, total) - ddof)


@stand_in(np.std, np.ndarray.std)
def masked_std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None,
):
    variance = masked_var(
        a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction
    )
    return root_or_zero(variance)


@substitute(np.nanprod)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    numbers = np.where(np.isnan(a), 1, a)
    return masked_prod(numbers, axis, dtype, None, keepdims, initial, where)


@substitute(np.nanvar)
def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None,
):
    is_number = np.logical_and(where, np.logical_not(np.isnan(a)))
    return masked_var(
        a, axis, dtype, None, ddof, keepdims, where=is_number, mean=mean, correction=correction
    )


@substitute(np.nanstd)
def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
    correction=None,
):
    variance = nanvar(
        a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction
    )
    return root_or_zero(variance)


def real_dtype(dtype):
    """The dtype of the squares of numbers of a dtype."""
    return None if dtype is None else np.result_type(np.real(np.zeros((), dtype)))


def freedom(ddof, correction):
    """`correction` is another name of `ddof`."""
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def root_or_zero(variance):
    """The square root, whose derivative at 0 is taken to be 0."""
    is_positive = variance > 0
    return np.where(is_positive, np.sqrt(np.where(is_positive, variance, 1)), variance)[()]


@stand_in(np.average)
def average_and_weight(a, axis=None, weights=None, returned=False, *, keepdims=False):
    y = np.average(a, axis, weights, keepdims=keepdims)
    if not returned:
        return y
    if weights is None:
        total = np.size(a) / np.size(y)
    else:
        full = np.broadcast_to(aligned(weights, a, axis), np.shape(a))
        total = np.sum(full, axis=axis, keepdims=keepdims)
    return y, total + np.zeros_like(y)


# Differences


@stand_in(np.diff)
def extended_diff(a, n=1, axis=-1, prepend=None, append=None):
    if n == 0:
        return a
    if prepend is not None:
        a = np.concatenate((layer(prepend, a, axis), a), axis=axis)
    if append is not None:
        a = np.concatenate((a, layer(append, a, axis)), axis=axis)
    return np.diff(a, n, axis)


def layer(value, a, axis):
    """What is put in front of an array or behind it: a number stands for a layer of length 1."""
    if np.ndim(value) > 0:
        return value
    lengths = [1 if i == axis % np.ndim(a) else n for i, n in enumerate(np.shape(a))]
    return np.broadcast_to(value, tuple(lengths))


@stand_in(np.ediff1d)
def extended_ediff1d(ary, to_end=None, to_begin=None):
    y = np.ediff1d(ary)
    if to_begin is not None:
        y = np.concatenate((np.ravel(to_begin), y))
    if to_end is not None:
        y = np.concatenate((y, np.ravel(to_end)))
    return y


# Universal functions

UFUNCS = {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc) and f.signature is None}
OF_INTEGERS = (np.ldexp,)  # whose operands are not converted to the dtype of the result


def of_one(ufunc):
    """What `ufunc(x, dtype=..., where=...)` means."""

    def called(
        x, out=None, *, where=True, dtype=None, casting="same_kind", order="K", subok=True
    ):
        check_options(ufunc, order)
        if dtype is not None:
            x = converted(ufunc, x, dtype, casting)
        if where is True:
            return ufunc(x)
        shape = common_shape(out, np.shape(x), np.shape(where))
        chosen = np.broadcast_to(where, shape)
        return filled_in(ufunc(np.broadcast_to(x, shape)[chosen]), chosen, out, casting)

    return called


def of_two(ufunc):
    """What `ufunc(x, y, dtype=..., where=...)` means."""

    def called(
        x, y, out=None, *, where=True, dtype=None, casting="same_kind", order="K", subok=True
    ):
        check_options(ufunc, order)
        if dtype is not None:
            x = converted(ufunc, x, dtype, casting)
            y = converted(ufunc, y, dtype, casting)
        if where is True:
            return ufunc(x, y)
        shape = common_shape(out, np.shape(x), np.shape(y), np.shape(where))
        chosen = np.broadcast_to(where, shape)
        left, right = np.broadcast_to(x, shape)[chosen], np.broadcast_to(y, shape)[chosen]
        return filled_in(ufunc(left, right), chosen, out, casting)

    return called


def check_options(ufunc, order):
    if order != "K":
        raise NotDifferentiable(
            f"np.{ufunc.__name__} has derivatives for order='K' only: what the order of the "
            "result in memory changes is not followed"
        )
    if ufunc.nout > 1:
        raise NotDifferentiable(
            f"np.{ufunc.__name__} has several results, and derivatives without `where` and `dtype`"
        )


def converted(ufunc, x, dtype, casting):
    """An operand in the dtype in which a ufunc is told to compute."""
    if ufunc in OF_INTEGERS:
        raise NotDifferentiable(f"np.{ufunc.__name__} has derivatives without `dtype`")
    if not np.can_cast(np.result_type(x), dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc '{ufunc.__name__}' input from {np.result_type(x)} to "
            f"{np.dtype(dtype)} with casting rule '{casting}'"
        )
    return np.asarray(x).astype(dtype)


def common_shape(out, *shapes):
    return np.broadcast_shapes(*shapes) if out is None else np.shape(out)


def filled_in(values, chosen, out, casting):
    """What `out` holds behind the call; without `out` the rest of the result may be anything."""
    if out is None:
        made = np.zeros(np.shape(chosen), values.dtype)
        made[chosen] = values
        return made[()]
    if not np.can_cast(np.result_type(values), out.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc output from {np.result_type(values)} to {out.dtype} with casting "
            f"rule '{casting}'"
        )
    made = out.copy()
    made[chosen] = values
    return made


for _ufunc in UFUNCS.values():
    if rule_of(_ufunc) is not None and not is_constant(_ufunc):
        stand_in(_ufunc)((of_one if _ufunc.nin == 1 else of_two)(_ufunc))
