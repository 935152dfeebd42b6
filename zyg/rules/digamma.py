"""The digamma function in plain Python, since neither `math` nor NumPy has it."""

from __future__ import annotations

import math

__all__ = ["digamma"]


def digamma(x: float) -> float:
    """The derivative of `math.lgamma`, to about 1e-15 for positive `x`; NaN at the poles.

    Reflection (Abramowitz and Stegun 6.3.7) for negative `x`, the recurrence 6.3.5 up to 10, and
    there the asymptotic series 6.3.18.

    >>> digamma(1.0)
    -0.5772156649015...
    """
    if x <= 0:
        if x == math.floor(x):
            return math.nan
        # The tangent has period 1; taking the remainder first keeps it exact for large -x.
        return digamma(1 - x) - math.pi / math.tan(math.pi * math.remainder(x, 1.0))
    shift = 0.0
    while x < 10:
        shift = shift - 1 / x
        x = x + 1
    if math.isinf(x):
        return x
    t = 1 / (x * x)
    series = t * (
        1 / 12
        - t
        * (
            1 / 120
            - t * (1 / 252 - t * (1 / 240 - t * (1 / 132 - t * (691 / 32760 - t * (1 / 12)))))
        )
    )
    return shift + math.log(x) - 0.5 / x - series
