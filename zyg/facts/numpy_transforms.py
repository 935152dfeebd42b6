"""What inference knows about `np.fft`, which NumPy itself imports when somebody asks for it.

    np.fft.fft    (float64[N1])         -> complex128[N1]
    np.fft.rfft   (float64[N1])         -> complex128[?]

Imported by the first program that calls a transform (`zyg.facts.numpy_facts`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ir import facts
from ir.library.fact_rules import declare
from ir.types import TOP, Known, Type, class_of
from zyg.array_type import ANY, Array, is_number
from zyg.facts.example_calls import by_calls
from zyg.facts.numpy_example import COUNTS, by_example
from zyg.facts.numpy_result_shapes import SHAPES, fft_shape, irfft_shape, rfft_shape
from zyg.facts.numpy_shapes import argument

TRANSFORMS = tuple(
    getattr(np.fft, name) for name in (
        "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn",
        "fft2", "ifft2", "rfft2", "irfft2", "fftshift", "ifftshift",
    )
)

facts.result_made_by(partial(by_example, counts=COUNTS), *TRANSFORMS)


@declare(np.fft.fftfreq, np.fft.rfftfreq)
def frequencies(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Real numbers, if the distance between samples is one."""
    spacing = argument(args, kwargs, 1, "d", Known(1.0))
    is_real = is_number(spacing) and class_of(spacing) in (int, float, np.float64)
    if not is_real and is_number(spacing):
        return by_calls(np.fft.fftfreq, 0, has_sizes=False)((Known(4), spacing), {})
    return Array(np.dtype(np.float64), (ANY,)) if is_real else TOP


facts.fresh(np.fft.fftfreq, np.fft.rfftfreq)
# New memory, computed for its values alone; they fail where shapes don't fit.
facts.fresh(*TRANSFORMS)
facts.total(*TRANSFORMS)
SHAPES.update({
    np.fft.fft: (fft_shape, 1),
    np.fft.ifft: (fft_shape, 1),
    np.fft.rfft: (rfft_shape, 1),
    np.fft.irfft: (irfft_shape, 1),
})
