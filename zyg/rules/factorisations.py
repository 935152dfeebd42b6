"""Rules of `np.linalg`: factorisations of stacks of matrices.

Vectors of complex matrices have a phase. Where LAPACK fixes it (`eig`: the largest entry of a
vector is real) the rule does so too; elsewhere a gradient that depends on it is refused.

Sources: I. Murray, "Differentiation of the Cholesky decomposition" (2016); M. Giles, "Collected
matrix derivative results for forward and reverse mode algorithmic differentiation" (2008); S.
Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions" (2010); J.
Townsend, "Differentiating the singular value decomposition" (2016).
"""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.linalg import adjoint_of
from zyg.rules.registry import adjoint


@adjoint(np.linalg.cholesky)
def cholesky(a):
    factor = np.linalg.cholesky(a)
    return factor, lambda factor_bar: cholesky_bar(factor_bar, factor)


def cholesky_bar(factor_bar, factor):
    """The cotangent of the matrix, whose lower triangle alone the factorisation reads."""
    inner = lower_half(adjoint_of(factor) @ factor_bar)
    inverse = np.linalg.inv(factor)
    full = adjoint_of(inverse) @ inner @ inverse
    return lower_half(full + adjoint_of(full))


def lower_half(a):
    """The lower triangle with half of the real part of the diagonal."""
    diagonal = np.real(np.diagonal(a, axis1=-2, axis2=-1))
    eye = np.eye(a.shape[-1], dtype=diagonal.dtype)
    return np.tril(a, -1) + eye * np.expand_dims(0.5 * diagonal, -1)


@adjoint(np.linalg.eigh)
def eigh(a, UPLO="L"):
    y = np.linalg.eigh(a, UPLO)
    return y, lambda y_bar: (eigh_bar(y_bar, y[0], y[1], UPLO),)


@adjoint(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    return np.linalg.eigvalsh(a, UPLO), lambda y_bar: (eigvalsh_bar(y_bar, a, UPLO),)


def eigvalsh_bar(y_bar, a, UPLO):
    """The vectors, which the values need backwards, are computed only there."""
    values, vectors = np.linalg.eigh(a, UPLO)
    return eigh_bar((y_bar, None), values, vectors, UPLO)


def eigh_bar(y_bar, values, vectors, UPLO):
    """The cotangent of the triangle that is read. Equal eigenvalues have no derivative of their
    vectors: the result is then infinite or NaN, unless nothing depends on the vectors."""
    if y_bar[0] is None and y_bar[1] is None:
        return None
    if y_bar[1] is None:
        full = (vectors * np.expand_dims(y_bar[0], -2)) @ adjoint_of(vectors)
    else:
        inner = 0.0 if y_bar[0] is None else np.eye(values.shape[-1]) * np.expand_dims(y_bar[0], -2)
        gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
        of_vectors = adjoint_of(vectors) @ y_bar[1]
        of_vectors = of_any_phase(of_vectors, of_vectors)
        is_left_out = np.eye(values.shape[-1], dtype=bool) | ((gaps == 0) & is_unused(of_vectors))
        others = np.where(is_left_out, np.inf, gaps)
        inner = inner + of_vectors / others.astype(values.dtype)
        full = vectors @ inner @ adjoint_of(vectors)
    half = lower_half(full + adjoint_of(full))
    return (half if UPLO in ("L", "l") else adjoint_of(half)).astype(vectors.dtype)


def is_unused(bar):
    """Of which matrices of a stack nothing is made."""
    return np.all(bar == 0, axis=(-2, -1), keepdims=True)


@adjoint(np.linalg.qr)
def qr(a, mode="reduced"):
    y = np.linalg.qr(a, mode)
    return y, lambda y_bar: (
        reduced_qr_bar(y_bar[0], y_bar[1], y[0], y[1]) if mode == "reduced" else (
            qr_bar(y_bar, a, mode)
        ),
    )


def qr_bar(y_bar, a, mode):
    """The cotangent of a matrix of whose factors there are other forms than `q` and `r`."""
    if mode == "raw" or (mode == "complete" and np.shape(a)[-2] > np.shape(a)[-1]):
        raise NotDifferentiable(
            f"np.linalg.qr has no rule for mode={mode!r} of matrices with more rows than columns: "
            "the columns that complete the basis are arbitrary; use mode='reduced'"
        )
    q, r = np.linalg.qr(a)
    if mode == "r":
        return reduced_qr_bar(None, y_bar, q, r)
    return reduced_qr_bar(y_bar[0], y_bar[1], q, r)


def reduced_qr_bar(q_bar, r_bar, q, r):
    """The cotangent of `a = q r`, where `r` is upper triangular with a real diagonal."""
    q_bar = np.zeros_like(q) if q_bar is None else q_bar
    r_bar = np.zeros_like(r) if r_bar is None else r_bar
    rows = np.shape(q)[-2]
    if rows >= np.shape(r)[-1]:
        return square_qr_bar(q_bar, r_bar, q, r)
    second_bar = q @ r_bar[..., rows:]
    q_bar = q_bar + q @ r[..., rows:] @ adjoint_of(r_bar[..., rows:])
    first_bar = square_qr_bar(q_bar, r_bar[..., :rows], q, r[..., :rows])
    return np.concatenate([first_bar, second_bar], axis=-1)


def square_qr_bar(q_bar, r_bar, q, r):
    """The same where `r` is square."""
    inner = np.triu(adjoint_of(q) @ q_bar - r_bar @ adjoint_of(r))
    size = np.shape(r)[-1]
    diagonal = np.real(inner) * np.eye(size, dtype=np.real(r).dtype)
    upper = np.triu(inner, 1)
    full = q_bar - q @ (upper + adjoint_of(upper) + diagonal)
    return adjoint_of(np.linalg.solve(r, adjoint_of(full)))


@adjoint(np.linalg.eig)
def eig(a):
    y = np.linalg.eig(a)
    return y, lambda y_bar: (unbroadcast(eig_bar(y_bar, y[0], y[1]), a),)


@adjoint(np.linalg.eigvals)
def eigvals(a):
    return np.linalg.eigvals(a), lambda y_bar: (unbroadcast(eigvals_bar(y_bar, a), a),)


def eigvals_bar(y_bar, a):
    """The vectors, which the values need backwards, are computed only there."""
    values, vectors = np.linalg.eig(a)
    return eig_bar((y_bar, None), values, vectors)


def eig_bar(y_bar, values, vectors):
    """The cotangent of a matrix with eigenvectors of length 1 whose largest entry is real."""
    if y_bar[0] is None and y_bar[1] is None:
        return None
    size = np.shape(values)[-1]
    inner = 0.0 if y_bar[0] is None else np.eye(size) * np.expand_dims(y_bar[0], -2)
    if y_bar[1] is not None:
        free_bar = without_phase(y_bar[1], vectors)
        overlap = adjoint_of(vectors) @ free_bar
        along = np.real(np.sum(conj(vectors) * free_bar, axis=-2))
        overlap = overlap - adjoint_of(vectors) @ (vectors * np.expand_dims(along, -2))
        gaps = conj(np.expand_dims(values, -2) - np.expand_dims(values, -1))
        is_same = np.eye(size, dtype=bool)
        inner = inner + np.where(is_same, 0, overlap / np.where(is_same, 1, gaps))
    return np.linalg.solve(adjoint_of(vectors), inner @ adjoint_of(vectors))


def without_phase(bar, vectors):
    """The cotangent of vectors of any phase, of which those here are multiples."""
    if vectors.dtype.kind != "c":
        return bar
    turned = np.imag(np.sum(conj(bar) * vectors, axis=-2, keepdims=True))
    largest = np.argmax(np.abs(vectors), axis=-2)
    at = np.expand_dims(largest, -2) == np.expand_dims(np.arange(np.shape(vectors)[-2]), -1)
    return bar + 1j * np.where(at, turned / np.where(at, vectors, 1), 0)


@adjoint(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True):
    y = np.linalg.svd(a, full_matrices, compute_uv)

    def back(y_bar):
        return (svd_bar(y_bar, y[0], y[1], y[2]) if compute_uv else svd_values_bar(y_bar, a),)

    return y, back


def svd_values_bar(s_bar, a):
    """The cotangent of `a`, where only the singular values matter: `u s_bar vh`."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (u * np.expand_dims(s_bar, -2)) @ vh


def svd_bar(y_bar, all_u, s, all_vh):
    """The cotangent of a matrix whose first `min(m, n)` singular vectors are determined."""
    size = np.shape(s)[-1]
    u, vh = all_u[..., :size], all_vh[..., :size, :]
    if y_bar[0] is None and y_bar[2] is None:
        return None if y_bar[1] is None else (u * np.expand_dims(y_bar[1], -2)) @ vh
    v = adjoint_of(vh)
    u_bar = np.zeros_like(u) if y_bar[0] is None else determined(y_bar[0], size)
    v_bar = np.zeros_like(v) if y_bar[2] is None else determined(adjoint_of(y_bar[2]), size)
    of_u, of_v = adjoint_of(u) @ u_bar, adjoint_of(v) @ v_bar
    of_u = of_any_phase(of_u, of_u + of_v)
    is_same = np.eye(size, dtype=bool)
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    gaps = row**2 - column**2
    without_vectors = is_unused(u_bar) & is_unused(v_bar)
    gaps = np.where(is_same | ((gaps == 0) & without_vectors), np.inf, gaps)
    scale = np.where((row == 0) & without_vectors, np.inf, row)
    skew_u, skew_v = of_u - adjoint_of(of_u), of_v - adjoint_of(of_v)
    inner = (skew_u * row + column * skew_v) / gaps
    inner = inner + np.where(is_same, skew_u / (2 * scale), 0)
    if y_bar[1] is not None:
        inner = inner + np.where(is_same, np.expand_dims(y_bar[1], -2), 0)
    left = u @ inner + (u_bar - u @ of_u) / scale
    return left @ vh + u @ adjoint_of((v_bar - v @ of_v) / scale)


def determined(bar, size):
    """The cotangent of the vectors that belong to singular values; the others are arbitrary."""
    if np.any(bar[..., size:]):
        raise NotDifferentiable(
            "np.linalg.svd: the vectors that belong to no singular value are arbitrary: use "
            "full_matrices=False"
        )
    return bar[..., :size]


def of_any_phase(bar, overlaps):
    """What comes of cotangents of vectors, unless their phase matters, which is arbitrary.

    Along its own vector such a cotangent has an imaginary part.
    """
    if overlaps.dtype.kind == "c":
        turned = np.imag(np.diagonal(overlaps, axis1=-2, axis2=-1))
        if np.any(np.abs(turned) > 1e-6 * (1e-300 + np.max(np.abs(overlaps)))):
            raise NotDifferentiable(
                "the result depends on the phase of complex vectors, which LAPACK leaves open"
            )
    return bar
