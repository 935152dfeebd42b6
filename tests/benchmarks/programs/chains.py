"""Functions whose Hessians and Jacobians are sparse: chains and grids of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def rosenbrock_by_slices(x: Array) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_by_a_loop(x: Array) -> Any:
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def broyden(x: Array) -> Array:
    """The residuals of Broyden's tridiagonal equations."""
    residuals = np.zeros(len(x))
    for i in range(len(x)):
        residuals[i] = (3.0 - 2.0 * x[i]) * x[i] + 1.0
        if i > 0:
            residuals[i] -= x[i - 1]
        if i < len(x) - 1:
            residuals[i] -= 2.0 * x[i + 1]
    return residuals


def bratu(x: Array) -> Array:
    """The residuals of Bratu's problem on a square grid: five neighbours each."""
    side = round(len(x) ** 0.5)
    u = np.zeros((side + 2, side + 2))
    u[1:-1, 1:-1] = x.reshape(side, side)
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    return (4.0 * u[1:-1, 1:-1] - around - np.exp(u[1:-1, 1:-1]) / side**2).ravel()
