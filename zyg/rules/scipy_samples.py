"""`scipy.integrate` of samples, written out: their code is differentiated.

    integrate.simpson(y, x=x)              parabolas through three points each
    integrate.cumulative_trapezoid(y, x)   np.cumsum(widths * means)

Source: `scipy/integrate/_quadrature.py`; of an even number of points the last interval is
integrated as in K. Cartwright, "Simpson's Rule Cumulative Integration with MS Excel and
Irregularly-spaced Data" (2017), equation 8.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

from zyg.errors import NotDifferentiable
from zyg.facts.scipy_facts import of_samples
from zyg.rules.reductions import TRAPEZOID
from zyg.rules.registry import constant, substitute

of_samples(integrate)


@substitute(integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return TRAPEZOID(y, x, dx, axis)


def with_last_axis(y, x, dx, axis):
    """The samples along the last axis, and the widths between them, which broadcast to them."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    if x is None:
        return y, dx * np.ones(np.shape(y)[-1] - 1)
    x = np.asarray(x)
    if np.ndim(x) > 1:
        x = np.moveaxis(x, axis, -1)
    return y, np.diff(x)


@substitute(integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    y, widths = with_last_axis(y, x, dx, axis)
    found = np.cumsum(0.5 * widths * (y[..., 1:] + y[..., :-1]), -1)
    if initial is not None:
        found = np.concatenate([0 * y[..., :1] + initial, found], -1)
    return np.moveaxis(found, -1, axis)


@substitute(integrate.simpson)
def simpson(y, x=None, dx=1.0, axis=-1):
    y, widths = with_last_axis(y, x, dx, axis)
    count = np.shape(y)[-1]
    if count < 2:
        raise NotDifferentiable("scipy.integrate.simpson has a rule for two or more samples only")
    if count == 2:
        return 0.5 * widths[..., 0] * (y[..., 0] + y[..., 1])
    if count % 2:
        return of_parabolas(y, widths)
    before, last = widths[..., -2], widths[..., -1]
    end = (2 * last**2 + 3 * before * last) / (6 * (before + last)) * y[..., -1]
    middle = (last**2 + 3 * before * last) / (6 * before) * y[..., -2]
    start = last**3 / (6 * before * (before + last)) * y[..., -3]
    return of_parabolas(y[..., :-1], widths[..., :-1]) + end + middle - start


def of_parabolas(y, widths):
    left, right = widths[..., ::2], widths[..., 1::2]
    both = left + right
    return np.sum(
        both / 6 * (
            y[..., :-2:2] * (2 - right / left)
            + y[..., 1::2] * (both * both / (left * right))
            + y[..., 2::2] * (2 - left / right)
        ),
        -1,
    )


@substitute(integrate.fixed_quad)
def fixed_quad(func, a, b, args=(), n=5):
    places, weights = np.polynomial.legendre.leggauss(n)
    half = 0.5 * (b - a)
    return half * np.sum(weights * func(half * (places + 1) + a, *args), axis=-1), None


constant(np.polynomial.legendre.leggauss)
