"""Rows of the rules that reduce, rearrange, join, make and select arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.rule_row import Options, Row, cases, cplx, real, single, table, whole
from zyg.arrays.transposes import diagonal_back, differences_back
from zyg.arrays.windows import windows_bar
from zyg.rules.indexing import unordered


@table
def reductions() -> Iterator[Row]:
    shapes = (
        *((real(4),), (real(2, 3),), (real(2, 3), 0), (real(2, 3), -1), (single(2, 3), 1)),
        *((real(2, 3), Options(axis=1, keepdims=True)), (real(2, 3), Options(keepdims=True))),
    )
    several = (
        (real(2, 3, 4), (0, 2)),
        (real(2, 3, 4), Options(axis=(-1, 0), keepdims=True)),
        (np.array(0.5),),
        (single(4),),
        (0.5,),
    )
    for callee in (np.sum, np.mean, np.var, np.std, np.prod):
        yield from cases(callee, *shapes, *several, (cplx(2, 3),), (cplx(2, 3), 0), (whole(2, 3),))
    for callee in (
        np.ndarray.sum,
        np.ndarray.mean,
        np.ndarray.var,
        np.ndarray.std,
        np.ndarray.prod,
    ):
        yield from cases(callee, *shapes, *several[:4], (cplx(2, 3), 0))
    for callee in (np.max, np.min, np.amax, np.amin, np.ptp, np.nanmax, np.nanmin):
        yield from cases(callee, *shapes, *several, (whole(2, 3),))
    for callee in (np.ndarray.max, np.ndarray.min):
        yield from cases(callee, *shapes, *several[:4])
    for callee in (np.var, np.std, np.ndarray.var, np.ndarray.std):
        yield from cases(callee, (real(2, 3), Options(axis=1, ddof=1)), (real(4), Options(ddof=1)))
        yield from cases(callee, (real(2, 3), 1, None, None, 0.5), (cplx(4), None, None, None, 1.5))
    started = (
        *((real(2, 3), None, None, None, False, 0.5), (real(2, 3), 0, None, None, True, 0.55)),
        *((cplx(2, 3), 0, None, None, False, 1j), (single(2, 3), 0, None, None, False, 0.5)),
    )
    for callee in (np.sum, np.ndarray.sum, np.nansum):
        yield from cases(callee, *started)
    for callee in (np.max, np.min, np.nanmax, np.nanmin, np.ndarray.max, np.ndarray.min):
        yield from cases(
            callee, (real(2, 3), None, None, False, 0.51), (real(4, 3), 0, None, True, 0.53)
        )
        yield from cases(callee, (real(0, 3), 0, None, False, 0.5))
    holes = np.array([[0.1, np.nan, 0.3], [0.4, 0.5, 0.6]])
    for callee in (np.nansum, np.nanmean):
        yield from cases(callee, *shapes, (holes,), (holes, 1), (holes, Options(axis=0)))
    with_zeros = np.array([[0.5, 0.0, 2.0, 3.0], [0.0, 1.5, 0.0, 0.5], [0.7, 2.0, 3.0, 0.5]])
    for callee in (np.prod, np.ndarray.prod):
        yield from cases(callee, (with_zeros,), (with_zeros, 0), (with_zeros, 1), (with_zeros[0],))
        yield from cases(callee, (with_zeros, (1, 0)), (with_zeros, Options(axis=1, keepdims=True)))
    for callee in (np.cumsum, np.cumprod, np.ndarray.cumsum, np.ndarray.cumprod):
        yield from cases(
            callee, (real(4),), (real(2, 3),), (real(2, 3), 0), (real(2, 3), -1), (cplx(4),)
        )
        yield from cases(callee, (single(2, 3), 1), (with_zeros, 1), (with_zeros,))
    weights = real(3)
    yield from cases(
        np.average,
        *((real(2, 3),), (real(2, 3), 0), (real(3), None, weights), (real(2, 3), 1, weights)),
        *((real(2, 3), None, real(2, 3)), (real(2, 3), Options(axis=0, weights=[1.0, 2.0]))),
    )
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        yield from cases(
            np.average, (real(2, 3, 4), (1, 2), real(3, 4)), (real(2, 3, 4), (2, 0), real(4, 2))
        )
    for callee in (np.trace, np.ndarray.trace):
        yield from cases(callee, (real(3, 3),), (real(2, 4), 1), (real(2, 3, 3), 0, 1, 2))
    grid = np.array([0.0, 0.3, 0.4, 1.0])
    trapezoid = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    yield from cases(
        trapezoid, (real(4),), (real(4), grid), (real(4), None, 0.5), (real(2, 4), grid)
    )
    yield from cases(trapezoid, (real(4, 2), grid, 1.0, 0), (real(2, 3), real(2, 3)))
    yield from cases(
        trapezoid,
        *((real(1, 3, 4), real(2, 3, 1), 1.0, 1), (real(3), real(2, 3)), (real(3), real(3, 2))),
        *((real(2, 3), None, real(2)), (real(2, 3), None, real(3), 0), (real(1), real(1))),
        *((cplx(4), real(4)), (real(4), cplx(4)), (cplx(4), None, 0.5), (real(4), None, 1 + 2j)),
    )
    yield from cases(np.median, (real(5),), (real(4),), (real(2, 3), 1), (real(2, 4), 0))
    yield from cases(np.median, (real(2, 4),), (real(2, 4), Options(axis=1, keepdims=True)))
    yield from cases(np.median, (real(2, 3, 2), (0, 2)), (real(2, 3, 2), (2, 1)))
    for callee, scale in ((np.quantile, 1.0), (np.percentile, 100.0)):
        place = 0.3 * scale
        yield from cases(callee, (real(5), place), (real(2, 5), place, 1))
        yield from cases(callee, (real(2, 4), np.array([0.2, 0.7]) * scale, 1))
        yield from cases(callee, (real(2, 4), np.array([[0.2], [0.7]]) * scale))
        yield from cases(callee, (real(2, 4, 3), place, (0, 2), Options(keepdims=True)))
        for method in ("weibull", "hazen", "median_unbiased", "normal_unbiased", "lower"):
            yield from cases(callee, (real(7), place, Options(method=method)))
        for method in (
            "higher", "nearest", "midpoint", "interpolated_inverted_cdf", "inverted_cdf",
            "averaged_inverted_cdf", "closest_observation",
        ):
            yield from cases(callee, (real(2, 7), place, 1, Options(method=method)))
        if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
            weighted = Options(method="inverted_cdf", weights=real(7), keepdims=True)
            yield from cases(callee, (real(2, 7), np.array([0.2, 0.7]) * scale, 1, weighted))


@table
def shapes() -> Iterator[Row]:
    for callee in (np.reshape, np.ndarray.reshape):
        yield from cases(
            callee, (real(2, 3), (3, 2)), (real(2, 3), -1), (single(4), (2, 2)), (cplx(4), (2, 2))
        )
        yield from cases(callee, (real(2, 3), (3, 2), Options(order="F")))
    yield from cases(np.ndarray.reshape, (real(2, 3), 3, 2), (real(6), 1, -1))
    for callee in (np.ravel, np.ndarray.ravel, np.ndarray.flatten):
        yield from cases(callee, (real(2, 3),), (real(2, 3), "F"), (single(2, 3),))
    for callee in (np.transpose, np.ndarray.transpose):
        yield from cases(
            callee, (real(2, 3),), (real(2, 3, 4), (1, 2, 0)), (real(2, 3, 4), (-1, 0, 1))
        )
    yield from cases(np.ndarray.transpose, (real(2, 3, 4), 1, 2, 0), (real(2, 3), None))
    yield from cases(np.ndarray.T, (real(2, 3),), (real(2, 3, 4),), (real(3),))
    if hasattr(np.ndarray, "mT"):
        yield from cases(np.ndarray.mT, (real(2, 3, 4),))
    yield from cases(np.ndarray.real, (real(3),), (cplx(3),))
    yield from cases(np.ndarray.imag, (real(3),), (cplx(3),))
    for callee in (np.swapaxes, np.ndarray.swapaxes):
        yield from cases(callee, (real(2, 3, 4), 0, 2), (real(2, 3), -1, 0))
    if hasattr(np, "matrix_transpose"):
        yield from cases(np.matrix_transpose, (real(2, 3, 4),))
    yield from cases(np.moveaxis, (real(2, 3, 4), 0, -1), (real(2, 3, 4), (0, 1), (2, 0)))
    yield from cases(np.rollaxis, (real(2, 3, 4), 2), (real(2, 3, 4), 0, 2), (real(2, 3, 4), 1, 3))
    yield from cases(np.expand_dims, (real(3), 0), (real(2, 3), (0, 2)), (0.5, 0))
    for callee in (np.squeeze, np.ndarray.squeeze):
        yield from cases(callee, (real(1, 3, 1),), (real(1, 3, 1), 0), (real(1, 1),))
    for callee in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
        yield from cases(callee, (0.5,), (real(3),), (real(2, 3),), (real(2, 3, 4),))
    yield from cases(np.broadcast_to, (real(3), (2, 3)), (real(2, 1), (2, 3)), (0.5, (2,)))
    yield from cases(np.broadcast_arrays, (real(3), real(2, 1)), (real(3), 0.5))
    for callee in (np.repeat, np.ndarray.repeat):
        yield from cases(callee, (real(3), 2), (real(2, 3), 2, 1), (real(2, 3), 2), (real(2), 9))
        yield from cases(callee, (real(3), [2, 0, 1]), (real(2, 3), np.array([1, 2]), 0))
    yield from cases(np.tile, (real(3), 2), (real(2, 3), (2, 1)), (real(3), (2, 2)), (0.5, 3))
    yield from cases(np.tile, (real(2, 3), 2))
    windows = np.lib.stride_tricks.sliding_window_view
    yield from cases(windows, (real(5), 2), (real(4, 5), (2, 3)), (real(4, 5), 3, 1))
    yield from cases(windows, (real(2, 5), 5, -1))
    yield from cases(windows_bar, (real(3, 3, 2, 3), (4, 5), (2, 3), (0, 1)))
    yield from cases(windows, (real(4, 5), (2, 2), (0, 0)), (real(4, 5, 2), (2, 4), (1, 0)))
    yield from cases(np.flip, (real(3),), (real(2, 3), 1), (real(2, 3), (0, 1)))
    for callee in (np.fliplr, np.flipud):
        yield from cases(callee, (real(2, 3),), (single(2, 3),))
    yield from cases(np.rot90, (real(2, 3),), (real(2, 3), 2), (real(2, 3, 4), 3, (1, 2)))
    yield from cases(np.roll, (real(4), 1), (real(2, 3), -2, 1), (real(2, 3), 2))
    yield from cases(np.roll, (real(2, 3), (1, 2), (0, 1)))
    for callee in (np.triu, np.tril):
        yield from cases(callee, (real(3, 3),), (real(2, 4), 1), (real(2, 3, 3), -1), (real(3),))
    for callee in (np.diagonal, np.ndarray.diagonal):
        yield from cases(
            callee, (real(3, 3),), (real(2, 4), 1), (real(4, 2), -1), (real(2, 3, 4), 0, 2, 0)
        )
    yield from cases(np.diag, (real(3),), (real(3), 1), (real(3, 4),), (real(4, 3), -2))
    yield from cases(np.diagflat, (real(2, 2),), (real(2), -1))
    yield from cases(np.pad, (real(3), 2), (real(2, 3), ((1, 0), (0, 2))), (real(2, 3), (1, 2)))
    yield from cases(np.pad, (real(2, 3), 1, Options(constant_values=3.0)))
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        yield from cases(np.pad, (real(3), 2, mode), (real(2, 3), ((1, 0), (0, 2)), mode))
        yield from cases(np.pad, (real(3), (0, 5), mode))
    wide = ((1, 0), (3, 2))
    for mode in ("linear_ramp", "maximum", "mean", "median", "minimum"):
        yield from cases(np.pad, (real(3), 2, mode), (real(2, 3), wide, mode), (single(2), 1, mode))
    for mode in ("maximum", "mean", "median", "minimum"):
        yield from cases(np.pad, (real(3, 4), wide, mode, Options(stat_length=((2, 1), (2, 3)))))
    yield from cases(np.pad, (real(2, 3), wide, "linear_ramp", Options(end_values=0.5)))
    for mode in ("reflect", "symmetric"):
        yield from cases(np.pad, (real(2, 3), wide, mode, Options(reflect_type="odd")))
    yield from cases(np.unwrap, (np.array([0.1, 3.0, -3.0, 9.0]),))
    yield from cases(np.unwrap, (np.array([0.1, 1.4, 0.4]), Options(period=1.0)))


@table
def joining() -> Iterator[Row]:
    yield from cases(
        np.concatenate,
        *(([real(2), real(3)],), ((real(2, 3), real(1, 3)),), ([real(2, 3), real(2, 1)], 1)),
        *(([real(2, 3), real(4)], None), ([single(2), single(3)],), ([cplx(2), real(2)],)),
        *(([whole(2), real(2)],), (real(2, 3, 4), 1), ([real(2, 3), real(2, 1)], -1)),
    )
    yield from cases(
        np.stack, ([real(3), real(3)],), ((real(3), real(3)), 1), ([0.5, 2.0],), (real(2, 3), 1)
    )
    yield from cases(np.stack, ([cplx(3), real(3)], -1), ([0.5, np.float32(2.0), 3],))
    yield from cases(np.vstack, ([real(3), real(2, 3)],), ((real(2), real(2)),), ([0.5, 2.0],))
    yield from cases(np.hstack, ([real(3), real(2)],), ((real(2, 1), real(2, 3)),), ([0.5, 2.0],))
    yield from cases(np.hstack, ([0.5, real(3)],))
    yield from cases(np.column_stack, ([real(3), real(3, 2)],), ((real(3), real(3)),))
    yield from cases(np.dstack, ([real(3), real(3)],), ((real(2, 3), real(2, 3)),))
    yield from cases(np.append, (real(3), 0.5), (real(2, 3), real(1, 3), 0), (real(2, 3), real(2)))
    yield from cases(np.split, (real(6), 3), (real(2, 4), [1, 3], 1))
    yield from cases(np.array_split, (real(7), 3), (real(2, 5), 2, 1))
    yield from cases(np.vsplit, (real(4, 2), 2))
    yield from cases(np.hsplit, (real(2, 4), 2), (real(4), 2))
    yield from cases(np.dsplit, (real(2, 2, 4), 2))
    if hasattr(np, "unstack"):
        yield from cases(np.unstack, (real(2, 3),), (real(2, 3), Options(axis=1)))


@table
def insertions() -> Iterator[Row]:
    yield from cases(np.insert, (real(4), 1, 0.5), (real(4), 2, real(3)), (real(2, 3), 1, 0.5))
    yield from cases(np.insert, (real(4), [0, 3, 3], real(3)), (real(4), [3, 0], real(2)))
    yield from cases(np.insert, (real(2, 3), 1, real(3), 0), (real(2, 3), 1, real(2), 1))
    yield from cases(np.insert, (real(2, 3), [0, 2], real(2, 2), 1), (real(4), slice(1, 3), 0.5))
    yield from cases(np.insert, (real(2, 3), -1, real(2, 2), 1), (real(2, 3), [1], real(2, 1), 1))


@table
def creation() -> Iterator[Row]:
    nested = [[0.5, 1.0], [real(1)[0], 3]]
    for callee in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray):
        yield from cases(
            callee, (real(2, 3),), (nested,), ([0.5, 1.0],), ((0.5, 1j),), ([real(2), real(2)],)
        )
        yield from cases(callee, (single(3),), ([1, 2],), (real(3), np.float32), (real(3), complex))
    yield from cases(np.array, (0.5,), ([0.5], Options(ndmin=2)), ([0.5], Options(dtype=int)))
    for callee in (np.float32, np.float64):
        yield from cases(callee, (0.5,), (2,), (single(1)[0],), (np.array(0.5),))
    for callee in (np.complex64, np.complex128):
        yield from cases(callee, (0.5,), (1 - 2j,), (cplx(3),))
    yield from cases(np.copy, (real(3),), (single(3),))
    yield from cases(np.full, ((2, 3), 0.5), (3, real(3)), ((2, 3), real(2, 1)))
    yield from cases(
        np.full_like, (real(2, 3), 0.5), (single(2), 0.5), (real(2, 3), 0.5, Options(order="F")),
        (real(2, 3), real(2, 1), Options(shape=(2, 2), subok=False)),
    )
    yield from cases(np.linspace, (0.5, 2.0), (0.5, 2.0, 5), (0.5, 2.0, 5, False), (0, 1, 3))
    yield from cases(
        np.linspace, (real(2), 1.0, 3), (0.5, 2.0, 1), (real(2), 1.0, 3, Options(axis=1))
    )
    yield from cases(np.arange, (3,), (0.5, 2.2), (0.5, 2.2, 0.25), (0, 2.5, Options(dtype=float)))
    yield from cases(np.logspace, (0.1, 0.5, 4), (0.1, 0.5, 4, False, 2.0))
    yield from cases(np.meshgrid, (real(2), real(3)), (real(2), real(3), real(4)), (real(2),))
    yield from cases(np.meshgrid, (real(2), real(3), Options(indexing="ij")))
    yield from cases(np.meshgrid, (real(2), real(3), Options(sparse=True)))
    yield from cases(np.vander, (real(3),), (real(3), 2), (real(3), 4, True))
    yield from cases(np.vander, (cplx(3),), (cplx(3), 4, True))
    yield from cases(np.ndarray.copy, (real(2, 3),), (single(3),))
    yield from cases(
        np.ndarray.astype, (real(3), np.float32), (single(3), float), (real(3), complex)
    )
    yield from cases(np.ndarray.astype, (whole(3), float), (cplx(3), np.complex64))
    yield from cases(np.ndarray.conj, (real(3),), (cplx(3),))
    yield from cases(np.ndarray.conjugate, (cplx(3),))
    yield from cases(
        np.ndarray.item, (np.array(0.5),), (real(3), 1), (real(2, 3), -1), (real(2, 3), 1, 2)
    )
    yield from cases(np.ndarray.item, (real(2, 3), (1, -1)), (single(1),))
    yield from cases(np.ndarray.tolist, (real(3),), (real(2, 3),), (np.array(0.5),))


@table
def selections() -> Iterator[Row]:
    yield from cases(np.unique, (real(4),), (real(2, 3),), (real(3, 2), Options(axis=0)))
    yield from cases(np.unique, (real(4), True), (real(4), Options(return_counts=True)))
    yield from cases(np.ix_, (real(3),), (real(2), real(3)), (real(3), [0, 2]))
    for callee in (np.take, np.ndarray.take):
        yield from cases(callee, (real(4), [0, 2, 2]), (real(2, 3), 1), (real(2, 3), [1, 1, 0], 1))
        yield from cases(callee, (real(2, 3), np.array([[0, 1], [1, 1]]), 0), (real(3), -1))
        yield from cases(callee, (real(3), [5, -4], Options(mode="wrap")))
        yield from cases(callee, (real(3), [5, -4], Options(mode="clip")))
    table = real(2, 3)
    order = np.argsort(table, axis=1)
    yield from cases(
        np.take_along_axis, (table, order, 1), (table, order[:, :1], 1), (table, order[:, 0], None)
    )
    yield from cases(np.take_along_axis, (table, np.argsort(table, axis=0), 0))
    for callee in (np.sort, np.partition):
        extra = (1,) if callee is np.partition else ()
        yield from cases(callee, (real(5), *extra), (real(2, 3), *extra, 0), (single(3), *extra))
    yield from cases(np.sort, (real(2, 3), None))
    yield from cases(unordered, (table, order, 1), (table, np.argsort(table, axis=0), 0))
    yield from cases(differences_back, (real(4), 0), (real(2, 3), 0), (real(2, 3), -1))
    yield from cases(diagonal_back, (real(3), (3, 4), 0, 0, 1), (real(4, 2), (2, 4, 3), 1, 0, -1))
    yield from cases(np.compress, ([True, False, True], real(3)), ([0, 1], real(2, 3), 0))
    yield from cases(np.ndarray.compress, (real(2, 3), [True, False, True], 1))
    yield from cases(np.extract, ([True, False, True], real(3)))
    yield from cases(np.delete, (real(4), 1), (real(2, 3), [0, 2], 1), (real(2, 3), slice(1, 4)))
    mask = np.array([[True, False, True]])
    yield from cases(
        np.where,
        *((mask, real(2, 3), real(2, 3)), (mask, real(3), 0.5), (mask, 0.5, real(2, 1))),
        *((True, 0.5, 2.0), (mask, single(3), 0.0), (mask, cplx(3), real(3)), (mask, 1, 0.5)),
    )
    values = real(4)
    yield from cases(
        np.select, ([values > 0.7, values > 0.4], [real(4), 0.5], 2.0), ([values > 0.7], [values])
    )
    for callee in (np.clip, np.ndarray.clip):
        yield from cases(
            callee,
            *((real(5), 0.4, 0.6), (real(2, 3), real(3), 0.95), (real(3), None, 0.5)),
            *((real(3), 0.5, None), (single(4), 0.4, 0.6), (real(3), 0.6, 0.4)),
        )
    yield from cases(np.bincount, (np.array([0, 2, 2]), real(3)), ([1, 1], [0.5, 1.0], 4))
    edges = np.array([2.5, 4.5, 7.0])
    yield from cases(np.histogram, (np.array([2, 3, 6, 9]), edges, None, None, real(4)))
    yield from cases(np.diff, (real(5),), (real(5), 2), (real(2, 4), 1, 0), (real(2, 5), 3))
    yield from cases(np.ediff1d, (real(2, 3),))
    yield from cases(np.gradient, (real(5),), (real(2, 4),))
    xp, fp = np.array([0.0, 0.3, 0.5, 1.0]), real(4)
    yield from cases(
        np.interp, (real(3), xp, fp), (0.4, xp, fp), (np.array([-1.0, 0.4, 2.0]), xp, fp)
    )
    yield from cases(np.interp, (np.array([-1.0, 0.4, 2.0]), xp, fp, 0.5, 0.7))
    yield from cases(np.interp, (real(3), xp, cplx(4)), (0.4, xp, cplx(4)))
