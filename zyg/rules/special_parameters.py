"""Orders and other parameters of `scipy.special` in which a function has no known derivative."""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant


def without_formula(value, parameter, function):
    """The cotangent of a parameter that varies, in which the function has no known derivative."""
    if np.asarray(value).dtype.kind in "iu":
        return
    raise NotDifferentiable(
        f"scipy.special.{function} has no derivative in `{parameter}`: keep it constant, or use "
        "zyg.dropgrad"
    )


# Where nobody asks for the cotangent, the call goes; where somebody does, it may be anything.
facts.total(without_formula)
facts.result(without_formula)(lambda args, kwargs: TOP)
constant(without_formula)
