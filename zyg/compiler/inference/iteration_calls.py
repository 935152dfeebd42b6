"""Calls that iterate over the elements of arrays, as iterators whose items inference can follow.

    np.ndenumerate(a)     ->      zip(indices(a), np.ravel(a))

The elements are read in the loop, so that a body which changes what is ahead is seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir.core import Const, Location, Operand
from ir.inference.typed_calls import TypedCalls


def expanded_ndenumerate(
    specialiser: Any, inference: TypedCalls, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None,
) -> Operand | None:
    """The items of `np.ndenumerate(arr)`; None for what is no such call."""
    if len(args) != 1 or kwargs:
        return None

    from zyg.rules.array_iteration import indices  # few programs need it

    def call(function: Any, *operands: Operand) -> Operand:
        (result,) = inference.typed_call(Const(function), list(operands), {}, ["t"], loc)
        return result

    return call(zip, call(indices, args[0]), call(np.ravel, args[0]))
