"""Rules of functions that make arrays from numbers, nested lists and other arrays."""

from __future__ import annotations

import types

import numpy as np

from ir import facts
from zyg.cotangents.cotangent import conj, rebuilt, unbroadcast
from zyg.cotangents.cotangent_items import OF_NESTED
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, goes_beyond, stand_in
from zyg.unusual_arrays import refuse_to_hold

constant(
    *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
    *(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.eye),
    *(np.identity, np.tri, np.array2string, np.array_str, np.array_repr),
    *(np.bartlett, np.blackman, np.hamming, np.hanning),
)

constant(*[
    value for value in vars(np.dtype).values()
    if isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType))
])

# Questions about types, texts, settings, calendars and files.
ABOUT_TYPES = (
    *("base_repr", "binary_repr", "busday_count", "busday_offset", "common_type"),
    *("datetime_as_string", "datetime_data", "diag_indices_from", "einsum_path"),
    *("format_float_positional", "format_float_scientific", "get_include", "get_printoptions"),
    *("getbufsize", "geterr", "geterrcall", "info", "is_busday", "isdtype", "issubdtype"),
    *("iterable", "mask_indices", "min_scalar_type", "mintypecode", "packbits", "printoptions"),
    *("promote_types", "set_printoptions", "setbufsize", "seterr", "seterrcall", "show_config"),
    *("show_runtime", "test", "tril_indices_from", "triu_indices_from", "typename", "unpackbits"),
    # Numbers that come from files, or go there.
    *("fromfile", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt"),
    *("save", "savetxt", "savez", "savez_compressed"),
)
constant(*[getattr(np, name) for name in ABOUT_TYPES if hasattr(np, name)])


def nested_bar(y_bar, like):
    """The cotangent of the numbers, arrays and nested lists that `np.array` joined.

    [1.0, [..]] gets [y_bar[0], [..]]; what became integers by a dtype gets no cotangent.
    """
    if isinstance(like, (list, tuple)):
        return rebuilt(like, [nested_bar(y_bar[i], like[i]) for i in range(len(like))])
    return unbroadcast(np.reshape(y_bar, np.shape(like)), like)


OF_NESTED.add(nested_bar)
facts.pure(nested_bar)


def array_bar(y_bar, like, dtype):
    """The cotangent of `like` through a conversion to `dtype`, zero where that rounds."""
    if dtype is not None and rounds(like, dtype):
        return None
    if isinstance(like, (list, tuple)):
        return nested_bar(np.reshape(y_bar, np.shape(like)), like)
    if isinstance(like, (int, float, complex, np.number)):
        return unbroadcast(y_bar, like)
    return unbroadcast(np.reshape(y_bar, np.shape(like)), like)


def rounds(like, dtype):
    """Whether a conversion to `dtype` makes integers of inexact numbers.

    Raises for objects and records, in which derivatives would get lost.
    """
    refuse_to_hold(np.dtype(dtype))
    return np.dtype(dtype).kind not in "fc" and np.asarray(like).dtype.kind in "fc"


@adjoint(np.array)
def array(object, dtype=None, *, copy=True, order="K", ndmin=0):
    y = np.array(object, dtype, copy=copy, order=order, ndmin=ndmin)
    return y, lambda y_bar: (array_bar(y_bar, object, dtype),)


@adjoint(np.asarray, np.asanyarray)
def asarray(a, dtype=None, order=None):
    return np.asarray(a, dtype, order), lambda y_bar: (array_bar(y_bar, a, dtype),)


@adjoint(np.ascontiguousarray)
def ascontiguousarray(a, dtype=None):
    return np.ascontiguousarray(a, dtype), lambda y_bar: (array_bar(y_bar, a, dtype),)


@adjoint(np.asfortranarray)
def asfortranarray(a, dtype=None):
    return np.asfortranarray(a, dtype), lambda y_bar: (array_bar(y_bar, a, dtype),)


@adjoint(np.float32)
def float32(x=0.0):
    return np.float32(x), lambda y_bar: (array_bar(y_bar, x, None),)


@adjoint(np.float64)
def float64(x=0.0):
    return np.float64(x), lambda y_bar: (array_bar(y_bar, x, None),)


@adjoint(np.complex64)
def complex64(x=0.0):
    return np.complex64(x), lambda y_bar: (array_bar(y_bar, x, None),)


@adjoint(np.complex128)
def complex128(x=0.0):
    return np.complex128(x), lambda y_bar: (array_bar(y_bar, x, None),)


@adjoint(np.copy)
def copy(a, order="K"):
    return np.copy(a, order), lambda y_bar: (array_bar(y_bar, a, None),)


@adjoint(np.full)
def full(shape, fill_value, dtype=None, order="C"):
    y = np.full(shape, fill_value, dtype, order)
    return y, lambda y_bar: (None, filling_bar(y_bar, fill_value, dtype))


@adjoint(np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    y = np.full_like(a, fill_value, dtype, order, subok, shape)
    filled = y.dtype
    return y, lambda y_bar: (None, filling_bar(y_bar, fill_value, filled))


def filling_bar(y_bar, fill_value, dtype):
    """The cotangent of the value that an array was filled with: a sum over the array."""
    if dtype is not None and rounds(fill_value, dtype):
        return None
    return unbroadcast(y_bar, fill_value)


@adjoint(np.arange)
def arange(start, stop=None, step=1, dtype=None):
    y = np.arange(start, dtype=dtype) if stop is None else np.arange(start, stop, step, dtype)

    def back(y_bar):
        return (
            None if stop is None else unbroadcast(np.sum(y_bar), start),
            None,
            unbroadcast(np.sum(y_bar * np.arange(np.size(y_bar))), step),
        )

    return y, back


@adjoint(np.linspace)
def linspace(start, stop, num=50, endpoint=True, *, dtype=None, axis=0):
    y = np.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)

    has_rounded = dtype is not None and rounds(0.0, dtype)

    def back(y_bar):
        bar, part = along(y_bar, axis), progress(y_bar, num, endpoint, axis)
        return (
            None if has_rounded else unbroadcast(bar * (1 - part), start),
            None if has_rounded else unbroadcast(bar * part, stop),
        )

    return y, back


@stand_in(np.linspace)
def linspace_with_step(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    y = np.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    count = num - 1 if endpoint else num
    return (y, np.subtract(stop, start) / count if count > 0 else np.nan) if retstep else y


def along(y_bar, axis):
    """The cotangent with the given axis first."""
    return np.moveaxis(y_bar, axis, 0)


def progress(y_bar, num, endpoint, axis):
    """How far from start to stop each item lies, along the first axis."""
    steps = np.arange(num, dtype=y_bar.dtype) / max(num - 1 if endpoint else num, 1)
    return np.reshape(steps, (num,) + (1,) * (np.ndim(y_bar) - 1))


@goes_beyond(np.logspace)
def has_several_bases(start, stop, num=50, endpoint=True, base=10.0):
    return not isinstance(base, (int, float)) and getattr(base, "cls", None) not in (int, float)


@stand_in(np.logspace)
def logspace_of_bases(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if np.ndim(base) > 0:
        count = max(np.ndim(start), np.ndim(stop), np.ndim(base))
        start = np.array(start, ndmin=count)
        stop = np.array(stop, ndmin=count)
        base = np.expand_dims(np.array(base, ndmin=count), axis)
    y = np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    return y if dtype is None else y.astype(dtype)


@adjoint(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    y = np.logspace(start, stop, num, endpoint, base)

    def back(y_bar):
        return (
            unbroadcast(y_bar * y * np.log(base) * (1 - progress(y_bar, num, endpoint, 0)), start),
            unbroadcast(y_bar * y * np.log(base) * progress(y_bar, num, endpoint, 0), stop),
            None,
            None,
            np.sum(y_bar * y * np.linspace(start, stop, num, endpoint)) / base,
        )

    return y, back


@adjoint(np.meshgrid)
def meshgrid(*xi, indexing="xy", sparse=False, copy=True):
    def back(y_bar):
        return tuple([grid_bar(y_bar[i], xi[i], i, len(xi), indexing) for i in range(len(xi))])

    return np.meshgrid(*xi, indexing=indexing, sparse=sparse, copy=copy), back


def grid_bar(y_bar, x, position, count, indexing):
    """Sums over the directions along which the coordinate is repeated."""
    if y_bar is None:
        return None
    swapped = {0: 1, 1: 0} if indexing == "xy" and count > 1 else {}
    axis = swapped.get(position, position)
    others = tuple([i for i in range(count) if i != axis])
    return np.reshape(np.sum(y_bar, axis=others), np.shape(x))


@adjoint(np.vander)
def vander(x, N=None, increasing=False):
    y = np.vander(x, N, increasing)
    return y, lambda y_bar: (vander_bar(y_bar, x, increasing),)


def vander_bar(y_bar, x, increasing):
    """The cotangent of `x` in the columns `x ** k`: the sum of `k x ** (k - 1)` over columns."""
    count = max(np.shape(y_bar)[1] - 1, 0)
    lower = conj(np.vander(x, count, increasing))
    if increasing:
        return np.sum(y_bar[:, 1:] * (np.arange(1, count + 1) * lower), axis=1)
    return np.sum(y_bar[:, :count] * (np.arange(count, 0, -1) * lower), axis=1)


@adjoint(np.poly1d)
def poly1d(c_or_r, r=False, variable=None):
    return refuse_poly1d(), lambda y_bar: None


def refuse_poly1d():
    raise NotDifferentiable(
        "np.poly1d has no rule: use np.polyval(coefficients, x) or np.polynomial.Polynomial"
    )


constant(refuse_poly1d)
