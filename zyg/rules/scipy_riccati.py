"""Rules of `scipy.linalg`: algebraic Riccati equations.

    solve_continuous_are(a, b, q, r)    a* x + x a - x b r^-1 b* x + q = 0
    solve_discrete_are(a, b, q, r)      a* x a - x - a* x b (r + b* x b)^-1 b* x a + q = 0

Where the equation holds, a change of the gain `k` of the feedback does not change `x` to first
order. So the derivative is that of a Lyapunov equation of the closed loop `a - b k`, and so is its
adjoint. SciPy demands symmetric `q` and `r`; their cotangents are symmetric, too.

Source: T.-C. Kao and G. Hennequin, "Automatic differentiation of Sylvester, Lyapunov, and algebraic
Riccati equations" (2020).
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from zyg.cotangents.cotangent import unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.linalg import adjoint_of
from zyg.rules.registry import adjoint


@adjoint(linalg.solve_continuous_are)
def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True):
    if e is not None or s is not None:
        raise generalised("solve_continuous_are")
    x = linalg.solve_continuous_are(a, b, q, r, balanced=balanced)

    def back(x_bar):
        gain = np.linalg.solve(np.atleast_2d(r), adjoint_of(b) @ x)
        q_bar = linalg.solve_continuous_lyapunov(a - b @ gain, -symmetric_part(x_bar))
        return bars(2 * x @ q_bar, q_bar, gain, a, b, q, r)

    return x, back


@adjoint(linalg.solve_discrete_are)
def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True):
    if e is not None or s is not None:
        raise generalised("solve_discrete_are")
    x = linalg.solve_discrete_are(a, b, q, r, balanced=balanced)

    def back(x_bar):
        gain = np.linalg.solve(r + adjoint_of(b) @ x @ b, adjoint_of(b) @ x @ a)
        closed = a - b @ gain
        q_bar = linalg.solve_discrete_lyapunov(closed, symmetric_part(x_bar))
        return bars(2 * x @ closed @ q_bar, q_bar, gain, a, b, q, r)

    return x, back


def bars(closed_bar, q_bar, gain, a, b, q, r):
    """The cotangents of the operands, by that of the matrix `a - b @ gain` of the closed loop."""
    weighted = q_bar @ adjoint_of(gain)
    return (
        unbroadcast(closed_bar, a),
        unbroadcast(-closed_bar @ adjoint_of(gain), b),
        unbroadcast(q_bar, q),
        unbroadcast(gain @ weighted, r),
    )


def symmetric_part(bar):
    return (bar + adjoint_of(bar)) / 2


def generalised(name):
    return NotDifferentiable(
        f"scipy.linalg.{name} has no rule for `e` and `s`: leave them out, and transform `a`, `b` "
        "and `q`"
    )
