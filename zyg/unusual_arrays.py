"""Arrays whose items are no numbers, and arrays with other meanings of their operators.

Derivatives don't go through these, and their zero cotangents would hide that: what is
differentiated must not be put into them.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable


def refuse_unusual(x: np.ndarray[Any, Any]) -> None:
    """Raises NotDifferentiable for arrays whose meaning zyg's rules would get wrong."""
    if isinstance(x, np.matrix):
        raise NotDifferentiable("np.matrix has no gradients: pass np.asarray(x) instead")
    # NumPy imports `numpy.ma` when it is first asked for, which takes long.
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise NotDifferentiable(
            "masked arrays have no gradients: pass x.filled(value) and the mask separately"
        )
    if x.dtype.names is not None:
        raise NotDifferentiable(
            f"a structured array (dtype {x.dtype}) has no gradient: pass its fields separately"
        )
    if x.dtype.kind == "O":
        raise NotDifferentiable(
            "an array of dtype object has no gradient: pass a list, or an array of numbers"
        )


def refuse_to_hold(dtype: np.dtype[Any]) -> None:
    """Raises where what is differentiated would go into an array of objects or records."""
    if dtype.kind in "OV":
        raise NotDifferentiable(
            f"what is differentiated stands in an array of dtype {dtype}: use a list or a dict for "
            "objects, and an array for each field of a record"
        )


def unless_contained(array: Any, index: Any) -> None:
    """Raises where an item of an array is a container, or a field of a record."""
    kind = array.dtype.kind
    if kind == "V" or (kind == "O" and _is_container(array[index])):
        refuse_to_hold(array.dtype)


def _is_container(item: Any) -> bool:
    if isinstance(item, np.ndarray):
        return bool(item.dtype.kind != "O")
    return isinstance(item, list | tuple | dict | deque)
