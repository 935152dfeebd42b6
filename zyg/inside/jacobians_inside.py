"""What stands for `jacobian`, `hessian` and `diaghessian` inside of differentiated code.

    zyg.hessian(f, x)      one pullback of the gradient, and its rows by one call of that each

That is code like the user's. Outside, such derivatives go forward where that is cheaper, and use
patterns of zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.api import gradient, pullback
from zyg.blocks import blocks
from zyg.errors import NotDifferentiable
from zyg.flattening import (
    flatten,
    gathered,
    leaves,
    numbers_of,
    spread,
    structure_of,
    unflattened,
    with_leaves,
)
from zyg.rules.registry import constant


def jacobian_inside(f: Any, *xs: Any, sparsity: Any = None) -> Any:
    """All derivatives of what a function returns, in reverse mode row by row."""
    refuse_pattern(sparsity)
    vector, unflatten = numbers_of(xs)
    refuse_complex(vector, "its arguments")
    structure = structure_of(unflatten)
    y, back = pullback(f, *xs)
    value, unflatten_value = numbers_of(y)
    refuse_complex(value, "its result")
    rows = [gathered(structure, back(seed_of(y, unflatten_value, u))) for u in np.eye(len(value))]
    return blocks(np.array(rows), y, xs)


def hessian_inside(f: Any, x: Any, sparsity: Any = None) -> Any:
    """All second derivatives of a function, in reverse mode twice."""
    refuse_pattern(sparsity)
    return blocks(_second_derivatives(f, x), x, (x,))[0]


def diaghessian_inside(f: Any, *xs: Any) -> Any:
    """The second derivatives with respect to each number alone, of a function of one argument."""
    refuse_several(xs)
    x = xs[0]
    structure = structure_of(flatten(x)[1])
    return (spread(structure, np.diagonal(_second_derivatives(f, x))),)


def _second_derivatives(f: Any, x: Any) -> Any:
    """The matrix of the second derivatives."""
    if isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind == "f":
        back = pullback(lambda x: gradient(f, x)[0], x)[1]
        return np.array([back(unit)[0] for unit in np.eye(len(x))])
    vector, unflatten = flatten(x)
    refuse_complex(vector, "its argument")
    structure = structure_of(unflatten)

    def slopes(vector: Any) -> Any:
        return gathered(structure, gradient(f, unflattened(structure, vector))[0])

    back = pullback(slopes, vector)[1]
    return np.array([back(unit)[0] for unit in np.eye(len(vector))])


def refuse_pattern(sparsity: Any) -> None:
    if sparsity is not None:
        raise NotDifferentiable(
            "derivatives with `sparsity` inside of differentiated code; leave it out there"
        )


def refuse_several(xs: Any) -> None:
    if len(xs) != 1:
        raise NotDifferentiable(
            "diaghessian of several arguments inside of differentiated code; call it with one, a "
            "tuple of them if need be"
        )


def refuse_complex(vector: Any, what: str) -> None:
    """Raises where a matrix of derivatives would be one of complex numbers."""
    if vector.dtype.kind == "c":
        raise NotDifferentiable(
            f"the Jacobian of a function is a matrix of real numbers, and {what} are complex: use "
            "zyg.jvp or zyg.vjp, or differentiate real and imaginary parts"
        )


def seed_of(y: Any, unflatten: Any, unit: Any) -> Any:
    """A cotangent like `y` out of a vector of its numbers; None for what holds none."""
    parts = leaves(unflatten(unit))
    return with_leaves(y, lambda leaf: next(parts), lambda part: None)


constant(refuse_pattern, refuse_several, refuse_complex, seed_of)
