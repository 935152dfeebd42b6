"""Substitutes of NumPy's functions of polynomials: lists of coefficients, the highest first."""

from __future__ import annotations

import numpy as np

from ir import facts
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.facts.numpy_example import shaped_by
from zyg.rules.registry import adjoint, constant, substitute


@substitute(np.polyval)
def polyval(p, x):
    """Horner's scheme, as NumPy does it; of rows of coefficients, too."""
    p = np.asarray(p)
    if np.ndim(p) == 1:
        return evaluated(p, x)
    y = np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


PLAIN_POLYVAL = np.polyval


def evaluated(p, x):
    """A polynomial at each `x`."""
    return PLAIN_POLYVAL(p, x)


def dims_of_places(p, x):
    return x


facts.result(evaluated)(shaped_by(PLAIN_POLYVAL, dims_of_places, 2))
facts.fresh(evaluated)


@adjoint(evaluated)
def evaluated_(p, x):
    def back(y_bar):
        return (
            unbroadcast(coefficients_bar(y_bar, np.size(p), x), p),
            unbroadcast(y_bar * conj(evaluated(np.arange(np.size(p) - 1, 0, -1) * p[:-1], x)), x),
        )

    return evaluated(p, x), back


def coefficients_bar(y_bar, count, x):
    """For each coefficient the sum of the cotangents times its power of `x`."""
    bars, bar = [], y_bar
    for _ in range(count):
        bars = [np.sum(bar), *bars]
        bar = bar * conj(x)
    return np.stack(bars) if bars else np.zeros(0)


@substitute(np.polyadd)
def polyadd(a1, a2):
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    length = max(len(a1), len(a2))
    return np.pad(a1, (length - len(a1), 0)) + np.pad(a2, (length - len(a2), 0))


@substitute(np.polysub)
def polysub(a1, a2):
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    length = max(len(a1), len(a2))
    return np.pad(a1, (length - len(a1), 0)) - np.pad(a2, (length - len(a2), 0))


@substitute(np.polymul)
def polymul(a1, a2):
    return np.convolve(np.atleast_1d(a1), np.atleast_1d(a2))


@substitute(np.polyder)
def polyder(p, m=1):
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@substitute(np.polyint)
def polyint(p, m=1, k=None):
    constants = [0.0] * m if k is None else [*np.atleast_1d(k)]
    if len(constants) == 1:
        constants = constants * m
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = np.asarray(p)
    for i in range(m):
        whole = p / np.arange(len(p), 0, -1)
        p = np.concatenate([whole, np.reshape(constants[i], (1,))])
    return p


@substitute(np.polydiv)
def polydiv(u, v):
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    factors, rest = [], u
    for k in range(len(u) - len(v) + 1):
        factors = [*factors, rest[k] / v[0]]
        rest = rest - np.pad(factors[k] * v, (k, len(u) - len(v) - k))
    quotient = np.stack(factors) if len(factors) > 0 else np.zeros(1)
    # Its length says nothing of its size: terms that are 0 are cut, as NumPy does.
    start = 0
    while start < len(rest) - 1 and abs(rest[start]) <= 1e-8:
        start = start + 1
    return quotient, rest[start:]


@substitute(np.poly)
def poly(seq_of_zeros):
    roots = np.atleast_1d(seq_of_zeros)
    if np.ndim(roots) == 2:
        roots = np.linalg.eigvals(roots)
    p = np.ones(1, np.asarray(roots).dtype)
    for root in roots:
        p = np.convolve(p, np.stack([np.ones_like(root), -root]))
    if p.dtype.kind == "c" and are_pairs(roots):
        return np.real(p)
    return p


def are_pairs(roots):
    """Whether each root has its conjugate among the roots, so that the polynomial is real."""
    return np.all(np.sort(roots) == np.sort(np.conj(roots)))


@substitute(np.roots)
def roots(p):
    p = np.atleast_1d(p)
    if np.ndim(p) != 1:
        raise ValueError("Input must be a rank-1 array.")
    used = np.flatnonzero(p)
    if len(used) == 0:
        return np.array([])
    zeros = len(p) - int(used[-1]) - 1
    p = p[int(used[0]) : int(used[-1]) + 1]
    if len(p) == 1:
        return np.zeros(zeros)
    below = np.eye(len(p) - 2, len(p) - 1)
    found = np.linalg.eigvals(np.concatenate([np.expand_dims(-p[1:] / p[0], 0), below]))
    if np.iscomplexobj(found) and not np.iscomplexobj(p) and np.all(np.imag(found) == 0):
        found = np.real(found)  # from NumPy 2.5 on, eigenvalues are complex
    return np.concatenate([found, np.zeros(zeros, found.dtype)]) if zeros else found


@substitute(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    powers = np.vander(x, deg + 1)
    if w is not None:
        powers = powers * np.expand_dims(w, 1)
        y = y * (np.expand_dims(w, 1) if np.ndim(y) == 2 else w)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    rcond = len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    scaled = powers / scale
    coefficients, residuals, rank, singular = np.linalg.lstsq(scaled, y, rcond)
    coefficients = coefficients / (np.expand_dims(scale, 1) if np.ndim(y) == 2 else scale)
    if full:
        return coefficients, residuals, rank, singular, rcond
    if not cov:
        return coefficients
    covariance = np.linalg.inv(scaled.T @ scaled) / np.outer(scale, scale)
    if cov != "unscaled":
        if len(x) <= deg + 1:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        factor = residuals / (len(x) - deg - 1)
        columns = covariance if np.ndim(y) == 1 else np.expand_dims(covariance, 2)
        covariance = columns * factor
    elif np.ndim(y) == 2:
        covariance = np.expand_dims(covariance, 2)
    return coefficients, covariance


if hasattr(np.lib, "array_utils"):  # of NumPy 2
    constant(np.lib.array_utils.normalize_axis_index)
