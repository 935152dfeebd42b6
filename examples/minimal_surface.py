"""Newton's method by products with the Hessian and conjugate gradients: a soap film.

The film takes the least area that its frame allows. Its height on a grid of 41 x 41 points is found
from the area alone: `zyg.grad` and `zyg.hvp` differentiate it, and no matrix of 1521 x 1521 numbers
is made. The frame is that of Scherk's surface, the height log(cos(x) / cos(y)), one of the few
minimal surfaces that have a formula. Run it with `python -m examples.minimal_surface`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import zyg

SIZE = 41
SPACING = 2.0 / (SIZE - 1)


def scherk() -> np.ndarray:
    """Scherk's surface over the square from -1 to 1."""
    x = np.linspace(-1.0, 1.0, SIZE)
    return np.log(np.cos(x)[:, None] / np.cos(x)[None, :])


def area(inside, frame):
    """The area of the film: each square of the grid is two triangles."""
    height = frame.copy()
    height[1:-1, 1:-1] = inside
    across = np.diff(height, axis=1) / SPACING
    along = np.diff(height, axis=0) / SPACING
    lower = np.sqrt(1.0 + across[:-1] ** 2 + along[:, :-1] ** 2)
    upper = np.sqrt(1.0 + across[1:] ** 2 + along[:, 1:] ** 2)
    return 0.5 * SPACING**2 * np.sum(lower + upper)


def solve(product: Callable, right: np.ndarray, tolerance: float) -> np.ndarray:
    """The solution of `product(x) = right` for a positive definite matrix: Hestenes and Stiefel."""
    x = np.zeros_like(right)
    residual = direction = right
    squared = np.sum(residual * residual)
    while np.sqrt(squared) > tolerance:
        image = product(direction)
        length = squared / np.sum(direction * image)
        x = x + length * direction
        residual = residual - length * image
        squared, before = np.sum(residual * residual), squared
        direction = residual + (squared / before) * direction
    return x


def minimise(f: Callable, x: np.ndarray, tolerance=1e-10) -> tuple[np.ndarray, list[float]]:
    """Newton's method for a convex function; also the lengths of the gradients on the way."""
    value_and_gradient = zyg.value_and_grad(f)
    value, gradient = value_and_gradient(x)
    lengths = [float(np.linalg.norm(gradient))]
    while lengths[-1] > tolerance:

        def product(v: np.ndarray, x: np.ndarray = x) -> np.ndarray:
            return zyg.hvp(f, x, v)

        # Far from the minimum the equation need not be solved well (Dembo and Steihaug, 1983).
        step = solve(product, -gradient, lengths[-1] * min(0.1, lengths[-1]))
        scale, slope = 1.0, np.sum(step * gradient)
        while f(x + scale * step) > value + 1e-4 * scale * slope + 1e-14:
            scale /= 2.0
        x = x + scale * step
        value, gradient = value_and_gradient(x)
        lengths.append(float(np.linalg.norm(gradient)))
    return x, lengths


def main() -> tuple[np.ndarray, list[float]]:
    frame = scherk()
    flat = np.zeros((SIZE - 2, SIZE - 2))
    film, lengths = minimise(lambda inside: area(inside, frame), flat)
    for i, length in enumerate(lengths):
        print(f"step {i}   gradient {length:.1e}")
    print(f"area {area(film, frame):.6f}, of Scherk's surface {area(frame[1:-1, 1:-1], frame):.6f}")
    print(f"largest difference of the heights {np.max(np.abs(film - frame[1:-1, 1:-1])):.1e}")
    return film, lengths


if __name__ == "__main__":
    main()
