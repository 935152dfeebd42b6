"""Cotangents of what selects among items: the cotangent where a mask is true, and else 0."""

from __future__ import annotations

from typing import Any

import numpy as np


def selected(bar: Any, mask: Any) -> Any:
    """`bar` where `mask` is true, 0 elsewhere, also where `bar` is infinite there.

    The product takes a fifth of the time of a selection of random items; that it has met an
    infinity, the processor tells for nothing.
    """
    try:
        with np.errstate(invalid="raise"):
            return np.multiply(bar, mask)
    except FloatingPointError:
        return np.where(mask, bar, 0)[()]


def is_finite(bar: Any) -> bool:
    """Whether all items are finite, or rather their squares: a pass that writes nothing."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.vdot(bar, bar)))
