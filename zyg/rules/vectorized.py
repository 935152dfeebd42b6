"""Calls of functions that `np.vectorize` has made.

    np.vectorize(f)(x, y)                       a loop over the items, like the user's own
    np.vectorize(f, signature="(n)->()")(x)     a call of `f` for each row, found at run time
"""

from __future__ import annotations

import functools
import math

import numpy as np

from zyg.cotangent import accumulate, unbroadcast
from zyg.rules.registry import adjoint, constant, substitute

_OF_NUMPY = np.vectorize.__init__.__globals__
# How a signature is read has no part in derivatives.
read_signature, loops_and_sizes = (
    _OF_NUMPY["_parse_gufunc_signature"], _OF_NUMPY["_parse_input_dimensions"]
)
constant(read_signature)


@substitute(np.vectorize.__call__)
def call_vectorized(self, *args, **kwargs):
    if self.signature is not None or self.excluded or kwargs:
        return by_parts(self.pyfunc, self.otypes, self.excluded, self.signature, args, kwargs)
    function = self.pyfunc
    arrays = np.broadcast_arrays(*args)
    shape = np.shape(arrays[0])
    columns = [np.reshape(array, -1) for array in arrays]
    dtypes = self.otypes
    if dtypes is None:
        # NumPy looks at what the function gives for the first items, which are NumPy's scalars.
        if len(columns[0]) == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = function(*[column[0] for column in columns])
        dtypes = dtypes_of(first if isinstance(first, tuple) else (first,))
    if self.otypes is None and self.cache:
        rest = zip(*[np.ndarray.tolist(column[1:]) for column in columns], strict=True)
        found = [first, *[function(*items) for items in rest]]
    else:
        items = zip(*[np.ndarray.tolist(column) for column in columns], strict=True)
        found = [function(*given) for given in items]
    if len(found) == 0:
        empty = tuple([np.zeros(shape, dtype) for dtype in dtypes])
        return empty if len(empty) > 1 else empty[0]
    if isinstance(found[0], tuple):
        parts = zip(*found, strict=True)
        return tuple([
            np.asarray(np.reshape(np.stack(part), shape), dtype)
            for part, dtype in zip(parts, dtypes, strict=True)
        ])
    return np.asarray(np.reshape(np.stack(found), shape), dtypes[0])


def dtypes_of(values):
    return [np.asarray(value).dtype for value in values]


constant(dtypes_of)


# By a signature, by keyword, and with arguments that each call gets as they are


def by_parts(function, otypes, excluded, signature, args, kwargs):
    return np.vectorize(function, otypes, None, excluded, False, signature)(*args, **kwargs)


@adjoint(by_parts)
def by_parts_rule(function, otypes, excluded, signature, args, kwargs, *, pullback=None):
    names = tuple(kwargs)
    given = [*args, *kwargs.values()]
    is_spread = [key not in excluded for key in [*range(len(args)), *names]]
    count_spread = sum(is_spread)
    inner, outer = read_signature(signature) if signature else ([()] * count_spread, None)
    arrays = [np.asarray(x) for x, spread in zip(given, is_spread, strict=True) if spread]
    if len(arrays) != len(inner):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(inner)}, got {len(arrays)}"
        )
    shape, _ = loops_and_sizes(arrays, inner)
    count = math.prod(shape)
    columns = [
        in_a_row(array, len(dims), shape) for array, dims in zip(arrays, inner, strict=True)
    ]
    columns = columns if signature else [column.tolist() for column in columns]
    numbers = np.cumsum(is_spread) - 1
    calls = [
        pullback(called_by_name, function, names, *[
            columns[numbers[k]][i] if is_spread[k] else x for k, x in enumerate(given)
        ])
        for i in range(count)
    ]
    if count == 0:
        empty = by_parts(function, otypes, excluded, signature, args, kwargs)
        return empty, lambda y_bar: (None, None, None, None, None, None)
    first = calls[0][0]
    has_several = len(outer) > 1 if signature else isinstance(first, tuple)
    rows = list(zip(*[y for y, _ in calls], strict=True)) if has_several else [[y for y, _ in calls]]
    results = [np.stack([np.asarray(item) for item in row]) for row in rows]
    dtypes = otypes or [np.asarray(row[0]).dtype for row in rows]
    parts = tuple([
        np.reshape(result, (*shape, *np.shape(result)[1:])).astype(dtype)
        for result, dtype in zip(results, dtypes, strict=True)
    ])

    def back(y_bar):
        bars = y_bar if has_several else (y_bar,)
        seeds = [
            None if bar is None else np.reshape(bar, np.shape(result))
            for bar, result in zip(bars, results, strict=True)
        ]
        found = [
            call_back(seed_at(seeds, i, has_several))[1:] for i, (_, call_back) in enumerate(calls)
        ]
        function_bar = functools.reduce(accumulate, [bars_of_call[0] for bars_of_call in found])
        item_bars = list(zip(*found, strict=True))[2:]
        given_bars = [
            spread_bar(item_bars[k], columns[numbers[k]], shape, x) if is_spread[k]
            else functools.reduce(accumulate, item_bars[k])
            for k, x in enumerate(given)
        ]
        args_bar = tuple(given_bars[: len(args)])
        kwargs_bar = dict(zip(names, given_bars[len(args) :], strict=True))
        return function_bar, None, None, None, args_bar, kwargs_bar

    return (parts if has_several else parts[0]), back


def in_a_row(array, inner, shape):
    """The parts of an array with the last `inner` axes, repeated as broadcasting repeats them."""
    sizes = np.shape(array)[np.ndim(array) - inner :]
    return np.reshape(np.broadcast_to(array, (*shape, *sizes)), (-1, *sizes))


def called_by_name(function, names, *values):
    """A call whose last values are given by keyword."""
    if not names:
        return function(*values)
    first = len(values) - len(names)
    return function(*values[:first], **dict(zip(names, values[first:], strict=True)))


def seed_at(seeds, place, has_several):
    parts = tuple([None if seed is None else seed[place] for seed in seeds])
    return parts if has_several else parts[0]


def spread_bar(bars, column, shape, x):
    """The cotangent of an argument of which each call has got a part."""
    parts = np.stack([
        np.zeros(np.shape(part)) if bar is None else np.asarray(bar)
        for bar, part in zip(bars, column, strict=True)
    ])
    return unbroadcast(np.reshape(parts, (*shape, *np.shape(parts)[1:])), x)
