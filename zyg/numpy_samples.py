"""What inference knows about NumPy's functions of sampled data: transforms, selections, filters.

    np.fft.rfft   (float64[N1])                    -> complex128[?]
    np.convolve   (float64[N1], float64[N2])       -> float64[?]
    np.interp     (float64[N1], ...)               -> float64[N1]
    np.take       (float64[N1, N2], int64[N3], 1)  -> float64[N1, N3]

All are found by example; of those whose sizes are no sizes of an argument only the rank is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ir import facts
from ir.fact_rules import declare
from ir.types import TOP, Type
from zyg.array_type import ANY, Array, array_of, as_array, dims_of
from zyg.numpy_example import by_example

FOURIER = [
    getattr(np.fft, name)
    for name in (
        "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn "
        "fftshift ifftshift"
    ).split()
]
OTHERS = [
    getattr(np, name)
    for name in (
        "trapezoid trapz quantile percentile pad unwrap ediff1d diagflat vander partition"
    ).split()
    if name in vars(np)
]
SELECTIONS = (np.append, np.insert, np.compress, np.extract, np.delete, np.select, np.bincount)


def of_rank(callee: Callable[..., Any], data: int = 1) -> facts.ResultOf:
    """The dtype and the rank of results; their sizes are functions of those of the arguments."""
    example = by_example(callee, data)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        found = example(args, kwargs)
        if isinstance(found, Array) and found.dims is not None:
            return array_of(found.dtype, (ANY,) * len(found.dims))
        return found

    return result_of


HALVES = ("rfft", "irfft", "hfft", "ihfft", "rfft2", "irfft2", "rfftn", "irfftn")
for _function in (*FOURIER, *OTHERS):
    is_longer = _function in OTHERS or _function.__name__ in HALVES
    facts.result(_function)(of_rank(_function) if is_longer else by_example(_function))
facts.result(np.convolve)(of_rank(np.convolve, 2))
facts.result(np.take)(by_example(np.take, 2))
facts.result(np.gradient)(by_example(np.gradient))
facts.pure(*FOURIER, *OTHERS, *SELECTIONS, np.convolve, np.take, np.take_along_axis, np.interp)
facts.pure(np.gradient)
facts.total(np.convolve, np.gradient, np.pad, *FOURIER)
facts.total(*[function for function in OTHERS if function.__name__.startswith("trap")])
facts.fresh(np.convolve, np.interp, np.pad, np.bincount, *FOURIER[:-2])


@declare(np.interp)
def interp(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) < 3:
        return TOP
    x, values = args[0], as_array(args[2])
    if not isinstance(x, Array) or x.dims is None or not isinstance(values, Array):
        return TOP
    return array_of(np.dtype(complex if values.dtype.kind == "c" else float), dims_of(x))


@declare(np.take_along_axis)
def take_along_axis(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) < 2:
        return TOP
    values, places = args[0], args[1]
    if not isinstance(values, Array) or not isinstance(places, Array) or places.dims is None:
        return TOP
    return array_of(values.dtype, (ANY,) * len(places.dims))
