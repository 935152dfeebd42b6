"""The gradient of an array of which single items or parts were read, as one operation.

    a, b = x[0], x[2]           scatter_items((3,), dtype, [0, 2], a_bar, b_bar)

A zero array for each item would cost n² for a loop over n items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zyg.cotangent import accumulate_at, unbroadcast
from zyg.tape.primitives import Known, register


def scatter_items(shape: tuple[int, ...], dtype: Any, indices: list[Any], *bars: Any) -> Any:
    """Zeros, to which each of `bars` is added at its index.

    >>> scatter_items((3,), float, [0, 2, 0], 1.0, 5.0, 2.0)
    array([3., 0., 5.])
    """
    total = np.zeros(shape, dtype)
    for index, bar in zip(indices, bars, strict=True):
        accumulate_at(total, index, bar)
    return total


def scatter_items_rule(
    shape: tuple[int, ...], dtype: Any, indices: list[Any], *bars: Any
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    def back(y_bar: Any) -> tuple[Any, ...]:
        parts = [
            unbroadcast(y_bar[index], bar) for index, bar in zip(indices, bars, strict=True)
        ]
        return None, None, None, *parts

    return scatter_items(shape, dtype, indices, *bars), back


register(scatter_items, Known(rule=scatter_items_rule))
