"""The rule of `np.pad`, in all of its modes.

NumPy pads one axis after the other, and computes what stands around the items from what is there by
then. The cotangent is taken back in the reverse order: what was put around the items of an axis is
cut off, and its cotangent given to the items that it was computed from.
"""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import unbroadcast
from zyg.cotangents.cotangent_items import scatter
from zyg.errors import NotDifferentiable
from zyg.rules.creation import rounds
from zyg.rules.order_statistics import quantile_bar
from zyg.rules.reductions import extremum_bar
from zyg.rules.registry import adjoint

# Modes that repeat items: they do the same to the positions of the items.
REPEATING = ("edge", "reflect", "symmetric", "wrap")


@adjoint(np.pad)
def pad(
    array, pad_width, mode="constant", constant_values=0, *, end_values=0, stat_length=None,
    reflect_type="even",
):
    shape = np.shape(array)
    # NumPy takes the options of the mode alone.
    y = (
        np.pad(array, pad_width, mode, constant_values=constant_values) if mode == "constant"
        else np.pad(array, pad_width, mode, end_values=end_values) if mode == "linear_ramp"
        else np.pad(array, pad_width, mode, reflect_type=reflect_type)
        if mode in ("reflect", "symmetric")
        else np.pad(array, pad_width, mode) if mode in ("edge", "wrap", "empty")
        else np.pad(array, pad_width, mode, stat_length=stat_length)
    )

    def back(y_bar):
        return (
            inner_bar(y_bar, y, shape, pad_width, mode, stat_length, reflect_type),
            None,
            None,
            None if mode != "constant" or rounds(constant_values, y.dtype)
            else margin_bar(y_bar, shape, pad_width, constant_values),
        )

    return y, back


def inner_bar(y_bar, y, shape, pad_width, mode, stat_length, reflect_type):
    """The cotangent of the items, to which that of what was computed from them is added."""
    if mode == "constant" or mode == "empty":
        return y_bar[inner_part(shape, pad_width)]
    widths = widths_of(pad_width, len(shape))
    lengths = np.broadcast_to(np.asarray(stat_length, dtype=object), (len(shape), 2))
    for axis in reversed(range(len(shape))):
        before, after = widths[axis]
        y_bar = np.moveaxis(y_bar, axis, 0)
        if mode in REPEATING and reflect_type == "even":
            places = np.pad(np.arange(shape[axis]), (before, after), mode)
            y_bar = repeated_bar(y_bar, places, before, shape[axis])
        elif mode in REPEATING:
            y_bar = np.tensordot(mirror(shape[axis], before, after, mode), y_bar, (0, 0))
        else:
            inner = slice(before, before + shape[axis])
            y = np.moveaxis(y, axis, 0)[inner]
            head, tail = y_bar[:before], y_bar[before + shape[axis] :]
            left = edge_bar(head, y, lengths[axis][0], mode)
            right = edge_bar(tail[::-1], y[::-1], lengths[axis][1], mode)[::-1]
            y_bar = y_bar[inner] + left + right
            y = np.moveaxis(y, 0, axis)
        y_bar = np.moveaxis(y_bar, 0, axis)
    return y_bar


def repeated_bar(bar, places, before, length):
    """The cotangent of the items on a line, whose places stand again before and behind them."""
    behind = before + length
    around = np.concatenate([bar[:before], bar[behind:]])
    again = np.concatenate([places[:before], places[behind:]])
    inner = bar[before:behind]
    return inner + scatter(around, np.shape(inner), again) if len(again) > 0 else inner


def mirror(length, before, after, mode):
    """The matrix of an odd continuation of a line."""
    return np.pad(np.eye(length), ((before, after), (0, 0)), mode, reflect_type="odd")


def edge_bar(bar, items, length, mode):
    """The cotangent of the items behind an edge, `bar` being that of what stands before it."""
    count = len(items) if length is None else min(int(length), len(items))
    if mode == "linear_ramp":
        shares = (np.arange(len(bar)) / max(len(bar), 1)).astype(bar.dtype)
        own = np.expand_dims(np.tensordot(shares, bar, (0, 0)), 0)
        count = 1
    elif mode == "mean":
        share = (np.sum(bar, axis=0) / count).astype(bar.dtype)
        own = np.broadcast_to(share, (count, *np.shape(items)[1:]))
    elif mode == "median":
        part = items[:count]
        own = quantile_bar(np.sum(bar, axis=0), part, 0.5, 0, "linear", False).astype(bar.dtype)
    elif mode == "maximum":
        part = items[:count]
        own = extremum_bar(np.sum(bar, axis=0), np.max(part, axis=0), part, 0, False)
    elif mode == "minimum":
        part = items[:count]
        own = extremum_bar(np.sum(bar, axis=0), np.min(part, axis=0), part, 0, False)
    else:
        raise NotDifferentiable(f"np.pad has no rule for mode={mode!r}")
    return np.concatenate([own, np.zeros_like(items[count:])])


def margin_bar(y_bar, shape, pad_width, constant_values):
    """The cotangent of what fills the margin: one number, or one for each side of each axis."""
    if np.ndim(constant_values) == 0:
        total = np.sum(y_bar) - np.sum(y_bar[inner_part(shape, pad_width)])
        return unbroadcast(total, constant_values)
    widths = widths_of(pad_width, len(shape))
    found = []
    for axis in reversed(range(len(shape))):
        before = widths[axis][0]
        moved = np.moveaxis(y_bar, axis, 0)
        sides = np.stack((np.sum(moved[:before]), np.sum(moved[before + shape[axis] :])))
        found = [sides, *found]
        y_bar = np.moveaxis(moved[before : before + shape[axis]], 0, axis)
    return unbroadcast(np.stack(found), np.asarray(constant_values))


def inner_part(shape, pad_width):
    """The index that undoes a padding."""
    widths = widths_of(pad_width, len(shape))
    return tuple([slice(w[0], w[0] + n) for w, n in zip(widths, shape, strict=True)])


def widths_of(pad_width, ndim):
    """The widths before and behind the items of each axis."""
    if isinstance(pad_width, dict):
        given = [pad_width.get(i, pad_width.get(i - ndim, 0)) for i in range(ndim)]
        return [tuple(np.broadcast_to(width, 2).tolist()) for width in given]
    return np.broadcast_to(pad_width, (ndim, 2)).tolist()
