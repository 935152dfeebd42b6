"""Rules of the methods and attributes of arrays, keyed by the descriptors of `np.ndarray`.

`x.sum(axis=0)` is `np.ndarray.sum(x, axis=0)`: parameters as the method names them, `self` first.
The functions of the same name share their cotangents.
"""

from __future__ import annotations

import numpy as np

from zyg.arrays.transposes import diagonal_back
from zyg.cotangents.cotangent import completed_container, conj, unbroadcast
from zyg.cotangents.cotangent_items import one_hot
from zyg.rules import registry
from zyg.rules.creation import rounds
from zyg.rules.indexing import clip_bars, take_bar
from zyg.rules.products import dot_left, dot_right
from zyg.rules.reductions import (
    cumprod_bar,
    cumsum_bar,
    extremum_bar,
    freedom_bar,
    initial_bar,
    prod_bar,
    std_bar,
    trace_bar,
    var_bar,
)
from zyg.rules.registry import adjoint, constant
from zyg.rules.shape import inverse_order, repeat_bar, reshaped_back
from zyg.rules.sums import count_along, makes_whole, spread

constant(
    *(np.ndarray.nbytes, np.ndarray.itemsize, np.ndarray.strides, np.ndarray.flags),
    *(np.ndarray.round, np.ndarray.argmax, np.ndarray.argmin, np.ndarray.argsort),
    *(np.ndarray.argpartition, np.ndarray.all, np.ndarray.any, np.ndarray.nonzero),
    *(np.ndarray.searchsorted, np.ndarray.tobytes, np.ndarray.__len__, np.ndarray.__contains__),
    *(np.ndarray.__bool__, np.ndarray.__int__, np.ndarray.__index__),
)


@adjoint(np.ndarray.sum)
def sum_(self, axis=None, dtype=None, out=None, keepdims=False, initial=0):
    shape = np.shape(self)
    has_rounded = dtype is not None and makes_whole(self, dtype)
    y = self.sum(axis=axis, dtype=dtype, keepdims=keepdims, initial=initial)

    return y, lambda y_bar: (
        None if has_rounded else spread(y_bar, shape, axis, keepdims),
        None, None, None, None,
        unbroadcast(y_bar, initial),
    )


@adjoint(np.ndarray.mean)
def mean(self, axis=None, dtype=None, out=None, keepdims=False):
    shape = np.shape(self)
    count = count_along(shape, axis)
    has_rounded = dtype is not None and makes_whole(self, dtype)
    y = self.mean(axis=axis, dtype=dtype, keepdims=keepdims)
    return y, lambda y_bar: (
        None if has_rounded else spread(y_bar / count, shape, axis, keepdims),
    )


@adjoint(np.ndarray.prod)
def prod(self, axis=None, dtype=None, out=None, keepdims=False):
    y = self.prod(axis=axis, dtype=dtype, keepdims=keepdims)
    has_rounded = dtype is not None and makes_whole(self, dtype)
    return y, lambda y_bar: (None if has_rounded else prod_bar(y_bar, y, self, axis, keepdims),)


@adjoint(np.ndarray.max)
def max_(self, axis=None, out=None, keepdims=False, initial=None):
    y = self.max(axis=axis, keepdims=keepdims, initial=initial)

    def back(y_bar):
        return (
            extremum_bar(y_bar, y, self, axis, keepdims, initial),
            None,
            None,
            None,
            None if initial is None else initial_bar(y_bar, y, self, axis, keepdims, initial),
        )

    return y, back


@adjoint(np.ndarray.min)
def min_(self, axis=None, out=None, keepdims=False, initial=None):
    y = self.min(axis=axis, keepdims=keepdims, initial=initial)

    def back(y_bar):
        return (
            extremum_bar(y_bar, y, self, axis, keepdims, initial),
            None,
            None,
            None,
            None if initial is None else initial_bar(y_bar, y, self, axis, keepdims, initial),
        )

    return y, back


@adjoint(np.ndarray.var)
def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    y = self.var(axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)
    return y, lambda y_bar: (
        var_bar(y_bar, self, axis, ddof, keepdims), None, None, None,
        freedom_bar(y_bar * y, self, axis, ddof),
    )


@adjoint(np.ndarray.std)
def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    y = self.std(axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)
    return y, lambda y_bar: (
        std_bar(y_bar, y, self, axis, ddof, keepdims), None, None, None,
        freedom_bar(0.5 * y_bar * y, self, axis, ddof),
    )


@adjoint(np.ndarray.cumsum)
def cumsum(self, axis=None, dtype=None, out=None):
    shape = np.shape(self)
    y = self.cumsum(axis=axis, dtype=dtype)
    has_rounded = dtype is not None and makes_whole(self, dtype)
    return y, lambda y_bar: (None if has_rounded else cumsum_bar(y_bar, shape, axis),)


@adjoint(np.ndarray.cumprod)
def cumprod(self, axis=None, dtype=None, out=None):
    y = self.cumprod(axis=axis, dtype=dtype)
    has_rounded = dtype is not None and makes_whole(self, dtype)
    return y, lambda y_bar: (
        None if has_rounded else cumprod_bar(y_bar * conj(y), y_bar, self, axis),
    )


@adjoint(np.ndarray.trace)
def trace(self, offset=0, axis1=0, axis2=1):
    shape = np.shape(self)
    y = self.trace(offset, axis1, axis2)
    return y, lambda y_bar: (trace_bar(y_bar, shape, offset, axis1, axis2),)


@adjoint(np.ndarray.diagonal)
def diagonal(self, offset=0, axis1=0, axis2=1):
    shape = np.shape(self)
    y = self.diagonal(offset, axis1, axis2)
    return y, lambda y_bar: (diagonal_back(y_bar, shape, offset, axis1, axis2),)


@adjoint(np.ndarray.dot)
def dot(self, b):
    def back(z_bar):
        return dot_left(z_bar, self, b), dot_right(z_bar, self, b)

    return self.dot(b), back


@adjoint(np.ndarray.reshape)
def reshape(self, *shape, order="C"):
    old = np.shape(self)
    y = self.reshape(*shape, order=order)
    return y, lambda y_bar: (reshaped_back(y_bar, old, order), *(None,) * len(shape))


@adjoint(np.ndarray.transpose)
def transpose(self, *axes):
    y = self.transpose(*axes)
    return y, lambda y_bar: (transposed_back(y_bar, axes), *(None,) * len(axes))


def transposed_back(y_bar, axes):
    """Undoes `x.transpose()`, `x.transpose(None)`, `x.transpose((1, 0))`, `x.transpose(1, 0)`."""
    order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return np.transpose(y_bar, inverse_order(order)) if order else np.transpose(y_bar)


@adjoint(np.ndarray.ravel)
def ravel(self, order="C"):
    shape = np.shape(self)
    return self.ravel(order), lambda y_bar: (reshaped_back(y_bar, shape, order),)


@adjoint(np.ndarray.flatten)
def flatten(self, order="C"):
    shape = np.shape(self)
    return self.flatten(order), lambda y_bar: (reshaped_back(y_bar, shape, order),)


@adjoint(np.ndarray.squeeze)
def squeeze(self, axis=None):
    shape = np.shape(self)
    return self.squeeze(axis), lambda y_bar: (np.reshape(y_bar, shape),)


@adjoint(np.ndarray.swapaxes)
def swapaxes(self, axis1, axis2):
    return self.swapaxes(axis1, axis2), lambda y_bar: (np.swapaxes(y_bar, axis1, axis2), None, None)


@adjoint(np.ndarray.repeat)
def repeat(self, repeats, axis=None):
    shape = np.shape(self)
    return self.repeat(repeats, axis), lambda y_bar: (repeat_bar(y_bar, shape, repeats, axis), None)


@adjoint(np.ndarray.take)
def take(self, indices, axis=None, *, mode="raise"):
    shape = np.shape(self)
    y = self.take(indices, axis, mode=mode)
    return y, lambda y_bar: (take_bar(y_bar, shape, indices, axis, mode), None)


@adjoint(np.ndarray.compress)
def compress(self, condition, axis=None):
    shape = np.shape(self)

    def back(y_bar):
        return take_bar(y_bar, shape, np.flatnonzero(condition), axis, "raise"), None

    return self.compress(condition, axis), back


@adjoint(np.ndarray.clip)
def clip(self, min=None, max=None):
    return self.clip(min, max), lambda z_bar: clip_bars(z_bar, self, min, max)


@adjoint(np.ndarray.copy)
def copy(self, order="C"):
    return self.copy(order), lambda y_bar: (y_bar,)


@adjoint(np.ndarray.astype)
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    y = self.astype(dtype, order, casting, subok, copy)
    return y, lambda y_bar: (None if rounds(self, dtype) else unbroadcast(y_bar, self), None)


@adjoint(np.ndarray.conj, np.ndarray.conjugate)
def conjugate(self):
    return self.conj(), lambda y_bar: conj(y_bar)


@adjoint(np.ndarray.item)
def item(self, *position):
    y = self.item(*position)
    return y, lambda y_bar: (item_bar(y_bar, self, position), *(None,) * len(position))


def item_bar(y_bar, like, position):
    """An array that is `y_bar` at the position of `x.item(position)`: flat, or an index."""
    if isinstance(like, np.number):
        return y_bar
    spot = position[0] if len(position) == 1 else position
    if not isinstance(spot, tuple):
        spot = np.unravel_index(spot % like.size, like.shape)
    return one_hot(y_bar, like, spot if spot else (0,) * like.ndim)


@adjoint(np.ndarray.tolist)
def tolist(self):
    y, shape = self.tolist(), np.shape(self)
    return y, lambda y_bar: np.reshape(np.asarray(completed_container(y_bar, y)), shape)


# NumPy's scalars have the attributes and methods of arrays, under descriptors of their own.
for name in vars(np.generic):
    registry.share(getattr(np.ndarray, name, None), getattr(np.generic, name))
