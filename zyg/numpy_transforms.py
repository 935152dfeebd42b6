"""What inference knows about `np.fft`, which NumPy itself imports when somebody asks for it.

    np.fft.fft    (float64[N1])         -> complex128[N1]
    np.fft.rfft   (float64[N1])         -> complex128[?]

Imported by the first program that calls a transform (`zyg.numpy_facts`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ir import facts
from zyg.numpy_example import COUNTS, by_example
from zyg.numpy_result_shapes import SHAPES, fft_shape, irfft_shape, rfft_shape

TRANSFORMS = tuple(
    getattr(np.fft, name) for name in (
        "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn",
        "fft2", "ifft2", "rfft2", "irfft2", "fftshift", "ifftshift",
    )
)

facts.result_made_by(partial(by_example, counts=COUNTS), *TRANSFORMS)
# New memory, computed for its values alone; they fail where shapes don't fit.
facts.fresh(*TRANSFORMS)
facts.total(*TRANSFORMS)
SHAPES.update({
    np.fft.fft: (fft_shape, 1),
    np.fft.ifft: (fft_shape, 1),
    np.fft.rfft: (rfft_shape, 1),
    np.fft.irfft: (irfft_shape, 1),
})
