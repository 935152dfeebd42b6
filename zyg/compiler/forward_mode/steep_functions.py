"""Functions whose slopes may be infinite where their values are finite.

A tangent is 0 where its argument doesn't move, and 0 times an infinite slope is NaN: of these
functions, that is looked for (`zyg.arrays.selections.unmoved`).
"""

from __future__ import annotations

import operator

import numpy as np

from ir.core import Call, Const, Op

_STEEP = (
    np.sqrt, np.cbrt, np.power, np.float_power, operator.pow, np.arcsin, np.arccos, np.arccosh,
    np.arctanh,
)


def may_be_steep(callee: object, made: Op | None) -> bool:
    """Whether a function has such slopes; powers of 1 and more have none. `made`: its call."""
    if callee not in _STEEP:
        return False
    if not isinstance(made, Call) or len(made.args) != 2:
        return True
    exponent = made.args[1].value if isinstance(made.args[1], Const) else None
    return not isinstance(exponent, int | float) or exponent < 1
