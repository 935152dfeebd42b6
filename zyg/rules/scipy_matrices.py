"""Rules of `scipy.linalg`: inverses, functions of matrices, matrices put together of parts.

The cotangent through a function of a matrix is the Fréchet derivative at the conjugate transpose,
which stands in a corner of the function of a matrix twice the size:

    f([[a, e], [0, a]]) = [[f(a), L(a, e)], [0, f(a)]]

Source: N. Higham, "Functions of Matrices" (2008), section 3.1.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.linalg import CUT_OFF, adjoint_of, cofactors, is_cut_off, pinv_bar
from zyg.rules.registry import adjoint, constant, substitute

constant(
    *(linalg.bandwidth, linalg.issymmetric, linalg.ishermitian, linalg.hadamard, linalg.hilbert),
    *(linalg.invhilbert, linalg.pascal, linalg.invpascal, linalg.dft, linalg.LinAlgError),
)


@adjoint(linalg.inv)
def inv(a, overwrite_a=False, check_finite=True):
    y = linalg.inv(a, check_finite=check_finite)
    return y, lambda y_bar: (-adjoint_of(y) @ y_bar @ adjoint_of(y),)


@adjoint(linalg.det)
def det(a, overwrite_a=False, check_finite=True):
    y = linalg.det(a, check_finite=check_finite)
    return y, lambda y_bar: (np.expand_dims(y_bar, (-2, -1)) * conj(cofactors(a, y)),)


@adjoint(linalg.pinv)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    if return_rank:
        raise NotDifferentiable(
            "scipy.linalg.pinv has no rule for return_rank=True: use np.linalg.matrix_rank"
        )
    y = linalg.pinv(a, atol=atol, rtol=rtol, check_finite=check_finite)
    if not (atol is None and rtol is None) and is_cut_off(a, y):
        raise NotDifferentiable(CUT_OFF)
    return y, lambda y_bar: pinv_bar(y_bar, y, a)


@adjoint(linalg.expm)
def expm(A):
    return linalg.expm(A), lambda y_bar: unbroadcast(expm_bar(y_bar, adjoint_of(A)), A)


def expm_bar(y_bar, transposed):
    if np.ndim(y_bar) > 2:
        return corner(linalg.expm(doubled(transposed, y_bar)))
    return linalg.expm_frechet(transposed, y_bar, compute_expm=False)


def doubled(a, e):
    """The matrix `[[a, e], [0, a]]`, for each of a stack."""
    above, below = np.concatenate([a, e], -1), np.concatenate([0 * e, a + 0 * e], -1)
    return np.concatenate([above, below], -2)


def corner(a):
    """The upper right quarter of each matrix of a stack."""
    size = np.shape(a)[-1] // 2
    return a[..., :size, size:]


@substitute(linalg.expm_frechet)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    derivative = corner(linalg.expm(doubled(A, E)))
    return (linalg.expm(A), derivative) if compute_expm else derivative


@adjoint(linalg.logm)
def logm(A):
    y = linalg.logm(A)
    return y, lambda y_bar: unbroadcast(logm_bar(y_bar, A, y), A)


def logm_bar(y_bar, a, y):
    values, vectors = np.linalg.eig(a)
    is_cut = (np.imag(values) == 0.0) & (np.real(values) < 0.0)
    if not np.any(is_cut):
        return corner(linalg.logm(doubled(adjoint_of(a), y_bar)))
    gaps = np.expand_dims(values, -1) - np.expand_dims(values, -2)
    is_same = np.abs(gaps) <= 1e-8 * np.max(np.abs(values))
    if np.max(np.linalg.cond(vectors)) > 1e8:
        raise NotDifferentiable(
            "scipy.linalg.logm has no derivative here at a matrix with negative eigenvalues whose "
            "eigenvectors are nearly linearly dependent"
        )
    others = is_same & ~np.eye(np.shape(a)[-1], dtype=bool)
    if np.iscomplexobj(a) or np.any(others & np.expand_dims(is_cut, -1)):
        raise NotDifferentiable(
            "scipy.linalg.logm has no derivative at a complex matrix with negative eigenvalues, "
            "nor at a real one where two of them are equal: the imaginary part jumps there"
        )
    # Real matrices keep their simple negative eigenvalues on the branch cut of the logarithm. Here
    # the doubled matrix has each twice, of which rounding puts one on either side of the cut.
    # Source: the theorem of Daleckii and Krein (Higham, theorem 3.11).
    inverse = np.linalg.inv(vectors)
    logs = np.diagonal(inverse @ y @ vectors, axis1=-2, axis2=-1)
    rises = np.expand_dims(logs, -1) - np.expand_dims(logs, -2)
    quotients = np.where(
        is_same, np.expand_dims(1.0 / values, -1), rises / np.where(is_same, 1.0, gaps)
    )
    bar = adjoint_of(vectors) @ y_bar @ adjoint_of(inverse)
    return adjoint_of(inverse) @ (conj(quotients) * bar) @ adjoint_of(vectors)


@adjoint(linalg.sqrtm)
def sqrtm(A):
    # A copy: SciPy's result is in memory of a capsule, of which nobody knows who else has it.
    y = np.copy(linalg.sqrtm(A))

    def back(y_bar):
        return unbroadcast(linalg.solve_sylvester(adjoint_of(y), adjoint_of(y), y_bar), A)

    return y, back


# Matrices made of parts


@adjoint(linalg.block_diag)
def block_diag(*arrs):
    shapes = [block_shape(block) for block in arrs]

    def back(y_bar):
        rows = np.cumsum([0, *[shape[0] for shape in shapes]])
        columns = np.cumsum([0, *[shape[1] for shape in shapes]])
        blocks = [
            y_bar[rows[i] : rows[i] + shapes[i][0], columns[i] : columns[i] + shapes[i][1]]
            for i in range(len(shapes))
        ]
        return tuple(
            [
                unbroadcast(np.reshape(block, np.shape(arr)), arr)
                for block, arr in zip(blocks, arrs, strict=True)
            ]
        )

    return linalg.block_diag(*arrs), back


def block_shape(block):
    if np.ndim(block) > 2:
        raise NotDifferentiable("scipy.linalg.block_diag has no rule for stacks of matrices")
    return np.shape(np.atleast_2d(block))


@adjoint(linalg.toeplitz)
def toeplitz(c, r=None):
    if np.ndim(c) > 1 or (r is not None and np.ndim(r) > 1):
        raise NotDifferentiable("scipy.linalg.toeplitz has a rule for one-dimensional columns only")
    return linalg.toeplitz(c, r), lambda y_bar: (
        column_bar(y_bar, c, r),
        None if r is None else row_bar(y_bar, r),
    )


def column_bar(y_bar, c, r):
    """The cotangent of the first column, which makes the first row too where there is no `r`."""
    below = traces(y_bar, np.size(c), -1)
    if r is None:
        below = below + without_first(conj(traces(y_bar, np.size(c), 1)))
    return unbroadcast(np.reshape(below, np.shape(c)), c)


def row_bar(y_bar, r):
    """The cotangent of the first row, whose first element isn't read."""
    right = without_first(traces(y_bar, np.size(r), 1))
    return unbroadcast(np.reshape(right, np.shape(r)), r)


def traces(a, count, step):
    """The sums along the diagonals at 0, `step`, 2 `step`..."""
    return np.stack([np.trace(a, step * k) for k in range(count)])


def without_first(a):
    return np.where(np.arange(len(a)) > 0, a, 0)


@adjoint(linalg.circulant)
def circulant(c):
    if np.ndim(c) > 1:
        raise NotDifferentiable(
            "scipy.linalg.circulant has a rule for one-dimensional columns only"
        )

    def back(y_bar):
        above = np.roll(traces(y_bar, np.size(c), 1)[::-1], 1)
        return unbroadcast(traces(y_bar, np.size(c), -1) + without_first(above), c)

    return linalg.circulant(c), back


@substitute(linalg.khatri_rao)
def khatri_rao(a, b):
    columns = np.shape(b)[1]
    return np.reshape(np.expand_dims(a, 1) * np.expand_dims(b, 0), (-1, columns))
