"""What generated code asks about memory while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.errors import UnsupportedSyntax
from zyg.rules.registry import constant


def check_distinct(value: Any, changed: Any) -> None:
    """Raises where two names mean memory that was changed in place under one of them."""
    if isinstance(value, np.ndarray) and isinstance(changed, np.ndarray):
        is_shared = np.may_share_memory(value, changed) and np.shares_memory(value, changed)
    else:
        is_shared = value is changed
    if is_shared:
        kind = type(value).__name__
        raise UnsupportedSyntax(
            f"two names mean the same {kind} or overlapping parts of it, and it is changed in "
            "place under one of them; zyg can't follow that: change a copy, or use one name"
        )


constant(check_distinct)
