"""Rows of the rules of `scipy.linalg`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy
from scipy import linalg

from tests.rule_row import (
    Options,
    Row,
    cases,
    cplx,
    definite,
    hermitian,
    real,
    signed,
    single,
    table,
)

NEAR_ONE = 2 * np.eye(3)


SWAPS = np.array([2, 2, 2], dtype=np.int32)


def cho_solve(c: np.ndarray, lower: bool, b: np.ndarray) -> np.ndarray:
    return linalg.cho_solve((c, lower), b)


def lu_solve(lu: np.ndarray, b: np.ndarray, trans: int) -> np.ndarray:
    return linalg.lu_solve((lu, SWAPS), b, trans)


def eigenvectors(a: np.ndarray, lower: bool) -> tuple[np.ndarray, np.ndarray]:
    """The values, and of the vectors what doesn't depend on their phase."""
    values, vectors = linalg.eigh(a, lower=lower)
    return values, vectors[0] * np.conj(vectors[1])


def triangular(n: int) -> np.ndarray:
    return signed(n, n) + 2 * np.eye(n)


@table
def solutions() -> Iterator[Row]:
    a, c = definite(3), hermitian(3)
    general = signed(3, 3) + NEAR_ONE
    yield from cases(
        linalg.solve,
        *((general, signed(3)), (general, signed(3, 2)), (cplx(3, 3) + NEAR_ONE, cplx(3))),
        *((general, cplx(3, 2)), (cplx(3, 3) + NEAR_ONE, signed(3))),
        *((single(3, 3) + NEAR_ONE.astype(np.float32), single(3)),),
        *((general, signed(3), Options(transposed=True)), (a, signed(3), Options(assume_a="pos"))),
        *((a, signed(3, 2), Options(assume_a="pos", lower=True)), (a, signed(3), True)),
        *((a, signed(3), Options(assume_a="sym")), (c, cplx(3), Options(assume_a="her"))),
        *((c, cplx(3), Options(assume_a="pos", lower=True)),),
        *((cplx(3, 3) + NEAR_ONE, cplx(3, 2), Options(assume_a="sym", lower=True)),),
        (general, signed(3), Options(check_finite=False)),
    )
    if np.lib.NumpyVersion(scipy.__version__) >= "1.16.0":
        yield from cases(linalg.solve, (signed(2, 3, 3), signed(3, 2)))
    if linalg.solve.__defaults__[-2] is None:
        parts = ("lower triangular", "upper triangular", "tridiagonal", "diagonal")
        for part in parts:
            yield from cases(linalg.solve, (general, signed(3), Options(assume_a=part)))
    for trans in (0, 1, 2, "C"):
        yield from cases(
            linalg.solve_triangular,
            *((triangular(3), signed(3), trans), (triangular(3), signed(3, 2), trans, True)),
            (triangular(3) + 1j * triangular(3), cplx(3), trans, True, True),
        )
    lu, complex_lu = linalg.lu_factor(general)[0], linalg.lu_factor(cplx(3, 3) + NEAR_ONE)[0]
    for trans in (0, 1, 2):
        yield from cases(lu_solve, (lu, signed(3), trans))
        yield from cases(lu_solve, (complex_lu, cplx(3, 2), trans))
    for lower in (True, False):
        yield from cases(cho_solve, (triangular(3), lower, signed(3)))
        factor = triangular(3) + 1j * signed(3, 3) * (1 - np.eye(3))
        yield from cases(cho_solve, (factor, lower, cplx(3, 2)))
        yield from cases(linalg.cho_factor, (a, lower), (c, lower))


@table
def banded() -> Iterator[Row]:
    band = signed(4, 5) + np.array([[0.0], [0], [3], [0]])
    complex_band = cplx(3, 5) + np.array([[0.0], [3], [0]])
    yield from cases(
        linalg.solve_banded,
        *(((1, 2), band, signed(5)), ((1, 2), band, signed(5, 2))),
        *(((1, 1), complex_band, cplx(5)), ((0, 1), band[1:3], signed(5))),
    )
    for lower, rows in ((True, [0, 1, 2]), (False, [2, 1, 0])):
        half = (signed(3, 5) * 0.5 + np.array([[3.0], [0], [0]]))[rows]
        phase = (1j * signed(3, 5) * 0.3 * np.array([[0.0], [1], [1]]))[rows]
        yield from cases(
            linalg.solveh_banded,
            *((half, signed(5), Options(lower=lower)), (half, signed(5, 2), Options(lower=lower))),
            (half + phase, cplx(5), Options(lower=lower)),
        )


@table
def equations() -> Iterator[Row]:
    yield from cases(
        linalg.solve_sylvester,
        *((definite(3), definite(2), signed(3, 2)), (hermitian(3), cplx(2, 2), cplx(3, 2))),
    )
    for callee in (linalg.solve_continuous_lyapunov, linalg.solve_discrete_lyapunov):
        yield from cases(
            callee, (definite(3), signed(3, 3)), (0.3 * cplx(3, 3) + NEAR_ONE, cplx(3, 3))
        )


@table
def matrices() -> Iterator[Row]:
    a, c = definite(3), hermitian(3)
    singles = (definite(3).astype(np.float32),)
    yield from cases(linalg.inv, (a,), (c + 1j * a,), singles, (a, True))
    yield from cases(linalg.det, (a,), (c,), (np.ones((2, 2)),), singles)
    yield from cases(linalg.pinv, (signed(3, 2),), (cplx(2, 3),))
    yield from cases(linalg.expm, (signed(3, 3),), (cplx(3, 3),), (signed(2, 3, 3),))
    yield from cases(linalg.sqrtm, (a,), (c + 0.3 * cplx(3, 3),))
    yield from cases(linalg.logm, (a,), (c + 0.3 * cplx(3, 3),))
    yield from cases(
        linalg.block_diag,
        *((real(2, 3), real(1, 2)), (real(2, 2), real(3), 0.5), (cplx(2, 1), real(2, 2))),
    )
    yield from cases(
        linalg.toeplitz,
        *((real(3),), (cplx(3),), (real(3), real(4)), (real(4), cplx(2)), (cplx(2), real(3))),
    )
    yield from cases(linalg.circulant, (real(4),), (cplx(3),))


@table
def factorisations() -> Iterator[Row]:
    a, c = definite(3), hermitian(3)
    yield from cases(linalg.cholesky, (a,), (a, True), (c,), (c, Options(lower=True)))
    for shape in ((3, 3), (3, 5), (5, 3)):
        yield from cases(linalg.lu, (signed(*shape),), (cplx(*shape), True))
        yield from cases(linalg.qr, (signed(*shape), Options(mode="economic")))
        yield from cases(linalg.qr, (cplx(*shape), Options(mode="economic", pivoting=True)))
        yield from cases(linalg.qr, (signed(*shape), Options(mode="r")))
        yield from cases(linalg.svd, (signed(*shape), False))
        yield from cases(linalg.svd, (signed(*shape), Options(compute_uv=False)))
        yield from cases(linalg.svdvals, (cplx(*shape),))
    yield from cases(linalg.lu, (signed(4, 3), Options(p_indices=True)))
    yield from cases(linalg.svd, (signed(3, 2), False, Options(lapack_driver="gesvd")))
    yield from cases(linalg.lu_factor, (signed(4, 4),), (cplx(3, 3),))
    for lower in (True, False):
        yield from cases(eigenvectors, (a, lower), (c, lower))
        yield from cases(linalg.eigvalsh, (a, Options(lower=lower)), (c, Options(lower=lower)))
    yield from cases(linalg.eigh, (a, Options(eigvals_only=True, driver="ev")))
    yield from cases(
        linalg.norm,
        *((real(3),), (signed(2, 3),), (cplx(2, 3),), (signed(2, 3), 1), (signed(3), np.inf)),
        *((signed(2, 3), "nuc"), (signed(2, 3), None, 1), (signed(2, 3), 2, 0, True)),
    )


@table
def composites() -> Iterator[Row]:
    a, c = definite(3), hermitian(3)
    for callee in (linalg.eigvals, linalg.cosm, linalg.sinm, linalg.coshm, linalg.sinhm):
        yield from cases(callee, (signed(3, 3),), (0.4 * cplx(3, 3),))
    yield from cases(linalg.pinvh, (a,), (c, Options(lower=False)))
    yield from cases(linalg.solve_toeplitz, (real(3) + np.eye(3)[0], real(3)))
    yield from cases(linalg.hankel, (real(3),), (cplx(3), real(4)))
    yield from cases(linalg.polar, (a + signed(3, 3),), (signed(4, 3),), (signed(2, 3), "left"))
    yield from cases(linalg.polar, (c + cplx(3, 3),))
    yield from cases(linalg.khatri_rao, (real(2, 3), real(4, 3)))
    yield from cases(
        linalg.expm_frechet,
        *((signed(3, 3), signed(3, 3)), (signed(2, 2), signed(2, 2), Options(compute_expm=False))),
    )
