"""Substitutes of functions of `numpy.polynomial.polynomial` that change arrays in place.

    polyder(c)          c[1:] * [1, 2, ...]
    polyint(c)          0, then c / [1, 2, ...]
    polyfromroots(r)    1, then times x - r for each root
"""

from __future__ import annotations

import operator

import numpy as np
from numpy.polynomial import polynomial

from zyg.rules.registry import substitute


@substitute(polynomial.polyder)
def polyder(c, m=1, scl=1, axis=0):
    order = operator.index(m)
    if order < 0:
        raise ValueError("The order of derivation must be non-negative")
    c = first_along(c, axis)
    if order >= len(c):
        c = c[:1] * 0
    else:
        for _ in range(order):
            c = c[1:] * powers_of(c[1:]) * scl
    return np.moveaxis(c, 0, axis)


@substitute(polynomial.polyint)
def polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    order = operator.index(m)
    constants = [*np.atleast_1d(k)] if np.ndim(k) == 0 else [*k]
    if order < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(constants) > order:
        raise ValueError("Too many integration constants")
    if np.ndim(lbnd) != 0 or np.ndim(scl) != 0:
        raise ValueError(f"{'lbnd' if np.ndim(lbnd) != 0 else 'scl'} must be a scalar.")
    c = first_along(c, axis)
    for i in range(order):
        c = c * scl
        constant = constants[i] if i < len(constants) else 0.0
        if len(c) == 1 and np.all(c[0] == 0):
            c = c + constant
        else:
            c = np.concatenate([c[:1] * 0, c / powers_of(c)])
            powers = np.vander(np.array([lbnd]), len(c), increasing=True)[0]
            first = c[:1] + (constant - np.tensordot(powers, c, 1))
            c = np.concatenate([first, c[1:]])
    return np.moveaxis(c, 0, axis)


def first_along(c, axis):
    """Coefficients as inexact numbers, along the first axis."""
    c = np.array(c, ndmin=1)
    return np.moveaxis(c if np.result_type(c).kind in "fc" else c + 0.0, axis, 0)


def powers_of(c):
    return np.reshape(np.arange(1, len(c) + 1), (-1, *[1 for _ in range(np.ndim(c) - 1)]))


@substitute(polynomial.polyfromroots)
def polyfromroots(roots):
    """From the smallest root on; NumPy multiplies pairs of factors, which rounds otherwise."""
    y = np.ones(1)
    for root in np.sort(np.ravel(np.asarray(roots) + 0.0)):
        y = np.concatenate([[0.0], y]) - np.concatenate([y, [0.0]]) * root
    return y
