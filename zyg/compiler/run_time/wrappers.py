"""What the functions that decorators of the standard library make keep for a call of the API.

`zyg.compiler.run_time.decorated` differentiates them.
"""

from __future__ import annotations

from typing import Any

# For each cached function a cache of values together with their back functions. It lasts for one
# call of the API: afterwards the user may clear the function's own cache, unnoticed.
differentiated_caches: dict[Any, Any] = {}


def forget_cached() -> None:
    """Starts with empty caches: a new call of the API begins."""
    if differentiated_caches:
        differentiated_caches.clear()
