"""Substitutes of functions that NumPy makes of others: their code is differentiated."""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import conj
from zyg.rules.registry import adjoint, stand_in, substitute

# From NumPy 2 on, several arrays come in a tuple and not in a list.
GIVES_TUPLES = int(np.__version__.split(".")[0]) >= 2

# Sums and products


@substitute(np.nancumsum)
def nancumsum(a, axis=None, dtype=None, out=None):
    return np.cumsum(np.where(np.isnan(a), 0, a), axis, dtype)


@substitute(np.nancumprod)
def nancumprod(a, axis=None, dtype=None, out=None):
    return np.cumprod(np.where(np.isnan(a), 1, a), axis, dtype)


@substitute(np.cov)
def cov(
    m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None
):
    # As NumPy does, in double precision at least.
    rows = np.atleast_2d(np.asarray(m))
    rows = np.asarray(rows, np.result_type(rows, np.float64) if dtype is None else dtype)
    rows = rows if rowvar or np.ndim(m) == 1 else rows.T
    if y is not None:
        others = np.atleast_2d(y)
        rows = np.concatenate([rows, others if rowvar or np.ndim(y) == 1 else others.T])
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = None
    if fweights is not None:
        weights = np.asarray(fweights) * 1.0
    if aweights is not None:
        weights = np.asarray(aweights) if weights is None else weights * np.asarray(aweights)
    if weights is None:
        centered = rows - np.mean(rows, axis=1, keepdims=True)
        # As in NumPy, without degrees of freedom there is a division by 0.
        return np.squeeze(centered @ conj(centered.T) / max(np.shape(rows)[1] - ddof, 0))
    total = np.sum(weights)
    centered = rows - np.expand_dims(rows @ weights / total, 1)
    free = total
    if aweights is not None and ddof != 0:
        free = total - ddof * np.sum(weights * np.asarray(aweights)) / total
    elif ddof != 0:
        free = total - ddof
    return np.squeeze((centered * weights) @ conj(centered.T) / (free if free > 0 else 0.0))


@substitute(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    covariance = cov(x, y, rowvar)
    if np.ndim(covariance) == 0:
        return covariance / covariance
    sizes = np.sqrt(np.real(np.diagonal(covariance)))
    return covariance / np.expand_dims(sizes, 1) / sizes


@substitute(np.correlate)
def correlate(a, v, mode="valid"):
    """The convolution with the reversed conjugate; `same` is centered on the longer one."""
    a, v = np.asarray(a), np.asarray(v)
    full = np.convolve(a, np.flip(conj(v)))
    long, short = max(len(a), len(v)), min(len(a), len(v))
    if mode in ("valid", 0):
        return full[short - 1 : long]
    if mode in ("same", 1):
        start = (short - 1) // 2 if len(a) >= len(v) else short // 2
        return full[start : start + long]
    return full


@adjoint(np.gradient)
def gradient(f):
    ndim = np.ndim(f)
    return np.gradient(f), lambda y_bar: (slopes_bar(y_bar, ndim),)


def slopes_bar(y_bar, ndim):
    """The cotangent of an array from those of its slopes, for each axis one."""
    if ndim == 1:
        return slope_bar(y_bar, 0)
    parts = [slope_bar(y_bar[i], i) for i in range(ndim) if y_bar[i] is not None]
    return np.sum(np.stack(parts), axis=0) if parts else None


def slope_bar(y_bar, axis):
    """From the cotangent of `(f[i + 1] - f[i - 1]) / 2`, with one-sided differences on the ends."""
    bar = np.moveaxis(y_bar, axis, 0)
    first, last = bar[:1], bar[-1:]
    halves = np.concatenate([-first, first, 0.5 * bar[1:-1], last, -last])
    return np.moveaxis(halves[:-2] - halves[2:], 0, axis)


@stand_in(np.gradient)
def gradient_by_steps(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, one-sided ones on the edges (of the first or second order)."""
    f = np.asarray(f) + 0.0
    ndim = np.ndim(f)
    axes = range(ndim) if axis is None else [int(i) % ndim for i in np.atleast_1d(axis)]
    if len(varargs) == 0:
        steps = [1.0 for _ in axes]
    elif len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        steps = [varargs[0] for _ in axes]
    else:
        steps = [*varargs]
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    found = [
        np.moveaxis(differences(np.moveaxis(f, i, 0), step, edge_order), 0, i)
        for i, step in zip(axes, steps, strict=True)
    ]
    if len(found) == 1:
        return found[0]
    return tuple(found) if GIVES_TUPLES else found


def differences(f, step, edge_order):
    """Slopes along the first axis; `step` is one distance, or the place of each item."""
    count = np.shape(f)[0]
    if count < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    if np.ndim(step) == 0:
        inner = (f[2:] - f[:-2]) / (2.0 * step)
        if edge_order == 1:
            first, last = (f[1] - f[0]) / step, (f[-1] - f[-2]) / step
        else:
            first = (2.0 * f[1] - 1.5 * f[0] - 0.5 * f[2]) / step
            last = (1.5 * f[-1] - 2.0 * f[-2] + 0.5 * f[-3]) / step
        return np.concatenate([np.expand_dims(first, 0), inner, np.expand_dims(last, 0)])
    widths = np.diff(step)
    tail = [1 for _ in range(np.ndim(f) - 1)]
    left = np.reshape(widths[:-1], (-1, *tail))
    right = np.reshape(widths[1:], (-1, *tail))
    inner = (
        f[2:] * (left / (right * (left + right)))
        + f[1:-1] * ((right - left) / (left * right))
        - f[:-2] * (right / (left * (left + right)))
    )
    if edge_order == 1:
        first = (f[1] - f[0]) / widths[0]
        last = (f[-1] - f[-2]) / widths[-1]
    else:
        first = edge_slope(f[0], f[1], f[2], widths[0], widths[1])
        last = -edge_slope(f[-1], f[-2], f[-3], widths[-1], widths[-2])
    return np.concatenate([np.expand_dims(first, 0), inner, np.expand_dims(last, 0)])


def edge_slope(outer, second, third, near, far):
    """The slope at `outer` of the parabola through three points."""
    return (
        second * ((near + far) / (near * far))
        - outer * ((2 * near + far) / (near * (near + far)))
        - third * (near / (far * (near + far)))
    )


# Functions of functions


@substitute(np.fromfunction)
def fromfunction(function, shape, *, dtype=float, **kwargs):
    return function(*np.indices(shape, dtype), **kwargs)


@substitute(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    rows = np.moveaxis(np.asarray(arr), axis, -1)
    lead = np.shape(rows)[:-1]
    flat = np.reshape(rows, (-1, np.shape(rows)[-1]))
    found = np.stack([np.asarray(func1d(row, *args, **kwargs)) for row in flat])
    whole = np.reshape(found, (*lead, *np.shape(found)[1:]))
    count = np.ndim(found) - 1
    first = axis % (len(lead) + 1)
    return np.moveaxis(
        whole, [len(lead) + i for i in range(count)], [first + i for i in range(count)]
    )


@substitute(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    a = np.asarray(a)
    for axis in np.atleast_1d(axes):
        at = int(axis) % np.ndim(a)
        result = func(a, at)
        a = result if np.ndim(result) == np.ndim(a) else np.expand_dims(result, at)
    return a


# Rearrangements


@substitute(np.resize)
def resize(a, new_shape):
    shape = (new_shape,) if np.ndim(new_shape) == 0 else tuple(new_shape)
    a = np.ravel(a)
    count = 1
    for length in shape:
        count = count * length
    if count == 0 or len(a) == 0:
        return np.zeros(shape, a.dtype)
    return np.reshape(np.take(a, np.arange(count) % len(a)), shape)


@substitute(np.choose)
def choose(a, choices, *, mode="raise"):
    a = np.asarray(a)
    count = len(choices)
    if mode == "raise" and np.any((a < 0) | (a >= count)):
        raise ValueError("invalid entry in choice array")
    places = np.mod(a, count) if mode == "wrap" else np.clip(a, 0, count - 1)
    shape = np.broadcast_shapes(np.shape(a), *[np.shape(choice) for choice in choices])
    stacked = np.stack([np.broadcast_to(choice, shape) for choice in choices])
    places = np.broadcast_to(places, shape)
    return np.take_along_axis(stacked, np.expand_dims(places, 0), 0)[0]


@substitute(np.block)
def block(arrays):
    depth = depth_of(arrays)
    ndim = max(depth, largest_ndim(arrays))
    return joined(arrays, depth, ndim)


def depth_of(arrays):
    """How deep the lists are nested."""
    return 1 + depth_of(arrays[0]) if isinstance(arrays, list) else 0


def largest_ndim(arrays):
    if isinstance(arrays, list):
        return max([largest_ndim(part) for part in arrays])
    return np.ndim(arrays)


def joined(arrays, depth, ndim):
    """The innermost lists are joined along the last axis, those around them one before."""
    if isinstance(arrays, list):
        return np.concatenate([joined(part, depth - 1, ndim) for part in arrays], axis=-depth)
    return np.reshape(arrays, (*[1 for _ in range(ndim - np.ndim(arrays))], *np.shape(arrays)))


@substitute(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, *, axis=0):
    """Powers of the ratio; the ends are exact."""
    steps = num - 1 if endpoint else num
    start, stop = np.asarray(start) + 0.0, np.asarray(stop) + 0.0
    ndim = max(np.ndim(start), np.ndim(stop))
    places = np.reshape(np.arange(num) / max(steps, 1), (-1, *[1 for _ in range(ndim)]))
    return np.moveaxis(start * (stop / start) ** places, 0, axis)


@substitute(np.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None, order=None):
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return np.asarray(a, dtype, order)


@substitute(np.real_if_close)
def real_if_close(a, tol=100):
    a = np.asarray(a)
    if a.dtype.kind != "c":
        return a
    bound = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return np.real(a) if np.all(np.abs(np.imag(a)) < bound) else a


if hasattr(np, "cumulative_sum"):

    @substitute(np.cumulative_sum)
    def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
        axis = only_axis(x, axis)
        y = np.cumsum(x, axis, dtype)
        return with_initial(y, 0, axis) if include_initial else y

    @substitute(np.cumulative_prod)
    def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
        axis = only_axis(x, axis)
        y = np.cumprod(x, axis, dtype)
        return with_initial(y, 1, axis) if include_initial else y

    @substitute(np.astype)
    def astype(x, dtype, /, *, copy=True):
        return x.astype(dtype, copy=copy)


def only_axis(x, axis):
    if axis is None and np.ndim(x) != 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    return 0 if axis is None else axis % np.ndim(x)


def with_initial(y, initial, axis):
    widths = [(1, 0) if i == axis else (0, 0) for i in range(np.ndim(y))]
    return np.pad(y, widths, constant_values=initial)


@substitute(np.require)
def require(a, dtype=None, requirements=None):
    return np.asarray(a, dtype)


@substitute(np.sort_complex)
def sort_complex(a):
    y = np.sort(a, 0)
    return y if y.dtype.kind == "c" else y + 0j


@substitute(np.trim_zeros)
def trim_zeros(filt, trim="fb", axis=None):
    ndim = np.ndim(filt)
    axes = range(ndim) if axis is None else [int(i) % ndim for i in np.atleast_1d(axis)]
    kept = [
        part_without_zeros(np.nonzero(filt)[i], trim.lower()) if i in axes else slice(None)
        for i in range(ndim)
    ]
    return filt[kept[0]] if ndim == 1 else filt[tuple(kept)]  # a list has no items of tuples


def part_without_zeros(places, trim):
    """From the first to the last of some places on an axis, as far as both ends are trimmed."""
    if len(places) == 0:
        return slice(0, 0)
    first = int(np.min(places)) if "f" in trim else None
    return slice(first, int(np.max(places)) + 1 if "b" in trim else None)


@substitute(np.fromiter)
def fromiter(iter, dtype, count=-1):
    items = list(iter) if count == -1 else [item for _, item in zip(range(count), iter)]  # noqa: B905
    return np.array(items, dtype)


# Sets


@substitute(np.union1d)
def union1d(ar1, ar2):
    return np.unique(np.concatenate((ar1, ar2), None))


@substitute(np.intersect1d)
def intersect1d(ar1, ar2, assume_unique=False):
    found = np.sort(np.ravel(ar1)) if assume_unique else np.unique(ar1)
    return found[np.isin(found, ar2)]


@substitute(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    found = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return found[np.logical_not(np.isin(found, ar2))]


@substitute(np.setxor1d)
def setxor1d(ar1, ar2, assume_unique=False):
    found = np.concatenate((setdiff1d(ar1, ar2, assume_unique), setdiff1d(ar2, ar1, assume_unique)))
    return np.sort(found)


if hasattr(np, "unique_values"):

    @substitute(np.unique_values)
    def unique_values(x):
        return np.unique(x)
