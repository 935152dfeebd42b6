"""Wrapped values among arguments: found, and replaced by what they stand for.

    plain, wrapped_in = looking_for(frozenset([Wrapper]), attrgetter("val"), ATOMS)
    plain((wrapper, [2.0]))               (wrapper.val, [2.0])
    [*wrapped_in((wrapper, [2.0]))]       [wrapper]

The tracker, the tape and the search for sparsity patterns each have wrappers of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

# What holds nothing.
ATOMS: frozenset[type] = frozenset(
    [float, int, bool, complex, str, type(None), np.ndarray, np.float64]
)


def looking_for(
    classes: frozenset[type], value_of: Callable[[Any], Any], atoms: frozenset[type]
) -> tuple[Callable[[Any], Any], Callable[[Any], Iterator[Any]]]:
    """Two functions for wrappers of these classes: what gives arguments without wrappers, and what
    gives the wrappers among them, in order. Lists, tuples, dicts and slices are looked through,
    but for those among the `atoms`.
    """

    def plain(x: Any) -> Any:
        cls = type(x)
        if cls in classes:
            return value_of(x)
        if cls in atoms:
            return x
        if cls is list:
            return [plain(item) for item in x]
        if isinstance(x, tuple):
            items = [plain(item) for item in x]
            return x._make(items) if hasattr(x, "_make") else tuple(items)
        if cls is dict:
            return {key: plain(item) for key, item in x.items()}
        if cls is slice:
            return slice(plain(x.start), plain(x.stop), plain(x.step))
        return x

    def wrapped_in(x: Any) -> Iterator[Any]:
        cls = type(x)
        if cls in classes:
            yield x
        elif cls not in atoms:
            if isinstance(x, (list, tuple)):
                for item in x:
                    yield from wrapped_in(item)
            elif isinstance(x, dict):
                for item in x.values():
                    yield from wrapped_in(item)
            elif cls is slice:
                yield from wrapped_in((x.start, x.stop, x.step))

    return plain, wrapped_in
