"""Halves of spectra of real signals, whose terms stand for two but at the ends."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def with_pairs(half: Array, doublings: int, length: int, axis: int) -> Array:
    """Half of a spectrum, doubled (or halved: -1) where a term stands for two: not at its ends."""
    scaled = 2.0**doublings * half
    terms, source = np.moveaxis(scaled, axis, -1), np.moveaxis(half, axis, -1)
    terms[..., 0] = source[..., 0]
    if length % 2 == 0:
        terms[..., length // 2] = source[..., length // 2]
    return scaled
