"""What inference knows about SciPy's linear algebra, filters and transforms.

    scipy.linalg.eigh      (float64[N, N])              -> (float64[N], float64[N, N])
    scipy.signal.lfilter   (list, list, float64[N])     -> float64[N]
    scipy.linalg.sqrtm     (float64[N, N])              -> float64[N, N] or complex128[N, N]

Results are new memory, so that a program may change them in place. Declared by the modules with the
rules of these functions, which have imported them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ir import facts
from ir.library.fact_rules import call_type, distributed
from ir.types import TOP, Known, Tuple, Type, join
from zyg.array_type import ANY, Array, dims_of, dtypes_in, rank_of
from zyg.facts.example_calls import by_calls, of_shape_of
from zyg.facts.numpy_example import COUNTS, by_example
from zyg.facts.numpy_library import either
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
    facts.result_made_by(of_square, linalg.det, linalg.eigh, linalg.eigvalsh, linalg.lu_factor)
    facts.result_made_by(by_calls, linalg.svd, linalg.svdvals, linalg.qr, linalg.lu)
    facts.result_made_by(norm, linalg.norm)
    facts.result(linalg.cho_factor)(cho_factor)
    facts.result(linalg.cho_solve, linalg.lu_solve)(factor_solve)
    facts.result(linalg.solve_banded)(distributed(partial(banded, 1)))
    facts.result(linalg.solveh_banded)(distributed(partial(banded, 0)))
    facts.result_made_by(
        partial(of_shape_of, 2), linalg.solve_sylvester,
    )
    facts.result_made_by(
        partial(of_shape_of, 1), linalg.solve_continuous_lyapunov, linalg.solve_discrete_lyapunov,
    )
    facts.result(linalg.pinv)(distributed(partial(pinv, linalg.pinv)))
    facts.result(linalg.sqrtm, linalg.logm)(distributed(perhaps_complex))
    facts.result_made_by(partial(by_calls, data=2), linalg.toeplitz, linalg.circulant)
    facts.result(linalg.block_diag)(distributed(partial(block_diag, linalg.block_diag)))
    facts.fresh(
        linalg.eigh, linalg.eigvalsh, linalg.svd, linalg.svdvals, linalg.qr, linalg.lu,
        linalg.cho_factor, linalg.cho_solve, linalg.lu_solve, linalg.solve_sylvester,
        linalg.toeplitz, linalg.block_diag, linalg.solve_banded, linalg.solveh_banded,
        linalg.pinv, linalg.circulant, linalg.norm,
        linalg.solve_continuous_lyapunov, linalg.solve_discrete_lyapunov,
    )


def norm(callee: Any) -> facts.ResultOf:
    """A number of Python for a matrix that lies in memory row by row, or column by column; NumPy's
    for others."""
    found, of_numpy = by_calls(callee), by_calls(np.linalg.norm)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        kinds = found(args, kwargs), of_numpy(args[:4], kwargs)
        return TOP if TOP in kinds else join(*kinds)

    return result_of


def cho_factor(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The factor, and which triangle it is in: as it was given, or in an array."""
    factor = call_type(np.linalg.cholesky, args[0]) if args else TOP
    return Tuple((factor, TOP)) if factor != TOP else TOP


def factor_solve(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """By a factor, which stands first in a tuple. No example: pivots are places in memory."""
    both = args[0] if len(args) > 1 else TOP
    if not isinstance(both, Tuple) or len(both.items) != 2:
        return TOP
    return call_type(np.linalg.solve, both.items[0], args[1])


def of_double(*types_: Type) -> np.dtype[Any] | None:
    """The dtype of what is computed of arrays of double precision, real or complex."""
    kinds = {type_.dtype for type_ in types_ if isinstance(type_, Array)}
    is_known = kinds <= {np.dtype(np.float64), np.dtype(np.complex128)}
    return np.result_type(*kinds) if is_known and None not in map(rank_of, types_) else None


def banded(place: int, args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """`solve_banded((l, u), ab, b)` and `solveh_banded(ab, b)`: of the shape of `b`. No example:
    the numbers of diagonals must fit."""
    matrix, right = args[place : place + 2] if len(args) >= place + 2 else (TOP, TOP)
    dtype = of_double(matrix, right)
    if dtype is None or rank_of(matrix) != 2 or not rank_of(right):
        return TOP
    return Array(dtype, dims_of(right))


def pinv(callee: Any, args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Of an empty array of integers it is one of integers."""
    is_inexact = bool(args) and isinstance(args[0], Array) and args[0].dtype.kind in "fc"
    return by_calls(callee)(args, kwargs) if is_inexact else TOP


def perhaps_complex(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Numbers decide whether a root or logarithm of a real matrix is real."""
    matrix = args[0] if len(args) == 1 and not kwargs else TOP
    dtype = of_double(matrix)
    if dtype is None or not isinstance(matrix, Array) or rank_of(matrix) != 2:
        return TOP
    return matrix if dtype.kind == "c" else either(matrix)


def block_diag(callee: Any, args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return by_calls(callee, len(args))(args, kwargs)


def of_signals(signal: Any) -> None:
    """Convolutions and filters, of as many dimensions as their operands have."""
    functions = (
        signal.convolve, signal.fftconvolve, signal.oaconvolve, signal.correlate,
        signal.convolve2d, signal.correlate2d,
    )
    facts.result_made_by(partial(by_calls, data=2), *functions)
    facts.result_made_by(partial(by_calls, data=3), signal.lfilter)
    facts.fresh(*functions, signal.lfilter)


def of_transforms(fft: Any) -> None:
    """Fourier, cosine and sine transforms."""
    names = "fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn hfft ihfft"
    functions = [getattr(fft, name) for name in names.split()]
    functions += [getattr(fft, name) for name in "dct idct dst idst dctn idctn dstn idstn".split()]
    functions += [fft.fftshift, fft.ifftshift]
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


def are_double(types_: tuple[Type, ...], rank: int) -> bool:
    return all(
        isinstance(type_, Array) and type_.dtype == np.float64 and rank_of(type_) == rank
        for type_ in types_
    )


def of_filters(ndimage: Any) -> None:
    """Filters of images give new ones, unless they are given an array for them."""
    names = "gaussian_filter uniform_filter convolve correlate sobel prewitt gaussian_laplace"
    names += " gaussian_filter1d convolve1d correlate1d maximum_filter minimum_filter median_filter"
    functions = [getattr(ndimage, name) for name in names.split()]
    facts.fresh(
        *functions, when=lambda call: len(call.args) <= 2 and "output" not in call.kwargs
    )
    selecting = "maximum_filter minimum_filter median_filter rank_filter percentile_filter"
    facts.result_made_by(
        partial(of_shape_of, 0), *[getattr(ndimage, name) for name in selecting.split()]
    )
