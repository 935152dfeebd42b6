"""The rows of the tables of rules, with arrays of about a million elements.

    np.cumsum(float64[2, 3], axis=1)    ->   np.cumsum(float64[1000, 1500], axis=1)

Each dimension of more than one item grows by the same factor, so that arguments fit each other as
they did. What has sizes among its arguments (`np.reshape(x, (3, 2))`) doesn't grow like that; such
calls stand among the cases that are written out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from tests.rule_row import Row

ELEMENTS = 10**6
SECONDS = 0.01


def scaled(row: Row, factor: int) -> Row:
    """The call with each array grown; numbers stay distinct, and close to what they were."""
    random = np.random.default_rng(0)

    def grown(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            items = [grown(item) for item in x]
            return x._make(items) if hasattr(x, "_make") else type(x)(items)
        if not isinstance(x, np.ndarray) or x.ndim == 0:
            return x
        places = [np.arange(n * factor) // factor if n > 1 else np.arange(n) for n in x.shape]
        y = x[np.ix_(*places)]
        noise = 1e-3 * random.uniform(size=y.shape)
        return (y * (1 - noise)).astype(x.dtype) if x.dtype.kind in "fc" else y

    return replace(row, args=grown(row.args))


def arrays_in(x: Any) -> Iterator[np.ndarray]:
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from arrays_in(item)


def largest(row: Row) -> np.ndarray | None:
    """The largest array of floats among the arguments."""
    found = [x for x in arrays_in(row.args) if x.dtype == np.float64 and x.size > 1]
    return max(found, key=lambda x: x.size, default=None)


def factor_for(row: Row) -> int | None:
    """The factor for arrays of a million elements, or for a call of a hundredth of a second.

    None where the call can't grow, as for shapes that are given by numbers.
    """
    array = largest(row)
    if array is None or not callable(row.callee):
        return None
    rank = sum(n > 1 for n in array.shape)
    full = math.floor((ELEMENTS / array.size) ** (1 / rank))
    factor = 2
    while True:
        try:
            with np.errstate(all="ignore"):
                small = scaled(row, factor)
                start = perf_counter()
                y = small.call(*small.args)
                seconds = perf_counter() - start
        except Exception:
            return None
        if sum(x.size for x in arrays_in(y)) > 2 * ELEMENTS:
            return factor // 2 if factor > 2 else None
        if factor >= full or seconds > SECONDS / 4:
            return min(factor, max(2, full))
        factor *= 2


def one_of_each(rows: tuple[Row, ...]) -> Iterator[tuple[Row, int]]:
    """For each function the first row that can grow, and the factor."""
    done: set[Any] = set()
    for row in rows:
        key = id(row.callee)
        if key in done:
            continue
        factor = factor_for(row)
        if factor is not None:
            done.add(key)
            yield row, factor
