"""Rules of `np.linalg`: solutions, inverses, determinants, factorisations, on stacks of matrices.

Sources: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008); I. Murray, "Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

import numpy as np

from zyg.cotangent import conj, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.reductions import products_of_others
from zyg.rules.registry import adjoint, constant

constant(np.linalg.matrix_rank, np.linalg.LinAlgError)


def adjoint_of(a):
    """The conjugate transpose of each matrix of a stack."""
    return np.swapaxes(conj(a), -1, -2)


@adjoint(np.linalg.solve)
def solve(a, b):
    x = np.linalg.solve(a, b)

    def back(x_bar):
        return (
            unbroadcast(minus_outer(transposed_solution(x_bar, a, b), x, b), a),
            unbroadcast(transposed_solution(x_bar, a, b), b),
        )

    return x, back


def transposed_solution(x_bar, a, b):
    """The cotangent of `b` in `a x = b`, before it is summed to the shape of `b`."""
    if np.ndim(b) == 1:
        return np.linalg.solve(adjoint_of(a), np.expand_dims(x_bar, -1))[..., 0]
    return np.linalg.solve(adjoint_of(a), x_bar)


def minus_outer(b_bar, x, b):
    """The cotangent of `a` in `a x = b`: minus the cotangent of `b` times `x`."""
    if np.ndim(b) == 1:
        return np.expand_dims(-b_bar, -1) * np.expand_dims(conj(x), -2)
    return -b_bar @ adjoint_of(x)


@adjoint(np.linalg.inv)
def inv(a):
    y = np.linalg.inv(a)
    return y, lambda y_bar: -adjoint_of(y) @ y_bar @ adjoint_of(y)


@adjoint(np.linalg.pinv)
def pinv(a):
    y = np.linalg.pinv(a)
    return y, lambda y_bar: pinv_bar(y_bar, y, a)


def pinv_bar(y_bar, y, a):
    """The cotangent of a matrix of constant rank (Golub and Pereyra 1973)."""
    flipped, inverse = adjoint_of(y_bar), adjoint_of(y)
    left = flipped - a @ (y @ flipped)
    right = flipped - (flipped @ y) @ a
    return left @ y @ inverse + inverse @ y @ right - inverse @ y_bar @ inverse


@adjoint(np.linalg.det)
def det(a):
    y = np.linalg.det(a)
    return y, lambda y_bar: np.expand_dims(y_bar, (-2, -1)) * conj(cofactors(a, y))


def cofactors(a, determinant):
    """The derivative of the determinant: `det(a) inv(a).T`, for singular matrices by the SVD."""
    if np.all(determinant):
        inverse = np.linalg.inv(a)
        return np.expand_dims(determinant, (-2, -1)) * np.swapaxes(inverse, -1, -2)
    u, s, vh = np.linalg.svd(a)
    sign = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    return sign * ((conj(u) * np.expand_dims(products_of_others(s), -2)) @ conj(vh))


@adjoint(np.linalg.slogdet)
def slogdet(a):
    y = np.linalg.slogdet(a)
    return y, lambda y_bar: slogdet_bar(y_bar, y[0], a)


def slogdet_bar(y_bar, sign, a):
    """The cotangent of `a`; the sign of a complex determinant is differentiable as well."""
    scale = 0.0 if y_bar[1] is None else y_bar[1]
    if np.iscomplexobj(a) and y_bar[0] is not None:
        scale = scale + 1j * np.imag(y_bar[0] * conj(sign))
    return np.expand_dims(scale, (-2, -1)) * adjoint_of(np.linalg.inv(a))


@adjoint(np.linalg.cholesky)
def cholesky(a):
    factor = np.linalg.cholesky(a)
    return factor, lambda factor_bar: cholesky_bar(factor_bar, factor)


def cholesky_bar(factor_bar, factor):
    """The cotangent of the matrix, whose lower triangle alone the factorisation reads."""
    inner = lower_half(adjoint_of(factor) @ factor_bar)
    half = np.linalg.solve(adjoint_of(factor), inner)
    full = adjoint_of(np.linalg.solve(adjoint_of(factor), adjoint_of(half)))
    return lower_half(full + adjoint_of(full))


def lower_half(a):
    """The lower triangle with half of the real part of the diagonal."""
    diagonal = np.real(np.diagonal(a, axis1=-2, axis2=-1))
    eye = np.eye(a.shape[-1], dtype=diagonal.dtype)
    return np.tril(a, -1) + eye * np.expand_dims(0.5 * diagonal, -1)


@adjoint(np.linalg.matrix_power)
def matrix_power(a, n):
    y = np.linalg.matrix_power(a, n)
    return y, lambda y_bar: (matrix_power_bar(y_bar, a, n), None)


def matrix_power_bar(y_bar, a, n):
    """The sum of `(a^H)^k y_bar (a^H)^(n-1-k)` over k; for negative `n` that of the inverse."""
    if n < 0:
        inverse = np.linalg.inv(a)
        inverse_bar = matrix_power_bar(y_bar, inverse, -n)
        return -adjoint_of(inverse) @ inverse_bar @ adjoint_of(inverse)
    base = adjoint_of(a)
    bar = 0 * y_bar
    for k in range(n):
        left = np.linalg.matrix_power(base, k)
        bar = bar + left @ y_bar @ np.linalg.matrix_power(base, n - 1 - k)
    return bar


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
    vectors: the result is then infinite or NaN."""
    inner = 0.0 if y_bar[0] is None else np.eye(values.shape[-1]) * np.expand_dims(y_bar[0], -2)
    if y_bar[1] is not None:
        gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
        others = np.where(np.eye(values.shape[-1], dtype=bool), np.inf, gaps)
        inner = inner + (adjoint_of(vectors) @ y_bar[1]) / others.astype(values.dtype)
    full = vectors @ inner @ adjoint_of(vectors)
    half = lower_half(full + adjoint_of(full))
    return (half if UPLO in ("L", "l") else adjoint_of(half)).astype(vectors.dtype)


@adjoint(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        raise NotDifferentiable("np.linalg.svd has no rule for hermitian=True: use eigh")
    y = np.linalg.svd(a, full_matrices, compute_uv, hermitian)

    def back(y_bar):
        return (svd_bar(y_bar, a) if compute_uv else svd_values_bar(y_bar, a),)

    return y, back


def svd_values_bar(s_bar, a):
    """The cotangent of `a`, where only the singular values matter: `u s_bar vh`."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (u * np.expand_dims(s_bar, -2)) @ vh


def svd_bar(y_bar, a):
    """The cotangent of `a`, where the vectors matter as well, is defined for the values only."""
    if y_bar[0] is not None or y_bar[2] is not None:
        raise NotDifferentiable(
            "np.linalg.svd has a rule for the singular values only; vectors: use eigh"
        )
    return svd_values_bar(y_bar[1], a)
