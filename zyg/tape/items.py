"""The gradient of an array of which single items or parts were read, as one operation.

    a, b = x[0], x[2]           scatter_items((3,), dtype, [0, 2], a_bar, b_bar)

A zero array for each item would cost n² for a loop over n items.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.cotangents.cotangent_items import accumulate_at
from zyg.tape.primitives import Known, register
from zyg.tape.recording import unbroadcast_on_tape


def scatter_items(shape: tuple[int, ...], dtype: Any, indices: list[Any], *bars: Any) -> Any:
    """Zeros, to which each of `bars` is added at its index.

    >>> scatter_items((3,), float, [0, 2, 0], 1.0, 5.0, 2.0)
    array([3., 0., 5.])
    """
    total = np.zeros(shape, dtype)
    for index, bar in zip(indices, bars, strict=True):
        accumulate_at(total, index, bar)
    return total


def scatter_items_vjp(
    y_bar: Any, y: Any, shape: Any, dtype: Any, indices: list[Any], *bars: Any
) -> tuple[Any, ...]:
    parts = [
        unbroadcast_on_tape(y_bar[index], bar) for index, bar in zip(indices, bars, strict=True)
    ]
    return None, None, None, *parts


register(scatter_items, Known(vjp=scatter_items_vjp, is_primitive=True))
