"""Rows of the rules of products, linear algebra, and of the algebra of cotangents."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator

import numpy as np

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
    whole,
)
from zyg.compiler.reverse import returned
from zyg.cotangents import cotangent
from zyg.cotangents.cotangent import accumulate, conj, filled, unbroadcast
from zyg.cotangents.cotangent_items import one_hot, scatter
from zyg.rules.linalg import cofactors
from zyg.rules.polynomials import evaluated


@table
def products() -> Iterator[Row]:
    matrices = (
        *(
            (real(2, 3), real(3, 4)),
            (real(3), real(3)),
            (real(2, 3), real(3)),
            (real(3), real(3, 2)),
        ),
        *(
            (cplx(2, 3), cplx(3, 2)),
            (cplx(2, 3), real(3)),
            (real(3), cplx(3, 2)),
            (cplx(3), cplx(3)),
        ),
        *((single(2, 3), single(3, 2)), (whole(2, 3), real(3))),
    )
    stacks = (
        *((real(5, 2, 3), real(3, 4)), (real(5, 2, 3), real(5, 3, 4)), (real(5, 2, 3), real(3))),
        *((real(3), real(5, 3, 2)), (real(2, 3), real(5, 3, 2)), (real(1, 2, 3), real(4, 3, 2))),
        (cplx(2, 2, 3), cplx(3)),
    )
    for callee in (operator.matmul, np.matmul):
        yield from cases(callee, *matrices, *stacks)
    yield from cases(
        np.dot,
        *(*matrices, (0.5, real(3)), (real(2, 3), 2.0), (0.5, 2.0), (real(2, 3, 4), real(4))),
        *((real(2, 3, 4), real(4, 5)), (real(4), real(2, 4, 3)), (real(5, 4), real(2, 4, 3))),
        *((real(2, 3, 4), real(5, 4, 2)), (cplx(2, 3, 4), cplx(5, 4, 2))),
    )
    yield from cases(np.ndarray.dot, *matrices, (real(2, 3), 2.0), (real(2, 3, 4), real(5, 4, 2)))
    yield from cases(np.vdot, (real(3), real(3)), (cplx(3), cplx(3)), (real(2, 2), cplx(2, 2)))
    yield from cases(
        np.inner,
        *(
            (real(3), real(3)),
            (real(2, 3), real(4, 3)),
            (real(2, 3), real(3)),
            (real(3), real(2, 3)),
        ),
        *((0.5, real(3)), (cplx(2, 3), cplx(3)), (real(2, 2, 3), real(4, 5, 3))),
    )
    yield from cases(np.outer, (real(2), real(3)), (cplx(2), cplx(3)), (real(2, 2), 0.5))
    yield from cases(
        np.tensordot,
        *((real(2, 3, 4), real(3, 4, 5)), (real(2, 3), real(4, 5), 0), (real(2, 3), real(3), 1)),
        *((real(2, 3, 4), real(4, 3, 5), ((1, 2), (1, 0))), (real(2, 3), real(4, 2), (0, 1))),
        *((cplx(2, 3, 4), cplx(5, 4, 2), ([2, 0], [1, 2])), (real(3), real(3), ([-1], [-1]))),
        (real(2, 3, 4, 5), real(5, 6, 3, 2), ([0, 3, 1], [3, 0, 2])),
    )
    yield from cases(
        np.einsum,
        *(("ij,jk->ik", real(2, 3), real(3, 4)), ("ij,jk", real(2, 3), real(3, 4))),
        *(
            ("i,i", real(3), real(3)),
            ("ii->i", real(3, 3)),
            ("ii", real(3, 3)),
            ("ij->", real(2, 3)),
        ),
        *(("ij->ji", real(2, 3)), ("ij->i", cplx(2, 3)), ("i,j->ij", cplx(2), cplx(3))),
        *(("...ij,...jk->...ik", real(5, 2, 3), real(3, 4)), ("...i,...i", real(2, 3), real(3))),
        *(
            ("ij,jk,kl->il", real(2, 3), real(3, 4), real(4, 2)),
            ("iij,j->i", real(2, 2, 3), real(3)),
        ),
        *(("ij,ij->ij", real(1, 3), real(2, 3)), ("ij,ij", single(2, 3), single(2, 3))),
        *(("i,->i", real(3), 0.5), ("iij->j", real(2, 2, 3)), ("iii->", real(2, 2, 2))),
        ("ij,jk->ik", real(2, 3), real(3, 4), Options(optimize=True)),
    )
    yield from cases(
        np.kron,
        *(
            (real(2), real(3)),
            (real(2, 2), real(1, 3)),
            (cplx(2, 2), cplx(2, 1)),
            (real(2), real(2, 3)),
        ),
        *((real(2, 3), real(2)), (0.5, real(2))),
    )
    yield from cases(
        np.cross,
        *(
            (real(3), real(3)),
            (real(2, 3), real(3)),
            (cplx(3), cplx(2, 3)),
            (real(2, 3), real(2, 3)),
        ),
        *((real(3, 2), real(3, 2), Options(axis=0)), (real(3, 2), real(2, 3), 0)),
    )
    for mode in ("full", "same", "valid", 0, 1, 2):
        yield from cases(
            np.convolve,
            (real(5), real(3), mode),
            (real(2), real(5), mode),
            (cplx(4), cplx(3), mode),
        )
    if hasattr(np, "vecdot"):
        yield from cases(np.vecdot, (real(3), real(2, 3)), (cplx(2, 3), cplx(3)))
    if hasattr(np, "matvec"):
        yield from cases(np.matvec, (real(2, 3), real(3)), (cplx(4, 2, 3), cplx(3)))
        yield from cases(np.matvec, (real(2, 3), cplx(3)), (cplx(2, 3), real(3)))
        yield from cases(np.vecmat, (real(2), cplx(2, 3)), (cplx(2), real(2, 3)))
        yield from cases(np.vecmat, (real(2), real(2, 3)), (cplx(2), cplx(4, 2, 3)))


@table
def linear_algebra() -> Iterator[Row]:
    square, stack = signed(3, 3) + 2 * np.eye(3), signed(2, 3, 3) + 2 * np.eye(3)
    complex_square = cplx(3, 3) + 2 * np.eye(3)
    yield from cases(
        np.linalg.solve,
        *((square, real(3)), (square, real(3, 2)), (stack, real(2, 3, 1))),
        *((complex_square, cplx(3)), (square, cplx(3, 2)), (square.astype(np.float32), single(3))),
    )
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        yield from cases(np.linalg.solve, (stack, real(3, 2)), (stack, real(3)))
    else:
        yield from cases(np.linalg.solve, (stack, real(2, 3)))
    for callee in (np.linalg.inv, np.linalg.det, np.linalg.slogdet):
        yield from cases(
            callee, (square,), (stack,), (complex_square,), (square.astype(np.float32),)
        )
    yield from cases(evaluated, (real(3), real(2, 3)), (real(1), real(2)), (cplx(2), cplx(2)))
    yield from cases(cofactors, (square, 0.7), (stack, real(2)), (complex_square, 0.3 + 0.4j))
    yield from cases(np.linalg.pinv, (square,), (real(2, 3),), (real(3, 2),), (cplx(2, 3),))
    singular = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.5, 1.0, 4.0]])
    square = definite(3)
    yield from cases(cofactors, (square, float(np.linalg.det(square))))
    yield from cases(
        np.linalg.det, (singular * 0,), (np.array([[1.0, 2.0], [2.0, 4.0]]),), (singular,)
    )
    for callee in (np.linalg.cholesky,):
        yield from cases(callee, (definite(3),), (definite(3, 2),), (hermitian(3),))
        yield from cases(callee, (definite(3).astype(np.float32),))
    for power in (0, 1, 2, 5, -1, -3):
        yield from cases(np.linalg.matrix_power, (square, power), (complex_square, power))
    yield from cases(np.linalg.eigvalsh, (definite(3),), (hermitian(3),), (definite(3, 2), "U"))
    yield from cases(np.linalg.qr, (signed(3, 3),), (signed(4, 2),), (signed(2, 4),), (cplx(3, 2),))
    yield from cases(np.linalg.qr, (signed(2, 3, 2),), (cplx(2, 3),), (signed(3, 2), "r"))
    yield from cases(np.linalg.qr, (signed(2, 3), "complete"), (signed(2, 4), "r"))
    general = np.diag([1.0, 2.0, 4.0]) + 0.3 * signed(3, 3)
    turning = np.array([[0.3, -1.2, 0.1], [1.1, 0.4, 0.2], [0.2, 0.1, 2.0]])
    yield from cases(np.linalg.eig, (general,), (turning,), (general + 0.2j * signed(3, 3),))
    yield from cases(np.linalg.eig, (np.stack([turning, turning.T]),))
    yield from cases(np.linalg.pinv, (real(2, 3), 1e-8), (cplx(2, 3), 1e-8))
    yield from cases(np.linalg.lstsq, (signed(4, 2), real(4)), (signed(4, 2), real(4, 3)))
    yield from cases(np.linalg.lstsq, (signed(4, 2), real(4), 1e-8))
    yield from cases(np.linalg.lstsq, (signed(3, 3), real(3)), (cplx(4, 2), cplx(4)))
    yield from cases(np.linalg.multi_dot, ([real(2, 3), real(3, 4), real(4, 2)],))
    yield from cases(np.linalg.multi_dot, ([real(3), real(3, 4), cplx(4)],))
    yield from cases(np.linalg.eigvals, (general,), (turning,), (general + 0.2j * signed(3, 3),))
    yield from cases(np.linalg.eigh, (definite(3),), (definite(3, 2), "U"))
    yield from cases(
        np.linalg.svd,
        (real(2, 3), Options(compute_uv=False)),
        (cplx(3, 2), Options(compute_uv=False)),
    )
    yield from cases(np.linalg.svd, (signed(3, 3),), (signed(3, 2), False))
    yield from cases(np.linalg.svd, (signed(2, 2, 4), False))
    for ord_ in (None, 1, 2, 3, 0.5, -1, math.inf, -math.inf):
        yield from cases(
            np.linalg.norm,
            (signed(4), ord_),
            (signed(2, 3), ord_, 1),
            (cplx(3), ord_),
            (single(3), ord_),
        )
        yield from cases(np.linalg.norm, (signed(2, 3), ord_, 0, True))
    for ord_ in (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        yield from cases(
            np.linalg.norm,
            (signed(2, 3), ord_),
            (signed(2, 3, 4), ord_, (0, 2)),
            (cplx(3, 2), ord_),
        )
        yield from cases(np.linalg.norm, (signed(4, 2, 3), ord_, (-2, -1), True))
    yield from cases(np.linalg.norm, (signed(2, 3, 4),), (np.array(0.5),), ([0.3, -0.4],))


@table
def algebra() -> Iterator[Row]:
    """The operations on cotangents, which second derivatives differentiate."""
    yield from cases(
        unbroadcast,
        *((real(2, 3), real(3)), (real(2, 3), 0.5), (cplx(3), real(3)), (0.5, real(3))),
        *((real(2, 3), real(2, 1)), (single(2, 3), single(3)), (cplx(2), 0.5)),
    )
    yield from cases(conj, (0.5,), (1 + 2j,), (real(3),), (cplx(3),))
    yield from cases(accumulate, (0.5, 1.0), (real(3), real(3)), ([0.5, real(2)], [1.0, real(2)]))
    yield from cases(one_hot, (0.5, real(3), 1), (real(2), real(2, 3), (slice(None), 1)))
    yield from cases(one_hot, (real(3), real(2), [0, 0, 1]), (0.5, [1.0, 2.0], 1))
    yield from cases(scatter, (real(3), (2,), [0, 0, 1]), (0.5, (2, 2), (0, 1)))
    yield from cases(filled, ([0.5, None], [1.0, 2.0]), ((real(2), 1.0), (real(2), 2.0)))
    for callee in (cotangent.add, cotangent.subtract):
        yield from cases(callee, (0.5, 1.0), (real(3), real(3)), (cplx(2), cplx(2)))
    yield from cases(cotangent.sum_over, (real(2, 3), (0,)), (real(2, 3), (1,)), (cplx(3), (0,)))
    yield from cases(cotangent.owned, (real(3),), (cplx(2),))
    yield from cases(cotangent.materialised, (0.5, 2.0), (real(3), real(3)))
    yield from cases(returned.real_scalar, (0.5,))
    yield from cases(returned.loss_and_rest, (0.5,), ((0.5, 1.0),))
