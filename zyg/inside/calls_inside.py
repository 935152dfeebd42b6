"""What stands for calls of `zyg.pullback` and `zyg.hvp` inside of differentiated code.

    y, back = zyg.pullback(f, x)        y, back = pullback_call(f, x)
    back(1.0)                           one gradient for each argument, of its kind

That is code like the user's: it is differentiated in the place of the API, to any depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.api import gradient, pullback
from zyg.compiler.reverse.returned import real_scalar
from zyg.compiler.run_time.dynamic import pullback_call
from zyg.cotangents.cotangent import inexact, project
from zyg.rules.registry import constant, substitute


@substitute(pullback)
def pullback_inside(f: Any, *args: Any) -> Any:
    y, back = pullback_call(f, *args)

    def gradients(seed: Any) -> Any:
        check_seed(seed, y)
        bars = back(inexact(seed))
        return tuple([project(bars[1 + i], x) for i, x in enumerate(args)])

    return y, gradients


def gradient_inside(f: Any, *args: Any) -> Any:
    return withgradient_inside(f, *args)[1]


def withgradient_inside(f: Any, *args: Any) -> Any:
    """The value of a function that is found at run time, and its gradients."""
    y, back = pullback_call(f, *args)
    bars = back(unit_of(y))
    return y, tuple([project(bars[1 + i], x) for i, x in enumerate(args)])


def unit_of(y: Any) -> float:
    """The seed of a loss, which has to be a real number."""
    real_scalar(y)
    return 1.0


def hvp_inside(f: Any, x: Any, v: Any) -> Any:
    """The Hessian times a vector, in reverse mode twice."""

    def gradient_of(x: Any) -> Any:
        return gradient(f, x)[0]

    return pullback(gradient_of, x)[1](v)[0]


def check_seed(seed: Any, y: Any) -> None:
    """Raises ValueError for a seed that has not the shape of the result."""
    if isinstance(y, list | tuple):
        for part, item in zip(seed, y, strict=True):
            check_seed(part, item)
    elif isinstance(y, dict):
        for key, item in y.items():
            check_seed(seed.get(key), item)
    elif seed is not None and np.shape(seed) != np.shape(y):
        raise ValueError(
            f"the result has the shape {np.shape(y)}, but the seed has {np.shape(seed)}"
        )


constant(check_seed, unit_of)
