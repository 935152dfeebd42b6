"""What `zyg.cache_info()` tells."""

from __future__ import annotations

from typing import NamedTuple


class CacheInfo(NamedTuple):
    """Counts since the start or the last `cache_clear`; a miss generates code."""

    hits: int
    misses: int
    maxsize: int
    currsize: int
