"""Calls of functions that `np.vectorize` has made.

    np.vectorize(f)(x, y)                       a loop over the items, like the user's own
    np.vectorize(f, signature="(n)->()")(x)     a call of `f` for each row, found at run time
"""

from __future__ import annotations

import functools
import math

import numpy as np

from zyg.cotangents.cotangent import accumulate, unbroadcast
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


# What NumPy does, which the rule stands for.
VECTORIZE = np.vectorize


def by_parts(function, otypes, excluded, signature, args, kwargs):
    return VECTORIZE(function, otypes, None, excluded, False, signature)(*args, **kwargs)


@adjoint(by_parts)
def by_parts_rule(function, otypes, excluded, signature, args, kwargs, *, pullback=None):
    names = tuple(kwargs)
    given = [*args, *kwargs.values()]
    is_whole = [key in excluded for key in [*range(len(args)), *names]]
    shape, columns = shape_and_columns(given, is_whole, signature)
    calls = [
        pullback(called_by_name, function, names, *[
            x if column is None else column[i] for x, column in zip(given, columns, strict=True)
        ])
        for i in range(math.prod(shape))
    ]
    y = together([y for y, _ in calls], shape, otypes, signature) if calls else (
        by_parts(function, otypes, excluded, signature, args, kwargs)
    )

    def back(y_bar):
        found = [
            call_back(part_of(y_bar, value, shape, i))[1:]
            for i, (value, call_back) in enumerate(calls)
        ]
        function_bar = functools.reduce(accumulate, [bars[0] for bars in found], None)
        bars = [
            bar_of_column([bars[2 + k] for bars in found], columns[k], shape, x)
            for k, x in enumerate(given)
        ]
        args_bar = tuple(bars[: len(args)])
        kwargs_bar = dict(zip(names, bars[len(args) :], strict=True))
        return function_bar, None, None, None, args_bar, kwargs_bar

    return y, back


def shape_and_columns(given, is_whole, signature):
    """The shape of all calls, and of each argument its parts, in a row; None where it is whole."""
    arrays = [np.asarray(x) for x, whole in zip(given, is_whole, strict=True) if not whole]
    inner = read_signature(signature)[0] if signature else [()] * len(arrays)
    if len(arrays) != len(inner):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(inner)}, got {len(arrays)}"
        )
    shape, _ = loops_and_sizes(arrays, inner)
    rows = iter([in_a_row(x, len(dims), shape) for x, dims in zip(arrays, inner, strict=True)])
    columns = [None if whole else next(rows) for whole in is_whole]
    # Without a signature, NumPy gives a function Python's numbers.
    return shape, columns if signature else [
        None if column is None else column.tolist() for column in columns
    ]


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


def together(values, shape, otypes, signature):
    """What the calls have returned, in one array or in several."""
    has_several = isinstance(values[0], tuple)
    rows = list(zip(*values, strict=True)) if has_several else [values]
    dtypes = otypes or dtypes_of([row[0] for row in rows])
    stacks = [np.stack([np.asarray(item) for item in row]) for row in rows]
    parts = tuple([
        np.reshape(stack, (*shape, *np.shape(stack)[1:])).astype(dtype)
        for stack, dtype in zip(stacks, dtypes, strict=True)
    ])
    return parts if has_several else parts[0]


def part_of(y_bar, value, shape, place):
    """The cotangent of what one call has returned."""
    if y_bar is None:
        return None
    if isinstance(value, tuple):
        pairs = zip(y_bar, value, strict=True)
        return tuple([part_of(bar, item, shape, place) for bar, item in pairs])
    return np.reshape(y_bar, (-1, *np.shape(y_bar)[len(shape) :]))[place]


def bar_of_column(bars, column, shape, x):
    """The cotangent of an argument of which each call has got a part, or all of it."""
    if column is None or not bars:
        return functools.reduce(accumulate, bars, None)
    parts = np.stack([
        np.zeros(np.shape(part)) if bar is None else np.asarray(bar)
        for bar, part in zip(bars, column, strict=True)
    ])
    return unbroadcast(np.reshape(parts, (*shape, *np.shape(parts)[1:])), x)
