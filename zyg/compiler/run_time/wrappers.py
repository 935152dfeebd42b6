"""What the functions that decorators of the standard library make keep for a call of the API.

`zyg.compiler.run_time.decorated` differentiates them.
"""

from __future__ import annotations

import functools
from typing import Any

# For each cached function a cache of values together with their back functions; with tangents, and
# for counting calls, under the function as the last one of several keys. It lasts for one call of
# the API: afterwards the user may clear the function's own cache, unnoticed.
differentiated_caches: dict[Any, Any] = {}


def forget_cached() -> None:
    """Starts with empty caches: a new call of the API begins."""
    if differentiated_caches:
        differentiated_caches.clear()


def count_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Has a differentiated call of a cached function counted as a plain one would be."""
    counting = counting_of(function)
    if counting is None:
        counting = functools.lru_cache(**function.cache_parameters())(_nothing)
        differentiated_caches[count_call, function] = counting
    counting(*args, **kwargs)


def counting_of(function: Any) -> Any:
    """The cache that counts the differentiated calls of a cached function; None before these."""
    return differentiated_caches.get((count_call, function))


def _nothing(*args: Any, **kwargs: Any) -> None:
    """What is remembered where it only counts that something is."""


def forget_values(function: Any) -> None:
    """Empties the caches of one function: the program itself has cleared its own."""
    for key in list(differentiated_caches):
        if key is function or (isinstance(key, tuple) and key[-1] is function):
            del differentiated_caches[key]
