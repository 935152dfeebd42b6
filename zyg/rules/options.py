"""Stand-ins of NumPy's functions for arguments that their rules have no parameters for.

    np.sum(x, where=m)              np.sum(np.where(m, x, 0))
    np.var(x, mean=c)               the sum of squared distances from c
    np.exp(x, dtype=np.float32)     np.exp(x.astype(np.float32))
    np.log(x, where=m, out=y)       y, where m doesn't hold, and else the logarithms of x[m]

Their code is differentiated. What a mask excludes has no part in the value, and so no derivative,
be it infinite or NaN. Nothing here writes into `out`: who calls does, where there is one.
"""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import inexact_dtype
from zyg.cotangents.cotangent_items import scatter
from zyg.errors import NotDifferentiable
from zyg.rules.reductions import aligned
from zyg.rules.registry import constant, is_constant, rule_of, stand_in, substitute

# Reductions


@stand_in(np.trace, np.ndarray.trace)
def trace_in(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """As NumPy does, which converts the items of the diagonal."""
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@stand_in(np.atleast_1d)
def several_1d(*arys):
    return SEVERAL([np.atleast_1d(ary) for ary in arys])


@stand_in(np.atleast_2d)
def several_2d(*arys):
    return SEVERAL([np.atleast_2d(ary) for ary in arys])


@stand_in(np.atleast_3d)
def several_3d(*arys):
    return SEVERAL([np.atleast_3d(ary) for ary in arys])


SEVERAL = type(np.atleast_1d(0, 0))  # with NumPy 1 a list


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
    chosen = start_or_item(a, initial, where, "maximum")
    return np.max(chosen, axis=axis, keepdims=keepdims, initial=initial)


@stand_in(np.min, np.amin, np.ndarray.min)
def masked_min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    chosen = start_or_item(a, initial, where, "minimum")
    return np.min(chosen, axis=axis, keepdims=keepdims, initial=initial)


@stand_in(np.nanmax)
def masked_nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    chosen = start_or_item(a, initial, where, "fmax")
    return np.nanmax(chosen, axis=axis, keepdims=keepdims, initial=initial)


@stand_in(np.nanmin)
def masked_nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    chosen = start_or_item(a, initial, where, "fmin")
    return np.nanmin(chosen, axis=axis, keepdims=keepdims, initial=initial)


def start_or_item(a, initial, where, name):
    """The items that a mask lets through, and in the place of the others the initial value."""
    if where is True:
        return a
    if initial is None:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one "
            "has to specify 'initial'"
        )
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


# Conversions, orders and joining


@stand_in(np.asarray, np.asanyarray)
def as_array(a, dtype=None, order=None, *, copy=None):
    return np.array(a, dtype, copy=copy, order="K" if order is None else order)


@stand_in(np.reshape)
def reshaped(a, shape, order="C", *, copy=None):
    if copy is False:
        unless_copied(a, shape, order)
    return np.reshape(np.array(a) if copy else a, shape, order)


@stand_in(np.ndarray.reshape)
def reshaped_array(self, *shape, order="C", copy=None):
    return reshaped(self, shape if len(shape) > 1 else shape[0], order, copy=copy)


def unless_copied(a, shape, order):
    """Raises, as NumPy does, where the items can't stay where they are."""
    np.reshape(a, shape, order=order, copy=False)


constant(unless_copied)


@stand_in(np.sort)
def sorted_in(a, axis=-1, kind=None, order=None, *, stable=None):
    if order is not None or (stable is not None and kind is not None):
        return np.sort(np.empty(0), axis, kind, order, stable=stable)  # raises
    return np.sort(a, axis, "stable" if stable else kind)


@stand_in(np.vstack, getattr(np, "row_stack", np.vstack))
def joined_rows(tup, *, dtype=None, casting="same_kind"):
    return np.concatenate([np.atleast_2d(x) for x in tup], 0, dtype=dtype, casting=casting)


@stand_in(np.hstack)
def joined_columns(tup, *, dtype=None, casting="same_kind"):
    arrays = [np.atleast_1d(x) for x in tup]
    axis = 1 if np.ndim(arrays[0]) > 1 else 0
    return np.concatenate(arrays, axis, dtype=dtype, casting=casting)


# Universal functions

UFUNCS = {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc) and f.signature is None}
OF_INTEGERS = (np.ldexp,)  # whose operands are not converted to the dtype of the result


def of_one(
    ufunc, x, out=None, *, where=True, dtype=None, casting="same_kind", order="K", subok=True
):
    """What `ufunc(x, dtype=..., where=...)` means."""
    if dtype is not None:
        x = converted(ufunc, x, dtype, casting)
    if where is True:
        return in_order(ufunc(x), order)
    shape = common_shape(out, np.shape(x), np.shape(where))
    chosen = np.broadcast_to(where, shape)
    values = ufunc(np.broadcast_to(x, shape)[chosen])
    return in_order(filled_in(values, chosen, out, casting), order)


def of_two(
    ufunc, x, y, out=None, *, where=True, dtype=None, casting="same_kind", order="K", subok=True
):
    """What `ufunc(x, y, dtype=..., where=...)` means."""
    if dtype is not None:
        x = converted(ufunc, x, dtype, casting)
        y = converted(ufunc, y, dtype, casting)
    if where is True:
        return in_order(ufunc(x, y), order)
    shape = common_shape(out, np.shape(x), np.shape(y), np.shape(where))
    chosen = np.broadcast_to(where, shape)
    left, right = np.broadcast_to(x, shape)[chosen], np.broadcast_to(y, shape)[chosen]
    return in_order(filled_in(ufunc(left, right), chosen, out, casting), order)


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


def in_order(y, order):
    """A result as it is asked to lie in memory."""
    return y if order == "K" or np.ndim(y) == 0 else np.copy(y, order)


def common_shape(out, *shapes):
    return np.broadcast_shapes(*shapes) if out is None else np.shape(out)


def filled_in(values, chosen, out, casting):
    """What `out` holds behind the call; without `out` the rest of the result may be anything."""
    spread = scatter(values, np.shape(chosen), chosen)
    if out is None:
        made = spread.astype(values.dtype)
        return made[()] if np.ndim(made) == 0 else made
    check_cast(values, out, casting)
    return np.where(chosen, spread.astype(out.dtype), out)


def check_cast(values, out, casting):
    if not np.can_cast(values.dtype, out.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc output from {values.dtype} to {out.dtype} with casting rule "
            f"'{casting}'"
        )


constant(check_cast)

for _ufunc in UFUNCS.values():
    if rule_of(_ufunc) is not None and not is_constant(_ufunc) and _ufunc.nout == 1:
        stand_in(_ufunc)(of_one if _ufunc.nin == 1 else of_two)


# Products of stacks


def of_stacks(
    ufunc, x, y, out=None, *, axes=None, axis=None, keepdims=False, dtype=None,
    casting="same_kind", order="K", subok=True,
):
    """What `ufunc(x, y, axes=..., dtype=...)` means for products of matrices and vectors."""
    if dtype is not None:
        x = converted(ufunc, x, dtype, casting)
        y = converted(ufunc, y, dtype, casting)
    if axis is not None:
        axes = [axis, axis, ()]
    if axes is None:
        z = ufunc(x, y)
        return in_order(np.expand_dims(z, -1) if keepdims else z, order)
    left = np.moveaxis(x, axes[0], last_axes(axes[0]))
    right = np.moveaxis(y, axes[1], last_axes(axes[1]))
    z = ufunc(left, right)
    if keepdims:
        z = np.expand_dims(z, axes[0])
    elif len(axes) == 3 and axes[2] != ():
        z = np.moveaxis(z, last_axes(axes[2]), axes[2])
    return in_order(z, order)


def last_axes(axes):
    """So many axes at the end as there are in `axes`."""
    return tuple([i - len(axes) for i in range(len(axes))]) if isinstance(axes, tuple) else -1


for _name in ("matmul", "vecdot", "matvec", "vecmat"):
    if hasattr(np, _name):
        stand_in(getattr(np, _name))(of_stacks)
