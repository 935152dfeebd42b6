"""Integrals of inverse square roots and their powers, by quadrature (DLMF 19.16)."""

from __future__ import annotations

from typing import Any

import numpy as np


def carlson_integral(x: Any, y: Any, z: Any, p: Any, halves: tuple[int, ...]) -> Any:
    """The integral of `(t + x)**(-a / 2) (t + y)**(-b / 2) ...` over all positive `t`.

    By the trapezoidal rule in `log(t)`, whose error is that of rounding: the integrand has no
    singularity for about 3, and of complex numbers about 1, on either side of the real axis.
    `halves` are the numbers `a, b, c, d`.
    """
    shape = np.broadcast_shapes(np.shape(x), np.shape(y), np.shape(z), np.shape(p))
    parts = [
        (np.broadcast_to(part, shape), half)
        for part, half in zip((x, y, z, p), halves, strict=True) if half
    ]
    sizes = np.stack([np.abs(part) for part, _ in parts])
    counts = np.stack([np.full(shape, half) for _, half in parts])
    weight = np.sum(np.where(sizes == 0, counts, 0), 0)
    with np.errstate(all="ignore"):
        # Where a power of t alone is left, the integrand falls more slowly towards 0.
        left = np.log(np.min(np.where(sizes == 0, np.inf, sizes), 0)) - 37 / (1 - 0.5 * weight)
        right = np.log(np.max(sizes, 0)) + 37 / (0.5 * np.sum(counts, 0) - 1)
        width = right - left
        step = 0.2 if any(np.iscomplexobj(part) for part, _ in parts) else 0.45
        is_ordinary = np.isfinite(width) & (weight < 2)
        steps = int(np.max(np.where(is_ordinary, width, 0.0), initial=0.0) / step) + 1
        total = 0.0
        for i in range(steps + 1):
            t = np.exp(left + width * (i / steps))
            term = t
            for part, half in parts:
                term = term * (t + part) ** (-0.5 * half)
            total = total + (0.5 * term if i in (0, steps) else term)
        value = np.where(is_ordinary, total * (width / steps), np.nan)
        return np.where((weight >= 2) & ~np.isnan(width), np.inf, value)[()]
