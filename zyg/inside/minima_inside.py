"""What stands for calls of `minimize` in programs with derivatives of derivatives.

A minimum is a root of the gradient there:

    y = optimize.minimize(f, x0).x        y = root(lambda x: gradient(f, x)[0], x0).x
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from zyg.api import gradient
from zyg.errors import NotDifferentiable
from zyg.inside.solvers_inside import (
    all_stepped,
    as_tuple,
    entry,
    found_result,
    number_of,
    numbers_of,
    stands_for,
    stepped,
    without_derivative,
)


class Minimum(NamedTuple):
    """What `minimize` returns in such a program."""

    x: Any
    fun: Any
    success: bool
    status: int
    message: str
    nfev: int

    @property
    def jac(self) -> Any:
        raise without_derivative("jac")

    @property
    def hess_inv(self) -> Any:
        raise without_derivative("hess_inv")


@stands_for(optimize.minimize)
def minimize(
    fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, *,
    bounds: Any = None, constraints: Any = (), **options: Any,
) -> Minimum:
    """The gradient is that of `fun` where none is given."""
    if bounds is not None or constraints:
        raise NotDifferentiable(
            "scipy.optimize.minimize has no second derivatives with bounds and constraints: "
            "substitute variables"
        )
    rest = as_tuple(args)
    found = found_result(optimize.minimize, fun, x0, args, method, jac, **options)

    def slopes(x: Any, *rest: Any) -> Any:
        return _slopes(fun, x, *rest)

    def second(x: Any, *rest: Any) -> Any:
        return fun(x, *rest)[1]

    if jac is True:
        x = all_stepped(second, numbers_of(found), rest)
        least = float(np.sum(fun(x, *rest)[0]))
    else:
        x = all_stepped(jac if callable(jac) else slopes, numbers_of(found), rest)
        least = float(np.sum(fun(x, *rest)))
    return Minimum(
        x, least, True, entry(found, "status"), entry(found, "message"), entry(found, "nfev")
    )


class Least(NamedTuple):
    """What `minimize_scalar` returns in such a program."""

    x: Any
    fun: Any
    success: bool
    message: str
    nfev: int
    nit: int


@stands_for(optimize.minimize_scalar)
def minimize_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    **options: Any,
) -> Least:
    """Of a minimum between the bounds: one at a bound is no root of the slope."""
    rest = as_tuple(args)
    found = found_result(optimize.minimize_scalar, fun, bracket, bounds, args, method, **options)

    def slope(x: Any, *rest: Any) -> Any:
        return _slopes(fun, x, *rest)

    x = stepped(slope, number_of(found), rest)
    return Least(
        x, float(np.sum(fun(x, *rest))), True, entry(found, "message"), entry(found, "nfev"),
        entry(found, "nit"),
    )


def _slopes(fun: Any, x: Any, *rest: Any) -> Any:
    def value(x: Any) -> Any:
        return float(np.sum(fun(x, *rest)))

    return gradient(value, x)[0]
