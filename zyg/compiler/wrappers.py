"""What each call has to know of functions that decorators of the standard library make.

`zyg.compiler.decorated` differentiates them.
"""

from __future__ import annotations

import functools
import types
from typing import Any

_DISPATCHING = getattr(functools.singledispatch(lambda x: x), "__code__", None)
# For each cached function a cache of values together with their back functions. It lasts for one
# call of the API: afterwards the user may clear the function's own cache, unnoticed.
differentiated_caches: dict[Any, Any] = {}


def is_dispatching(function: Any) -> bool:
    """Whether this is what `functools.singledispatch` makes."""
    return isinstance(function, types.FunctionType) and function.__code__ is _DISPATCHING


def is_for_run_time(function: Any) -> bool:
    """Whether what a Python function does is looked into when it is called only."""
    return is_dispatching(function) or is_record(function)


def is_record(function: Any) -> bool:
    """Whether this is `dataclasses.asdict` or `astuple`; the module is large."""
    return getattr(function, "__module__", None) == "dataclasses" and (
        function.__name__ in ("asdict", "astuple")
    )


def forget_cached() -> None:
    """Starts with empty caches: a new call of the API begins."""
    if differentiated_caches:
        differentiated_caches.clear()
