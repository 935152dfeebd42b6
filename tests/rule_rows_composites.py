"""Rows of functions that have a substitute: what NumPy makes of other functions."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tests.rule_row import Options, Row, cases, cplx, definite, real, signed, single, table


def with_gaps(*shape: int) -> np.ndarray:
    """Numbers, the second of each row of which is NaN."""
    a = real(*shape)
    a[..., 1] = np.nan
    return a


@table
def sums() -> Iterator[Row]:
    for callee in (np.nanprod, np.nancumsum, np.nancumprod):
        yield from cases(callee, (with_gaps(4),), (with_gaps(2, 3), 1), (real(2, 3), 0))
    for callee in (np.nanvar, np.nanstd):
        yield from cases(callee, (with_gaps(4),), (with_gaps(2, 4), 1))
        yield from cases(callee, (with_gaps(2, 4), Options(axis=1, ddof=1, keepdims=True)))
    yield from cases(np.cov, (real(5),), (real(2, 5),), (real(3, 4), real(4)), (cplx(2, 4),))
    yield from cases(np.cov, (single(2, 5),), (single(2, 5), single(5)))
    yield from cases(np.cov, (real(5, 2), None, False), (real(2, 5), None, True, True))
    yield from cases(np.cov, (real(2, 5), Options(aweights=np.arange(1.0, 6.0))))
    yield from cases(np.cov, (real(2, 5), Options(fweights=np.arange(1, 6), ddof=0)))
    yield from cases(np.cov, (real(2, 5), Options(fweights=np.arange(1, 6), aweights=real(5))))
    yield from cases(np.corrcoef, (real(3, 5),), (real(5), real(5)), (real(5, 2), None, False))
    for mode in ("valid", "same", "full", 0, 1):
        yield from cases(np.correlate, (real(6), real(3), mode), (real(3), real(6), mode))
        yield from cases(np.correlate, (real(6), real(4), mode), (real(4), real(7), mode))
        yield from cases(np.correlate, (cplx(4), cplx(3), mode))
    yield from cases(np.gradient, (real(5), 0.5), (real(5), places(5)))
    yield from cases(np.gradient, (real(3, 4), 0.5, places(4)), (real(3, 4), Options(axis=1)))
    yield from cases(np.gradient, (real(5), places(5), Options(edge_order=2)))
    yield from cases(np.gradient, (real(3, 4), 2.0, Options(axis=0, edge_order=2)))
    if hasattr(np, "cumulative_sum"):
        for callee in (np.cumulative_sum, np.cumulative_prod):
            yield from cases(callee, (real(4),), (real(2, 3), Options(axis=1)))
            yield from cases(callee, (real(2, 3), Options(axis=-2, include_initial=True)))


def places(count: int) -> np.ndarray:
    return np.cumsum(real(count))


@table
def polynomials() -> Iterator[Row]:
    yield from cases(np.polyval, (real(4), 0.7), (real(3), real(2, 3)), (cplx(3), cplx(2)))
    for callee in (np.polyadd, np.polysub, np.polymul):
        yield from cases(callee, (real(4), real(2)), (real(2), real(3)), (real(3), 0.5))
    yield from cases(np.polyder, (real(4),), (real(5), 2))
    yield from cases(np.polyint, (real(3),), (real(3), 2), (real(3), 1, 0.3))
    yield from cases(np.polyint, (real(2), 2, [0.1, 0.2]))
    yield from cases(np.polydiv, (real(4), real(2)), (real(5), real(3)))
    yield from cases(np.poly, (real(3),), (cplx(2),), (definite(3),))
    yield from cases(np.roots, (np.array([1.0, -6.1, 11.3, -6.2]),), (np.array([2.0, 0.5, 1.0]),))
    yield from cases(np.roots, (np.array([1.0, -3.1, 2.0]),))
    x = places(6)
    yield from cases(np.polyfit, (x, real(6), 2), (x, real(6, 2), 1))
    yield from cases(np.polyfit, (x, real(6), 2, Options(w=real(6))))
    yield from cases(
        np.polyfit, (x, real(6), 2, Options(cov=True)), (x, real(6, 2), 1, Options(cov=True)),
        (x, real(6, 2), 1, Options(cov="unscaled", w=real(6))),
    )


@table
def rearranged() -> Iterator[Row]:
    yield from cases(np.resize, (real(3), 5), (real(2, 3), (2, 2)), (real(2), (3, 3)))
    chosen = np.array([0, 2, 1])
    yield from cases(np.choose, (chosen, [real(3), real(3), 0.5]), (chosen % 2, real(2, 3)))
    yield from cases(np.choose, (np.array([0, 4, -1]), real(3, 3), Options(mode="wrap")))
    yield from cases(np.block, ([real(2), real(3)],), ([[real(2, 2), real(2, 1)], [real(1, 3)]],))
    yield from cases(np.block, ([[real(2)], [real(2)]],), (real(2),))
    yield from cases(np.geomspace, (0.5, 8.0, 4), (0.5, 8.0, 4, False), (real(2), 3.0, 3))
    yield from cases(np.asarray_chkfinite, (real(3),), (0.5,))
    yield from cases(np.real_if_close, (real(3),), (cplx(3),))


@table
def sets() -> Iterator[Row]:
    first, second = np.array([0.3, 0.9, 0.5, 0.3]), np.array([0.5, 0.7])
    for callee in (np.union1d, np.setdiff1d, np.setxor1d):
        yield from cases(callee, (real(3), real(2)), (real(2, 2), real(3)))
    yield from cases(np.intersect1d, (first[1:], second[:0]))
    if hasattr(np, "unique_values"):
        yield from cases(np.unique_values, (real(4),))
    yield from cases(np.require, (real(3),), (real(3), np.float32))
    yield from cases(np.sort_complex, (real(4),), (cplx(3),))
    yield from cases(np.trim_zeros, (real(4),), (real(3), "f"))
    yield from cases(np.fromiter, ([0.3, 0.5], float))


@table
def of_matrices() -> Iterator[Row]:
    square = definite(3)
    for order in (None, 2, -2, 1, math.inf, "fro"):
        yield from cases(np.linalg.cond, (square + 0.1 * signed(3, 3), order))
    yield from cases(np.linalg.tensorinv, (signed(4, 2, 2), 1), (signed(2, 3, 6), 2))
    yield from cases(np.linalg.tensorsolve, (signed(4, 2, 2), real(4)), (signed(6, 2, 3), real(6)))
    if not hasattr(np.linalg, "matmul"):
        return
    yield from cases(np.linalg.matmul, (real(2, 3), real(3, 2)))
    yield from cases(np.linalg.outer, (real(2), real(3)))
    yield from cases(np.linalg.tensordot, (real(2, 3), real(3, 2), Options(axes=1)))
    yield from cases(np.linalg.vecdot, (cplx(2, 3), cplx(2, 3)))
    yield from cases(np.linalg.vecdot, (real(3, 2), real(3, 2), Options(axis=0)))
    yield from cases(np.linalg.cross, (real(2, 3), real(2, 3)))
    yield from cases(np.linalg.diagonal, (real(2, 3, 3),), (real(3, 4), Options(offset=1)))
    yield from cases(np.linalg.trace, (real(2, 3, 3),), (real(3, 4), Options(offset=1)))
    yield from cases(np.linalg.matrix_transpose, (real(2, 3, 4),))
    yield from cases(np.linalg.svdvals, (signed(3, 2),))
    yield from cases(np.linalg.matrix_norm, (signed(2, 3, 2),), (signed(3, 2), Options(ord="nuc")))
    yield from cases(np.linalg.vector_norm, (signed(2, 3),), (signed(2, 3), Options(axis=1, ord=3)))
    yield from cases(np.linalg.vector_norm, (signed(2, 3, 2), Options(axis=(0, 2), keepdims=True)))
    yield from cases(np.linalg.vector_norm, (single(3), Options(keepdims=True)))


ROWS: tuple[Row, ...] = (*sums(), *polynomials(), *rearranged(), *sets(), *of_matrices())
