"""What inference knows about SciPy's linear algebra, filters and transforms.

    scipy.linalg.eigh      (float64[N, N])              -> (float64[N], float64[N, N])
    scipy.signal.lfilter   (list, list, float64[N])     -> float64[N]

Results are new memory, so that a program may change them in place. Declared by the modules with the
rules of these functions, which have imported them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ir import facts
from ir.library.fact_rules import call_type, distributed
from ir.types import TOP, Known, Tuple, Type
from zyg.array_type import ANY, Array, dims_of, dtypes_in, rank_of
from zyg.facts.numpy_example import COUNTS, by_example
from zyg.facts.numpy_results import of_square
from zyg.facts.numpy_shapes import argument
from zyg.facts.permissions import keep_arguments


def typed_like(function: Any, of_numpy: Any, data: int) -> None:
    """Results have the type that NumPy's function of the same meaning has, for `data` arrays."""
    result_of = facts.result_of(of_numpy)
    assert result_of is not None

    def result(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        return result_of(args[:data], {}) if len(args) >= data else TOP

    facts.pure(function)
    facts.fresh(function)
    facts.result(function)(result)


def of_linear_algebra(linalg: Any) -> None:
    keep_arguments(vars(linalg).values())
    for function in (linalg.solve, linalg.solve_triangular):
        typed_like(function, np.linalg.solve, 2)
    for function in (linalg.inv, linalg.cholesky, linalg.expm):
        typed_like(function, np.linalg.inv, 1)
    facts.pure(linalg.det)
    facts.result_made_by(of_square, linalg.det, linalg.eigh, linalg.eigvalsh)
    facts.result_made_by(by_example, linalg.svd, linalg.svdvals, linalg.qr, linalg.lu)
    facts.result(linalg.cho_factor)(cho_factor)
    facts.result(linalg.cho_solve)(cho_solve)
    facts.result(linalg.solve_banded)(distributed(solve_banded))
    facts.result(linalg.solve_sylvester)(distributed(solve_sylvester))
    facts.result(linalg.toeplitz)(distributed(toeplitz))
    facts.result(linalg.block_diag)(distributed(block_diag))
    facts.fresh(
        linalg.eigh, linalg.eigvalsh, linalg.svd, linalg.svdvals, linalg.qr, linalg.lu,
        linalg.cho_factor, linalg.cho_solve, linalg.solve_sylvester, linalg.toeplitz,
        linalg.block_diag, linalg.solve_banded,
    )


def cho_factor(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The factor, and which triangle it is in: as it was given, or in an array."""
    factor = call_type(np.linalg.cholesky, args[0]) if args else TOP
    return Tuple((factor, TOP)) if factor != TOP else TOP


def cho_solve(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    both = args[0] if len(args) > 1 else TOP
    if not isinstance(both, Tuple) or len(both.items) != 2:
        return TOP
    return call_type(np.linalg.solve, both.items[0], args[1])


def are_double(types_: tuple[Type, ...], rank: int) -> bool:
    return all(
        isinstance(type_, Array) and type_.dtype == np.float64 and rank_of(type_) == rank
        for type_ in types_
    )


def solve_sylvester(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of the shape of the right-hand side."""
    return args[2] if len(args) == 3 and are_double(args, 2) and not kwargs else TOP


def solve_banded(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """`solve_banded((l, u), ab, b)`, of the shape of the right-hand side."""
    is_known = len(args) == 3 and not kwargs and are_double(args[1:2], 2)
    return args[2] if is_known and are_double(args[2:], rank_of(args[2]) or 0) else TOP


def toeplitz(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) not in (1, 2) or kwargs or not are_double(args, 1):
        return TOP
    return Array(np.dtype(np.float64), tuple((dims_of(args[0]) or ()) + (dims_of(args[-1]) or ())))


def block_diag(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    are_matrices = bool(args) and are_double(args, 2) and not kwargs
    return Array(np.dtype(np.float64), (ANY, ANY)) if are_matrices else TOP


def of_signals(signal: Any) -> None:
    """Convolutions and filters, of as many dimensions as their operands have."""
    for function in (
        signal.convolve, signal.fftconvolve, signal.oaconvolve, signal.correlate,
        signal.convolve2d, signal.correlate2d,
    ):
        facts.result(function)(distributed(convolved))
        facts.fresh(function)
    facts.result(signal.lfilter)(distributed(filtered))
    facts.fresh(signal.lfilter)


def convolved(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    rank = rank_of(args[0]) if len(args) > 1 else None
    if not rank or not are_double(args[:2], rank):
        return TOP
    return Array(np.dtype(np.float64), (ANY,) * rank)


def filtered(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """`lfilter(b, a, x)`, without a state, of a signal of double precision."""
    if len(args) not in (3, 4) or not kwargs.keys() <= {"axis"}:
        return TOP
    coefficients = set().union(*map(dtypes_in, args[:2]))
    is_real = None not in coefficients and all(
        dtype is not None and dtype.kind in "biuf" and dtype.itemsize <= 8 for dtype in coefficients
    )
    signal = args[2]
    is_known = isinstance(signal, Array) and signal.dtype == np.float64 and bool(signal.dims)
    return signal if is_real and is_known else TOP


def of_transforms(fft: Any) -> None:
    """Fourier, cosine and sine transforms."""
    names = "fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn hfft ihfft"
    functions = [getattr(fft, name) for name in names.split()]
    functions += [getattr(fft, name) for name in "dct idct dst idst dctn idctn dstn idstn".split()]
    facts.result_made_by(partial(by_example, counts=COUNTS), *functions)
    facts.fresh(*functions)


def of_samples(integrate: Any) -> None:
    facts.result(integrate.cumulative_trapezoid)(distributed(cumulated))
    facts.fresh(integrate.cumulative_trapezoid)


def cumulated(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """As many dimensions as the samples have, which may lie at places of double precision."""
    rank = rank_of(args[0]) if args else None
    places = argument(args, kwargs, 1, "x", Known(None))
    is_placed = places == Known(None) or dtypes_in(places) == {np.dtype(np.float64)}
    if not rank or not is_placed or not are_double(args[:1], rank):
        return TOP
    return Array(np.dtype(np.float64), (ANY,) * rank)


def of_filters(ndimage: Any) -> None:
    """Filters of images give new ones, unless they are given an array for them."""
    names = "gaussian_filter uniform_filter convolve correlate sobel prewitt gaussian_laplace"
    names += " gaussian_filter1d convolve1d correlate1d maximum_filter minimum_filter median_filter"
    functions = [getattr(ndimage, name) for name in names.split()]
    facts.fresh(
        *functions, when=lambda call: len(call.args) <= 2 and "output" not in call.kwargs
    )
