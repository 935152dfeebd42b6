"""`np.emath`: functions whose results are complex where those of real numbers aren't defined.

    np.emath.sqrt(x)   ->  np.sqrt(x + 0j) if any x < 0, else np.sqrt(x)
"""

from __future__ import annotations

import numpy as np

from zyg.rules.registry import substitute


def complex_below(x, low, high=np.inf):
    """As complex numbers, if a real number is outside of an interval."""
    x = np.asarray(x)
    is_out = np.isrealobj(x) and bool(np.any((x < low) | (x > high)))
    return x + 0j if is_out else x


@substitute(np.emath.sqrt)
def sqrt(x):
    return np.sqrt(complex_below(x, 0))


@substitute(np.emath.log)
def log(x):
    return np.log(complex_below(x, 0))


@substitute(np.emath.log10)
def log10(x):
    return np.log10(complex_below(x, 0))


@substitute(np.emath.log2)
def log2(x):
    return np.log2(complex_below(x, 0))


@substitute(np.emath.logn)
def logn(n, x):
    return np.log(complex_below(x, 0)) / np.log(complex_below(n, 0))


@substitute(np.emath.arcsin)
def arcsin(x):
    return np.arcsin(complex_below(x, -1, 1))


@substitute(np.emath.arccos)
def arccos(x):
    return np.arccos(complex_below(x, -1, 1))


@substitute(np.emath.arctanh)
def arctanh(x):
    return np.arctanh(complex_below(x, -1, 1))


@substitute(np.emath.power)
def power(x, p):
    exponent = np.asarray(p)
    is_whole = exponent.dtype.kind in "iu" and bool(np.any(exponent < 0))
    return np.power(complex_below(x, 0), exponent * 1.0 if is_whole else exponent)
