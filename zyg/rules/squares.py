"""Rules of squares of sizes: their derivatives go past the kink that the size has at 0.

    y = abs(x) ** 2      x_bar = 2 x y_bar, and not 2 abs(x) sign(x) y_bar, whose derivative at 0
                         is 0
"""

from __future__ import annotations

import numpy as np

from zyg.arrays.squares import square_of_absolute, square_of_hypot, square_of_norm
from zyg.cotangents.cotangent import unbroadcast
from zyg.rules.norms import norm_bar
from zyg.rules.registry import adjoint
from zyg.rules.sums import restored


@adjoint(square_of_absolute)
def square_of_absolute_rule(square, size, other, x):
    y = square(size) if other is None else square(size, other)
    return y, lambda y_bar: (None, None, None, y_bar * (2 * x))


@adjoint(square_of_hypot)
def square_of_hypot_rule(square, size, other, *parts):
    y = square(size) if other is None else square(size, other)

    def back(y_bar):
        return (None, None, None, *[unbroadcast(y_bar * (2 * x), x) for x in parts])

    return y, back


@adjoint(square_of_norm)
def square_of_norm_rule(square, size, other, x, ord=None, axis=None, keepdims=False):
    y = square(size) if other is None else square(size, other)

    def back(y_bar):
        return None, None, None, square_of_norm_bar(2 * y_bar, size, x, ord, axis, keepdims)

    return y, back


def square_of_norm_bar(y_bar, size, x, ord, axis, keepdims):
    """The cotangent of `x`; `y_bar` is that of half the square."""
    shape = np.shape(x)
    if axis is None and (ord is None or ord == "fro" or (ord == 2 and len(shape) == 1)):
        return np.multiply(x, y_bar)  # of a list, too
    is_of_rows = isinstance(axis, int) and (ord is None or ord == 2)
    if is_of_rows or (isinstance(axis, tuple) and (ord is None or ord == "fro")):
        axes = tuple([i % len(shape) for i in (axis if isinstance(axis, tuple) else (axis,))])
        return x * restored(y_bar, shape, axes, keepdims)
    return norm_bar(y_bar * size, size, x, ord, axis, keepdims)
