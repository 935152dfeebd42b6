"""Systems of linear equations that come from other equations, linearised where these are solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable

# How far from a root the next step of Newton's method may lead, beside the size of the root.
FAR = 0.02
NO_ROOT = (
    "what a solver has found doesn't solve the equation that gives its derivative: a minimum may "
    "be at a kink or bound, or the solver's tolerance too large"
)


def solved(matrix: Any, right: Any) -> Any:
    """The solution of a system; refused where there is none, or more than one."""
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        raise NotDifferentiable(
            "the derivative of an equation is singular at its root, which has no derivative then"
        ) from None


def unless_far(jacobian: Any, value: Any, x: Any) -> None:
    """Raises where an equation isn't solved: at a kink, or by a solver that has stopped early."""
    step = solved(jacobian, value)
    if np.any(np.abs(step) > FAR * (1 + np.abs(x))):
        raise NotDifferentiable(NO_ROOT)
