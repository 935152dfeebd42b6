"""Rules of the cotangent algebra itself: what second derivatives differentiate.

All of it is linear in the cotangent, so each rule is an adjoint linear map.
"""

from __future__ import annotations

import numpy as np

from zyg.cotangent import (
    accumulate,
    accumulate_at,
    conj,
    filled,
    one_hot,
    project,
    scatter,
    unbroadcast,
    zeros_like,
)
from zyg.rules.registry import adjoint, constant

constant(zeros_like)


@adjoint(accumulate)
def accumulate_(a, b):
    return accumulate(a, b), lambda y_bar: (
        None if a is None else y_bar,
        None if b is None else y_bar,
    )


@adjoint(accumulate_at)
def accumulate_at_(buffer, index, value):
    y = accumulate_at(buffer, index, value)
    return y, lambda y_bar: (y_bar, None, None if value is None else y_bar[index])


@adjoint(one_hot)
def one_hot_(value_bar, like, index):
    def back(y_bar):
        return None if value_bar is None else unbroadcast(y_bar[index], value_bar), None, None

    return one_hot(value_bar, like, index), back


@adjoint(scatter)
def scatter_(value_bar, shape, index):
    def back(y_bar):
        return unbroadcast(y_bar[index], value_bar), None, None

    return scatter(value_bar, shape, index), back


@adjoint(filled)
def filled_(bars, likes):
    def back(y_bar):
        return only_given(y_bar, bars), None

    return filled(bars, likes), back


def only_given(y_bar, bars):
    """Structural zeros stay structural zeros."""
    if bars is None:
        return None
    return [None if bar is None else y for y, bar in zip(y_bar, bars, strict=True)]


@adjoint(conj)
def conj_(x):
    return conj(x), lambda y_bar: conj(y_bar)


@adjoint(unbroadcast)
def unbroadcast_(bar, like):
    return unbroadcast(bar, like), lambda y_bar: (broadcast_again(y_bar, bar), None)


def broadcast_again(y_bar, bar):
    """Undoes a sum to a smaller shape; or sums, where a uniform cotangent was spread instead."""
    if bar is None:
        return None
    full = np.broadcast_shapes(np.shape(bar), np.shape(y_bar))
    return unbroadcast(np.broadcast_to(y_bar, full), bar)


@adjoint(project)
def project_(bar, x):
    return project(bar, x), lambda y_bar: (None if bar is None else y_bar, None)
