"""Orders and other parameters of `scipy.special` in which a function has no known derivative."""

from __future__ import annotations

import numpy as np

from ir import facts
from ir.types import TOP
from zyg.cotangents.no_cotangent import NoCotangent, refuse_later
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant


def without_formula(value, parameter, function):
    """The cotangent of a parameter that varies, in which the function has no known derivative."""
    if not is_whole(value):
        raise NotDifferentiable(no_derivative(parameter, function))


def is_whole(value):
    return np.asarray(value).dtype.kind in "iu"


def no_derivative(parameter, function):
    return (
        f"scipy.special.{function} has no derivative in `{parameter}`: keep it constant, or use "
        "zyg.dropgrad"
    )


def unknown_if_asked(value, parameter, function):
    """The same in an adjoint, where a constant may be part of what varies."""
    return None if is_whole(value) else NoCotangent(no_derivative(parameter, function))


refuse_later(without_formula, unknown_if_asked)
# Where nobody asks for the cotangent, the call goes; where somebody does, it may be anything.
facts.total(without_formula, unknown_if_asked)
facts.result(without_formula, unknown_if_asked)(lambda args, kwargs: TOP)
constant(without_formula, unknown_if_asked)
