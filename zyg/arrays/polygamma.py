"""Derivatives of the digamma function of complex numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Bernoulli's numbers of even order.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def complex_polygamma(n: int, z: Any) -> Any:
    """The `n`-th derivative of `psi`, which SciPy has of real numbers only.

    Reflection (DLMF 5.15.6) on the left, the recurrence 5.15.5 up to a real part of 20, and there
    the asymptotic series 5.15.8, differentiated.
    """
    z = np.asarray(z)
    is_left = z.real < 0
    at, total = np.where(is_left, 1 - z, z), np.zeros_like(z)
    for _ in range(20):
        is_small = at.real < 20
        total = total + np.where(is_small, math.factorial(n) * at ** -(n + 1.0), 0)
        at = np.where(is_small, at + 1, at)
    total = total + math.factorial(n - 1) * at**-n + 0.5 * math.factorial(n) * at ** -(n + 1.0)
    for k, bernoulli in enumerate(BERNOULLI, start=1):
        ratio = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        total = total + bernoulli * ratio * at ** -(2.0 * k + n)
    slopes = np.polynomial.Polynomial([0, 1])  # in the cotangent, whose own is -(1 + cot**2)
    for _ in range(n):
        slopes = np.polynomial.Polynomial([-1, 0, -1]) * slopes.deriv()
    reflected = np.pi ** (n + 1) * slopes(1 / np.tan(np.pi * np.where(is_left, z, 0.5)))
    return np.where(is_left, -total - reflected, total if n % 2 else -total)[()]
