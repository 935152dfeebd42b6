"""Arrays of numbers that carry derivatives: NumPy's own arrays of objects, views and all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np


def _array(items: Any, dtype: Any = None) -> Any:
    return np.array(items, dtype=object)


# What random programs use of `np`, in a version that makes arrays of objects.
OBJECT_NUMPY = SimpleNamespace(
    array=_array,
    zeros=partial(np.zeros, dtype=object),
    empty=partial(np.empty, dtype=object),
    full=partial(np.full, dtype=object),
    zeros_like=np.zeros_like,
    copyto=np.copyto,
    negative=np.negative,
    add=np.add,
    errstate=np.errstate,
)


def on_arrays(
    add: Callable[..., Any],
    sub: Callable[..., Any],
    mul: Callable[..., Any],
    residue: Callable[..., Any],
) -> dict[str, Callable[..., Any]]:
    """The primitives of arrays, made of those of numbers."""
    plus = np.frompyfunc(add, 2, 1)
    return {
        "plus": plus,
        "minus": np.frompyfunc(sub, 2, 1),
        "times": np.frompyfunc(mul, 2, 1),
        "reduced": lambda x: plus(x, 0),
        "chosen": lambda x, k: np.array([residue(item, k) == 0 for item in x]),
    }
